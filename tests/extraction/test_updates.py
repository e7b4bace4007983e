"""A later statement retires an earlier one exactly where it says something that ends it."""

from __future__ import annotations

import pytest

from app.evals.updates import meeting, object_key
from app.extraction.model import Mode, Statement
from app.extraction.predicates import standard

from .near_pairs import NEAR
from .reading import LATER, SAID, statements
from .update_pairs import UPDATES

CASES = [(kind, *row) for kind, rows in UPDATES.items() for row in rows]
NEAR_CASES = [(kind, *row) for kind, rows in NEAR.items() for row in rows]


@pytest.mark.parametrize(("kind", "old", "new", "holds"), CASES)
def test_the_new_side_retires_the_old(kind: str, old: str, new: str, holds: str) -> None:
    pairs = meeting(statements(old, SAID), statements(new, LATER), standard())
    assert pairs, (statements(old, SAID), statements(new, LATER))
    ending = [later for _, later in pairs]
    if holds == "-":
        assert all(s.mode in (Mode.END, Mode.DENY) for s in ending)
    else:
        assert any(_holds(s, holds) for s in ending), ending
    if kind.endswith("correction"):
        assert any(s.mode is Mode.CORRECT for s in ending)


def _holds(statement: Statement, part: str) -> bool:
    positive = statement.mode in (Mode.ASSERT, Mode.CORRECT)
    return positive and part in object_key(statement.object)


@pytest.mark.parametrize(("kind", "first", "second"), NEAR_CASES)
def test_what_only_looks_like_an_update_retires_nothing(kind: str, first: str, second: str) -> None:
    pairs = meeting(statements(first, SAID), statements(second, LATER), standard())
    assert pairs == []
