"""What mem0 exports: `[{"id", "memory", …}]`, or the answer of `get_all` around it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import moment, short, text

KNOWN = (
    "id", "memory", "data", "text", "user_id", "agent_id", "run_id", "role", "metadata",
    "categories", "created_at", "updated_at", "hash", "score", "payload",
)  # fmt: skip
ROLES = ("user", "assistant", "tool")


def recognises(probe: Probe) -> bool:
    """Whether the first item holds a memory."""
    first = probe.listed("results", "memories")
    payload = first.get("payload")
    stored = isinstance(payload, dict) and "data" in payload
    return "memory" in first or stored


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """A memory as an episode of its run or user; a relation as an episode that states it."""
    if name == "relations":
        yield _relation(reading, item)
        return
    payload = item.get("payload")
    if isinstance(payload, dict):
        item = {**payload, "id": item.get("id")}
    reading.rest(item, KNOWN)
    if item.get("updated_at") not in (None, item.get("created_at")):
        reading.lose("updated_at")
    role = item.get("role")
    yield reading.episode(
        item.get("run_id") or item.get("user_id") or item.get("agent_id"),
        next((item[n] for n in ("memory", "data", "text") if item.get(n) is not None), None),
        item.get("metadata"),
        item.get("categories"),
        id=reading.id(item.get("id")),
        role=role if role in ROLES else None,
        speaker=short(item.get("user_id")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _relation(reading: Reading, item: dict[str, Any]) -> Record:
    subject, predicate = item.get("source"), item.get("relationship")
    about = item.get("destination") or item.get("target")
    reading.rest(item, ("source", "relationship", "destination", "target"))
    ends = [short(end) for end in (subject, predicate, about)]
    if not all(text(end) for end in ends):
        return reading.episode("relations", None)
    named = dict(zip(("subject", "predicate", "object"), ends, strict=True))
    said = " ".join(str(end).replace("_", " ") for end in ends)
    return reading.episode("relations", f"{said}.", triples=[named])


MEM0 = Format(
    "mem0",
    recognises,
    read,
    frozenset([None, "results", "memories", "relations"]),
    {"content": "memory", "captured_at": "created_at", "ingested_at": "created_at"},
)
