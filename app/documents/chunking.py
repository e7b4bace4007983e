"""A text cut into chunks: pure, and a function of the text alone.

Sections between headings are cut apart first. A section that is too long is cut at the best kind
of place that its window holds: between paragraphs, else lines, sentences, words. Among places of
one kind the letters around them decide, not the distance (content-defined chunking), and at some
places a long section is cut in any case: those whose score is the lowest far and wide, which no
edit elsewhere changes. So the chunks behind an edit are what they were from the next such place on.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.documents.model import Chunking, Heading, Piece

PARAGRAPH = re.compile(r"[ \t]*\n[ \t]*\n\s*")
LINE = re.compile(r"[ \t]*\n[ \t]*")
SENTENCE = re.compile(r"[.!?…]+[\"'”“»)\]]*\s+")
WORD = re.compile(r"\s+")
KINDS = (PARAGRAPH, LINE, SENTENCE, WORD)  # best first
SEMANTIC_KINDS = (PARAGRAPH, LINE, SENTENCE)
AROUND = 16  # characters on either side of a place that decide on it
WIDE = 2  # chunks on either side among which a fixed place has the lowest score
BARREN = 8  # chunks without a fixed place, from which on places of a lesser kind are fixed too
MARKS = 8  # characters that a heading's line may have beside its title
FEWEST = 5  # a section shorter than a fifth of a chunk is joined to the next one

Score = Callable[[int], float]  # of a place in the text; the lowest is cut at


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the text under the headings of `path`, the last of which begins it.

    One that is `bare` holds nothing but its headings, each below the one before.
    """

    start: int
    end: int
    path: tuple[str, ...] = ()
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """Where a text may be cut, by kind, the best kind first; each in order."""

    kinds: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, text: str, kinds: Sequence[re.Pattern[str]]) -> Places:
        """The places behind each match: white space stays with what stands before it."""
        return cls(tuple(tuple(m.end() for m in kind.finditer(text)) for kind in kinds))

    def between(self, low: int, high: int) -> Sequence[int]:
        """The places of the best kind that has any in (low, high]."""
        for kind in self.kinds:
            found = kind[bisect_right(kind, low) : bisect_right(kind, high)]
            if found:
                return found
        return ()

    def joined(self) -> tuple[int, ...]:
        """All places, in order."""
        return tuple(sorted({place for kind in self.kinds for place in kind}))


def cut(text: str, headings: Sequence[Heading], chunking: Chunking) -> list[Piece]:
    """The chunks of a text, none longer than `chunking.size`.

    Their own parts, one after the other, are the text, to the letter.
    """
    places = Places.of(text, KINDS)
    return pieces(text, headings, chunking, (places, by_content(text)))


def pieces(
    text: str, headings: Sequence[Heading], chunking: Chunking, where: tuple[Places, Score]
) -> list[Piece]:
    """The chunks of a text that is cut at the places with the lowest score."""
    places, score = where
    sentences = Places.of(text, (SENTENCE, WORD))
    # The overlap is part of a chunk, and the first of a section has none.
    room = chunking.size - chunking.overlap
    found: list[Piece] = []
    for section in sections(text, headings, chunking.size):
        if section.end - section.start <= chunking.size:
            found.append(Piece(section.start, section.start, section.end, section.path))
            continue
        for part in _parts(section, room, places, score):
            for start, end in _spans(part, room, places, score):
                lead = _lead(section.start, start, chunking.overlap, sentences)
                found.append(Piece(lead, start, end, section.path))
    return found


def by_content(text: str) -> Score:
    """A score that only the letters around a place decide."""

    def score(place: int) -> float:
        around = text[max(0, place - AROUND) : place + AROUND]
        return float(zlib.crc32(around.encode("utf-8", "surrogatepass")))

    return score


def sections(text: str, headings: Sequence[Heading], size: int) -> list[Section]:
    """The stretches between headings, short ones joined as long as they fit one chunk."""
    if not text or text.isspace():
        return []
    found = _under_headings(text, headings)
    kept: list[Section] = []
    for section in found:
        last = kept[-1] if kept else None
        if last is not None and _joins(text, last, section, size):
            kept[-1] = _together(last, section)
        else:
            kept.append(section)
    return kept


def _under_headings(text: str, headings: Sequence[Heading]) -> list[Section]:
    path: list[Heading] = []
    starts: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for heading in headings:
        path = [h for h in path if h.level < heading.level] + [heading]
        starts.append((heading.start, tuple(h.title for h in path)))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    spans = zip(starts, ends, strict=True)
    return [
        Section(start, end, names, _bare(text[start:end], names))
        for (start, names), end in spans
        if end > start
    ]


def _bare(text: str, path: tuple[str, ...]) -> bool:
    """Whether a section is its heading alone, with the marks of a heading around it."""
    return (
        bool(path)
        and text.strip(" \t\r\n#*_=-:").startswith(path[-1])
        and len(text.strip()) <= len(path[-1]) + MARKS
    )


def _joins(text: str, last: Section, section: Section, size: int) -> bool:
    if section.end - last.start > size:
        return False
    return min(_weight(text, last), _weight(text, section)) < size // FEWEST


def _weight(text: str, section: Section) -> int:
    return len(text[section.start : section.end].strip())


def _together(one: Section, other: Section) -> Section:
    """Two sections as one, under the headings that both have: below a bare heading, the other's."""
    below = other.path[: len(one.path)] == one.path
    if one.bare and below:
        return Section(one.start, other.end, other.path, other.bare)
    shared = 0
    while shared < min(len(one.path), len(other.path)) and one.path[shared] == other.path[shared]:
        shared += 1
    return Section(one.start, other.end, one.path[:shared])


def _parts(section: Section, room: int, places: Places, score: Score) -> Iterator[Section]:
    """A section cut at its fixed places."""
    bounds = [section.start, section.end]
    for kind in places.kinds:
        for start, end in list(pairwise(bounds)):
            if end - start > BARREN * room or len(bounds) == 2:
                inside = kind[bisect_left(kind, start + room // 2) :]
                inside = inside[: bisect_right(inside, end - room // 2)]
                bounds += _fixed(inside, WIDE * room, score)
        bounds = sorted(set(bounds))
    return (Section(start, end, section.path) for start, end in pairwise(bounds))


def _fixed(places: Sequence[int], reach: int, score: Score) -> list[int]:
    """The places with the lowest score among those less than `reach` characters away."""
    scores = [score(place) for place in places]
    found: list[int] = []
    low = high = 0
    for at, place in enumerate(places):
        while places[low] <= place - reach:
            low += 1
        while high < len(places) and places[high] < place + reach:
            high += 1
        least = min(range(low, high), key=scores.__getitem__)
        if least == at:
            found.append(place)
    return found


def _spans(section: Section, room: int, places: Places, score: Score) -> Iterator[tuple[int, int]]:
    start = section.start
    while section.end - start > room:
        found = places.between(start + room // 2, start + room)
        end = min(found, key=lambda place: (score(place), place)) if found else start + room
        yield start, end
        start = end
    if start < section.end:
        yield start, section.end


def _lead(first: int, start: int, overlap: int, places: Places) -> int:
    """Where a chunk begins that repeats at most `overlap` characters: at a sentence, or a word."""
    least = max(first, start - overlap)
    if least >= start or least == first:
        return least
    found = places.between(least - 1, start - 1)
    return found[0] if found else start


def sentence_spans(places: Sequence[int], length: int) -> list[tuple[int, int]]:
    """The stretches between places, which together are the text."""
    return list(pairwise([0, *(p for p in places if 0 < p < length), length]))
