"""Numbers of versions, names of skills in addresses, and whether a change makes a version: pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from app.kernel.ids import digest
from app.skills.vocabulary import ChangeType

FIRST = "1.0.0"
NUMBER = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-exp\.(\d{1,6}))?\Z")
LONGEST_SLUG, MARK = 80, 8  # letters of a slug, and of the digest at the end of some
# What languages are told apart by, at the end of a word: C, C++ and C# are three names.
SIGNS = re.compile(r"(?<=\w)(\++|#)(?!\w)")


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
    """A name in lower case letters a to z, digits and single hyphens: the key of a name as well.

    Case, punctuation and accents of Latin letters do not count. Where other letters are lost, or
    the end of a long name, a digest of the whole name follows; `skill` stands where none is left.
    """
    spoken = SIGNS.sub(_spoken, name)
    folded = unicodedata.normalize("NFKD", spoken.casefold())
    plain = re.sub(r"[^a-z0-9]+", "-", folded.encode("ascii", "ignore").decode()).strip("-")
    if plain and len(plain) <= LONGEST_SLUG and not _loses(folded):
        return plain
    room = LONGEST_SLUG - MARK - 1
    mark = digest("skill-name", _bare(folded))[:MARK]
    return f"{plain[:room].strip('-') or 'skill'}-{mark}"


def _spoken(sign: re.Match[str]) -> str:
    return "-sharp" if sign[0] == "#" else "-plus" * len(sign[0])


def _bare(folded: str) -> str:
    """Without punctuation; marks stay, which are vowels in some scripts."""
    kept = (c if unicodedata.category(c)[0] in "LMNS" else " " for c in folded)
    return " ".join("".join(kept).split())


def _loses(folded: str) -> bool:
    """Whether ASCII has no sign for a letter or digit of it."""
    return any(letter.isalnum() and not letter.isascii() for letter in folded)


def free_slug(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or `wanted-2` and so on where it is taken."""
    if wanted not in taken:
        return wanted
    count = 2
    while f"{wanted}-{count}" in taken:
        count += 1
    return f"{wanted}-{count}"
