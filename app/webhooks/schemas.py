"""Wire types of webhooks. The address, which a client wrote, stands under `untrusted`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pydantic import Field, field_validator

from app.kernel.wire import WireModel
from app.webhooks.model import Delivery, KindNames, Url
from app.webhooks.repository import Known
from app.webhooks.service import Draft


class WebhookIn(WireModel):
    """A new webhook; it tells what happens from now on."""

    url: Url = Field(description="Where events are posted to: an https address on the internet.")
    scope: str | None = Field(
        None, description="Scope whose events are told; the key's home if unset."
    )
    kinds: KindNames = Field(
        (), description="Kinds, whole or by their first word, as for streams; all if empty."
    )
    below: bool = Field(False, description="Tell of the scopes below it too.")

    def to_draft(self) -> Draft:
        """Return the draft that this describes."""
        return Draft(self.url, self.scope, self.kinds, self.below)


class WebhookChangeIn(WireModel):
    """What is to change; a field that is left out stays."""

    url: Url | None = None
    kinds: KindNames | None = None
    below: bool | None = None

    @field_validator("url", "kinds", "below", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value is None:
            raise ValueError("this cannot be emptied with null")
        return value

    def changes(self) -> dict[str, Any]:
        """Return the fields that were given."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


class WebhookOut(msgspec.Struct, frozen=True):
    """A webhook; `place` is the id of the last event that was looked at, `reason` why it is paused:
    asked, failures, key, scope or imported."""

    id: str
    scope: str
    kinds: list[str]
    below: bool
    state: str
    reason: str | None
    failures: int
    place: str
    version: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, known: Known) -> WebhookOut:
        """Return the wire form of a webhook."""
        return cls(**_fields(known))


class WebhookMadeOut(WebhookOut, frozen=True, kw_only=True):
    """A webhook with its secret, which is in this answer only."""

    secret: str

    @classmethod
    def of(cls, known: Known) -> WebhookMadeOut:
        """Return the wire form of a webhook and its secret."""
        return cls(**_fields(known), secret=known.line.secret)


def _fields(known: Known) -> dict[str, Any]:
    webhook, line = known.webhook, known.line
    return {
        "id": webhook.id,
        "scope": webhook.scope,
        "kinds": list(webhook.kinds),
        "below": webhook.below,
        "state": line.state.value,
        "reason": line.reason,
        "failures": line.failures,
        "place": str(line.place),
        "version": webhook.version,
        "created_at": webhook.created_at,
        "created_by": webhook.created_by,
        "changed_at": webhook.changed_at,
        "changed_by": webhook.changed_by,
        "untrusted": {"url": webhook.url},
    }


class WebhooksOut(msgspec.Struct, frozen=True):
    """A page of webhooks; `next` is the cursor of the one after it."""

    items: list[WebhookOut]
    next: str | None


class DeliveryOut(msgspec.Struct, frozen=True):
    """A delivery; `status` is what the address answered last, `error` why there was no answer."""

    id: str
    number: int
    purpose: str
    state: str
    attempts: int
    status: int | None
    error: str | None
    created_at: datetime
    sent_at: datetime | None
    ended_at: datetime | None
    events: list[dict[str, Any]]

    @classmethod
    def of(cls, made: Delivery) -> DeliveryOut:
        """Return the wire form of a delivery."""
        return cls(
            id=made.id,
            number=made.number,
            purpose=made.purpose.value,
            state=made.state.value,
            attempts=made.attempts,
            status=made.status,
            error=made.error,
            created_at=made.created_at,
            sent_at=made.sent_at,
            ended_at=made.ended_at,
            events=made.told,
        )


class DeliveriesOut(msgspec.Struct, frozen=True):
    """A page of deliveries, newest first; `next` is the cursor of the one after it."""

    items: list[DeliveryOut]
    next: str | None
