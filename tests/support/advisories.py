"""`python -m tests.support.advisories LIST`: whether a locked version has a known advisory.

LIST is a JSON file of advisories by package, as `requirements/advisories.txt` brings it: nothing is
asked over a network, and no code that comes with it is run.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

LOCK = Path(__file__).parents[2] / "requirements" / "lock.txt"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)
LEAST = 1_000  # packages that a list knows; a shorter one is none


def pinned(lock: str) -> list[tuple[str, str]]:
    """Return the packages that a lock file names with their versions; one of them may have several,
    each for other versions of Python."""
    return [(canonicalize_name(name), version) for name, version in PINNED.findall(lock)]


def advisories(
    versions: Iterable[tuple[str, str]], known: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[str]:
    """Yield a line for each advisory that a version falls under, or that cannot be read."""
    by_name = {str(canonicalize_name(name)): entries for name, entries in known.items()}
    for name, version in versions:
        for entry in by_name.get(name, ()):
            told = f"{name} {version}: {entry['id']} {entry['advisory']} ({entry['v']})"
            try:
                affected = any(version in SpecifierSet(part) for part in entry["v"].split("||"))
            except InvalidSpecifier:
                yield f"{told}: its range cannot be read"
                continue
            if affected:
                yield told


def main(path: str) -> int:
    """Print what is known of the locked versions; 1 where there is anything."""
    known = json.loads(Path(path).read_text("utf-8"))
    if len(known) < LEAST:
        raise SystemExit(f"{path} knows {len(known)} packages: it is no list of advisories")
    versions = pinned(LOCK.read_text("utf-8"))
    found = list(advisories(versions, known))
    sys.stdout.writelines(f"{line}\n" for line in found)
    listed = {name for name, _ in versions} & {*map(canonicalize_name, known)}
    told = f"{len(versions)} versions, {len(listed)} packages of them in the list"
    sys.stdout.write(f"{told}: {len(found)} found\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
