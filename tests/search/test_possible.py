"""What may have changed is told wherever a held fact is recalled: over every way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from app.extraction.model import Precision
from app.facts.possible import Newer, PossibleChange
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.graph import query_log
from app.search.model import Filters, SearchRequest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import query
from tests.facts.constructed import Told, believe
from tests.search.test_service import search

Drain = Callable[[], Awaitable[int]]
NOW = {"ongoing": True}
HOME = Told(0, "Ilse Harmsen", "lives_in", "Bremen", more=NOW)
MOVED = Told(50, "Ilse Harmsen", "lives_in", "Oldenburg", rest="they say", more=NOW)
OLD, NEW = "Ilse Harmsen lives in Bremen", "Ilse Harmsen lives in Oldenburg"
ASKED = "Where does Ilse Harmsen live?"


@pytest.fixture
async def told(opened: Parts, writer: Principal, drain: Drain) -> list[str]:
    """Both texts, read and indexed; ids of the episodes."""
    ids = await believe(opened, {"one": writer.caller}, [HOME, MOVED])
    await drain()
    return ids


def by_text(hits: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {hit["untrusted"]["text"]: hit for hit in hits}


def newer(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["untrusted"]["statement"] for entry in entries]


def test_it_is_worded_in_the_language_of_the_source() -> None:
    day = datetime(2026, 3, 2, 9, tzinfo=UTC)
    moved = Newer("Nora moved, they say", day, fact="b")
    told = PossibleChange("a", "Nora lives in Ghent", "en", (moved,))
    assert told.sentence == (
        "Nora lives in Ghent (possibly changed on 2026-03-02: “Nora moved, they say”)"
    )
    gone = Newer("Nora ist wohl umgezogen", day, Precision.MONTH, passage="p")
    german = PossibleChange("a", "Nora wohnt in Gent", "de", (gone, moved))
    assert german.aside == (
        "(möglicherweise geändert im Zeitraum 2026-03: „Nora ist wohl umgezogen“; "
        "am 2026-03-02: „Nora moved, they say“)"
    )
    first, _ = german.wire()
    assert (first["older"], first["fact"], first["passage"]) == ("a", None, "p")


async def test_hits_and_bundles_tell_it(writer: Principal, told: list[str]) -> None:
    found = await search(writer, ASKED, form="both")
    hits = by_text(found["hits"])
    (entry,) = hits[OLD]["possible_changes"]
    assert entry["older"] == hits[OLD]["id"]
    assert entry["fact"] == hits[NEW]["id"]
    assert entry["passage"] is None
    assert entry["since"] == hits[NEW]["fact"]["since"]
    assert entry["untrusted"] == {"statement": NEW, "older": OLD}
    assert hits[NEW]["possible_changes"] == []
    episode = hits[HOME.text]
    assert newer(episode["possible_changes"]) == [NEW]
    assert hits[MOVED.text]["possible_changes"] == []
    inside = found["bundle"].split("<recalled-memory-context>")[1]
    aside = f"(possibly changed on {entry['since'][:10]}: “{NEW}”)"
    assert f">{OLD} {aside}</memory>" in inside
    assert f'possibly-changed="{OLD} {aside}"' in inside
    assert inside.count("possibly changed on") == 2


async def test_at_an_earlier_moment_nothing_is_told(
    opened: Parts, writer: Principal, drain: Drain
) -> None:
    await believe(opened, {"one": writer.caller}, [HOME])
    between = now()
    await believe(opened, {"one": writer.caller}, [MOVED])
    await drain()
    hits = by_text((await search(writer, ASKED, kinds=["fact"]))["hits"])
    assert newer(hits[OLD]["possible_changes"]) == [NEW]
    before = hits[OLD]["fact"]["since"]
    for moment in ({"as_of": before}, {"known_at": between.isoformat()}):
        earlier = by_text((await search(writer, ASKED, kinds=["fact"], **moment))["hits"])
        assert list(earlier) == [OLD]
        assert earlier[OLD]["possible_changes"] == []


async def test_contexts_answers_and_single_memories_tell_it(
    writer: Principal, told: list[str]
) -> None:
    aside = f": “{NEW}”)"
    asked = {"query": ASKED, "top_k": 10}
    found = (await writer.http.post("/v1/rag/retrieve", json=asked)).json()
    results = by_text(found["results"])
    assert newer(results[HOME.text]["possible_changes"]) == [NEW]
    assert results[MOVED.text]["possible_changes"] == []
    context = (await writer.http.post("/v1/rag/context", json={"query": ASKED})).json()["context"]
    assert f"{OLD} (possibly changed on " in context
    assert aside in context
    # Of two that fit as well either may be quoted: the older is asked for by its words.
    asked = {"query": "Does Ilse Harmsen live in Bremen?", "top_k": 10}
    answer = (await writer.http.post("/v1/rag/ask", json=asked)).json()
    sources = by_text(answer["sources"])
    old = next(text for text in sources if text in (OLD, HOME.text))
    assert newer(sources[old]["possible_changes"]) == [NEW]
    assert aside in answer["untrusted"]["answer"]
    seeds = await writer.http.get("/api/v1/ai/rag/search", params={"query": ASKED})
    listed = {one["untrusted"]["content"]: one for one in seeds.json()["data"]["results"]}
    assert newer(listed[HOME.text]["possible_changes"]) == [NEW]
    fact = by_text((await search(writer, ASKED, kinds=["fact"]))["hits"])[OLD]["id"]
    one = (await writer.http.get(f"/v1/memories/{fact}")).json()
    assert newer(one["possible_changes"]) == [NEW]
    other = (await writer.http.get(f"/v1/memories/{told[1]}")).json()
    assert other["possible_changes"] == []


GRAPHQL = """
query($q: String!) {
  search(input: {query: $q}) { hits { untrusted { text } possibleChanges {
    olderId factId passageId since untrusted { statement older } fact { id } } } }
  ask(input: {query: $q}) { sources { untrusted { text } possibleChanges { factId } } }
  retrieve(input: {query: $q}) { results { untrusted { text } possibleChanges { factId } } }
}
"""


async def test_graphql_tells_it(writer: Principal, told: list[str]) -> None:
    body = {"query": GRAPHQL, "variables": {"q": ASKED}}
    answer = (await writer.http.post("/graphql", json=body)).json()
    assert "errors" not in answer, answer
    data = answer["data"]
    hits = by_text(data["search"]["hits"])
    (entry,) = hits[OLD]["possibleChanges"]
    assert entry["untrusted"] == {"statement": NEW, "older": OLD}
    assert entry["fact"]["id"] == entry["factId"]
    assert entry["passageId"] is None
    results = by_text(data["retrieve"]["results"])
    assert results[HOME.text]["possibleChanges"] == [{"factId": entry["factId"]}]
    sources = by_text(data["ask"]["sources"])
    assert any(one["possibleChanges"] for one in sources.values())


async def test_communities_tell_it(opened: Parts, writer: Principal, told: list[str]) -> None:
    home = writer.caller.home
    await opened.communities.refresh(home)
    found = (await writer.http.get("/v1/communities", params={"scope": home})).json()
    lines = [line for one in found["items"] for line in one["untrusted"]["lines"]]
    assert any(line.startswith(f"{OLD} (possibly changed on ") for line in lines)
    assert NEW in lines


async def test_what_is_out_of_sight_is_not_told(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, told: list[str]
) -> None:
    """No edge leads out of a scope; were there one, nothing of its other end would be told."""
    beside = await principal(f"{tenant}/apart", name="other")
    await believe(opened, {"one": beside.caller}, [MOVED])
    await query(
        opened.graph,
        "MATCH (f:Fact {scope: $s, statement: $old})<-[m:MAY_CHANGE]-() "
        "MATCH (n:Fact {scope: $apart, statement: $new}) "
        "CREATE (n)-[x:MAY_CHANGE]->(f) SET x = properties(m), x.id = m.id + '-x' DELETE m",
        s=writer.caller.home, apart=beside.caller.home, old=OLD, new=NEW,
    )  # fmt: skip
    hit = by_text((await search(writer, ASKED, kinds=["fact"]))["hits"])[OLD]
    assert hit["possible_changes"] == []
    both = await principal(tenant, name="all", role=Role.ADMIN)
    hits = (await search(both, ASKED, kinds=["fact"]))["hits"]
    (seen,) = (h for h in hits if h["id"] == hit["id"])
    assert newer(seen["possible_changes"]) == [NEW]
    stranger = await principal(f"{tenant}-other", role=Role.ADMIN, name="eve")
    assert (await search(stranger, ASKED))["hits"] == []
    assert (await stranger.http.get(f"/v1/memories/{hit['id']}")).status_code == 404


async def test_a_search_asks_for_each_thing_once(
    opened: Parts, writer: Principal, told: list[str]
) -> None:
    """What the question names, what is read and what may have changed, in as few queries."""
    request = SearchRequest(ASKED, Filters(scopes=[writer.caller.home]))
    await opened.searches.search(request)
    asked: list[tuple[str, float]] = []
    token = query_log.set(asked)
    try:
        found = await opened.searches.search(request)
    finally:
        query_log.reset(token)
    assert {hit.id for hit in found.hits} >= set(told)
    assert any(hit.changes for hit in found.hits)
    counts = Counter(name for name, _ in asked)
    once = ("facts.to_be_changed", "facts.standing", "search.hydrate", "search.naming")
    assert {name: counts[name] for name in once} == dict.fromkeys(once, 1)
    assert counts["facts.texts_with"] <= 1
    assert counts["facts.texts_said"] <= 1
