"""Values of the slice: drafts, changes, and what a caller is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

TITLE_LONGEST = 500  # characters
CONTENT_LONGEST = 2_000_000  # characters of one page
MOST_LINKS = 5_000  # different targets of one page


class PageKind(StrEnum):
    """A page belongs to its scope; an article is knowledge that narrower scopes link to first."""

    PAGE = "page"
    ARTICLE = "article"


@dataclass(frozen=True, slots=True)
class Draft:
    """A page to be written. None of `title`, `aliases` and `tags` means: as its front matter says.

    `path` is where it lies in a folder of Markdown; `crlf` and `bom` how that file writes its line
    ends and whether it begins with a byte order mark.
    """

    content: str
    title: str | None = None
    kind: PageKind = PageKind.PAGE
    scope: str | None = None
    personal: bool = False
    aliases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    path: str | None = None
    crlf: bool = False
    bom: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What of a page is set; None leaves a thing as it is. `version` must be the stored one."""

    content: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    version: int | None = None
    path: str | None = None
    crlf: bool | None = None
    bom: bool | None = None


@dataclass(frozen=True, slots=True)
class Redacted:
    """What the sanitising step did to a text: `[start, end)` of the text as it came, and why."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a page."""

    status: str  # stored, changed, unchanged, deleted, restored
    id: str
    scope: str
    version: int
    title: str
    slug: str
    links: int
    pending: tuple[str, ...]
    redactions: tuple[Redacted, ...] = ()
    markers: tuple[str, ...] = ()
    # Links to a former title, by page: what a rename offers to rewrite.
    offers: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a page is named without being linked."""

    page: str
    title: str
    slug: str
    kind: str
    scope: str
    excerpt: str
    start: int
    end: int
    updated_at: datetime
