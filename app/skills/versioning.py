"""Numbers of versions, names of skills in addresses, and whether a change makes a version: pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from app.skills.vocabulary import ChangeType

FIRST = "1.0.0"
NUMBER = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-exp\.(\d{1,6}))?\Z")
LONGEST_SLUG = 80


def next_version(known: Collection[str], active: str, change: ChangeType) -> str:
    """The number after `active` that none of `known` has.

    A major change raises the first number, a minor one the second, a patch or hotfix the third;
    an experimental one adds `-exp.N` to the third's successor.
    """
    major, minor, patch = _numbers(active)
    while True:
        if change is ChangeType.MAJOR:
            major, minor, patch = major + 1, 0, 0
        elif change is ChangeType.MINOR:
            minor, patch = minor + 1, 0
        else:
            patch += 1
        number = f"{major}.{minor}.{patch}"
        if change is ChangeType.EXPERIMENTAL:
            return _experiment(known, number)
        if number not in known:
            return number


def _experiment(known: Collection[str], number: str) -> str:
    count = 1
    while f"{number}-exp.{count}" in known:
        count += 1
    return f"{number}-exp.{count}"


def _numbers(version: str) -> tuple[int, int, int]:
    match = NUMBER.match(version)
    if match is None:
        return 1, 0, 0
    return int(match[1]), int(match[2]), int(match[3])


def slug_of(name: str) -> str:
    """A name in lower case letters, digits and single hyphens; `skill` where none is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-") or "skill"


def free_slug(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or `wanted-2` and so on where it is taken."""
    if wanted not in taken:
        return wanted
    count = 2
    while f"{wanted}-{count}" in taken:
        count += 1
    return f"{wanted}-{count}"
