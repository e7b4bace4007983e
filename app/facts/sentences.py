"""The sentences that speak of an entity, with what has become of what they say.

Rules read little of free talk: what they have no statement of is not lost, since the sentences that
name a thing are shown with it, the newest first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from app.entities.lone import unpack
from app.entities.schemas import EntityOut
from app.extraction.segment import sentences
from app.facts.possible import PossibleChange, on_the_wire
from app.facts.service import Moments
from app.kernel import paging
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

MOST = 3  # sentences of one passage
AROUND = 200  # characters on either side of a name that stands in no sentence
NEWEST = 10  # passages in a profile or timeline


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, with its range in characters."""

    start: int
    end: int
    text: str


class MentionOut(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that mentions an entity; its sentences are under `untrusted`, each with its range
    in the passage's text. `possible_changes` name what may have ended what they say."""

    passage: str
    kind: str
    scope: str
    document_id: str | None
    captured_at: datetime
    ingested_at: datetime
    role: str | None
    flags: list[str]
    possible_changes: list[dict[str, Any]]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> MentionOut:
        """The wire form of a row of `sentences.of_entities`."""
        passage = row["passage"]
        found = spoken(spots_of(row))
        said = [fact for fact in row["stated"] if _within(fact, found)]
        changes = [PossibleChange.of(fact) for fact in said if fact["held"] and fact["newer"]]
        gone = [fact["statement"] for fact in said if fact["ended"] and not fact["held"]]
        return cls(
            passage=passage["id"],
            kind=passage["kind"],
            scope=passage["scope"],
            document_id=passage["work"],
            captured_at=passage["captured_at"],
            ingested_at=passage["ingested_at"],
            role=passage["role"],
            flags=list(passage["flags"] or []),
            possible_changes=on_the_wire(dict.fromkeys(changes)),
            untrusted={
                "sentences": [
                    {"text": one.text, "start": one.start, "end": one.end} for one in found
                ],
                "speaker": passage["speaker"],
                "title": passage["title"],
                "past": list(dict.fromkeys(gone)),
            },
        )


class MentionsOut(msgspec.Struct, frozen=True):
    """A page of passages that mention an entity, the newest first; `next` continues it."""

    items: list[MentionOut]
    next: str | None


class ProfileOut(EntityOut, frozen=True, kw_only=True):
    """An entity with the newest sentences that speak of it; `more` continues them."""

    sentences: list[MentionOut]
    more: str | None

    @classmethod
    def with_sentences(cls, entity: EntityOut, found: MentionsOut) -> ProfileOut:
        """The profile of an entity with a page of what is said of it."""
        known = msgspec.structs.asdict(entity)
        return cls(**known, sentences=found.items, more=found.next)


def spots_of(row: Row) -> list[tuple[int, int, int, str]]:
    """Where a passage names an entity: start, end, and the text around with where that begins."""
    spots = [(start, end, first, text) for start, end, first, text in row["spots"]]
    keys = {key for one in row["keys"] for key in one}
    for entry in unpack(row["lone"]):
        if entry["key"] in keys:
            spots += [around(row["content"], start, end) for start, end, _ in entry["at"]]
    return sorted(spots)


def around(text: str, start: int, end: int) -> tuple[int, int, int, str]:
    """A range of a text with what stands around it."""
    first = max(0, start - 600)
    return start, end, first, text[first : end + 600]


def spoken(spots: Iterable[tuple[int, int, int, str]]) -> list[Sentence]:
    """The sentences around some places, three of a passage at most, in their order."""
    found: dict[int, Sentence] = {}
    for start, end, first, text in spots:
        if any(one.start <= start < one.end for one in found.values()):
            continue
        one = _sentence(text, first, start - first, end - first)
        if one.text:
            found.setdefault(one.start, one)
        if len(found) == MOST:
            break
    return [found[start] for start in sorted(found)]


def _sentence(text: str, first: int, start: int, end: int) -> Sentence:
    spans = list(sentences(text))
    place = bisect_right([span.start for span in spans], start) - 1
    if place >= 0 and start < spans[place].end:
        span = spans[place]
        low, high = span.start, span.end
    else:  # of a heading, code, or a run without a stop
        low, high = max(0, start - AROUND), min(len(text), end + AROUND)
    return Sentence(first + low, first + high, " ".join(text[low:high].split()))


def _within(fact: Row, found: Sequence[Sentence]) -> bool:
    return any(fact["start"] < one.end and fact["end"] > one.start for one in found)


async def sentences_of(
    graph: Graph,
    entity: str,
    scopes: list[str],
    moments: Moments,
    cursor: str | None = None,
    limit: int = NEWEST,
) -> MentionsOut:
    """A page of the passages that mention an entity, the newest first, as they were known at a
    moment; InvalidInput (field `cursor`) for a cursor that is none."""
    at, after = paging.decode(cursor) if cursor else (FOREVER, "")
    rows = await graph.rows(
        Q.sentences.of_entities,
        ids=[entity],
        scopes=scopes,
        as_of=moments.as_of,
        known_at=moments.known_at,
        after_at=at,
        after_id=after,
        limit=limit + 1,
    )
    shown = rows[:limit]
    last = shown[-1]["passage"] if len(rows) > limit else None
    go_on = paging.encode(last["captured_at"], last["id"]) if last else None
    return MentionsOut([MentionOut.of(row) for row in shown], go_on)
