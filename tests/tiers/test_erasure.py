"""What an erasure of a session, or of a person by name, leaves in the tiers: nothing."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import orjson
import pytest

from app.contexts.entries import Entry
from app.kernel.caller import Role
from app.kernel.clock import now
from app.lifecycle.erasure import ErasureService
from app.lifecycle.invariants import broken
from app.scopes.service import own_leaf
from app.tiers.promoting import Work
from app.tiers.receipt import Wanted
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import posted
from tests.lifecycle.conftest import Say, checked, say, strings_of, switch
from tests.lifecycle.test_person import entity
from tests.pools.test_packages import allow, erase
from tests.tiers.conftest import consolidate, kept, noted, read, write
from tests.tiers.test_promotion import told_of
from tests.working.conftest import BASE, items, put

__all__ = ["say", "switch"]
MARK, TALK = "zwirbelkiste", "gondelfahrt"


async def promoted(who: Principal, key: str, value: str, **more: Any) -> None:
    """Note something that is read often, and promote it."""
    await noted(who, key, value, 3, **more)
    assert sum((await consolidate(who))["counts"].values()) == 1


async def filled(opened: Parts, who: Principal) -> None:
    """A session in every tier, with a copy, a former version, a snapshot and a merge."""
    talk = {"session_id": TALK}
    body = {"content": f"The {MARK} is of oak.", "session": TALK, "scope": who.caller.home}
    assert (await who.http.post("/v1/episodes", json=body)).status_code == 201
    await write(who, "chest", f"a {MARK} at hand", tier="working", **talk)
    assert (await who.http.put(f"{BASE}/{TALK}/copy")).status_code == 200
    await promoted(who, "chest", f"{told_of('kiln')} {MARK}", **talk)
    await noted(who, "chest", f"{told_of('violin')} {MARK}", 3, **talk)
    tomorrow = now() + timedelta(hours=25)
    wanted = Wanted([who.caller.home])
    done = await opened.tier_promotion.run(wanted, dry_run=False, moment=tomorrow)
    assert done.counts == {"updated": 1}
    context = (await kept(opened, who))[0]["context_id"]
    await posted(who, f"/v1/contexts/{context}/snapshots", {"name": "all"}, 201)
    await write(who, "left", f"the {MARK} is left", **talk)


async def others(who: Principal) -> None:
    """What is of another session."""
    await write(who, "lamp", "at hand", tier="working", session_id="s2")
    await promoted(who, "lamp", told_of("ferry"), session_id="s2")
    await write(who, "left", "of the other", session_id="s2")


async def values(opened: Parts, who: Principal) -> dict[str, Any]:
    """What an agent's own memory holds in use, by key."""
    return {row["key"]: orjson.loads(row["value"]) for row in await kept(opened, who)}


async def test_nothing_of_a_session_is_left_in_any_tier(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    await filled(opened, writer)
    await others(writer)
    asked = {"session": TALK, "scope": writer.caller.home}
    answer = await admin.http.post("/v1/erasures", json=asked | {"dry_run": True})
    preview = answer.json()["preview"]
    assert preview["working"] == 4, "a value, its copy, what was promoted and what was not"
    assert len(preview["declared"]["context_entry"]) == 1
    assert len(preview["episodes"]) == 1
    receipt = await erase(opened, admin, **asked)
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert (told["state"], told["counts"]["working"]) == ("done", 4)
    assert told["counts"]["context_entries"] == 1
    for word in (MARK, TALK):
        assert await strings_of(opened, word) == []
    assert await items(writer, TALK) == []
    assert await items(writer, "s2") == ["keys/lamp"]
    assert await values(opened, writer) == {"lamp": told_of("ferry")}
    assert (await read(writer, "left", session_id="s2"))["found"]
    assert (await checked(opened, admin, receipt, MARK))["clean"]
    assert await broken(opened.graph, tenant) == []
    assert await erase(opened, admin, **asked) == receipt, "there is nothing left to erase"
    answer = await admin.http.post("/v1/erasures", json=asked | {"dry_run": True})
    assert answer.json()["preview"]["working"] == 0


async def test_a_session_that_was_never_captured_is_erased_too(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    await put(writer, f"{TALK}/state", {"at": MARK})
    asked = {"session": TALK, "scope": writer.caller.home}
    receipt = await erase(opened, admin, **asked)
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["working"] == 1
    assert await items(writer, TALK) == []
    nothing = await admin.http.post("/v1/erasures", json=asked | {"session": "never"})
    assert nothing.status_code == 404


async def test_what_took_it_in_stays_and_names_it_no_more(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    await noted(writer, "first", told_of("kiln"), 5, session_id="s2")
    await consolidate(writer)
    await noted(writer, "second", told_of("kiln"), 3, session_id=TALK)
    assert (await consolidate(writer))["counts"] == {"merged": 1}
    (gone,) = await kept(opened, writer, "archived")
    receipt = await erase(opened, admin, session=TALK, scope=writer.caller.home)
    (entry,) = await kept(opened, writer)
    assert (entry["key"], entry["merged"]) == ("first", [])
    assert await kept(opened, writer, "archived") == []
    assert (await checked(opened, admin, receipt))["clean"], gone["id"]


async def test_a_former_value_goes_with_its_own_session(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    """Of two sessions that were promoted under one key, what each said goes with it: out of the
    versions and out of a snapshot too."""
    await allow(admin, tenant)
    await promoted(writer, "route", f"{told_of('kiln')} {MARK}", session_id=TALK)
    context = (await kept(opened, writer))[0]["context_id"]
    await posted(writer, f"/v1/contexts/{context}/snapshots", {"name": "all"}, 201)
    await noted(writer, "route", told_of("violin"), 3, session_id="s2")
    tomorrow = now() + timedelta(hours=25)
    wanted = Wanted([writer.caller.home])
    done = await opened.tier_promotion.run(wanted, dry_run=False, moment=tomorrow)
    assert done.counts == {"updated": 1}
    receipt = await erase(opened, admin, session=TALK, scope=writer.caller.home)
    for word in (MARK, TALK):
        assert await strings_of(opened, word) == []
    assert await values(opened, writer) == {"route": told_of("violin")}
    assert (await checked(opened, admin, receipt, MARK))["clean"]
    assert await broken(opened.graph, tenant) == []


async def test_what_a_promotion_holds_meanwhile_does_not_come_back(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await allow(admin, tenant)
    await noted(writer, "chest", f"{told_of('kiln')} {MARK}", 3, session_id=TALK)
    compared, asked = Work._compared, {"session": TALK, "scope": writer.caller.home}

    async def and_erased(self: Work, context: Any, entry: Entry) -> Any:
        found = await compared(self, context, entry)
        await erase(opened, admin, **asked)
        return found

    monkeypatch.setattr(Work, "_compared", and_erased)
    done = await opened.tier_promotion.run(Wanted([writer.caller.home]), dry_run=False)
    monkeypatch.undo()
    assert done.counts == {}
    assert await strings_of(opened, MARK) == []


async def test_what_is_promoted_while_its_session_is_erased_goes_too(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await allow(admin, tenant)
    await noted(writer, "chest", f"{told_of('kiln')} {MARK}", 3, session_id=TALK)
    at_hand = ErasureService._forget_at_hand

    async def once_promoted(self: ErasureService, order: Any, scope: str) -> int:
        done = await opened.tier_promotion.run(Wanted([scope]), dry_run=False)
        assert done.counts == {"promoted": 1}, "into a leaf that was not there before"
        return await at_hand(self, order, scope)

    monkeypatch.setattr(ErasureService, "_forget_at_hand", once_promoted)
    await erase(opened, admin, session=TALK, scope=writer.caller.home)
    assert await strings_of(opened, MARK) == []
    assert await kept(opened, writer) == []


async def test_erased_and_promoted_at_once_nothing_is_left(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    asked = {"session": TALK, "scope": writer.caller.home}
    for number in range(6):
        await noted(writer, f"k{number}", f"{told_of('ferry', number)} {MARK}", 3, session_id=TALK)
    scope = Wanted([writer.caller.home])
    await asyncio.gather(
        opened.tier_promotion.run(scope, dry_run=False),
        erase(opened, admin, **asked),
        opened.tier_promotion.run(scope, dry_run=False),
    )
    assert not (await opened.tier_promotion.run(scope, dry_run=False)).counts
    assert await strings_of(opened, MARK) == []
    assert await kept(opened, writer) == await kept(opened, writer, "archived") == []


async def test_who_does_not_administer_the_leaf_erases_nothing_of_it(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    home = writer.caller.home
    local = await principal(home, role=Role.ADMIN, name="local", kind="user", subtree=False)
    await promoted(writer, "chest", told_of("kiln"), session_id=TALK)
    await write(writer, "left", "of the session", session_id=TALK)
    asked = {"session": TALK, "scope": home}
    answer = await local.http.post("/v1/erasures", json=asked | {"dry_run": True})
    assert answer.json()["preview"]["refused"] == [own_leaf(writer.caller)]
    assert (await local.http.post("/v1/erasures", json=asked)).status_code == 403
    assert (await read(writer, "left", session_id=TALK))["found"]
    assert len(await kept(opened, writer)) == 1
    await erase(opened, admin, **asked)
    assert await kept(opened, writer) == []


async def test_a_person_is_found_in_keys_sessions_tasks_and_slots(
    opened: Parts, admin: Principal, writer: Principal, tenant: str, say: Say
) -> None:
    await allow(admin, tenant)
    name, scope = "Theda Hans-Quastenberg", writer.caller.home
    await say(scope, f"{name} lives in Ulm. {name} works for Heron GmbH.")
    who = await entity(opened, scope, name)
    await write(writer, "theda-hans-quastenberg", 1)
    await write(writer, "rank", 2, session_id=f"Chat with {name}")
    await write(writer, "rank", 3, session_id="with_Theda_Hans_Quastenberg")
    await write(writer, "of.theda.hans.quastenberg", 4, tier="long_term")
    await put(writer, "theda~hans~quastenberg/state", {"done": True})
    await writer.http.put(f"{BASE}/theda~hans~quastenberg/copy")
    await put(writer, "t/keys/call:Theda_Hans_Quastenberg", 5)
    await put(writer, "t/keys/other", {"theda-hans-quastenberg": 6})
    await put(writer, "t/keys/theda", 7)
    await write(writer, "quasten", 8)
    preview = await admin.http.post("/v1/erasures", json={"person": who, "dry_run": True})
    assert preview.json()["preview"]["working"] == 7
    receipt = await erase(opened, admin, person=who)
    told = (await admin.http.get(f"/v1/erasures/{receipt}")).json()
    assert told["counts"]["working"] == 7
    assert await strings_of(opened, "quastenberg") == []
    assert await items(writer, "t") == ["keys/theda"]
    assert await items(writer, "theda~hans~quastenberg") == []
    assert await values(opened, writer) == {}
    assert (await read(writer, "quasten"))["found"]
    assert (await checked(opened, admin, receipt, "quastenberg"))["clean"]
