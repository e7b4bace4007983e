"""Later texts that may have changed facts are told as events, while they are read."""

from __future__ import annotations

import random

import orjson
import pytest

from app.episodes.model import Capture
from app.wiring import Parts
from tests.conftest import Principal
from tests.consolidation.conftest import Said, capture, take_in

DOSE = Said(0, "Opa nimmt 75 Mikrogramm L-Thyroxin.")
RAISED = Said(30, "Der Doktor hat L-Thyroxin bei Opa auf 100 hochgesetzt.")
Pairs = set[tuple[str, str]]  # a fact, and the text that may have changed it
TALK = [
    DOSE,
    Said(1, "Mein Zug nach Wien geht am Freitag um 7:15.", speaker="Jurek Wolny"),
    Said(2, "hab umgebucht, fahr jetzt um 9:12", speaker="Jurek Wolny"),
    Said(3, "Wetter Nummer drei."),
    Said(4, "Ragnvald Osen lives in Bergen.", session="t"),
    Said(5, "Ragnvald no longer likes the rain of Bergen.", session="u"),
    RAISED,
    Said(31, "Will the doctor raise L-Thyroxin for Opa?"),
    Said(32, "L-Thyroxin bei Opa wurde wieder abgesetzt."),
]


async def told(opened: Parts, tenant: str) -> list[tuple[str, str]]:
    rows = await opened.graph.raw(
        "MATCH (e:FeedEvent {tenant: $tenant, kind: 'possible_change'}) "
        "RETURN e.payload AS payload, e.target AS target ORDER BY e.at",
        tenant=tenant,
    )
    payloads = [orjson.loads(row["payload"]) for row in rows]
    assert [row["target"] for row in rows] == [payload["facts"][0] for payload in payloads]
    return [(fact, one["by"]) for one in payloads if "by" in one for fact in one["facts"]]


async def shown(reader: Principal) -> Pairs:
    """What facts tell where they are read."""
    items = (await reader.http.get("/v1/facts", params={"limit": 200})).json()["items"]
    return {
        (item["id"], change["passage"])
        for item in items
        for change in item["possible_changes"]
        if change["fact"] is None
    }


async def again(opened: Parts, scope: str) -> None:
    """Read every text of a scope once more."""
    await opened.graph.raw(
        "MATCH (p:Passage {scope: $scope}) SET p.consolidation_state = 'raw'", scope=scope
    )
    await opened.consolidation.consolidate(scope)


@pytest.mark.parametrize("batch", [1, 32])
async def test_a_later_text_is_told_once_with_the_facts_that_show_it(
    opened: Parts, writer: Principal, tenant: str, batch: int
) -> None:
    await take_in(opened, {"one": writer.caller}, [DOSE, RAISED], batch=batch)
    wanted = await shown(writer)
    assert len(wanted) == 1
    assert await told(opened, tenant) == sorted(wanted)
    await again(opened, writer.caller.home)
    assert await told(opened, tenant) == sorted(wanted), "what was read before is told no more"


async def test_what_is_told_is_what_facts_show(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    """Of each text, at the moment when it is read."""
    seen: Pairs = set()
    for said in TALK:
        episode = await capture(opened, writer.caller, said)
        await opened.consolidation.consolidate(writer.caller.home)
        seen |= {pair for pair in await shown(writer) if pair[1] == episode}
    assert len({text for _, text in seen}) >= 3
    assert sorted(await told(opened, tenant)) == sorted(seen)


async def test_what_is_said_in_the_place_of_a_text_is_told(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    """Without a word of change."""
    await take_in(opened, {"one": writer.caller}, [DOSE])
    (fact,) = (await writer.http.get("/v1/facts")).json()["items"]
    rows = await opened.graph.raw(
        "MATCH (p:Passage)-[:SUPPORTS]->(:Fact {id: $id}) RETURN p.id AS id", id=fact["id"]
    )
    receipt = await opened.episodes.capture(
        writer.caller,
        Capture(content="Bei Opa sind es 88.", session="s", role="user", supersedes=rows[0]["id"]),
    )
    await opened.consolidation.consolidate(writer.caller.home)
    assert await shown(writer) == {(fact["id"], receipt.id)}
    assert await told(opened, tenant) == [(fact["id"], receipt.id)]


@pytest.mark.parametrize("seed", range(2))
async def test_in_whatever_portions_texts_are_read_nothing_is_told_that_is_not_shown(
    opened: Parts, writer: Principal, tenant: str, seed: int
) -> None:
    batch = random.Random(seed).randint(2, 6)
    await take_in(opened, {"one": writer.caller}, TALK, batch=batch)
    pairs = await told(opened, tenant)
    assert len(pairs) == len({*pairs})
    assert {*pairs} >= await shown(writer)
