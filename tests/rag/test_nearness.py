"""What graph retrieval compares by: the model of each scope, and the closest of many first."""

from __future__ import annotations

import pytest

from app.rag.gathering import OF_ENTITY, Gathering, Walk
from app.rag.model import Ask
from app.rag.seeds import asked_names
from app.search.repository import SearchRepository
from app.search.vectors import VectorLeg
from app.wiring import Parts
from tests.communities.conftest import BREMEN
from tests.conftest import Principal
from tests.documents.conftest import MakeShelf
from tests.rag.conftest import Say
from tests.reembedding.test_switch import post, run

BEHIND = "which lies behind the long wall of the yard"  # a chunk each


async def test_a_scope_of_another_model_is_compared_by_it(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    source = await say(tenant, BREMEN)
    await opened.indexing.drain()
    begun = await post(admin, "prepare", 202, scope=tenant, model="wide")
    await run(opened, admin, begun["job"])
    await post(admin, "switch", 200, scope=tenant)
    ended = await post(admin, "finish", 202, scope=tenant)
    await run(opened, admin, ended["job"])
    body = {"query": "What does Acme GmbH use?"}
    hits = (await admin.http.post("/v1/search", json=body)).json()["hits"]
    closeness = {hit["id"]: hit["similarity"] for hit in hits}
    found = (await admin.http.post("/v1/rag/retrieve", json=body)).json()["results"]
    told = {one["id"]: one["similarity"] for one in found}
    assert told[source] == pytest.approx(closeness[source], abs=1e-4)


async def test_of_an_entity_that_many_passages_name_the_closest_come_first(
    opened: Parts, writer: Principal, shelf: MakeShelf
) -> None:
    store = await shelf(writer, chunk_size=100, chunk_overlap=0)
    boxes = [f"Acme GmbH keeps box {n} in hall {n}, {BEHIND}." for n in range(3 * OF_ENTITY)]
    lamps = [f"Acme GmbH sells zirkon lamp {n}, {BEHIND}." for n in range(3)]
    document = await store.add("Halls", "\n\n".join([*boxes, *lamps]))
    await store.consolidate()
    await opened.indexing.drain()
    wanted = {
        chunk["id"]
        for chunk in await store.chunks(document["id"])
        if "zirkon" in str(chunk["untrusted"])
    }
    scopes, query = [writer.caller.home], "Which zirkon lamp sells Acme GmbH?"
    rows = opened.graph_rag.rows
    # A piece that was cut behind the name's first word is about a "GmbH": an entity of its own.
    named = await rows.homes(await rows.named(asked_names("Acme GmbH", scopes), scopes), scopes)
    root = next(root for root, home in named.items() if home["name"] == "Acme GmbH")
    names = {root: named[root]}
    walk = Walk(names, {root: (None, None, None)}, {root: 0}, {root: 1.0})
    parts = await opened.spaces.asked(query, scopes)
    leg = VectorLeg(SearchRepository(opened.graph), opened.spaces)
    ask = Ask(query, scopes, top_k=len(wanted))
    found = await Gathering(rows, leg, opened.searches.made.view).passages(ask, walk, parts, [])
    assert {passage.id for passage in found} == wanted
