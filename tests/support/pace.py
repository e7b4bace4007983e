"""How fast the machine is here and now, beside the idle one on which bounds in seconds were set."""

from __future__ import annotations

import gc
import re
import time
from collections import Counter
from functools import cache

from tests.readers.shapes import text_of

# Seconds of processor time that `_work` took on the idle machine on which the bounds were set.
USUAL = 0.0075
PARTS = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")


def pace() -> float:
    """How many times longer pure Python takes now, at least 1: a slower machine, or others on it.

    The least of three tries, of some eight milliseconds of processor time each.
    """
    return max(1.0, min(_taken() for _ in range(3)) / USUAL)


def _taken() -> float:
    text = _text()
    gc.collect()
    start = time.thread_time()
    _work(text)
    return time.thread_time() - start


@cache
def _text() -> str:
    return text_of("prose_en", 40_000)


def _work(text: str) -> int:
    """Do what readers do: find with patterns, slice, count, make small objects."""
    parts = [(found.start(), found.group()) for found in PARTS.finditer(text)]
    words = Counter(part.casefold() for _, part in parts if part[0].isalpha())
    lines = [line.strip() for line in text.splitlines()]
    near = {(at // 80, word): words[word] for at, part in parts if (word := part.casefold())}
    return len(near) + sum(map(len, lines))
