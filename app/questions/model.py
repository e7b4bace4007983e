"""A question at a door and the searches that it came to: values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

SHOWN_MOST = 50  # ids of results that are kept beside a question's words


class Door(StrEnum):
    """What was asked for."""

    SEARCH = "search"
    RETRIEVE = "retrieve"
    CONTEXT = "context"
    ANSWER = "answer"


class Status(StrEnum):
    """What a question came to."""

    ANSWERED = "answered"
    EMPTY = "empty"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller wants to know; `mode` and `threshold` as far as the caller named them, `bases`
    the knowledge bases that it keeps to (none: everything), `scopes` those that are searched."""

    door: Door
    text: str
    mode: str = "auto"
    top_k: int = 10
    threshold: float | None = None
    bases: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Searched:
    """One search: `mode` is what ran, `floored` how many hits were too weak to be shown.

    `similarities` are those of the hits that have one, from 0 to 1.
    """

    asked_mode: str
    mode: str
    fusion: str
    candidates: int
    ids: tuple[str, ...]
    milliseconds: float
    similarities: tuple[float, ...] = ()
    floored: int = 0
    without: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was shown in the end, and the searches on the way there."""

    ids: tuple[str, ...] = ()
    similarities: tuple[float, ...] = ()
    searches: tuple[Searched, ...] = ()

    @classmethod
    def of(cls, searched: Searched) -> Outcome:
        """Of a question that is one search."""
        return cls(searched.ids, searched.similarities, (searched,))

    @property
    def floored(self) -> int:
        """Hits of any search that were too weak."""
        return sum(one.floored for one in self.searches)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was asked, by whom, when, and what it came to; `error` is a code.

    `scope` is the home of its asker, `scopes` are those that it was put to and counts at.
    """

    id: str
    asked: Asked
    scope: str
    tenant: str
    principal: str
    at: datetime
    milliseconds: float
    outcome: Outcome = field(default_factory=Outcome)
    error: str | None = None
    scopes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """What it came to."""
        if self.error is not None:
            return Status.FAILED
        return Status.ANSWERED if self.outcome.ids else Status.EMPTY
