"""What a check of many values did or would do, and how it is asked for by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.ids import new_id
from app.kernel.kind import Stored
from app.kernel.wire import WireModel

NAMED = 1000  # ids that a receipt names; the counts are of all


@dataclass(slots=True)
class Receipt:
    """What a run changed or would change: ids, and counts by scope. Audit events name it."""

    dry_run: bool
    at: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)
    ids: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, value: Stored) -> None:
        """Count one value that was changed."""
        if len(self.ids) < NAMED:
            self.ids.append(value.id)
        self.counts[value.scope] = self.counts.get(value.scope, 0) + 1

    def told(self) -> dict[str, Any]:
        """Return the result of a job: how many, and where."""
        return {"receipt": self.id, "changed": sum(self.counts.values()), "scopes": self.counts}


class CheckIn(WireModel):
    """What a check looks at, and whether it is only told what it would do."""

    scope: str | None = Field(
        None, description="One scope; all that this key administers if unset."
    )
    dry_run: bool = Field(True, description="Tell what would change, and change nothing.")

    def scopes(self, caller: Caller) -> Sequence[str]:
        """Return the scopes to look at; raises NotFound and Forbidden for one that is not his."""
        if self.scope is not None:
            return [caller.require(self.scope, Role.ADMIN)]
        return [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]


class CheckOut(msgspec.Struct, frozen=True):
    """The receipt of a check: what it changed or would change, and how many in each scope."""

    receipt: str
    dry_run: bool
    at: datetime
    ids: list[str]
    counts: dict[str, int]

    @classmethod
    def of(cls, receipt: Receipt) -> CheckOut:
        """Return the wire form of a receipt."""
        return cls(receipt.id, receipt.dry_run, receipt.at, receipt.ids, receipt.counts)
