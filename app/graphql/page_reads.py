"""The fields of `Query` about pages: lists, what lies around a page, and what is like it."""

from __future__ import annotations

from typing import Any

from app.graphql.connection import joined
from app.graphql.cursors import by_id
from app.graphql.doors import Context, Read
from app.graphql.listing import given, listed, number_of, one_of, scopes_of
from app.graphql.loading import FIRST_MOST, Asked, Listing
from app.graphql.relations import PAGE
from app.graphql.seen import Seen, within
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.pages.neighbours import RELATED, RELATED_MOST
from app.pages.reading import DEEPEST, Chosen
from app.pages.schemas import LinkedOut, LinkGraphOut, PageOut, RelatedOut, WaitingOut

PAGES = Listing(query=Q.graphql.pages, show=PageOut.of, order=by_id("page", "id"))
ORPHANS = Listing(query=Q.pages.orphans, show=PageOut.of, order=PAGES.order)
PENDING = Listing(query=Q.pages.waiting, show=WaitingOut.of, order=by_id("id"))


async def pages(context: Context, asked: Asked) -> Any:
    """Pages by id; with a name those that a link of that name may mean."""
    scopes, name = scopes_of(context, asked), asked.args.get("name")
    if name is None:
        return await listed(context, PAGES, asked, scopes)
    kind, tag, after = (asked.args.get(key) for key in ("kind", "tag", "after"))
    chosen = Chosen(kind, tag, after or "", asked.first + 1)
    rows = await context.doors.page_reads.named(scopes, context.caller.tenant, name, chosen)
    return await _whole(context, rows, asked)


async def _whole(context: Context, rows: list[Row], asked: Asked) -> dict[str, Any]:
    """Pages with their texts, which such lists leave out; one more was read where there is one."""
    ids = [row["id"] for row in rows[: asked.first]]
    found = await context.loading.many(PAGE, ids, asked.moments)
    pairs = [(key, page) for key, page in zip(ids, found, strict=True) if page is not None]
    return joined(pairs, asked, more=len(rows) > asked.first)


async def orphans(context: Context, asked: Asked) -> Any:
    """Pages that nothing links to and that link to nothing, by id."""
    scopes, asked = scopes_of(context, asked), given(asked, seen=context.caller.visible)
    params = asked.values(ORPHANS.query, ORPHANS.order)
    rows = await context.doors.graph.rows(ORPHANS.query, scopes=scopes, **params)
    return await _whole(context, [row["page"] for row in rows], asked)


async def pending(context: Context, asked: Asked) -> Any:
    """Pages with links that no page bears yet, by id."""
    return await listed(context, PENDING, asked, scopes_of(context, asked))


async def related(context: Context, asked: Asked) -> Any:
    """Pages that are like a page, the likest first; InvalidInput for more than there can be."""
    first = number_of(asked, "first", RELATED, RELATED_MOST)
    near = context.doors.page_neighbours
    found = await near.related(context.caller, asked.args["page"], first)
    return within([RelatedOut.of(each) for each in found], asked.moments)


async def unlinked(context: Context, asked: Asked) -> Any:
    """Pages that name a page without linking it, the newest first."""
    found = await context.doors.page_neighbours.unlinked(context.caller, asked.args["page"])
    return within([LinkedOut.mentioning(each) for each in found], asked.moments)


async def link_graph(context: Context, asked: Asked) -> Seen:
    """Pages around a page; InvalidInput for a depth that there is not."""
    page, depth = asked.args["page"], number_of(asked, "depth", 1, DEEPEST)
    most = asked.args.get("first") or FIRST_MOST
    found = await context.doors.page_reads.link_graph(context.caller.visible, page, depth, most)
    told = LinkGraphOut.of(found)
    edges = [{"source": source, "target": target} for source, target in told.edges]
    return Seen({"nodes": told.nodes, "edges": edges, "cut": told.cut}, asked.moments)


PAGE_READS: dict[str, Read] = {
    "page": one_of(PAGE),
    "pages": pages,
    "orphanPages": orphans,
    "pendingPages": pending,
    "relatedPages": related,
    "unlinkedMentions": unlinked,
    "linkGraph": link_graph,
}
