"""Nodes and edges as Neo4j gives them back, and APOC exports them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.portability.foreign.model import Reading

NEO4J = ("type", "label")  # what a dump of the database calls a node or an edge
ENDS = ("start", "end", "properties", "labels", *NEO4J)  # of a node or an edge in such a dump
Item = dict[str, Any]


def flat(item: Mapping[str, Any]) -> Item:
    """A node or edge with its properties beside its labels and ends, as Neo4j's are not."""
    given = item.get("properties")
    inner = item.get("n", item.get("r", item.get("e")))
    if given is None and isinstance(inner, dict) and len(item) <= 3:
        return flat(inner)
    if not isinstance(given, dict):
        return dict(item)
    ends: dict[str, Any] = {}
    for end, old in (("source", "start"), ("target", "end")):
        ends |= {f"{end}_node_uuid": found} if (found := _end(item, old)) else {}
        ends |= {f"{end}_in_neo4j": node} if (node := place(item.get(old))) else {}
    own = {k: item[k] for k in ("labels", "type", "label") if k in item}
    return {**own, **ends, **given}


def _end(item: Mapping[str, Any], name: str) -> Any:
    node = item.get(name)
    if isinstance(node, dict):
        inner = node.get("properties")
        return (inner if isinstance(inner, dict) else node).get("uuid")
    return node


def place(node: Any) -> str | None:
    """What Neo4j calls a node of its dump, as a name that is learnt."""
    given = node.get("id") if isinstance(node, dict) else None
    return f"neo4j {given}" if isinstance(given, str | int) else None


def drop(reading: Reading, item: Item) -> None:
    """Count what Neo4j's dump says of a node or an edge beside its properties: its own ids."""
    if not isinstance(item.get("properties"), dict):
        return
    reading.lose(*reading.rest(item, ENDS))
    for end in ("start", "end"):
        node = item.get(end)
        if not isinstance(node, dict):
            continue
        inner = node.get("properties")
        own = reading.rest(inner, ("uuid",)) if isinstance(inner, dict) else {}
        left = {**reading.rest(node, ("properties",)), **own}
        reading.lose(*(f"{end}.{name}" for name in left))
