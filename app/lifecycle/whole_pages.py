"""Pages and documents under an erasure: one whose passage goes is erased whole.

A page's text stands in the page and its versions as well as in its passages, and the passages of a
document repeat each other, so that nothing less would keep what was erased from being found again.

An author's former texts of pages that are somebody else's by now go by themselves, and the page
stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.errors import GraphUnavailable
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest
from app.lifecycle.closure import Reader, close_over
from app.lifecycle.model import Closure, Removed, tombstone_id
from app.pages.linking import settle_pages


async def close_with_pages(
    reader: Reader, ids: Iterable[str], *, sources: bool
) -> tuple[list[str], Closure, list[Row]]:
    """The closure of some memories and of every page that it touches: the ids that it now begins
    with, the closure, and the pages."""
    named = sorted(set(ids))
    while True:
        closure = await close_over(reader, named, sources=sources)
        pages = await pages_of(reader, [*named, *closure.episodes])
        passages = {chunk for page in pages for chunk in page["chunks"]}
        if passages <= closure.episodes.keys():
            return named, closure, pages
        named = sorted({*named, *passages})


async def pages_of(reader: Reader, ids: Iterable[str]) -> list[Row]:
    """The pages and documents among some ids, and those that some passages are part of, with all
    passages."""
    return await reader.rows(Q.lifecycle.pages_of, ids=sorted(set(ids)))


async def erase_pages(tx: Tx, pages: Sequence[Row], receipt: Row) -> Row:
    """Take pages out with their versions, and let links to them wait; counts by kind.

    Their passages are gone already; GraphUnavailable, so that it is tried again, where one was
    added meanwhile.
    """
    ids = [page["id"] for page in pages]
    left = await pages_of(tx, ids)
    if any(page["chunks"] for page in left):
        raise GraphUnavailable("a page was written while it was erased")
    linking = await tx.rows(Q.lifecycle.linking_pages, ids=ids)
    counts = await tx.one(Q.lifecycle.drop_pages, ids=ids, at=now())
    await tx.rows(Q.lifecycle.bury, rows=[_tombstone(page, receipt) for page in ids])
    await settle_pages(tx, receipt["tenant"], [row["id"] for row in linking], now())
    return counts


async def erase_page_versions(tx: Tx, scope: str, author: str, most: int, removed: Removed) -> int:
    """Take former texts out that somebody wrote of pages of a scope, `most` at a time; how many.

    What names them is counted in `removed`: their hashes and pages, but not their ids, of which one
    is the start of others' (`…~v1`, `…~v10`).
    """
    rows = await tx.rows(
        Q.erasure.page_versions_by, scope=scope, author=author, texts=True, limit=most
    )
    if rows:
        removed.add(await tx.one(Q.erasure.drop_page_versions, ids=[row["id"] for row in rows]))
        removed.hashes += [f"page_versions:{digest(row['content'])}" for row in rows]
        removed.ids += sorted({row["page"] for row in rows})
        removed.scopes.add(scope)
    return len(rows)


def _tombstone(page: str, receipt: Row) -> Row:
    return {
        "id": tombstone_id(page),
        "tenant": receipt["tenant"],
        "receipt": receipt["id"],
        "created_at": receipt["at"],
    }
