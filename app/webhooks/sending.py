"""What the worker does for webhooks: events become deliveries, deliveries are posted in order.

A delivery is written together with the place up to which events were looked at, and sent after
that: whoever is killed at any line leaves one that waits, or a place that stands before what was
not looked at. So every event arrives at least once, and in order. Whose key made the webhook is
asked before each attempt, and what he no longer sees is taken out of what waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson
import structlog

from app.access.keys import KeyRing
from app.errors import Forbidden
from app.events.model import Event, Place
from app.events.repository import EventRepository
from app.jobs.lanes import Due
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.webhooks.backoff import Backoff
from app.webhooks.model import (
    WEBHOOK_DELIVERY,
    Delivery,
    DeliveryState,
    Purpose,
    Reason,
    WebhookState,
)
from app.webhooks.posting import Answer, Postman
from app.webhooks.repository import Known, set_on, store, tell
from app.webhooks.signing import headers

log = structlog.get_logger()
STEPS = 20  # deliveries, or looks at a page of events, in one turn
FOUND = 200  # webhooks that are due, at once
SPARE = 30  # seconds beyond an attempt for which a worker that was killed holds a webhook up
LOCI = "loci"


@dataclass(frozen=True, slots=True)
class Limits:
    """`batch` events go in one delivery, which has `tries` attempts; after `pause_after` failed
    ones in a row the webhook is paused."""

    batch: int
    tries: int
    pause_after: int
    backoff: Backoff


@dataclass(frozen=True, slots=True)
class Parts:
    """What a sender works with."""

    graph: Graph
    keys: KeyRing
    events: EventRepository
    postman: Postman


class Lost(Exception):
    """The lease is another's, or the webhook is paused or gone."""


class Sender:
    """Turns of webhooks, as lanes of the worker."""

    def __init__(self, parts: Parts, limits: Limits) -> None:
        self._parts = parts
        self._graph = parts.graph
        self._limits = limits
        self._lease = timedelta(seconds=parts.postman.seconds + SPARE)

    async def due(self) -> list[Due]:
        """Return the webhooks that have something to send, or events to look at."""
        tenants = await self._graph.rows(Q.webhooks.tenants)
        for row in tenants:
            if row["unsettled"]:
                await self._parts.events.settle(row["tenant"])
        if not tenants:
            return []
        rows = await self._graph.rows(Q.webhooks.due, at=now(), limit=FOUND)
        return [Due(row["id"], row["tenant"]) for row in rows]

    async def turn(self, due: Due) -> bool:
        """Serve one webhook for a while; whether it was this worker's to serve."""
        lease, at = new_id(), now()
        row = await self._graph.optional(
            Q.webhooks.take, id=due.key, lease=lease, at=at, until=at + self._lease
        )
        if row is None:
            return False
        try:
            steps = 0
            while steps < STEPS and await self._step(due.key, lease):
                steps += 1
        except Lost:
            return True
        finally:
            await self._graph.rows(Q.webhooks.release, id=due.key, lease=lease, at=now())
        return True

    async def _step(self, identifier: str, lease: str) -> bool:
        """Post the next delivery, or make one; false where nothing is left, or it is to wait."""
        known = await self._held(identifier, lease)
        caller = await self._maker(known)
        if isinstance(caller, Reason):
            await self._pause(known, lease, caller)
            return False
        row = await self._graph.optional(Q.webhooks.waiting, id=identifier)
        if row is None:
            return await self._look(known, lease, caller)
        delivery = visible(Delivery.of(row["delivery"]), known, caller)
        if not delivery.events and delivery.purpose is Purpose.EVENTS:
            await self._settled(known, lease, delivery, {"state": DeliveryState.DROPPED.value})
            return True
        return await self._attempt(known, lease, delivery)

    async def _held(self, identifier: str, lease: str) -> Known:
        row = await self._graph.optional(
            Q.webhooks.hold, id=identifier, lease=lease, at=now(), until=now() + self._lease
        )
        if row is None:
            raise Lost
        return Known.of(row["webhook"])

    async def _maker(self, known: Known) -> Caller | Reason:
        """Return whose webhook it is, with the rights of now, or why he has none."""
        asked = {"key": known.line.key, "principal": known.webhook.created_by}
        try:
            caller = await self._parts.keys.asker(asked)
        except Forbidden:
            return Reason.KEY
        return caller if caller.may(known.webhook.scope, Role.READER) else Reason.SCOPE

    async def _look(self, known: Known, lease: str, caller: Caller) -> bool:
        """Make a delivery of the next events that are wanted; false where there are none at all."""
        events = self._parts.events
        end, least = await events.end(caller.tenant)
        place, chosen = known.line.place, list[Row]()
        if place.numbered + 1 < least:  # kept for a day, and it was away for longer
            place = Place(place.sealed, least - 1)
            chosen.append({"kind": "gap", "scope": known.webhook.scope, "id": str(place)})
        found = await events.after(caller.tenant, place)
        taken, place = self._chosen(found, known, caller) if found else ([], further(place, end))
        chosen += taken
        if not found and not chosen and place == known.line.place:
            return False
        await self._write_ahead(known, lease, place, chosen)
        return bool(found or chosen)

    def _chosen(self, found: list[Event], known: Known, caller: Caller) -> tuple[list[Row], Place]:
        """Return the first events that are wanted, and how far that looked."""
        seen = frozenset(caller.visible)
        wanted, chosen = known.webhook.wanted(seen), list[Row]()
        for event in found:
            if wanted.takes(event, caller, seen):
                readers = None if event.readers is None else sorted(event.readers)
                own = {"id": str(event.place), **event.told}
                chosen.append(own if readers is None else {**own, "readers": readers})
            if len(chosen) >= self._limits.batch:
                return chosen, event.place
        return chosen, found[-1].place

    async def _write_ahead(self, known: Known, lease: str, place: Place, chosen: list[Row]) -> None:
        """Write a delivery and the place behind it at once."""

        async def work(tx: Tx) -> None:
            held = await self._lock(tx, known, lease)
            line = {"sealed": place.sealed, "numbered": place.numbered}
            if chosen:
                line["number"] = held.line.number + 1
                made = Delivery(
                    id=new_id(),
                    scope=held.webhook.scope,
                    webhook=held.webhook.id,
                    number=line["number"],
                    events=tuple(orjson.loads(orjson.dumps(chosen))),
                    created_at=now(),
                )
                await store(tx, WEBHOOK_DELIVERY, made)
            await set_on(tx, held.webhook, line)

        await self._graph.write("webhooks.write_ahead", work)

    async def _attempt(self, known: Known, lease: str, delivery: Delivery) -> bool:
        """Post a delivery once, and write down what came of it; whether the next may follow."""
        attempt, at = delivery.attempts + 1, now()
        body = body_of(delivery)
        signed = headers(known.line.secret, int(at.timestamp()), body, delivery.id, attempt)
        answer = await self._parts.postman.post(known.webhook.url, body, signed)
        told = {"attempts": attempt, "sent_at": at, "status": answer.status, "error": answer.error}
        if answer.is_good:
            done = {"state": DeliveryState.DELIVERED.value}
            await self._settled(known, lease, delivery, told | done)
            return True
        return await self._failed(known, lease, delivery, (told, answer))

    async def _failed(
        self, known: Known, lease: str, delivery: Delivery, what: tuple[Row, Answer]
    ) -> bool:
        told, answer = what
        is_dead = told["attempts"] >= self._limits.tries
        wait = self._limits.backoff.wait(told["attempts"])
        log.info(
            "webhook.failed",
            webhook=delivery.webhook,
            delivery=delivery.id,
            attempt=told["attempts"],
            status=answer.status,
        )
        own: Row = {"state": DeliveryState.DEAD.value} if is_dead else {}
        later = now() + timedelta(seconds=0 if is_dead else wait)
        await self._settled(known, lease, delivery, told | own, later)
        return False

    async def _settled(
        self, known: Known, lease: str, delivery: Delivery, told: Row, later: datetime | None = None
    ) -> None:
        """Write down what became of a delivery; `later` is when a failed one, or the next after a
        dead one, has its turn."""

        async def work(tx: Tx) -> None:
            held = await self._lock(tx, known, lease)
            ended = {"ended_at": now()} if "state" in told else {}
            row = await tx.optional(Q.webhooks.change, id=delivery.id, properties=told | ended)
            failures = held.line.failures + 1 if later else 0
            line: Row = {"failures": failures, "due_at": later or now()}
            if row is not None and told.get("state") == DeliveryState.DEAD:
                who = of_loci(held)
                await tell(tx, who, "dead_letter", held.webhook, item=delivery.id)
            if failures >= self._limits.pause_after:
                line |= await self._stopped(tx, held, Reason.FAILURES)
            await set_on(tx, held.webhook, line)

        await self._graph.write("webhooks.settle", work)

    async def _pause(self, known: Known, lease: str, reason: Reason) -> None:
        async def work(tx: Tx) -> None:
            held = await self._lock(tx, known, lease)
            await set_on(tx, held.webhook, await self._stopped(tx, held, reason))

        await self._graph.write("webhooks.pause", work)

    async def _stopped(self, tx: Tx, held: Known, reason: Reason) -> Row:
        """Tell that a webhook is paused, and return what that sets."""
        await tell(tx, of_loci(held), "pause", held.webhook, reason=reason.value)
        log.warning("webhook.paused", webhook=held.webhook.id, reason=reason.value)
        return {"state": WebhookState.PAUSED.value, "reason": reason.value}

    async def _lock(self, tx: Tx, known: Known, lease: str) -> Known:
        row = await tx.optional(
            Q.webhooks.hold,
            id=known.webhook.id,
            lease=lease,
            at=now(),
            until=now() + self._lease,
        )
        if row is None:
            raise Lost
        return Known.of(row["webhook"])


def further(one: Place, other: Place) -> Place:
    """The place that is as far as either of two, in both orders."""
    return Place(max(one.sealed, other.sealed), max(one.numbered, other.numbered))


def visible(delivery: Delivery, known: Known, caller: Caller) -> Delivery:
    """A delivery without what its webhook's maker no longer sees, or asks for."""
    kept = tuple(
        event
        for event in delivery.events
        if event["scope"] in caller.roles
        and known.webhook.takes_scope(event["scope"])
        and caller.principal in event.get("readers", [caller.principal])
    )
    return delivery.model_copy(update={"events": kept})


def body_of(delivery: Delivery) -> bytes:
    """The body that is posted, the same at each attempt unless rights went."""
    return orjson.dumps(
        {
            "webhook": delivery.webhook,
            "delivery": delivery.id,
            "purpose": delivery.purpose.value,
            "events": delivery.told,
        }
    )


def of_loci(known: Known) -> Caller:
    """Who acts where the worker pauses a webhook."""
    scope = known.webhook.scope
    return Caller(
        principal=LOCI,
        kind="system",
        name=LOCI,
        tenant=scope.partition("/")[0],
        home=scope,
        key="",
        roles={scope: Role.CURATOR},
    )
