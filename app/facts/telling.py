"""A text that is read for the first time may have changed facts: that is told while it is read.

`later_texts.py` finds such texts when a fact is read. Here it is looked at from the other end. Few
texts have words of a change; of the facts that such a text may be about, those for which the pure
part says yes are asked of the same reader, so what is told is what reading the fact shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.facts.later import SHORT, changing
from app.facts.later_reading import Piece, read
from app.facts.later_texts import LaterTexts, held_of, said_last
from app.indexing.analysis import query_terms
from app.indexing.entry import LIVE, quoted
from app.kernel import feed
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest

TERMS = 64  # words of one text by which facts are looked for
FACTS = 24  # facts of one text that share the most words with it
BEFORE = 8  # texts of its session before it whose facts it may go on about


@dataclass(frozen=True, slots=True)
class Later:
    """A text with words of a change, or one that is said in the place of another."""

    id: str
    at: datetime
    pieces: tuple[Piece, ...]
    terms: tuple[str, ...]
    hints: bool

    def may_change(self, fact: Row) -> bool:
        """Return whether it was said after a fact was, and speaks of a change to it."""
        if self.at <= said_last(fact):
            return False
        hinted = self.hints and self.id in {hint["id"] for hint in fact["hints"]}
        return hinted or changing(held_of(fact), self.pieces) is not None


def later_texts(episodes: Iterable[Mapping[str, Any]]) -> list[Later]:
    """Return the texts among some episodes that may change anything."""
    found = (_later(episode) for episode in episodes)
    return [text for text in found if text is not None]


async def tell_changes(tx: Tx, scope: str, texts: Sequence[Later]) -> None:
    """Write an event for each text that may have changed facts of its scope, which names them."""
    if not texts:
        return
    at, known = now(), {text.id: text for text in texts}
    near = await tx.rows(
        Q.facts.spoken_of,
        asked=[{"id": text.id, "q": _query(scope, text.terms)} for text in texts],
        scopes=[scope],
        limit=FACTS,
        before=BEFORE,
    )
    of = {row["text"]: frozenset(row["facts"]) for row in near}
    ids = sorted({fact for facts in of.values() for fact in facts})
    moments = {"as_of": at, "known_at": at}
    facts = await tx.rows(Q.facts.to_be_changed, ids=ids, scopes=[scope], **moments) if ids else []
    likely = [
        fact["id"]
        for fact in facts
        if any(fact["id"] in of[id] and known[id].may_change(fact) for id in of)
    ]
    found = await LaterTexts(tx).of(likely, [scope], at, at)
    events = [_event(scope, text, facts, at) for text, facts in _by_text(found, known).items()]
    if events:
        await tx.rows(Q.events.put, rows=events)


def _later(episode: Mapping[str, Any]) -> Later | None:
    text, language, speaker = episode["content"], episode["language"], episode["speaker"] or ""
    pieces = read(text, language, speaker)
    cued = [piece for piece in pieces if piece.cues]
    hints = episode["supersedes"] is not None
    if not (cued or hints):
        return None
    told = pieces if len(pieces) <= SHORT or hints else cued
    words = " ".join([speaker, *(text[piece.start : piece.end] for piece in told)])
    terms = dict.fromkeys(form for forms in query_terms(words) for form in forms)
    return Later(episode["id"], episode["captured_at"], pieces, tuple(terms)[:TERMS], hints)


def _query(scope: str, terms: Sequence[str]) -> str:
    """Any of some words, in a fact that is held."""
    return " ".join(
        [
            f"+scope:{quoted(scope)}^0",
            f"+facets:{quoted('k=fact')}^0",
            f"+facets:{quoted(LIVE)}^0",
            f"+terms:({' '.join(map(quoted, terms))})",
        ]
    )


def _by_text(found: Iterable[Row], known: Mapping[str, Later]) -> dict[str, list[str]]:
    ways: dict[str, list[str]] = defaultdict(list)
    for fact in found:
        for entry in fact["newer"]:
            if entry["passage"] in known:
                ways[entry["passage"]].append(fact["id"])
    return ways


def _event(scope: str, text: str, facts: Sequence[str], at: datetime) -> dict[str, Any]:
    """The event of a text, the same however often it is read."""
    told = sorted(facts)
    event = feed.told("possible_change", scope, told[0], at, facts=told, by=text)
    return {**event, "id": digest("possible_change", scope, text)}
