"""Entities in the graph."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.entities.model import Known, Resolved
from app.entities.names import joint_type
from app.entities.resolve import display_name
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx


class EntityRepository:
    """One method a query; what belongs into another's transaction takes it as an argument."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def known(self, scope: str, ids: Iterable[str], tx: Tx | None = None) -> dict[str, Known]:
        """Those of some entities that are there, by id."""
        answer = await (tx or self.graph).one(Q.entities.known, ids=sorted(set(ids)), scope=scope)
        return {row["id"]: _known(row) for row in answer["rows"]}

    async def upsert(
        self, tx: Tx, rows: Iterable[Row], known: Mapping[str, Known] | None = None
    ) -> dict[str, str]:
        """Write and lock entities; the root of each as it is now.

        Of an entity to which a row adds nothing beside what is `known` only the lock is taken.
        """
        whole = combined(rows)
        at = max((row["at"] for row in whole), default=None)
        there = known or {}
        slim = [
            {"id": row["id"]} if _adds_nothing(row, there.get(row["id"])) else _timeless(row)
            for row in whole
        ]
        roots = dict((await tx.one(Q.entities.upsert, rows=slim, at=at))["roots"])
        gone = [_timeless(row) for row in whole if row["id"] not in roots]  # since it was read
        if gone:
            roots |= dict((await tx.one(Q.entities.upsert, rows=gone, at=at))["roots"])
        return roots

    async def link_mentions(
        self, tx: Tx, rows: Sequence[Row], seen: Container[str] | None = None
    ) -> None:
        """Rows as `mention_rows` makes them; `seen` are the episodes that may mention something
        already, all where it is not given."""
        new = [row for row in rows if seen is not None and row["episode"] not in seen]
        if new:
            await tx.rows(Q.entities.add_mentions, rows=new)
        if len(new) < len(rows):
            old = [row for row in rows if seen is None or row["episode"] in seen]
            await tx.rows(Q.entities.link_mentions, rows=old)

    async def unlink_mentions(self, tx: Tx, episodes: list[str]) -> list[Row]:
        """Forget what episodes mention; id and mention count of the entities concerned."""
        return await tx.rows(Q.entities.unlink_mentions, episodes=episodes)

    async def roots(self, tx: Tx, ids: list[str]) -> dict[str, str]:
        """The root of each entity, as this transaction sees it."""
        rows = await tx.rows(Q.entities.roots, ids=ids)
        return {row["id"]: row["root"] for row in rows}

    async def get(self, id: str, scopes: list[str], known_at: datetime) -> Row | None:
        return await self.graph.optional(
            Q.entities.get_entity, id=id, scopes=scopes, known_at=known_at
        )

    async def bearers(self, aliases: list[str], **page: Any) -> list[Row]:
        return await self.graph.rows(Q.entities.bearers, aliases=aliases, **page)

    async def page(self, prefix: str | None, **page: Any) -> list[Row]:
        if prefix is None:
            return await self.graph.rows(Q.entities.list_entities, **page)
        return await self.graph.rows(Q.entities.list_prefix, prefix=prefix, **page)

    async def hop(self, roots: list[str], **view: Any) -> list[Row]:
        return await self.graph.rows(Q.entities.hop, roots=roots, **view)


def combined(rows: Iterable[Row]) -> list[Row]:
    """One row an entity, by id: what several episodes of a transaction say of it, in one."""
    found: dict[str, Row] = {}
    for row in rows:
        before = found.get(row["id"])
        found[row["id"]] = _united(before, row) if before else row
    return [found[key] for key in sorted(found)]


def _united(one: Row, other: Row) -> Row:
    mine, theirs = one["entity"], other["entity"]
    both = {name: sorted({*mine[name], *theirs[name]}) for name in ("aliases", "keys", "marks")}
    names = {name["id"]: name for name in (*one["names"], *other["names"])}
    said = {"type": joint_type(mine["type"], theirs["type"]), **both}
    return {
        **other,
        "entity": {**theirs, **said, "canonical_name": display_name(both["aliases"])},
        "names": [names[key] for key in sorted(names)],
    }


def gaining(rows: Iterable[Row], known: Mapping[str, Known]) -> list[Row]:
    """The entities that some rows make, or to which they add a name, a mark or a type."""
    return [row["entity"] for row in combined(rows) if not _adds_nothing(row, known.get(row["id"]))]


def _timeless(row: Row) -> Row:
    """Without the moments that all rows share, which the query is given once."""
    kept = {k: v for k, v in row["entity"].items() if k not in {"ingested_at", "expired_at"}}
    return {"id": row["id"], "names": row["names"], "entity": kept}


def _adds_nothing(row: Row, known: Known | None) -> bool:
    entity = row["entity"]
    return (
        known is not None
        and joint_type(entity["type"], known.type) == known.type
        and known.aliases.issuperset(entity["aliases"])
        and known.marks.issuperset(entity["marks"])
        and set(known.keys).issuperset(entity["keys"])
    )


def mention_rows(episode: str, resolved: Iterable[Resolved]) -> dict[str, Any]:
    """One row of `link_mentions`: where an episode mentions what, each place once."""
    places: dict[tuple[str, int, int], str] = {}
    for answer in resolved:
        span = answer.mention.span
        places.setdefault((answer.entity_id, span.start, span.end), answer.mention.name)
    return {
        "episode": episode,
        "mentions": [
            {"entity": entity, "start": start, "end": end, "name": name}
            for (entity, start, end), name in sorted(places.items())
        ],
    }


def _known(row: Row) -> Known:
    canonical = row["canonical_key"]
    return Known(
        id=row["id"],
        root=row["root"],
        type=row["type"],
        keys=(canonical, *(key for key in row["keys"] if key != canonical)),
        aliases=frozenset(row["aliases"]),
        marks=frozenset(row["marks"]),
    )
