"""What an agent remembers of itself: remember, recall, forget."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import URL, held, listed, posted, refused

OWN = "/v1/own-memory"


async def remember(who: Principal, key: str, content: Any, **more: Any) -> dict[str, Any]:
    return await posted(who, f"{OWN}/remember", {"key": key, "content": content, **more})


async def recall(who: Principal, query: str, **more: Any) -> dict[str, Any]:
    return await posted(who, f"{OWN}/recall", {"query": query, **more})


def keys(told: dict[str, Any]) -> list[str]:
    return [item["entry"]["untrusted"]["key"] for item in told["items"]]


async def test_an_agent_has_one_memory_of_its_own(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    made = await asyncio.gather(*(remember(writer, f"k{n}", n + 1) for n in range(4)))
    contexts = {one["context_id"] for one in made}
    assert len(contexts) == 1, "two who ask first at once get the same"
    theirs = await remember(other, "k0", "mine")
    assert theirs["context_id"] not in contexts
    (context,) = contexts
    assert await held(writer, context) == {f"k{n}": n + 1 for n in range(4)}
    body = {"key": "x", "content": 1}
    assert (await refused(other, "POST", f"{URL}/{context}/entries", json=body))[0] == 404
    read = (await writer.http.get(f"{URL}/{context}")).json()
    assert (read["type"], read["owner"]) == ("agent_memory", writer.caller.principal)


async def test_what_is_remembered_again_is_changed_and_the_same_is_not(writer: Principal) -> None:
    first = await remember(writer, "city", "Ulm", tags=["home"])
    assert (await remember(writer, "city", "Ulm"))["version"] == 1
    second = await remember(writer, "city", "Bonn")
    assert (second["id"], second["version"]) == (first["id"], 2)
    assert await held(writer, first["context_id"]) == {"city": "Bonn"}


async def test_what_shares_words_is_recalled_by_its_share(writer: Principal) -> None:
    await remember(writer, "pump", "The pump of the plant leaks oil.")
    await remember(writer, "plant", "The plant opens at six.")
    await remember(writer, "cat", "Cats sleep all day.")
    told = await recall(writer, "pump plant oil")
    assert (told["way"], keys(told)) == ("words", ["pump", "plant"])
    assert [item["similarity"] for item in told["items"]] == [1.0, 0.3333]
    assert keys(await recall(writer, "pump plant oil", limit=1)) == ["pump"]
    assert (await recall(writer, "zebra"))["items"] == []
    context = told["items"][0]["entry"]["context_id"]
    assert (await listed(writer, context, key="pump"))[0]["access_count"] == 2


async def test_what_is_forgotten_fades_and_comes_back_when_remembered(writer: Principal) -> None:
    await remember(writer, "pump", "The pump leaks.", importance=0.8)
    await remember(writer, "weak", "The weak pump leaks.", importance=0.4)
    told = await posted(writer, f"{OWN}/forget", {"key": "pump"})
    assert (round(told["importance"], 6), told["forgotten_at"] is not None) == (0.08, True)
    again = await posted(writer, f"{OWN}/forget", {"key": "pump"})
    assert again["importance"] == told["importance"]
    assert (await posted(writer, f"{OWN}/forget", {"key": "weak"}))["importance"] < 0.05
    assert keys(await recall(writer, "pump leaks")) == ["pump"], "below .05 it is hidden"
    back = await remember(writer, "weak", "The weak pump leaks.", importance=0.4)
    assert (back["importance"], back["forgotten_at"]) == (0.4, None)
    assert sorted(keys(await recall(writer, "pump leaks"))) == ["pump", "weak"]
    assert await refused(writer, "POST", f"{OWN}/forget", json={"key": "none"}) == (404, "key")


async def test_what_is_said_anew_of_what_was_forgotten_counts_as_new(writer: Principal) -> None:
    await remember(writer, "pump", "The pump leaks.", importance=0.4)
    await posted(writer, f"{OWN}/forget", {"key": "pump"})
    anew = await remember(writer, "pump", "The pump is whole.")
    assert (anew["importance"], anew["forgotten_at"]) == (0.5, None)
    assert keys(await recall(writer, "pump whole")) == ["pump"]
    other = await remember(writer, "pump", "The pump leaks again.", importance=0.9)
    assert (other["importance"], other["version"]) == (0.9, anew["version"] + 1)
    same = await remember(writer, "pump", "The pump leaks again.", importance=0.2)
    assert (same["importance"], same["version"]) == (0.9, other["version"])


async def test_beyond_the_limit_the_oldest_keys_go(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.contexts, "limits", replace(opened.contexts.limits, own=14))
    for number in range(14):
        made = await remember(writer, f"k{number:02}", number + 1)
    await remember(writer, "k00", "changed last")
    assert len(await held(writer, made["context_id"])) == 14
    await remember(writer, "new", "one too many")
    left = sorted(await held(writer, made["context_id"]))
    assert left == ["k00", "k12", "k13", "new"], "one too many, and ten more"
    gone = await listed(writer, made["context_id"], status="archived")
    assert {e["reason"] for e in gone} == {"surplus"}
    assert len(gone) == 11


async def test_a_reflection_tells_what_was_read_twice_every_15_minutes(
    opened: Parts, writer: Principal
) -> None:
    await remember(writer, "pump", {"text": "The pump leaks."})
    await remember(writer, "cat", "Cats sleep.")
    assert await posted(writer, f"{OWN}/reflect") == {"entry": None}
    for query in ("pump", "pump", "pump", "cats", "cats"):
        await recall(writer, query)
    made = (await posted(writer, f"{OWN}/reflect"))["entry"]
    assert made["entry_type"] == "reflection"
    assert made["untrusted"]["content"] == {
        "keys": ["pump", "cat"], "text": "pump: The pump leaks.\ncat: Cats sleep.",
    }  # fmt: skip
    again = (await posted(writer, f"{OWN}/reflect"))["entry"]
    assert again["id"] == made["id"]
    await opened.graph.raw(
        "MATCH (e:ContextEntry {id: $id}) SET e.created_at = $at",
        id=made["id"], at=now() - timedelta(minutes=16),
    )  # fmt: skip
    later = (await posted(writer, f"{OWN}/reflect"))["entry"]
    assert later["id"] != made["id"]
    assert later["untrusted"]["content"] == made["untrusted"]["content"]


async def test_who_only_reads_has_no_memory_of_its_own(
    principal: MakePrincipal, tenant: str
) -> None:
    reader = await principal(f"{tenant}/dev", role=Role.READER)
    for path, body in (("remember", {"key": "k", "content": 1}), ("recall", {"query": "x"})):
        assert (await refused(reader, "POST", f"{OWN}/{path}", json=body))[0] == 403
