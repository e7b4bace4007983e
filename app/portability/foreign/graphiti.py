"""Graphs of Graphiti and exports of Zep: episodes, entities and edges with both clocks. Pure.

A dump is a list or lines of nodes and edges, `{"nodes", "edges"}`, or what Neo4j gives back
(`labels`, `type`, `properties`). An edge becomes a note: `valid_at` and `invalid_at` say when it
held, `created_at` and `expired_at` when it was known and overtaken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.portability.foreign.model import Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, short, text

# The ends of an edge are kept by their ids too, and its name, which is not always in the title.
EDGE = ("fact", "group_id", "created_at", "expired_at", "valid_at", "invalid_at")
ENTITY = ("name", "summary", "labels", "group_id", "created_at")
EPISODE = ("content", "source_description", "created_at", "valid_at", "role", "role_type")
IDS = ("uuid", "uuid_", "id")
NEO4J = ("type", "label")  # what a dump of the database calls a node or an edge
CALLED = ("node", "relationship", "RELATES_TO")
VECTORS = ("fact_embedding", "name_embedding", "embedding")
SESSIONS = ("thread_id", "session_id", "group_id")
ENDS = ("start", "end", "properties", "labels", *NEO4J)  # of a node or an edge in Neo4j's dump
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
    identifier = known.get(_called(known))
    if _kind(known) == "entity" and isinstance(identifier, str):
        reading.names[identifier] = short(known.get("name")) or ""


def read(reading: Reading, name: str | None, item: Item) -> Iterator[Record]:
    """The record of a node or an edge."""
    _drop(reading, item)
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


def _drop(reading: Reading, item: Item) -> None:
    """Count what Neo4j's dump says of a node or an edge beside its properties: its own ids."""
    if not isinstance(item.get("properties"), dict):
        return
    reading.lose(*reading.rest(item, ENDS))
    for end in ("start", "end"):
        node = item.get(end)
        inner = node.get("properties") if isinstance(node, dict) else None
        if isinstance(node, dict) and isinstance(inner, dict):
            left = {**reading.rest(node, ("properties",)), **reading.rest(inner, ("uuid",))}
            reading.lose(*(f"{end}.{name}" for name in left))


def _edge(reading: Reading, item: Item) -> Record:
    names = reading.names
    ends = [_named(item, end, names) for end in ("source", "target")]
    beside = _rest(reading, item, EDGE)
    ended, overtaken = moment(item.get("invalid_at")), moment(item.get("expired_at"))
    created = moment(item.get("created_at"))
    said = [ends[0], text(item.get("name")), ends[1]]
    title = " ".join(str(part) for part in said) if all(said) else None
    return reading.note(
        item.get("fact"),
        item.get("metadata"),
        _group(item),
        beside=beside,
        id=_id(reading, item),
        title=title and title[:500],
        entry_type="fact",
        standing="superseded" if overtaken else None,
        valid_from=moment(item.get("valid_at")) or created or reading.at,
        valid_to=ended or overtaken,
        superseded_at=overtaken,
        ingested_at=created,
    )


def _rest(reading: Reading, item: Item, used: tuple[str, ...]) -> dict[str, Any]:
    """The fields that no record says, but for what only says which kind of thing the item is."""
    kinds = [n for n in NEO4J if item.get(n) in CALLED]
    kinds += ["labels"] if item.get("labels") == ["Episodic"] else []
    return reading.rest(item, (*used, *kinds, "metadata", _called(item)), VECTORS)


def _called(item: Item) -> str:
    """The field that the id is of."""
    return next((n for n in IDS if item.get(n)), IDS[0])


def _named(item: Item, end: str, names: Mapping[str, str]) -> str | None:
    identifier = item.get(f"{end}_node_uuid")
    given = short(item.get(f"{end}_node_name"))
    return given or (names.get(identifier) if isinstance(identifier, str) else None)


def _group(item: Item) -> list[Any]:
    """The group as a tag."""
    group = item.get("group_id")
    return [f"group:{group}" if short(group) else group] if is_set(group) else []


def _id(reading: Reading, item: Item) -> str | None:
    return reading.id(item.get(_called(item))) or reading.id(
        "text", item.get("fact") or item.get("name")
    )


def _entity(reading: Reading, item: Item) -> Iterator[Record]:
    beside = _rest(reading, item, ENTITY)
    if not text(item.get("summary")):
        said = ("group_id", "created_at", "labels", "metadata")
        beside |= {n: 1 for n in said if is_set(item.get(n))}
        reading.lose("entities without a summary", *(f"entities.{name}" for name in beside))
        return
    created = moment(item.get("created_at"))
    labels = item.get("labels")
    kinds = [n for n in labels if n != "Entity"] if isinstance(labels, list) else []
    yield reading.note(
        item["summary"],
        item.get("metadata"),
        [*kinds, *_group(item)],
        beside=beside,
        id=_id(reading, item),
        title=reading.name("entities.name", item.get("name")),
        entry_type="knowledge",
        valid_from=created or reading.at,
        ingested_at=created,
    )


def _episode(reading: Reading, item: Item) -> Record:
    where = next((n for n in SESSIONS if item.get(n)), SESSIONS[0])
    # A message of a thread has a name of its own beside the role; else the role may be one.
    speaks = "name" if "role" in item and not item.get("role_type") else "role"
    beside = _rest(reading, item, (*EPISODE, where, speaks))
    role = item.get("role_type") or item.get("role")
    known = ROLES.get(role) if isinstance(role, str) else None
    if is_set(item.get("role_type")) and known is None:
        beside["role_type"] = item["role_type"]
    named = item.get(speaks) or (item.get("role") if known is None else None)
    speaker = reading.name(f"messages.{speaks}", named)
    created = moment(item.get("created_at"))
    return reading.episode(
        item.get(where) or reading.format,
        item.get("content"),
        item.get("metadata"),
        beside=beside,
        id=_id(reading, item),
        title=reading.name("episodes.source_description", item.get("source_description")),
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
