"""What tools answer, as texts for a prompt.

What Loci says itself stands outside of the untrusted zone; whatever was recalled stands inside it
and is escaped, as in a bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from app.facts.schemas import FactOut, IntervalOut
from app.rag.schemas import AnswerOut
from app.sanitize.hidden import shown
from app.search.bundle import CLOSE, NOTICE, OPEN, element
from app.search.schemas import FoundOut
from app.skills.schemas import DiscoveryOut


def zoned(says: str, lines: Iterable[str]) -> str:
    """A sentence of ours, then lines that were recalled and are escaped already."""
    return "\n".join([f"{says} {NOTICE}", OPEN, *lines, CLOSE])


def data(says: str, value: msgspec.Struct) -> str:
    """A sentence of ours, then a recalled value as JSON."""
    written = msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
    return zoned(says, [shown(escape(written))])


def waited(who: str, wanted: str | None, reached: str | None) -> str:
    """What became of a wait: an agent that is not told takes it for reached."""
    if reached:
        return f" {who} {reached}."
    return f" {who} not {wanted} yet, and will be." if wanted else ""


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def unknown(found: FoundOut) -> str:
    """That nothing is known, and of what is held back that it is less relevant than was asked."""
    floor = found.floor
    if floor is None or not floor.held_back:
        return "Nothing is known of that."
    held = counted(floor.held_back, "memory is", "memories are")
    return (
        f"Nothing is known of that. {held} less relevant than asked for, the best "
        f"{floor.best_held_back}: a lower `min_score` shows what is near."
    )


def facts(says: str, found: Sequence[FactOut]) -> str:
    """Facts, a line each with its interval, and what may have changed of it."""
    return zoned(says, [_fact(fact) for fact in found])


def _fact(fact: FactOut) -> str:
    interval = fact.intervals[-1] if fact.intervals else None
    newer = "; ".join(one["untrusted"]["statement"] for one in fact.possible_changes)
    attributes = {
        "id": fact.id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "scope": fact.scope,
        "status": fact.status,
        **(_interval(interval) if interval else {}),
        "trust": f"{fact.trust:.2f}",
        "possibly-changed": newer,
    }
    return element("fact", attributes, str(fact.untrusted["statement"]))


def _interval(interval: IntervalOut) -> dict[str, str]:
    until = interval.valid_to.isoformat() if interval.valid_to else ""
    return {"since": interval.valid_from.isoformat(), "until": until}


def answer(told: AnswerOut) -> str:
    """An answer with the texts that it rests on."""
    if not told.sources:
        return f"Nothing was found that answers this. {told.note}".rstrip()
    said = element("answer", {"by": told.by}, str(told.untrusted["answer"]))
    sources = [
        element(
            "source",
            {"number": str(one.number), "id": one.id, "kind": one.kind},
            str(one.untrusted["text"]),
        )
        for one in told.sources
    ]
    rests = counted(len(sources), "source", "sources")
    return zoned(f"An answer from {rests}; numbers in brackets name them.", [said, *sources])


def skills(found: DiscoveryOut) -> str:
    """Skills, best first, a line each."""
    lines = [element("skill", _skill(hit), hit.untrusted["description"]) for hit in found.items]
    fitting = counted(len(lines), "skill fits", "skills fit")
    return zoned(f"{fitting}; `read` gives the whole text of one by its id.", lines)


def _skill(hit: Any) -> dict[str, str]:
    return {
        "id": hit.id,
        "name": str(hit.untrusted["name"]),
        "category": hit.category,
        "version": hit.version,
        "works": f"{hit.success:.2f}",
    }
