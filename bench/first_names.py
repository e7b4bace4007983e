"""Makes the list of given names that `app.extraction.given_names` reads:
`python -m bench.first_names FOLDER NOT`.

FOLDER holds the package `faker` (MIT), whose lists of first names are taken where they are written
in Latin letters. NOT is JSON of words that are no sure names: names of countries, as for
`bench.cities`, or of languages, in English and German, as `Intl.DisplayNames` gives them.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from app.extraction.given_names import LISTED
from app.values.wording import fold

LISTS = ("first_names", "first_names_male", "first_names_female")
LATIN = 0x250  # the first letter that is none
# What else one word says of somebody without an article, and is given as a name as well.
_TRAITS = """
christian roman norman christ muslim hindu jude brit dane finn scot pole kurd leo virgo gay doctor
king prince general major royal royalist noble
"""
TRAITS = frozenset(_TRAITS.split())
# Words of every day that lists have as names all the same.
_WORDS = """
ah among an as can dann darin davon davor eben einer ever ey gott handy hence job laken leider less
lies mal man mir mist my naja prima regel rest server sie solange tage us von yoga
"""
WORDS = frozenset(_WORDS.split())


def main(folder: Path, *others: Path) -> None:
    """Write the list where it is read."""
    sys.path.insert(0, str(folder))
    no_names = TRAITS | WORDS | {fold(word) for path in others for word in _words(path)}
    names = {fold(name) for name in _listed() if name.isalpha() and ord(max(name)) < LATIN}
    LISTED.write_bytes(gzip.compress("\n".join(sorted(names - no_names)).encode(), 9, mtime=0))


def _words(path: Path) -> Iterator[str]:
    held: Any = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(held, dict):
        held = [name for names in held.values() for name in names]
    yield from held


def _listed() -> Iterator[str]:
    package = import_module("faker.providers.person")
    for found in iter_modules(package.__path__):
        provider = import_module(f"{package.__name__}.{found.name}").Provider
        for name in LISTS:
            held = getattr(provider, name, ())
            if not isinstance(held, property):
                yield from held


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
