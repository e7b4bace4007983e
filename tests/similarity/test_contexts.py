"""Entries of contexts by meaning, with the model that ships: what is related is found, what is not
is not; within one context and by the search of the scope."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, Make, add, held, listed, make, posted, refused, update

__all__ = ["make"]
Drain = Callable[[], Awaitable[int]]
TEXTS = {
    "backup": "The nightly backup of the order database runs at 02:30 and is kept for 30 days.",
    "pump": "The cooling pump in hall 3 must be greased every two weeks.",
    "leave": "Employees have 28 days of paid leave a year.",
    "kaffee": "Die Kaffeemaschine in der Küche wird jeden Freitag entkalkt.",
    "rechnung": "Rechnungen an die Stadtwerke gehen immer am Monatsersten per Post hinaus.",
    "schluessel": "Der Schlüssel zum Serverraum liegt beim Pförtner.",
}
RELATED = {
    "When does the backup of the order database run?": "backup",
    "How often must the cooling pump be greased?": "pump",
    "How many days of paid leave do employees have?": "leave",
    "Wann wird die Kaffeemaschine entkalkt?": "kaffee",
    "Wann werden die Rechnungen an die Stadtwerke verschickt?": "rechnung",
    "Wo liegt der Schlüssel zum Serverraum?": "schluessel",
}
INJECTED = 0.6  # what is put into prompts is searched by
UNRELATED = [
    "Which orchestra played Mahler in Vienna?",
    "What is the boiling point of tungsten?",
    "Welche Farbe hat das Fell von Eisbären?",
    "Wer gewann die Weltmeisterschaft im Schach?",
]


async def keys(who: Principal, context: str, query: str, **more: Any) -> list[str]:
    told = await posted(who, f"{URL}/{context}/search", {"query": query, **more})
    items = told["items"]
    shares = [item["similarity"] for item in items]
    assert shares == sorted(shares, reverse=True)
    assert all(share >= more.get("threshold", 0.7) for share in shares)
    return [item["entry"]["untrusted"]["key"] for item in items]


async def found(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    answer = await who.http.post("/v1/search", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    hits: list[dict[str, Any]] = answer.json()["hits"]
    return hits


async def test_what_is_related_is_found_in_the_context_and_nothing_else(
    writer: Principal, make: Make, drain: Drain
) -> None:
    context, beside = await make("house"), await make("beside")
    for key, text in TEXTS.items():
        await add(writer, context, key, {"text": text})
    await add(writer, beside, "backup", TEXTS["backup"])
    await drain()
    sure = 0
    for query, key in RELATED.items():
        assert await keys(writer, context, query, threshold=INJECTED) == [key], query
        sure += await keys(writer, context, query) == [key]
    assert sure >= 4, "at .7, which is strict, most are found"
    for query in UNRELATED:
        assert await keys(writer, context, query, threshold=INJECTED) == [], query
    assert len(await keys(writer, context, "backup", threshold=0, limit=3)) == 3
    assert await keys(writer, beside, next(iter(RELATED))) == ["backup"]
    (told,) = await listed(writer, context, key="backup")
    assert told["access_count"] >= 1
    read = (await writer.http.get(f"{URL}/{context}/accesses")).json()["items"]
    assert {one["act"] for one in read} == {"search"}


async def test_what_is_changed_or_archived_is_found_as_it_is(
    writer: Principal, make: Make, drain: Drain
) -> None:
    context = await make("house")
    made = await add(writer, context, "k", TEXTS["backup"])
    gone = await add(writer, context, "gone", TEXTS["pump"])
    await drain()
    query = "How often must the cooling pump be greased?"
    assert await keys(writer, context, query, threshold=INJECTED) == ["gone"]
    await writer.http.delete(f"{URL}/{context}/entries/{gone['id']}")
    assert await keys(writer, context, query, threshold=INJECTED) == []
    await update(writer, context, made["id"], TEXTS["pump"])
    await drain()
    assert await keys(writer, context, query, threshold=INJECTED) == ["k"]
    assert await keys(writer, context, "When does the backup of the order database run?") == []


async def test_the_search_of_the_scope_finds_entries_and_strangers_do_not(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make, drain: Drain
) -> None:
    context = await make("house")
    made = await add(writer, context, "pump", TEXTS["pump"])
    gone = await add(writer, context, "leave", TEXTS["leave"])
    await writer.http.delete(f"{URL}/{context}/entries/{gone['id']}")
    await drain()
    query = "How often must the cooling pump be greased?"
    hits = await found(writer, query)
    assert [(hit["kind"], hit["id"]) for hit in hits] == [("context_entry", made["id"])]
    assert await found(writer, query, session=context)
    assert not [h for h in await found(writer, "paid leave of employees") if h["id"] == gone["id"]]
    for scope in (f"{tenant}/ops", f"{tenant}x/dev"):
        stranger = await principal(scope, name="stranger")
        assert await found(stranger, query) == []
        path = f"{URL}/{context}/search"
        assert (await refused(stranger, "POST", path, json={"query": query}))[0] == 404


async def test_experiences_that_say_the_same_are_merged_by_hand(
    opened: Parts, writer: Principal, make: Make, drain: Drain
) -> None:
    context = await make("lived")
    lived = {"memory_type": "experiential"}
    same = "Restarting the gateway after the certificate change fixed the login errors."
    keep = await add(writer, context, "a", same, importance=0.8, tags=["x"], **lived)
    twin = await add(writer, context, "b", same, confidence=0.9, tags=["y"], **lived)
    await add(writer, context, "c", "The import of the price list failed: a column was missing.",
              **lived)  # fmt: skip
    await add(writer, context, "fact", same, memory_type="factual")
    await drain()
    groups = [[keep["id"], twin["id"]]]
    path = f"{URL}/{context}/merge"
    assert await posted(writer, path) == {"dry_run": True, "groups": groups}
    assert len(await held(writer, context)) == 4
    assert (await posted(writer, path, {"dry_run": False}))["groups"] == groups
    (kept,) = await listed(writer, context, key="a")
    assert (kept["confidence"], kept["merged"]) == (0.9, [twin["id"]])
    assert kept["untrusted"]["tags"] == ["x", "y"]
    (gone,) = await listed(writer, context, status="archived")
    assert (gone["id"], gone["reason"]) == (twin["id"], "merged")
    assert (await posted(writer, path, {"dry_run": False}))["groups"] == []


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("When does the backup of the order database run?", "backup"),
        ("Wo liegt der Schlüssel zum Serverraum?", "schluessel"),
    ],
)
async def test_an_agent_recalls_by_meaning_what_it_remembered(
    writer: Principal, drain: Drain, query: str, key: str
) -> None:
    for name, text in TEXTS.items():
        await posted(writer, "/v1/own-memory/remember", {"key": name, "content": text})
    await drain()
    told = await posted(writer, "/v1/own-memory/recall", {"query": query})
    assert told["way"] == "meaning"
    assert told["items"][0]["entry"]["untrusted"]["key"] == key
    assert all(item["similarity"] >= 0.5 for item in told["items"])
