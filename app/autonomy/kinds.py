"""What the engines need to know of this slice, a whole before its parts."""

from __future__ import annotations

from typing import Any

from app.autonomy.escalations.model import ESCALATION
from app.autonomy.goals.model import GOAL, GOAL_LINK
from app.autonomy.interventions.model import INTERVENTION
from app.autonomy.observations.model import OBSERVATION
from app.kernel.kind import Kind

KINDS: tuple[Kind[Any], ...] = (GOAL, GOAL_LINK, ESCALATION, OBSERVATION, INTERVENTION)
