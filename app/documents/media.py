"""Which kind of file something is: by what it says, checked by what it holds."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath

from app.errors import FileBroken, FileEncrypted, UnsupportedMediaType


class Media(StrEnum):
    """Kinds of files that are taken in."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"
    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


SUFFIXES = {
    ".txt": Media.TEXT,
    ".text": Media.TEXT,
    ".rst": Media.TEXT,
    ".log": Media.TEXT,
    ".csv": Media.TEXT,
    ".md": Media.MARKDOWN,
    ".markdown": Media.MARKDOWN,
    ".html": Media.HTML,
    ".htm": Media.HTML,
    ".xhtml": Media.HTML,
    ".pdf": Media.PDF,
    ".docx": Media.DOCX,
    ".docm": Media.DOCX,
    ".dotx": Media.DOCX,
}
ALSO = {
    "application/xhtml+xml": Media.HTML,
    "text/x-markdown": Media.MARKDOWN,
    "text/csv": Media.TEXT,
    "text/x-rst": Media.TEXT,
    "application/vnd.ms-word.document.macroenabled.12": Media.DOCX,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template": Media.DOCX,
}
UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "application/zip")
HEAD = 1024  # bytes in which a PDF has to begin
OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # old Word files, and encrypted new ones


def media_of(content_type: str, name: str) -> Media:
    """The kind that a content type names, or where it says nothing the ending of the name.

    Raises UnsupportedMediaType (field `file`).
    """
    told = content_type.partition(";")[0].strip().lower()
    suffix = PurePath(name).suffix.lower()
    if told in (Media.TEXT, *UNTOLD) and suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if told in ALSO:
        return ALSO[told]
    if told in set(Media):
        return Media(told)
    known = ", ".join(sorted(SUFFIXES))
    raise UnsupportedMediaType(
        f"a document is one of {known}, not {told or suffix or 'of unknown type'}", field="file"
    )


def check_media(data: bytes, media: Media) -> None:
    """Raise FileBroken, or FileEncrypted, where bytes are plainly not of the kind they are said."""
    if data.startswith(OLE):
        raise FileEncrypted("the file is an encrypted or an old Word file (.doc): save it as .docx")
    if media is Media.PDF and b"%PDF-" not in data[:HEAD]:
        raise FileBroken("the file is not a PDF")
    if media is Media.DOCX and not data.startswith(b"PK\x03\x04"):
        raise FileBroken("the file is not a Word file (.docx)")
    if media in (Media.TEXT, Media.MARKDOWN, Media.HTML) and _binary(data):
        raise FileBroken("the file holds binary data, not text")


def _binary(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return False
    if data.startswith((b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\x1f\x8b")):
        return True
    return b"\x00" in data
