"""Wire types of search."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, model_validator

from app.errors import InvalidInput
from app.facts.possible import on_the_wire
from app.indexing.fusion import by_rank
from app.kernel.caller import Caller
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.stopwatch import told_steps
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.learning.quality import MOST_BOOST
from app.retrieval.model import Path
from app.sanitize.aside import READ, aside
from app.sanitize.privacy import Level
from app.search.believed import believed, flags_of, privacy_of
from app.search.blend import Blend, BlockDefaults, Reach
from app.search.block import CHARACTERS, LOOKED_AT, ContextBlocks
from app.search.bundle import LONGEST, SNIPPET, band, render
from app.search.floors import Floor
from app.search.mode import Mode
from app.search.model import (
    ALL_KINDS,
    AT_HAND,
    FOUND,
    KINDS,
    NOTES,
    WORKING,
    Fade,
    Filters,
    Found,
    Fusion,
    Hand,
    Hit,
    Lapse,
    Leg,
    Mark,
    Rerank,
    SearchRequest,
)
from app.search.steps import Step

LIMIT_DEFAULT, LIMIT_MOST = 10, 100
QUERY_MOST = 4000  # characters
MEASURED = ("vector", "rerank")  # legs whose scores follow from a text and the question alone
MMR_WEIGHT = 0.7
# What a source's id is called, by kind.
SAID_BY = {kind: f"{kind}_id" for kind in ("episode", "skill", *FOUND, *AT_HAND)}


HalfLife = Annotated[float, Field(ge=0.01, le=36_500)]
NAMES = (*ALL_KINDS, "core_block", *AT_HAND)


def _unasked() -> str:
    """Say which declared kinds are found only where they are named."""
    named = [f"`{kind}`" for kind in FOUND if kind not in KINDS]
    return f", and {', '.join(named)}" if named else ""


# The words are known when the module is read, so that a kind is declared once.
if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[NAMES]


class WeightsIn(WireModel):
    """How much each leg counts in the fusion."""

    keyword: Annotated[float, Field(ge=0, le=10)] = 1.0
    vector: Annotated[float, Field(ge=0, le=10)] = 1.0


class ScopeWeightsIn(WireModel):
    """What a memory of each kind of scope counts in a block of context."""

    user: Annotated[float, Field(ge=0, le=10)] = 1.0
    context: Annotated[float, Field(ge=0, le=10)] = 0.8
    global_: Annotated[float, Field(ge=0, le=10, alias="global")] = 0.3


LifeName = {"project_state": "project-state"}  # a field whose namespace is spelt otherwise


class HalfLivesIn(WireModel):
    """Days after which a memory counts half in a block of context, by namespace."""

    knowledge: HalfLife = 365.0
    methods: HalfLife = 180.0
    project_state: Annotated[HalfLife, Field(alias="project-state")] = 21.0
    learnings: HalfLife = 120.0
    other: HalfLife = 90.0


class ContextIn(WireModel):
    """How hits are weighed for `relevant_context`, and how long the block may be."""

    vector: Annotated[float, Field(ge=0, le=10, description="Weight of the similarity.")] = 0.55
    text: Annotated[float, Field(ge=0, le=10, description="Weight of the words.")] = 0.30
    graph: Annotated[float, Field(ge=0, le=10, description="Weight of the walk.")] = 0.15
    scopes: ScopeWeightsIn = ScopeWeightsIn()
    half_lives: HalfLivesIn = HalfLivesIn()
    threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        0.55, description="A hit is kept above .3 of it, a similarity counts from .8 of it on."
    )
    characters: Annotated[int, Field(ge=200, le=100_000)] = Field(
        CHARACTERS, description="Most characters of the block."
    )

    def to_blend(self, held: BlockDefaults) -> Blend:
        """Return what counts how much: as the request says, else as the scope does."""
        given, reach, lives = self.model_fields_set, self.scopes, self.half_lives
        named, aged = reach.model_fields_set, lives.model_fields_set
        return Blend(
            self.vector if "vector" in given else held.vector,
            self.text if "text" in given else held.text,
            self.graph if "graph" in given else held.graph,
            {
                Reach.USER: reach.user if "user" in named else held.user,
                Reach.CONTEXT: reach.context if "context" in named else held.context,
                Reach.GLOBAL: reach.global_ if "global_" in named else held.everybody,
            },
            {
                LifeName.get(name, name): getattr(lives if name in aged else held, name)
                for name in type(lives).model_fields
            },
            self.threshold if "threshold" in given else held.threshold,
        )

    def most(self, held: BlockDefaults) -> int:
        """Return the most characters of the block, likewise."""
        return self.characters if "characters" in self.model_fields_set else held.characters


class SearchIn(WireModel):
    """A question and what an answer must satisfy."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
    ] = Field(description="The question, as plain text.")
    mode: Mode = Field(
        Mode.AUTO,
        description="Which legs run; `auto` walks the graph where the question anchors in it.",
    )
    fusion: Fusion = Field(
        Fusion.WEIGHTED,
        description="`rrf` (k = 60), `weighted` or `simple` (both of scores scaled to 0..1).",
    )
    weights: WeightsIn | None = Field(None, description="Weights of the legs.")
    limit: Annotated[int, Field(ge=0, le=LIMIT_MOST)] = LIMIT_DEFAULT
    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="Most tokens (o200k) of all hits together."
    )
    diversity: Annotated[float, Field(ge=0, le=1)] | Literal["mmr"] | None = Field(
        None, description="MMR's weight of relevance; `mmr` means 0.7."
    )
    scopes: tuple[str, ...] | None = Field(
        None, description="Scopes to read; all visible if unset."
    )
    kinds: tuple[KindName, ...] | None = Field(
        None,
        description="Kinds of memory; all if unset, but `condensed`, notes made of facts that are "
        f"found themselves{_unasked()}. `memory` is what a language model read out of turns, shown "
        "with them. `short_term` and `working` are values that the key itself has at hand, those "
        "of `working` in the task that `session` names.",
    )
    session: ShortText | None = Field(None, description="A session, by id or by your name of it.")
    knowledge_base_ids: tuple[ShortText, ...] | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="Only chunks of the documents in these bases.",
    )
    knowledge_bases: tuple[ShortText, ...] | None = Field(
        None, min_length=1, max_length=64, description="An older name of `knowledge_base_ids`."
    )
    roles: tuple[Literal["user", "assistant", "tool"], ...] | None = Field(None)
    tags: tuple[TagName, ...] | None = Field(None, max_length=16, description="All must be there.")
    flagged: bool | None = Field(
        None,
        description="`false` leaves out what is flagged as a possible attack, `true` the rest.",
    )
    discarded: bool = Field(
        False, description="Also messages of conversations that were judged to be no use."
    )
    since: Moment | None = Field(None, description="Said at or after this moment.")
    until: Moment | None = Field(None, description="Said at or before this moment.")
    as_of: Moment | None = Field(
        None, description="As the world was: what was so, and had been said, by then."
    )
    known_at: Moment | None = Field(
        None, description="As we knew it: stored by then, and not forgotten since."
    )
    min_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="Least `relevance` of a hit; `floor.match` tells what was done with it."
    )
    fallback: bool = Field(
        True,
        description="Where nothing reaches `min_score`: what reaches 0.5, then what holds half of "
        "the question's words.",
    )
    rerank: bool | Literal["none", "features", "model"] = Field(
        "none",
        description="Look at the best 50 once more: by words and vectors, or by the reranker of "
        "the settings; `true` means `features`.",
    )
    outcomes: Annotated[float, Field(ge=0, le=MOST_BOOST)] = Field(
        0.0,
        description="How much the outcomes of tasks count that used a memory: its score is "
        "multiplied by 1 plus this, times twice what its quality is above 0.5.",
    )
    hyde: bool = Field(
        False, description="Search also by a passage that the language model imagines."
    )
    form: Literal["json", "bundle", "both", "relevant_context"] = Field(
        "json",
        description="`bundle` is for a prompt, `both` gives the hits beside it, `relevant_context` "
        "is a block by scope alone.",
    )
    context: ContextIn | None = Field(
        None, description="Weights and length of `relevant_context`; its own if unset."
    )
    snippet: Annotated[int, Field(ge=60, le=LONGEST)] | None = Field(
        None, description=f"Most characters of a hit in the bundle; {SNIPPET} if unset."
    )

    def to_request(self, caller: Caller) -> SearchRequest:
        """The search of this caller; NotFound where a scope is not visible, InvalidInput
        (`weights`, `snippet`) for what the fusion or the form has not."""
        if self.context is not None and not self.is_context:
            raise InvalidInput("`context` is for the form `relevant_context`", field="context")
        if self.snippet is not None and self.form in ("json", "relevant_context"):
            raise InvalidInput(
                "`snippet` cuts the hits of a bundle: ask for `both`", field="snippet"
            )
        if self.weights is not None and self.fusion is Fusion.SIMPLE:
            raise InvalidInput("`simple` takes no weights: ask for `weighted`", field="weights")
        weight = MMR_WEIGHT if self.diversity == "mmr" else self.diversity
        filters = Filters(
            scopes=caller.among(self.scopes),
            kinds=list(KINDS) if self.kinds is None else [k for k in ALL_KINDS if k in self.kinds],
            sessions=self._groups(),
            roles=list(self.roles) if self.roles else None,
            tags=list(dict.fromkeys(self.tags)) if self.tags else None,
            since=self.since,
            until=self.until,
            as_of=self.as_of,
            known_at=self.known_at,
            flagged=self.flagged,
            reader=caller.principal,
            discarded=self.discarded,
        )
        return SearchRequest(
            query=self.query,
            filters=filters,
            mode=self.mode,
            fusion=self.fusion,
            weights=(self.weights.keyword, self.weights.vector) if self.weights else None,
            limit=max(self.limit, LOOKED_AT) if self.is_context and self.limit else self.limit,
            token_budget=self.token_budget,
            diversity=weight if weight is None else float(weight),
            counted=not self.is_context,
            blocks_of=filters.scopes if self._wants_blocks() else None,
            injected=self.form != "json",
            floor=None if self.min_score is None else Floor(self.min_score, self.fallback),
            rerank=self._rerank(),
            hyde=self.hyde,
            asker=caller.home,
            outcomes=self.outcomes,
            hand=self._hand(caller),
            bases=self._bases(),
        )

    def _hand(self, caller: Caller) -> Hand | None:
        """What is at hand, where it is named; InvalidInput (`kinds`, `session`) where the form has
        no place for it or no task is named."""
        kinds = frozenset(AT_HAND).intersection(self.kinds or ())
        if not kinds:
            return None
        if self.is_context:
            raise InvalidInput(
                f"`relevant_context` has no {sorted(kinds)[0]}: ask for `both`", field="kinds"
            )
        if WORKING in kinds and self.session is None:
            raise InvalidInput("`working` is of a task: name it as `session`", field="session")
        return Hand(caller, kinds, self.session)

    @property
    def is_context(self) -> bool:
        """Whether a block of context is asked for, which weighs hits by itself."""
        return self.form == "relevant_context"

    def _rerank(self) -> Rerank:
        """Seed 000 says true or false."""
        if isinstance(self.rerank, bool):
            return Rerank.FEATURES if self.rerank else Rerank.NONE
        return Rerank(self.rerank)

    def _groups(self) -> list[str] | None:
        """What both indexes filter by: sessions of what was said, bases of chunks."""
        return [*([self.session] if self.session else []), *self._bases()] or None

    def _bases(self) -> tuple[str, ...]:
        return self.knowledge_base_ids or self.knowledge_bases or ()

    @model_validator(mode="after")
    def _named_once(self) -> SearchIn:
        if self.knowledge_base_ids is not None and self.knowledge_bases is not None:
            raise ValueError("knowledge_bases is an older name of knowledge_base_ids: give one")
        return self

    def _wants_blocks(self) -> bool:
        """Core blocks are in every prompt, and among data unless other kinds are asked for; they
        are those of the scopes that are searched."""
        if self.is_context:
            return False
        return self.form != "json" or self.kinds is None or "core_block" in self.kinds


class LegOut(msgspec.Struct, frozen=True):
    """Where a leg had the hit; `score` where it is a measure of this text and the question alone:
    a similarity, or what a reranker says. That of keywords would tell what other tenants store.
    """

    rank: int
    score: float | None


class PathStepOut(msgspec.Struct, frozen=True):
    """One passage on a path; `edge` says how the one before leads to it."""

    memory: str
    edge: str | None


class PathOut(msgspec.Struct, frozen=True):
    """How the walk came to a hit; the names on it are under `untrusted`, a step each."""

    origin: str
    steps: list[PathStepOut]

    @classmethod
    def of(cls, path: Path) -> PathOut:
        """The wire form of a path."""
        steps = [PathStepOut(s.passage, s.edge.value if s.edge else None) for s in path.steps]
        return cls(path.origin.value, steps)


class MarkOut(msgspec.Struct, frozen=True):
    """A fact that the text states and that does not hold; its words are under `untrusted`."""

    fact: str
    standing: str
    since: datetime | None
    replaced_by: str | None

    @classmethod
    def of(cls, mark: Mark) -> MarkOut:
        """The wire form of a mark."""
        replaced_by = mark.replaced_by[0] if mark.replaced_by else None
        return cls(mark.fact, mark.lapse.value, mark.since, replaced_by)


class FactHitOut(msgspec.Struct, frozen=True):
    """What is believed of a fact at the moments asked for; `support` are episodes, newest first."""

    subject: str
    predicate: str
    negated: bool
    object_kind: str
    object_id: str | None
    status: str
    confidence: float
    trust: float
    evidence: int
    principals: int
    since: datetime
    until: datetime | None
    precision: str
    support: list[str]

    @classmethod
    def of(cls, memory: Row) -> FactHitOut:
        """The wire form of a fact that was found."""
        held = believed(memory)
        return cls(
            subject=memory["subject"],
            predicate=memory["predicate"],
            negated=memory["negated"],
            object_kind=memory["object_kind"],
            object_id=memory["object_id"],
            status=memory["status"],
            confidence=memory["confidence"],
            trust=memory["trust"],
            evidence=memory["evidence"],
            principals=memory["principals"],
            since=held.since,
            until=held.until,
            precision=held.precision.value,
            support=list(dict.fromkeys(s.episode for s in held.support)),
        )


class NoteHitOut(msgspec.Struct, frozen=True):
    """What kind of note it is, and until when it held."""

    namespace: str
    entry_type: str
    confidence: float
    trust: float
    standing: str
    until: datetime | None

    @classmethod
    def of(cls, memory: Row) -> NoteHitOut:
        """The wire form of a note that was found."""
        return cls(
            namespace=memory["namespace"],
            entry_type=memory["entry_type"],
            confidence=memory["confidence"],
            trust=memory["trust"],
            standing=memory["standing"],
            until=open_end(datetime.fromisoformat(memory["valid_to"])),
        )


class TurnOut(msgspec.Struct, frozen=True):
    """A turn that a memory rests on; its words are under `untrusted`."""

    id: str
    captured_at: datetime
    role: str | None

    @classmethod
    def of(cls, turn: Row) -> TurnOut:
        """The wire form of a turn."""
        return cls(turn["id"], turn["captured_at"], turn["role"])


class SkillHitOut(msgspec.Struct, frozen=True):
    """Which skill it is, and how well its version has worked; its name is the hit's title."""

    slug: str
    category: str
    status: str
    version: str
    effectiveness: float
    usage_count: int

    @classmethod
    def of(cls, memory: Row) -> SkillHitOut:
        """The wire form of a skill that was found."""
        names = ("slug", "category", "status", "version", "effectiveness", "usage_count")
        return cls(**{name: memory[name] for name in names})


class ChunkHitOut(msgspec.Struct, frozen=True):
    """Where a chunk stands: its range of the stored text, in characters; from `own` on it does not
    repeat the chunk before. `work` is document, page or article: what `document_id` is of."""

    document_id: str
    work: str
    knowledge_base: str | None
    number: int
    start: int
    own: int
    end: int

    @classmethod
    def of(cls, memory: Row) -> ChunkHitOut:
        """The wire form of a chunk that was found."""
        place = {name: memory[name] for name in ("number", "start", "own", "end")}
        base = memory["group"] or None
        return cls(
            document_id=memory["work"], work=memory["kind_of_work"], knowledge_base=base, **place
        )


class BlockOut(msgspec.Struct, frozen=True):
    """A core block; it is there whatever was asked."""

    id: str
    kind: str
    scope: str
    author: str
    untrusted: dict[str, str]

    @classmethod
    def of(cls, row: Row) -> BlockOut:
        """The wire form of a core block."""
        text = {"text": row["content"]}
        return cls(row["id"], row["kind"], row["scope"], row["author"], text)


class FadeOut(msgspec.Struct, frozen=True):
    """Why the rank is lower than the match: what set the hit above the lowest candidate counts by
    `factor`, which follows from the share of importance that is left since the last use, and is
    half of that where it is `cooled`: new, and near a core block.
    """

    left: float
    factor: float
    cooled: bool = False

    @classmethod
    def of(cls, fade: Fade) -> FadeOut:
        """The wire form of a fade."""
        return cls(round(fade.left, 6), round(fade.factor, 6), fade.cooled)


class HitOut(msgspec.Struct, frozen=True):
    """One hit: why it is here outside `untrusted`, what was said inside it.

    `score` follows from `rank` alone and counts within this answer; `relevance`, its `score_band`
    and `similarity` (of vectors alone) are calibrated and count anywhere. `possible_changes` name
    what may have ended what the hit says, `superseded_by` what was said in its place as writers
    hinted.
    """

    id: str
    kind: str
    rank: int
    score: float
    relevance: float
    similarity: float | None
    score_band: str
    legs: dict[str, LegOut]
    scope: str
    session_id: str | None
    role: str | None
    captured_at: datetime
    ingested_at: datetime
    expired_at: datetime | None
    window: dict[str, int]
    source: dict[str, Any]
    tokens: int
    untrusted: dict[str, Any]
    standing: str
    flags: list[str]
    marks: list[MarkOut]
    later: list[str]
    superseded_by: list[str]
    privacy: Level
    possible_changes: list[dict[str, Any]]
    fact: FactHitOut | None = None
    note: NoteHitOut | None = None
    chunk: ChunkHitOut | None = None
    skill: SkillHitOut | None = None
    fade: FadeOut | None = None
    path: PathOut | None = None
    turns: list[TurnOut] | None = None

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        """The wire form of a hit."""
        memory, (start, end) = hit.memory, hit.span
        return cls(
            id=hit.id,
            kind=memory["kind"],
            rank=hit.rank,
            score=round(by_rank(hit.rank), 6),
            relevance=round(hit.relevance, 4),
            similarity=None if hit.similarity is None else round(hit.similarity, 4),
            score_band=band(hit.relevance),
            legs={name: _leg(name, leg) for name, leg in hit.legs.items()},
            scope=memory["scope"],
            session_id=memory["session_id"],
            role=memory["role"],
            captured_at=memory["captured_at"],
            ingested_at=memory["ingested_at"],
            expired_at=open_end(memory["expired_at"]),
            window={"start": start, "end": end},
            source=source_of(hit),
            tokens=hit.tokens,
            untrusted={
                "text": memory["content"][start:end],
                "speaker": memory["speaker"],
                "title": memory["title"],
                "tags": memory["tags"] or [],
                "session": memory["session_key"],
                **_untrusted_more(hit),
            },
            standing=standing_of(hit),
            flags=flags_of(hit.memory),
            marks=[MarkOut.of(mark) for mark in hit.marks],
            later=list(hit.later),
            superseded_by=list(hit.superseded_by),
            privacy=privacy_of(hit.memory),
            possible_changes=on_the_wire(hit.changes),
            fact=FactHitOut.of(memory) if memory["kind"] == "fact" else None,
            note=NoteHitOut.of(memory) if memory["kind"] in NOTES else None,
            chunk=ChunkHitOut.of(memory) if memory["kind"] == "chunk" else None,
            skill=SkillHitOut.of(memory) if memory["kind"] == "skill" else None,
            fade=FadeOut.of(hit.fade) if hit.fade is not None else None,
            path=PathOut.of(hit.path) if hit.path is not None else None,
            turns=[TurnOut.of(turn) for turn in hit.turns] if hit.turns else None,
        )


def source_of(hit: Hit) -> dict[str, Any]:
    """Where the words stand: the memory itself, or for a fact its newest support."""
    if hit.memory["kind"] != "fact":
        start, end = hit.span
        names = ("author", "origin", "content_hash")
        if hit.memory["kind"] == "chunk":
            first = hit.memory["start"]
            said = {"document_id": hit.memory["work"], "chunk_id": hit.id}
            start, end = start + first, end + first
        else:
            said = {SAID_BY.get(hit.memory["kind"], "note_id"): hit.id}
        return said | {"start": start, "end": end} | {name: hit.memory[name] for name in names}
    newest = next(iter(believed(hit.memory).support), None)
    if newest is None:
        return {}
    return {
        "episode_id": newest.episode,
        "start": newest.start,
        "end": newest.end,
        "author": newest.author,
        "origin": newest.origin,
        "content_hash": newest.content_hash,
    }


def standing_of(hit: Hit) -> str:
    """`past` where something that it says has ceased, `disputed` where it waits, else `current`."""
    lapses = {mark.lapse for mark in hit.marks}
    return next((lapse.value for lapse in Lapse if lapse in lapses), "current")


def _untrusted_more(hit: Hit) -> dict[str, Any]:
    return _way(hit) | _words_more(hit)


def _way(hit: Hit) -> dict[str, Any]:
    if hit.path is None:
        return {}
    return {"path": [hit.path.name, *(step.name for step in hit.path.steps[1:])]}


def _words_more(hit: Hit) -> dict[str, Any]:
    if hit.memory["kind"] == "fact":
        memory = hit.memory
        return {"subject": memory["subject_name"], "object": memory["object_text"]}
    if hit.memory["kind"] == "chunk":
        return {"heading_path": hit.memory["heading_path"]} | _lapsed_words(hit)
    if hit.turns:
        told = [
            {"id": turn["id"], "speaker": turn["speaker"], "text": turn["content"]}
            for turn in hit.turns
        ]
        return {"turns": told} | _lapsed_words(hit)
    return _lapsed_words(hit)


def _lapsed_words(hit: Hit) -> dict[str, Any]:
    if not hit.marks:
        return {}
    return {
        lapse.value: [
            {
                "statement": mark.statement,
                "replaced_by": mark.replaced_by[1] if mark.replaced_by else None,
            }
            for mark in hit.marks
            if mark.lapse is lapse
        ]
        for lapse in Lapse
    }


class StepOut(msgspec.Struct, frozen=True):
    """A step that was asked for: done, skipped or failed, and why it was not done."""

    name: str
    state: str
    reason: str | None

    @classmethod
    def of(cls, step: Step) -> StepOut:
        """The wire form of a step."""
        return cls(step.name.value, step.state.value, step.reason or None)


class FloorOut(msgspec.Struct, frozen=True):
    """What `min_score` did: by which step of the ladder hits stand here, how many candidates were
    held back, and the relevance of the best of these."""

    match: str
    held_back: int
    best_held_back: float | None

    @classmethod
    def of(cls, found: Found) -> FloorOut | None:
        """The wire form of a floor; None where none was asked for."""
        if found.match is None:
            return None
        best = None if found.held_best is None else round(found.held_best, 4)
        return cls(found.match.value, found.held, best)


class FoundOut(msgspec.Struct, frozen=True):
    """Hits in order, with how they came about; `bundle` or `relevant_context` holds the prompt form
    where asked for, which is an empty text where nothing of it helps.

    `mode` is what ran in the end, `without` says why no walk did where one was asked for, and
    `empty` why there is no hit.
    """

    hits: list[HitOut]
    mode: str
    count: int
    candidates: int
    tokens: int
    dropped_for_budget: int
    milliseconds: dict[str, float]
    core_blocks: list[BlockOut]
    bundle: str | None = None
    relevant_context: str | None = None
    without: str | None = None
    floor: FloorOut | None = None
    steps: list[StepOut] = []
    empty: str | None = None

    @classmethod
    async def made(cls, found: Found, asked: SearchIn, block: str | None = None) -> FoundOut:
        """The same as `of`, in a thread where long texts are cut for a bundle."""
        texts = [hit.memory["content"] for hit in found.hits] if asked.form != "json" else []
        return await aside(texts, lambda: cls.of(found, asked, block), READ)

    @classmethod
    def of(cls, found: Found, asked: SearchIn, block: str | None = None) -> FoundOut:
        """The wire form of what was found, with the block of context that was made of it."""
        listed, bundled = asked.form in ("json", "both"), asked.form in ("bundle", "both")
        return cls(
            hits=[HitOut.of(hit) for hit in found.hits] if listed else [],
            mode=found.mode.value,
            count=len(found.hits),
            candidates=found.candidates,
            tokens=found.tokens,
            dropped_for_budget=found.dropped,
            milliseconds=told_steps(found.milliseconds),
            core_blocks=[BlockOut.of(row) for row in found.blocks] if listed else [],
            bundle=render(found, asked.query, asked.snippet or SNIPPET) if bundled else None,
            relevant_context=block,
            without=found.without.value if found.without else None,
            floor=FloorOut.of(found),
            steps=[StepOut.of(step) for step in found.steps],
            empty=found.empty.value if found.empty else None,
        )


def _leg(name: str, leg: Leg) -> LegOut:
    return LegOut(leg.rank, round(leg.score, 6) if name in MEASURED else None)


async def context_of(
    blocks: ContextBlocks, found: Found, asked: SearchIn, request: SearchRequest, home: str
) -> str | None:
    """Return the block of context of what was found, weighed as the scope `home` says where the
    request does not; None where none is asked for."""
    if not asked.is_context:
        return None
    how, held = asked.context or ContextIn(), await blocks.defaults(home)
    return await blocks.of(
        found,
        asked.query,
        request.filters.scopes,
        how.to_blend(held),
        limit=asked.limit,
        characters=how.most(held),
        at=request.filters.as_of,
    )
