"""From statements to the rows of facts and claims: pure, given resolved ids and a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.extraction.model import Mode, Moment, Precision, Statement
from app.facts.claim import Authority, Claim, Tier
from app.indexing.entry import LIVE, entry
from app.indexing.entry import Facts as EntryFacts
from app.kernel.clock import FOREVER
from app.kernel.ids import digest

DERIVED_TRUST = 0.9  # of the source's trust (seed 001, annex 3.a)
IMPORTANCE = 0.5  # of a new fact
OPEN_END = "ended"  # predicate of an end that leaves open what ended


@dataclass(frozen=True, slots=True)
class Thing:
    """An end of a statement: an entity, or a literal.

    `key` is the literal's key, or `entity:` and the id; `root` is the id of the entity's cluster.
    """

    kind: str
    key: str
    text: str
    id: str | None = None
    root: str | None = None
    name: str = ""  # canonical key of the entity's name, which is the same in every scope

    @property
    def name_key(self) -> str:
        """The key by which values of different scopes are compared."""
        return f"name:{self.name}" if self.root else self.key

    @property
    def root_key(self) -> str:
        """The key by which values are compared: merged entities are one value."""
        return f"entity:{self.root}" if self.root else self.key


@dataclass(frozen=True, slots=True)
class Triple:
    """A statement with its ends settled, in one scope."""

    scope: str
    tenant: str
    subject: Thing
    predicate: str
    object: Thing
    negated: bool = False
    qualifier: str = ""
    fits: tuple[str, ...] = ()

    @property
    def fact_id(self) -> str:
        """The same statement is the same fact, whoever makes it."""
        parts = (self.scope, self.subject.id or "", self.predicate, self.object.key)
        more = [part for part in (self.qualifier, " ".join(self.fits)) if part]
        return digest("fact", *parts, str(self.negated), *more)[:32]

    def belief_key(self, functional: bool) -> str:
        """What is settled together: one value at a time, or this value alone."""
        return belief_key(
            self.scope,
            self.subject.root or self.subject.id or "",
            self.predicate,
            None if functional else self.object.root_key,
            self.qualifier,
        )


@dataclass(frozen=True, slots=True)
class Source:
    """The episode that a claim comes from."""

    episode: str
    said_at: datetime
    recorded_at: datetime
    authority: Authority
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """How a fact reads, in its own language."""

    statement: str
    language: str


def belief_key(
    scope: str, subject: str, predicate: str, value: str | None, qualifier: str = ""
) -> str:
    """Digest of the scope, the subject's cluster, the predicate, the value if it counts, and what
    the value is qualified by, if anything."""
    more = [qualifier] if qualifier else []
    return digest("belief", scope, subject, predicate, value or "", *more)[:32]


def claim_id(
    episode: str, fact: str, start: int, *, partial: bool = False, dated: bool = False
) -> str:
    """The same span of the same episode makes one claim about a fact, however often it is read;
    another one, where a later reading accounts for all of its words, or no longer does, or takes it
    for a change that is told with its date."""
    more = [*(["partial"] if partial else []), *(["dated"] if dated else [])]
    return digest("claim", episode, fact, str(start), *more)[:32]


def proposed_claim_id(episode: str, fact: str) -> str:
    """A model's proposals of one fact from one episode are one claim, whichever words it quotes."""
    return digest("claim", episode, fact, "model")[:32]


def fact_row(triple: Triple, key: str, wording: Wording, source: Source) -> dict[str, Any]:
    """A new fact, not believed until its key is settled."""
    facts = EntryFacts(
        memory_id=triple.fact_id,
        scope=triple.scope,
        kind="fact",
        captured_at=source.said_at,
        ingested_at=source.recorded_at,
    )
    made = entry(facts, wording.statement, wording.language)
    properties = {
        **made,
        "facets": [token for token in made["facets"] if token != LIVE],
        "id": triple.fact_id,
        "tenant": triple.tenant,
        "subject": triple.subject.id,
        "subject_text": triple.subject.text,
        "predicate": triple.predicate,
        "object_kind": triple.object.kind,
        "object_key": triple.object.key,
        "object_text": triple.object.text,
        "object_id": triple.object.id,
        "negated": triple.negated,
        "qualifier": triple.qualifier or None,
        "fits": list(triple.fits) or None,
        "statement": wording.statement,
        "content": wording.statement,
        "status": "superseded",
        "confidence": 0.0,
        "evidence": 0,
        "principals": 0,
        "trust": 0.0,
        "importance": IMPORTANCE,
        "is_pinned": False,
        "live": False,
        "valid_from": source.said_at,
        "valid_to": source.said_at,
        "windows": 1,
    }
    return {
        "id": triple.fact_id,
        "key": key,
        "properties": {k: v for k, v in properties.items() if v is not None},
    }


def claim_row(
    triple: Triple, statement: Statement, source: Source, replaced: Thing | None
) -> dict[str, Any]:
    """A SUPPORTS edge: what one span says, and on whose authority.

    `replaced` is the value that the text names as the old one.
    """
    held = source.authority
    identity = (
        proposed_claim_id(source.episode, triple.fact_id)
        if statement.model
        else claim_id(
            source.episode,
            triple.fact_id,
            statement.span.start,
            partial=bool(statement.rest),
            dated=statement.ongoing is None,
        )
    )
    properties = {
        "id": identity,
        "start": statement.span.start,
        "end": statement.span.end,
        "mode": statement.mode.value,
        "said_at": source.said_at,
        "recorded_at": source.recorded_at,
        "since": statement.since.at if statement.since else None,
        "since_precision": statement.since.precision.value if statement.since else None,
        "until": statement.until.at if statement.until else None,
        "until_precision": statement.until.precision.value if statement.until else None,
        "ongoing": statement.ongoing,
        "confidence": statement.confidence,
        "tier": int(held.tier),
        "principal": held.principal,
        "trust": held.trust,
        "own": held.own,
        "voice": held.voice or None,
        "voids": replace(triple, object=replaced, negated=False).fact_id if replaced else None,
        "voids_name": replaced.name_key if replaced else None,
        "rest": statement.rest or None,
        "rule": statement.rule,
        "model": statement.model,
        "language": source.language,
    }
    return {
        "id": identity,
        "episode": source.episode,
        "fact": triple.fact_id,
        "properties": {k: v for k, v in properties.items() if v is not None},
    }


def read_claim(row: dict[str, Any], fact: str, value: str, voids: str | None) -> Claim:
    """The claim that a SUPPORTS edge holds; `voids` is the value that it names as an error."""
    return Claim(
        id=row["id"],
        fact=fact,
        value=value,
        mode=Mode(row["mode"]),
        said_at=row["said_at"],
        authority=Authority(
            tier=Tier(row["tier"]),
            principal=row["principal"],
            trust=row["trust"],
            own=row.get("own", False),
            voice=row.get("voice", ""),
        ),
        start=_moment(row, "since"),
        end=_moment(row, "until"),
        ongoing=row.get("ongoing", True),
        confidence=row["confidence"],
        voids=voids,
        partial=bool(row.get("rest")),
    )


def _moment(row: dict[str, Any], name: str) -> Moment | None:
    at = row.get(name)
    return None if at is None else Moment(at, Precision(row[f"{name}_precision"]))


def unique(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows by id, each once, in the order of their ids: two writers cannot wait for each other."""
    return sorted({row["id"]: row for row in rows}.values(), key=lambda row: str(row["id"]))


def expired(fact: dict[str, Any]) -> bool:
    """Whether a fact was forgotten."""
    return bool(fact["expired_at"] < FOREVER)
