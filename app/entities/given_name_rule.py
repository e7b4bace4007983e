"""A given name alone is the one person of that name who speaks in the scope: joined by rule.

"Silas" is Silas Okoro as long as nobody else there is called Silas, not even in a single text, and
Silas Okoro speaks there himself.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.entities.bearer import SHORT_TO_WHOLE, Bearer, Name, link
from app.entities.clusters import Link
from app.entities.model import entity_id
from app.entities.names import UNKNOWN, clashes, gender, read_name
from app.errors import InvalidInput

RULE = "given_name"
PERSONS = ("person", UNKNOWN)


def first_word(name: str) -> str:
    """The word with which the key of a person's name begins; empty for none."""
    try:
        return read_name(name, "person").tokens[0]
    except InvalidInput:
        return ""


def wanted(name: Name) -> list[Link]:
    """Ties between a given name and the only person whose full name begins with it."""
    whole = [b for b in name.whole if b.type in PERSONS]
    spoken = [b for b in whole if b.speaks and b.type == "person"]
    if not spoken or name.waits or name.sets_of(whole) != 1:
        return []
    meant = min(spoken, key=lambda b: b.id)
    short = _short(name)
    if any(_apart(b, meant) for b in short):
        return []
    return [link(b.id, meant.id, SHORT_TO_WHOLE) for b in name.one_of_each(short)]


def _short(name: Name) -> list[Bearer]:
    """Persons of that name alone; what has no type only where it can be nothing else."""
    plain = {entity_id(name.scope, family, name.word) for family in PERSONS}
    kinds = _only_persons(name.alone)
    return [b for b in name.alone if b.id in plain and b.type in kinds]


def _only_persons(alone: Iterable[Bearer]) -> tuple[str, ...]:
    return PERSONS if all(b.type in PERSONS for b in alone) else ("person",)


def _apart(short: Bearer, whole: Bearer) -> bool:
    one, other = gender(read_name(short.name, short.type)), gender(read_name(whole.name, "person"))
    titled = next((m[-1] for m in sorted(short.marks) if m.startswith("honorific:")), one)
    differ = titled is not None and other is not None and titled != other
    return differ or clashes(short.marks, whole.marks)
