"""What the caller has at hand, among what a search found: values of his working and short-term
memory, which no index holds. They are read as `/v1/tiers/search` reads them and counted as no
reading."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.contexts.entries import text_of
from app.embeddings.tokens import count_tokens
from app.indexing.analysis import analyse, detect_language
from app.indexing.entry import joined
from app.indexing.fusion import by_rank
from app.indexing.likeness import Likeness
from app.indexing.spaces import Spaces
from app.kernel.caller import Role
from app.kernel.clock import FOREVER, now
from app.kernel.graph import Row
from app.search.bundle import within
from app.search.model import SHORT_TERM, WORKING, Filters, Found, Hand, Hit, SearchRequest
from app.search.relevance import Asked, relevance
from app.search.repository import completed
from app.shortterm.service import ShortTermService
from app.working.model import Part
from app.working.service import WorkingService, own
from app.working.values import unpacked

LOOKED_AT = 200  # entries of short-term memory that are compared, those that were written last
RELEVANT = 0.5  # least relevance of a value where the search names none


@dataclass(frozen=True, slots=True)
class AtHand:
    """Reads only what belongs to who asks."""

    working: WorkingService
    shortterm: ShortTermService
    spaces: Spaces

    async def among(self, found: Found, request: SearchRequest) -> Found:
        """Return what was found with the values that are relevant, each above the first hit that is
        less so; what a hit says already is left out. Raises EmbedderUnavailable."""
        hand, filters = request.hand, request.filters
        if hand is None or not request.limit or not _may_hold(filters):
            return found
        rows = [row for row in await self._rows(hand, filters.scopes) if _within(row, filters)]
        if not rows:
            return found
        likeness = await Likeness.of(self.spaces, hand.caller.home)
        shares = await likeness.answers(request.query, [row["content"] for row in rows])
        hits = await asyncio.to_thread(judged, request.query, rows, shares)
        least = RELEVANT if request.floor is None else request.floor.least
        return merged(found, [hit for hit in hits if hit.relevance >= least], request)

    async def _rows(self, hand: Hand, scopes: Sequence[str]) -> list[Row]:
        rows: list[Row] = []
        if WORKING in hand.kinds and hand.session is not None and hand.caller.home in scopes:
            place = own(hand.caller, None, hand.session, Role.READER)
            held = await self.working.values.values(place)
            values = {slot.name: raw for slot, raw in held if slot.part is Part.KEYS}
            rows += await asyncio.to_thread(_of_task, place.scope, hand.session, values)
        if SHORT_TERM in hand.kinds:
            entries = await self.shortterm.newest(
                hand.caller, list(scopes), hand.session, LOOKED_AT
            )
            rows += await asyncio.to_thread(lambda: [*map(_of_entry, entries)])
        return [row for row in rows if row["content"]]


def judged(query: str, rows: Sequence[Row], shares: Sequence[float]) -> list[Hit]:
    """Return values as hits, by the measure of every hit: words and vector."""
    asked = Asked.of(query)
    hits = []
    for row, share in zip(rows, shares, strict=True):
        text, language = row["content"], detect_language(row["content"])
        memory = completed(row) | {
            "language": language,
            "terms": joined(analyse(text, language)),
            "about_terms": joined(analyse(row["title"], language)),
        }
        hits.append(
            Hit(
                id=row["id"],
                rank=0,
                score=0.0,
                legs={},
                memory=memory,
                span=(0, len(text)),
                tokens=count_tokens(text),
                relevance=relevance(asked, memory, share),
                similarity=share,
            )
        )
    return hits


def merged(found: Found, values: Sequence[Hit], request: SearchRequest) -> Found:
    """Return one ranking of both within limit and budget. Pure."""
    said = {hit.memory["content"] for hit in found.hits}
    hits = list(found.hits)
    for value in sorted(values, key=lambda hit: (-hit.relevance, hit.memory["kind"], hit.id)):
        if value.memory["content"] not in said:
            said.add(value.memory["content"])
            at = next((n for n, h in enumerate(hits) if h.relevance < value.relevance), len(hits))
            hits.insert(at, value)
    first = hits[: request.limit]
    kept = [
        replace(hit, rank=rank, score=hit.score or by_rank(rank))
        for rank, hit in enumerate(within(first, request.token_budget), start=1)
    ]
    return replace(
        found,
        hits=kept,
        candidates=found.candidates + len(values),
        tokens=sum(hit.tokens for hit in kept),
        dropped=found.dropped + len(first) - len(kept),
        empty=None if kept else found.empty,
    )


def _of_task(scope: str, task: str, values: Mapping[str, bytes]) -> list[Row]:
    at = now()
    return [
        _row(WORKING, f"{task}/keys/{name}", scope, name, unpacked(raw), at, FOREVER, task)
        for name, raw in values.items()
    ]


def _of_entry(entry: Row) -> Row:
    value = unpacked(entry["content"].encode())
    written, end = entry["updated_at"], entry["expires_at"]
    key, session = entry["key"], entry["session"]
    return _row(SHORT_TERM, entry["id"], entry["scope"], key, value, written, end, session)


def _row(
    kind: str,
    identifier: str,
    scope: str,
    key: str,
    value: Any,
    written: datetime,
    end: datetime,
    session: str,
) -> Row:
    return {
        "id": identifier,
        "kind": kind,
        "scope": scope,
        "content": "" if value in (None, "", [], {}) else text_of(value),
        "title": key,
        "session_key": session,
        "captured_at": written,
        "ingested_at": written,
        "expired_at": end,
        "flags": [],
    }


def _may_hold(filters: Filters) -> bool:
    """Whether a value at hand can satisfy the filters: it is no message, has no tags and no flags,
    and only what is held now is at hand."""
    named = (filters.roles, filters.tags)
    return filters.current and not filters.flagged and all(each is None for each in named)


def _within(row: Row, filters: Filters) -> bool:
    since, until = filters.since, filters.until
    written = row["captured_at"]
    return (since is None or written >= since) and (until is None or written <= until)
