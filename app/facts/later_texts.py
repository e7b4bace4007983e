"""Later texts that may have changed what a fact says, found when the fact is read.

Nothing is stored of them: they follow from the fact, from what the text index finds for its words
in its own scope, and from `later.py`. So neither order of arrival nor an erasure can leave one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from app.extraction.model import Precision
from app.facts.common_words import CommonWords
from app.facts.dated import ended, lies_before
from app.facts.later import Forms, Held, changing, held_words, parts, read
from app.indexing.entry import LIVE, PASSAGES, quoted, time_key
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row

COMMON = 8  # texts of a scope that hold a word at most, for it to tell what a text is about
RECENT = timedelta(seconds=5)
MOST = 3  # later texts that are told with one fact, the newest
SHOWN = 240  # characters of a text that was said in the place of another
WORDS = 24  # words of one fact that are looked for
PAGE = 128  # texts of one answer: while a long one is read nobody else is answered
ONWARD = 8  # texts of a session after the one that told a fact: the talk goes on about it

Word = tuple[str, Forms]  # of a scope

_common = CommonWords()


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
        words = {(row["scope"], w) for row in facts for w in _sought(row, held[row["id"]])}
        # A range over every text's moment costs more than all else, so only a look back has it.
        then = known_at if known_at < now() - RECENT else None
        between = min(map(_said, facts), default=as_of), as_of
        holding, after = await asyncio.gather(
            self._holding(words, scopes, then, between),
            self._after(facts, scopes, as_of, known_at),
        )
        ids = sorted(
            {text for found in (holding, after) for some in found.values() for text in some}
        )
        if not ids and not any(row["hints"] for row in facts):
            return []
        # What a text dates itself is compared with facts that are dated as well, and no others.
        subjects = sorted({row["subject"] for row in facts if row["dated"]})
        texts = [
            {**text, "claims": [c for c in text["claims"] if c["recorded_at"] <= known_at]}
            for start in range(0, len(ids), PAGE)
            for text in await self._page(ids[start : start + PAGE], subjects, scopes)
            if text["ingested_at"] <= known_at
        ]
        return await asyncio.to_thread(_told, facts, held, (holding, after), texts)

    async def _page(self, ids: list[str], subjects: list[str], scopes: list[str]) -> list[Row]:
        """Return a page of texts as they were said, with their claims of some subjects."""
        page = await self._graph.one(Q.facts.texts_said, ids=ids, subjects=subjects, scopes=scopes)
        texts: list[Row] = page["texts"]
        return texts

    async def _after(
        self, facts: Iterable[Row], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> dict[str, list[str]]:
        """For each fact the texts with which the session went on that told it last."""
        asked = [
            {"fact": row["id"], "session": row["session"], "after": _said(row)}
            for row in facts
            if row["session"]
        ]
        if not asked:
            return {}
        row = await self._graph.one(
            Q.facts.texts_after,
            asked=asked,
            scopes=scopes,
            upto=as_of,
            known_at=known_at,
            limit=ONWARD,
        )
        return {one["fact"]: one["texts"] for one in row["found"]}

    async def _holding(
        self,
        words: Iterable[Word],
        scopes: list[str],
        then: datetime | None,
        between: tuple[datetime, datetime],
    ) -> dict[Word, list[str]]:
        """The words that few texts hold, of those known at a moment in the past where one is given:
        ids of those of these texts that were said between two moments."""
        looked = sorted(word for word in words if then is not None or not _common.holds(word))
        if not looked:
            return {}
        after, upto = between
        row = await self._graph.one(
            Q.facts.texts_with,
            asked=[_asked(place, word, then) for place, word in enumerate(looked)],
            scopes=scopes,
            after=after,
            upto=upto,
            limit=COMMON + 1,
        )
        found: list[Row] = row["found"]
        if then is None:
            _common.add(looked[one["place"]] for one in found if one["held"] > COMMON)
        return {looked[one["place"]]: one["texts"] for one in found if one["held"] <= COMMON}


def _held(row: Row) -> Held:
    value = " ".join([row["object_text"] or "", *row["rests"]])
    return held_words(row["subject_name"] or "", row["predicate"], value, row["statement"] or "")


def _looked_for(held: Held) -> list[Forms]:
    return [*sorted(held.other), *sorted(held.subject)][:WORDS]


def _sought(row: Row, held: Held) -> list[Forms]:
    """The words of a fact, and of a German one what its compounds may share with others."""
    words = _looked_for(held)
    return words if row["language"] != "de" else [*words, *filter(None, map(parts, words))]


def _asked(place: int, word: Word, known_at: datetime | None) -> Row:
    """One word of a scope with its query: any of its stems, in a text that is shown, and was known
    at a moment in the past where one is given."""
    scope, forms = word
    required = [
        f"+scope:{quoted(scope)}^0",
        f"+facets:({' '.join(quoted(f'k={kind}') for kind in PASSAGES)})^0",
        f"+facets:{quoted(LIVE)}^0",
        f"+terms:({' '.join(map(_term, forms))})",
    ]
    if known_at is not None:
        required.append(f"+ingested_key:[* TO {quoted(time_key(known_at))}]^0")
    return {"place": place, "scope": scope, "q": " ".join(required)}


def _term(form: str) -> str:
    """A term, or those that begin with it where it ends in a star."""
    return form if form.endswith("*") else quoted(form)


def _said(fact: Row) -> datetime:
    """When a fact began or was last confirmed, whichever is later."""
    moment: datetime = max(fact["since"], fact["confirmed"] or fact["since"])
    return moment


def _told(
    facts: Iterable[Row],
    held: Mapping[str, Held],
    found: tuple[Mapping[Word, list[str]], Mapping[str, list[str]]],
    texts: Iterable[Row],
) -> list[Row]:
    holding, after = found
    known = {text["id"]: text for text in texts}
    told: list[Row] = []
    for fact in facts:
        words = _sought(fact, held[fact["id"]])
        telling = [word for word in words if (fact["scope"], word) in holding]
        own, said = held[fact["id"]].among(telling), _said(fact)
        ids = {text for word in telling for text in holding[fact["scope"], word]}
        ids.update(after.get(fact["id"], ()))
        hints = [hint for hint in fact["hints"] if hint["id"] not in fact["decided"]]
        hinted = [_hinted(hint) for hint in hints if said < hint["captured_at"]]
        seen = {entry["passage"] for entry in hinted}
        later = [known[text] for text in (ids & known.keys()).difference(fact["decided"], seen)]
        after_it = [t for t in later if said < t["captured_at"] and not _of_before(t, fact)]
        told_by = _entries(own, after_it, fact["since"] if fact["dated"] else None)
        entries = sorted([*hinted, *told_by], key=lambda entry: entry["since"], reverse=True)[:MOST]
        if entries:
            names = ("id", "statement", "language")
            told.append({**{name: fact[name] for name in names}, "newer": entries})
    return told


def _hinted(hint: Row) -> Row:
    """What is told of a text that was said in the place of one that told the fact."""
    words = " ".join(hint["content"].split())
    shown = words if len(words) <= SHOWN else words[: SHOWN - 2].rsplit(" ", 1)[0] + " …"
    return {"passage": hint["id"], "statement": shown, "since": hint["captured_at"]}


def _of_before(text: Row, fact: Row) -> bool:
    """Whether all that a text states of a fact's subject and in its sense it dates itself, and
    before the fact began, which is dated as well."""
    key = fact["subject"], fact["predicate"]
    own = [c for c in text["claims"] if (c["subject"], c["predicate"]) == key]
    return bool(own and fact["dated"]) and all(
        c["at"] is not None and ended(c["at"], Precision(c["precision"])) <= fact["since"]
        for c in own
    )


def _entries(held: Held, texts: Iterable[Row], began: datetime | None) -> list[Row]:
    """The sentences that may have changed a fact, of the newest texts that have one; none that is
    dated before the fact `began`, where that is dated."""
    entries: list[Row] = []
    for text in sorted(texts, key=lambda t: (t["captured_at"], t["id"]), reverse=True):
        place = changing(held, read(text["content"], text["language"], text["speaker"] or ""))
        if place is None:
            continue
        statement = text["content"][place[0] : place[1]]
        if began and lies_before(statement, text["captured_at"], began, text["language"]):
            continue
        entries.append(
            {"passage": text["id"], "statement": statement, "since": text["captured_at"]}
        )
        if len(entries) == MOST:
            break
    return entries
