"""Whoever sees a whole subtree names it once, and finds just what naming each scope finds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.access.service import operator
from app.indexing.entry import Facts, entry
from app.kernel.caller import Role
from app.kernel.scope import parse_scope
from app.search.lucene import escaped, text_query
from app.search.model import MOST_SCOPES, Filters
from app.search.reach import FEW, Reach, alone, subtrees
from app.search.repository import SearchRepository
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

Drain = Callable[[], Awaitable[int]]
WORDS = ["acme", "acme2", "acme.x", "a-b"]
LEAVES = ["", "/dev", "/dev/user:ada", "/dev/agent:bot", "/dev2", "/dev.x", "/dev/team:q"]
PATHS = [f"{tenant}{leaf}" for tenant in WORDS for leaf in LEAVES]


@given(st.sets(st.sampled_from(PATHS)), st.sets(st.sampled_from(PATHS)))
def test_subtrees_hold_nothing_but_what_is_seen(seen: set[str], hidden: set[str]) -> None:
    known = seen | hidden
    trees = subtrees(seen, sorted(known))
    covered = {p for p in known if any(p == t or p.startswith(f"{t}/") for t in trees)}
    assert covered <= seen
    assert covered | set(alone(sorted(seen), trees)) == seen
    assert not any(one.startswith(f"{other}/") for one in trees for other in trees)


def test_a_tenant_that_is_seen_whole_is_one_name() -> None:
    known = ["t", *(f"t/w{n}" for n in range(1000))]
    assert subtrees(known, known) == ["t"]
    assert alone(known, ["t"]) == []
    assert subtrees(known[1:], known) == []
    few = Filters(scopes=known, trees=["t"])
    assert few.pieces == [few]


def test_more_scopes_than_a_query_takes_are_asked_in_pieces() -> None:
    scopes = [f"t/w{n}" for n in range(2 * MOST_SCOPES + 1)]
    pieces = Filters(scopes=scopes).pieces
    assert [s for piece in pieces for s in piece.scopes] == scopes
    assert max(len(piece.scopes) for piece in pieces) == MOST_SCOPES


@pytest.mark.parametrize(
    ("path", "told"), [("a-b/c.d", r"a\-b\/c\.d"), ("t/user:x", r"t\/user\:x")]
)
def test_a_path_is_a_beginning_and_no_syntax(path: str, told: str) -> None:
    assert escaped(path) == told


async def stored(parts: Parts, paths: list[str]) -> None:
    """One text in each scope."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        entry(Facts(path, path, "note", moment, moment), "The lighthouse of Kestrel")
        | {"tenant": path.partition("/")[0], "content": "The lighthouse", "index_state": "done"}
        for path in paths
    ]
    await parts.graph.raw(
        "UNWIND $rows AS row CREATE (n:Searchable:Note:Memory) SET n = row, n.id = row.memory_id",
        rows=rows,
    )


async def found(parts: Parts, filters: Filters) -> set[str]:
    repository, ids = SearchRepository(parts.graph), set[str]()
    for piece in filters.pieces:
        query = text_query(["lighthous", "lighthouse"], [], piece, None)
        assert query is not None
        ids |= set((await repository.keyword(query, filters.scopes, 5000)).scores)
    return ids


async def test_one_name_for_a_subtree_finds_what_all_names_find(opened: Parts, tenant: str) -> None:
    paths = [path.replace("acme", tenant).replace("a-b", f"{tenant}-b") for path in PATHS]
    wide = [f"{tenant}/dev/user:u{n}" for n in range(1100)]
    await stored(opened, [*paths, *wide])
    known = [*paths, *wide]
    cases: list[list[str]] = [
        [p for p in known if p.partition("/")[0] == tenant],
        [p for p in known if p == f"{tenant}/dev" or p.startswith(f"{tenant}/dev/")],
        wide,
        [f"{tenant}/dev", f"{tenant}/dev2"],
    ]
    for scopes in cases:
        trees = subtrees(scopes, known)
        whole: Any = await found(opened, Filters(scopes=scopes, kinds=["note"], trees=trees))
        listed = await found(opened, Filters(scopes=scopes, kinds=["note"]))
        assert whole == listed == set(scopes)


async def near(parts: Parts, filters: Filters) -> set[str]:
    """Ids of the vector leg, of more places than there are texts."""
    vector = [1.0] * parts.embedder.info.dimension
    (part,) = [
        replace(part, vector=vector)
        for part in await parts.spaces.asked("lighthouse", filters.scopes)
    ]
    repository = SearchRepository(parts.graph)
    return set((await repository.vector(part, filters, None, 5000)).scores)


async def test_one_name_for_a_tenant_finds_what_its_scopes_find_by_vectors(
    opened: Parts, tenant: str
) -> None:
    other = f"{tenant}-b"
    mine = [tenant, *(f"{tenant}/w{n}" for n in range(40))]
    await stored(opened, [*mine, other, f"{other}/w1"])
    size = opened.embedder.info.dimension
    await opened.graph.raw(
        "MATCH (n:Searchable) WHERE n.tenant IN $tenants SET n.embedding = $vector",
        tenants=[tenant, other],
        vector=[1.0] * size,
    )
    early = datetime(2025, 1, 1, tzinfo=UTC)
    for more in ({}, {"since": early}, {"since": early, "until": early}):
        listed = Filters(scopes=mine, kinds=["note"], **more)
        whole = replace(listed, trees=[tenant])
        assert (listed.tenant, whole.tenant) == (None, tenant)
        expected = set() if "until" in more else set(mine)
        assert await near(opened, listed) == await near(opened, whole) == expected
    part = replace(Filters(scopes=mine[:20], kinds=["note"]), trees=[tenant])
    assert await near(opened, part) == set(mine[:20])


async def test_a_scope_made_a_moment_later_comes_in_by_no_subtree(
    opened: Parts, tenant: str
) -> None:
    """The subtrees are as they were a moment ago; since then somebody has made a leaf below one."""
    seen = [tenant, f"{tenant}/dev", *(f"{tenant}/dev/team:t{n}" for n in range(FEW))]
    caller = operator(tenant, [tenant])
    await opened.scopes.ensure([parse_scope(path) for path in seen], caller)
    reach = Reach(opened.graph)
    trees = await reach.trees(seen)
    assert trees == [tenant]
    late = f"{tenant}/dev/user:ada"
    await opened.scopes.ensure([parse_scope(late)], caller)
    await stored(opened, [*seen, late])
    assert await reach.trees(seen) == trees
    assert await found(opened, Filters(scopes=seen, kinds=["note"], trees=trees)) == set(seen)
    assert await Reach(opened.graph).trees(seen) == []


async def test_a_private_leaf_is_hidden_from_who_sees_all_but_that(
    admin: Principal, principal: MakePrincipal, drain: Drain, tenant: str
) -> None:
    """Over HTTP and without naming scopes: a reader who saw a whole tenant as he first asked is
    shown nothing of the leaf that somebody gets after that, in any mode."""
    reader = await principal(tenant, role=Role.READER, name="looks", kind="user", subtree=False)
    seen = [tenant, *(f"{tenant}/team:t{n}" for n in range(FEW))]
    for scope in seen[1:]:
        await admin.http.post("/v1/scopes", json={"scope": scope})
        grant = {"scope": scope, "role": "reader"}
        path = f"/v1/principals/{reader.caller.principal}/grants"
        assert (await admin.http.post(path, json=grant)).is_success
    text = "The harpsichord of Velden stands in the tower."

    async def told(scope: str) -> None:
        body = {"content": text, "session": "s", "scope": scope}
        assert (await admin.http.post("/v1/episodes", json=body)).status_code == 201

    async def shown() -> set[str]:
        places: set[str] = set()
        for mode in ("auto", "hybrid", "keyword", "vector"):
            body = {"query": "Where does the harpsichord stand?", "mode": mode, "limit": 50}
            answer = await reader.http.post("/v1/search", json=body)
            assert answer.status_code == 200, answer.text
            places |= {hit["scope"] for hit in answer.json()["hits"]}
        return places

    await told(seen[1])
    await drain()
    assert await shown() == {seen[1]}
    private = f"{tenant}/user:quendolin"
    await admin.http.post("/v1/scopes", json={"scope": private})
    await told(private)
    await told(seen[2])
    await drain()
    assert await shown() == {seen[1], seen[2]}
