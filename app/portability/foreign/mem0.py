"""What mem0 exports: `[{"id", "memory", …}]`, the answer of `get_all` around it, the points of its
store as Qdrant's scroll answers them, or what its app OpenMemory exports. Pure.

An update of mem0 keeps `id` and `created_at` and replaces the text, so that the words are of
`updated_at`; what they replaced is in no export.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.portability.foreign import openmemory
from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import changed_field, is_set, lapsed, moment, text

USED = frozenset(("id", "user_id", "role", "metadata", "categories"))
TEXTS = ("memory", "data", "text", "content")
OWNERS = ("run_id", "user_id", "agent_id")
# Of the text itself, of the search that the answer is of, and of its index.
DROPPED = frozenset(("hash", "score", "vector", "text_lemmatized"))
ROLES = ("user", "assistant", "tool")


def recognises(probe: Probe) -> bool:
    """Whether the first item holds a memory."""
    scroll = _points(probe.members.get("result"))
    point = next((one for one in scroll if isinstance(one, dict)), None)
    first = point or probe.listed("results", "memories")
    payload = first.get("payload")
    stored = isinstance(payload, dict) and "data" in payload
    return "memory" in first or stored or openmemory.recognises(probe)


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """A memory as an episode of its run or user; a relation as an episode that states it."""
    if name == "relations":
        yield _relation(reading.of_user(item.get("user_id")), item)
        return
    if name == "result":
        yield from _scrolled(reading, item)
        return
    item, hidden = _flat(item), None
    if openmemory.is_memory(item):
        if item["state"] == openmemory.DELETED:
            reading.lose("deleted memories")
            return
        item, hidden = openmemory.plain(reading, item)
    reading = reading.of_user(item.get("user_id"))
    since = changed_field(item)
    said = next((n for n in TEXTS if item.get(n) is not None), "memory")
    owner = next((n for n in OWNERS if item.get(n)), "run_id")
    beside = reading.rest(item, USED | {said, owner, since}, DROPPED)
    role = item.get("role")
    voice = "user_id"  # whose words they are; of an answer those of who gave it
    if role in ROLES[1:]:
        voice = next((n for n in ("actor_id", "agent_id") if item.get(n)), "agent_id")
    if is_set(role) and role not in ROLES:
        beside["role"] = role
    yield reading.episode(
        item.get(owner),
        item.get(said),
        item.get("metadata"),
        item.get("categories"),
        beside,
        id=reading.id(item.get("id")),
        role=role if role in ROLES else None,
        speaker=reading.name(voice, item.get(voice)),
        captured_at=moment(item.get(since)),
        ingested_at=moment(item.get(since)),
        expired_at=moment(hidden) or lapsed(item.get("expiration_date")),
    )


def _scrolled(reading: Reading, item: dict[str, Any]) -> Iterator[Record]:
    """The memories of a page of Qdrant's scroll."""
    reading.lose(*(f"result.{field}" for field in reading.rest(item, ("points",))))
    for point in _points(item):
        if isinstance(point, dict):
            yield from read(reading, None, point)
        else:
            yield "episode", point


def _points(result: Any) -> list[Any]:
    given = result.get("points") if isinstance(result, dict) else None
    return given if isinstance(given, list) else []


def _flat(item: dict[str, Any]) -> dict[str, Any]:
    """A memory, of a point of its vector store what is stored there too."""
    payload = item.get("payload")
    if not isinstance(payload, dict):
        return item
    beside = {k: v for k, v in item.items() if k != "payload"}
    return {"payload.id": payload.get("id"), **payload, **beside}


def _relation(reading: Reading, item: dict[str, Any]) -> Record:
    about = "destination" if item.get("destination") else "target"
    beside = reading.rest(item, ("source", "relationship", about))
    ends = [reading.name(end, item.get(end)) for end in ("source", "relationship", about)]
    if not all(text(end) for end in ends):
        return reading.episode("relations", None)
    named = dict(zip(("subject", "predicate", "object"), ends, strict=True))
    said = " ".join(str(end).replace("_", " ") for end in ends)
    return reading.episode("relations", f"{said}.", beside=beside, triples=[named])


MEM0 = Format(
    "mem0",
    recognises,
    read,
    frozenset([None, "results", "result", "memories", "relations"]),
    {
        "content": "memory",
        "captured_at": "created_at",
        "ingested_at": "created_at",
        "expired_at": "expiration_date",
        "scope": "user_id",
    },
    openmemory.learn,
    user="user_id",
    about=openmemory.ABOUT,
)
