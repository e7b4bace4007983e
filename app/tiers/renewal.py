"""Which of the values that were promoted under one key holds, and what becomes of the others. Pure.

The value that was written last in short-term memory holds, whichever was promoted first; the others
are its versions, in the order in which they were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.contexts.entries import Entry, EntryVersion, packed
from app.tiers.formulas import AGAIN

SOURCE = ("promoted_from", "task_id", "session_scope")  # of which session a value is


def renewed(
    holder: Entry, entry: Entry, versions: Sequence[EntryVersion], at: datetime
) -> tuple[Entry, list[EntryVersion]]:
    """Return the entry that has a key once another value is promoted to it, and its versions, the
    oldest first: none where it has that value already.

    It has the greater weight and the readings of both, and .03 more weight where another session
    said the same.
    """
    grown = _grown(holder, entry, at)
    now_held, given = _dated(holder), _dated(entry)
    if packed(holder.value) == packed(entry.value):
        return _again(grown, holder, entry, at), []
    newest = max(now_held, given, key=_order)
    rest = [one for one in (*versions, now_held, given) if one is not newest]
    numbers = sorted([*(one.version for one in versions), holder.version])
    of_it = {"entry_id": holder.id, "context_id": holder.context_id}
    former = [
        one.model_copy(update={"version": number, **of_it})
        for one, number in zip(sorted(rest, key=_order), numbers, strict=True)
    ]
    made = _with_value_of(grown, entry) if newest is given else grown
    return made.model_copy(update={"version": holder.version + 1}), former


def _dated(entry: Entry) -> EntryVersion:
    """What an entry holds, with when that was written in short-term memory."""
    return EntryVersion.former(entry).model_copy(update={"kept_at": _written(entry)})


def _written(entry: Entry) -> datetime:
    """When what an entry holds was written in short-term memory."""
    return entry.promoted_at or entry.changed_at


def _order(version: EntryVersion) -> tuple[datetime, str]:
    return version.kept_at or version.changed_at, packed(version.value)


def _with_value_of(held: Entry, entry: Entry) -> Entry:
    """An entry with what another one tells."""
    names = ("value", "entry_type", "changed_at", "changed_by", *SOURCE)
    return held.model_copy(
        update={
            **{name: getattr(entry, name) for name in names},
            "kept_at": _written(entry),
            "forgotten_at": None,
        }
    )


def _again(grown: Entry, holder: Entry, entry: Entry, at: datetime) -> Entry:
    """An entry whose value was written twice: it is from the later of both."""
    later = max((holder, entry), key=_written)
    weight = grown.importance or 0.0
    if holder.promoted_from != entry.promoted_from:
        weight = min(round(weight + AGAIN, 4), 1.0)
    source = {name: getattr(later, name) for name in SOURCE} | {"kept_at": _written(later)}
    return grown.weighed(weight, at).model_copy(update=source)


def _grown(former: Entry, entry: Entry, at: datetime) -> Entry:
    """The greater weight, and all readings."""
    weight = max(former.importance or 0.0, entry.importance or 0.0)
    read = [one for one in (former.last_accessed_at, entry.last_accessed_at) if one is not None]
    more = {
        "access_count": former.access_count + entry.access_count,
        "last_accessed_at": max(read, default=None),
        "merged": (*former.merged, *entry.merged),
    }
    return former.weighed(weight, at).model_copy(update=more)
