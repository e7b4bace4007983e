"""Answers of the database, taken as they have arrived.

The driver reads each record in two parts, and waits for each part with a timer of its own (and a
task, before Python 3.12), though nearly all of what it waits for is there already: four fifths of
what an answer of a thousand records costs this process (decision 0126). It has no setting for that,
so two of its functions are wrapped where they lie. A driver that no longer has them there is left
as it is: then it is slow, and as right as before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

SOCKETS = "neo4j._async_compat.network._bolt_socket"
CONNECTIONS = "neo4j._async.io._bolt._base"
# A message of the protocol, where it is one chunk: its length, a structure of one field that is
# called a record, the field, and a length of nothing.
LENGTH = 2  # bytes
RECORD = b"\xb1\x71"

Function = Callable[..., Any]


def whole_records(data: bytes | bytearray) -> tuple[int, list[int]]:
    """How many bytes the records at the start of `data` take that have arrived whole, and where the
    values of each begin. A record of several chunks, or anything else, ends what is counted."""
    start, values = 0, []
    while len(data) >= start + 2 * LENGTH:
        end = start + LENGTH + int.from_bytes(data[start : start + LENGTH]) + LENGTH
        head = start + LENGTH + len(RECORD)
        if (
            len(data) < end
            or data[start + LENGTH : head] != RECORD
            or any(data[end - LENGTH : end])
        ):
            break
        values.append(head)
        start = end
    return start, values


def receiving(theirs: Function) -> Function:
    """Make the driver's function that reads a part wait only for what is not there."""

    async def recv_into(self: Any, buffer: memoryview, nbytes: int) -> int:
        if not self._reader._buffer:
            read: int = await theirs(self, buffer, nbytes)
            return read
        data = await self._reader.read(nbytes)
        buffer[: len(data)] = data
        return len(data)

    return recv_into


def fetching(theirs: Function) -> Function:
    """Make the driver's function that handles a message handle the records behind it too, where
    they have arrived."""

    async def fetch_message(self: Any) -> None:
        await theirs(self)
        if not self.responses:
            return
        reader = self.inbox._socket._reader
        total, values = whole_records(reader._buffer)
        if not (values and (records := _read(self, bytes(reader._buffer[:total]), values))):
            return
        with suppress(OSError):  # of a connection that is gone, which the driver meets and says
            await reader.readexactly(total)
            await self.responses[0].on_records(records)

    return fetch_message


def _read(connection: Any, data: bytes, values: list[int]) -> list[Any]:
    """Return the values of each record; nothing where one can't be read, which the driver says."""
    unpacker = connection.inbox._unpacker
    hooks = connection.responses[0].hydration_hooks
    buffer = unpacker.unpackable
    buffer.data[: len(data)] = data
    buffer.used = len(data)
    found = []
    try:
        for place in values:
            buffer.p = place
            found.append(unpacker.unpack(hooks))
    except (LookupError, TypeError, ValueError):  # raised again where the driver meets it
        return []
    finally:
        unpacker.reset()
    return found


def take_what_has_arrived() -> bool:
    """Have each driver of this process take what has arrived at once; whether it does."""
    try:
        socket: Any = importlib.import_module(SOCKETS).AsyncBoltSocketBase
        connection: Any = importlib.import_module(CONNECTIONS).AsyncBolt
        theirs = socket.recv_into, connection.fetch_message
    except (ImportError, AttributeError):
        return False
    if theirs[0].__module__ == SOCKETS:
        socket.recv_into = receiving(theirs[0])
        connection.fetch_message = fetching(theirs[1])
    return True
