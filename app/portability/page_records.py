"""What a line says of a page."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.kernel.fields import Id, Path, Positive
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.pages.model import CONTENT_LONGEST, TITLE_LONGEST
from app.portability.records import StatsRecord

Content = Annotated[str, StringConstraints(min_length=1, max_length=CONTENT_LONGEST)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=TITLE_LONGEST)]
Slug = Annotated[str, StringConstraints(pattern=r"^\S+$", max_length=TITLE_LONGEST + 40)]


class PageVersionRecord(WireModel):
    """A text that a page had before."""

    version: Positive
    title: Title
    content: Content
    aliases: tuple[Title, ...] = ()
    tags: tuple[TagName, ...] = ()
    author: ShortText | None = None
    recorded_at: Moment
    retracted_at: Moment


class PassageRecord(WireModel):
    """What does not follow from the text of a page about one of its passages."""

    id: Id
    role: Literal["user", "assistant", "tool"] = "user"
    author: ShortText
    captured_at: Moment
    ingested_at: Moment
    expired_at: Moment | None = None
    stats: StatsRecord | None = None


class PageRecord(WireModel):
    """A page or an article with its former texts; links and passages follow from the text."""

    id: Id
    scope: Path
    kind: Literal["page", "article"] = "page"
    title: Title
    slug: Slug | None = Field(
        None, description="Its own slug, where that does not follow from its title."
    )
    content: Content
    aliases: tuple[Title, ...] = ()
    formers: tuple[Title, ...] = ()
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    path: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    crlf: bool = False
    bom: bool = False
    version: Positive = 1
    author: ShortText | None = None
    updated_by: ShortText | None = None
    ingested_at: Moment | None = None
    updated_at: Moment | None = None
    expired_at: Moment | None = None
    markers: tuple[ShortText, ...] = ()
    pii: tuple[ShortText, ...] = ()
    versions: tuple[PageVersionRecord, ...] = ()
    passages: tuple[PassageRecord, ...] = ()
