"""Wire types of suggestions for policies."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from app.autonomy.authored import Text
from app.interventions.model import InterventionPolicy
from app.kernel.wire import WireModel


class InterventionDecideIn(WireModel):
    """What a curator makes of a suggestion."""

    to: Literal["accepted", "dismissed"]
    note: Text | None = None


class InterventionOut(msgspec.Struct, frozen=True):
    """A suggestion with its figures; `reckoning` tells them as a sentence."""

    id: str
    scope: str
    subject: str
    action: str
    state: str
    accepted: int
    rejected: int
    least: int
    rate: float
    since: datetime
    until: datetime
    reckoning: str
    suggested_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, found: InterventionPolicy) -> InterventionOut:
        """Return the wire form of a suggestion."""
        return cls(
            id=found.id,
            scope=found.scope,
            subject=found.subject.value,
            action=found.action.value,
            state=found.state.value,
            accepted=found.accepted,
            rejected=found.rejected,
            least=found.least,
            rate=found.rate,
            since=found.since,
            until=found.until,
            reckoning=found.reckoning,
            suggested_at=found.suggested_at,
            decided_at=found.decided_at,
            decided_by=found.decided_by,
            untrusted={"note": found.note},
        )


class InterventionsOut(msgspec.Struct, frozen=True):
    """A page of suggestions; `next` is the cursor of the one after it."""

    items: list[InterventionOut]
    next: str | None
