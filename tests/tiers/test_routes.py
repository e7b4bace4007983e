"""One memory over its tiers, over HTTP."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from app.contexts.drafting import Draft, entry_of
from app.contexts.kind import CONTEXT, CONTEXT_ENTRY
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.scopes.service import own_leaf
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import posted
from tests.tiers.conftest import URL, consolidate, kept, noted, read, write

TIERS = ("working", "short_term", "long_term", "shared")


async def refused(who: Principal, method: str, path: str, **how: Any) -> tuple[int, str | None]:
    """Status and field of a refusal."""
    answer = await who.http.request(method, f"{URL}{path}", **how)
    assert answer.status_code >= 400, answer.text
    errors = answer.json().get("errors") or [{}]
    return answer.status_code, errors[0].get("field")


async def test_a_key_is_read_from_the_first_tier_that_has_it(writer: Principal) -> None:
    assert await read(writer, "plan") == {
        "found": False, "key": "plan", "tier": None, "id": None, "scope": None,
        "expires_at": None, "untrusted": {},
    }  # fmt: skip
    for tier in reversed(TIERS):
        value = {"from": tier, "steps": [1, None, True]}
        made = await write(writer, "plan", value, tier=tier)
        assert (made["found"], made["tier"], made["untrusted"]["value"]) == (True, tier, value)
        found = await read(writer, "plan")
        assert (found["tier"], found["untrusted"]["value"]) == (tier, value)
        place = own_leaf(writer.caller) if tier == "long_term" else writer.caller.home
        assert found["scope"] == place
    for tier in TIERS:
        assert (await read(writer, "plan", tier=tier))["untrusted"]["value"]["from"] == tier
    assert (await read(writer, "plan", session_id="s2"))["tier"] == "long_term"
    assert (await read(writer, "none", tier="working"))["found"] is False


@pytest.mark.parametrize("tier", [None, "somewhere", "short", "stm"])
async def test_an_unknown_tier_is_short_term(writer: Principal, tier: str | None) -> None:
    made = await write(writer, "k", 1, tier=tier)
    assert made["tier"] == "short_term"
    entry = (await writer.http.get(f"/v1/short-term-memory/{made['id']}")).json()
    assert (entry["session"], entry["key"], entry["type"], entry["ttl"]) == (
        "s1",
        "k",
        "general",
        3600,
    )


async def test_a_second_write_takes_the_place_of_the_first(writer: Principal) -> None:
    for tier in TIERS:
        for value in ("a", "b", ["c"]):
            await write(writer, "again", value, tier=tier)
        assert (await read(writer, "again", tier=tier))["untrusted"]["value"] == ["c"]
    both = await asyncio.gather(*(write(writer, "race", n) for n in range(4)))
    assert {one["id"] for one in both} == {both[0]["id"]}
    assert (await read(writer, "race"))["untrusted"]["value"] in range(4)


async def test_times_to_live_are_the_tiers_own(writer: Principal) -> None:
    async def left(tier: str, **more: Any) -> float:
        made = await write(writer, f"t{len(more)}", "x", tier=tier, **more)
        return (datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)).total_seconds()

    assert await left("working") == pytest.approx(1800, abs=10)
    assert await left("working", ttl=60) == pytest.approx(60, abs=10)
    assert await left("short_term") == pytest.approx(3600, abs=10)
    assert await left("short_term", ttl=90) == pytest.approx(90, abs=10)
    assert (await write(writer, "l", "x", tier="long_term"))["expires_at"] is None
    body = {"key": "l", "value": 1, "tier": "long_term", "ttl": 5}
    assert await refused(writer, "PUT", "/value", json=body) == (422, "ttl")
    body = {"key": "l", "value": 1, "tier": "shared", "ttl": 5}
    assert await refused(writer, "PUT", "/value", json=body) == (422, "ttl")


async def test_deleting_is_as_each_tier_has_it(writer: Principal) -> None:
    for tier in TIERS:
        await write(writer, "gone", tier, tier=tier)
    at: dict[str, str] = {"key": "gone", "session_id": "s1"}
    entry = (await read(writer, "gone", tier="long_term"))["id"]
    for tier in TIERS[:3]:
        answer = await writer.http.delete(f"{URL}/value", params=at | {"tier": tier})
        assert answer.status_code == 204, answer.text
        assert (await read(writer, "gone", tier=tier))["found"] is False
        assert await refused(writer, "DELETE", "/value", params=at | {"tier": tier}) == (
            (404, "key") if tier == "long_term" else (404, None)
        )
    # What was kept for long is archived, and can be read by its id.
    listed = (await writer.http.get("/v1/contexts")).json()["items"]
    context = next(one["id"] for one in listed if one["type"] == "agent_memory")
    archived = (await writer.http.get(f"/v1/contexts/{context}/entries/{entry}")).json()
    assert (archived["status"], archived["reason"]) == ("archived", "removed")
    assert await refused(writer, "DELETE", "/value", params=at | {"tier": "shared"}) == (
        409,
        "tier",
    )
    assert (await read(writer, "gone"))["tier"] == "shared"
    assert await refused(writer, "DELETE", "/value", params=at) == (422, "tier")
    assert await refused(writer, "DELETE", "/value", params=at | {"tier": "all"}) == (422, "tier")


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"key": "k", "value": 1, "tier": "working"}, (422, "session_id")),
        ({"key": "k", "value": 1}, (422, "session_id")),
        ({"key": "a key", "value": 1, "session_id": "s"}, (422, "key")),
        ({"key": "", "value": 1, "session_id": "s"}, (422, "key")),
        ({"key": "k", "value": "", "tier": "long_term"}, (422, "content")),
        ({"key": "k", "value": 1, "tier": "shared", "pool": "nothere"}, (404, "pool")),
        ({"key": "k", "value": 1, "session_id": "s", "ttl": 0}, (422, "ttl")),
        ({"key": "k", "value": 1, "session_id": "s", "type": "odd"}, (422, "type")),
        ({"key": "k", "value": 1, "session_id": "s", "scope": "nowhere/dev"}, (404, "scope")),
    ],
)
async def test_a_bad_write_names_its_field_and_changes_nothing(
    writer: Principal, body: dict[str, Any], wrong: tuple[int, str]
) -> None:
    assert await refused(writer, "PUT", "/value", json=body) == wrong
    figures = (await writer.http.get(f"{URL}/stats")).json()
    assert (figures["short_term"]["entries"], figures["long_term"]["entries"]) == (0, 0)


async def test_nobody_reads_what_another_agent_keeps(
    writer: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    abroad = await principal(f"{tenant}x/dev", name="scout")
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    for tier in TIERS:
        await write(writer, "mine", tier, tier=tier)
    for tier in TIERS[:3]:
        for who in (other, abroad, reader):
            assert (await read(who, "mine", tier=tier))["found"] is False
    assert (await read(other, "mine"))["tier"] == "shared"  # the default pool is everybody's
    assert (await read(abroad, "mine"))["found"] is False
    at = {"key": "mine", "session_id": "s1"}
    for tier, code in (("working", 404), ("short_term", 404), ("long_term", 404)):
        assert (await refused(other, "DELETE", "/value", params=at | {"tier": tier}))[0] == code
        assert (await refused(reader, "DELETE", "/value", params=at | {"tier": tier}))[0] == 403
    assert (await refused(reader, "PUT", "/value", json={"key": "k", "value": 1}))[0] == 403
    assert (await refused(reader, "POST", "/consolidate", json={}))[0] == 403
    assert (await refused(writer, "POST", "/promote", json={}))[0] == 403
    home = {"scope": writer.caller.home, "key": "mine", "session_id": "s1"}
    assert (await refused(abroad, "GET", "/value", params=home)) == (404, "scope")
    await opened.indexing.drain()
    hits = (await other.http.post(f"{URL}/search", json={"query": "mine", "least": 0})).json()
    shared = [(hit["tier"], hit["id"]) for hit in hits["hits"]]
    assert shared == [("shared", "default")], "what is in the default pool is everybody's"
    mine = (await writer.http.post(f"{URL}/search", json={"query": "mine", "least": 0})).json()
    assert {hit["tier"] for hit in mine["hits"]} == {"short_term", "long_term", "shared"}


async def test_what_is_promoted_is_shown_to_its_agent_alone(
    writer: Principal, principal: MakePrincipal, tenant: str, admin: Principal, opened: Parts
) -> None:
    said = "The vault of the cooperage opens at noon."
    other = await principal(f"{tenant}/dev", name="other")
    await noted(writer, "vault", said, 3)
    assert (await consolidate(writer))["counts"] == {"promoted": 1}
    await write(writer, "cellar", "The cellar of the cooperage floods.", tier="long_term")
    await opened.indexing.drain()
    query = {"query": "When does the vault of the cooperage open?"}
    for who, count in ((writer, 1), (other, 0), (admin, 1)):
        found = await who.http.post("/v1/search", json=query)
        assert sum(said == hit["untrusted"]["text"] for hit in found.json()["hits"]) == count
    for path, more in (("/v1/search", {"form": "relevant_context"}), (f"{URL}/context", {})):
        mine, theirs = [
            (await who.http.post(path, json=query | more)).text for who in (writer, other)
        ]
        assert said in mine
        assert "cooperage" not in theirs.replace(query["query"], "")
    contexts = (await other.http.get("/v1/contexts")).json()["items"]
    assert contexts == []
    assert (await read(other, "vault"))["found"] is False


async def test_what_was_kept_at_home_before_is_still_its_agents(
    writer: Principal, principal: MakePrincipal, tenant: str, opened: Parts
) -> None:
    old, new = "The weir is shut on Sundays.", "The weir is shut on Mondays."
    await _kept_at_home(opened, writer, "weir", old)
    await _kept_at_home(opened, writer, "lock", "The lock keeper is called Odila.")
    await opened.indexing.drain()
    found = await read(writer, "weir")
    assert (found["scope"], found["untrusted"]["value"]) == (writer.caller.home, old)
    hits = (await writer.http.post(f"{URL}/search", json={"query": old, "least": 0.9})).json()
    assert [hit["untrusted"]["key"] for hit in hits["hits"]] == ["weir"]
    told = await posted(writer, "/v1/own-memory/recall", {"query": "lock keeper Odila"})
    assert [each["entry"]["untrusted"]["key"] for each in told["items"]] == ["lock"]
    assert (await writer.http.get(f"{URL}/stats")).json()["long_term"]["entries"] == 2
    made = await write(writer, "weir", new, tier="long_term")
    assert made["scope"] == own_leaf(writer.caller)
    assert (await read(writer, "weir"))["untrusted"]["value"] == new
    (gone,) = await kept(opened, writer, "archived")
    assert (gone["scope"], orjson.loads(gone["value"])) == (writer.caller.home, old)
    await posted(writer, "/v1/own-memory/forget", {"key": "lock"})
    assert (await writer.http.get(f"{URL}/stats")).json()["long_term"]["entries"] == 2
    await _kept_at_home(opened, writer, "sluice", "It is open.")
    at = {"key": "sluice", "tier": "long_term"}
    assert (await writer.http.delete(f"{URL}/value", params=at)).status_code == 204
    assert (await read(writer, "sluice"))["found"] is False


async def _kept_at_home(opened: Parts, who: Principal, key: str, value: str) -> None:
    """Keep something as older versions did: in a context of the agent's home."""
    home = [c for c in (await opened.contexts.remembered(who.caller))[1]
            if c.scope == who.caller.home]  # fmt: skip
    context = (
        home[0]
        if home
        else opened.contexts.blank_own(who.caller).model_copy(update={"scope": who.caller.home})
    )
    entry = entry_of(Draft(key, value), context, who.caller.principal, now())
    rows = [CONTEXT_ENTRY.new(entry)]
    await opened.graph.rows(Q.kinds.restore, rows=[CONTEXT.new(context)])
    await opened.graph.rows(Q.kinds.restore, rows=rows)


async def test_figures_are_told_by_tier(writer: Principal) -> None:
    for tier in TIERS:
        await write(writer, "one", f"{tier} is one", tier=tier)
    for _ in range(3):
        await read(writer, "one", tier="short_term")
    await write(writer, "two", "y", type="plan")
    figures = (await writer.http.get(f"{URL}/stats")).json()
    assert figures["working"]["tasks"] == 1
    assert figures["working"]["bytes"] > 0
    assert figures["short_term"] == {
        "entries": 2, "bytes": 22, "ready": 1, "by_type": {"general": 1, "plan": 1},
    }  # fmt: skip
    assert figures["long_term"] == {"entries": 1, "promoted": 0}
    assert figures["shared"]["pools"] == 1
    assert (await consolidate(writer))["counts"] == {"promoted": 1}
    figures = (await writer.http.get(f"{URL}/stats")).json()
    assert (figures["short_term"]["entries"], figures["short_term"]["ready"]) == (1, 0)
    assert figures["long_term"] == {"entries": 2, "promoted": 1}


async def test_values_are_found_by_meaning_in_every_tier(writer: Principal, drain: Any) -> None:
    said = {
        "working": "The kiln of the pottery is hot in the morning.",
        "short_term": "The kiln of the pottery was repaired in May.",
        "long_term": "The kiln of the pottery takes forty bowls.",
    }
    for tier, text in said.items():
        await write(writer, f"kiln-{tier}", text, tier=tier)
        await write(writer, f"tax-{tier}", "Invoices leave by post.", tier=tier)
    await drain()
    body = {"query": "kiln of the pottery", "session_id": "s1", "least": 0.0}
    hits = (await writer.http.post(f"{URL}/search", json=body)).json()["hits"]
    assert {hit["tier"]: hit["untrusted"]["value"] for hit in hits[:3]} == said
    assert all(hit["untrusted"]["key"] == f"kiln-{hit['tier']}" for hit in hits[:3])
    shares = [hit["similarity"] for hit in hits]
    assert shares == sorted(shares, reverse=True)
    least = {**body, "least": shares[2], "tiers": ["working", "long_term"], "limit": 1}
    assert len((await writer.http.post(f"{URL}/search", json=least)).json()["hits"]) == 1
    elsewhere = {**body, "session_id": "s2", "tiers": ["working", "short_term"]}
    assert (await writer.http.post(f"{URL}/search", json=elsewhere)).json()["hits"] == []
    assert await refused(writer, "POST", "/search", json={"query": " "}) == (422, "query")
    assert (await refused(writer, "POST", "/search", json={"query": "x", "tiers": ["no"]}))[
        0
    ] == 422
