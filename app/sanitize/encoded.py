"""Stretches of Base64 or hexadecimal digits that hold readable text."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.sanitize.disguise import meant

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,8192}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){20,4096}")


class Decoded(NamedTuple):
    """`[start, end)` in characters of the text, and what stands there decoded."""

    start: int
    end: int
    text: str


def decoded(text: str) -> Iterator[Decoded]:
    """Encoded stretches of 24 characters and more that decode to printable text."""
    for match in _ENCODED.finditer(text):
        plain = _plain(match.group())
        if plain:
            yield Decoded(*match.span(), plain)


def _plain(token: str, more: int = 2) -> str | None:
    """The text that the token stands for, encoded up to `more` times again, or None for none."""
    raw = bytes.fromhex(token) if _HEX.fullmatch(token) else _base64(token)
    if raw is None:
        return None
    try:
        plain = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if more and _ENCODED.fullmatch(plain.strip()):
        return _plain(plain.strip(), more - 1)
    said = meant(plain)
    shown = plain if said is None else said.text
    return plain if " " in shown and plain.replace("\n", " ").isprintable() else None


def _base64(token: str) -> bytes | None:
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body[: len(body) - (len(body) % 4 == 1)] + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return None
