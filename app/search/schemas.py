"""Wire types of search."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.caller import Caller
from app.kernel.clock import open_end
from app.kernel.wire import Moment, ShortText, TagName, WireModel
from app.search.bundle import render
from app.search.model import Filters, Found, Fusion, Hit, Leg, Mode, SearchRequest

LIMIT_DEFAULT, LIMIT_MOST = 10, 100
QUERY_MOST = 4000  # characters
MMR_WEIGHT = 0.7


class WeightsIn(WireModel):
    """How much each leg counts in the fusion."""

    keyword: Annotated[float, Field(ge=0, le=10)] = 1.0
    vector: Annotated[float, Field(ge=0, le=10)] = 1.0


class SearchIn(WireModel):
    """A question and what an answer must satisfy."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
    ] = Field(description="The question, as plain text.")
    mode: Mode = Field(Mode.HYBRID, description="Which legs run.")
    fusion: Fusion = Field(
        Fusion.WEIGHTED, description="`rrf` (k = 60) or `weighted` (of scores scaled to 0..1)."
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
    kinds: tuple[Literal["episode"], ...] | None = Field(None, description="Kinds of memory.")
    session: ShortText | None = Field(None, description="A session, by id or by your name of it.")
    roles: tuple[Literal["user", "assistant", "tool"], ...] | None = Field(None)
    tags: tuple[TagName, ...] | None = Field(None, max_length=16, description="All must be there.")
    since: Moment | None = Field(None, description="Said at or after this moment.")
    until: Moment | None = Field(None, description="Said at or before this moment.")
    as_of: Moment | None = Field(None, description="As the world was: said by then.")
    known_at: Moment | None = Field(
        None, description="As we knew it: stored by then, not yet gone."
    )
    form: Literal["json", "bundle"] = Field("json", description="`bundle` is for a prompt.")

    def to_request(self, caller: Caller) -> SearchRequest:
        """The search of this caller; NotFound where a scope is not visible."""
        weight = MMR_WEIGHT if self.diversity == "mmr" else self.diversity
        filters = Filters(
            scopes=caller.among(self.scopes),
            sessions=[self.session] if self.session else None,
            roles=list(self.roles) if self.roles else None,
            tags=list(dict.fromkeys(self.tags)) if self.tags else None,
            since=self.since,
            until=self.until,
            as_of=self.as_of,
            known_at=self.known_at,
        )
        return SearchRequest(
            query=self.query,
            filters=filters,
            mode=self.mode,
            fusion=self.fusion,
            weights=(self.weights.keyword, self.weights.vector) if self.weights else None,
            limit=self.limit,
            token_budget=self.token_budget,
            diversity=weight if weight is None else float(weight),
        )


class LegOut(msgspec.Struct, frozen=True):
    """Where a leg had the hit."""

    rank: int
    score: float


class HitOut(msgspec.Struct, frozen=True):
    """One hit: why it is here outside `untrusted`, what was said inside it."""

    id: str
    kind: str
    rank: int
    score: float
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

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        """The wire form of a hit."""
        memory, (start, end) = hit.memory, hit.span
        return cls(
            id=hit.id,
            kind=memory["kind"],
            rank=hit.rank,
            score=round(hit.score, 6),
            score_band=hit.band,
            legs={n: _leg(leg) for n, leg in hit.legs.items()},
            scope=memory["scope"],
            session_id=memory["session_id"],
            role=memory["role"],
            captured_at=memory["captured_at"],
            ingested_at=memory["ingested_at"],
            expired_at=open_end(memory["expired_at"]),
            window={"start": start, "end": end},
            source={
                "episode_id": hit.id,
                "start": start,
                "end": end,
                "author": memory["author"],
                "origin": memory["origin"],
                "content_hash": memory["content_hash"],
            },
            tokens=hit.tokens,
            untrusted={
                "text": memory["content"][start:end],
                "speaker": memory["speaker"],
                "title": memory["title"],
                "tags": memory["tags"] or [],
                "session": memory["session_key"],
            },
        )


class FoundOut(msgspec.Struct, frozen=True):
    """Hits in order, with how they came about; `bundle` holds the prompt form where asked for."""

    hits: list[HitOut]
    mode: str
    count: int
    candidates: int
    tokens: int
    dropped_for_budget: int
    milliseconds: dict[str, float]
    bundle: str | None = None

    @classmethod
    def of(cls, found: Found, form: str) -> FoundOut:
        """The wire form of what was found."""
        return cls(
            hits=[HitOut.of(hit) for hit in found.hits] if form == "json" else [],
            mode=found.mode.value,
            count=len(found.hits),
            candidates=found.candidates,
            tokens=found.tokens,
            dropped_for_budget=found.dropped,
            milliseconds={name: round(ms, 3) for name, ms in found.milliseconds.items()},
            bundle=render(found) if form == "bundle" else None,
        )


def _leg(leg: Leg) -> LegOut:
    return LegOut(leg.rank, round(leg.score, 6))
