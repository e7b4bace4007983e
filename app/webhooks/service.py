"""Webhooks: made, found, changed, paused, resumed, tried; deliveries listed and sent again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from app.errors import (
    FetchFailed,
    Forbidden,
    InvalidInput,
    NotFound,
    QuotaReached,
    StateRefused,
    VersionMismatch,
)
from app.events.repository import EventRepository
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.sanitize.tree import sanitize_tree
from app.scopes.service import ScopeService
from app.webhooks.model import (
    WEBHOOK,
    WEBHOOK_DELIVERY,
    Delivery,
    DeliveryState,
    Purpose,
    Reason,
    Webhook,
    WebhookState,
)
from app.webhooks.posting import Postman
from app.webhooks.repository import Known, WebhookRepository, set_on, store, tell
from app.webhooks.signing import new_secret

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
STOPPED = {"lease": None, "lease_until": LONG_AGO}  # whoever sends now finds his lease lost


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in."""

    url: str
    scope: str | None
    kinds: tuple[str, ...]
    below: bool


class WebhookService:
    """Every operation on webhooks; `most` is how many a scope has."""

    def __init__(
        self, rows: WebhookRepository, scopes: ScopeService, events: EventRepository,
        postman: Postman, most: int,
    ) -> None:  # fmt: skip
        self.rows = rows
        self._scopes = scopes
        self._events = events
        self._postman = postman
        self._most = most

    async def create(self, caller: Caller, draft: Draft) -> Known:
        """Make a webhook that tells what happens from now on; its secret is in the answer.

        Raises NotFound and Forbidden by the scope, InvalidInput (`url`), and QuotaReached.
        """
        scope = caller.require(str(parse_scope(draft.scope or caller.home)), Role.WRITER)
        url, at = await self._address(draft.url, scope), now()
        webhook = Webhook(
            id=new_id(),
            scope=scope,
            url=url,
            kinds=draft.kinds,
            below=draft.below,
            created_at=at,
            created_by=caller.principal,
            changed_at=at,
            changed_by=caller.principal,
        )
        await self._events.settle(caller.tenant)
        place, _ = await self._events.end(caller.tenant)
        line = _active(caller) | {
            "sealed": place.sealed,
            "numbered": place.numbered,
            "number": 0,
            "secret": new_secret(),
        }

        async def work(tx: Tx) -> Known:
            if await tx.optional(Q.webhooks.lock_scope, scope=scope, at=at) is None:
                raise NotFound(f"there is no scope {scope}", field="scope")
            if (await tx.one(Q.webhooks.count, scope=scope))["webhooks"] >= self._most:
                raise QuotaReached(f"a scope has at most {self._most} webhooks", field="scope")
            await store(tx, WEBHOOK, webhook)
            await tell(tx, caller, "create", webhook)
            return await set_on(tx, webhook, line)

        return await self.rows.graph.write("webhook.create", work)

    async def change(
        self, caller: Caller, identifier: str, changes: Row, expected: int | None
    ) -> Known:
        """Change address, kinds or depth; VersionMismatch where it has another version."""
        known = await self._own(caller, identifier)
        if "url" in changes:
            changes = {**changes, "url": await self._address(changes["url"], known.webhook.scope)}

        async def work(tx: Tx) -> Known:
            held = await self.rows.locked(tx, known.webhook)
            if expected is not None and expected != held.webhook.version:
                raise VersionMismatch(f"it has version {held.webhook.version}", field="If-Match")
            if all(getattr(held.webhook, name) == value for name, value in changes.items()):
                return held
            fields = {"version": held.webhook.version + 1, "changed_at": now(), **changes}
            made = held.webhook.model_copy(update={**fields, "changed_by": caller.principal})
            await tx.rows(Q.kinds.change, rows=[{"id": made.id, **WEBHOOK.row(made)}])
            await tell(tx, caller, "change", made, fields=sorted(changes), version=made.version)
            return Known(made, held.line)

        return await self.rows.graph.write("webhook.change", work)

    async def remove(self, caller: Caller, identifier: str) -> None:
        """Delete a webhook with its deliveries; its maker may, and an admin of its scope."""
        known = await self.rows.find(caller, identifier)

        async def work(tx: Tx) -> None:
            held = await self.rows.locked(tx, known.webhook)
            parts = await tx.rows(Q.kinds.with_parts, ids=[held.webhook.id])
            ids = [part for row in parts for part in row["parts"]]
            await tx.rows(Q.kinds.drop, ids=[*ids, held.webhook.id])
            await tell(tx, caller, "delete", held.webhook)

        await self.rows.graph.write("webhook.remove", work)

    async def pause(self, caller: Caller, identifier: str) -> Known:
        """Stop sending; its maker may, and an admin of its scope. What is sent just now arrives."""
        known = await self.rows.find(caller, identifier)

        async def work(tx: Tx) -> Known:
            held = await self.rows.locked(tx, known.webhook)
            if held.line.state is WebhookState.PAUSED:
                return held
            await tell(tx, caller, "pause", held.webhook, reason=Reason.ASKED.value)
            paused = {"state": WebhookState.PAUSED.value, "reason": Reason.ASKED.value}
            return await set_on(tx, held.webhook, paused | STOPPED)

        return await self.rows.graph.write("webhook.pause", work)

    async def resume(self, caller: Caller, identifier: str) -> Known:
        """Send again, from where it stopped, with the key that asks.

        Raises StateRefused where it has no secret, since a package brought it.
        """
        known = await self._own(caller, identifier)
        await self._events.settle(caller.tenant)
        end, _ = await self._events.end(caller.tenant)

        async def work(tx: Tx) -> Known:
            held = await self.rows.locked(tx, known.webhook)
            if not held.line.secret:
                raise StateRefused("it has no secret yet: ask for one first", field="id")
            if held.line.state is WebhookState.ACTIVE and held.line.key == caller.key:
                return held
            line = _active(caller)
            if held.line.reason == Reason.IMPORTED:
                line |= {"sealed": end.sealed, "numbered": end.numbered, "number": 0}
            await tell(tx, caller, "resume", held.webhook)
            return await set_on(tx, held.webhook, line)

        return await self.rows.graph.write("webhook.resume", work)

    async def renew(self, caller: Caller, identifier: str) -> Known:
        """Give a webhook another secret, which is in the answer; the former signs no more."""
        known = await self._own(caller, identifier)

        async def work(tx: Tx) -> Known:
            held = await self.rows.locked(tx, known.webhook)
            await tell(tx, caller, "secret", held.webhook)
            return await set_on(tx, held.webhook, {"secret": new_secret()})

        return await self.rows.graph.write("webhook.secret", work)

    async def test(self, caller: Caller, identifier: str) -> Delivery:
        """Have an empty delivery sent, behind what waits; StateRefused for a paused webhook."""
        known = await self._own(caller, identifier)

        async def work(tx: Tx) -> Delivery:
            held = await self._sending(tx, known)
            made = Delivery(
                id=new_id(),
                scope=held.webhook.scope,
                webhook=held.webhook.id,
                number=held.line.number + 1,
                purpose=Purpose.TEST,
                created_at=now(),
            )
            await store(tx, WEBHOOK_DELIVERY, made)
            await set_on(tx, held.webhook, {"number": made.number})
            await tell(tx, caller, "test", held.webhook, item=made.id)
            return made

        return await self.rows.graph.write("webhook.test", work)

    async def resend(self, caller: Caller, identifier: str, delivery: str) -> Delivery:
        """Send a dead letter again, behind what waits.

        Raises NotFound (`delivery`), and StateRefused for a paused webhook or another state.
        """
        known = await self._own(caller, identifier)
        await self.rows.delivery(known.webhook, delivery)

        async def work(tx: Tx) -> Delivery:
            held = await self._sending(tx, known)
            row = await tx.optional(
                Q.webhooks.delivery, id=delivery, webhook=identifier, scopes=[held.webhook.scope]
            )
            found = Delivery.of(row["delivery"]) if row is not None else None
            if found is None or found.state is not DeliveryState.DEAD:
                raise StateRefused("only a dead letter is sent again", field="delivery")
            number = held.line.number + 1
            again: Row = {"state": DeliveryState.WAITING.value, "number": number, "attempts": 0}
            again["ended_at"] = None
            row = await tx.one(Q.webhooks.change, id=found.id, properties=again)
            await set_on(tx, held.webhook, {"number": number})
            await tell(tx, caller, "resend", held.webhook, item=found.id)
            return Delivery.of(row["delivery"])

        return await self.rows.graph.write("webhook.resend", work)

    async def _sending(self, tx: Tx, known: Known) -> Known:
        held = await self.rows.locked(tx, known.webhook)
        if held.line.state is not WebhookState.ACTIVE:
            raise StateRefused("the webhook is paused: resume it first", field="id")
        return held

    async def _own(self, caller: Caller, identifier: str) -> Known:
        """Return a webhook of the caller's own; NotFound, or Forbidden for an admin of its scope,
        since what it sends is what its maker sees."""
        known = await self.rows.find(caller, identifier)
        if known.webhook.created_by != caller.principal:
            raise Forbidden("only its maker changes a webhook", field="id")
        caller.require(known.webhook.scope, Role.WRITER)
        return known

    async def _address(self, given: str, scope: str) -> str:
        """Return an address that may be stored and posted to; InvalidInput (`url`)."""
        clean = sanitize_tree(given.strip(), await self._scopes.policy(scope), "url")
        if clean != given.strip():
            raise InvalidInput(
                "the address holds what looks like a secret or personal data, which are not "
                "stored: what is sent is signed instead",
                field="url",
            )
        try:
            await self._postman.check(clean)
        except FetchFailed as error:
            raise InvalidInput(error.detail, field="url") from None
        return str(clean)


def _active(caller: Caller) -> Row:
    """Return what is set where a webhook begins to send with the key of a caller."""
    return {
        "state": WebhookState.ACTIVE.value,
        "reason": None,
        "failures": 0,
        "key": caller.key,
        "due_at": now(),
        **STOPPED,
    }
