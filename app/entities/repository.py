"""Entities in the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.entities.model import Context, Known, Resolved, alias_id
from app.entities.resolve import resolve
from app.extraction.model import Mention
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope

SESSION_DEPTH = 20  # episodes of a session that decide between homonyms


class EntityRepository:
    """One method a query; what belongs into another's transaction takes it as an argument."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def known(
        self, scope: str, keys: Iterable[str], tx: Tx | None = None
    ) -> dict[str, list[Known]]:
        """The bearers of each key that has any, in the order of their ids."""
        aliases = [alias_id(scope, key) for key in sorted(set(keys))]
        rows = await (tx or self.graph).rows(Q.entities.known, aliases=aliases, scope=scope)
        found: dict[str, list[Known]] = {}
        for row in rows:
            found.setdefault(row["key"], []).append(_known(row))
        return {key: sorted(bearers, key=lambda k: k.id) for key, bearers in found.items()}

    def resolve(
        self,
        mentions: Sequence[Mention],
        known: Mapping[str, Sequence[Known]],
        scope: str,
        context: Context,
    ) -> list[Resolved]:
        """The entity of each mention of one episode; see `app.entities.resolve`."""
        return resolve(mentions, known, scope, context)

    async def upsert(self, tx: Tx, rows: Iterable[Row]) -> list[Row]:
        """Write and lock entities; id, root, type, marks and name of each as they are now."""
        return await tx.rows(Q.entities.upsert, rows=combined(rows))

    async def link_mentions(self, tx: Tx, rows: list[Row]) -> None:
        """Rows as `mention_rows` makes them."""
        await tx.rows(Q.entities.link_mentions, rows=rows)

    async def unlink_mentions(self, tx: Tx, episodes: list[str]) -> list[Row]:
        """Forget what episodes mention; id and mention count of the entities concerned."""
        return await tx.rows(Q.entities.unlink_mentions, episodes=episodes)

    async def group_name(self, scope: str) -> str | None:
        """What "we" is called there."""
        path = parse_scope(scope)
        paths = [str(step) for step in (path, *path.ancestors)]
        row = await self.graph.optional(Q.entities.group_name, paths=paths)
        return row["name"] if row else None

    async def mentioned(
        self, episodes: list[str], tx: Tx | None = None
    ) -> dict[str, dict[tuple[int, int], str]]:
        """What episodes mention already, by episode and span: a `Context.before` each."""
        rows = await (tx or self.graph).rows(Q.entities.mentioned, episodes=episodes)
        found: dict[str, dict[tuple[int, int], str]] = {}
        for row in rows:
            found.setdefault(row["episode"], {})[row["start"], row["end"]] = row["id"]
        return found

    async def roots(self, tx: Tx, ids: list[str]) -> dict[str, str]:
        """The root of each entity, as this transaction sees it."""
        rows = await tx.rows(Q.entities.roots, ids=ids)
        return {row["id"]: row["root"] for row in rows}

    async def near(self, scope: str, session: str) -> frozenset[str]:
        """Roots of what a session has spoken of lately."""
        rows = await self.graph.rows(
            Q.entities.near, session=session, scope=scope, limit=SESSION_DEPTH
        )
        return frozenset(row["root"] for row in rows)

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
    """One row an entity, by id: of one transaction's episodes the later row covers the earlier."""
    found: dict[str, Row] = {}
    for row in rows:
        before = found.get(row["id"])
        names = {name["id"]: name for name in [*(before["names"] if before else ()), *row["names"]]}
        found[row["id"]] = {**row, "names": [names[key] for key in sorted(names)]}
    return [found[key] for key in sorted(found)]


def mention_rows(episode: str, resolved: Iterable[Resolved]) -> dict[str, Any]:
    """One row of `link_mentions`: where an episode mentions what."""
    mentions = [
        {
            "entity": answer.entity_id,
            "start": answer.mention.span.start,
            "end": answer.mention.span.end,
            "name": answer.mention.name,
        }
        for answer in resolved
    ]
    return {
        "episode": episode,
        "mentions": sorted(mentions, key=lambda m: (m["entity"], m["start"], m["end"])),
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
        companions=frozenset(row["companions"]),
    )
