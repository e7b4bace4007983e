"""Later texts that may have changed what a fact says, found when the fact is read.

Nothing is stored of them: they follow from the fact, from what the text index finds for its words
in its own scope, and from `later.py`. So neither order of arrival nor an erasure can leave one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.extraction.model import Precision, over
from app.facts.common_words import CommonWords
from app.facts.dated import lies_before
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


@dataclass(frozen=True, slots=True)
class Asking:
    """The texts of interest: those that hold some words and were said between two moments, of what
    was known `then`, a moment in the past or None; those of the `onward` ids; and what they date
    of `subjects`."""

    words: list[Word]
    between: tuple[datetime, datetime]
    then: datetime | None
    onward: list[str]
    subjects: list[str]


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
        facts = await self.held(ids, scopes, as_of, known_at)
        return await self.after(facts, scopes, as_of, known_at)

    async def held(
        self, ids: Sequence[str], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        """Those of the facts that are held at both moments, with what `after` needs of them, and
        the `newer` facts that may have ended each."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []
        return await self._graph.rows(
            Q.facts.to_be_changed,
            ids=asked,
            scopes=scopes,
            as_of=as_of,
            known_at=known_at,
            latest=_earlier(known_at) is None,
            onward=ONWARD,
        )

    async def after(
        self, rows: Iterable[Row], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        """What `of` tells, of rows that `held` gave."""
        facts = list(rows)
        held = {row["id"]: _held(row) for row in facts}
        words = {(row["scope"], w) for row in facts for w in _sought(row, held[row["id"]])}
        # A range over every text's moment costs more than all else, so only a look back has it.
        then = _earlier(known_at)
        # What a text dates itself is compared with facts that are dated as well, and no others.
        asking = Asking(
            words=sorted(w for w in words if then is not None or not _common.holds(w)),
            between=(min(map(_said, facts), default=as_of), as_of),
            then=then,
            onward=sorted({text for row in facts for text in row["after"]}),
            subjects=sorted({row["subject"] for row in facts if row["dated"]}),
        )
        holding, found = await self._texts(asking, scopes)
        if not found and not any(row["hints"] for row in facts):
            return []
        texts = [
            {**text, "claims": [c for c in text["claims"] if c["recorded_at"] <= known_at]}
            for text in found
            if text["ingested_at"] <= known_at
        ]
        return await asyncio.to_thread(_told, facts, held, holding, texts)

    async def _texts(
        self, asking: Asking, scopes: list[str]
    ) -> tuple[dict[Word, list[str]], list[Row]]:
        """The texts that hold words which few texts hold, by these, and those and the ones that are
        read anyway as they were said."""
        holding, texts = await self._holding(asking, scopes) if asking.words else ({}, [])
        ids = {*asking.onward, *(text for some in holding.values() for text in some)}
        rest = sorted(ids.difference(text["id"] for text in texts))
        for start in range(0, len(rest), PAGE):
            texts += await self._page(rest[start : start + PAGE], asking.subjects, scopes)
        return holding, texts

    async def _page(self, ids: list[str], subjects: list[str], scopes: list[str]) -> list[Row]:
        """Return a page of texts as they were said, with their claims of some subjects."""
        page = await self._graph.one(Q.facts.texts_said, ids=ids, subjects=subjects, scopes=scopes)
        texts: list[Row] = page["texts"]
        return texts

    async def _holding(
        self, asking: Asking, scopes: list[str]
    ) -> tuple[dict[Word, list[str]], list[Row]]:
        """The words that few texts hold, with ids of those of these texts that were said between
        two moments; and the first of all texts that are asked for."""
        looked, (after, upto) = asking.words, asking.between
        row = await self._graph.one(
            Q.facts.texts_with,
            asked=[_asked(place, word, asking.then) for place, word in enumerate(looked)],
            scopes=scopes,
            after=after,
            upto=upto,
            limit=COMMON + 1,
            onward=asking.onward,
            subjects=asking.subjects,
            most=PAGE,
        )
        found: list[Row] = row["found"]
        if asking.then is None:
            _common.add(looked[one["place"]] for one in found if one["held"] > COMMON)
        few = {looked[one["place"]]: one["texts"] for one in found if one["held"] <= COMMON}
        return few, row["texts"]


def _earlier(known_at: datetime) -> datetime | None:
    """A moment in the past; None for one that is as good as now."""
    return known_at if known_at < now() - RECENT else None


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
    holding: Mapping[Word, list[str]],
    texts: Iterable[Row],
) -> list[Row]:
    known = {text["id"]: text for text in texts}
    told: list[Row] = []
    for fact in facts:
        words = _sought(fact, held[fact["id"]])
        telling = [word for word in words if (fact["scope"], word) in holding]
        own, said = held[fact["id"]].among(telling), _said(fact)
        ids = {text for word in telling for text in holding[fact["scope"], word]}
        ids.update(fact["after"])
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
        c["at"] is not None and over(c["at"], Precision(c["precision"])) <= fact["since"]
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
