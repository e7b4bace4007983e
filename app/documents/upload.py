"""A form with files to the spool, as it comes: no file is ever held in memory."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO

from multipart import MultipartError, MultipartSegment, PushMultipartParser

from app.errors import InvalidInput, TooLarge, UnsupportedMediaType

FORM = "multipart/form-data"
FIELD_MOST = 65_536  # bytes of a field that is no file
FILES_MOST = 20


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that came: where it lies, the name and kind that its sender gives, size in bytes."""

    path: Path
    name: str
    content_type: str
    size: int
    sha256: str


@dataclass(slots=True)
class Form:
    """What came with one request."""

    files: list[Incoming] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)


class _Part:
    """One part of the form while it comes."""

    def __init__(self, segment: MultipartSegment, path: Path, limit: int) -> None:
        self.name: str = segment.name
        self.filename: str = segment.filename or ""
        self.content_type: str = segment.content_type or ""
        self.path = path
        self._limit = limit if self.filename else FIELD_MOST
        self._out: IO[bytes] | None = path.open("wb") if self.filename else None
        self._hash = hashlib.sha256()
        self._size = 0
        self._text = bytearray()

    async def take(self, block: bytes) -> None:
        self._size += len(block)
        if self._size > self._limit:
            raise TooLarge(f"{self.name or 'a part'} holds at most {self._limit:,} bytes")
        if self._out is None:
            self._text += block
            return
        self._hash.update(block)
        await asyncio.to_thread(self._out.write, block)

    def end(self, form: Form) -> None:
        """Put the part into the form; InvalidInput for an empty file or an unreadable field."""
        self.close()
        if self._out is None:
            try:
                form.fields[self.name] = self._text.decode()
            except UnicodeDecodeError as error:
                raise InvalidInput("a field is not UTF-8", field=self.name) from error
            return
        if self._size == 0:
            raise InvalidInput("the file is empty", field="file")
        if len(form.files) >= FILES_MOST:
            raise InvalidInput(f"a form holds at most {FILES_MOST} files", field="file")
        form.files.append(
            Incoming(
                self.path, self.filename, self.content_type, self._size, self._hash.hexdigest()
            )
        )

    def close(self) -> None:
        if self._out is not None:
            self._out.close()


def boundary_of(content_type: str) -> str:
    """The boundary of a form; UnsupportedMediaType for another body, InvalidInput without one."""
    media = Message()
    media["content-type"] = content_type
    if media.get_content_type() != FORM:
        raise UnsupportedMediaType(f"files come as {FORM}", field="content-type")
    boundary = media.get_param("boundary")
    if not isinstance(boundary, str):
        raise InvalidInput("the form names no boundary", field="content-type")
    return boundary


async def receive_form(body: AsyncIterator[bytes], boundary: str, into: tuple[Path, int]) -> Form:
    """Store the files of a form in the folder and under the limit (bytes each) of `into`.

    Raises TooLarge, and InvalidInput for a form that cannot be read or holds no file.
    """
    folder, limit = into
    form = Form()
    part: _Part | None = None
    try:
        with PushMultipartParser(boundary) as parser:
            async for block in body:
                for event in parser.parse(block):
                    if isinstance(event, MultipartSegment):
                        part = _Part(event, folder / f"file-{len(form.files)}", limit)
                    elif event is None and part is not None:
                        part.end(form)
                        part = None
                    elif isinstance(event, bytes | bytearray) and event and part is not None:
                        await part.take(bytes(event))
    except MultipartError as error:
        raise InvalidInput("the form cannot be read", field="body") from error
    finally:
        if part is not None:
            part.close()
    if not form.files:
        raise InvalidInput("the form holds no file", field="file")
    return form
