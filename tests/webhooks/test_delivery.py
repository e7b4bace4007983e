"""Events arrive: signed, in order, at least once, and only what may be seen."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import random
import time

import pytest

from app.kernel.caller import Role
from app.webhooks.sending import Sender
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.webhooks.conftest import (
    WAIT,
    Deliver,
    Receiver,
    act,
    audited,
    hook,
    listed,
    read,
    say,
    sender_of,
    told,
    waits,
)


def signed(secret: str, head: dict[str, str], body: bytes) -> bool:
    """What the guide has a receiver check."""
    stamp = head["loci-timestamp"]
    made = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    fresh = abs(time.time() - int(stamp)) < 300
    return fresh and hmac.compare_digest(f"v1={made}", head["loci-signature"])


async def test_events_arrive_signed_once_and_in_order(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver
) -> None:
    await say(writer, "Before the webhook.")
    made = await hook(writer, receiver, kinds=["capture", "fact.opened"])
    assert made["state"] == "active"
    assert made["secret"].startswith("whsec_")
    said = [await say(writer, f"Turn {n} of the talk.") for n in range(12)]
    await say(writer, "Severin Achleitner lives in Linz.", session="t")
    await opened.consolidation.consolidate(writer.caller.home)
    await deliver()
    assert [t for t in receiver.targets if t in said] == said
    assert [e["kind"] for e in receiver.events][-2:] == ["capture", "fact.opened"]
    assert len(receiver.events) == 14
    assert [len(body["events"]) for body in receiver.got] == [5, 5, 4]
    assert all(
        signed(made["secret"], head, body)
        for head, body in zip(receiver.heads, receiver.raw, strict=True)
    )
    assert not signed(made["secret"] + "x", receiver.heads[0], receiver.raw[0])
    assert not signed(made["secret"], receiver.heads[0], receiver.raw[0] + b" ")
    first = receiver.got[0]
    assert (first["webhook"], first["purpose"]) == (made["id"], "events")
    assert receiver.heads[0]["loci-delivery"] == first["delivery"]
    items = await listed(writer, made)
    assert [(i["state"], i["status"], i["attempts"]) for i in items] == [("delivered", 204, 1)] * 3
    assert [i["id"] for i in reversed(items)] == [body["delivery"] for body in receiver.got]
    assert (await listed(writer, made, state="dead")) == []
    page = await told(
        await writer.http.get(f"/v1/webhooks/{made['id']}/deliveries", params={"limit": 2})
    )
    rest = await listed(writer, made, limit=2, cursor=page["next"])
    assert [i["id"] for i in (*page["items"], *rest)] == [i["id"] for i in items]


async def test_what_fails_is_sent_again_before_what_comes_after_it(
    writer: Principal, receiver: Receiver, deliver: Deliver
) -> None:
    made = await hook(writer, receiver, kinds=["capture"])
    receiver.answers = [500, 0]
    said = [await say(writer, f"Turn {n} of the walk.") for n in range(7)]
    await deliver()
    assert receiver.targets == said
    assert [head["loci-attempt"] for head in receiver.heads] == ["1", "2", "3", "1"]
    assert len({head["loci-delivery"] for head in receiver.heads[:3]}) == 1
    assert len({*receiver.raw[:3]}) == 1, "the same body at each attempt"
    last, first = await listed(writer, made)
    assert (first["attempts"], first["state"], last["attempts"]) == (3, "delivered", 1)
    assert (await read(writer, made))["failures"] == 0


async def test_dead_letters_are_kept_and_sent_again_and_failures_pause(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver, tenant: str
) -> None:
    made = await hook(writer, receiver, kinds=["capture"])
    receiver.answers = [503] * 3
    said = [await say(writer, f"Turn {n} of the climb.") for n in range(7)]
    await deliver()
    assert receiver.targets == said[5:], "the first five are a dead letter"
    (dead,) = await listed(writer, made, state="dead")
    assert (dead["attempts"], dead["status"]) == (3, 503)
    assert [event["target"] for event in dead["events"]] == said[:5]
    again = await act(writer, made, f"deliveries/{dead['id']}/resend", 202)
    assert (again["id"], again["state"], again["attempts"]) == (dead["id"], "waiting", 0)
    await deliver()
    assert receiver.targets == [*said[5:], *said[:5]]
    await act(writer, made, f"deliveries/{dead['id']}/resend", 409)
    await act(writer, made, "deliveries/nowhere/resend", 404)

    receiver.answers = [500] * 5
    later = [await say(writer, f"Turn {n} of the descent.") for n in range(12)]
    await deliver()
    paused = await read(writer, made)
    assert (paused["state"], paused["reason"], paused["failures"]) == ("paused", "failures", 5)
    assert receiver.answers == []
    kinds = [(one["kind"], one["payload"].get("reason")) for one in await audited(opened, tenant)]
    assert kinds == [
        ("webhook.create", None),
        ("webhook.dead_letter", None),
        ("webhook.resend", None),
        ("webhook.dead_letter", None),
        ("webhook.pause", "failures"),
    ]
    await act(writer, made, "test", 409)
    assert (await act(writer, made, "resume"))["state"] == "active"
    await deliver()
    assert receiver.targets[7:] == later[5:], "the rest comes, in order"
    (dead,) = await listed(writer, made, state="dead")
    assert [event["target"] for event in dead["events"]] == later[:5]


async def test_only_what_its_maker_sees_at_the_time_is_sent(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    receiver: Receiver, deliver: Deliver,
) -> None:  # fmt: skip
    other = await principal(f"{tenant}/ops", name="other")
    lead = await principal(f"{tenant}/lead", name="lead", kind="user")
    access, boss = opened.access, await opened.keys.resolve(admin.key)
    for scope in (tenant, f"{tenant}/dev", f"{tenant}/ops"):
        await access.grant(boss, lead.caller.principal, scope, Role.WRITER)
    made = await hook(lead, receiver, scope=tenant, below=True, kinds=["capture"])
    lost = await hook(lead, receiver, scope=f"{tenant}/ops", kinds=["goal"])
    private = {
        "pool_id": "own", "name": "own", "type": "agent_private",
        "access_control": {"public": False},
    }  # fmt: skip
    await told(await writer.http.post("/v1/pools", json=private), 201)
    await told(await writer.http.put("/v1/pools/own/data", json={"value": 1}, params={"path": "a"}))
    theirs = [await say(writer, "In dev."), await say(other, "In ops.")]
    await deliver()
    assert receiver.targets == theirs
    receiver.answers = [500]
    sender = sender_of(opened)
    waiting = [await say(writer, "In dev again."), await say(other, "In ops again.")]
    for due in await sender.due():
        if due.tenant == tenant:
            await sender.turn(due)
    assert receiver.answers == [], "one attempt failed, with both events"
    await access.withdraw(boss, lead.caller.principal, f"{tenant}/ops")
    await deliver()
    assert receiver.targets[2:] == [waiting[0]], "a lost grant counts for what waits too"
    assert len((await listed(lead, made))[0]["events"]) == 1
    (row,) = await opened.graph.raw(
        "MATCH (w:Webhook {id: $id}) RETURN w.state AS state, w.reason AS reason", id=lost["id"]
    )
    assert (row["state"], row["reason"]) == ("paused", "scope")
    assert (await lead.http.get(f"/v1/webhooks/{lost['id']}")).status_code == 404


async def test_a_revoked_key_sends_nothing_more(
    opened: Parts, admin: Principal, writer: Principal, receiver: Receiver, deliver: Deliver,
    tenant: str,
) -> None:  # fmt: skip
    made = await hook(writer, receiver, kinds=["capture"])
    receiver.answers = [500]
    await say(writer, "It is tried once.")
    sender = sender_of(opened)
    (due,) = [one for one in await sender.due() if one.tenant == tenant]
    await sender.turn(due)
    await say(writer, "This comes later.")
    await told(await admin.http.delete(f"/v1/keys/{writer.caller.key}"))
    await deliver()
    assert (receiver.got, len(receiver.raw)) == ([], 1)
    seen = await read(admin, made)
    assert (seen["state"], seen["reason"]) == ("paused", "key")
    last = (await audited(opened, tenant))[-1]
    assert (last["kind"], last["actor"]) == ("webhook.pause", "loci")
    assert last["payload"] == {"id": made["id"], "reason": "key"}


async def test_private_events_go_to_their_readers_alone(
    writer: Principal, principal: MakePrincipal, tenant: str, receiver: Receiver, deliver: Deliver
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    await hook(other, receiver, kinds=["memory_pool_key_write"])
    for pool, kind in (("own", "agent_private"), ("all", "shared")):
        body = {
            "pool_id": pool, "name": pool, "type": kind,
            "access_control": {"public": kind == "shared"},
        }  # fmt: skip
        await told(await writer.http.post("/v1/pools", json=body), 201)
        url = f"/v1/pools/{pool}/data"
        await told(await writer.http.put(url, json={"value": 1}, params={"path": "a"}))
    await deliver()
    (event,) = receiver.events
    assert event["kind"] == "memory_pool_key_write"
    assert "readers" not in event


async def test_a_test_delivery_comes_without_events(
    writer: Principal, receiver: Receiver, deliver: Deliver
) -> None:
    made = await hook(writer, receiver, kinds=["goal"])
    waiting = await act(writer, made, "test", 202)
    await deliver()
    (body,) = receiver.got
    assert body == {
        "webhook": made["id"], "delivery": waiting["id"], "purpose": "test", "events": [],
    }  # fmt: skip
    renewed = await act(writer, made, "secret")
    await act(writer, made, "test", 202)
    await deliver()
    assert signed(renewed["secret"], receiver.heads[-1], receiver.raw[-1])
    assert not signed(made["secret"], receiver.heads[-1], receiver.raw[-1])


async def test_who_was_away_for_days_is_told_of_the_gap(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver, tenant: str
) -> None:
    made = await hook(writer, receiver, kinds=["capture", "fact"])
    await act(writer, made, "pause")
    await say(writer, "Leopoldine Harasser lives in Wels.")
    await opened.consolidation.consolidate(writer.caller.home)
    assert await waits(opened, tenant) is False
    await opened.graph.raw("MATCH (e:FeedEvent {tenant: $tenant}) DELETE e", tenant=tenant)
    await act(writer, made, "resume")
    await deliver()
    assert [event["kind"] for event in receiver.events] == ["gap", "capture"]
    await say(writer, "One word more.")
    await deliver()
    assert [event["kind"] for event in receiver.events] == ["gap", "capture", "capture"]


@pytest.mark.parametrize("seed", range(3))
async def test_breaking_off_anywhere_loses_nothing(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver, tenant: str, seed: int
) -> None:
    chance = random.Random(seed)
    made = await hook(writer, receiver, kinds=["capture"])
    receiver.answers = [chance.choice([204, 204, 500, 0]) for _ in range(8)]
    sender, said = sender_of(opened, batch=3, tries=50, pause_after=50), list[str]()
    for _ in range(6):
        for _ in range(4):
            said.append(await say(writer, f"Turn {len(said)} of the race."))
        await one_broken_off(opened, sender, tenant, chance.uniform(0, 0.12))
    await deliver(sender)
    first = list(dict.fromkeys(receiver.targets))
    assert first == said, "each at least once, and in order"
    states = {item["state"] for item in await listed(writer, made, limit=200)}
    assert states == {"delivered"}


async def one_broken_off(opened: Parts, sender: Sender, tenant: str, seconds: float) -> None:
    """A turn that ends after so long, wherever it is; its lease is over at once."""
    for due in await sender.due():
        if due.tenant == tenant:
            task = asyncio.create_task(sender.turn(due))
            await asyncio.wait({task}, timeout=seconds)
            task.cancel()
            async with asyncio.timeout(WAIT):
                await asyncio.gather(task, return_exceptions=True)
    await opened.graph.raw(
        "MATCH (w:Webhook {tenant: $tenant}) SET w.lease_until = datetime('1970-01-01T00:00:00Z')",
        tenant=tenant,
    )


async def test_two_workers_send_nothing_twice(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver, tenant: str
) -> None:
    await hook(writer, receiver, kinds=["capture"])
    said = [await say(writer, f"Turn {n} of the relay.") for n in range(20)]
    senders = [sender_of(opened, batch=2) for _ in range(3)]
    found = [due for due in await senders[0].due() if due.tenant == tenant]
    await asyncio.gather(*(one.turn(due) for one in senders for due in found))
    await deliver()
    assert receiver.targets == said
