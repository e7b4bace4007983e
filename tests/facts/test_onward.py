"""In the graph: a long key goes on from where it ended, and holds what all of its claims say."""

from __future__ import annotations

import random
from typing import Any

import pytest_asyncio

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, beliefs, query, take_in

STATES = ("active", "paused", "completed")
NEWS = [
    Said(n, text, speaker)
    for n, (text, speaker) in enumerate(
        (
            (f"Project Heron is {STATES[n * n % 3]}.", "Ilse Harmsen"),
            (f"The budget of Project Heron is {20 + n % 7},000 euros.", "Ilse Harmsen"),
            ("Project Heron uses Rust.", "Ilse Harmsen"),
            ("Project Heron no longer uses Rust.", "Tomas Bielik")
            if n % 5 == 4
            else ("Yes.", None),
        )[part]
        for n in range(11)
        for part in range(4)
    )
]


async def states(opened: Parts, scope: str) -> list[dict[str, Any]]:
    rows = await query(opened.graph, "MATCH (k:KeyState {scope: $s}) RETURN k", s=scope)
    return [row["k"] for row in rows]


async def keys_of(opened: Parts, scope: str) -> tuple[list[str], list[str]]:
    rows = await query(
        opened.graph, "MATCH (f:Fact {scope: $s}) RETURN f.key AS key, f.subject AS s", s=scope
    )
    return sorted({row["key"] for row in rows}), sorted({row["s"] for row in rows})


async def history(opened: Parts, scope: str) -> list[dict[str, Any]]:
    """Everything that hangs on facts now: intervals, links, mirrors."""
    return await query(
        opened.graph,
        """
        MATCH (f:Fact {scope: $s})
        RETURN f.id AS id, f {.status, .live, .facets, .evidence, .principals, .confidence, .trust,
                              .weighed, .captured_key, from: toString(f.valid_from),
                              to: toString(f.valid_to)} AS mirror,
               COLLECT { MATCH (f)-[a:ABOUT]->() WHERE a.retracted_at > datetime.realtime()
                 WITH a ORDER BY a.valid_from, a.standing
                 RETURN [toString(a.valid_from), toString(a.valid_to), a.standing,
                         a.reason] } AS held,
               COLLECT { MATCH (f)-[x:SUPERSEDED_BY|CONTRADICTS]->(o)
                 WHERE x.retracted_at > datetime.realtime()
                 WITH x, o ORDER BY o.id, x.reason RETURN [o.id, x.reason] } AS links
        ORDER BY id
        """,
        s=scope,
    )


async def settled_whole(opened: Parts, scope: str) -> None:
    """Settle every key of a scope from all of its claims."""
    keys, subjects = await keys_of(opened, scope)
    terms = await opened.consolidation.terms(scope)
    done = await opened.graph.write(
        "test.settle", lambda tx: opened.fact_rows.settle(tx, keys, terms)
    )
    assert (done.opened, done.retracted) == (0, 0)
    assert subjects


@pytest_asyncio.fixture(loop_scope="session")
async def told(opened: Parts, writer: Principal) -> str:
    """A scope in which one project has been talked about for long, in the order of time."""
    await take_in(opened, {"one": writer.caller}, NEWS, 8)
    return writer.caller.home


async def test_what_went_on_is_what_all_claims_say(opened: Parts, told: str) -> None:
    kept = await states(opened, told)
    assert len(kept) == 3, "status, budget, and the use of Rust"
    assert {len(k["facts"]) for k in kept} <= {1, 2}
    before = await history(opened, told)
    await settled_whole(opened, told)
    assert await history(opened, told) == before


async def test_it_is_the_same_when_told_in_another_order(
    opened: Parts, told: str, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/other", name="w", role=Role.WRITER)
    mixed = [*NEWS[:24], *random.Random(3).sample(NEWS[24:], len(NEWS) - 24)]
    await take_in(opened, {"one": other.caller}, mixed, 8)
    assert await beliefs(opened, other.caller.home) == await beliefs(opened, told)


async def test_a_correction_and_a_second_reading_take_all_claims(
    opened: Parts, told: str, writer: Principal
) -> None:
    last = [
        Said(90, "Actually, the budget of Project Heron is 31,000 euros.", "Ilse Harmsen"),
        Said(91, "Project Heron is active.", "Ilse Harmsen"),
    ]
    await take_in(opened, {"one": writer.caller}, last)
    assert len(await states(opened, told)) == 2, "a key with a correction keeps none"
    before = await history(opened, told)
    await opened.consolidation_rows.reset(told, ["consolidated"])
    await opened.consolidation.consolidate(told)
    assert await history(opened, told) == before
    await settled_whole(opened, told)
    assert await history(opened, told) == before


async def test_erasing_what_is_carried_on_takes_it_out(
    opened: Parts, told: str, principal: MakePrincipal
) -> None:
    admin = await principal(told, role=Role.ADMIN, name="admin", kind="user")
    rules = {"params": {"scope": told}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    (fact,) = await query(
        opened.graph,
        "MATCH (f:Fact {scope: $s, predicate: 'status', status: 'active'}) RETURN f.id AS id",
        s=told,
    )
    assert any(fact["id"] in k["state"] for k in await states(opened, told))
    erased = await admin.http.post("/v1/erasures", json={"memory": fact["id"]})
    assert erased.is_success, erased.text
    assert not any(fact["id"] in k["state"] for k in await states(opened, told))
    before = await history(opened, told)
    await settled_whole(opened, told)
    assert await history(opened, told) == before
