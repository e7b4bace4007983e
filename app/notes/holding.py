"""Whether a note holds at two moments: the rule of the query `notes.page`, for one note; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

STANDINGS = ("held", "superseded")


def holds(note: Mapping[str, Any], as_of: datetime, known_at: datetime) -> bool:
    """Return whether it was so at `as_of`, as known at `known_at`; both intervals are half open.

    The end of a note is not known before `superseded_at`: until then it holds without end.
    """
    if note["standing"] not in STANDINGS or note["ingested_at"] > known_at:
        return False
    ended = note["valid_to"] <= as_of and note["superseded_at"] <= known_at
    return bool(note["valid_from"] <= as_of and not ended)
