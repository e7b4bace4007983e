"""Wire types of communities."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pydantic import Field

from app.communities.view import CommunityView, Line
from app.kernel.graph import Row
from app.kernel.wire import ShortText, WireModel


class RefreshIn(WireModel):
    """Which communities to bring up to date."""

    scope: ShortText | None = Field(None, description="Scope path; the key's home if unset.")
    whole: bool = Field(False, description="Group everything anew, not only what changed.")


class RefreshOut(msgspec.Struct, frozen=True):
    """The job that does it."""

    job: str
    scope: str


def placed(
    work: str | None, first: int, start: int | None, end: int | None
) -> tuple[str | None, int | None, int | None]:
    """The document or page of a range of a chunk, and the range in its stored text; of no other."""
    if work is None or start is None or end is None:
        return None, None, None
    return work, first + start, first + end


class CentralOut(msgspec.Struct, frozen=True):
    """A central entity; `score` is its PageRank within the community, 1 on average."""

    id: str
    type: str
    score: float


class SourceOut(msgspec.Struct, frozen=True):
    """Where a line of a summary stands; `start` and `end` in characters of a passage.

    `document_id` is the document or page that the passage is a chunk of, `document_start` and
    `document_end` are the range in the stored text of that.
    """

    line: int
    kind: str
    id: str
    start: int | None
    end: int | None
    document_id: str | None
    document_start: int | None
    document_end: int | None

    @classmethod
    def of(cls, number: int, line: Line) -> SourceOut:
        """The wire form of the source of a line."""
        plain = (number, line.kind, line.source, line.start, line.end)
        return cls(*plain, *placed(line.work, line.first, line.start, line.end))


class CommunityOut(msgspec.Struct, frozen=True, kw_only=True):
    """A community; its words, all of them others', are under `untrusted`.

    `size` counts entities, `level` is 0 for a finest one, `hidden` counts lines whose sources hold
    no more, until the next pass. `by` is `extract`, or the model whose words stand under `summary`,
    each sentence with the numbers of the lines that it rests on; `note` says why a model did not
    speak.
    """

    id: str
    scope: str
    level: int
    size: int
    parent: str | None
    central: list[CentralOut]
    sources: list[SourceOut]
    hidden: int
    told_at: datetime | None
    by: str
    note: str
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, view: CommunityView) -> CommunityOut:
        """The wire form of a community."""
        return cls(
            id=view.id,
            scope=view.scope,
            level=view.level,
            size=view.size,
            parent=view.parent,
            central=[
                CentralOut(one["id"], one["type"], round(one["score"], 6)) for one in view.central
            ],
            sources=[SourceOut.of(number, line) for number, line in enumerate(view.lines)],
            hidden=view.hidden,
            told_at=view.told_at,
            by=view.worded_by if view.words and view.worded_by else "extract",
            note="" if view.words else view.note,
            untrusted={
                "title": view.title,
                "central": [one["name"] for one in view.central],
                "lines": [line.told for line in view.lines],
                "summary": [{"text": one.text, "lines": one.lines} for one in view.words],
            },
        )


class CommunitiesOut(msgspec.Struct, frozen=True):
    """Communities, the largest first; `next` is how many to skip for more."""

    items: list[CommunityOut]
    next: int | None
    scopes: list[dict[str, Any]]


class MembersOut(msgspec.Struct, frozen=True):
    """Entities of a community, the most mentioned first."""

    items: list[dict[str, Any]]
    next: int | None

    @classmethod
    def of(cls, rows: list[Row], skip: int, limit: int) -> MembersOut:
        """A page; `rows` holds one more where there is one."""
        items = [
            {
                "id": row["id"],
                "type": row["type"],
                "mentions": row["mention_count"],
                "untrusted": {"name": row["name"]},
            }
            for row in rows[:limit]
        ]
        return cls(items, skip + limit if len(rows) > limit else None)
