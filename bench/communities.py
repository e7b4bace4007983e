"""Communities over a generated graph: seconds, what an edit redoes, and whether ids stay.

The graph has topics of 25 entities, ten topics to a field; a passage is of one topic, sometimes of
another of its field, rarely of anything. It is written to the store as consolidation would leave
it, in a tenant of its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any

from app.communities.matching import jaccard
from app.communities.model import Members, Pass
from app.communities.service import CommunityService
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import digest

TOPIC, FIELD = 25, 10  # entities of a topic, topics of a field
NAMED = 4  # entities that a passage names
ASIDE, STRAY = 0.3, 0.05  # share of passages that name one of another topic, or any at all
FACTS = 0.5  # of passages, that say something of two entities
BATCH = 2000


@dataclass(frozen=True, slots=True)
class Drawn:
    """One passage: which entities it names, by number, and whether it says a fact of two."""

    named: tuple[int, ...]
    fact: bool


@dataclass(slots=True)
class CommunityReport:
    """What was measured; shares of 1, seconds of wall time."""

    entities: int
    passages: int
    first: dict[str, Any] = field(default_factory=dict)
    same_ids: bool = False
    edited: int = 0
    after_edit: dict[str, Any] = field(default_factory=dict)
    regrouped_share: float = 0.0
    told_share: float = 0.0
    whole_again: dict[str, Any] = field(default_factory=dict)
    local_likeness: float = 0.0


def drawn(entities: int, passages: int, seed: int) -> Iterator[Drawn]:
    """Passages over so many entities; the same seed draws the same."""
    dice = random.Random(seed)
    topics = max(1, entities // TOPIC)
    for _ in range(passages):
        topic = dice.randrange(topics)
        named = {topic * TOPIC + dice.randrange(TOPIC) for _ in range(NAMED)}
        if dice.random() < ASIDE:
            other = (topic // FIELD * FIELD + dice.randrange(FIELD)) % topics
            named.add(other * TOPIC + dice.randrange(TOPIC))
        if dice.random() < STRAY:
            named.add(dice.randrange(entities))
        yield Drawn(tuple(sorted(named)), dice.random() < FACTS)


async def measure(graph: Graph, tenant: str, entities: int) -> CommunityReport:
    """Write the graph, group it, group it again, edit one passage in a hundred, and group again."""
    passages = list(drawn(entities, entities, 1))
    service = CommunityService(graph)
    report = CommunityReport(entities, len(passages))
    await _write_entities(graph, tenant, entities)
    await _write_passages(graph, tenant, dict(enumerate(passages)))
    report.first = await _timed(service, tenant, whole=True)
    before = await _sets(service, tenant)
    again = await _timed(service, tenant, whole=True)
    report.same_ids = await _sets(service, tenant) == before and not again["regrouped"]
    report.edited = len(passages) // 100
    await _edit(graph, tenant, passages, report.edited)
    report.after_edit = await _timed(service, tenant)
    total = report.after_edit["communities"]
    report.regrouped_share = round(report.after_edit["regrouped"] / total, 4)
    report.told_share = round(report.after_edit["told"] / total, 4)
    local = await _sets(service, tenant)
    report.whole_again = await _timed(service, tenant, whole=True)
    report.local_likeness = round(_likeness(local, await _sets(service, tenant)), 4)
    return report


async def _timed(service: CommunityService, tenant: str, *, whole: bool = False) -> dict[str, Any]:
    start = time.perf_counter()
    done = await service.refresh(tenant, whole=whole)
    assert isinstance(done, Pass), "nobody else works in a tenant of the measurement"
    return {"total_s": round(time.perf_counter() - start, 2), **asdict(done)}


async def _sets(service: CommunityService, tenant: str) -> dict[str, Members]:
    stored = await service.rows.stored(tenant, await service.rows.every(tenant), set())
    return {i: one.inner for i, one in stored.items()}


def _likeness(one: dict[str, Members], other: dict[str, Members]) -> float:
    """Mean Jaccard index of the communities of one id, over all ids that either has."""
    ids = one.keys() | other.keys()
    none: Members = frozenset()
    likenesses = (jaccard(one.get(i, none), other.get(i, none)) for i in ids)
    return sum(likenesses) / max(1, len(ids))


async def _edit(graph: Graph, tenant: str, passages: Sequence[Drawn], count: int) -> None:
    """Passages that are taken out, and others that come in their places."""
    dice = random.Random(5)
    places = dice.sample(range(len(passages)), count)
    gone = {place: passages[place] for place in places}
    fresh = list(drawn(len(passages), count, 9))
    ids = [_passage(tenant, place) for place in places]
    named = sorted({_entity(tenant, n) for one in (*gone.values(), *fresh) for n in one.named})
    await graph.rows(Q.entities.unlink_mentions, episodes=ids)
    await graph.rows(Q.evals.drop_passages, ids=ids)
    numbers = range(len(passages), len(passages) + count)
    await _write_passages(graph, tenant, dict(zip(numbers, fresh, strict=True)))
    for part in _parts(named):
        await graph.rows(Q.evals.touch, ids=part, at=now())


def _entity(tenant: str, number: int) -> str:
    return digest(tenant, "entity", str(number))[:32]


def _passage(tenant: str, number: int) -> str:
    return digest(tenant, "passage", str(number))[:32]


def _name(number: int) -> str:
    return f"Thing{number:06d}"


async def _write_entities(graph: Graph, tenant: str, count: int) -> None:
    at = now() - timedelta(minutes=1)
    rows = [
        {
            "id": _entity(tenant, number),
            "root": _entity(tenant, number),
            "canonical_name": _name(number),
            "type": "thing",
        }
        for number in range(count)
    ]
    for part in _parts(rows):
        await graph.rows(Q.evals.bare_entities, rows=part, scope=tenant, at=at, forever=FOREVER)


async def _write_passages(graph: Graph, tenant: str, passages: dict[int, Drawn]) -> None:
    at = now()
    for numbers in _parts(list(passages)):
        rows = [_row(tenant, number, passages[number]) for number in numbers]
        await graph.rows(Q.evals.bare_passages, rows=rows, scope=tenant, at=at, forever=FOREVER)


def _row(tenant: str, number: int, one: Drawn) -> Row:
    """A passage of one sentence for each name, with the fact that its first sentence states."""
    names = [_name(n) for n in one.named]
    text = " ".join(f"{name} belongs here." for name in names)
    mentions = []
    start = 0
    for n, name in zip(one.named, names, strict=True):
        mentions.append({"entity": _entity(tenant, n), "start": start, "end": start + len(name)})
        start += len(name) + len(" belongs here. ")
    identifier = _passage(tenant, number)
    made = {"id": identifier, "content": text, "mentions": mentions, "facts": []}
    if one.fact and len(one.named) > 1:
        subject, other = (_entity(tenant, n) for n in one.named[:2])
        statement = f"{names[0]} goes with {names[1]}"
        made["facts"] = [
            {
                "id": digest(identifier, "fact")[:32],
                "subject": subject,
                "object": other,
                "statement": statement,
                "end": len(names[0]),
            }
        ]
    return made


def _parts(items: Sequence[Any]) -> Iterable[list[Any]]:
    for start in range(0, len(items), BATCH):
        yield list(items[start : start + BATCH])
