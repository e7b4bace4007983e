"""Wire types of pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.paging import encode
from app.kernel.wire import LARGEST, ShortText, TagName, Title, WireModel
from app.pages.excerpt import around_link
from app.pages.model import CONTENT_LONGEST, Change, Draft, Mention, PageKind, Receipt
from app.pages.neighbours import Related
from app.pages.reading import LinkGraph
from app.pages.record import PATH_LONGEST

Markdown = Annotated[str, StringConstraints(min_length=1, max_length=CONTENT_LONGEST)]
FilePath = Annotated[str, StringConstraints(min_length=1, max_length=PATH_LONGEST)]
Aliases = Annotated[tuple[ShortText, ...], Field(max_length=64)]
Tags = Annotated[tuple[TagName, ...], Field(max_length=32)]


class PageIn(WireModel):
    """A page to be written. What is left out follows the front matter of the text."""

    content: Markdown = Field(description="Markdown; front matter and wikilinks are read.")
    title: Title | None = Field(None, description="As its front matter says if unset.")
    kind: Literal["page", "article"] = Field("page", description="An article is linked to first.")
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    personal: bool = Field(False, description="Write to the caller's own scope instead.")
    aliases: Aliases | None = Field(None, description="Further names of the page.")
    tags: Tags | None = Field(None, description="Labels to filter by.")
    path: FilePath | None = Field(None, description="Where it lies in a folder of Markdown.")

    def to_draft(self) -> Draft:
        """The draft that this describes."""
        named = self.model_dump(exclude={"kind"})
        return Draft(kind=PageKind(self.kind), **named)


class PageChangeIn(WireModel):
    """What of a page is set; what is left out stays, or follows the front matter of the text."""

    content: Markdown | None = None
    title: Title | None = None
    aliases: Aliases | None = None
    tags: Tags | None = None
    path: FilePath | None = Field(None, description="Where it lies in a folder of Markdown.")
    version: Annotated[int, Field(ge=1, le=LARGEST)] | None = Field(
        None, description="The version that the change was made on."
    )

    def to_change(self) -> Change:
        """The change that this describes."""
        return Change(**self.model_dump())


class PageTitleIn(WireModel):
    """Another title of a page."""

    title: Title
    rewrite: bool = Field(False, description="Write it into the links of other pages, too.")


class PageRestoreIn(WireModel):
    """What to bring back: a version's text, or a deleted page as it was."""

    version: Annotated[int, Field(ge=1, le=LARGEST)] | None = None


class PageMentionIn(WireModel):
    """Whose mentions become links."""

    source: ShortText = Field(description="Id of the page whose text names this one.")


class RedactedOut(msgspec.Struct, frozen=True):
    """What was taken out of a text: a range of it as it came, and the class of what was there."""

    start: int
    end: int
    kind: str


class PageReceiptOut(msgspec.Struct, frozen=True):
    """What became of a page. `offers` are pages whose links still write a former title."""

    status: Literal["stored", "changed", "unchanged", "deleted", "restored"]
    id: str
    scope: str
    version: int
    slug: str
    links: int
    redactions: list[RedactedOut]
    markers: list[str]
    offers: list[str]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, receipt: Receipt) -> PageReceiptOut:
        """The wire form of a receipt."""
        return cls(
            status=receipt.status,  # type: ignore[arg-type]
            id=receipt.id,
            scope=receipt.scope,
            version=receipt.version,
            slug=receipt.slug,
            links=receipt.links,
            redactions=[RedactedOut(r.start, r.end, r.kind) for r in receipt.redactions],
            markers=list(receipt.markers),
            offers=list(receipt.offers),
            untrusted={"title": receipt.title, "pending": list(receipt.pending)},
        )


class PageOut(msgspec.Struct, frozen=True):
    """One page; `untrusted` holds what people or models wrote, `node` what seed 000's graph says of
    it. `backlinks` and `references` count links that lead somewhere, not pending ones; null in
    lists."""

    id: str
    scope: str
    kind: str
    slug: str
    personal: bool
    version: int
    author: str
    updated_by: str
    ingested_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    content_hash: str
    backlinks: int | None
    references: int | None
    node: dict[str, Any]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> PageOut:
        """The wire form of a row of `pages.get`, or of a page alone."""
        page = row.get("page", row)
        shown = ("title", "aliases", "tags", "path", "pending", "content")
        return cls(
            **{name: page[name] for name in _PLAIN},
            personal=":" in page["scope"].rpartition("/")[2],
            deleted_at=open_end(page["expired_at"]),
            backlinks=row.get("backlinks"),
            references=row.get("references"),
            node=node(page, row.get("backlinks")),
            untrusted={name: page.get(name) for name in shown if page.get(name) is not None},
        )


_PLAIN = (
    "id", "scope", "kind", "slug", "version", "author", "updated_by", "ingested_at", "updated_at",
    "content_hash",
)  # fmt: skip


def node(page: Row, mentions: int | None) -> dict[str, Any]:
    """A page as a node of the knowledge graph, with the fields of seed 000; `mention_count` is null
    where links were not counted, as in lists."""
    return {
        "node_type": "entity",
        "entity_type": page["kind"],
        "name": page["title"],
        "status": "active" if page["live"] else "deleted",
        "confidence": 1.0,
        "mention_count": mentions,
        "metadata": {
            "content_type": page["kind"],
            "content_id": page["id"],
            "slug": page["slug"],
        },
    }


class PagesOut(msgspec.Struct, frozen=True):
    """A list of pages without their texts; `next` continues it."""

    items: list[PageOut]
    next: str | None


class PageVersionOut(msgspec.Struct, frozen=True):
    """A text that a page had before, or has; `retracted_at` is null for the latter."""

    version: int
    author: str
    recorded_at: datetime
    retracted_at: datetime | None
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> PageVersionOut:
        """The wire form of a former text, or of the page itself."""
        return cls(
            version=row["version"],
            author=row.get("updated_by") or row["author"],
            recorded_at=row.get("recorded_at") or row["updated_at"],
            retracted_at=row.get("retracted_at"),
            untrusted={name: row[name] for name in ("title", "content", "aliases", "tags")},
        )


class PageVersionsOut(msgspec.Struct, frozen=True):
    """The texts that a page had before, newest first."""

    items: list[PageVersionOut]


class PageDiffOut(msgspec.Struct, frozen=True):
    """What differs between two versions of a page, as a unified diff."""

    old: int
    new: int
    untrusted: dict[str, str]


class LinkedOut(msgspec.Struct, frozen=True):
    """One end of a link with the links behind it; an excerpt where the text is the other end's."""

    id: str
    kind: str
    slug: str | None
    untrusted: dict[str, Any]

    @classmethod
    def backlink(cls, row: Row) -> LinkedOut:
        """A page that links here, with the words around its first link."""
        page = row["page"]
        return cls(
            id=page["id"],
            kind=page["kind"],
            slug=page["slug"],
            untrusted={
                "title": page["title"],
                "texts": row["texts"],
                "headings": row["headings"],
                "excerpt": around_link(page["content"], row["texts"]),
            },
        )

    @classmethod
    def outgoing(cls, row: Row) -> LinkedOut:
        """What a page links to."""
        shown = {"title": row["title"], "texts": row["texts"], "headings": row["headings"]}
        return cls(id=row["id"], kind=row["kind"], slug=row["slug"], untrusted=shown)

    @classmethod
    def mentioning(cls, mention: Mention) -> LinkedOut:
        """A page that names this one without linking it."""
        shown = {"title": mention.title, "excerpt": mention.excerpt}
        return cls(id=mention.page, kind=mention.kind, slug=mention.slug, untrusted=shown)


class LinkedPageOut(msgspec.Struct, frozen=True):
    """Ends of links; `next` continues the list."""

    items: list[LinkedOut]
    next: str | None

    @classmethod
    def of(cls, rows: list[Row], limit: int) -> LinkedPageOut:
        """The first so many rows of `pages.backlinks`, newest first, where one more was read."""
        more = len(rows) > limit
        last = rows[limit - 1]["page"] if more else {}
        following = encode(last["updated_at"], last["id"]) if more else None
        return cls([LinkedOut.backlink(row) for row in rows[:limit]], following)


class PageLinksOut(msgspec.Struct, frozen=True):
    """What a page links to; `untrusted.pending` are targets that nothing bears yet."""

    items: list[LinkedOut]
    untrusted: dict[str, list[str]]


class RelatedOut(msgspec.Struct, frozen=True):
    """A page that is like another; `similarity` is calibrated, 0 to 1."""

    id: str
    kind: str
    slug: str
    similarity: float
    untrusted: dict[str, str]

    @classmethod
    def of(cls, related: Related) -> RelatedOut:
        """The wire form of a related page."""
        page = related.page
        named = {name: page[name] for name in ("id", "kind", "slug")}
        return cls(**named, similarity=related.similarity, untrusted={"title": page["title"]})


class RelatedPagesOut(msgspec.Struct, frozen=True):
    """Pages that are like another, the likest first; none while there are no vectors."""

    items: list[RelatedOut]


class GraphNodeOut(msgspec.Struct, frozen=True):
    """One node of a link graph, `depth` steps from its page."""

    id: str
    kind: str
    slug: str | None
    depth: int
    untrusted: dict[str, str]


class LinkGraphOut(msgspec.Struct, frozen=True):
    """Pages around a page, and the links between them, each from the linking to the linked page.
    `cut` tells that there was more than fits."""

    nodes: list[GraphNodeOut]
    edges: list[tuple[str, str]]
    cut: bool

    @classmethod
    def of(cls, found: LinkGraph) -> LinkGraphOut:
        """The wire form of a link graph."""
        nodes = [
            GraphNodeOut(n.id, n.kind, n.slug, n.depth, {"title": n.title}) for n in found.nodes
        ]
        return cls(nodes, list(found.edges), found.cut)


class WaitingOut(msgspec.Struct, frozen=True):
    """A page with links that nothing bears yet."""

    id: str
    scope: str
    slug: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> WaitingOut:
        """The wire form of a row of `pages.waiting`."""
        told = {name: row[name] for name in ("title", "pending")}
        return cls(row["id"], row["scope"], row["slug"], told)


class WaitingPagesOut(msgspec.Struct, frozen=True):
    """Pages with pending links; `next` continues the list."""

    items: list[WaitingOut]
    next: str | None
