"""Possible changes of what is held, as they go with it wherever it is told.

What may have ended a held fact is a newer fact of which words were not read, or a passage. Both
are told in their own words, with their date, beside what they may have ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.extraction.model import Precision
from app.facts.later_texts import LaterTexts
from app.facts.service import Moments
from app.kernel.graph import Graph, Row

FORMS = {Precision.YEAR: "%Y", Precision.MONTH: "%Y-%m"}
ON = {
    "en": ("possibly changed", "on", "in"),
    "de": ("möglicherweise geändert", "am", "im Zeitraum"),
}
QUOTES = {"en": "“{}”", "de": "„{}“"}


@dataclass(frozen=True, slots=True)
class Newer:
    """What may have ended something: a newer `fact`, or else the words of a `passage`.

    `since` is when the fact began, or when the passage was said.
    """

    words: str
    since: datetime
    precision: Precision = Precision.INSTANT
    fact: str | None = None
    passage: str | None = None

    @property
    def day(self) -> str:
        """Its date, as exactly as it is known: 2026-03-02, 2026-03 or 2026."""
        return self.since.strftime(FORMS.get(self.precision, "%Y-%m-%d"))


@dataclass(frozen=True, slots=True)
class PossibleChange:
    """What may have changed, in its words and its language, and by what, the newest first.

    `fact` is the fact that it is, None for the words of a passage.
    """

    fact: str | None
    words: str
    language: str
    newer: tuple[Newer, ...]

    @classmethod
    def of(cls, row: Row) -> PossibleChange:
        """The change of a row of `LaterTexts`."""
        newer = tuple(
            Newer(
                words=one["statement"],
                since=one["since"],
                precision=Precision(one.get("precision") or Precision.INSTANT),
                fact=one.get("fact"),
                passage=one.get("passage"),
            )
            for one in row["newer"]
        )
        return cls(row["id"], row["statement"], row["language"] or "en", newer)

    @property
    def aside(self) -> str:
        """What stands behind its words, in brackets, in their language."""
        told, on, within = ON.get(self.language, ON["en"])
        quoted = QUOTES.get(self.language, QUOTES["en"])
        said = [
            f"{within if one.precision in FORMS else on} {one.day}: {quoted.format(one.words)}"
            for one in self.newer
        ]
        return f"({told} {'; '.join(said)})"

    @property
    def sentence(self) -> str:
        """Its words with what may have changed them."""
        return f"{self.words} {self.aside}"

    def wire(self) -> list[dict[str, Any]]:
        """What may have changed it, each beside what it may have changed."""
        return [
            {
                "older": self.fact,
                "fact": one.fact,
                "passage": one.passage,
                "since": one.since,
                "untrusted": {"statement": one.words, "older": self.words},
            }
            for one in self.newer
        ]


async def possible_changes(
    graph: Graph, facts: Collection[str], scopes: list[str], moments: Moments
) -> dict[str, PossibleChange]:
    """Those of some facts, held at both moments, that may have changed, by newer facts and then by
    later texts: two queries for all of them, none where there is no fact. What lies out of the
    scopes is not told."""
    if not facts:
        return {}
    texts, at = LaterTexts(graph), (moments.as_of, moments.known_at)
    held = await texts.held(sorted(facts), scopes, *at)
    later = await texts.after(held, scopes, *at)
    found = {row["id"]: PossibleChange.of(row) for row in held if row["newer"]}
    for change in map(PossibleChange.of, later):
        known = found.get(change.fact or "")
        found[change.fact or ""] = (
            change if known is None else replace(known, newer=(*known.newer, *change.newer))
        )
    return found


def of_facts(
    facts: Iterable[str], changes: dict[str, PossibleChange]
) -> tuple[PossibleChange, ...]:
    """The changes of some facts, in their order."""
    return tuple(changes[fact] for fact in dict.fromkeys(facts) if fact in changes)


def on_the_wire(changes: Iterable[PossibleChange]) -> list[dict[str, Any]]:
    """Possible changes as an answer lists them."""
    return [entry for change in changes for entry in change.wire()]
