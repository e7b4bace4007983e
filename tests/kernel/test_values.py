"""Scope paths, cursors, ids and callers: the values that everything else trusts."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Forbidden, InvalidInput, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import FOREVER, open_end
from app.kernel.ids import digest, new_id
from app.kernel.paging import decode, encode
from app.kernel.scope import parse_scope

CALLER = Caller(
    principal="agent:acme:scout",
    kind="agent",
    name="scout",
    tenant="acme",
    home="acme/dev",
    key="k",
    roles={"acme": Role.READER, "acme/dev": Role.WRITER},
    trees=frozenset({"acme/ops"}),
)


@pytest.mark.parametrize(
    ("text", "kind", "ancestors"),
    [
        ("acme", "tenant", []),
        ("acme/dev", "workspace", ["acme"]),
        ("acme/user:ann", "user", ["acme"]),
        ("acme/dev/agent:bot-1", "agent", ["acme/dev", "acme"]),
        ("acme/dev/team:night.shift", "team", ["acme/dev", "acme"]),
    ],
)
def test_a_path_knows_its_kind_and_its_way_up(text: str, kind: str, ancestors: list[str]) -> None:
    path = parse_scope(text)
    assert (str(path), path.kind) == (text, kind)
    assert [str(a) for a in path.ancestors] == ancestors


@given(st.text(max_size=30))
def test_a_parsed_path_is_spelled_as_it_came_or_refused(text: str) -> None:
    spelled = None
    with suppress(InvalidInput):
        spelled = str(parse_scope(text))
    assert spelled in (None, text)


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001
    st.text(max_size=40),
)
def test_a_cursor_comes_back_as_it_was(moment: datetime, identifier: str) -> None:
    aware = moment.replace(tzinfo=UTC)
    assert decode(encode(aware, identifier)) == (aware, identifier)


@pytest.mark.parametrize(
    "cursor", ["", "x", "W10=", "WzEsMl0=", "WyIyMDI0LTAxLTAxIiwgImEiXQ==", "é"]
)
def test_a_foreign_cursor_is_refused_by_name(cursor: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(cursor)
    assert refused.value.field == "cursor"


def test_ids_are_in_the_order_of_their_making() -> None:
    made = [new_id() for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == 2000


def test_a_digest_tells_lists_apart_whatever_their_borders() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a") != digest("a", "")


def test_a_caller_requires_and_governs() -> None:
    assert CALLER.require("acme/dev", Role.WRITER) == "acme/dev"
    with pytest.raises(Forbidden):
        CALLER.require("acme", Role.WRITER)
    with pytest.raises(NotFound):
        CALLER.require("acme/ops", Role.READER)
    with pytest.raises(NotFound):
        CALLER.among(["acme", "else"])
    assert CALLER.among(None) == ["acme", "acme/dev"]
    assert [CALLER.governs(s) for s in ("acme/ops", "acme/ops/user:x", "acme/opsy", "acme")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_caller_within_some_scopes_sees_these_alone() -> None:
    narrow = CALLER.within(["acme"])
    assert narrow.visible == narrow.among(None) == ["acme"]
    assert (narrow.tenant, narrow.principal, narrow.trees) == (
        "acme",
        CALLER.principal,
        frozenset(),
    )
    with pytest.raises(NotFound):
        narrow.require("acme/dev", Role.READER)
    with pytest.raises(NotFound):
        CALLER.within(["acme", "acme/ops"])
    assert CALLER.within(None) == CALLER
    assert CALLER.within([]).visible == []


def test_an_open_end_is_null_on_the_wire() -> None:
    assert open_end(FOREVER) is None
    assert open_end(None) is None
    moment = datetime(2024, 5, 3, tzinfo=UTC)
    assert open_end(moment) == moment
