"""How sure a proposal is, and what research found: seed 000 (annex 2.a), pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PER_SOURCE, SOURCES_MOST = 0.15, 0.6
PER_FINDING, FINDINGS_MOST = 0.02, 0.3
OVERLAP_FREE, OVERLAP_COST = 0.7, 2.0
DUPLICATE, HIGH, MODERATE = 0.92, 0.7, 0.5
SUB_LEAST, SUB_MOST, SUB_COUNT, SUB_SHARE, DEEPEST = 0.4, 0.7, 3, 0.8, 3
HINT_LEAST, HINT_ENHANCES = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that research came upon, by id and without a word of it; `similarity` says
    how far a skill does the same, and how likely anything else bears on the topic."""

    kind: str  # skill, note, fact, episode, chunk
    id: str
    similarity: float
    category: str | None = None


def confidence(sources: int, findings: int, overlap: float) -> float:
    """`min(.15 sources, .6) + min(.02 findings, .3) - max(0, 2 (overlap - .7))`, never below 0.

    `overlap` is the similarity of the skill that is most like it.
    """
    earned = min(PER_SOURCE * sources, SOURCES_MOST) + min(PER_FINDING * findings, FINDINGS_MOST)
    return max(0.0, round(earned - max(0.0, OVERLAP_COST * (overlap - OVERLAP_FREE)), 6))


def overlap_label(similarity: float) -> str:
    """`duplicate` from .92, `high` from .7, `moderate` from .5, else `none`."""
    if similarity >= DUPLICATE:
        return "duplicate"
    if similarity >= HIGH:
        return "high"
    return "moderate" if similarity >= MODERATE else "none"


def dependency_hint(similarity: float, *, same_category: bool) -> str | None:
    """What a skill that is this like may be to a new one: within one category above .8 it
    enhances, else is required; of another category it composes. None outside .5 and .92."""
    if not HINT_LEAST <= similarity < DUPLICATE:
        return None
    if not same_category:
        return "composes"
    return "enhances" if similarity > HINT_ENHANCES else "requires"


def sub_findings(found: Sequence[Finding], depth: int) -> list[Finding]:
    """Findings that become proposals of their own: at most three from .4 to .7, and
    none below a depth of three. Skills are there already and need none."""
    if depth >= DEEPEST:
        return []
    fit = [f for f in found if f.kind != "skill" and SUB_LEAST <= f.similarity <= SUB_MOST]
    return sorted(fit, key=lambda f: (-f.similarity, f.id))[:SUB_COUNT]


def sub_confidence(similarity: float) -> float:
    """`.8 x similarity`."""
    return round(SUB_SHARE * similarity, 6)
