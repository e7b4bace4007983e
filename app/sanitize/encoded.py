"""Stretches of Base64, Base32 or hexadecimal digits that hold readable text."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.sanitize.disguise import meant

# A line of 24 characters and more, and lines below it, as mail and `base64` wrap what they encode.
_ENCODED = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,8192}"
    r"(?:={0,6}(?:\r\n?|\n)[> \t]{0,8}[A-Za-z0-9+/_-]{1,8192})*={0,6}"
)
_LINE = re.compile(r"[A-Za-z0-9+/_-]+={0,6}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){20,}")
_BASE32 = re.compile(r"[A-Z2-7]{24,}|[a-z2-7]{24,}")
_LAYERS = 3  # so often may a text be encoded in itself
_FEWEST = 24  # characters of what is encoded on one line
_BREAKS = str.maketrans("\n\r\t", "   ")


class Decoded(NamedTuple):
    """`[start, end)` in characters of the text, and what stands there decoded."""

    start: int
    end: int
    text: str


def decoded(text: str) -> Iterator[Decoded]:
    """Encoded stretches of 24 characters and more that decode to printable text."""
    for match in _ENCODED.finditer(text):
        lines = list(_LINE.finditer(text, *match.span()))
        for block in _blocks(lines):
            yield from _read(text, block)


def _blocks(lines: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Lines that were wrapped together: all of one length but the last, which may be shorter."""
    block: list[re.Match[str]] = []
    for line in lines:
        if block and not _goes_on(block, line):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _goes_on(block: list[re.Match[str]], line: re.Match[str]) -> bool:
    width = len(block[0][0])
    return len(block[-1][0]) == width >= len(line[0]) and not block[-1][0].endswith("=")


def _read(text: str, block: list[re.Match[str]]) -> Iterator[Decoded]:
    """What a block says as a whole, or without its last line, which may be a word below it, or
    else what its lines say."""
    for size in range(len(block), max(len(block) - 2, 1), -1):
        plain = _plain("".join(line[0] for line in block[:size]))
        if plain:
            yield Decoded(block[0].start(), block[size - 1].end(), plain)
            return
    for line in block:
        plain = _plain(line[0]) if len(line[0]) >= _FEWEST else None
        if plain:
            yield Decoded(*line.span(), plain)


def _plain(token: str, more: int = _LAYERS - 1) -> str | None:
    """The text that the token stands for, encoded up to `more` times again, or None for none."""
    for raw in _decoded(token.rstrip("=")):
        plain = _text(raw)
        if plain is None:
            continue
        if more and _ENCODED.fullmatch(plain.strip()):
            return _plain("".join(re.split(r"[> \t\r\n]+", plain.strip())), more - 1)
        said = meant(plain)
        shown = plain if said is None else said.text
        if " " in shown and plain.translate(_BREAKS).isprintable():
            return plain
    return None


def _decoded(token: str) -> Iterator[bytes]:
    """The bytes that the token may stand for, without its padding."""
    if _HEX.fullmatch(token):
        yield bytes.fromhex(token)
        return
    try:
        if _BASE32.fullmatch(token):
            whole = token[: len(token) - (len(token) % 8 in (1, 3, 6))]
            yield base64.b32decode(whole.upper() + "=" * (-len(whole) % 8))
        body = token.replace("-", "+").replace("_", "/")
        whole = body[: len(body) - (len(body) % 4 == 1)]
        yield base64.b64decode(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return


def _text(raw: bytes) -> str | None:
    """The text of the bytes in UTF-8, or in UTF-16, whose Latin letters have a zero each."""
    try:
        if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return raw.decode("utf-16")
        if raw[1:2] == b"\0":
            return raw[: len(raw) - len(raw) % 2].decode("utf-16-le")
        if raw[:1] == b"\0":
            return raw[: len(raw) - len(raw) % 2].decode("utf-16-be")
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
