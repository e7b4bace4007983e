"""A file of a package in pieces: in the order of its lines, or with what belongs together in one.

Of a kind with a `whole`, all lines of one whole are one piece, wherever in the file they stand: so
it is written in one transaction, or not at all. Its file is read twice, first for what belongs
together; of a line only its place is held meanwhile.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any

import orjson

from app.errors import LociError
from app.kernel.ids import digest
from app.portability.kind import At, Kind, Reject, Rules
from app.portability.package import PackedFile
from app.portability.prepare import BOM, LINE_LIMIT, Chunk
from app.portability.progress import Mark
from app.sanitize.normalise import visible_tree

ENOUGH = 2 * LINE_LIMIT  # bytes of one chunk, of which several are held at once
# The largest whole that an import takes: as many values as a task may have by any setting.
WHOLE_LINES, WHOLE_BYTES = 10_000, 2 * ENOUGH
TOO_MUCH = (
    f"what belongs together has at most {WHOLE_LINES} lines of {WHOLE_BYTES} bytes in a package"
)


def chunks(
    source: IO[bytes],
    file: PackedFile,
    mark: Mark,
    most: int | None = None,
    rules: Rules | None = None,
) -> Iterator[Chunk]:
    """Chunks from a mark to the end of a file, of at most so many lines, and no more of them where
    these are long. Under rules, what belongs together is never taken apart; the mark then counts
    lines and bytes in the order in which they are given."""
    size = min(file.kind.batch, most or file.kind.batch)
    if rules is not None and file.kind.whole is not None:
        yield from _in_wholes(source, file, (mark, size), rules)
        return
    source.seek(mark.offset)
    line = mark.line
    while lines := _some(source, size):
        yield Chunk(file.kind.name, file.name, line, lines, source.tell())
        line += len(lines)


def incomplete(chunk: Chunk, refused: list[Reject]) -> list[Reject]:
    """Return the rejects of lines that are fine, but belong together with one that is refused."""
    first: dict[int, Reject] = {}
    whole_of = dict(zip(chunk.numbered, chunk.wholes, strict=False))
    for reject in refused:
        if reject.line in whole_of:
            first.setdefault(whole_of[reject.line], reject)
    lines = {reject.line for reject in refused}
    return [
        Reject(chunk.file, line, why.reason, _with(why), None, why.scope)
        for line, whole in whole_of.items()
        if line not in lines and (why := first.get(whole)) is not None
    ]


def _with(why: Reject) -> str:
    return f"it is taken as a whole, of which line {why.line} is refused"


def _some(source: IO[bytes], size: int) -> list[bytes | None]:
    """The next lines, until they are `ENOUGH`."""
    found: list[bytes | None] = []
    held = 0
    for line in islice(_lines(source), size):
        found.append(line)
        held += len(line or b"")
        if held >= ENOUGH:
            break
    return found


def _lines(source: IO[bytes]) -> Iterator[bytes | None]:
    while text := source.readline(LINE_LIMIT + 1):
        if len(text) <= LINE_LIMIT or text.endswith(b"\n"):
            yield text
            continue
        while text and not text.endswith(b"\n"):
            text = source.readline(LINE_LIMIT)
        yield None


class _Places:
    """Where the lines of a file begin, in bytes, and which of them belong together."""

    def __init__(self, source: IO[bytes], kind: Kind, rules: Rules) -> None:
        self.begins = array("q")
        self.wholes: dict[str, array[int]] = {}
        source.seek(0)
        at = 0
        for number, text in enumerate(_lines(source), start=1):
            name = _whole(kind, text, At(rules, number, {})) or f"line {number}"
            self.wholes.setdefault(name, array("q")).append(number)
            self.begins.append(at)
            at = source.tell()
        self.begins.append(at)

    def bytes_of(self, line: int) -> int:
        """How long a line is, its end included."""
        return self.begins[line] - self.begins[line - 1]


def _in_wholes(
    source: IO[bytes], file: PackedFile, given: tuple[Mark, int], rules: Rules
) -> Iterator[Chunk]:
    """Chunks of whole things, by the first line of each, behind what a mark counts as done."""
    mark, size = given
    places = _Places(source, file.kind, rules)
    done, skip = 0, mark.line - 1
    end = 0
    for group in _packed(places, size, keeps=rules.keeps):
        lines = [line for whole in group for line in whole]
        end += sum(places.bytes_of(line) for line in lines)
        first, done = done + 1, done + len(lines)
        if done <= skip:
            continue
        large = not rules.keeps and _is_large(places, lines) and len(group) == 1
        yield Chunk(
            file.kind.name,
            file.name,
            first,
            [None if large else _line_at(source, places, line) for line in lines],
            end,
            numbers=tuple(lines),
            wholes=tuple(n for n, whole in enumerate(group) for _ in whole),
            refused=TOO_MUCH if large else None,
        )


def _packed(places: _Places, size: int, *, keeps: bool) -> Iterator[list[array[int]]]:
    """Wholes by chunks of about so many lines. One that is too large for a transaction is a chunk
    of its own, and comes in pieces where nothing bounds what comes."""
    group: list[array[int]] = []
    lines = held = 0
    for whole in places.wholes.values():
        length = sum(places.bytes_of(line) for line in whole)
        if group and (lines + len(whole) > size or held + length > ENOUGH):
            yield group
            group, lines, held = [], 0, 0
        if keeps and _is_large(places, whole):
            yield from ([piece] for piece in _pieces(places, whole, size))
            continue
        group.append(whole)
        lines, held = lines + len(whole), held + length
    if group:
        yield group


def _pieces(places: _Places, whole: array[int], size: int) -> Iterator[array[int]]:
    piece, held = array("q"), 0
    for line in whole:
        piece.append(line)
        held += places.bytes_of(line)
        if len(piece) >= size or held >= ENOUGH:
            yield piece
            piece, held = array("q"), 0
    if piece:
        yield piece


def _is_large(places: _Places, lines: array[int] | list[int]) -> bool:
    return len(lines) > WHOLE_LINES or sum(places.bytes_of(line) for line in lines) > WHOLE_BYTES


def _line_at(source: IO[bytes], places: _Places, line: int) -> bytes | None:
    source.seek(places.begins[line - 1])
    return next(_lines(source), None)


def _whole(kind: Kind, text: bytes | None, at: At) -> str | None:
    """What a line belongs to, by a short name; None where nobody can tell."""
    if text is None or kind.whole is None:
        return None
    try:
        given: Any = orjson.loads(text.removeprefix(BOM))
        if not isinstance(given, dict):
            return None
        # Read as the line itself is read later.
        named = {name: each for name, each in given.items() if isinstance(each, str)}
        found = kind.whole(visible_tree(named), at)
    except (orjson.JSONDecodeError, RecursionError, LociError):
        return None
    return found and digest(found)[:24]
