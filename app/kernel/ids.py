"""Identifiers and content hashes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime

import uuid_utils

from app.errors import InvalidInput
from app.kernel.clock import now

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}\Z")


@dataclass(slots=True)
class _Request:
    """A request that may be made again, when it first came, and how many ids it has had."""

    name: str
    came: datetime
    ids: int = 0
    ended: bool = False


_request: ContextVar[_Request | None] = ContextVar("request", default=None)


@contextmanager
def repeatable(name: str, came: datetime) -> Iterator[None]:
    """Within, `new_id` and `first_came` give what they give each time that the request is made: a
    process that dies once its writes are done makes nothing twice when it is made again.

    What the request starts and goes on after it has ids of its own from then on.
    """
    request = _Request(name, came)
    token = _request.set(request)
    try:
        yield
    finally:
        request.ended = True
        _request.reset(token)


def runs() -> Callable[[], AbstractContextManager[None]]:
    """What each run of a piece of work, which may be run again from its start, is done within:
    within a request that may be made again all of them get the same ids, and no other work does."""
    request = _request.get()
    if request is None or request.ended:
        return nullcontext
    request.ids += 1
    first = request.ids

    @contextmanager
    def run() -> Iterator[None]:
        inner = _Request(f"{request.name} {first}", request.came, first)
        token = _request.set(inner)
        try:
            yield
        finally:
            inner.ended = True
            request.ids = max(request.ids, inner.ids)
            _request.reset(token)

    return run


def new_id() -> str:
    """A UUIDv7: unique, and in the order of its making. Within a request that may be made again it
    follows from that."""
    request = _request.get()
    if request is None or request.ended:
        return str(uuid_utils.uuid7())
    request.ids += 1
    return id_at(request.came, request.ids, "request", request.name, str(request.ids))


def first_came() -> datetime:
    """The moment for what names none: now, or when a request that is made again first came."""
    request = _request.get()
    return now() if request is None or request.ended else request.came


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
