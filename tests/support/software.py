"""What tests run that is no package of Python: a Java, Neo4j's jars, a container engine.

`make install` runs this module: it fetches and verifies what is missing, since tests are shut off
from the network. Tests that kill a server start it themselves, also where another one is given.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import httpx
import platformdirs
import pytest

from app.errors import LociError
from app.runtime.embedded import Software, need_platform
from app.runtime.jars import JarCache, Progress, fetch, silent
from app.runtime.java import find_java
from app.runtime.lock import read_lock

DOCKER_SOCKET = "unix:///var/run/docker.sock"
PURE = bool(os.environ.get("TESTS_PURE"))


def has_engine() -> bool:
    """Whether a Docker engine answers."""
    kind, _, address = os.environ.get("DOCKER_HOST", DOCKER_SOCKET).partition("://")
    if kind == "unix":
        return _listens(address)
    try:
        return httpx.get(f"http://{address}/_ping", timeout=2).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(path) == 0


def skip_where_pure() -> None:
    """Skip the test that asks for a server where TESTS_PURE is set."""
    if PURE:
        pytest.skip("needs a server, and TESTS_PURE is set")


def jar_folder() -> Path:
    """Where jars lie: LOCI_CACHE, else the user's cache, so that a second run needs no network."""
    skip_where_pure()
    return Path(os.environ.get("LOCI_CACHE") or platformdirs.user_cache_dir("loci"))


def embedded_software(progress: Progress = silent) -> Software:
    """Java and jars, fetched where they are missing."""
    need_platform()
    java = find_java()
    jars = JarCache.under(jar_folder(), read_lock())
    fetch(jars, os.environ.get("LOCI_MAVEN_URL"), progress)
    return Software(java, jars)


class Told:
    """Says each tenth of a download on standard error, and nothing where nothing is fetched."""

    def __init__(self) -> None:
        self._tenth = -1

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` bytes are here."""
        if done * 10 // total != self._tenth:
            self._tenth = done * 10 // total
            sys.stderr.write(f"Neo4j: {done >> 20} of {total >> 20} MiB\n")


def main() -> int:
    """Complete what tests run; 1, with the reason, where that fails and no Neo4j is given."""
    try:
        embedded_software(Told())
    except LociError as error:
        sys.stderr.write(f"{error.detail}\n")
        return 0 if os.environ.get("NEO4J_URI") else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
