"""Statements of a text as consolidation makes and tells them, without a graph."""

from __future__ import annotations

from collections.abc import Iterator

from app.consolidation.derive import render
from app.extraction.extract import extract
from app.extraction.model import Mention, Mode, Statement, Utterance
from app.extraction.predicates import standard
from app.facts.record import Thing, Triple
from app.kernel.clock import now
from app.values.model import Value


def thing(end: Mention | Value) -> Thing:
    """An end of a statement as a fact holds it; an entity's name stands for its id."""
    if isinstance(end, Mention):
        return Thing("entity", f"entity:{end.name}", end.name, end.name)
    return Thing(end.kind.value, end.key, end.text)


def triple(one: Statement) -> Triple:
    """The fact that a statement makes."""
    denied = one.mode in (Mode.END, Mode.DENY)
    return Triple(
        "s", "t", thing(one.subject), one.predicate, thing(one.object), denied, one.qualifier
    )


def spoken(text: str, language: str, speaker: str | None = None) -> Iterator[tuple[str, Statement]]:
    """The statements of a text, each with the sentence that tells it."""
    for one in extract(Utterance(text, now(), language, speaker=speaker)).statements:
        made = triple(one)
        yield render(made, standard().get(one.predicate), language, one.text), one
