"""Values of the retrieval graph and of a walk over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.kernel.clock import START


@dataclass(frozen=True, slots=True)
class ScopeLock:
    """A scope whose names are being written, under which revision; `linked` were there before."""

    scope: str
    tenant: str
    revision: int
    linked: int


@dataclass(frozen=True, slots=True)
class Revision:
    """How often a scope's names changed, when last something was taken out, up to when it is known
    what its entities are called, and how often it changed which names read alike."""

    revision: int
    dropped: int
    called_at: datetime = START
    alike: int = 0


@dataclass(frozen=True, slots=True)
class Admission:
    """What a passage that only the walk found must satisfy; None leaves a filter out."""

    scopes: list[str]
    kinds: list[str]
    roles: list[str] | None = None
    sessions: list[str] | None = None
    tags: list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None


class Edge(StrEnum):
    """How a step of a walk came from one passage to the next."""

    NAMES = "names"  # its text names what the next one is about
    NAMED_BY = "named_by"  # the next one's text names what it is about
    SHARES = "shares"  # both hold a name that nothing is about
    ALIKE = "alike"  # its text holds a name that reads like one that the next one is about


class Origin(StrEnum):
    """Why a walk began at a passage."""

    QUESTION = "question"  # the question names what it is about
    LEGS = "legs"  # words or vectors found it


@dataclass(frozen=True, slots=True)
class Step:
    """A passage on the way; `edge` and `name` say how it was reached, and are None at a seed."""

    passage: str
    edge: Edge | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """How the walk came to a passage, from the seed that gave it most to itself."""

    origin: Origin
    name: str | None  # what the question names, where the seed is named by it
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question names, by scope, with what it says beside that.

    `cover` is the share of its telling words that are in the names, `sure` are the names that are
    surely meant as such: of several words, or written as a name amid the question.
    """

    names: Mapping[str, list[str]]
    rest: str
    cover: float = 0.0
    sure: frozenset[str] = frozenset()

    @property
    def anchored(self) -> bool:
        """Whether it names anything that somebody goes by."""
        return any(self.names.values())

    @property
    def surely(self) -> bool:
        """Whether one of these is surely a name."""
        return any(key in self.sure for keys in self.names.values() for key in keys)


@dataclass(frozen=True, slots=True)
class Begin:
    """Where a walk begins and what draws it: passages by id.

    `scores` are what the legs found them with, `match` how well (0 to 1) each answers what the
    question says beside the names, `scopes` where each is. `lead` is a passage that is taken as if
    the question named it, and `cover` what it holds of the telling words.
    """

    scores: Mapping[str, float]
    match: Mapping[str, float]
    scopes: Mapping[str, str]
    lead: str | None = None
    cover: float = 0.0
