"""The five endpoints of seed 000 on a page's links, as its document has them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.kernel.caller import Caller, Role
from app.kernel.graph import Row
from app.kernel.wire import LARGEST
from app.pages.excerpt import around_link
from app.pages.mentions import MOST
from app.pages.neighbours import RELATED, RELATED_MOST, Neighbours
from app.pages.reading import PageReader
from app.pages.service import PageService

ADMIN = {"requires": Role.ADMIN}  # the seed's `admin.access`
BACKLINKS = 500  # the seed's answer has no pages
Most = Annotated[
    int, QueryParameter(ge=1, le=LARGEST, description="Most pages; more than 50 are 50.")
]


class Answer(msgspec.Struct, frozen=True):
    """What each of them answers."""

    success: bool
    data: dict[str, Any]


class AdminPageController(Controller):
    """Links of one page; an administrator of the page's scope may ask."""

    path = "/api/v1/admin/pages"
    tags = ("Pages",)

    @get("/{page_id:str}/backlinks", operation_id="adminBacklinks", opt=ADMIN)
    async def backlinks(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
    ) -> Answer:
        """Pages and articles that link to this page, the newest first: at most 500, with `cut`
        where there are more, which the backlinks of the page itself list."""
        await _required(page_reads, caller, page_id)
        rows = await page_reads.backlinks(caller.visible, page_id, None, BACKLINKS + 1)
        told: dict[str, Any] = {"backlinks": [_backlink(row) for row in rows[:BACKLINKS]]}
        return Answer(True, {**told, "cut": True} if len(rows) > BACKLINKS else told)

    @get("/{page_id:str}/unlinked_mentions", operation_id="adminUnlinkedMentions", opt=ADMIN)
    async def unlinked(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        page_neighbours: NamedDependency[Neighbours],
    ) -> Answer:
        """Pages that name this page in plain text only: at most 20, the newest first."""
        await _required(page_reads, caller, page_id)
        found = await page_neighbours.unlinked(caller, page_id, MOST)
        told = [
            {"id": m.page, "title": m.title, "slug": m.slug, "type": m.kind, "excerpt": m.excerpt}
            for m in found
        ]
        return Answer(True, {"unlinked_mentions": told})

    @get("/{page_id:str}/related_pages", operation_id="adminRelatedPages", opt=ADMIN)
    async def related(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        page_neighbours: NamedDependency[Neighbours],
        limit: Most = RELATED,
    ) -> Answer:
        """Pages that are like this one, each with its calibrated similarity, 0 to 1."""
        await _required(page_reads, caller, page_id)
        found = await page_neighbours.related(caller, page_id, min(limit, RELATED_MOST))
        texts = await page_neighbours.texts([r.page["id"] for r in found], caller.visible)
        told = [
            {**_entry(texts[r.page["id"]]), "similarity": r.similarity}
            for r in found
            if r.page["id"] in texts
        ]
        return Answer(True, {"related_pages": told})

    @post(
        "/{page_id:str}/extract_links",
        operation_id="adminExtractLinks",
        opt=ADMIN,
        status_code=HTTP_200_OK,
    )
    async def extract(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        paging: NamedDependency[PageService],
    ) -> Answer:
        """Read the links of a page anew; how many edges it has."""
        await _required(page_reads, caller, page_id)
        found = await paging.extract_links(caller, page_id)
        return Answer(True, {"links": len(found.edges), "pending": list(found.pending)})

    @post(
        "/{page_id:str}/generate_embedding",
        operation_id="adminGenerateEmbedding",
        opt=ADMIN,
        status_code=HTTP_200_OK,
    )
    async def embed(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        page_neighbours: NamedDependency[Neighbours],
    ) -> Answer:
        """Make the vectors of a page anew; how many passages have one."""
        await _required(page_reads, caller, page_id)
        return Answer(True, {"passages": await page_neighbours.reembed(caller, page_id)})


async def _required(page_reads: PageReader, caller: Caller, page: str) -> None:
    """NotFound where the page is not visible, Forbidden for who does not administer its scope."""
    stored = (await page_reads.page(caller.visible, page))["page"]
    caller.require(stored["scope"], Role.ADMIN)


def _backlink(row: Row) -> dict[str, Any]:
    shown = around_link(row["page"]["content"], row["texts"])
    return {**_entry(row["page"]), "excerpt": shown}


def _entry(page: Row) -> dict[str, Any]:
    return {
        "id": page["id"],
        "title": page["title"],
        "slug": page["slug"],
        "type": page["kind"],
        "excerpt": " ".join(page["content"][:240].split())[:200],
    }
