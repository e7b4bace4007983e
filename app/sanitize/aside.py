"""Sanitising without holding up the event loop: what takes long is done in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from app.errors import LociError
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import Sanitized, sanitize
from app.sanitize.tree import sanitize_tree

LONG = 2_000  # characters that are sanitised in a millisecond or so
READ = 8_000  # characters that are compared, cut or counted in as long

T = TypeVar("T")


async def aside(given: Any, work: Callable[[], T], most: int = LONG) -> T:
    """Return what `work` makes of `given`: in a thread where that is long, else right here."""
    return await asyncio.to_thread(work) if is_long(given, most) else work()


async def sanitize_aside(text: str, policy: SanitizePolicy, field: str) -> Sanitized:
    """Return the text as it may be stored; what refuses it names the field. See `sanitize`."""
    try:
        return await aside(text, lambda: sanitize(text, policy))
    except LociError as error:
        error.field = field
        raise


async def sanitize_tree_aside(value: Any, policy: SanitizePolicy, field: str) -> Any:
    """Return the value as it may be stored. See `sanitize_tree`."""
    return await aside(value, lambda: sanitize_tree(value, policy, field))


def is_long(value: Any, most: int = LONG) -> bool:
    """Return whether strings, and what holds them, are more than `most` characters together; looks
    no further than that."""
    left, waiting = most, [value]
    while waiting and left >= 0:
        one = waiting.pop()
        left -= len(one) if isinstance(one, str | list | tuple | Mapping) else 1
        if left < 0:
            break
        if isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one
    return left < 0
