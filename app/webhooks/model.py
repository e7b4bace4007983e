"""A webhook and its deliveries, as they are stored; what of it is never exported stands apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.events.model import Place, Wanted
from app.kernel.kind import Gone, Kind, Stored, unpacked
from app.kernel.vocab import Label
from app.kernel.wire import Moment

MOST_KINDS = 64
Who = Annotated[str, StringConstraints(max_length=200)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
KindName = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,64}(\.[a-z_]{1,64})?$")]
KindNames = Annotated[tuple[KindName, ...], Field(max_length=MOST_KINDS)]
Number = Annotated[int, Field(ge=0, le=2**53 - 1)]


class WebhookState(StrEnum):
    """Whether the worker sends anything."""

    ACTIVE = "active"
    PAUSED = "paused"


class DeliveryState(StrEnum):
    """What became of a delivery; `dropped` is one of which its webhook may see nothing any more."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    DROPPED = "dropped"


class Purpose(StrEnum):
    """Why a delivery is made."""

    EVENTS = "events"
    TEST = "test"


class Reason(StrEnum):
    """Why a webhook is paused."""

    ASKED = "asked"
    FAILURES = "failures"
    KEY = "key"
    SCOPE = "scope"
    IMPORTED = "imported"


class Webhook(Stored):
    """Where events of a scope go; with `below`, those of the scopes below it too."""

    url: Url
    kinds: KindNames = ()
    below: bool = False
    version: Annotated[int, Field(ge=1, le=2**53 - 1)] = 1
    created_at: Moment
    created_by: Who
    changed_at: Moment
    changed_by: Who

    def people(self) -> Iterable[str]:
        """Return who made and who changed it."""
        return {self.created_by, self.changed_by}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the webhook with every principal replaced."""
        by = {"created_by": name(self.created_by), "changed_by": name(self.changed_by)}
        return self.model_copy(update=by)

    def without(self, gone: Gone) -> Self | None:
        """Return the webhook without who changed it; None where its maker is forgotten, or its
        address names the person."""
        if gone.wrote(self.created_by) or gone.named(self.url):
            return None
        by = "" if gone.wrote(self.changed_by) else self.changed_by
        return self.model_copy(update={"changed_by": by})

    def takes_scope(self, scope: str) -> bool:
        """Return whether events of a scope are told."""
        return scope == self.scope or (self.below and scope.startswith(f"{self.scope}/"))

    def wanted(self, visible: Iterable[str]) -> Wanted:
        """Return what it asks for, among the scopes that its maker sees."""
        scopes = tuple(scope for scope in visible if self.takes_scope(scope))
        return Wanted(scopes, self.kinds or None)


@dataclass(frozen=True, slots=True)
class Line:
    """How far a webhook is, and what it sends with: on its node, and in no record of it."""

    state: WebhookState
    reason: str | None
    failures: int
    place: Place
    number: int
    key: str
    secret: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Line:
        """Read a node; one that a package brought has no line yet."""
        fresh = row.get("state") is None
        return cls(
            state=WebhookState(row.get("state") or WebhookState.PAUSED),
            reason=Reason.IMPORTED.value if fresh else row.get("reason"),
            failures=row.get("failures") or 0,
            place=Place(row.get("sealed") or 0, row.get("numbered") or 0),
            number=row.get("number") or 0,
            key=row.get("key") or "",
            secret=row.get("secret") or "",
        )


class Delivery(Stored):
    """One body that goes to a webhook: up to a hundred events, in order.

    `status` is what the address answered last, `error` why there was no answer.
    """

    webhook: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    number: Number
    purpose: Purpose = Purpose.EVENTS
    state: DeliveryState = DeliveryState.WAITING
    events: Annotated[tuple[dict[str, Any], ...], BeforeValidator(unpacked)] = ()
    attempts: Number = 0
    status: int | None = None
    error: str | None = None
    created_at: Moment
    sent_at: Moment | None = None
    ended_at: Moment | None = None

    @property
    def told(self) -> list[dict[str, Any]]:
        """The events as anybody is told them: without who alone may see one."""
        return [{k: v for k, v in event.items() if k != "readers"} for event in self.events]

    def people(self) -> Iterable[str]:
        """Return whose doings it tells."""
        return {str(event.get("actor", "")) for event in self.events}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the delivery with every principal replaced."""
        events = tuple({**one, "actor": name(one["actor"])} for one in self.events)
        return self.model_copy(update={"events": events})

    def without(self, gone: Gone) -> Self | None:
        """Return the delivery without what somebody did; None where that was all of it."""
        events = tuple(e for e in self.events if not gone.wrote(str(e.get("actor", ""))))
        if not events and self.events:
            return None
        return self.model_copy(update={"events": events})


WEBHOOK = Kind(
    "webhook",
    Webhook,
    Label.WEBHOOK,
    sanitised=("url",),
    changed="changed_at",
    guarded=True,
)
# Kept for days only, and a place in one store's order says nothing in another.
WEBHOOK_DELIVERY = Kind(
    "webhook_delivery",
    Delivery,
    Label.WEBHOOK_DELIVERY,
    part_of=WEBHOOK,
    whole="webhook",
    exported=False,
    plural="webhook_deliveries",
)
