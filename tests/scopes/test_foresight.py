"""A dry run of settings tells what the change would do to recent memories, and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.scopes.service import own_leaf
from app.scopes.tuning import tunable
from app.tiers.foreseeing import ENTRIES_BY, JUDGING, ForeseeingParts, ForeseeingService
from app.tiers.foretold import LATER, SCOPES, WHOLES
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.conversations.conftest import append, clear, ids, judge, verdicts
from tests.conversations.test_judging import LONG, Judges, answer, endpoint, judges
from tests.embeddings.scripted_server import ScriptedServer
from tests.scopes.test_settings import PATH, Patched, patched, post

__all__ = ["endpoint", "judges", "patched"]
DRY = {"params": {"dry_run": True}}


async def short(
    who: Principal, key: str, ttl: int | None, reads: int = 0, scope: str | None = None
) -> str:
    body = {"session": "s", "key": key, "value": "x", "ttl": ttl, "scope": scope}
    identifier = str((await post(who, "/v1/short-term-memory", body))[1]["id"])
    for _ in range(reads):
        await who.http.get(f"/v1/short-term-memory/{identifier}")
    return identifier


def told(answer: dict[str, Any], *settings: str) -> dict[str, Any]:
    """The effect of some settings."""
    (found,) = [one for one in answer["effects"] if one["settings"] == list(settings)]
    return dict(found)


async def test_a_dry_run_tells_of_recent_entries_and_changes_none(
    admin: Principal, patched: Patched, principal: MakePrincipal, tenant: str
) -> None:
    home = f"{tenant}/dev"
    far = await principal(f"{tenant}/ops", name="far")
    await short(far, "elsewhere", 500_000, reads=2)
    hour, days, never = (
        await short(admin, "hour", 3600, scope=home),
        await short(admin, "days", 500_000, scope=home),
        await short(admin, "never", None, reads=2, scope=home),
    )
    where = {"scope": home}
    before = (await admin.http.get("/v1/short-term-memory", params=where)).json()["items"]
    assert len(before) == 3
    faded = await patched({"short_term": {"fade": 0.1}}, **DRY)
    effect = told(faded, "short_term.fade")
    assert (effect["kind"], effect["looked_at"], effect["ids"]) == ("short_memory", 3, [days])
    assert effect["changed"] == 1
    both = await patched({"short_term": {"fade": 0.0, "days": 1}}, **DRY)
    assert told(both, "short_term.fade", "short_term.days")["ids"] == [days]
    long = await patched({"short_term": {"ttl_most": 3000}}, **DRY)
    assert set(told(long, "short_term.ttl_most")["ids"]) == {hour, days}
    often = await patched({"tiers": {"reads": 2}}, **DRY)
    effect = told(often, "tiers.reads")
    assert (effect["ids"], effect["outcome"]) == ([never], "would be promoted")
    same = await patched({"tiers": {"reads": 3}}, **DRY)
    assert same["effects"] == [], "what stays as it is has none"
    after = (await admin.http.get("/v1/short-term-memory", params=where)).json()["items"]
    assert after == before
    now_held = (await admin.http.get(PATH, params=where)).json()
    assert (now_held["version"], now_held["effects"]) == (0, [])
    done = await patched({"tiers": {"reads": 2}})
    assert done["effects"] == [], "a change that is made is no dry run"


async def test_a_dry_run_counts_the_entries_of_others_and_names_none(
    writer: Principal, admin: Principal, patched: Patched, tenant: str
) -> None:
    await short(writer, "days", 500_000)
    own = await short(admin, "days", 500_000, scope=f"{tenant}/dev")
    effect = told(await patched({"short_term": {"fade": 0.1}}, **DRY), "short_term.fade")
    assert (effect["looked_at"], effect["changed"], effect["ids"]) == (2, 2, [own])


async def test_a_dry_run_tells_of_no_pool_that_its_caller_may_not_read(
    writer: Principal, patched: Patched
) -> None:
    for name, reader in (("hidden", False), ("open", True)):
        body = {"pool_id": name, "name": name, "access_control": {"public": reader},
                "data": {"x": "y" * 3000}}  # fmt: skip
        code, made = await post(writer, "/v1/pools", body)
        assert code == 201, made
    effect = told(await patched({"pools": {"max_bytes": 2048}}, **DRY), "pools.max_bytes")
    assert (effect["looked_at"], effect["changed"], effect["ids"]) == (1, 1, [made["id"]])


async def test_a_dry_run_tells_which_pools_would_be_too_large(
    writer: Principal, patched: Patched
) -> None:
    for name, size in (("small", 10), ("large", 3000)):
        body = {"pool_id": name, "name": name, "access_control": {"public": True},
                "data": {"x": "y" * size}}  # fmt: skip
        code, made = await post(writer, "/v1/pools", body)
        assert code == 201, made
    effect = told(await patched({"pools": {"max_bytes": 2048}}, **DRY), "pools.max_bytes")
    assert (effect["looked_at"], effect["changed"], effect["ids"]) == (2, 1, [made["id"]])


async def test_a_dry_run_tries_other_limits_on_what_was_judged(
    opened: Parts, writer: Principal, patched: Patched
) -> None:
    done = ids(await append(writer, "talk", "The crane stands in yard 4.", "ok", "danke dir"))
    await clear(writer, "talk")
    await judge(opened, writer)
    effect = told(
        await patched({"conversations": {"model_least": 1}}, **DRY), "conversations.model_least"
    )
    assert (effect["kind"], effect["looked_at"]) == ("conversation_message", 3)
    assert effect["changed"] == 0, "the rules say the same again"
    await opened.graph.raw(
        "MATCH (m:ConversationMessage {refers: $id}) SET m.verdict = 'discard'", id=done[0]
    )
    before = await verdicts(writer)
    effect = told(
        await patched({"conversations": {"prompt": "Keep cranes."}}, **DRY), "conversations.prompt"
    )
    assert (effect["changed"], effect["ids"]) == (1, [before[done[0]]["id"]])
    assert await verdicts(writer) == before


async def test_a_prompt_is_tried_on_the_model(
    opened: Parts, writer: Principal, judges: Judges, endpoint: ScriptedServer
) -> None:
    done = ids(await append(writer, "talk", LONG, "ok"))
    await clear(writer, "talk")
    await judge(opened, writer)
    before = await verdicts(writer)
    parts = ForeseeingParts(opened.graph, judges(), opened.shortterm.limits)
    endpoint.replies = [answer({"t1": False}, tokens=300)]
    held = {"conversations.prompt": ""}
    coming = {"conversations.prompt": "Keep nothing of cranes."}
    leaf = own_leaf(writer.caller)
    (effect,) = await ForeseeingService(parts).effects(writer.caller, {leaf: {}}, held, coming)
    assert (effect.looked_at, effect.ids) == (2, (before[done[0]]["id"],))
    assert "Keep nothing of cranes." in json.dumps(endpoint.requests, default=str)
    assert await verdicts(writer) == before


async def test_a_scope_that_sets_a_value_itself_is_not_affected(
    opened: Parts, writer: Principal, admin: Principal, patched: Patched, tenant: str
) -> None:
    home, leaf = f"{tenant}/dev", own_leaf(writer.caller)
    assert leaf.startswith(f"{home}/")
    await append(writer, "talk", "The crane stands in yard 4.", "ok")
    await clear(writer, "talk")
    await judge(opened, writer)
    entry = await short(admin, "days", 500_000, scope=home)
    await short(writer, "days", 500_000, scope=leaf)
    sizes = {"conversations": {"model_least": 1}, "pools": {"max_bytes": 4096}}
    own = {"short_term": {"ttl_most": 600_000, "fade": 0.2}, "tiers": {"reads": 9}, **sizes}
    body = {"pool_id": "large", "name": "large", "access_control": {"public": True},
            "data": {"x": "y" * 3000}, "scope": leaf}  # fmt: skip
    code, made = await post(writer, "/v1/pools", body)
    assert code == 201, made
    change = {"short_term": {"ttl_most": 3000, "fade": 0.1}, "tiers": {"reads": 1},
              "conversations": {"model_least": 2}, "pools": {"max_bytes": 2048}}  # fmt: skip
    before = await patched(change, **DRY)
    assert told(before, "short_term.ttl_most")["looked_at"] == 2
    assert told(before, "pools.max_bytes")["changed"] == 1
    assert told(before, "conversations.model_least")["looked_at"] == 2
    answer = await admin.http.patch(PATH, params={"scope": leaf}, json=own)
    assert answer.status_code == 200, answer.text
    after = await patched(change, **DRY)
    for setting in ("short_term.ttl_most", "short_term.fade"):
        effect = told(after, setting)
        assert (effect["looked_at"], effect["ids"]) == (1, [entry]), setting
    assert told(after, "tiers.reads")["looked_at"] == 1
    assert told(after, "pools.max_bytes")["looked_at"] == 0
    assert told(after, "conversations.model_least")["looked_at"] == 0


async def test_a_scope_that_sets_one_of_two_values_follows_the_other(
    admin: Principal, writer: Principal, patched: Patched, tenant: str
) -> None:
    leaf = own_leaf(writer.caller)
    await append(writer, "talk", "This makes the leaf.")
    await short(writer, "days", 500_000, scope=leaf)
    answer = await admin.http.patch(PATH, params={"scope": leaf}, json={"short_term": {"days": 1}})
    assert answer.status_code == 200, answer.text
    both = await patched({"short_term": {"fade": 0.0, "days": 2}}, **DRY)
    effect = told(both, "short_term.fade", "short_term.days")
    assert effect["looked_at"] == 1, "it would fade otherwise, within the days of its own"


def test_the_effect_of_every_setting_is_told() -> None:
    tried = {*ENTRIES_BY, "pools.max_bytes", *JUDGING}
    told_of = [*tried, *SCOPES, *WHOLES, *LATER]
    assert sorted(told_of) == sorted(tunable()), "tell `app/tiers/foretold.py` of a new one"


async def test_a_dry_run_tells_which_scopes_and_things_would_be_full(
    writer: Principal, admin: Principal, patched: Patched, tenant: str
) -> None:
    home = f"{tenant}/dev"
    for number in range(2):
        code, made = await post(writer, "/v1/contexts", {"name": f"c{number}"})
        assert code == 201, made
    entries = f"/v1/contexts/{made['id']}/entries"
    for key in ("a", "b", "c"):
        code, entry = await post(writer, entries, {"key": key, "content": key})
        assert code == 201, entry
    assert (await writer.http.delete(f"{entries}/{entry['id']}")).status_code == 200
    code, trace = await post(writer, "/v1/traces", {"task": "Bake"})
    assert code == 201, trace
    steps = {"steps": [{"thought": "Heat it."}]}
    code, added = await post(writer, f"/v1/traces/{trace['id']}/steps", steps)
    assert code == 201, added
    change = {"contexts": {"per_scope": 2, "entries": 2}, "traces": {"steps": 1, "links": 1}}
    answer = await patched(change, **DRY)
    full = told(answer, "contexts.per_scope")
    assert (full["kind"], full["changed"], full["ids"]) == ("scope", 1, [home])
    assert "would take no more" in full["outcome"]
    entries_full = told(answer, "contexts.entries")
    assert (entries_full["looked_at"], entries_full["ids"]) == (2, [made["id"]])
    assert told(answer, "traces.steps")["ids"] == [trace["id"]]
    assert told(answer, "traces.links")["changed"] == 0
    wider = await patched({"contexts": {"per_scope": 3, "entries": 3}}, **DRY)
    assert told(wider, "contexts.per_scope")["changed"] == 0
    assert told(wider, "contexts.entries")["ids"] == [], "what is archived does not count"
    # It is as the service does it, once the change is made.
    assert (await patched({"contexts": {"per_scope": 2}}))["effects"] == []
    code, refused = await post(writer, "/v1/contexts", {"name": "more"})
    assert code == 409, refused


async def test_a_dry_run_tells_of_settings_that_change_nothing_kept(patched: Patched) -> None:
    change = {"blocks": {"vector": 0.4, "text": 0.5}, "pools": {"versions": 3},
              "tiers": {"again_hours": 5}}  # fmt: skip
    answer = await patched(change, **DRY)
    reading = told(answer, "blocks.text", "blocks.vector")
    assert (reading["kind"], reading["looked_at"], reading["changed"]) == ("reading", 0, 0)
    assert told(answer, "pools.versions")["kind"] == "write"
    assert told(answer, "tiers.again_hours")["kind"] == "run"


@pytest.mark.parametrize("body", [{"tiers": {"reads": 0}}, {"odd": {"x": 1}}])
async def test_a_bad_change_has_no_effects(
    admin: Principal, writer: Principal, tenant: str, body: dict[str, Any]
) -> None:
    answer = await admin.http.patch(
        PATH, params={"scope": f"{tenant}/dev", "dry_run": True}, json=body
    )
    assert answer.status_code == 422
