"""Ids and types as the protocol writes them. Pure."""

from __future__ import annotations

from uuid import UUID

from app.entities.names import UNKNOWN

# Types of the protocol, and what each is here; several of ours are one of theirs.
TYPES = {
    "person": "person",
    "organization": "organization",
    "location": "place",
    "event": "event",
    "object": "artifact",
    "concept": "concept",
    "tool": "technology",
    "custom": UNKNOWN,
}
_BACK = {ours: theirs for theirs, ours in TYPES.items()} | {
    "group": "organization",
    "project": "object",
    "product": "object",
    "incident": "event",
    "decision": "concept",
    "lesson": "concept",
    "source": "object",
    "collection": "object",
}


def shown(identifier: str) -> str:
    """Return an id as a UUID with hyphens where it is one, else as it is."""
    try:
        return str(UUID(identifier))
    except ValueError:
        return identifier


def known_as(given: str) -> list[str]:
    """Return the ids that may be meant by one that a client gives."""
    try:
        uuid = UUID(given)
    except ValueError:
        return [given]
    return list(dict.fromkeys((uuid.hex, str(uuid), given)))


def type_of(given: str) -> str:
    """Return our type for one of the protocol, `custom` where it has no such."""
    base = given.partition(":")[0].strip().lower()
    return TYPES.get(base, UNKNOWN)


def told_type(ours: str) -> str:
    """Return the type of the protocol, in small letters, for one of ours."""
    return _BACK.get(ours, "custom")
