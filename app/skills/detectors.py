"""What is wrong among skills: seed 000's detectors (annex 2.a), pure over what was looked up.

A pair is told once, in whatever order it is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.contradiction.compare import compare
from app.contradiction.model import Clash, Verdict
from app.kernel.ids import digest
from app.skills.cycles import Edge, circles
from app.skills.finding import Pair
from app.skills.versioning import slug_of
from app.skills.vocabulary import TYPE_OF, ConflictType, Finding, Severity

DUPLICATE, OVERLAP = 0.92, 0.70
UNUSED, NEW = timedelta(days=90), timedelta(days=30)
FEW_USES = 5
COMPARED = 2_000  # characters of a text that are read for contradictions
# Skills that do opposite things, or to other numbers, are two skills and no contradiction.
CLASHES = frozenset([Clash.NEGATION, Clash.EXCLUSIVE, Clash.CORRECTION])


@dataclass(frozen=True, slots=True)
class Seen:
    """A skill as the detectors see it."""

    id: str
    name: str
    category: str
    text: str
    made_at: datetime
    used_at: datetime | None = None
    uses: int = 0
    agents: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """A skill that leans on one that is no longer active."""

    skill: str
    on: str
    status: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A clone whose origin has gone on since."""

    clone: str
    origin: str
    taken: str
    current: str


@dataclass(frozen=True, slots=True)
class Detected:
    """One finding about the skills named, in the order of their ids."""

    finding: Finding
    severity: Severity
    skills: tuple[str, ...]
    similarity: float | None = None
    detail: str = ""

    @property
    def type(self) -> ConflictType:
        """The type of conflict that this is of."""
        return TYPE_OF[self.finding]

    def identity(self, scope: str) -> str:
        """The id of its record: the same for the same skills in any order."""
        return digest("skill-conflict", scope, str(self.finding), *sorted(self.skills))[:32]


def alike(pairs: Iterable[Pair], skills: Mapping[str, Seen]) -> list[Detected]:
    """Duplicates from .92 (critical), contradictions from .70 (high), and overlaps from .70 to
    .92 inside one category (medium)."""
    best: dict[tuple[str, ...], float] = {}
    for pair in pairs:
        if pair.left != pair.right and pair.left in skills and pair.right in skills:
            key = tuple(sorted((pair.left, pair.right)))
            best[key] = max(best.get(key, -1.0), pair.similarity)
    told = (_pair(key, similarity, skills) for key, similarity in sorted(best.items()))
    return [found for found in told if found is not None]


def _pair(key: tuple[str, ...], similarity: float, skills: Mapping[str, Seen]) -> Detected | None:
    if similarity < OVERLAP:
        return None
    one, other = (skills[skill] for skill in key)
    verdict = _verdict(one, other)
    if verdict.kind in CLASHES:
        return Detected(Finding.CONTRADICTING, Severity.HIGH, key, similarity, str(verdict.kind))
    if similarity >= DUPLICATE and not verdict.found:
        return Detected(Finding.DUPLICATE, Severity.CRITICAL, key, similarity)
    if one.category == other.category:
        return Detected(Finding.OVERLAPPING, Severity.MEDIUM, key, similarity)
    return None


def _verdict(one: Seen, other: Seen) -> Verdict:
    """Whether the texts contradict; the later one is held against the earlier."""
    first, second = sorted((one, other), key=lambda skill: (skill.made_at, skill.id))
    return compare(first.text[:COMPARED], second.text[:COMPARED])


def same_names(skills: Iterable[Seen]) -> list[Detected]:
    """Skills whose names say the same but for case, accents and punctuation (low), once a group."""
    groups: dict[str, list[str]] = {}
    for skill in skills:
        groups.setdefault(slug_of(skill.name), []).append(skill.id)
    return [
        Detected(Finding.SAME_NAME, Severity.LOW, tuple(sorted(ids)), None, slug)
        for slug, ids in sorted(groups.items())
        if len(ids) > 1
    ]


def circular(edges: Sequence[Edge]) -> list[Detected]:
    """Circles of dependencies (high)."""
    return [Detected(Finding.CIRCULAR, Severity.HIGH, path) for path in circles(edges)]


def broken(found: Iterable[Broken]) -> list[Detected]:
    """Skills that lean on deprecated (medium) or archived or draft ones (high)."""
    return [
        Detected(
            Finding.BROKEN,
            Severity.MEDIUM if each.status == "deprecated" else Severity.HIGH,
            (each.skill, each.on),
            None,
            each.status,
        )
        for each in sorted(found, key=lambda b: (b.skill, b.on))
    ]


def drifted(found: Iterable[Drift]) -> list[Detected]:
    """Clones that their origin has left behind (low). Names play no part: lineage tells."""
    return [
        Detected(
            Finding.DRIFT,
            Severity.LOW,
            (each.clone, each.origin),
            None,
            f"{each.taken} -> {each.current}",
        )
        for each in sorted(found, key=lambda d: (d.clone, d.origin))
        if each.taken != each.current
    ]


def is_stale(skill: Seen, at: datetime) -> bool:
    """Unused for 90 days or never used, under five uses, and made over 30 days ago."""
    unused = skill.used_at is None or at - skill.used_at > UNUSED
    return unused and skill.uses < FEW_USES and at - skill.made_at > NEW


def is_orphan(skill: Seen, at: datetime) -> bool:
    """No agent has it, nothing is linked to it, and it was made over 30 days ago."""
    return not skill.agents and not skill.edges and at - skill.made_at > NEW


def alone(skills: Iterable[Seen], at: datetime) -> list[Detected]:
    """Stale and orphaned skills (low)."""
    found = []
    for skill in skills:
        if is_stale(skill, at):
            found.append(Detected(Finding.STALE, Severity.LOW, (skill.id,)))
        if is_orphan(skill, at):
            found.append(Detected(Finding.ORPHAN, Severity.LOW, (skill.id,)))
    return found
