"""A later statement retires an earlier one where it was wholly read, and may have changed it where
words were left over."""

from __future__ import annotations

import pytest

from app.extraction.model import Mode, Statement
from app.extraction.predicates import standard
from bench.updates import meeting, object_key, possible

from .near_pairs import NEAR
from .reading import LATER, SAID, statements
from .side_by_side import COUNTED, LOOKED_AT, WRONG
from .update_pairs import UPDATES

CASES = [(kind, *row) for kind, rows in UPDATES.items() for row in rows]
NEAR_CASES = [(kind, *row) for kind, rows in NEAR.items() for row in rows]


@pytest.mark.parametrize(("kind", "old", "new", "holds"), CASES)
def test_the_new_side_retires_or_may_change_the_old(
    kind: str, old: str, new: str, holds: str
) -> None:
    first, second = statements(old, SAID), statements(new, LATER)
    pairs = meeting(first, second, standard()) or possible(first, second, standard())
    assert pairs, (first, second)
    ending = [later for _, later in pairs]
    if holds == "-":
        assert all(s.mode in (Mode.END, Mode.DENY) for s in ending)
    else:
        assert any(_holds(s, holds) for s in ending), ending
    if kind.endswith("correction"):
        assert any(s.mode is Mode.CORRECT for s in ending)


def test_most_of_them_are_wholly_read() -> None:
    read = [
        c for c in CASES if meeting(statements(c[1], SAID), statements(c[2], LATER), standard())
    ]
    # Two more are told as possible changes since what may be so beside it ends nothing.
    # So are two that tell what is so after an event.
    assert len(read) >= 0.97 * len(CASES)


def _holds(statement: Statement, part: str) -> bool:
    positive = statement.mode in (Mode.ASSERT, Mode.CORRECT)
    return positive and part in object_key(statement.object)


@pytest.mark.parametrize(("kind", "first", "second"), NEAR_CASES)
def test_what_only_looks_like_an_update_retires_nothing(kind: str, first: str, second: str) -> None:
    pairs = meeting(statements(first, SAID), statements(second, LATER), standard())
    assert pairs == []


def test_what_may_be_so_beside_it_retires_nothing() -> None:
    ended = {
        second
        for first, second in [*LOOKED_AT, *COUNTED]
        if meeting(statements(first, SAID), statements(second, LATER), standard())
    }
    assert ended == WRONG
