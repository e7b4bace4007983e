"""What a short-term entry weighs in long-term memory, and what becomes of two that say the same.
Pure."""

from __future__ import annotations

from datetime import datetime

from app.contexts.drafting import absorbed
from app.contexts.entries import Entry, EntryType, MemoryType
from app.contexts.formulas import UNSET_IMPORTANCE
from app.shortterm.model import Kind

CONFIDENCE = 0.7  # of what is promoted
AGAIN = 0.03  # importance that saying a thing again adds
READS_WHOLE, READS_MOST, TYPED = 10, 0.8, 0.1

TYPES = {
    Kind.CONVERSATION: EntryType.CONVERSATION_SUMMARY,
    Kind.TOOL_RESULT: EntryType.TOOL_OUTPUT,
    Kind.REFLECTION: EntryType.REFLECTION,
    Kind.OBSERVATION: EntryType.OBSERVATION,
    Kind.PLAN: EntryType.PLAN,
}


def promoted_importance(reads: int, kind: Kind) -> float:
    """Return what an entry weighs that was read so often: `min(round4(min(n / 10, .8) + .1), 1)`,
    without the .1 for the general kind."""
    typed = 0.0 if kind is Kind.GENERAL else TYPED
    return min(round(min(reads / READS_WHOLE, READS_MOST) + typed, 4), 1.0)


def type_of(kind: Kind) -> EntryType:
    """Return the type that an entry of short-term memory has in long-term memory."""
    return TYPES.get(kind, EntryType.FACT)


def joined(old: Entry, new: Entry, at: datetime) -> tuple[Entry, Entry]:
    """Return which of two entries that say the same is kept, with what both had, and the other one,
    archived.

    The more important one is kept, the old one of two that weigh the same, and a fact always: its
    importance grows by .03, at most to 1.
    """
    fact = old.memory_type is MemoryType.FACTUAL
    first, other = (old, new) if fact or _weight(old) >= _weight(new) else (new, old)
    kept, gone = absorbed(first, [other], at)
    weight = min(round(max(_weight(old), _weight(new)) + AGAIN, 4), 1.0)
    return kept.weighed(weight, at), gone[0]


def _weight(entry: Entry) -> float:
    return UNSET_IMPORTANCE if entry.importance is None else entry.importance
