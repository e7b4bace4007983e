"""Identifiers and content hashes."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime

import uuid_utils

from app.errors import InvalidInput

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}\Z")


def new_id() -> str:
    """A UUIDv7: unique, and in the order of its making."""
    return str(uuid_utils.uuid7())


def id_at(moment: datetime, number: int, *parts: str) -> str:
    """A UUIDv7 that follows from some parts: in the order of moments, and within a millisecond of
    numbers."""
    hashed = digest(*parts)
    ms = f"{int(moment.timestamp() * 1000):012x}"
    return f"{ms[:8]}-{ms[8:]}-7{number & 0xFFF:03x}-8{hashed[:3]}-{hashed[3:15]}"


def checked_id(value: str, field: str) -> str:
    """An id that came from outside; InvalidInput where it has a character we do not take."""
    if not ID.match(value):
        raise InvalidInput(f"{field} takes 1 to 128 of A-Z a-z 0-9 . _ : ~ -", field=field)
    return value


def digest(*parts: str) -> str:
    """SHA-256 (hex) over the parts, each preceded by its length so that no two lists collide."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode()
        h.update(len(data).to_bytes(8, "big"))
        h.update(data)
    return h.hexdigest()
