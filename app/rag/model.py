"""What graph retrieval is asked, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.communities.view import CommunityView
from app.facts.possible import PossibleChange
from app.indexing.entry import PASSAGES
from app.kernel.graph import Row
from app.notes.model import MEMORY
from app.questions.model import Searched
from app.search.model import KINDS
from app.tables.hints import Hint

TOP_K, HOPS, BUDGET = 10, 2, 4000  # seed 000; the budget in tokens (o200k)
SEEDS, DISTANCE, COMMUNITIES = 5, 0.8, 10  # seed 000; distance is 1 - similarity


class How(StrEnum):
    """How a seed was found."""

    NAME = "name"  # the question names it
    VECTOR = "vector"  # its vector is close to the question's
    PASSAGE = "passage"  # passages that a search finds name it


class Without(StrEnum):
    """Why there is nothing of communities in an answer."""

    NO_SEEDS = "no_seeds"  # nothing that is known is near the question
    NO_COMMUNITIES = "no_communities"  # none were made yet of what is near the question
    COMMUNITIES_FAILED = "communities_failed"  # as Graph Data Science is missing, or refuses


@dataclass(frozen=True, slots=True)
class Lack:
    """Why there is nothing of communities; `reason` says by scope what failed, as its pass does."""

    why: Without
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the graph; `scopes` are visible to who asks, `bases` None for everything.

    `home` is the scope whose budget for the language model an answer costs, `reader` the principal
    who asks, in whose buffers what he has in mind is.
    """

    query: str
    scopes: list[str]
    bases: list[str] | None = None
    top_k: int = TOP_K
    max_hops: int = HOPS
    include_summaries: bool = True
    include_traces: bool = False
    home: str = ""
    reader: str = ""

    @property
    def kinds(self) -> list[str]:
        """What may answer: all kinds that are ranked, or the chunks of knowledge bases."""
        written = [kind for kind in KINDS if kind != MEMORY]  # a source is what somebody said
        return written if self.bases is None else list(PASSAGES)

    @property
    def payer(self) -> str:
        """The scope that pays: the home of who asks, else the first that is read."""
        return self.home or self.scopes[0]


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity to begin at; `score` is between 0 and 1."""

    entity: str
    score: float
    how: How


@dataclass(frozen=True, slots=True)
class Step:
    """An entity on a path, and the fact that led to it where one did."""

    entity: str
    name: str
    fact: str | None = None
    predicate: str | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A community, how far from a seed (0: it holds one), and how it was come to."""

    view: CommunityView
    score: float
    hop: int
    path: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage found through communities, or by the search that ran beside; with its path. The
    search brings facts, notes and skills as well, which have none.

    `text` is the range `span` of its own; `work` is the document or page that it is a chunk of, and
    `first` where it begins in the stored text of that.
    """

    id: str
    kind: str
    scope: str
    title: str | None
    text: str
    captured_at: datetime
    score: float
    similarity: float | None
    rank: int | None  # in the search beside
    community: str | None
    path: tuple[Step, ...] = ()
    past: tuple[str, ...] = ()  # what it states and is not held any more
    span: tuple[int, int] = (0, 0)
    work: str | None = None
    first: int = 0
    flags: tuple[str, ...] = ()  # what it is flagged as
    changes: tuple[PossibleChange, ...] = ()  # what may have changed of what it says


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found; `overall` where it is asked about everything, `lack` what is missing."""

    ask: Ask
    seeds: list[Seed]
    communities: list[Reached]
    passages: list[Passage]
    overall: bool = False
    lack: Lack | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    searches: tuple[Searched, ...] = ()
    homes: Mapping[str, Row] = field(default_factory=dict)  # of the entities of the walk
    hints: tuple[Hint, ...] = ()  # tables that hold data of the seeds


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that goes into a context whole or not at all; `cites` are the ids it rests on."""

    id: str
    kind: str  # summary, trace, tables or path
    text: str
    score: float
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger; `tokens` are what the unit takes, or would have taken."""

    id: str
    kind: str
    tokens: int
    kept: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """A text for a prompt of at most `budget` tokens, and what they went to."""

    text: str
    tokens: int
    budget: int
    frame: int  # tokens of what stands around the units
    units: tuple[Unit, ...]
    ledger: tuple[Entry, ...]
