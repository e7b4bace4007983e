"""A file to its text, by kind; runs in a process of its own (`app.documents.child`)."""

from __future__ import annotations

from dataclasses import dataclass

from app.documents.flow import tidy
from app.documents.markup import parse_html, parse_markdown
from app.documents.media import Media, check_media
from app.documents.model import Parsed
from app.documents.pdf import parse_pdf
from app.documents.word import parse_docx
from app.documents.wrapping import unwrapped
from app.errors import FileBroken, FileTooLarge

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one file may cost.

    `size` and `unpacked` are in bytes, `seconds` of processor time as well as of waiting,
    `memory` in bytes of the process that reads it.
    """

    size: int = 50 * MIB
    pages: int = 2000
    characters: int = 4_000_000
    seconds: int = 60
    memory: int = 1024 * MIB
    unpacked: int = 200 * MIB


def parse(data: bytes, media: Media, limits: Limits) -> Parsed:
    """The text of a file.

    Raises FileBroken, FileEncrypted and FileTooLarge; a file without any text is broken.
    """
    check_media(data, media)
    parsed = _parsed(data, media, limits)
    if not parsed.text.strip():
        raise FileBroken("the file holds no text")
    return parsed


def _parsed(data: bytes, media: Media, limits: Limits) -> Parsed:
    if media is Media.PDF:
        return parse_pdf(data, limits.characters, limits.pages)
    if media is Media.DOCX:
        return parse_docx(data, limits.characters, limits.unpacked)
    if media is Media.HTML:
        return parse_html(data, limits.characters)
    text = decoded(data)
    if len(text) > limits.characters:
        raise FileTooLarge(f"the text has more than {limits.characters:,} characters")
    if media is Media.MARKDOWN:
        return parse_markdown(text.replace("\r\n", "\n"), limits.characters)
    return Parsed(unwrapped(tidy(text)))


def decoded(data: bytes) -> str:
    """Text by its mark, as UTF-8, or else as the old Western code page, which takes any byte."""
    for mark, name in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
