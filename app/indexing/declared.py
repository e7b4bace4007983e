"""What both search indexes hold of kinds that their slices declare."""

from __future__ import annotations

from typing import Any

from app.indexing.entry import LIVE, Facts, entry
from app.kernel.clock import FOREVER
from app.kernel.kind import Searched, Stored


def indexed(kind: str, value: Stored, found: Searched) -> dict[str, Any]:
    """Return the properties by which search finds a value; its vector comes later.

    What is no longer current stays in the indexes for searches about earlier moments.
    """
    facts = Facts(
        memory_id=value.id,
        scope=value.scope,
        kind=kind,
        captured_at=found.at,
        ingested_at=found.at,
        session=found.session,
        title=found.title,
        tags=found.tags,
    )
    made = entry(facts, found.text)
    current = found.until is None
    return made | {
        "content": found.text,
        "title": found.title or None,
        "tags": list(found.tags),
        "live": current,
        "facets": [facet for facet in made["facets"] if current or facet != LIVE],
        "current_until": found.until or FOREVER,
    }
