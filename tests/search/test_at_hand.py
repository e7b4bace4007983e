"""Values of working and short-term memory among the hits of a search."""

from __future__ import annotations

from typing import Any

from app.kernel.caller import Role
from app.search.at_hand import judged, merged
from app.search.mode import Mode
from app.search.model import Filters, Found, Hit, SearchRequest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.search.test_service import capture

HAND = ["short_term", "working"]


def hit(name: str, relevance: float, text: str = "", kind: str = "episode") -> Hit:
    memory = {"kind": kind, "content": text or name}
    return Hit(name, 1, 1.0, {}, memory, (0, 1), 10, relevance=relevance)


def ranked(hits: list[Hit], values: list[Hit], **asked: Any) -> list[tuple[str, int]]:
    request = SearchRequest(query="x", filters=Filters(scopes=["t"]), **asked)
    found = merged(Found(hits, Mode.HYBRID, len(hits), 0, 0, {}), values, request)
    return [(one.id, one.rank) for one in found.hits]


def test_a_value_stands_above_the_first_hit_that_is_less_relevant() -> None:
    hits = [hit("a", 0.9), hit("b", 0.4), hit("c", 0.6)]
    values = [hit("v", 0.5), hit("w", 0.95), hit("x", 0.3)]
    order = [("w", 1), ("a", 2), ("v", 3), ("b", 4), ("c", 5), ("x", 6)]
    assert ranked(hits, values) == order
    assert ranked(hits, values, limit=2) == order[:2]
    assert ranked(hits, values, token_budget=30) == order[:3]
    assert ranked([], values) == [("w", 1), ("v", 2), ("x", 3)]
    assert ranked(hits, []) == [("a", 1), ("b", 2), ("c", 3)]


def test_nothing_is_said_twice() -> None:
    values = [hit("v", 0.5, "said"), hit("w", 0.95, "held"), hit("x", 0.3, "said")]
    assert ranked([hit("a", 0.9, "held")], values) == [("a", 1), ("v", 2)]


def test_a_value_is_judged_by_words_and_vector() -> None:
    rows = [
        {"id": str(n), "content": text, "title": "k"}
        for n, text in enumerate(["The kiln is hot.", "Der Ofen ist heiß."])
    ]
    (worded, other) = judged("Is the kiln hot?", rows, [0.5, 0.5])
    assert worded.relevance > 0.9 > other.relevance


async def found(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    """The hits of a search."""
    answer = await who.http.post("/v1/search", json={"query": query, "limit": 20, **more})
    assert answer.status_code == 200, answer.text
    hits: list[dict[str, Any]] = answer.json()["hits"]
    return hits


async def keep(who: Principal, session: str, key: str, value: Any, *, short: bool) -> None:
    """Keep a value at hand."""
    if short:
        body = {"session": session, "key": key, "value": value}
        answer = await who.http.post("/v1/short-term-memory", json=body)
    else:
        url = f"/v1/working-memory/{session}/keys/{key}"
        answer = await who.http.put(url, json={"value": value})
    assert answer.is_success, answer.text


async def test_values_at_hand_are_ranked_among_memories(
    writer: Principal, opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    await keep(writer, "spring", "kiln", "The kiln of the pottery is hot at noon.", short=True)
    await keep(writer, "spring", "oven", {"text": "The kiln of the pottery is red."}, short=False)
    await keep(writer, "spring", "post", "Invoices leave by post.", short=False)
    await keep(writer, "autumn", "kiln", "The kiln of the pottery is cold.", short=False)
    await capture(writer, "The kiln of the pottery was repaired.", session="a", speaker="Ada")
    await opened.indexing.drain()
    query = "kiln of the pottery"
    plain = await found(writer, query)
    assert {one["kind"] for one in plain} == {"episode"}
    hits = await found(writer, query, kinds=["episode", *HAND], session="spring")
    assert {one["kind"] for one in hits} == set(HAND), "the session is kept to"
    texts = [one["untrusted"]["text"] for one in hits]
    assert sorted(texts) == [
        "The kiln of the pottery is hot at noon.", "The kiln of the pottery is red."
    ]  # fmt: skip
    both = await found(writer, query, kinds=["episode", "short_term"])
    assert {one["kind"] for one in both} == {"episode", "short_term"}
    assert [one["rank"] for one in both] == [1, 2]
    relevant = [one["relevance"] for one in both]
    assert relevant == sorted(relevant, reverse=True)
    short = next(one for one in both if one["kind"] == "short_term")
    assert short["untrusted"]["title"] == "kiln"
    read = await writer.http.get(f"/v1/short-term-memory/{short['source']['short_term_id']}")
    assert read.is_success, read.text
    assert read.json()["access_count"] <= 1, "a search counts as no reading"
    bundle = await writer.http.post(
        "/v1/search", json={"query": query, "kinds": ["short_term"], "form": "bundle"}
    )
    assert "hot at noon" in bundle.json()["bundle"]
    # A stranger, and another agent beside it, find none of it.
    for other in (
        await principal(f"{tenant}/dev", name="other", role=Role.ADMIN),
        await principal(f"{tenant}-2/dev", name="far"),
    ):
        for more in ({}, {"session": "spring"}):
            kinds = HAND if more else ["short_term"]
            assert await found(other, query, kinds=kinds, **more) == []


async def test_what_cannot_be_at_hand_is_refused_or_not_there(writer: Principal) -> None:
    await keep(writer, "spring", "kiln", "The kiln of the pottery is hot.", short=True)
    query = "kiln of the pottery"
    assert len(await found(writer, query, kinds=["short_term"])) == 1
    past = {"as_of": "2020-01-01T00:00:00Z"}
    for more in (past, {"tags": ["a"]}, {"roles": ["user"]}, {"flagged": True}, {"limit": 0}):
        assert await found(writer, query, kinds=["short_term"], **more) == []
    assert await found(writer, query, kinds=["short_term"], until="2020-01-01T00:00:00Z") == []
    assert await found(writer, "Wann ist das Konzert?", kinds=["short_term"]) == []
    for body, field in (
        ({"kinds": ["working"]}, "session"),
        ({"kinds": ["short_term"], "form": "relevant_context"}, "kinds"),
    ):
        answer = await writer.http.post("/v1/search", json={"query": query, **body})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["field"] == field
