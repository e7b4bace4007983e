"""One ranking over all tiers: by the same relevance, and each text once."""

from __future__ import annotations

from typing import Any

from app.indexing.kept import KEPT, KeptVectors
from app.kernel.clock import now
from app.search.held import Held, Where, told
from app.search.relevance import Asked
from app.tiers.injection import short_term
from app.tiers.model import Near, Tier, Value
from app.tiers.packing import Item, Section, packed
from app.tiers.service import ranked
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.lifecycle.test_person import erased
from tests.pools.conftest import Make, make
from tests.pools.conftest import write as fill
from tests.tiers.conftest import URL, write

__all__ = ["make", "switch"]
SAME = "The kiln of the pottery was repaired in May."
AGAIN = "The kiln of the pottery was repaired in May"
ASKED = "When was the kiln of the pottery repaired?"
BLOCK = {"query": ASKED, "form": "relevant_context", "context": {"threshold": 0.05}}


def near(tier: Tier, said: str, relevance: float) -> Near:
    return Near(Value(tier, None, "t/dev", said), tier.value, relevance, relevance, said)


def test_what_says_the_same_is_told_once_and_from_long_term_memory() -> None:
    found = [
        near(Tier.SHARED, AGAIN, 0.9),
        near(Tier.WORKING, "The kiln is cold.", 0.8),
        near(Tier.SHORT_TERM, SAME, 0.7),
        near(Tier.LONG_TERM, SAME, 0.6),
        near(Tier.SHORT_TERM, "The kiln is not cold.", 0.5),
    ]
    assert [(one.value.tier, one.relevance) for one in ranked(found)] == [
        (Tier.LONG_TERM, 0.6), (Tier.WORKING, 0.8), (Tier.SHORT_TERM, 0.5),
    ]  # fmt: skip
    assert [one.value.tier for one in ranked(found[:3])] == [Tier.SHARED, Tier.WORKING]


def test_values_say_by_themselves_what_they_say() -> None:
    assert told("kiln", "The kiln is hot.") == "The kiln is hot."
    assert told("kiln.degrees", 900) == "kiln.degrees: 900"
    assert told("kiln", {"text": "It is hot."}) == "It is hot."
    assert told("kiln", {"hot": True}) == 'kiln: {"hot":true}'
    assert [told("kiln", empty) for empty in ("", None, [], {})] == [""] * 4


def test_of_two_that_say_the_same_what_is_known_to_be_past_is_told() -> None:
    past = Item("n", "t/dev", SAME, {"past": "repaired in May, now: in June"})
    items = {
        Section.WORKING: [Item("keys:kiln", "t/dev", f"kiln: {SAME}", said=SAME)],
        Section.SHORT_TERM: [Item("s", "t/dev", f"k: {AGAIN}", said=AGAIN)],
        Section.GRAPH: [past, Item("g", "t/dev", "The kiln takes forty bowls.")],
    }
    done = packed(items, Asked.of(ASKED), 4000)
    assert done.ids == {"n", "g"}
    unmarked = {**items, Section.GRAPH: [Item("n", "t/dev", SAME)]}
    assert packed(unmarked, Asked.of(ASKED), 4000).ids == {"keys:kiln"}


def test_entries_of_a_session_are_told_by_relevance_then_importance() -> None:
    held = [
        Held(Where.SHORT_TERM, f"e{n}", f"k{n}", "t/dev", f"It is {n}.", now(), importance=n / 100)
        for n in range(30)
    ]
    worth = {one.name: 0.9 if one.key in ("k3", "k7") else 0.1 for one in held}
    told_of = [item.id for item in short_term(held, worth, 0.5)]
    assert told_of[:3] == ["e7", "e3", "e29"]
    assert len(told_of) == 20


async def test_vectors_are_made_once_and_kept_within_bytes(opened: Parts) -> None:
    embedder = opened.spaces.default
    kept = KeptVectors(3 * 4 * embedder.info.dimension)
    (first,) = await kept.of(embedder, "a", ["one kiln"])
    (again,) = await kept.of(embedder, "a", ["one kiln"])
    assert again is first
    (other,) = await kept.of(embedder, "b", ["one kiln"])
    assert other is not first, "of each tenant apart"
    await kept.of(embedder, "a", ["two kilns", "three kilns", "three kilns"])
    assert kept.cache_info() == (3, 3 * first.nbytes)
    (back,) = await kept.of(embedder, "a", ["one kiln"])
    assert back is not first, "what was not asked for longest has left"
    kept.cache_clear()
    assert kept.cache_info() == (0, 0)


async def everywhere(who: Principal, fresh: str = "") -> None:
    """One text in every tier, and in each tier another one."""
    for tier in ("working", "short_term", "long_term"):
        await write(who, f"same-{tier}", SAME if tier != "short_term" else AGAIN, tier=tier)
        await write(who, f"own-{tier}", f"The kiln of the pottery has a {tier} door.", tier=tier)
    await fill(who, "pottery", AGAIN, "kiln.repair")
    await fill(who, "pottery", f"The kiln of the pottery burns {fresh or 'oak'}.", "kiln.wood")


async def test_a_search_of_the_tiers_tells_each_text_once(
    writer: Principal, make: Make, drain: Any
) -> None:
    await make("pottery", access_control={"public": True})
    await everywhere(writer)
    await drain()
    body = {"query": ASKED, "session_id": "s1", "least": 0.0, "limit": 50}
    hits = (await writer.http.post(f"{URL}/search", json=body)).json()["hits"]
    said = [hit["untrusted"]["value"] for hit in hits]
    assert [one.rstrip(".") for one in said].count(AGAIN) == 1
    assert (hits[0]["tier"], said[0]) == ("long_term", SAME)
    assert len(said) == 5
    shares = [hit["relevance"] for hit in hits]
    assert shares == sorted(shares, reverse=True)
    without = {**body, "tiers": ["working", "short_term", "shared"]}
    hits = (await writer.http.post(f"{URL}/search", json=without)).json()["hits"]
    assert hits[0]["tier"] == "working", "of the tiers that are asked the first one"
    assert len(hits) == 4


async def test_a_context_and_a_block_tell_what_any_tier_holds_once(
    writer: Principal, make: Make, drain: Any, principal: MakePrincipal, tenant: str
) -> None:
    await make("pottery", access_control={"public": True})
    await everywhere(writer)
    assert (await writer.http.post("/v1/notes", json={"content": SAME})).status_code == 201
    await drain()
    body = {"query": ASKED, "session_id": "s1"}
    context = (await writer.http.post(f"{URL}/context", json=body)).json()["untrusted"]["text"]
    asked = {**BLOCK, "limit": 20}
    block = (await writer.http.post("/v1/search", json=asked)).json()["relevant_context"]
    turn = {"session": "s1", "messages": [{"content": ASKED}]} | {
        name: asked[name] for name in ("form", "context", "limit")
    }
    taken = (await writer.http.post("/v1/turns", json=turn)).json()["recalled"]["relevant_context"]
    for text in (context, block, taken):
        assert text.count(AGAIN) == 1, text
        assert "has a short_term door" in text
        assert "has a long_term door" in text
        assert "The kiln of the pottery burns oak." in text
    assert "has a working door" in context
    assert "has a working door" in taken, "of the task of the session's name"
    assert "has a working door" not in block, "no session was named"
    narrow = {**asked, "kinds": ["note"]}
    block = (await writer.http.post("/v1/search", json=narrow)).json()["relevant_context"]
    assert SAME in block
    assert "door" not in block
    # Others see the pool, and nothing of what an agent holds for itself.
    other = await principal(f"{tenant}/dev", name="other")
    block = (await other.http.post("/v1/search", json=asked)).json()["relevant_context"]
    assert "burns oak" in block
    assert "door" not in block
    abroad = await principal(f"{tenant}/ops", name="abroad")
    assert (await abroad.http.post("/v1/search", json=asked)).json()["relevant_context"] == ""


async def test_a_turn_recalls_what_is_held_where_nothing_is_indexed(writer: Principal) -> None:
    await write(writer, "kiln", SAME)
    turn = {"session": "s1", "messages": [{"content": ASKED}], "form": "relevant_context"}
    told_of = (await writer.http.post("/v1/turns", json=turn)).json()
    assert SAME in told_of["recalled"]["relevant_context"]


async def test_a_prompt_waits_for_less_to_be_embedded_than_a_search(writer: Principal) -> None:
    clay = "The clay of the pottery comes by barge. "
    await write(writer, "barge", f"{SAME} {clay * 600}")
    await write(writer, "wood", "The kiln of the pottery burns oak.")
    body = {"query": ASKED, "least": 0.0}
    hits = (await writer.http.post(f"{URL}/search", json=body)).json()["hits"]
    assert {hit["untrusted"]["key"] for hit in hits} == {"barge", "wood"}
    block = (await writer.http.post("/v1/search", json=BLOCK)).json()["relevant_context"]
    assert "burns oak" in block
    assert "barge" not in block


async def test_a_turn_tells_nothing_again_that_is_in_its_buffer(writer: Principal) -> None:
    await write(writer, "repair", AGAIN)
    await write(writer, "wood", "The kiln of the pottery burns oak.")
    said = [{"role": "user", "content": text} for text in (SAME, ASKED)]
    turn = {"session": "s1", "messages": said, "form": "relevant_context"} | {
        "context": BLOCK["context"]
    }
    block = (await writer.http.post("/v1/turns", json=turn)).json()["recalled"]["relevant_context"]
    assert "burns oak" in block
    assert AGAIN not in block


async def test_what_is_held_is_embedded_once_and_goes_from_the_cache_with_erasure(
    opened: Parts, writer: Principal, admin: Principal, make: Make, tenant: str, switch: Switch
) -> None:
    await switch(tenant, erasure=True)
    await make("pottery", access_control={"public": True})
    await fill(writer, "pottery", SAME, "kiln.repair")
    body = {"query": ASKED, "tiers": ["shared"], "least": 0.0}
    KEPT.cache_clear()
    for _ in range(2):
        hits = (await writer.http.post(f"{URL}/search", json=body)).json()["hits"]
        assert [hit["untrusted"]["value"] for hit in hits] == [SAME]
        assert KEPT.cache_info()[0] == 1
    await erased(opened, admin, {"author": writer.caller.principal, "scope": f"{tenant}/dev"})
    assert KEPT.cache_info() == (0, 0)
    assert (await writer.http.post(f"{URL}/search", json=body)).json()["hits"] == []
