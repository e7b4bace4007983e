"""A request's body to a file, as it comes: raw or as one part of a form, never in memory."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO

from multipart import MultipartError, MultipartSegment, PushMultipartParser

from app.errors import InvalidInput, TooLarge, UnsupportedMediaType
from app.portability.archive import SUFFIXES
from app.portability.kinds import BY_NAME

SUFFIX_OF = {
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
    "application/gzip": ".tar.gz",
    "application/zstd": ".tar.zst",
}
# What other programs export, by the end of the file's name.
FOREIGN = (".json", ".af", ".jsonl", ".ndjson", ".csv", ".tsv")
FOREIGN_OF = {
    "application/json": ".json",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
}
LINES = ("application/x-ndjson", "application/jsonl", "application/x-jsonlines")
FORM = "multipart/form-data"
UPLOAD = "upload"
FOREIGN_LINES = ""  # in the place of a kind: the lines are another program's


@dataclass(frozen=True, slots=True)
class Upload:
    """What came: the file, its size in bytes, and its SHA-256 (hex)."""

    path: Path
    size: int
    sha256: str


class _Sink:
    """Writes and counts; TooLarge beyond the limit."""

    def __init__(self, out: IO[bytes], limit: int) -> None:
        self._out = out
        self._limit = limit
        self._hash = hashlib.sha256()
        self.size = 0

    async def write(self, block: bytes) -> None:
        self.size += len(block)
        if self.size > self._limit:
            raise TooLarge(f"an upload holds at most {self._limit} bytes")
        self._hash.update(block)
        await asyncio.to_thread(self._out.write, block)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


async def receive(
    body: AsyncIterator[bytes], content_type: str, kind: str, into: tuple[Path, int]
) -> Upload:
    """Store a body in the folder and under the limit of `into`; bare JSON lines are of a `kind`.

    Raises UnsupportedMediaType, TooLarge, and InvalidInput for a form without a file.
    """
    folder, limit = into
    media = Message()
    media["content-type"] = content_type
    named = media.get_content_type()
    if named == FORM:
        boundary = media.get_param("boundary")
        if not isinstance(boundary, str):
            raise InvalidInput("the form names no boundary", field="content-type")
        return await _from_form(body, boundary, into)
    path = folder / _raw_name(named, kind)
    with path.open("wb") as out:
        sink = _Sink(out, limit)
        async for block in body:
            await sink.write(block)
    return _received(path, sink)


def _raw_name(media: str, kind: str) -> str:
    if media in SUFFIX_OF:
        return f"package{SUFFIX_OF[media]}"
    if media in FOREIGN_OF:
        return f"{UPLOAD}{FOREIGN_OF[media]}"
    if media in LINES and kind == FOREIGN_LINES:
        return f"{UPLOAD}.jsonl"
    if media in LINES:
        if kind not in BY_NAME:
            raise InvalidInput(f"kind is one of {', '.join(BY_NAME)}", field="kind")
        return BY_NAME[kind].file
    known = ", ".join((FORM, LINES[0], *SUFFIX_OF, *FOREIGN_OF))
    raise UnsupportedMediaType(f"an import comes as one of {known}", field="content-type")


async def _from_form(body: AsyncIterator[bytes], boundary: str, into: tuple[Path, int]) -> Upload:
    folder, limit = into
    found: Upload | None = None
    sink: _Sink | None = None
    out: IO[bytes] | None = None
    path = folder
    try:
        with PushMultipartParser(boundary) as parser:
            async for block in body:
                for part in parser.parse(block):
                    if isinstance(part, MultipartSegment) and part.filename and found is None:
                        path = folder / _form_name(part.filename)
                        out = path.open("wb")
                        sink = _Sink(out, limit)
                    elif isinstance(part, bytes | bytearray) and part and sink is not None:
                        await sink.write(bytes(part))
                    elif part is None and sink is not None and out is not None:
                        out.close()
                        found, sink = _received(path, sink), None
    except MultipartError as error:
        raise InvalidInput("the form cannot be read", field="body") from error
    finally:
        if out is not None:
            out.close()
    if found is None:
        raise InvalidInput("the form holds no file", field="file")
    return found


def _form_name(given: str) -> str:
    """A name of ours for a file of that name."""
    lower = given.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix):
            return f"package{suffix}"
    for kind in BY_NAME.values():
        if lower == kind.file:
            return kind.file
    for suffix in FOREIGN:
        if lower.endswith(suffix):
            return f"{UPLOAD}{suffix}"
    raise InvalidInput(
        f"a file is named *{', *'.join((*SUFFIXES, *FOREIGN))} or as one of "
        f"{', '.join(kind.file for kind in BY_NAME.values())}",
        field="file",
    )


def _received(path: Path, sink: _Sink) -> Upload:
    if sink.size == 0:
        raise InvalidInput("the upload is empty", field="body")
    return Upload(path, sink.size, sink.sha256)
