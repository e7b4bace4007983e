"""Pages over HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, PathParameter, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from app.access.parameters import Limit, Within
from app.access.service import AccessService
from app.kernel.caller import Caller, Role
from app.kernel.wire import LARGEST
from app.pages import diff
from app.pages.neighbours import RELATED, RELATED_MOST, Neighbours
from app.pages.reading import DEEPEST, Chosen, PageReader
from app.pages.schemas import (
    LinkedOut,
    LinkedPageOut,
    LinkGraphOut,
    PageChangeIn,
    PageDiffOut,
    PageIn,
    PageLinksOut,
    PageMentionIn,
    PageOut,
    PageReceiptOut,
    PageRestoreIn,
    PagesOut,
    PageTitleIn,
    PageVersionOut,
    PageVersionsOut,
    RelatedOut,
    RelatedPagesOut,
    WaitingOut,
    WaitingPagesOut,
)
from app.pages.service import PageService
from app.scopes.service import ScopeService, own_leaf

Shelf = Annotated[
    Literal["personal", "shared"] | None,
    QueryParameter(description="The caller's own pages, or those of its workspace."),
]
Depth = Annotated[int, QueryParameter(ge=1, le=DEEPEST, description="Steps over links.")]
Likest = Annotated[int, QueryParameter(ge=1, le=RELATED_MOST, description="Most pages.")]
Version = Annotated[int | None, QueryParameter(ge=1, le=LARGEST, description="A version's number.")]


class PageController(Controller):
    """What people and agents write, and what links it."""

    path = "/v1/pages"
    tags = ("Pages",)

    @post(
        "/",
        operation_id="writePage",
        opt={"requires": Role.WRITER},
        status_code=HTTP_201_CREATED,
    )
    async def write(
        self,
        data: JSONBody[PageIn],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
        scoping: NamedDependency[ScopeService],
        access: NamedDependency[AccessService],
    ) -> PageReceiptOut:
        """Store a page; its links are read, and links that waited for it become links.

        A first `personal` page makes the caller's own scope.
        """
        draft = data.to_draft()
        if draft.personal and draft.scope is None and own_leaf(caller) not in caller.roles:
            caller = await scoping.with_own_leaf(caller)
            access.keys.forget()
        return PageReceiptOut.of(await paging.write(caller, draft))

    @get("/", operation_id="listPages", opt={"requires": Role.READER})
    async def list_pages(
        self,
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        within: Within = None,
        shelf: Shelf = None,
        kind: FromQuery[Literal["page", "article"] | None] = None,
        tag: FromQuery[str | None] = None,
        name: FromQuery[str | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> PagesOut:
        """Pages by id, without their texts; with `name` those that a link of that name may mean."""
        scopes = _shelved(caller, caller.among(within), shelf)
        if name is not None:
            chosen = Chosen(kind, tag, cursor or "", limit + 1)
            return _pages(await page_reads.named(scopes, caller.tenant, name, chosen), limit)
        rows = await page_reads.list_pages(scopes, kind, tag, cursor or "", limit + 1)
        return _pages(rows, limit)

    @get("/orphans", operation_id="listOrphanPages", opt={"requires": Role.READER})
    async def orphans(
        self,
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> PagesOut:
        """Pages that nothing links to and that link to nothing, by id."""
        scopes, seen = caller.among(within), caller.visible
        rows = await page_reads.orphans(scopes, seen, cursor or "", limit + 1)
        return _pages(rows, limit)

    @get("/pending", operation_id="listPendingLinks", opt={"requires": Role.READER})
    async def pending(
        self,
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> WaitingPagesOut:
        """Pages with links that no page bears yet, by id."""
        rows = await page_reads.waiting(caller.among(within), cursor or "", limit + 1)
        items = [WaitingOut.of(row) for row in rows[:limit]]
        return WaitingPagesOut(items, items[-1].id if len(rows) > limit else None)

    @get("/{page_id:str}", operation_id="getPage", opt={"requires": Role.READER})
    async def read(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
    ) -> PageOut:
        """One page with its text."""
        return PageOut.of(await page_reads.page(caller.visible, page_id))

    @patch("/{page_id:str}", operation_id="changePage", opt={"requires": Role.WRITER})
    async def change(
        self,
        page_id: FromPath[str],
        data: JSONBody[PageChangeIn],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
    ) -> PageReceiptOut:
        """Set parts of a page; what changes makes a version, and links and facts follow."""
        return PageReceiptOut.of(await paging.change(caller, page_id, data.to_change()))

    @delete(
        "/{page_id:str}",
        operation_id="deletePage",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
    ) -> None:
        """Hide a page; it can be restored, and links to it wait meanwhile."""
        await paging.delete(caller, page_id)

    @post(
        "/{page_id:str}/restore",
        operation_id="restorePage",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def restore(
        self,
        page_id: FromPath[str],
        data: JSONBody[PageRestoreIn],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
    ) -> PageReceiptOut:
        """Bring back a deleted page, or a former text as a new version."""
        return PageReceiptOut.of(await paging.restore(caller, page_id, data.version))

    @post(
        "/{page_id:str}/rename",
        operation_id="renamePage",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def rename(
        self,
        page_id: FromPath[str],
        data: JSONBody[PageTitleIn],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
    ) -> PageReceiptOut:
        """Another title; links to the old one stay, and texts are rewritten where asked."""
        return PageReceiptOut.of(
            await paging.rename(caller, page_id, data.title, rewrite=data.rewrite)
        )

    @get("/{page_id:str}/versions", operation_id="listPageVersions", opt={"requires": Role.READER})
    async def versions(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
    ) -> PageVersionsOut:
        """The texts that a page had before, newest first."""
        await page_reads.page(caller.visible, page_id)
        rows = await page_reads.versions(caller.visible, page_id)
        return PageVersionsOut([PageVersionOut.of(row) for row in rows])

    @get(
        "/{page_id:str}/versions/{version:int}",
        operation_id="getPageVersion",
        opt={"requires": Role.READER},
    )
    async def version(
        self,
        page_id: FromPath[str],
        version: Annotated[int, PathParameter(ge=1, le=LARGEST)],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
    ) -> PageVersionOut:
        """A page as it was at one version."""
        return PageVersionOut.of(await paging.version(caller, page_id, version))

    @get("/{page_id:str}/diff", operation_id="diffPage", opt={"requires": Role.READER})
    async def diff(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        paging: NamedDependency[PageService],
        old: Version = None,
        new: Version = None,
    ) -> PageDiffOut:
        """What differs between two versions: the present one and the one before, if unset."""
        stored = (await paging.read(caller, page_id))["page"]
        second = new or stored["version"]
        first = old or max(second - 1, 1)
        before = await paging.version(caller, page_id, first)
        after = await paging.version(caller, page_id, second)
        names = (f"version {first}", f"version {second}")
        told = await asyncio.to_thread(diff.unified, before["content"], after["content"], names)
        return PageDiffOut(first, second, {"diff": told})

    @get("/{page_id:str}/backlinks", operation_id="listBacklinks", opt={"requires": Role.READER})
    async def backlinks(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        cursor: FromQuery[str | None] = None,
        limit: Limit = 20,
    ) -> LinkedPageOut:
        """Pages that link to this one, the newest first, with the words around the link."""
        await page_reads.page(caller.visible, page_id)
        rows = await page_reads.backlinks(caller.visible, page_id, cursor, limit + 1)
        return LinkedPageOut.of(rows, limit)

    @get("/{page_id:str}/links", operation_id="listPageLinks", opt={"requires": Role.READER})
    async def links(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
    ) -> PageLinksOut:
        """What this page links to, and what its links wait for."""
        page = (await page_reads.page(caller.visible, page_id))["page"]
        rows = await page_reads.outgoing(caller.visible, page_id)
        return PageLinksOut(
            [LinkedOut.outgoing(row) for row in rows], {"pending": list(page["pending"])}
        )

    @get("/{page_id:str}/graph", operation_id="getLinkGraph", opt={"requires": Role.READER})
    async def graph(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_reads: NamedDependency[PageReader],
        depth: Depth = 1,
    ) -> LinkGraphOut:
        """What can be reached from a page over links in either direction."""
        return LinkGraphOut.of(await page_reads.link_graph(caller.visible, page_id, depth))

    @get(
        "/{page_id:str}/unlinked-mentions",
        operation_id="listUnlinkedMentions",
        opt={"requires": Role.READER},
    )
    async def unlinked(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_neighbours: NamedDependency[Neighbours],
    ) -> LinkedPageOut:
        """Pages that name this one without linking it: at most 20, the newest first."""
        found = await page_neighbours.unlinked(caller, page_id)
        return LinkedPageOut([LinkedOut.mentioning(mention) for mention in found], None)

    @post(
        "/{page_id:str}/unlinked-mentions",
        operation_id="linkMentions",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def link_mentions(
        self,
        page_id: FromPath[str],
        data: JSONBody[PageMentionIn],
        caller: NamedDependency[Caller],
        page_neighbours: NamedDependency[Neighbours],
    ) -> PageReceiptOut:
        """Make links of all mentions of this page in another page's text."""
        return PageReceiptOut.of(await page_neighbours.link(caller, page_id, data.source))

    @get("/{page_id:str}/related", operation_id="listRelatedPages", opt={"requires": Role.READER})
    async def related(
        self,
        page_id: FromPath[str],
        caller: NamedDependency[Caller],
        page_neighbours: NamedDependency[Neighbours],
        limit: Likest = RELATED,
    ) -> RelatedPagesOut:
        """Pages that are like this one by their vectors, the likest first."""
        found = await page_neighbours.related(caller, page_id, limit)
        return RelatedPagesOut([RelatedOut.of(each) for each in found])


def _pages(rows: list[dict[str, object]], limit: int) -> PagesOut:
    items = [PageOut.of(row) for row in rows[:limit]]
    return PagesOut(items, items[-1].id if len(rows) > limit else None)


def _shelved(caller: Caller, scopes: list[str], shelf: str | None) -> list[str]:
    """The scopes of one shelf: the caller's own, or those that are nobody's own."""
    if shelf is None:
        return scopes
    if shelf == "personal":
        return [scope for scope in scopes if scope == own_leaf(caller)]
    return [scope for scope in scopes if ":" not in scope.rpartition("/")[2]]
