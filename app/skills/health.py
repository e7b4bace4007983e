"""The health of a scope's skill graph, 0 to 100 with a grade (seed 000, annex 2.a), pure."""

from __future__ import annotations

from dataclasses import dataclass

COVERAGE, CONNECTIVITY, FRESHNESS, EFFECTIVENESS, PENALTY = 0.25, 0.20, 0.20, 0.25, 0.10
EDGES_ENOUGH = 3.0  # edges a skill
GRADES = ((90.0, "A"), (80.0, "B"), (70.0, "C"), (60.0, "D"))


@dataclass(frozen=True, slots=True)
class Vitals:
    """What health is made of: shares between 0 and 1, and edges for each skill."""

    skills: int
    coverage: float = 0.0
    edges_per_skill: float = 0.0
    freshness: float = 0.0
    effectiveness: float = 0.0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class Health:
    """A score to one decimal and its grade."""

    score: float
    grade: str


def connectivity(edges_per_skill: float) -> float:
    """`min(edges for each skill / 3, 1)`."""
    return min(edges_per_skill / EDGES_ENOUGH, 1.0)


def penalty(conflicts: int, skills: int) -> float:
    """Open conflicts for each skill, at most 1."""
    return min(conflicts / skills, 1.0) if skills else 0.0


def health(vitals: Vitals) -> Health:
    """`100 (.25 coverage + .20 connectivity + .20 freshness + .25 effectiveness - .10 penalty)`.

    The positive weights add up to .90, so the best score is 90.0; an empty graph has 0 and F.
    """
    if not vitals.skills:
        return Health(0.0, "F")
    share = (
        COVERAGE * vitals.coverage
        + CONNECTIVITY * connectivity(vitals.edges_per_skill)
        + FRESHNESS * vitals.freshness
        + EFFECTIVENESS * vitals.effectiveness
        - PENALTY * vitals.penalty
    )
    score = round(min(max(100 * share, 0.0), 100.0), 1)
    return Health(score, grade(score))


def grade(score: float) -> str:
    """A from 90, B from 80, C from 70, D from 60, else F."""
    return next((letter for least, letter in GRADES if score >= least), "F")
