"""Wire types and parameters that goals, escalations and their like share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from litestar.params import QueryParameter

from app.autonomy.authored import Transition

Most = Annotated[int, QueryParameter(ge=1, le=200, description="Most values of a page.")]


class StepOut(msgspec.Struct, frozen=True):
    """One change of state."""

    at: datetime
    by: str
    before: str
    to: str

    @classmethod
    def of(cls, step: Transition) -> StepOut:
        """Return the wire form of a step."""
        return cls(step.at, step.by, step.before, step.to)
