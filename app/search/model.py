"""A search and what it finds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import compress
from typing import NamedTuple

from app.embeddings.calibration import Kinds, calibration
from app.facts.possible import PossibleChange
from app.indexing.entry import PASSAGES
from app.kernel.caller import Caller
from app.kernel.graph import Row
from app.kinds import KINDS as DECLARED
from app.notes.cooling import FACTOR as COOLED
from app.notes.model import CONDENSED, MEMORY
from app.pools.kind import POOL_TEXT
from app.retrieval.model import Path
from app.search.floors import Floor, Match
from app.search.mode import Mode
from app.search.reach import alone
from app.search.steps import Step

# Kinds that their slices declare, as far as search finds them; by their names, and those of them
# that are looked for unasked.
FOUND = tuple(kind.name for kind in DECLARED if kind.entry is not None)
RECALLED = tuple(kind.name for kind in DECLARED if kind.entry is not None and kind.recalled)
# What is ranked; core blocks stand before all of it.
KINDS = ("episode", "chunk", "fact", "note", "skill", MEMORY, *RECALLED)
NOTES = ("note", CONDENSED, MEMORY)
ALL_KINDS = tuple(dict.fromkeys((*KINDS, CONDENSED, *FOUND)))
# Values that the caller alone has at hand, which no index holds: read where they are named.
SHORT_TERM, WORKING = "short_term", "working"
AT_HAND = (SHORT_TERM, WORKING)
ROLES = ("user", "assistant", "tool")
# How much of its lead a memory that has faded entirely loses: what seed 001 calls a light weight,
# which is what importance has there (annex 3.a). It decides between scores that are this close.
MOST_FADED = 0.3


class Fusion(StrEnum):
    """How two legs become one list."""

    RRF = "rrf"
    WEIGHTED = "weighted"
    SIMPLE = "simple"


class Rerank(StrEnum):
    """What looks at the best candidates once more."""

    NONE = "none"
    FEATURES = "features"  # relevance, by words and vector; no model is asked
    MODEL = "model"  # the reranker of the settings


class Empty(StrEnum):
    """Why an answer has no hit."""

    NOTHING_FOUND = "nothing_found"  # no leg found anything that satisfies the filters
    NOTHING_HOLDS = "nothing_holds"  # what was found does not hold at the moments asked about
    BELOW_FLOOR = "below_floor"  # all of it was held back by `min_score`
    OVER_BUDGET = "over_budget"  # no hit fits the token budget
    LIMIT = "limit"  # no hit, no scope or no kind was asked for


class Without(StrEnum):
    """Why there was no walk where one was asked for."""

    NO_GRAPH = "no_graph"  # nothing that is seen names anything
    UNANCHORED = "unanchored"  # nothing that was found or asked for is in the graph
    NOT_READY = "not_ready"  # the graph is being read into memory
    NOT_NOW = "not_now"  # the graph shows what is known now, and another moment was asked for
    KINDS = "kinds"  # only passages are in the graph, and other kinds were asked for


MOST_ROOMS = 300  # pools that one query of an index names, beside scopes
MOST_SCOPES = 400  # that one text query names: Lucene takes 1,024 clauses, words among them


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must satisfy; None leaves a filter out.

    `trees` are scopes that are read with everything below them, all of it in `scopes` too.
    `flagged` and `left_out` (ids) are looked at once a memory is read, so that no index has to know
    of them. So is what the `reader`, a principal, has in a buffer: of the conversation `talk` (its
    id), or of all that are open; and what was `discarded`, which only the asking brings back.
    `rooms` are the pools that the reader may read, of which alone texts are found; a part of the
    search that is about these looks for nothing else.
    """

    scopes: list[str]
    kinds: list[str] = field(default_factory=lambda: list(KINDS))
    sessions: list[str] | None = None
    roles: list[str] | None = None
    tags: list[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    trees: list[str] = field(default_factory=list)
    flagged: bool | None = None
    left_out: frozenset[str] = frozenset()
    reader: str = ""
    talk: str | None = None
    discarded: bool = False
    rooms: list[str] = field(default_factory=list)

    def within(self, sessions: list[str] | None) -> list[str] | None:
        """Return what the search keeps to instead of these sessions: of texts of pools it is the
        pools that may be read."""
        return self.rooms if self.of_pools else sessions

    @property
    def pieces(self) -> list[Filters]:
        """The same, apart where it takes more scopes to name than one text query can."""
        rest = alone(self.scopes, self.trees)
        if len(self.trees) + len(rest) <= MOST_SCOPES:
            return [self]
        named = [*self.trees, *rest]
        parts = [named[at : at + MOST_SCOPES] for at in range(0, len(named), MOST_SCOPES)]
        whole = set(self.trees)
        return [replace(self, scopes=part, trees=[s for s in part if s in whole]) for part in parts]

    @property
    def tenant(self) -> str | None:
        """The tenant all of which is read; None where it is a part of one, or named by scopes."""
        (tree, *further) = self.trees or [""]
        whole = tree and "/" not in tree and not further and not alone(self.scopes, self.trees)
        return tree if whole else None

    @property
    def plain(self) -> bool:
        """Whether only scope and kind count, which the fastest query answers."""
        rest = (self.sessions, self.roles, self.tags, self.since, self.until)
        return all(f is None for f in rest) and self.current and not self.of_pools

    @property
    def current(self) -> bool:
        """Whether the question is about now, as it is known now."""
        return self.as_of is None and self.known_at is None

    @property
    def of_pools(self) -> bool:
        """Whether it is about texts of pools alone."""
        return self.kinds == [POOL_TEXT.name]

    @property
    def split(self) -> list[Filters]:
        """The same, apart for texts of pools, which only who may read the pool finds, and for
        facts where both moments count. Without a pool that may be read none are looked for."""
        others = [kind for kind in self.kinds if kind != POOL_TEXT.name]
        asked = None if self.sessions is None else set(self.sessions)
        wanted = self.rooms if POOL_TEXT.name in self.kinds else []
        rooms = [room for room in wanted if asked is None or room in asked]
        parts = [
            replace(self, kinds=[POOL_TEXT.name], rooms=rooms[at : at + MOST_ROOMS])
            for at in range(0, len(rooms), MOST_ROOMS)
        ]
        return [*parts, *(replace(self, kinds=others, rooms=[])._by_belief if others else [])]

    @property
    def _by_belief(self) -> list[Filters]:
        """The same, apart for facts where both moments count.

        The index has the start of a fact as it is known now, which is not what was known then.
        """
        if self.known_at is None or self.as_of is None or "fact" not in self.kinds:
            return [self]
        others = [kind for kind in self.kinds if kind != "fact"]
        parts = [replace(self, kinds=["fact"], as_of=None)]
        return [*parts, replace(self, kinds=others)] if others else parts


@dataclass(frozen=True, slots=True)
class Hand:
    """Which values of the caller's own are ranked along: of which kinds, and of which session, or
    task of working memory; None for all sessions."""

    caller: Caller
    kinds: frozenset[str]
    session: str | None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One checked search."""

    query: str
    filters: Filters
    mode: Mode = Mode.AUTO
    fusion: Fusion = Fusion.WEIGHTED
    weights: tuple[float, float] | None = None  # keyword, vector; the fusion's own where None
    limit: int = 10
    token_budget: int | None = None
    diversity: float | None = None  # MMR's lambda; None keeps the fused order
    blocks_of: list[str] | None = None  # scopes whose core blocks stand first; None leaves them out
    injected: bool = False  # whether the answer goes into a prompt
    counted: bool = True  # whether each hit is shown; else who made the request tells which are
    floor: Floor | None = None
    rerank: Rerank = Rerank.NONE
    hyde: bool = False
    asker: str = ""  # the scope whose budget pays where a model is asked
    outcomes: float = 0.0  # how much the outcomes of tasks move a score, 0 to .6
    hand: Hand | None = None
    bases: tuple[str, ...] = ()  # knowledge bases among the sessions that it keeps to


@dataclass(frozen=True, slots=True)
class Leg:
    """Rank (from 1) and score of one memory in one leg; `place` is its best window."""

    rank: int
    score: float
    place: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory before it is shown."""

    id: str
    score: float
    legs: dict[str, Leg]


class Nearness(NamedTuple):
    """The cosine of a memory's vector and the question's, and the model that made both."""

    cosine: float
    model: str

    def similarity(self, asked: str, stored: str) -> float:
        """How like an answer it is, 0.01 to 0.99, for a question and a text of these languages."""
        return calibration(self.model).similarity(self.cosine, Kinds.ANSWER, (asked, stored))


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one leg found, best first: a long text has several windows, and is there once.

    `places` are the best windows, `titled` the memories with a title, `passages` the scope of each
    that is a passage, `kinds` what each is. `similar` says of the vector leg how near each is;
    `unplaced` are memories that have no vector yet, so that no vector leg can find them.
    """

    scores: dict[str, float]
    places: dict[str, int]
    titled: set[str]
    passages: dict[str, str] = field(default_factory=dict)
    similar: dict[str, Nearness] = field(default_factory=dict)
    facts: frozenset[str] = frozenset()
    memories: frozenset[str] = frozenset()
    kinds: dict[str, str] = field(default_factory=dict)
    unplaced: frozenset[str] = frozenset()

    @classmethod
    def of(cls, columns: Row) -> Ranking:
        """From the columns of a leg's query, whose rows come best first."""
        scores: dict[str, float] = {}
        places: dict[str, int] = {}
        for memory, score, place in zip(
            columns["ids"], columns["scores"], columns["places"], strict=True
        ):
            if memory not in scores:
                scores[memory], places[memory] = score, place
        found = list(zip(columns["ids"], columns["scopes"], columns["kinds"], strict=True))
        passages = {memory: scope for memory, scope, kind in found if kind in PASSAGES}
        facts = frozenset(memory for memory, _, kind in found if kind == "fact")
        memories = frozenset(memory for memory, _, kind in found if kind == MEMORY)
        titled = set(compress(columns["ids"], columns["titled"]))
        kinds = dict(zip(columns["ids"], columns["kinds"], strict=True))
        return cls(
            scores,
            places,
            titled,
            passages,
            facts=facts,
            memories=memories,
            kinds=kinds,
            unplaced=frozenset(columns.get("unplaced", ())),
        )

    @classmethod
    def joined(cls, parts: Sequence[Ranking]) -> Ranking:
        """Of rankings over different kinds by the same measure, best first."""
        if len(parts) == 1:
            return parts[0]
        scored = [item for part in parts for item in part.scores.items()]
        scores = dict(sorted(scored, key=lambda item: (-item[1], item[0])))
        places = {memory: place for part in parts for memory, place in part.places.items()}
        titled = {memory for part in parts for memory in part.titled}
        passages = {memory: scope for part in parts for memory, scope in part.passages.items()}
        similar = {memory: share for part in parts for memory, share in part.similar.items()}
        facts = frozenset[str]().union(*(part.facts for part in parts))
        memories = frozenset[str]().union(*(part.memories for part in parts))
        kinds = {memory: kind for part in parts for memory, kind in part.kinds.items()}
        unplaced = frozenset[str]().union(*(part.unplaced for part in parts))
        return cls(scores, places, titled, passages, similar, facts, memories, kinds, unplaced)

    def first(self, depth: int) -> Ranking:
        """The best `depth` of it."""
        if len(self.scores) <= depth:
            return self
        scores = dict(list(self.scores.items())[:depth])
        passages = {memory: scope for memory, scope in self.passages.items() if memory in scores}
        titled = self.titled & scores.keys()
        return replace(self, scores=scores, titled=titled, passages=passages)

    def without(self, ids: Collection[str]) -> Ranking:
        """The same without some memories."""
        if self.scores.keys().isdisjoint(ids):
            return self
        return replace(self, scores={m: s for m, s in self.scores.items() if m not in ids})

    def first_facts(self, depth: int) -> list[str]:
        """The best `depth` facts of it."""
        return [memory for memory in self.scores if memory in self.facts][:depth]

    @classmethod
    def empty(cls) -> Ranking:
        """Of a leg with nothing to look for."""
        return cls({}, {}, set())


class Lapse(StrEnum):
    """Why what an episode says does not hold."""

    PAST = "past"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class Mark:
    """A statement of an episode that does not hold at the moments of the reading.

    `since` is when it ceased, `replaced_by` the id and statement of what took its place, `rivals`
    are facts that say something else of the same; a disputed one waits in quarantine.
    """

    fact: str
    statement: str
    lapse: Lapse
    since: datetime | None = None
    replaced_by: tuple[str, str] | None = None
    rivals: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fade:
    """How far a memory has faded: what share of its importance is `left`.

    What set the score that it had `before` above the `lowest` of all candidates shrinks by
    `factor`, so that the measure of the scores does not matter, nor does what fades alike. What
    is `cooled`, being new and near a core block, counts half of that.
    """

    left: float
    before: float
    lowest: float
    cooled: bool = False

    @property
    def factor(self) -> float:
        """From 0.7 to 1, half of that where it is cooled."""
        return (1 - MOST_FADED * (1 - self.left)) * (COOLED if self.cooled else 1)

    @property
    def score(self) -> float:
        """The score that ranks."""
        return self.lowest + (self.before - self.lowest) * self.factor


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found, with the reasons.

    `score` is what ranked it, within this answer; `relevance` (0 to 1) is calibrated, and so is
    `similarity`, which is None where no vector was compared.
    """

    id: str
    rank: int
    score: float
    legs: dict[str, Leg]
    memory: Row
    span: tuple[int, int]
    tokens: int
    marks: tuple[Mark, ...] = ()
    fade: Fade | None = None  # where the rules of its scope let memories fade
    later: tuple[str, ...] = ()  # hits in which the same speaker says more on it, later
    path: Path | None = None  # how the walk came to it
    relevance: float = 0.0
    similarity: float | None = None
    turns: tuple[Row, ...] = ()  # what a memory rests on, in the order in which it was said
    changes: tuple[PossibleChange, ...] = ()  # of what it says and is held
    superseded_by: tuple[str, ...] = ()  # what was said in its place, as writers hinted


@dataclass(frozen=True, slots=True)
class Found:
    """Hits in order, and how they came about; `mode` is what ran, `without` why no walk did,
    `empty` why there is no hit."""

    hits: list[Hit]
    mode: Mode
    candidates: int
    tokens: int
    dropped: int
    milliseconds: dict[str, float]
    blocks: list[Row] = field(default_factory=list)
    without: Without | None = None
    match: Match | None = None  # by what hits stand in it, where a floor was asked for
    held: int = 0  # candidates that the floor held back, and the best relevance among them
    held_best: float | None = None
    steps: tuple[Step, ...] = ()
    empty: Empty | None = None
