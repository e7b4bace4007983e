"""Later texts that may have changed what a fact says, found when the fact is read.

Nothing is stored of them: they follow from the fact, from what the text index finds for its words
in its own scope, and from `later.py`. So neither order of arrival nor an erasure can leave one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from app.facts.later import Forms, Held, held_words, later_word
from app.indexing.entry import LIVE, PASSAGES, quoted, time_key
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

COMMON = 8  # texts of a scope that hold a word at most, for it to tell what a text is about
RECENT = timedelta(seconds=5)
MOST = 3  # later texts that are told with one fact, the newest
WORDS = 24  # words of one fact that are looked for

Word = tuple[str, Forms]  # of a scope


class LaterTexts:
    """Reads only."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def with_later(
        self, rows: list[Row], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        """Rows of facts, each with these texts after the facts that may have changed it."""
        found = await self.of([row["fact"]["id"] for row in rows], scopes, as_of, known_at)
        told = {row["id"]: row["newer"] for row in found}
        for row in rows:
            later = told.get(row["fact"]["id"])
            within = row.get("interval")
            if later and (within is None or within["valid_from"] <= as_of < within["valid_to"]):
                row["possible_changes"] = [*(row.get("possible_changes") or ()), *later]
        return rows

    async def of(
        self, ids: Sequence[str], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        """The facts that texts of their scope may have changed: said after a fact began and was
        last confirmed, up to `as_of`, and known at `known_at`.

        Rows have the fact's `id`, `statement` and `language`, and of each of the `newer` texts,
        newest first, `passage`, `statement` (the sentence that tells of a change) and `since`.
        What a curator has decided not to be a change is left out.
        """
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []
        facts = await self._graph.rows(
            Q.facts.to_be_changed, ids=asked, scopes=scopes, as_of=as_of, known_at=known_at
        )
        held = {row["id"]: _held(row) for row in facts}
        words = sorted({(row["scope"], w) for row in facts for w in _looked_for(held[row["id"]])})
        if not words:
            return []
        # A range over every text's moment costs more than all else, so only a look back has it.
        then = known_at if known_at < now() - RECENT else None
        found = await self._graph.rows(
            Q.facts.texts_with,
            asked=[_asked(place, word, then) for place, word in enumerate(words)],
            scopes=scopes,
            limit=COMMON + 1,
        )
        texts = {words[row["place"]]: row["texts"] for row in found if len(row["texts"]) <= COMMON}
        moments = as_of, known_at
        return await asyncio.to_thread(_told, facts, held, texts, moments)


def _held(row: Row) -> Held:
    value = " ".join([row["object_text"] or "", *row["rests"]])
    return held_words(row["subject_name"] or "", row["predicate"], value)


def _looked_for(held: Held) -> list[Forms]:
    return [*sorted(held.other), *sorted(held.subject)][:WORDS] if held.other else []


def _asked(place: int, word: Word, known_at: datetime | None) -> Row:
    """One word of a scope with its query: any of its stems, in a text that is shown, and was known
    at a moment in the past where one is given."""
    scope, forms = word
    required = [
        f"+scope:{quoted(scope)}^0",
        f"+facets:({' '.join(quoted(f'k={kind}') for kind in PASSAGES)})^0",
        f"+facets:{quoted(LIVE)}^0",
        f"+terms:({' '.join(map(quoted, forms))})",
    ]
    if known_at is not None:
        required.append(f"+ingested_key:[* TO {quoted(time_key(known_at))}]^0")
    return {"place": place, "scope": scope, "q": " ".join(required)}


def _told(
    facts: Iterable[Row],
    held: Mapping[str, Held],
    texts: Mapping[Word, list[Row]],
    moments: tuple[datetime, datetime],
) -> list[Row]:
    as_of, known_at = moments
    told: list[Row] = []
    for fact in facts:
        words = _looked_for(held[fact["id"]])
        telling = [word for word in words if (fact["scope"], word) in texts]
        own = held[fact["id"]].among(telling)
        said = max(fact["since"], fact["confirmed"] or fact["since"])
        found = {t["id"]: t for word in telling for t in texts[fact["scope"], word]}
        later = [
            text
            for text in found.values()
            if said < text["captured_at"] <= as_of and text["ingested_at"] <= known_at
        ]
        entries = _entries(own, [t for t in later if t["id"] not in fact["decided"]])
        if entries:
            names = ("id", "statement", "language")
            told.append({**{name: fact[name] for name in names}, "newer": entries})
    return told


def _entries(held: Held, texts: Iterable[Row]) -> list[Row]:
    """The sentences that may have changed a fact, of the newest texts that have one."""
    entries: list[Row] = []
    for text in sorted(texts, key=lambda t: (t["captured_at"], t["id"]), reverse=True):
        place = later_word(held, text["content"], text["language"], text["speaker"] or "")
        if place is None:
            continue
        statement = text["content"][place[0] : place[1]]
        entries.append(
            {"passage": text["id"], "statement": statement, "since": text["captured_at"]}
        )
        if len(entries) == MOST:
            break
    return entries
