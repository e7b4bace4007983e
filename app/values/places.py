"""Whether two places surely lie apart, so that nobody lives in both: pure.

A district lies in its city, a city in its country, and who says first the one and then the other
has not moved. So two places are apart only where it is known of both where they lie: cities whose
built-up areas do not touch, countries that differ, a city of another country. The list of places is
that of GeoNames (CC BY 4.0); `bench/cities.py` makes it.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from math import asin, cos, radians, sin, sqrt
from pathlib import Path

from app.values.wording import fold

KNOWN = Path(__file__).with_name("places.gz")
EARTH = 6371.0  # kilometres, its radius
SLACK = 5.0  # kilometres between the edges of two places that are surely two
# So much more where one has five times the people of the other, and may reach out for it.
MUCH_LARGER, OUTSKIRTS = 2.2, 30.0
# Territories that may be named by the state that they belong to.
STATE = {
    code: state
    for state, codes in {
        "FR": "RE GP MQ GF YT PM BL MF NC PF WF", "US": "PR GU VI AS MP UM", "CN": "HK MO",
        "DK": "GL FO", "FI": "AX", "NO": "SJ BV", "NL": "AW CW SX BQ",
        "GB": "IM JE GG GI BM KY VG TC AI MS FK SH IO PN GS", "AU": "CX CC NF HM", "NZ": "CK NU TK",
    }.items()
    for code in codes.split()
}  # fmt: skip
LONGEST = 100  # characters of a name of a place
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset(["the", "der", "die", "das"])
_DESIGNATOR = re.compile(r"\d{1,5}[a-z]?|[a-z]|[ivx]{1,4}")


@dataclass(frozen=True, slots=True)
class Spot:
    """A country, or a city in it: degrees, and kilometres from its middle to its edge."""

    country: str
    latitude: float = 0.0
    longitude: float = 0.0
    edge: float | None = None

    def kilometres(self, other: Spot) -> float:
        """The great-circle distance, by the haversine formula."""
        a, b = radians(self.latitude), radians(other.latitude)
        north, east = b - a, radians(other.longitude - self.longitude)
        half = sin(north / 2) ** 2 + cos(a) * cos(b) * sin(east / 2) ** 2
        return 2 * EARTH * asin(min(1.0, sqrt(half)))

    def apart(self, other: Spot) -> bool:
        """Whether neither can lie in the other."""
        if self.edge is None or other.edge is None:
            return self.state != other.state
        small, large = sorted((self.edge, other.edge))
        reach = large + SLACK + OUTSKIRTS * (large >= MUCH_LARGER * small)
        return self.kilometres(other) > reach

    @property
    def state(self) -> str:
        """The code of the state that it is of."""
        return STATE.get(self.country, self.country)


@lru_cache(maxsize=4096)
def apart(one: str, other: str) -> bool:
    """Whether two names are surely those of two places of which neither lies in the other.

    False where one of them is not listed, and where any two places of these names may be so.
    """
    first, second = words_of(one), words_of(other)
    if set(first) <= set(second) or set(second) <= set(first):
        return False
    if _numbered(first, second):
        return True
    here, there = spots(one), spots(other)
    return bool(here and there) and all(a.apart(b) for a, b in product(here, there))


def spots(name: str) -> tuple[Spot, ...]:
    """Where places of that name lie, whatever is added behind a comma ("Portland, Oregon")."""
    found = _known().get(" ".join(words_of(name)), "")
    return tuple(_spot(text) for text in found.split())


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name of a place, in folded form, without an article before it."""
    found = _WORD.findall(fold(re.split(r"[,(]", name[:LONGEST], maxsplit=1)[0]))
    return tuple(found[1:] if found[1:] and found[0] in _ARTICLES else found)


def _numbered(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both are the same words with another number or letter: room 12, room 14."""
    if len(one) < 2 or len(one) != len(other) or one[:-1] != other[:-1]:
        return False
    return all(_DESIGNATOR.fullmatch(words[-1]) for words in (one, other))


def _spot(text: str) -> Spot:
    country, *where = text.split(":")
    return Spot(country, *map(float, where))


@cache
def _known() -> dict[str, str]:
    text = gzip.decompress(KNOWN.read_bytes()).decode()
    return dict(line.split("\t") for line in text.split("\n"))
