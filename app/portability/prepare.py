"""Lines to rows, in other processes: parsing, checking, sanitising and analysing. Pure."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from app.errors import InvalidInput, LociError, TooLarge
from app.kernel.graph import Row
from app.kernel.sentences import of_value
from app.portability.audits import AUDIT, CHAIN
from app.portability.kind import At, Kind, Reject, Rules
from app.portability.kinds import BY_NAME
from app.sanitize.normalise import visible_tree

LINE_LIMIT = 8 << 20  # bytes: a text of 1 MiB, escaped, and its vector
CLAIMED = frozenset(
    (
        "trust", "importance", "is_pinned", "tier", "confidence", "confirmations", "effectiveness",
        "signature", "signature_value", "attestations", "checked", "checked_by", "checked_at",
        "checks",
    )
)  # fmt: skip
BOM = b"\xef\xbb\xbf"
SEALED = frozenset([AUDIT.model, CHAIN.model])


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of one file that follow on one another; None stands for one beyond the limit.

    Where they do not follow on one another, `numbers` holds those of the lines, `wholes` tells by
    line which belong together, and `refused` why none of them is taken. `first` and `end` then
    count lines and bytes in the order in which they are taken.
    """

    kind: str
    file: str
    first: int
    lines: list[bytes | None]
    end: int  # byte after the last line
    numbers: tuple[int, ...] = ()
    wholes: tuple[int, ...] = ()
    refused: str | None = None

    @property
    def numbered(self) -> Sequence[int]:
        """The numbers of the lines in their file."""
        return self.numbers or range(self.first, self.first + len(self.lines))


@dataclass(slots=True)
class Prepared:
    """What became of a chunk, and the seconds of processor time that took."""

    rows: list[Row] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    seconds: float = 0.0


def prepare_chunk(chunk: Chunk, rules: Rules, policies: dict[str, str]) -> Prepared:
    """Rows of the lines that can be taken, rejects of the others."""
    start = time.thread_time()
    kind = BY_NAME[chunk.kind]
    done = Prepared()
    if chunk.refused is not None:
        error = TooLarge(chunk.refused)
        done.rejects = [Reject.of(chunk.file, line, error) for line in chunk.numbered]
        return done
    for line, text in zip(chunk.numbered, chunk.lines, strict=True):
        if text is None or text.strip():
            _one(kind, text, At(rules, line, policies), (chunk.file, done))
    done.seconds = time.thread_time() - start
    return done


def _one(kind: Kind, text: bytes | None, at: At, into: tuple[str, Prepared]) -> None:
    file, done = into
    scope = None
    try:
        if text is None:
            raise TooLarge(f"a line holds at most {LINE_LIMIT} bytes")
        record = _record(kind.model, text.removeprefix(BOM))
        if getattr(record, "scope", None) is not None:
            scope = at.scope(record.scope)
        done.rows.append(kind.prepare(record if at.rules.vouched else unclaimed(record), at))
    except RecursionError:
        deep = InvalidInput("the line is nested too deeply")
        done.rejects.append(Reject.of(file, at.line, deep, scope))
    except LociError as error:
        if error.status >= 500:
            raise
        done.rejects.append(Reject.of(file, at.line, error, scope))


def unclaimed(record: Any) -> Any:
    """A record without what it claims of its own worth: each field of CLAIMED as if it were unset,
    in what it holds too, and no properties that a store only counts."""
    changed: dict[str, Any] = {}
    for name, known in type(record).model_fields.items():
        held = getattr(record, name)
        if name in CLAIMED or (name == "stats" and isinstance(held, dict)):
            changed[name] = known.get_default(call_default_factory=True)
        elif isinstance(held, BaseModel):
            changed[name] = unclaimed(held)
        elif isinstance(held, list | tuple):
            changed[name] = type(held)(
                unclaimed(item) if isinstance(item, BaseModel) else item for item in held
            )
    return record.model_copy(update=changed)


def _record(model: type[BaseModel], text: bytes) -> Any:
    try:
        given = orjson.loads(text)
        # The chain of the audit is over what stood there.
        if model not in SEALED and (b"\\u" in text or not text.isascii()):
            given = visible_tree(given)
        return model.model_validate(given)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("the line is no JSON object in UTF-8") from error
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        if first["type"] == "model_type" and not first["loc"]:
            raise InvalidInput("the line is no JSON object") from error
        wrong = of_value(first)
        raise InvalidInput(wrong.detail, field=wrong.field or None) from error


class Preparer:
    """Prepares chunks in `processes` other processes, or in a thread where that is 0."""

    def __init__(self, pool: ProcessPoolExecutor | None) -> None:
        self._pool = pool

    async def prepare(self, chunk: Chunk, rules: Rules, policies: dict[str, str]) -> Prepared:
        """See `prepare_chunk`."""
        if self._pool is None:
            return await asyncio.to_thread(prepare_chunk, chunk, rules, policies)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, prepare_chunk, chunk, rules, policies)


@contextmanager
def preparer(processes: int) -> Iterator[Preparer]:
    """A preparer; its processes end with it, and with this process however that ends."""
    if processes == 0:
        yield Preparer(None)
        return
    pool = ProcessPoolExecutor(
        processes, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )
    try:
        yield Preparer(pool)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent watch").start()
