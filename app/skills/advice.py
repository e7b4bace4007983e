"""What would make a skill better, told from what is known of it: pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.skills.effectiveness import Trend, is_weak
from app.skills.walk import HUB


@dataclass(frozen=True, slots=True)
class Known:
    """A skill as advice sees it."""

    description: str
    body: str
    preconditions: int
    postconditions: int
    uses: int
    effectiveness: float
    trend: Trend
    agents: int
    neighbours: int
    open_conflicts: int


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggestion: what about, and why."""

    about: str
    reason: str


SHORT, LONG = 40, 12_000  # characters of a description, of a body


def advise(skill: Known) -> list[Advice]:
    """Suggestions, the weightiest first; none for a skill with nothing to say against it."""
    rules = (
        (is_weak(skill.uses, skill.effectiveness), "body", "it often fails: renew it"),
        (skill.trend is Trend.DECLINING, "body", "it fails more often than the week before"),
        (skill.open_conflicts > 0, "conflicts", f"{skill.open_conflicts} stand open"),
        (not skill.body.strip(), "body", "it says nothing of how it is done"),
        (len(skill.description) < SHORT, "description", "too short to be found by its meaning"),
        (len(skill.body) > LONG, "body", "long enough to be split into composed skills"),
        (not skill.preconditions, "preconditions", "nothing tells when it can be used"),
        (not skill.postconditions, "postconditions", "nothing tells whether it worked"),
        (not skill.agents, "agents", "no agent has it"),
        (skill.neighbours >= HUB, "dependencies", "a hub: a fault in it reaches many"),
    )
    return [Advice(about, reason) for applies, about, reason in rules if applies]
