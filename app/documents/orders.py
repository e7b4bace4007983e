"""What a client wants of documents, and what became of it: values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.access.keys import asked_by
from app.documents.media import Media
from app.jobs.model import Job
from app.kernel.caller import Caller, Role
from app.kernel.graph import Row

TAKE = "documents.take"
DELETE = "documents.delete"
DROP_BASE = "documents.drop_base"


@dataclass(frozen=True, slots=True)
class BaseWish:
    """A knowledge base to be made; None takes the default.

    Its vectors are of the model that its scope is searched by: `model` and `provider` may say so.
    """

    name: str
    scope: str | None = None
    description: str = ""
    strategy: str | None = None
    size: int | None = None
    overlap: int | None = None
    model: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentWish:
    """What a client says of a document: `base` by id or name, `name` its own name of it.

    `captured_at` is of when its words are, `role` whose words they are, `speaker` who says "I".
    """

    base: str
    name: str
    scope: str | None = None
    title: str = ""
    tags: tuple[str, ...] = ()
    captured_at: datetime | None = None
    role: str | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """Where the words come from: a file in the spool under `place`, or an address."""

    place: str
    file: str = ""
    media: Media = Media.TEXT
    size: int = 0
    sha256: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """A document that was handed in; no job where nothing has to be done."""

    document: Row
    job: Job | None
    created: bool

    @property
    def unchanged(self) -> bool:
        """Whether the same bytes were there, cut the same way."""
        return self.job is None


def told_of(who: Caller, role: Role | None = None) -> dict[str, Any]:
    """Who asked, as a job keeps it; with the role that the job takes when it runs, too."""
    told = {"principal": who.principal, "tenant": who.tenant, "request": who.request}
    return told if role is None else asked_by(who, role) | told
