"""Later texts that may have changed what a fact says, found when the fact is read.

Nothing is stored of them: they follow from the fact, from what the text index finds for its words
in its own scope, and from `later.py`. So neither order of arrival nor an erasure can leave one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.extraction.model import Precision
from app.facts.common_words import CommonWords
from app.facts.dated import ended, lies_before
from app.facts.later import Forms, Held, changing, held_words, parts, read
from app.facts.later_reading import Piece
from app.facts.one_matter import Pair, Stated, changed_by, stated_near, telling
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


@dataclass(frozen=True, slots=True)
class Looked:
    """A fact with the later texts that tell of a change by its words, as they are told, and those
    that may tell of one in other words."""

    fact: Row
    entries: list[Row]
    rest: list[Row]

    @property
    def pairs(self) -> list[Pair]:
        """The fact with each of the other texts."""
        return [(self.fact["id"], text["id"]) for text in self.rest]


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
        self,
        ids: Sequence[str],
        scopes: list[str],
        as_of: datetime,
        known_at: datetime,
        beside: Sequence[str] = (),
    ) -> list[Row]:
        """The facts that texts of their scope may have changed: said after a fact began and was
        last confirmed, up to `as_of`, and known at `known_at`.

        Rows have the fact's `id`, `statement` and `language`, and of each of the `newer` texts,
        newest first, `passage`, `statement` (the sentence that tells of a change) and `since`.
        What a curator has decided not to be a change is left out. `beside` are ids of further
        texts, as `after` takes them.
        """
        facts = await self.held(ids, scopes, as_of, known_at)
        further = await self._page(list(beside), [], scopes) if beside else ()
        return await self.after(facts, scopes, as_of, known_at, further)

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
        self,
        rows: Iterable[Row],
        scopes: list[str],
        as_of: datetime,
        known_at: datetime,
        beside: Iterable[Row] = (),
    ) -> list[Row]:
        """What `of` tells, of rows that `held` gave. `beside` are further texts that a reader has
        at hand, which are told of facts of their scope where they state what is about one matter
        with these."""
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
        further = [text for text in beside if text["captured_at"] <= as_of]
        if not found and not further and not any(row["hints"] for row in facts):
            return []
        texts = [
            {**text, "claims": [c for c in text["claims"] if c["recorded_at"] <= known_at]}
            for text in found
            if text["ingested_at"] <= known_at
        ]
        further = [text for text in further if text["ingested_at"] <= known_at]
        looked = await asyncio.to_thread(_looked, facts, held, holding, texts, further)
        pairs = [pair for one in looked for pair in one.pairs]
        near = await stated_near(self._graph, pairs, scopes, known_at)
        return _told(looked, near)

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


def _looked(
    facts: Iterable[Row],
    held: Mapping[str, Held],
    holding: Mapping[Word, list[str]],
    texts: Iterable[Row],
    further: Iterable[Row],
) -> list[Looked]:
    """Facts with what is told of them by their words, and what else may be: of `texts` those that
    hold words of a fact or were said after it, and all `further` ones of its scope."""
    known = {text["id"]: text for text in texts}
    beside = [text for text in further if telling(_pieces(text))]
    return [_look(fact, held[fact["id"]], holding, known, beside) for fact in facts]


def _look(
    fact: Row,
    held: Held,
    holding: Mapping[Word, list[str]],
    known: Mapping[str, Row],
    beside: Iterable[Row],
) -> Looked:
    words = [word for word in _sought(fact, held) if (fact["scope"], word) in holding]
    said, began = _said(fact), fact["since"] if fact["dated"] else None
    ids = {text for word in words for text in holding[fact["scope"], word]}
    ids.update(fact["after"])
    hints = [hint for hint in fact["hints"] if hint["id"] not in fact["decided"]]
    hinted = [_hinted(hint) for hint in hints if said < hint["captured_at"]]
    seen = {*fact["decided"], *(entry["passage"] for entry in hinted)}
    later = [known[text] for text in (ids & known.keys()).difference(seen)]
    after_it = [t for t in later if said < t["captured_at"] and not _of_before(t, fact)]
    entries = [*hinted, *_entries(held.among(words), after_it, began)]
    seen.update(entry["passage"] for entry in entries)
    own = [t for t in beside if t["scope"] == fact["scope"] and t["id"] not in ids]
    rest = [*after_it, *(t for t in own if said < t["captured_at"])]
    rest = [t for t in rest if t["id"] not in seen and t["states"]]
    return Looked(fact, entries, [t for t in rest if telling(_pieces(t))])


def _told(looked: Iterable[Looked], near: Mapping[Pair, Sequence[Stated]]) -> list[Row]:
    """What is told of each fact of which something is: the newest texts."""
    told: list[Row] = []
    for one in looked:
        fact = one.fact
        stated = [(text, near.get((fact["id"], text["id"]), ())) for text in one.rest]
        other = [_in_other_words(fact, text, said) for text, said in stated if said]
        found = [*one.entries, *filter(None, other)]
        entries = sorted(found, key=lambda entry: (entry["since"], entry["passage"]), reverse=True)
        if entries:
            names = ("id", "statement", "language")
            told.append({**{name: fact[name] for name in names}, "newer": entries[:MOST]})
    return told


def _in_other_words(fact: Row, text: Row, stated: Sequence[Stated]) -> Row | None:
    """What is told of a text that states what is about one matter with a fact, beside a word of
    change; None where it states no such thing, or dates it before the fact began."""
    began = fact["since"] if fact["dated"] else None
    place = changed_by(telling(_pieces(text)), [s for s in stated if not s.is_before(began)])
    return None if place is None else _entry(text, place, began)


def _pieces(text: Row) -> Sequence[Piece]:
    return read(text["content"], text["language"] or "en", text["speaker"] or "")


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
        place = changing(held, _pieces(text))
        entry = None if place is None else _entry(text, place, began)
        if entry is not None:
            entries.append(entry)
        if len(entries) == MOST:
            break
    return entries


def _entry(text: Row, place: tuple[int, int], began: datetime | None) -> Row | None:
    """A sentence of a text as it is told; None where it is dated before something `began`."""
    statement = text["content"][place[0] : place[1]]
    if began and lies_before(statement, text["captured_at"], began, text["language"] or "en"):
        return None
    return {"passage": text["id"], "statement": statement, "since": text["captured_at"]}
