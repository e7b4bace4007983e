"""What may be so beside what is held ends nothing, in one scope and across scopes; what surely is
not, does."""

from __future__ import annotations

import pytest

from app.facts.service import Moments
from app.facts.view import FactView
from app.lifecycle.invariants import broken
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, query, take_in
from tests.facts.constructed import Told, believe
from tests.facts.test_possible_changes import facts, pairs

BESIDE = [
    ("I live in Berlin.", "I live in Kreuzberg.", "Tilo Menn lives in Kreuzberg"),
    ("Ich wohne in Hamburg.", "Ich wohne in Altona.", "Tilo Menn wohnt in Altona"),
    ("Our database is Postgres.", "Our database is slow.", None),
    ("Our CEO is Ruth Adler.", "Our CEO is American.", None),
]
INSTEAD = [
    ("I live in Berlin.", "I live in Hamburg.", "Tilo Menn lives in Hamburg"),
    ("Ich wohne in Graz.", "Ich wohne in Linz.", "Tilo Menn wohnt in Linz"),
    ("Our database is Postgres.", "Our database is MariaDB.", None),
]


async def tell(opened: Parts, who: Principal, *texts: str) -> None:
    told = [Said(n, text, "Tilo Menn") for n, text in enumerate(texts)]
    await take_in(opened, {"one": who.caller}, told, batch=1)


@pytest.mark.parametrize(("first", "second", "newer"), BESIDE)
async def test_both_are_held_and_the_newer_is_told_as_a_possible_change(
    opened: Parts, writer: Principal, first: str, second: str, newer: str | None
) -> None:
    await tell(opened, writer, first, second)
    found = await facts(writer)
    assert {item["status"] for item in found.values()} == {"active"}, found
    told = await pairs(opened, writer.caller.home)
    assert len(told) == 1
    if newer:
        assert {new for _, new in told} == {newer}


@pytest.mark.parametrize(("first", "second", "newer"), INSTEAD)
async def test_what_cannot_be_so_beside_it_takes_its_place(
    opened: Parts, writer: Principal, first: str, second: str, newer: str | None
) -> None:
    await tell(opened, writer, first, second)
    found = await facts(writer)
    assert len(found) == 1
    assert newer is None or newer in found


async def test_moving_away_ends_the_city_and_its_district(opened: Parts, writer: Principal) -> None:
    texts = ("I live in Berlin.", "I live in Kreuzberg.", "I moved to Bremen.")
    await tell(opened, writer, *texts)
    assert set(await facts(writer)) == {"Tilo Menn lives in Bremen"}


async def test_a_reader_of_two_scopes_sees_both(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    scopes = [f"{tenant}/a", f"{tenant}/b"]
    for scope, text in zip(scopes, ("I live in Berlin.", "I live in Kreuzberg."), strict=True):
        await tell(opened, await principal(scope), text)
    rows = await query(
        opened.graph, "MATCH (f:Fact) WHERE f.scope IN $scopes RETURN f.id AS id", scopes=scopes
    )
    ids = [row["id"] for row in rows]
    view = FactView(opened.graph, opened.consolidation.terms_of)
    seen = await view.beliefs(ids, scopes, Moments.of(None, None))
    assert seen.held == set(ids)
    assert len(ids) == 2


async def test_what_is_held_side_by_side_breaks_no_invariant(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    texts = ("I live in Berlin.", "I live in Kreuzberg.", "Our database is Postgres.")
    await tell(opened, writer, *texts, "Our database is slow.")
    assert await broken(opened.graph, tenant) == []


async def test_what_was_not_wholly_read_breaks_no_invariant(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    told = [Told(0, "Ilse Harmsen", "lives_in", "Bremen")]
    told.append(Told(5, "Ilse Harmsen", "lives_in", "Oldenburg", rest="they say"))
    await believe(opened, {"one": writer.caller}, told)
    assert len(await facts(writer)) == 2
    assert await broken(opened.graph, tenant) == []
