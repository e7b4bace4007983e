"""`python -m tests.support.packages`: the packages of the lock, for the Python that runs this.

`make install` runs it first, so it needs nothing but Python with pip. uv, which is in the lock as
well, takes a tenth of pip's time; what pip is told of indexes and certificates it is told too.
Where uv cannot be had, or refuses, pip installs.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements" / "lock.txt"
ENTRY = re.compile(r"^(?=[a-z])", re.MULTILINE)  # where a package of the lock begins
# One line of `pip config list`: the section, the option, the value as Python writes it.
OPTION = re.compile(r"^(?P<section>[\w:]+)\.(?P<name>[\w-]+)=(?P<value>.*)$", re.MULTILINE)
READ_BY_INSTALL = ("global", "install", ":env:")  # sections, the last one to win behind
# What uv calls the same, and what stands between several values of it.
OPTIONS = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
}
SERVICES = "import app.asgi, app.cli.main, app.worker"
PIP = ("install", "--quiet", "--disable-pip-version-check", "--no-deps")


def lock_of(names: Collection[str] | None = None, without: Collection[str] = ()) -> str:
    """The lock's text: all of it, or the entries of some packages, or without those of some."""
    entries = ENTRY.split(LOCK.read_text(encoding="utf-8"))

    def is_wanted(entry: str) -> bool:
        name = entry.partition("==")[0]
        return name not in without and (names is None or name in names)

    return "".join(entry for entry in entries if is_wanted(entry))


def as_uv_reads(listed: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that tell uv what `pip config list` says, in the environment given; what that
    says of uv itself stays. pip asks all indexes alike, so uv is told to."""
    found: dict[str, str] = {}
    for section in READ_BY_INSTALL:
        for match in OPTION.finditer(listed):
            if match["section"] == section and match["name"] in OPTIONS:
                variable, between = OPTIONS[match["name"]]
                found[variable] = between.join(str(ast.literal_eval(match["value"])).split())
    return {"UV_INDEX_STRATEGY": "unsafe-best-match", **found, **environment}


def install(python: str, wanted: str) -> None:
    """Install entries of the lock for an interpreter, each verified by its hash; raises
    CalledProcessError where pip cannot either."""
    with _file(wanted) as path:
        given = ("--require-hashes", "-r", path)
        if not _by_uv("--python", python, "--no-deps", *given):
            subprocess.run([*_pip(), "--python", python, *PIP, *given], check=True)


def main() -> int:
    """Install everything, and ourselves as a checkout; 1 where that fails."""
    own = ("--no-build-isolation", "-e", str(ROOT), "-e", str(ROOT / "clients" / "python"))
    try:
        with _file(lock_of({"uv"})) as path:
            subprocess.run([*_pip(), *PIP, "--require-hashes", "-r", path], check=False)
        install(sys.executable, lock_of())
        subprocess.run([*_pip(), *PIP, *own], check=True)
        # uv compiles nothing. What the services import is compiled here, for who lets Python keep
        # nothing, and once: two that start at once would both.
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        subprocess.run([sys.executable, "-c", SERVICES], cwd=ROOT, env=kept, check=True)
    except subprocess.CalledProcessError:
        return 1
    return 0


def _by_uv(*arguments: str) -> bool:
    """Whether uv is there and did what it was asked."""
    program = Path(sys.prefix) / ("Scripts" if os.name == "nt" else "bin") / "uv"
    if not program.exists():
        return False
    listed = subprocess.run(
        [*_pip(), "config", "list"], capture_output=True, text=True, check=False
    )
    told = as_uv_reads(listed.stdout, os.environ)
    command = [str(program), "pip", "install", "--quiet", *arguments]
    done = subprocess.run(command, env=told, cwd=ROOT, check=False)
    if done.returncode:
        sys.stdout.write("uv could not install the packages: pip does.\n")
    return done.returncode == 0


def _pip() -> tuple[str, ...]:
    return (sys.executable, "-m", "pip")


@contextmanager
def _file(text: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wanted.txt"
        path.write_text(text, encoding="utf-8")
        yield str(path)


if __name__ == "__main__":
    sys.exit(main())
