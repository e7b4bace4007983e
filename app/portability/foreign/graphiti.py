"""Graphs of Graphiti and exports of Zep: episodes, entities and edges with both clocks. Pure.

A dump is a list or lines of nodes and edges, `{"nodes", "edges"}`, or what Neo4j gives back
(`labels`, `type`, `properties`). An edge becomes a note: `valid_at` and `invalid_at` say when it
held, `created_at` and `expired_at` when it was known and overtaken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import moment, short, tags, text

EDGE = (
    "uuid", "id", "name", "fact", "group_id", "created_at", "expired_at", "valid_at", "invalid_at",
    "source_node_uuid", "target_node_uuid", "fact_embedding",
)  # fmt: skip
ENTITY = ("uuid", "id", "name", "summary", "labels", "group_id", "created_at", "name_embedding")
EPISODE = (
    "uuid", "id", "name", "content", "source_description", "group_id", "created_at",
    "valid_at", "labels", "role", "role_type", "thread_id", "session_id",
)  # fmt: skip
NEO4J = ("type", "label")  # what a dump of the database calls a node or an edge
LISTS = ("nodes", "edges", "relationships", "entities", "entity_nodes", "entity_edges", "episodes",
         "episodic_nodes", "facts", "messages")  # fmt: skip
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
         "tool": "tool", "function": "tool"}  # fmt: skip
Item = dict[str, Any]


def recognises(probe: Probe) -> bool:
    """Whether the first item is a node or an edge of such a graph."""
    found = [probe.first] if probe.shape in ("list", "lines") else []
    if probe.shape == "object":
        found = [v for n, v in probe.members.items() if n in LISTS and isinstance(v, dict)]
    return any(_kind(flat(item)) for item in found)


def is_zep(probe: Probe) -> bool:
    """Whether an object holds messages or facts of sessions or threads."""
    if probe.shape != "object" or "fact" in probe.listed("edges"):
        return False
    said = probe.members.get("messages")
    typed = isinstance(said, dict) and {"role_type", "uuid", "uuid_"} & said.keys()
    fact = probe.members.get("facts")
    return bool(typed) or (isinstance(fact, dict) and "fact" in fact)


def flat(item: Mapping[str, Any]) -> Item:
    """A node or edge with its properties beside its labels and ends, as Neo4j's are not."""
    given = item.get("properties")
    inner = item.get("n", item.get("r", item.get("e")))
    if given is None and isinstance(inner, dict) and len(item) <= 3:
        return flat(inner)
    if not isinstance(given, dict):
        return dict(item)
    ends = {
        f"{end}_node_uuid": _end(item, old)
        for end, old in (("source", "start"), ("target", "end"))
        if _end(item, old)
    }
    own = {k: item[k] for k in ("labels", "type", "label") if k in item}
    return {**own, **ends, **given}


def _end(item: Mapping[str, Any], name: str) -> Any:
    node = item.get(name)
    if isinstance(node, dict):
        inner = node.get("properties")
        return (inner if isinstance(inner, dict) else node).get("uuid")
    return node


def _kind(item: Item) -> str | None:
    """What an item is: an edge, an entity, an episode, or a link between those; None if none."""
    if "fact" in item:
        return "edge"
    labels = item.get("labels")
    named = labels if isinstance(labels, list) else []
    if item.get("type") in ("MENTIONS", "HAS_MEMBER", "HAS_EPISODE", "NEXT_EPISODE"):
        return "link"
    if "Episodic" in named or ("content" in item and ("uuid" in item or "role" in item)):
        return "episode"
    if "Entity" in named or ("summary" in item and "name" in item):
        return "community" if "Community" in named else "entity"
    return "community" if "Community" in named else None


def learn(reading: Reading, name: str | None, item: Item) -> None:
    """Remember the name of an entity, by which edges call it."""
    known = flat(item)
    if _kind(known) == "entity" and isinstance(known.get("uuid"), str):
        reading.names[known["uuid"]] = short(known.get("name")) or ""


def read(reading: Reading, name: str | None, item: Item) -> Iterator[Record]:
    """The record of a node or an edge."""
    item = flat(item)
    kind = _kind(item) or ("edge" if name in ("edges", "facts", "entity_edges") else None)
    if kind in ("link", "community"):
        reading.lose("MENTIONS and other links" if kind == "link" else "communities")
    elif kind == "edge":
        yield _edge(reading, item)
    elif kind == "entity":
        yield from _entity(reading, item)
    else:
        yield _episode(reading, item)


def _edge(reading: Reading, item: Item) -> Record:
    names = reading.names
    ends = [_named(item, end, names) for end in ("source", "target")]
    reading.rest(item, (*EDGE, *NEO4J, "source_node_name", "target_node_name"))
    ended, overtaken = moment(item.get("invalid_at")), moment(item.get("expired_at"))
    created = moment(item.get("created_at"))
    said = [ends[0], text(item.get("name")), ends[1]]
    title = " ".join(str(part) for part in said) if all(said) else None
    return reading.note(
        item.get("fact"),
        id=_id(reading, item),
        title=title and title[:500],
        entry_type="fact",
        standing="superseded" if overtaken else None,
        valid_from=moment(item.get("valid_at")) or created or reading.at,
        valid_to=ended or overtaken,
        superseded_at=overtaken,
        ingested_at=created,
        tags=_tags(item),
    )


def _named(item: Item, end: str, names: Mapping[str, str]) -> str | None:
    identifier = item.get(f"{end}_node_uuid")
    given = short(item.get(f"{end}_node_name"))
    return given or (names.get(identifier) if isinstance(identifier, str) else None)


def _tags(item: Item) -> list[str]:
    group = short(item.get("group_id"))
    return tags([f"group:{group}"] if group else [])


def _id(reading: Reading, item: Item) -> str | None:
    given = next((item[n] for n in ("uuid", "uuid_", "id") if item.get(n)), None)
    return reading.id(given) or reading.id("text", item.get("fact") or item.get("name"))


def _entity(reading: Reading, item: Item) -> Iterator[Record]:
    reading.rest(item, (*ENTITY, *NEO4J))
    if not text(item.get("summary")):
        reading.lose("entities without a summary")
        return
    created = moment(item.get("created_at"))
    labels = item.get("labels")
    kinds = [n for n in labels if n != "Entity"] if isinstance(labels, list) else []
    yield reading.note(
        item["summary"],
        id=_id(reading, item),
        title=short(item.get("name")),
        entry_type="knowledge",
        valid_from=created or reading.at,
        ingested_at=created,
        tags=tags(kinds, *_tags(item)),
    )


def _episode(reading: Reading, item: Item) -> Record:
    reading.rest(item, (*EPISODE, *NEO4J, "uuid_"))
    session = next(
        (item[n] for n in ("thread_id", "session_id", "group_id") if item.get(n)), reading.format
    )
    role = item.get("role_type") or item.get("role")
    known = ROLES.get(role) if isinstance(role, str) else None
    speaker = short(item.get("role")) if item.get("role_type") or known is None else None
    created = moment(item.get("created_at"))
    return reading.episode(
        session,
        item.get("content"),
        id=_id(reading, item),
        title=short(item.get("source_description")),
        role=known,
        speaker=speaker,
        captured_at=moment(item.get("valid_at")) or created,
        ingested_at=created,
    )


FIELDS = {
    "captured_at": "valid_at", "ingested_at": "created_at", "valid_from": "valid_at",
    "valid_to": "invalid_at", "superseded_at": "expired_at",
}  # fmt: skip
GRAPHITI = Format("graphiti", recognises, read, frozenset([None, *LISTS]), FIELDS, learn)
ZEP = Format("zep", is_zep, read, frozenset([None, *LISTS]), FIELDS, learn)
