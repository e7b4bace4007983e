"""Short-term memory and copies of working memory pass through packages, with their ends and to
nobody else than their agent."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.portability import short_lived
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.wiring import Parts
from app.working.erasing import WorkingErasure
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import Load, allow, erase, load

__all__ = ["load"]
SHORT, WORKING = "/v1/short-term-memory", "/v1/working-memory"
VALUES: list[Any] = [{"a": [1, 2.5, None]}, "text", [], {}, 0, True, None]


async def keep(who: Principal, key: str, value: Any, **more: Any) -> dict[str, Any]:
    body = {"session": "s1", "key": key, "value": value, **more}
    answer = await who.http.post(SHORT, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def entries(who: Principal) -> dict[str, dict[str, Any]]:
    answer = await who.http.get(SHORT)
    return {item["untrusted"]["key"] if "key" in item["untrusted"] else item["key"]: item
            for item in answer.json()["items"]}  # fmt: skip


async def clear(opened: Parts, scope: str) -> None:
    await opened.graph.raw(
        "MATCH (n:ShortMemory|WorkingCopy) WHERE n.scope STARTS WITH $s DETACH DELETE n "
        "RETURN count(*) AS n", s=scope,
    )  # fmt: skip


async def nodes(opened: Parts, scope: str) -> list[dict[str, Any]]:
    """Every property of the entries of a scope, but for when they were locked last."""
    rows = await opened.graph.raw(
        "MATCH (m:ShortMemory) WHERE m.scope STARTS WITH $s "
        "RETURN m {.*, touched_at: NULL} AS node ORDER BY m.id", s=scope,
    )  # fmt: skip
    return [row["node"] for row in rows]


async def wait_for_promotion(opened: Parts, entry: str) -> None:
    """Let an entry run out that was read often."""
    await opened.graph.raw(
        "MATCH (m:ShortMemory {id: $id}) SET m.expires_at = $at, m.ready = true RETURN m.id AS id",
        id=entry, at=now() - timedelta(seconds=1),
    )  # fmt: skip


async def test_entries_come_back_with_their_ends_and_once(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    other = await principal(f"{tenant}/dev", name="other")
    for number, value in enumerate(VALUES):
        await keep(writer, f"k{number}", value, ttl=3600)
    for_ever = await keep(writer, "for-ever", "x", ttl=None, type="plan")
    await keep(other, "k0", "the other's own")
    gone = await keep(writer, "gone", "x", ttl=60)
    await opened.graph.raw(
        "MATCH (m:ShortMemory {id: $id}) SET m.expires_at = $at RETURN m.id AS id",
        id=gone["id"], at=now() - timedelta(seconds=1),
    )  # fmt: skip
    before, theirs = await entries(writer), await entries(other)
    chosen = await selection(opened.graph, tenant)
    digest = (await digest_of(opened.graph, chosen))["digest"]
    await writer.http.get(f"{SHORT}/{for_ever['id']}")
    assert (await digest_of(opened.graph, chosen))["digest"] == digest, "reading changes nothing"
    await export_package(opened.graph, tmp_path / "out", chosen)

    again = await load(tmp_path / "out")
    assert again["kinds"]["short_memory"] == {"accepted": 0, "duplicates": 9, "rejected": 0}
    stored = [node for node in await nodes(opened, tenant) if node["id"] != gone["id"]]
    assert any("gained_at" in node and node["importance"] > 0.5 for node in stored)
    await clear(opened, tenant)
    first = await load(tmp_path / "out")
    assert first["kinds"]["short_memory"] == {"accepted": 9, "duplicates": 0, "rejected": 0}
    assert await nodes(opened, tenant) == stored
    after = await entries(writer)
    assert set(after) == set(before)
    for key, item in before.items():
        for field in ("id", "expires_at", "untrusted", "ttl", "type"):
            assert after[key].get(field) == item.get(field), (key, field)
    assert await entries(other) == theirs
    assert (await digest_of(opened.graph, chosen))["digest"] == digest


async def test_what_has_run_out_meanwhile_stays_away(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await keep(writer, "short", "x", ttl=60)
    await keep(writer, "long", "x", ttl=7200)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await clear(opened, tenant)
    monkeypatch.setattr(short_lived, "now", lambda: now() + timedelta(minutes=30))
    done = await load(tmp_path / "out")
    assert done["kinds"]["short_memory"]["accepted"] == 1
    assert set(await entries(writer)) == {"long"}


async def test_an_agent_of_another_tenant_gets_them_and_nobody_else(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, load: Load,
    tmp_path: Path,
) -> None:  # fmt: skip
    await keep(writer, "plan", "sail", ttl=3600)
    await writer.http.put(f"{WORKING}/t/keys/a", json={"value": 7})
    assert (await writer.http.put(f"{WORKING}/t/copy")).status_code == 200
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    name = writer.caller.principal.rpartition(":")[2]
    await load(tmp_path / "out", target=f"{tenant}y")
    there = await principal(f"{tenant}y/dev", name=name)
    curious = await principal(f"{tenant}y/dev", role=Role.ADMIN, name="curious")
    assert set(await entries(there)) == {"plan"}
    assert await entries(curious) == {}
    answer = await there.http.post(f"{WORKING}/t/copy/load", json={})
    assert answer.json() == {"loaded": 1, "kept": 0}
    assert (await there.http.get(f"{WORKING}/t/keys/a")).json()["untrusted"] == {"value": 7}
    assert (await curious.http.get(f"{WORKING}/t/copy")).json().get("values", 0) == 0


async def test_copies_come_back_with_their_ends_and_once(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    for number, value in enumerate(VALUES):
        await writer.http.put(f"{WORKING}/t/keys/k{number}", json={"value": value})
    await writer.http.post(f"{WORKING}/t/scratch-pad", json={"value": "a line"})
    await writer.http.put(f"{WORKING}/t/copy")
    told = (await writer.http.get(f"{WORKING}/t/copy")).json()
    chosen = await selection(opened.graph, tenant)
    digest = (await digest_of(opened.graph, chosen))["digest"]
    await export_package(opened.graph, tmp_path / "out", chosen)
    count = told["values"]
    again = await load(tmp_path / "out")
    assert again["kinds"]["working_copy"] == {"accepted": 0, "duplicates": count, "rejected": 0}
    await clear(opened, tenant)
    await load(tmp_path / "out")
    assert (await writer.http.get(f"{WORKING}/t/copy")).json() == told
    assert (await digest_of(opened.graph, chosen))["digest"] == digest


async def test_what_a_package_says_is_sanitised_bounded_and_checked(
    opened: Parts, writer: Principal, admin: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await keep(writer, "fine", "x", ttl=3600)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    line = orjson.loads((tmp_path / "out" / "short_memories.jsonl").read_bytes())
    package = tmp_path / "in"
    package.mkdir()
    lines = [
        line | {"key": "mail", "value": {"to": "Write to ada@example.org."}},
        line | {"key": "odd", "kind": "odd"},
        line | {"key": "whose", "agent": "agent:elsewhere:scout"},
        line | {"key": "surprise", "surprise": 1},
    ]
    (package / "short_memories.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    done = await load(package, rejects=tmp_path / "rejects")
    assert done["kinds"]["short_memory"] == {"accepted": 1, "duplicates": 0, "rejected": 3}
    rejects = [orjson.loads(each) for each in (tmp_path / "rejects").read_bytes().splitlines()]
    assert {row["field"] for row in rejects} == {"kind", "author", "surprise"}
    assert "ada@example.org" not in str(await entries(writer))
    large = [line | {"key": f"k{n}", "value": "x" * n} for n in (200_000, 300_000)]
    (package / "short_memories.jsonl").write_bytes(b"\n".join(map(orjson.dumps, large)))
    moved = await load(package, target=f"{tenant}y", rejects=tmp_path / "large")
    assert moved["kinds"]["short_memory"] == {"accepted": 1, "duplicates": 0, "rejected": 1}
    restored = await load(package)
    assert restored["kinds"]["short_memory"] == {"accepted": 2, "duplicates": 0, "rejected": 0}


async def test_what_was_erased_stays_away(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await allow(admin, tenant)
    await keep(writer, "plan", "sail", ttl=3600)
    await writer.http.put(f"{WORKING}/t/keys/a", json={"value": 7})
    await writer.http.put(f"{WORKING}/t/copy")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await erase(opened, admin, author=writer.caller.principal, scope=writer.caller.home)
    assert await entries(writer) == {}
    done = await load(tmp_path / "out")
    assert await entries(writer) == {}
    assert done["kinds"]["working_copy"]["accepted"] == 0
    await keep(writer, "plan", "row", ttl=3600)
    await export_package(opened.graph, tmp_path / "new", await selection(opened.graph, tenant))
    await clear(opened, tenant)
    await load(tmp_path / "new")
    assert set(await entries(writer)) == {"plan"}, "what was said later was not erased"


async def test_an_erasure_leaves_the_name_to_other_entries(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await allow(admin, tenant)
    await keep(writer, "plan", "sail", ttl=3600)
    await export_package(opened.graph, tmp_path / "old", await selection(opened.graph, tenant))
    await erase(opened, admin, author=writer.caller.principal, scope=writer.caller.home)
    await load(tmp_path / "old", target=tenant)
    assert await entries(writer) == {}, "what was said before stays away"
    line = orjson.loads((tmp_path / "old" / "short_memories.jsonl").read_bytes())
    package = tmp_path / "in"
    package.mkdir()
    late = {"updated_at": now().isoformat()}
    (package / "short_memories.jsonl").write_bytes(orjson.dumps(line | late))
    done = await load(package, target=tenant)
    assert done["kinds"]["short_memory"]["accepted"] == 0, "the very value stays away"
    (package / "short_memories.jsonl").write_bytes(orjson.dumps(line | late | {"value": "row"}))
    done = await load(package, target=tenant)
    assert done["kinds"]["short_memory"]["accepted"] == 1
    assert set(await entries(writer)) == {"plan"}


async def test_a_value_that_is_not_copied_any_more_stays_away_once_erased(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await allow(admin, tenant)
    await writer.http.put(f"{WORKING}/t/keys/a", json={"value": 7})
    await writer.http.put(f"{WORKING}/t/copy")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await clear(opened, tenant)
    await erase(opened, admin, author=writer.caller.principal, scope=writer.caller.home)
    done = await load(tmp_path / "out")
    assert done["kinds"]["working_copy"]["accepted"] == 0
    assert (await writer.http.get(f"{WORKING}/t/copy")).json().get("values", 0) == 0


async def copied(who: Principal, **values: Any) -> dict[str, Any]:
    """Copy a task that holds just some values; what its copy holds."""
    await who.http.delete(f"{WORKING}/t")
    for name, value in values.items():
        await who.http.put(f"{WORKING}/t/keys/{name}", json={"value": value})
    assert (await who.http.put(f"{WORKING}/t/copy")).status_code == 200
    return await loaded(who)


async def loaded(who: Principal) -> dict[str, Any]:
    """Bring the copy of the task back into nothing; its values by name."""
    await who.http.delete(f"{WORKING}/t")
    await who.http.post(f"{WORKING}/t/copy/load", json={})
    listed = (await who.http.get(f"{WORKING}/t")).json()["items"]
    found = {}
    for item in listed:
        answer = await who.http.get(f"{WORKING}/t/keys/{item['name']}")
        found[item["name"]] = answer.json()["untrusted"]["value"]
    return found


@pytest.mark.parametrize("moved", [False, True])
async def test_a_copy_is_taken_as_a_whole_and_the_newest_wins(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path, moved: bool
) -> None:
    old, new = {"a": 1, "b": 1}, {"a": 2, "c": 2}
    target = tenant if moved else None
    for name, values in (("old", old), ("new", new)):
        assert await copied(writer, **values) == values
        await export_package(opened.graph, tmp_path / name, await selection(opened.graph, tenant))
    done = await load(tmp_path / "old", target=target)
    assert done["kinds"]["working_copy"]["accepted"] == 0
    assert await loaded(writer) == new, "no value of the older copy comes beside the newer one"
    done = await load(tmp_path / "new", target=target)
    assert done["kinds"]["working_copy"] == {"accepted": 0, "duplicates": 2, "rejected": 0}
    await clear(opened, tenant)
    await load(tmp_path / "old", target=target)
    assert await loaded(writer) == old
    done = await load(tmp_path / "new", target=target)
    assert done["kinds"]["working_copy"]["accepted"] == 2
    assert await loaded(writer) == new, "a newer copy takes the place of the older one"


async def test_of_two_copies_in_one_package_the_newest_comes(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    lines = b""
    for name, values in (("old", {"a": 1, "b": 1}), ("new", {"a": 2, "c": 2})):
        await copied(writer, **values)
        await export_package(opened.graph, tmp_path / name, await selection(opened.graph, tenant))
        lines += (tmp_path / name / "working_copies.jsonl").read_bytes()
    await clear(opened, tenant)
    package = tmp_path / "in"
    package.mkdir()
    (package / "working_copies.jsonl").write_bytes(lines)
    await load(package)
    assert await loaded(writer) == {"a": 2, "c": 2}


async def test_a_copy_for_which_there_is_no_room_leaves_the_one_that_is_here(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    new = {name: name * 4000 for name in "abc"}
    await copied(writer, **new)
    await export_package(opened.graph, tmp_path / "new", await selection(opened.graph, tenant))
    await clear(opened, tenant)
    old = await copied(writer, a=1, d=1)
    await writer.http.put(f"{WORKING}/large/keys/a", json={"value": 1})
    await writer.http.put(f"{WORKING}/large/copy")
    await opened.graph.raw(
        "MATCH (c:WorkingCopy) WHERE c.scope STARTS WITH $s "
        "SET c.ingested_at = $at, c.size = CASE c.task WHEN 'large' THEN $size ELSE c.size END "
        "RETURN count(c) AS n", s=tenant, at=now() - timedelta(hours=1),
        size=opened.working.limits.agent - 9000,
    )  # fmt: skip
    done = await load(tmp_path / "new", target=tenant, rejects=tmp_path / "rejects")
    assert done["kinds"]["working_copy"] == {"accepted": 0, "duplicates": 0, "rejected": 3}
    assert await loaded(writer) == old


async def lines_of_a_copy(
    opened: Parts, writer: Principal, path: Path
) -> Callable[[str, dict[str, Any]], list[bytes]]:
    """What makes the lines of a task's copy, as an export of now writes them."""
    await copied(writer, a=1)
    scope = writer.caller.home
    await export_package(opened.graph, path, await selection(opened.graph, scope))
    await clear(opened, scope)
    line = orjson.loads((path / "working_copies.jsonl").read_bytes())

    def lines(task: str, values: dict[str, Any]) -> list[bytes]:
        return [
            orjson.dumps(line | {"task": task, "key": f"keys:{name}", "value": value})
            for name, value in values.items()
        ]

    return lines


async def fill_up(opened: Parts, writer: Principal, left: int) -> None:
    """Leave an agent so many bytes for copies, and make all that it has older."""
    await writer.http.put(f"{WORKING}/large/keys/a", json={"value": 1})
    await writer.http.put(f"{WORKING}/large/copy")
    await opened.graph.raw(
        "MATCH (c:WorkingCopy {author: $who}) WITH sum(c.size) AS used, collect(c) AS all "
        "UNWIND all AS c SET c.ingested_at = $at, c.size = CASE c.task "
        "WHEN 'large' THEN $most - (used - c.size) ELSE c.size END RETURN count(c) AS n",
        who=writer.caller.principal, at=now() - timedelta(hours=1),
        most=opened.working.limits.agent - left,
    )  # fmt: skip


@pytest.mark.parametrize("room", [False, True])
async def test_a_copy_of_many_values_comes_whole_or_not_at_all(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path, room: bool
) -> None:
    lines = await lines_of_a_copy(opened, writer, tmp_path / "out")
    many = {f"k{n}": "x" * 98 for n in range(250)}
    scattered = [*lines("t", many), *lines("other", {f"k{n}": 1 for n in range(100)})]
    random.Random(7).shuffle(scattered)
    package = tmp_path / "in"
    package.mkdir()
    (package / "working_copies.jsonl").write_bytes(b"\n".join(scattered))
    old = await copied(writer, a=1, d=1)
    await fill_up(opened, writer, 50_000 if room else 15_000)
    done = (await load(package, target=tenant))["kinds"]["working_copy"]
    accepted = 350 if room else 100
    assert done == {"accepted": accepted, "duplicates": 0, "rejected": 350 - accepted}
    rows = await opened.graph.raw(
        "MATCH (c:WorkingCopy {author: $who, task: 't'}) RETURN c.key AS key",
        who=writer.caller.principal,
    )
    assert {row["key"] for row in rows} == {f"keys:{name}" for name in (many if room else old)}


async def test_a_copy_of_which_a_line_is_refused_stays_out(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    lines = await lines_of_a_copy(opened, writer, tmp_path / "out")
    whole = lines("t", {f"k{n}": 1 for n in range(120)})
    bad = orjson.loads(whole[110]) | {"surprise": 1}
    fine = lines("fine", {"a": 1})
    package = tmp_path / "in"
    package.mkdir()
    given = b"\n".join([*whole[:110], orjson.dumps(bad), *fine, *whole[111:]])
    (package / "working_copies.jsonl").write_bytes(given)
    old = await copied(writer, a=1, d=1)
    for target in (tenant, None):
        done = await load(package, target=target, rejects=tmp_path / f"rejects-{target}")
        assert done["kinds"]["working_copy"]["rejected"] == 120
        assert await loaded(writer) == old
    rejects = (tmp_path / "rejects-None").read_bytes().splitlines()
    told = {each["line"]: each for each in map(orjson.loads, rejects)}
    assert told[111]["field"] == "surprise"
    assert "line 111" in told[1]["detail"]
    assert 112 not in told


async def test_a_copy_that_is_refused_frees_no_room_for_others(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    lines = await lines_of_a_copy(opened, writer, tmp_path / "out")
    package = tmp_path / "in"
    package.mkdir()
    given = [*lines("t", {"a": "x" * 20_000}), *lines("u", {"a": "x" * 8_000})]
    (package / "working_copies.jsonl").write_bytes(b"\n".join(given))
    old = await copied(writer, a="y" * 10_000)
    await fill_up(opened, writer, 5_000)
    done = await load(package, target=tenant)
    assert done["kinds"]["working_copy"] == {"accepted": 0, "duplicates": 0, "rejected": 2}
    assert await loaded(writer) == old
    # What is refused because of the first is taken where the first one fits and frees its room.
    (package / "working_copies.jsonl").write_bytes(
        b"\n".join([*lines("t", {"a": "x" * 2_000}), *lines("u", {"a": "x" * 8_000})])
    )
    done = await load(package, target=tenant)
    assert done["kinds"]["working_copy"]["accepted"] == 2
    assert await loaded(writer) == {"a": "x" * 2_000}


async def test_a_value_written_between_burial_and_removal_is_buried(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    await copied(writer, a=7)
    remove = WorkingErasure.take
    written = []

    async def late(self: WorkingErasure, values: Any) -> int:
        if not written:
            written.append(await copied(writer, a=8, b=9))
            await export_package(
                opened.graph, tmp_path / "out", await selection(opened.graph, tenant)
            )
        return await remove(self, values)

    monkeypatch.setattr(WorkingErasure, "take", late)
    await erase(opened, admin, author=writer.caller.principal, scope=writer.caller.home)
    assert written == [{"a": 8, "b": 9}]
    assert (await writer.http.get(f"{WORKING}/t")).json()["items"] == []
    assert (await writer.http.get(f"{WORKING}/t/copy")).status_code == 404
    done = await load(tmp_path / "out")
    assert done["kinds"]["working_copy"]["accepted"] == 0


async def test_what_waits_to_be_promoted_steps_aside(
    opened: Parts, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    made = await keep(writer, "plan", "sail", ttl=3600)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await wait_for_promotion(opened, made["id"])
    for accepted in (1, 0):
        done = await load(tmp_path / "out")
        assert done["kinds"]["short_memory"]["accepted"] == accepted
    assert set(await entries(writer)) == {"plan"}
    waiting = [node for node in await nodes(opened, tenant) if node.get("ready")]
    assert len(waiting) == 1
    assert waiting[0]["id"] != made["id"]
    assert len(await nodes(opened, tenant)) == 2
    await export_package(opened.graph, tmp_path / "new", await selection(opened.graph, tenant))
    lines = (tmp_path / "new" / "short_memories.jsonl").read_bytes().splitlines()
    assert len(lines) == 1, "what waits is not exported"


async def test_settings_of_a_scope_bound_what_comes(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, load: Load, tmp_path: Path
) -> None:
    await keep(writer, "large", "x" * 100, ttl=3600)
    await keep(writer, "short", "x", ttl=3600)
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    await clear(opened, tenant)
    patch = {"working": {"value_bytes": 64}, "short_term": {"ttl_most": 60}}
    answer = await admin.http.patch(
        "/v1/scopes/settings", params={"scope": writer.caller.home}, json=patch
    )
    assert answer.status_code == 200, answer.text
    done = await load(tmp_path / "out", target=tenant, rejects=tmp_path / "rejects")
    assert done["kinds"]["short_memory"] == {"accepted": 1, "duplicates": 0, "rejected": 1}
    reject = orjson.loads((tmp_path / "rejects").read_bytes())
    assert (reject["reason"], reject["field"]) == ("TooLarge", "value")
    (node,) = await nodes(opened, tenant)
    assert (node["key"], node["ttl"]) == ("short", 60)
    assert node["expires_at"] <= now() + timedelta(seconds=61)
