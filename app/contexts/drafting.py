"""What becomes of an entry that a client hands in: the rules of facts and of experiences. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.contexts.entries import (
    MOST_TAGS,
    Entry,
    EntryType,
    MemoryType,
    Reason,
    Source,
    packed,
)
from app.contexts.formulas import experience_confidence, experience_importance
from app.contexts.model import Context
from app.errors import InvalidInput
from app.kernel.ids import new_id


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, sanitised but for `agent` and `from_agent`, which are whole ids."""

    key: str
    value: Any
    entry_type: EntryType = EntryType.FACT
    source_type: Source = Source.AGENT
    memory_type: MemoryType = MemoryType.WORKING
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    decay_rate: float | None = None
    agent: str | None = None
    from_agent: str | None = None
    task_id: str | None = None
    run_id: str | None = None
    duration_ms: int | None = None
    failed: bool = False


def entry_of(draft: Draft, context: Context, by: str, at: datetime) -> Entry:
    """Return the entry of a draft, weighed by its kind of memory.

    Raises InvalidInput for a fact that would fade or be unsure, and for an experience of nobody.
    """
    given = {name: getattr(draft, name) for name in Draft.__dataclass_fields__}
    given |= {"tags": list(draft.tags)} | _weights(draft)
    made = Entry(
        id=new_id(),
        scope=context.scope,
        context_id=context.id,
        based_at=at,
        created_at=at,
        created_by=by,
        changed_at=at,
        changed_by=by,
        **given,
    )
    return made.weighed(made.importance, at)


def _weights(draft: Draft) -> dict[str, float | None]:
    if draft.memory_type is MemoryType.FACTUAL:
        return _of_a_fact(draft)
    if draft.memory_type is MemoryType.EXPERIENTIAL:
        return _of_an_experience(draft)
    return {}


def _of_a_fact(draft: Draft) -> dict[str, float | None]:
    for name, fixed in (("decay_rate", 0.0), ("confidence", 1.0)):
        if getattr(draft, name) not in (None, fixed):
            raise InvalidInput(f"{name} of a fact is {fixed:g}", field=name)
    return {"decay_rate": 0.0, "confidence": 1.0}


def _of_an_experience(draft: Draft) -> dict[str, float | None]:
    """Importance and confidence where the client names none."""
    if draft.agent is None:
        raise InvalidInput("an experience is an agent's: name the agent", field="agent")
    told = sum(
        each is not None
        for each in (draft.task_id, draft.run_id, draft.duration_ms, draft.from_agent)
    )
    weight, sure = draft.importance, draft.confidence
    return {
        "importance": experience_importance(failed=draft.failed) if weight is None else weight,
        "confidence": experience_confidence(told) if sure is None else sure,
    }


def reworded(entry: Entry, value: Any, by: str, at: datetime) -> Entry | None:
    """Return the entry with another content under its next version; None where it is the same.

    A seal stays, and says of the new content that it is not the sealed one.
    """
    if packed(value) == packed(entry.value):
        return None
    return entry.model_copy(
        update={
            "value": value,
            "version": entry.version + 1,
            "changed_at": at,
            "changed_by": by,
            "forgotten_at": None,
            "kept_at": None,
        }
    )


def merged(entries: Iterable[Entry], at: datetime) -> tuple[Entry, list[Entry]]:
    """Return what keeps the place of entries that say the same, and the others, archived.

    The most important one is kept, the older one of two; it has the greatest scores, the sum of
    the accesses, all tags, and the ids of the others.
    """
    first, *rest = sorted(entries, key=lambda each: (-_weight(each), each.created_at, each.id))
    return absorbed(first, rest, at)


def absorbed(first: Entry, rest: Sequence[Entry], at: datetime) -> tuple[Entry, list[Entry]]:
    """Return an entry with what others had that say the same, as `merged` tells, and these."""
    everyone = [first, *rest]
    sure = [each.confidence for each in everyone if each.confidence is not None]
    read = [each.last_accessed_at for each in everyone if each.last_accessed_at is not None]
    kept = first.model_copy(
        update={
            "confidence": max(sure, default=None),
            "access_count": sum(each.access_count for each in everyone),
            "last_accessed_at": max(read, default=None),
            "tags": list(dict.fromkeys(tag for each in everyone for tag in each.tags))[:MOST_TAGS],
            "merged": (*first.merged, *(i for each in rest for i in (each.id, *each.merged))),
        }
    )
    return kept, [each.archived(Reason.MERGED, at) for each in rest]


def _weight(entry: Entry) -> float:
    return 0.5 if entry.importance is None else entry.importance
