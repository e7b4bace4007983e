"""Long episodes in parts: what one transaction writes is bounded, however much a text says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from app.consolidation.derive import Reading
from app.entities.model import Resolved
from app.extraction.model import Extracted, Mention, Statement
from app.values.model import Value

T = TypeVar("T")

MOST = 400  # statements, or names, of one transaction
PLACES = 8  # of what one text says again and again


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what one episode says, with the entities of its mentions."""

    reading: Reading
    answers: list[Resolved]


def is_long(reading: Reading) -> bool:
    """Whether an episode says more than one transaction should write."""
    return max(len(reading.extracted.statements), len(reading.extracted.mentions)) > MOST


def grouped(readings: Sequence[Reading]) -> Iterator[list[Reading]]:
    """The readings in their order, each long one alone, others as many as one transaction takes."""
    group: list[Reading] = []
    size = 0
    for reading in readings:
        more = len(reading.extracted.statements) + len(reading.extracted.mentions)
        if group and (is_long(reading) or size + more > 2 * MOST):
            yield group
            group, size = [], 0
        group.append(reading)
        size = 2 * MOST if is_long(reading) else size + more
    if group:
        yield group


def parts_of(reading: Reading, answers: Sequence[Resolved]) -> Iterator[Part]:
    """An episode in parts; `answers` are of all its mentions.

    Statements on one subject and predicate come together, so that a belief is settled once, by
    all that the episode says of it; only where they alone are more than `MOST` they are parted.
    The first mention of an entity in a part carries its row.
    """
    found = {answer.mention: answer for answer in answers}
    rows = {answer.entity_id: answer.row for answer in answers if answer.row is not None}
    ids = {mention: answer.entity_id for mention, answer in found.items()}
    statements = sorted(
        without_repeats(reading.extracted.statements, ids),
        key=lambda s: (ids[s.subject], s.predicate, s.span.start),
    )
    told: set[Mention] = set()
    for some in _filled(statements, lambda s: (ids[s.subject], s.predicate)):
        mentions = list(dict.fromkeys(end for statement in some for end in _ends(statement)))
        told.update(mentions)
        yield _part(reading, [found[mention] for mention in mentions], some, rows)
    for rest in _batched([answer for answer in answers if answer.mention not in told]):
        yield _part(reading, rest, (), rows)


def without_repeats(statements: Sequence[Statement], ids: Mapping[Mention, str]) -> list[Statement]:
    """The statements, in their order; of one that a text makes more than `PLACES` times the first
    ones, since a text supports a fact no more for saying it a thousand times.

    `ids` are the entities of mentions.
    """

    def of(end: Mention | Value | None) -> str | None:
        if isinstance(end, Mention):
            return ids[end]
        return None if end is None else end.key

    times: Counter[tuple[Any, ...]] = Counter()
    kept = []
    for said in statements:
        ends = of(said.subject), of(said.object), of(said.replaces)
        when = said.since, said.until, said.ongoing
        how = said.mode, said.model, bool(said.rest), said.qualifier, said.fits
        key = (*ends, *when, said.predicate, *how)
        times[key] += 1
        if times[key] <= PLACES:
            kept.append(said)
    return kept


def _filled(
    statements: Sequence[Statement], belongs: Callable[[Statement], tuple[str, str]]
) -> Iterator[list[Statement]]:
    """Sorted statements in lists of at most `MOST`, what belongs together in one if it fits."""
    filled: list[Statement] = []
    for _, group in groupby(statements, belongs):
        together = list(group)
        if filled and len(filled) + len(together) > MOST:
            yield filled
            filled = []
        filled += together
        while len(filled) > MOST:
            yield filled[:MOST]
            filled = filled[MOST:]
    if filled:
        yield filled


def _batched(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), MOST):
        yield items[start : start + MOST]


def _part(
    reading: Reading,
    answers: Sequence[Resolved],
    statements: Sequence[Statement],
    rows: Mapping[str, dict[str, Any]],
) -> Part:
    first: set[str] = set()
    carried = []
    for answer in answers:
        row = None if answer.entity_id in first else rows[answer.entity_id]
        first.add(answer.entity_id)
        carried.append(replace(answer, row=row))
    said = Extracted(tuple(answer.mention for answer in answers), tuple(statements))
    return Part(replace(reading, extracted=said), carried)


def _ends(statement: Statement) -> Iterator[Mention]:
    for end in (statement.subject, statement.object, statement.replaces):
        if isinstance(end, Mention):
            yield end
