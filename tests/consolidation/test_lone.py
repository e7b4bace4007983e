"""Names that one passage alone gives: they wait there; whether they do follows from the texts."""

from __future__ import annotations

import asyncio
import gc
import time
from itertools import permutations
from typing import Any

import orjson
import pytest

from app.consolidation.service import ConsolidationService
from app.entities.lone import Admitted, Named, waiting_in
from app.entities.model import Context
from app.entities.resolve import resolve
from app.extraction.model import Mention, Span
from app.kernel.clock import START
from app.kernel.cypher import Q
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, again, beliefs, capture, query, take_in, things

HARBOUR = Said(1, "We saw Mirabel Quay at dusk.")
AGAIN = Said(2, "They talked about Mirabel Quay for hours.")
OTHER = Said(3, "He mentioned Tarn Hollow twice.")
STATED = Said(4, "Tarn Hollow is based in Ulm.")
TOLD = (HARBOUR, AGAIN, OTHER, STATED)


async def waiting(opened: Parts, scope: str) -> dict[str, list[str]]:
    """The names that wait, by the text that they wait in."""
    rows = await query(
        opened.graph,
        "MATCH (p:Passage {scope: $scope}) WHERE p.lone IS NOT NULL "
        "RETURN p.content AS text, p.lone AS lone",
        scope=scope,
    )
    return {row["text"]: sorted(e["key"] for e in orjson.loads(row["lone"])) for row in rows}


async def mentioned(opened: Parts, scope: str) -> dict[str, list[str]]:
    """The texts that mention each thing."""
    rows = await query(
        opened.graph,
        "MATCH (e:Entity {scope: $scope}) OPTIONAL MATCH (p:Passage)-[:MENTIONS]->(e) "
        "WITH e, p.content AS text ORDER BY text "
        "RETURN e.canonical_key AS key, collect(DISTINCT text) AS texts",
        scope=scope,
    )
    return {row["key"]: row["texts"] for row in rows}


async def picture(opened: Parts, scope: str) -> tuple[Any, ...]:
    """All that follows from the texts of a scope."""
    return (
        await things(opened, scope),
        await mentioned(opened, scope),
        await waiting(opened, scope),
        await beliefs(opened, scope),
    )


async def test_a_name_waits_until_a_second_passage_writes_it(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, [HARBOUR])
    assert await mentioned(opened, scope) == {}
    assert await waiting(opened, scope) == {HARBOUR.text: ["mirabel quay"]}
    await take_in(opened, {"one": writer.caller}, [AGAIN])
    assert await mentioned(opened, scope) == {"mirabel quay": sorted([HARBOUR.text, AGAIN.text])}
    assert await waiting(opened, scope) == {}


async def test_a_statement_makes_a_thing_of_a_name_and_of_what_waits_under_it(
    opened: Parts, writer: Principal
) -> None:
    await take_in(opened, {"one": writer.caller}, [OTHER, STATED], batch=1)
    found = await mentioned(opened, writer.caller.home)
    assert found["tarn hollow"] == sorted([OTHER.text, STATED.text])


async def test_neither_order_nor_batches_decide_what_waits(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    pictures = []
    for number, order in enumerate(list(permutations(TOLD))[::5]):
        who = await principal(kind="user", scope=f"{tenant}/order{number}")
        await take_in(opened, {"one": who.caller}, order, batch=1 + number % 3)
        pictures.append(await picture(opened, who.caller.home))
    assert len(pictures) == 5
    assert all(found == pictures[0] for found in pictures[1:])


async def test_a_second_pass_changes_nothing(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, [HARBOUR, OTHER, STATED])
    before = await picture(opened, scope)
    await again(opened, scope, batch=1)
    assert await picture(opened, scope) == before


async def test_a_second_pass_takes_back_what_it_no_longer_finds(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, [HARBOUR, OTHER, STATED])
    before = await picture(opened, scope)
    await query(
        opened.graph,
        """
        MATCH (p:Passage {scope: $scope, content: $other})-[:MENTIONS]->(e:Entity)
        MATCH (q:Passage {scope: $scope, content: $harbour})
        CREATE (q)-[:MENTIONS {start: 0, end: 2, name: 'We'}]->(e)
        SET e.mention_count = e.mention_count + 1
        CREATE (f:Entity:Memory)
        SET f = e {.*, id: 'f-' + q.id, root: 'f-' + q.id, canonical_key: 'we', keys: ['we'],
                   mention_count: 1}
        CREATE (q)-[:MENTIONS {start: 0, end: 2, name: 'We'}]->(f)
        """,
        scope=scope,
        other=OTHER.text,
        harbour=HARBOUR.text,
    )
    await again(opened, scope)
    assert await picture(opened, scope) == before


async def test_we_are_whoever_speaks(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    told = [Said(1, "We live in Hamburg.", "Ada"), Said(2, "We live in Porto.", "Ben")]
    told += [Said(3, "We live in York.", "Ada")]
    await take_in(opened, {"one": writer.caller}, told, batch=2)
    held = {(row[0], row[2]) for row in await beliefs(opened, scope) if row[4] == "active"}
    assert held == {("we of ada", "york"), ("we of ben", "porto")}


async def test_two_passes_at_once_miss_no_second_passage(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    ids = [
        await capture(opened, writer.caller, Said(n, f"We saw Vellum{n // 2} Quay at dusk, {n}."))
        for n in range(12)
    ]
    services = [ConsolidationService(opened.consolidation._parts) for _ in ids]
    await asyncio.gather(
        *(one.consolidate_now(scope, [id]) for one, id in zip(services, ids, strict=True))
    )
    assert await waiting(opened, scope) == {}
    assert [len(texts) for texts in (await mentioned(opened, scope)).values()] == [2] * 6


@pytest.mark.parametrize("gone", [HARBOUR, STATED], ids=["mentioned", "stated"])
async def test_an_erasure_leaves_what_there_would_be_without_the_text(
    opened: Parts, principal: MakePrincipal, admin: Principal, tenant: str, gone: Said
) -> None:
    rules = {"params": {"scope": tenant}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    one = await principal(kind="user", scope=f"{tenant}/erased")
    await take_in(opened, {"one": one.caller}, TOLD)
    rows = await query(
        opened.graph,
        "MATCH (p:Episode {scope: $scope, content: $said}) RETURN p.id AS id",
        scope=one.caller.home,
        said=gone.text,
    )
    erased = await admin.http.post("/v1/erasures", json={"memory": rows[0]["id"]})
    assert erased.json()["state"] == "done", erased.text
    other = await principal(kind="user", scope=f"{tenant}/without")
    await take_in(opened, {"one": other.caller}, [said for said in TOLD if said is not gone])
    assert await picture(opened, one.caller.home) == await picture(opened, other.caller.home)


async def test_what_an_older_version_made_of_such_names_is_taken_back(
    opened: Parts, writer: Principal
) -> None:
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, TOLD)
    wanted = await picture(opened, scope)
    text = "Hardly anybody at Orrin Gate."
    id = await capture(opened, writer.caller, Said(9, text))
    await opened.consolidation.consolidate(scope)
    after = await picture(opened, scope)
    await query(
        opened.graph,
        """
        MATCH (p:Passage {id: $id})
        MATCH (other:Entity {scope: $scope})
        WITH p, other LIMIT 1
        CREATE (e:Entity:Memory)
        SET e = other {.*, id: 'old-' + p.id, root: 'old-' + p.id, canonical_key: 'old name',
                       canonical_name: 'Old Name', keys: ['old name'], aliases: ['Old Name'],
                       marks: [], mention_count: 1}
        CREATE (a:Alias {id: 'old-' + p.id, scope: $scope, key: 'old name'})-[:NAMES]->(e)
        CREATE (p)-[:MENTIONS {start: 3, end: 9, name: 'Old Name'}]->(e)
        WITH p
        MATCH (c:ConsolidationCursor {scope: $scope}) SET c.thin = ''
        """,
        id=id,
        scope=scope,
    )
    assert scope in {due.key for due in await opened.consolidation.due()}
    assert await opened.consolidation.thin(scope) > 0
    assert scope not in {due.key for due in await opened.consolidation.due()}
    found = await picture(opened, scope)
    assert (found[0], found[1], found[3]) == (after[0], after[1], after[3])
    assert found[1] == wanted[1]
    assert found[2][text] == ["old name", "orrin gate"]
    assert await opened.graph.raw("MATCH (a:Alias {id: $id}) RETURN a", id=f"old-{id}") == []


async def test_a_title_and_a_speaker_are_things(opened: Parts, writer: Principal) -> None:
    scope = writer.caller.home
    await take_in(opened, {"one": writer.caller}, [Said(1, "Yes, Orla Venn here.", "Orla Venn")])
    assert "orla venn" in await mentioned(opened, scope)
    rows = await opened.graph.rows(Q.entities.borne, scope=scope, keys=["orla venn", "nobody"])
    assert [row["key"] for row in rows] == ["orla venn"]


def seconds_for(count: int) -> float:
    """How long it takes to keep so many names that wait in one text."""
    spans = [Span(12 * n, 12 * n + 9) for n in range(count)]
    mentions = [Mention(f"Quay Nr{n}", "place", span) for n, span in enumerate(spans)]
    named = Named("text", resolve(mentions, "acme/dev", Context(START)))
    gc.disable()  # it goes through all that thousands of other tests have left
    try:
        start = time.thread_time()
        row = waiting_in(named, Admitted(), "acme/dev")
        took = time.thread_time() - start
    finally:
        gc.enable()
    assert len(orjson.loads(row["lone"])) == count
    return took


def test_very_many_names_of_one_text_are_kept_in_a_time_that_grows_with_them() -> None:
    assert seconds_for(16_000) < 12 * max(0.05, seconds_for(4_000))  # a square would be 16
