"""What had no answer a moment ago."""

from __future__ import annotations

import time

from app.kernel.nothing import KnownEmpty


def test_it_is_known_for_a_while() -> None:
    known = KnownEmpty(seconds=0.05)
    assert "a" not in known
    known.add("a")
    assert "a" in known
    assert "b" not in known
    time.sleep(0.06)
    assert "a" not in known


def test_it_is_forgotten_when_something_comes() -> None:
    known = KnownEmpty(seconds=60)
    known.add(("a", "b"))
    known.clear()
    assert ("a", "b") not in known


def test_it_holds_no_more_than_it_may() -> None:
    known = KnownEmpty(seconds=60, most=3)
    for key in range(10):
        known.add(key)
        assert key in known
        assert sum(other in known for other in range(10)) <= 3
