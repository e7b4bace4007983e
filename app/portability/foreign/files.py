"""Ways through a file: lines of JSON, rows of a table, a list or an object; and its beginning."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import IO, Any

import orjson

from app.errors import InvalidInput
from app.portability.foreign import stream
from app.portability.foreign.model import Probe, Shape
from app.portability.foreign.stream import pieces
from app.portability.prepare import LINE_LIMIT

LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")
FIRST = 64  # pieces of an object that are looked at
HEAD = 1 << 20  # bytes of a manifest
BOM = b"\xef\xbb\xbf"


class Unreadable(str):
    """What stands for a line that is no JSON: the import refuses it where it stood."""


BROKEN = Unreadable("a line that is no JSON")
Item = tuple[int, str | None, Any]


def lines(path: Path) -> Iterator[Item]:
    """Each line that is not blank with its number; BROKEN for one that is no JSON or too long."""
    with path.open("rb") as source:
        number = 0
        while line := source.readline(LINE_LIMIT + 1):
            number += 1
            whole = line
            while not whole.endswith(b"\n") and (whole := source.readline(LINE_LIMIT)):
                line = b"!"  # too long: what is left of it is read and dropped
            line = line.removeprefix(BOM).strip()
            if line:
                yield number, None, _parsed(line)


def _parsed(line: bytes) -> Any:
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(line)
    return BROKEN


def rows(path: Path) -> Iterator[Item]:
    """Each row of a table by the names in its first line, with the number of its last line.

    Raises InvalidInput for a table that is no UTF-8, has a field beyond 128 KiB, or no names.
    """
    with path.open("r", encoding="utf-8-sig", newline="") as source:
        reader = csv.reader(source, delimiter=_delimiter(path), strict=True)
        try:
            names = next(reader, [])
            if not any(name.strip() for name in names):
                raise InvalidInput("the table names no columns in its first line", field="path")
            for row in reader:
                if row:
                    yield reader.line_num, None, _row(names, row)
        except UnicodeDecodeError as error:
            raise InvalidInput(_not_utf8(path), field="path") from error
        except csv.Error as error:
            where = f"the table cannot be read after line {reader.line_num}"
            raise InvalidInput(f"{where}: {error}", field="path") from error


def _not_utf8(path: Path) -> str:
    """In which line a table is not UTF-8, and what is to be done: which of many encodings it has
    instead cannot be told from its bytes, and the wrong one gives other letters."""
    with path.open("rb") as source:
        number = 1 + sum(1 for _ in takewhile(_is_utf8, source))
    return (
        f"the table is not UTF-8, in line {number} for the first time: save it as “CSV UTF-8”, "
        "or convert it, by `iconv -f WINDOWS-1252 -t UTF-8` if Excel wrote it on Windows"
    )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _row(names: list[str], row: list[str]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    left = [value for value in row[len(names) :] if value]
    for name, value in zip(names, row, strict=False):
        if name.strip() and name.strip() not in named:
            named[name.strip()] = value
        elif value:
            left.append(value)
    return named | ({"columns without a name": left} if left else {})


def _delimiter(path: Path) -> str:
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open("r", encoding="utf-8-sig", errors="replace") as source:
        head = source.readline(1 << 16)
    return max(",;\t", key=head.count)


def opened(path: Path) -> IO[bytes]:
    """A file to be read as JSON: one that is a JSON text which is JSON itself is opened as that,
    since some exports are encoded twice. It is held in memory, and so as long as a piece at most.
    """
    source = path.open("rb")
    text = source.read(HEAD).removeprefix(BOM).lstrip()
    if not text.startswith(b'"'):
        source.seek(0)
        return source
    with source, suppress(orjson.JSONDecodeError):
        text += source.read(stream.LONGEST)
        inner = orjson.loads(text)
        if inner.lstrip()[:1] in ("{", "["):
            return io.BytesIO(inner.encode())
    return path.open("rb")


def elements(path: Path) -> Iterator[Item]:
    """Each piece of a list or an object with its number, under the name of its member."""
    with opened(path) as source:
        for number, (name, value) in enumerate(pieces(source), start=1):
            yield number, name, value


def items_of(probe: Probe) -> Iterator[Item]:
    """The items of a file by its shape."""
    ways = {"lines": lines, "table": rows}
    yield from ways.get(probe.shape, elements)(probe.path)


def probe(path: Path) -> Probe:
    """The beginning of a file or a folder. Raises InvalidInput for a file that is broken there."""
    if path.is_dir():
        return Probe(path, "folder", members=_manifest(path / "manifest.json"))
    shape = _shape(path)
    if shape == "none":
        return Probe(path, shape)
    if shape == "object":
        members: dict[str, Any] = {}
        for _, name, value in islice(elements(path), FIRST):
            members.setdefault(str(name), value)
        return Probe(path, shape, members=members)
    ways = {"lines": lines, "table": rows, "list": elements}
    first = next((item for _, _, item in ways[shape](path) if isinstance(item, dict)), {})
    return Probe(path, shape, first)


def _shape(path: Path) -> Shape:
    if path.suffix.lower() in TABLES:
        return "table"
    with opened(path) as source:
        twice = isinstance(source, io.BytesIO)
        head = source.readline(LINE_LIMIT).removeprefix(BOM).lstrip()
        while not head and (line := source.readline(LINE_LIMIT)):
            head = line.lstrip()
        if path.suffix.lower() in LINES:
            return "lines"
        if head.startswith(b"["):
            return "list"
        if not head.startswith(b"{"):
            return "none"
        further = source.readline(1 << 16).lstrip()
    alone = isinstance(_parsed(head), dict)
    return "lines" if alone and further.startswith(b"{") and not twice else "object"


def _manifest(path: Path) -> dict[str, Any]:
    with suppress(OSError, orjson.JSONDecodeError), path.open("rb") as source:
        found = orjson.loads(source.read(HEAD))
        return found if isinstance(found, dict) else {}
    return {}
