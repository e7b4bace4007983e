"""What may become of a knowledge base and of a document, as tables."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest

from app.documents.model import (
    BaseState,
    DocumentState,
    base_move,
    document_move,
    restored,
    settled,
    shown,
)
from app.errors import StateRefused

TABLES: list[tuple[type[StrEnum], Callable[[str, Any], StrEnum], str]] = [
    (
        BaseState,
        base_move,
        "active>indexing active>paused active>archived indexing>active indexing>paused "
        "indexing>error indexing>archived paused>active paused>archived error>indexing "
        "error>active error>paused error>archived archived>active",
    ),
    (
        DocumentState,
        document_move,
        "pending>processing pending>failed processing>indexed processing>failed "
        "processing>pending indexed>pending indexed>archived failed>pending failed>archived "
        "archived>pending archived>indexed archived>failed",
    ),
]


@pytest.mark.parametrize(("states", "move", "allowed"), TABLES)
def test_every_step_is_allowed_or_refused(
    states: type[StrEnum], move: Callable[[str, Any], StrEnum], allowed: str
) -> None:
    steps = {tuple(pair.split(">")) for pair in allowed.split()}
    for now in states:
        for then in states:
            if now is then or (now, then) in steps:
                assert move(now, then) is then
            else:
                with pytest.raises(StateRefused, match=f"is {now} cannot become {then}"):
                    move(now, then)


def test_the_states_of_the_seed() -> None:
    assert list(BaseState) == ["active", "indexing", "paused", "error", "archived"]
    assert list(DocumentState) == ["pending", "processing", "indexed", "failed", "archived"]


@pytest.mark.parametrize(
    ("current", "waiting", "broken", "then"),
    [
        ("indexing", 0, False, BaseState.ACTIVE),
        ("indexing", 2, False, BaseState.INDEXING),
        ("indexing", 2, True, BaseState.ERROR),
        ("paused", 0, False, BaseState.PAUSED),
        ("archived", 1, True, BaseState.ARCHIVED),
    ],
)
def test_how_a_base_stands_once_a_document_has_ended(
    current: str, waiting: int, broken: bool, then: BaseState
) -> None:
    assert settled(current, waiting, broken=broken) is then


@pytest.mark.parametrize("base", BaseState)
@pytest.mark.parametrize("document", DocumentState)
def test_only_what_is_put_away_is_hidden(base: BaseState, document: DocumentState) -> None:
    assert shown(base, document) is ("archived" not in (base, document))


@pytest.mark.parametrize(
    ("version", "error", "state"),
    [(1, None, "indexed"), (1, "FileBroken: x", "failed"), (0, "x", "failed"), (0, None, "failed")],
)
def test_how_a_document_comes_out_of_the_archive(
    version: int, error: str | None, state: str
) -> None:
    assert restored(version, error) == state
