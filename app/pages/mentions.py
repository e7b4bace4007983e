"""Where a text names a page without linking it. Pure.

A name is taken literally, at word borders, in any case; blanks of a name stand for any blanks. What
stands in code, in links or in front matter is no mention.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from app.indexing.analysis import LANGUAGES, analyse
from app.indexing.entry import LIVE, quoted
from app.pages.wikilink import scan

MOST = 20  # pages that are told of, newest first (seed 000)
_SLOP = 3  # terms between two of a name: joined words are indexed in parts as well
_NAMES = 16  # titles and aliases that are asked for at once: a query has 1,024 clauses at most


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """What finds any of the names; the longest first, so that it wins where two begin alike."""
    ordered = sorted({" ".join(n.split()) for n in names if n.strip()}, key=len, reverse=True)
    written = [r"\s+".join(map(re.escape, name.split(" "))) for name in ordered]
    return re.compile(rf"(?<!\w)(?:{'|'.join(written) or '(?!)'})(?!\w)", re.IGNORECASE)


def find(text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Ranges of the text in which prose names one of the names, in order."""
    wanted = pattern(names)
    if wanted.search(text) is None:
        return
    prose = scan(text).prose
    starts = [start for start, _ in prose]
    for match in wanted.finditer(text):
        if _within(match.start(), prose, starts) and _within(match.end() - 1, prose, starts):
            yield match.span()


def together(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Names in groups that one query can ask for."""
    for start in range(0, len(names), _NAMES):
        yield names[start : start + _NAMES]


def query(names: Sequence[str], scopes: Iterable[str], since: str | None = None) -> str | None:
    """The text query for chunks that may name one of the names, said since a moment's key; None
    where no name has a word. It finds too much rather than too little."""
    phrases = {
        phrase for name in names for language in LANGUAGES
        if (phrase := " ".join(analyse(name, language)))
    }  # fmt: skip
    if not phrases:
        return None
    wanted = " ".join(f"terms:{quoted(p)}~{_SLOP}" for p in sorted(phrases))
    held = " ".join(quoted(scope) for scope in scopes)
    facets = " ".join(f"+facets:{quoted(token)}^0" for token in ("k=chunk", LIVE))
    later = f' +captured_key:["{since}" TO *]^0' if since else ""
    return f"+scope:({held})^0 {facets}{later} +({wanted})"


def _within(position: int, prose: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    index = bisect_right(starts, position) - 1
    return index >= 0 and position < prose[index][1]
