"""Settings of the agent's memory by scope: what holds, changes, versions, and who obeys them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from app.cli.transfer import store_of
from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.progress import Progress
from app.portability.service import Order, import_attended, selection
from app.scopes import settings as scope_settings
from app.scopes import tuning
from app.scopes.settings import SECONDS
from app.settings import Settings
from app.wiring import (
    Parts,
    block_defaults,
    buffer_bounds,
    context_limits,
    injection_limits,
    judging_limits,
    learning_parts,
    observation_limits,
    pool_limits,
    promotion_rule,
    recall_limits,
    short_limits,
    table_limits,
    trace_limits,
    working_limits,
)
from tests.conftest import Command, MakePrincipal, Principal
from tests.support.waiting import later

PATH = "/v1/scopes/settings"
Patched = Callable[..., Awaitable[Any]]


@pytest.fixture
def patched(admin: Principal, writer: Principal, tenant: str) -> Patched:
    """`await patched({"pools": {"per_scope": 1}})`: the tenant's settings with that."""

    async def call(body: Any, scope: str = "", **more: Any) -> Any:
        query = {"scope": scope or f"{tenant}/dev", **more.pop("params", {})}
        answer = await admin.http.patch(PATH, params=query, json=body, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return call


async def held(who: Principal, scope: str) -> dict[str, Any]:
    answer = await who.http.get(PATH, params={"scope": scope})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def flat(told: dict[str, Any]) -> dict[str, tuple[Any, str | None]]:
    return {
        f"{group}.{name}": (one["value"], one["origin"])
        for group, inner in told["settings"].items()
        for name, one in inner.items()
    }


async def test_what_nobody_sets_is_the_installations(writer: Principal, tenant: str) -> None:
    told = await held(writer, f"{tenant}/dev")
    assert (told["scope"], told["version"]) == (f"{tenant}/dev", 0)
    assert set(told["settings"]) == set(tuning.GROUPS)
    one = told["settings"]["conversations"]["messages"]
    assert one == {
        "value": 10, "origin": None, "default": 10, "least": 1, "most": 100,
        "description": "Most messages of a buffer.",
    }  # fmt: skip
    assert {origin for _, origin in flat(told).values()} == {None}


async def test_the_nearest_scope_upward_says_each_setting(
    writer: Principal, patched: Patched, tenant: str
) -> None:
    await patched({"conversations": {"messages": 4, "hits": 3}}, tenant)
    done = flat(await patched({"conversations": {"messages": 6}, "tables": {"columns": 5}}))
    assert done["conversations.messages"] == (6, f"{tenant}/dev")
    assert done["conversations.hits"] == (3, tenant)
    assert done["tables.columns"] == (5, f"{tenant}/dev")
    assert done["tables.rows"] == (10_000, None)
    back = flat(await patched({"conversations": {"messages": None}}))
    assert back["conversations.messages"] == (4, tenant)
    assert back == flat(await held(writer, f"{tenant}/dev"))


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        ({"pool": {}}, "pool", "there is no group pool"),
        ({"pools": {"maximum": 1}}, "pools.maximum", "there is no setting pools.maximum"),
        ({"pools": 3}, "pools", "pools is an object"),
        ({"pools": {"max_bytes": 1023}}, "pools.max_bytes", "max_bytes is at least 1024"),
        ({"pools": {"per_scope": 1001}}, "pools.per_scope", "at most 1000 in this installation"),
        ({"conversations": {"messages": 0}}, "conversations.messages", "messages is at least 1"),
        ({"conversations": {"messages": 101}}, "conversations.messages", "at most 100"),
        ({"conversations": {"messages": "5"}}, "conversations.messages", "whole number"),
        ({"conversations": {"messages": 5.5}}, "conversations.messages", "whole number"),
        ({"conversations": {"messages": True}}, "conversations.messages", "whole number"),
        ({"conversations": {"cron": "* * * * *"}}, "conversations.cron", "whole installation"),
        ({"conversations": {"prompt": "x" * 4001}}, "conversations.prompt", "at most 4000"),
        ({"tiers": {"alike": 1.01}}, "tiers.alike", "alike is at most 1"),
        ({"working": {"agent_bytes": 1024}}, "working.agent_bytes", "whole installation"),
    ],
)
async def test_what_no_scope_may_set_is_refused_by_name(
    admin: Principal, tenant: str, body: Any, field: str, says: str
) -> None:
    good = {"tables": {"columns": 3}} | body
    answer = await admin.http.patch(PATH, params={"scope": tenant}, json=good)
    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert says in error["detail"]
    assert (await held(admin, tenant))["version"] == 0


async def test_versions_are_told_apart_and_kept(
    admin: Principal, patched: Patched, opened: Parts, tenant: str
) -> None:
    first = await patched({"pools": {"per_scope": 5}}, headers={"If-Match": "0"})
    again = await patched({"pools": {"per_scope": 5}}, headers={"If-Match": '"1"'})
    would = await patched({"pools": {"per_scope": 7}}, params={"dry_run": True})
    assert (first["version"], again["version"], would["version"]) == (1, 1, 2)
    assert would["settings"]["pools"]["per_scope"]["value"] == 7
    late = await admin.http.patch(
        PATH,
        params={"scope": f"{tenant}/dev"},
        json={"pools": {"per_scope": 6}},
        headers={"If-Match": "0"},
    )
    assert (late.status_code, late.json()["errors"][0]["field"]) == (412, "If-Match")
    await patched({"pools": {"per_scope": None}, "tables": {"rows": 9}})
    told = (await admin.http.get(f"{PATH}/history", params={"scope": f"{tenant}/dev"})).json()
    assert [(one["version"], one["settings"]) for one in told["items"]] == [
        (2, {"tables": {"rows": 9}}),
        (1, {"pools": {"per_scope": 5}}),
    ]
    assert {one["changed_by"] for one in told["items"]} == {admin.caller.principal}
    audit = await admin.http.get("/v1/audit", params={"scope": f"{tenant}/dev"})
    kinds = [one["kind"] for one in audit.json()["items"]]
    assert kinds.count("settings.set") == 2


async def test_only_administrators_change_and_strangers_see_nothing(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    body, where = {"pools": {"per_scope": 5}}, {"scope": f"{tenant}/dev"}
    assert (await writer.http.patch(PATH, params=where, json=body)).status_code == 403
    other = await principal(f"{tenant}x/dev", role=Role.ADMIN, name="oddly")
    for path in (PATH, f"{PATH}/history"):
        assert (await other.http.get(path, params=where)).status_code == 404
    assert (await other.http.patch(PATH, params=where, json=body)).status_code == 404


async def test_two_writers_at_once_lose_nothing(patched: Patched, tenant: str) -> None:
    names = ["messages", "hits", "hit_characters", "query_characters", "items", "model_least"]
    bodies = [{"conversations": {name: 50}} for name in names if name != "hit_characters"]
    await asyncio.gather(*(patched(body) for body in bodies))
    done = await patched({})
    assert done["version"] == len(bodies)
    values = {name: value for name, (value, origin) in flat(done).items() if origin}
    assert values == {f"conversations.{n}": 50 for n in names if n != "hit_characters"}


async def test_any_order_of_changes_is_a_chain_of_maps(
    admin: Principal, patched: Patched, tenant: str
) -> None:
    dice = random.Random(56)
    scopes = [tenant, f"{tenant}/dev", f"{tenant}/dev/agent:chain"]
    await admin.http.post("/v1/scopes", json={"scope": scopes[2]})
    names = ["pools.per_scope", "tables.columns", "learning.uses", "contexts.snapshots"]
    model: list[dict[str, int]] = [{}, {}, {}]
    versions = [0, 0, 0]
    for _ in range(24):
        at, name = dice.randrange(3), dice.choice(names)
        value = dice.choice([None, 1, 2, 20])
        before = dict(model[at])
        model[at].pop(name, None)
        if value is not None:
            model[at][name] = value
        versions[at] += model[at] != before
        group, _, key = name.partition(".")
        await patched({group: {key: value}}, scopes[at])
    for at, scope in enumerate(scopes):
        told = await held(admin, scope)
        assert told["version"] == versions[at]
        found = {name: one for name, one in flat(told).items() if one[1]}
        assert found == {
            name: next((model[i][name], scopes[i]) for i in range(at, -1, -1) if name in model[i])
            for name in names
            if any(name in model[i] for i in range(at + 1))
        }


def tuned_in(limits: Any) -> Iterator[str]:
    for one in fields(limits):
        if "setting" in one.metadata:
            yield one.metadata["setting"]
        elif is_dataclass(getattr(limits, one.name)):
            yield from tuned_in(getattr(limits, one.name))


def test_every_setting_is_read_by_somebody(opened: Parts) -> None:
    settings = Settings()
    learning = learning_parts(settings, opened.graph, opened.scopes, opened.spaces)
    limits = [make(settings) for make in (
        buffer_bounds, context_limits, judging_limits, pool_limits, promotion_rule, recall_limits,
        short_limits, table_limits, working_limits, injection_limits, observation_limits,
        trace_limits, block_defaults,
    )]  # fmt: skip
    limits += [learning["segments"].limits, learning["intents"].rule, opened.goals.rule]
    limits += [opened.escalations.limits]
    read = {name for one in limits for name in tuned_in(one)}
    assert read - tuning.INSTALLATION == set(tuning.tunable())
    assert set(tuning.tunable()) > tuning.CEILINGS


def test_a_bound_of_the_installation_is_not_passed() -> None:
    limits = table_limits(Settings())
    done = tuning.overlaid(limits, {"tables.columns": 99_999, "tables.rows": 7})
    assert (done.columns, done.rows, done.batch) == (64, 7, 1000)
    assert tuning.overlaid(limits, {}) is limits


async def post(who: Principal, path: str, body: Any) -> Any:
    answer = await who.http.post(path, json=body)
    return answer.status_code, answer.json()


async def test_services_obey(writer: Principal, patched: Patched, tenant: str) -> None:
    await patched(
        {
            "working": {"ttl_seconds": 77, "keys": 1, "value_bytes": 64},
            "short_term": {"ttl_seconds": 88, "ttl_most": 99, "entries": 2},
            "tiers": {"reads": 1},
            "pools": {"per_scope": 1, "max_bytes": 1024},
            "contexts": {"per_scope": 1},
            "learning": {"uses": 1},
            "tables": {"columns": 2, "per_scope": 1},
            "conversations": {"messages": 2, "hits": 1},
        }
    )
    # working memory
    slot = await writer.http.put("/v1/working-memory/t1/keys/a", json={"value": 1})
    assert (slot.status_code, slot.json()["ttl"]) == (200, 77), slot.text
    for name, value in (("b", 1), ("a", "x" * 99)):
        more = await writer.http.put(f"/v1/working-memory/t1/keys/{name}", json={"value": value})
        assert more.status_code in (409, 413), more.text
    # short-term memory and tiers
    made = {"session": "s", "key": "k1", "value": 1}
    code, entry = await post(writer, "/v1/short-term-memory", made)
    assert (code, entry["ttl"]) == (201, 88)
    code, refused = await post(writer, "/v1/short-term-memory", made | {"key": "k2", "ttl": 100})
    assert (code, refused["errors"][0]["field"]) == (422, "ttl")
    await post(writer, "/v1/short-term-memory", made | {"key": "k2", "ttl": 99})
    assert (await post(writer, "/v1/short-term-memory", made | {"key": "k3"}))[0] == 409
    assert (await writer.http.get(f"/v1/short-term-memory/{entry['id']}")).status_code == 200
    stats = (await writer.http.get("/v1/tiers/stats")).json()
    assert stats["short_term"]["ready"] == 1, stats
    # pools, contexts, tables
    assert (await post(writer, "/v1/pools", {"pool_id": "p1", "name": "p1"}))[0] == 201
    assert (await post(writer, "/v1/pools", {"pool_id": "p2", "name": "p2"}))[0] == 409
    big = await writer.http.put("/v1/pools/p1/data", json={"value": {"x": "y" * 1100}})
    assert big.status_code == 413
    table = {"name": "t", "columns": [{"name": c} for c in ("a", "b", "c")]}
    code, refused = await post(writer, "/v1/tables", table)
    assert (code, refused["errors"][0]["field"]) == (409, "columns"), refused
    # conversations
    said = [{"content": f"The mill has {n} wheels."} for n in ("two", "three", "four")]
    code, turn = await post(writer, "/v1/turns", {"session": "talk", "messages": said})
    assert (turn["conversation"]["buffered"], len(turn["conversation"]["left"])) == (2, 1)
    figures = (await writer.http.get("/v1/conversations/talk")).json()
    assert figures["buffer_most"] == 2


async def test_another_process_follows(
    opened: Parts,
    patched: Patched,
    tenant: str,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = type(opened.scopes.settings)(opened.graph, settings)
    limits, scope = table_limits(settings), f"{tenant}/dev"
    assert (await other.limits(limits, scope)).columns == 64
    await patched({"tables": {"columns": 3}})
    assert (await opened.scopes.limits(limits, scope)).columns == 3
    later(monkeypatch, scope_settings, SECONDS)
    assert (await other.limits(limits, scope)).columns == 3


async def test_settings_come_back_from_a_package_and_forget_who_set_them(
    opened: Parts,
    admin: Principal,
    patched: Patched,
    principal: MakePrincipal,
    tenant: str,
    tmp_path: Path,
) -> None:
    lead = await principal(f"{tenant}/dev", role=Role.ADMIN, name="lead", subtree=False)
    where = {"scope": f"{tenant}/dev"}
    prompt = {"conversations": {"prompt": "Keep what Quirin Ostwald says of mills."}}
    assert (await lead.http.patch(PATH, params=where, json=prompt)).status_code == 200
    await patched({"pools": {"per_scope": 5}})
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await export_package(opened.graph, tmp_path / "out", chosen)
    assert before["records"]["workspace_settings"] == 1
    told = flat(await held(admin, where["scope"]))
    await opened.graph.raw(
        "MATCH (n:WorkspaceSettings {scope: $scope}) DETACH DELETE n RETURN count(*) AS n", **where
    )

    async def untold(progress: Progress, size: int) -> None:
        """Tells nobody."""

    result = await import_attended(store_of(opened), Order(tmp_path / "out"), untold)
    assert result["kinds"]["workspace_settings"]["accepted"] == 1
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    assert flat(await held(admin, where["scope"])) == told
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    body = {"author": lead.caller.principal, "scope": where["scope"]}
    answer = await admin.http.post("/v1/erasures", json=body)
    erased = answer.json()
    assert answer.status_code in (200, 202), erased
    if erased["job"]:
        assert await opened.runner.run(opened, erased["job"]) == "done"
    history = (await admin.http.get(f"{PATH}/history", params=where)).json()["items"]
    assert [(one["changed_by"], one["settings"]) for one in history] == [
        (admin.caller.principal, {"pools": {"per_scope": 5}}),
        ("", {}),
    ]
    assert await broken(opened.graph, tenant) == []


async def test_the_command_line_shows_and_sets(
    command: Command, admin: Principal, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    change = ("--set", "tables.columns=7", "--set", "conversations.prompt=Keep mills.", "--json")
    done = await command("scope", "settings", scope, *change)
    assert done.exit_code == 0, done.output
    shown = flat(await held(admin, scope))
    assert shown["tables.columns"] == (7, scope)
    assert shown["conversations.prompt"] == ("Keep mills.", scope)
    back = await command("scope", "settings", scope, "--unset", "tables.columns")
    assert "tables.columns" in back.output
    assert flat(await held(admin, scope))["tables.columns"] == (64, None)
    wrong = await command("scope", "settings", scope, "--set", "tables.columns=0")
    assert wrong.exit_code != 0
