"""What is around a page: what links to it, what it links to, the graph of links, what is alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from app.errors import NotFound
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.paging import decode
from app.pages.naming import name_id

DEEPEST = 3  # steps of the link graph
MOST_NODES = 300  # of one link graph
MOST_NAMED = 500  # pages of one name
_EDGES = 20  # links of a step that are read for each node that may be told
_KINDS = {"Entity": "entity", "Skill": "skill", "Principal": "agent"}  # pages say it themselves


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which of the pages that go by a name: of a kind, with a tag, after an id, at most so many."""

    kind: str | None = None
    tag: str | None = None
    after: str = ""
    limit: int = MOST_NAMED


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a link graph, `depth` steps from where it begins."""

    id: str
    title: str
    kind: str
    slug: str | None
    depth: int


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Nodes in the order of their distance, edges from the linking to the linked; `cut` tells that
    there was more than fits."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    cut: bool


class PageReader:
    """Reads; the scopes that the caller sees are an argument of each."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def page(self, scopes: list[str], page: str) -> Row:
        """One live page; NotFound where absent, deleted or not visible."""
        rows = await self.graph.rows(Q.pages.get, ids=[page], scopes=scopes)
        if not rows or not rows[0]["page"]["live"]:
            raise NotFound(f"there is no page {page}")
        return rows[0]

    async def named(
        self, scopes: list[str], tenant: str, name: str, chosen: Chosen | None = None
    ) -> list[Row]:
        """Pages that go by a name, by id: title, slug, alias, path, former title or id."""
        return await self.bearing(scopes, tenant, [name], chosen)

    async def bearing(
        self, scopes: list[str], tenant: str, names: Iterable[str], chosen: Chosen | None = None
    ) -> list[Row]:
        """Pages that go by any of these names, by id."""
        which = chosen or Chosen()
        rows = await self.graph.rows(
            Q.pages.by_name,
            names=sorted({name_id(tenant, name) for name in names}),
            scopes=scopes,
            kind=which.kind,
            tag=which.tag,
            after=which.after,
            limit=which.limit,
        )
        return [row["page"] for row in rows]

    async def backlinks(
        self, scopes: list[str], page: str, cursor: str | None, limit: int
    ) -> list[Row]:
        """Pages that link to this one with their texts, the newest first; InvalidInput for a cursor
        that is none."""
        at, identifier = _after(cursor)
        return await self.graph.rows(
            Q.pages.backlinks,
            id=page,
            scopes=scopes,
            after_at=at,
            after_id=identifier,
            limit=limit,
        )

    async def naming(
        self, scopes: list[str], ids: list[str], cursor: str | None, limit: int
    ) -> list[Row]:
        """The same for entities and skills: pages that link to any of them."""
        at, identifier = _after(cursor)
        return await self.graph.rows(
            Q.pages.naming,
            ids=ids,
            scopes=scopes,
            after_at=at,
            after_id=identifier,
            limit=limit,
        )

    async def skill(self, scopes: list[str], skill: str) -> None:
        """NotFound where there is no such skill, or it is not visible."""
        if await self.graph.optional(Q.pages.linked_skill, id=skill, scopes=scopes) is None:
            raise NotFound(f"there is no skill {skill}")

    async def outgoing(self, scopes: list[str], page: str) -> list[Row]:
        """What a page links to, as far as it is visible, by title."""
        rows = await self.graph.rows(Q.pages.outgoing, id=page, scopes=scopes)
        return [{**row, "kind": kind_of(row)} for row in rows]

    async def link_graph(
        self, scopes: list[str], page: str, depth: int, most: int = MOST_NODES
    ) -> LinkGraph:
        """What can be reached from a page over links in either direction, breadth first.

        Walks on from pages only: what is no page would join everything that names it. `most` bounds
        the nodes.
        """
        start = (await self.page(scopes, page))["page"]
        first = Node(page, start["title"], start["kind"], start["slug"], 0)
        nodes, edges, frontier = {page: first}, dict[tuple[str, str], None](), [page]
        cut = False
        for step in range(1, depth + 1):
            read = _EDGES * most
            rows = await self.graph.rows(
                Q.pages.around, ids=frontier, scopes=scopes, limit=read + 1
            )
            cut = cut or len(rows) > read
            fresh: list[str] = []
            for row in rows[:read]:
                if row["id"] not in nodes and len(nodes) >= most:
                    cut = True
                    continue
                if row["id"] not in nodes:
                    kind = kind_of(row)
                    nodes[row["id"]] = Node(row["id"], row["title"], kind, row["slug"], step)
                    fresh += [row["id"]] if kind in ("page", "article") else []
                edges[row["source"], row["target"]] = None
            frontier = fresh
            if not frontier:
                break
        return LinkGraph(tuple(nodes.values()), tuple(edges), cut)

    async def versions(self, scopes: list[str], page: str) -> list[Row]:
        """The texts that a page had before, newest first."""
        rows = await self.graph.rows(Q.pages.versions, id=page, scopes=scopes)
        return [row["version"] for row in rows]

    async def list_pages(
        self, scopes: list[str], kind: str | None, tag: str | None, after: str, limit: int
    ) -> list[Row]:  # fmt: skip
        """Live pages by id, without their texts."""
        rows = await self.graph.rows(
            Q.pages.list_pages, scopes=scopes, kind=kind, tag=tag, after=after, limit=limit
        )
        return [row["page"] for row in rows]

    async def orphans(
        self, scopes: list[str], seen: list[str], after: str, limit: int
    ) -> list[Row]:
        """Live pages of scopes without any link, out of them or to them from what is seen, by
        id."""
        rows = await self.graph.rows(
            Q.pages.orphans, scopes=scopes, seen=seen, after=after, limit=limit
        )
        return [row["page"] for row in rows]

    async def waiting(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        """Live pages with links that nothing bears yet, by id."""
        return await self.graph.rows(Q.pages.waiting, scopes=scopes, after=after, limit=limit)


def _after(cursor: str | None) -> tuple[datetime, str]:
    """Where a list goes on; InvalidInput for a cursor that is none."""
    at, identifier = decode(cursor) if cursor else (FOREVER, "")
    return at.astimezone(UTC), identifier


def kind_of(row: Row) -> str:
    """What a linked node is, by its labels."""
    if row.get("kind") in ("page", "article"):
        return str(row["kind"])
    return next((kind for label, kind in _KINDS.items() if label in row["labels"]), "other")
