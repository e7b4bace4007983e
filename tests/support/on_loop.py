"""What runs on the loop: which functions of the house are given something long there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import app

HOUSE = str(Path(app.__file__).parent)
MANY = 2_000  # items of a list that somebody else's text decides
AWAITED = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
# What only compares, hashes, counts or hands on: a millisecond for a million characters.
AT_ONCE = frozenset(
    {
        "app.embeddings.hashing.HashEmbedder._row",  # stands in for a model, in tests alone
        "app.entities.lone.unpack",  # JSON of names, as a driver reads it
        "app.episodes.record.content_hash",
        "app.kernel.arrivals._read",  # what a stream holds, 128 KiB, as the driver unpacks it
        "app.kernel.graph.plain",
        "app.kernel.ids.digest",
        "app.kernel.kind._packed",
        "app.learning.wording._looked",  # and what cuts with it: it looks at 4,000 characters
        "app.learning.wording._words",
        "app.learning.wording.assessment_of",
        "app.learning.wording.continuation_of",
        "app.learning.wording.likeness",
        "app.pages.record.loaded",  # 5,000 links at most
        "app.pools.data._check_leaf",
        "app.pools.data._put",
        "app.pools.data.check",
        "app.pools.data.put",
        "app.sanitize.aside.is_long",
        "app.search.restating.Asked.among",  # sets that are compared
    }
)


def _is_long(value: Any, size: int) -> bool:
    if isinstance(value, str | bytes):
        return len(value) >= size
    return isinstance(value, list | tuple | dict | set | frozenset) and len(value) >= MANY


@contextmanager
def on_this_thread(size: int) -> Iterator[set[str]]:
    """The plain functions that this thread calls meanwhile with a text of `size` characters and
    more, or with more than `MANY` items."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, given: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_flags & AWAITED or not code.co_filename.startswith(HOUSE):
            return
        values = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
        if any(_is_long(value, size) for value in values):
            found.add(f"{frame.f_globals['__name__']}.{code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found -= AT_ONCE
