"""Wire types of erasure, forgetting, feedback, attestation and the learning log."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, get_args

import msgspec
import orjson
from pydantic import Field, model_validator

from app.contexts.staleness import Verdict
from app.kernel.graph import Row
from app.kernel.wire import ShortText, WireModel
from app.lifecycle.duplicates import Double
from app.lifecycle.forgetting import Kept
from app.lifecycle.model import Named, Target
from app.lifecycle.requests import Queued
from app.lifecycle.upkeep import ENTRIES, RotReport, Rotten

TARGETS: tuple[Named, ...] = get_args(Named)


class ErasureIn(WireModel):
    """What is to go: exactly one of memory, session, author, speaker and person."""

    memory: ShortText | None = Field(
        None, description="Id of an episode, a fact, a note, a skill, a page or a document."
    )
    session: ShortText | None = Field(None, description="Id or key of a session.")
    author: ShortText | None = Field(
        None, description="Id of a principal: all that it said, handed in and wrote."
    )
    speaker: ShortText | None = Field(None, description="Name of a speaker, as it was captured.")
    person: ShortText | None = Field(
        None,
        description="Id of an entity, or a full name: what he said, and what anybody said of him.",
    )
    principal: ShortText | None = Field(
        None, description="Of a person, the id of his principal: all that it wrote goes as well."
    )
    scope: ShortText | None = Field(
        None,
        description="Scope of the session, author or speaker; the key's home if unset. Of a person "
        "with everything below it; the entity's if unset, the key's home for a name.",
    )
    sources: bool = Field(
        False, strict=True, description="Erase the episodes that support a named fact as well."
    )
    dry_run: bool = Field(False, strict=True, description="Tell what would go, and leave it.")

    @model_validator(mode="after")
    def _one(self) -> ErasureIn:
        if sum(getattr(self, name) is not None for name in TARGETS) != 1:
            raise ValueError(f"give exactly one of {', '.join(TARGETS)}")
        if self.principal is not None and self.person is None:
            raise ValueError("principal goes with person")
        return self

    def target(self) -> Target:
        """What was named."""
        kind = next(name for name in TARGETS if getattr(self, name) is not None)
        return Target(kind, getattr(self, kind), self.scope, self.sources, self.principal)


class PreviewOut(msgspec.Struct, frozen=True):
    """What an erasure would take; `refused` holds scopes that this key does not administer.

    `skill_versions` and `page_versions` are an author's versions of skills and pages that are
    somebody else's; `names` those by which texts about a person are found; `pages` and documents
    that go whole, since one of their passages does or none tells whose they are; `declared` what
    goes or changes of other kinds, such as pools; `working` counts values of working memory and
    short-term entries.
    """

    target: str
    episodes: list[str]
    facts: list[str]
    notes: list[str]
    skills: list[str]
    skill_versions: list[str]
    facts_kept: list[str]
    survivors: list[str]
    scopes: list[str]
    hashes: dict[str, list[str]]
    refused: list[str]
    complete: bool
    names: list[str] = []
    pages: list[str] = []
    page_versions: list[str] = []
    declared: dict[str, list[str]] = {}
    working: int = 0


class ErasureOut(msgspec.Struct, frozen=True):
    """A receipt without the ids of what went: a kept answer must not name them.

    `state` is `queued` while a job works on it, `removing` until nothing quotes what went, then
    `done`. `survivors` are episodes that still say what an erased fact said.
    """

    receipt: str
    state: str
    counts: dict[str, int] = {}
    hashes: list[str] = []
    survivors: list[str] = []
    job: str | None = None
    preview: PreviewOut | None = None

    @classmethod
    def of(cls, row: Row | Queued) -> ErasureOut:
        """The wire form of a receipt, or of one that a job will fill."""
        if isinstance(row, Queued):
            return cls(row.receipt, "queued", job=row.job)
        return cls(
            receipt=row["id"],
            state=row["state"],
            counts=orjson.loads(row["counts"]),
            hashes=row["hashes"],
            survivors=row["survivors"],
        )


class ScopePreviewOut(msgspec.Struct, frozen=True):
    """What the deletion of a scope would take.

    `counts` are nodes by label; `principals` live in it and go with their `keys`; `crossing` are
    ids in other scopes that were made from what goes; `refused` holds scopes of those that this key
    does not administer.
    """

    scopes: list[str]
    counts: dict[str, int]
    principals: list[str]
    keys: int
    crossing: list[str]
    refused: list[str]


class DeletionOut(msgspec.Struct, frozen=True):
    """`state` is `queued` while a job works on it, then that of the receipt."""

    receipt: str
    state: str
    counts: dict[str, int] = {}
    job: str | None = None
    preview: ScopePreviewOut | None = None

    @classmethod
    def of(cls, row: Row | Queued) -> DeletionOut:
        """The wire form of a receipt, or of one that a job will fill."""
        if isinstance(row, Queued):
            return cls(row.receipt, "queued", job=row.job)
        return cls(row["id"], row["state"], orjson.loads(row["counts"]))


class ReceiptOut(msgspec.Struct, frozen=True):
    """A receipt in full: ids and hashes of everything that went, never content."""

    receipt: str
    kind: str
    target: str
    scope: str
    scopes: list[str]
    by: str
    at: datetime
    finished_at: datetime | None
    state: str
    counts: dict[str, int]
    ids: list[str]
    hashes: list[str]
    survivors: list[str]

    @classmethod
    def of(cls, row: Row) -> ReceiptOut:
        """The wire form of an ErasureReceipt."""
        named = ("kind", "target", "scope", "scopes", "by", "at", "state", "ids", "hashes")
        return cls(
            receipt=row["id"],
            finished_at=row.get("finished_at"),
            counts=orjson.loads(row["counts"]),
            survivors=row["survivors"],
            **{name: row[name] for name in named},
        )


class ReceiptsOut(msgspec.Struct, frozen=True):
    """A page of receipts, newest first; `next` is the id to continue after."""

    items: list[ReceiptOut]
    next: str | None


class CheckIn(WireModel):
    """What to look for beside ids."""

    text: ShortText | None = Field(None, description="A text that must be nowhere any more.")


class CheckOut(msgspec.Struct, frozen=True):
    """A check that a job makes; whoever asked, and an admin of the tenant, reads its result."""

    receipt: str
    job: str
    state: str = "queued"

    @classmethod
    def of(cls, queued: Queued) -> CheckOut:
        """The wire form of a check that was asked for."""
        return cls(queued.receipt, queued.job)


class KeptOut(msgspec.Struct, frozen=True):
    """How a memory stands; `changed` tells whether this request did it."""

    id: str
    changed: bool
    forgotten: bool
    is_pinned: bool

    @classmethod
    def of(cls, kept: Kept) -> KeptOut:
        """The wire form of how a memory stands."""
        return cls(kept.id, kept.changed, kept.forgotten, kept.pinned)


class ForgetIn(WireModel):
    """Which facts to forget: exactly one of id, name and all_of_user."""

    id: ShortText | None = Field(None, description="Id of a fact.")
    name: ShortText | None = Field(None, description="Name of what the facts are about.")
    all_of_user: ShortText | None = Field(
        None, description="A user's own scope: every memory in it is forgotten."
    )
    scope: ShortText | None = Field(None, description="Where the name is looked for; all if unset.")

    @model_validator(mode="after")
    def _one(self) -> ForgetIn:
        if sum(v is not None for v in (self.id, self.name, self.all_of_user)) != 1:
            raise ValueError("give exactly one of id, name and all_of_user")
        return self


class ForgottenOut(msgspec.Struct, frozen=True):
    """How many memories were hidden; none the second time."""

    forgotten: int


class StaleOut(msgspec.Struct, frozen=True):
    """A stale note: `score` = .4 age + .3 access + .3 unimportance; from .7 it is for review, from
    .9 for the archive."""

    memory: str
    verdict: str
    score: float
    age: float
    access: float
    unimportance: float

    @classmethod
    def of(cls, rotten: Rotten) -> StaleOut:
        """The wire form of a stale note."""
        found = rotten.staleness
        factors = (round(f, 4) for f in (found.age, found.access, found.unimportance))
        return cls(rotten.memory, found.verdict.value, round(found.score, 4), *factors)


class RotOut(msgspec.Struct, frozen=True):
    """How stale the notes of a scope are; nothing was changed by telling it."""

    scope: str
    total: int
    stale: int
    review: int
    archive: int
    entries: list[StaleOut]

    @classmethod
    def of(cls, report: RotReport) -> RotOut:
        """The wire form of a report, with its first thousand entries."""
        return cls(
            scope=report.scope,
            total=report.total,
            stale=len(report.entries),
            review=report.count(Verdict.REVIEW),
            archive=report.count(Verdict.ARCHIVE),
            entries=[StaleOut.of(rotten) for rotten in report.entries[:ENTRIES]],
        )


class DoubleOut(msgspec.Struct, frozen=True):
    """Two memories that say the same; `similarity` is calibrated, 0 to 1."""

    kind: str
    left: str
    right: str
    similarity: float

    @classmethod
    def of(cls, double: Double) -> DoubleOut:
        """The wire form of a proposal."""
        return cls(double.kind, double.left, double.right, double.similarity)


class DuplicatesOut(msgspec.Struct, frozen=True):
    """What a scope says twice; forgetting one of two is a curator's decision."""

    scope: str
    items: list[DoubleOut]


class SweepIn(WireModel):
    """A scope to sweep now."""

    scope: ShortText | None = Field(None, description="Scope path; the key's home if unset.")
    dry_run: bool = Field(True, strict=True, description="Tell what would be forgotten.")


class SweepOut(msgspec.Struct, frozen=True):
    """What a sweep forgot, or would; `archived` are notes that went stale, where the rules of the
    scope switch the nightly profile on."""

    scope: str
    dry_run: bool
    memories: list[str]
    archived: list[str]


class FeedbackIn(WireModel):
    """A word on a memory."""

    memory: ShortText = Field(description="Id of an episode, a fact or a note.")
    verdict: Literal["useful", "wrong", "irrelevant"] = Field(
        description="`useful` raises its trust a little; `wrong` puts it before a curator."
    )


class FeedbackOut(msgspec.Struct, frozen=True):
    """What was recorded; `recorded` is false where it had been said before. `quarantined` tells
    that a fact which only this user says now waits for a curator."""

    memory: str
    recorded: bool
    useful: int
    trust: float
    trust_bonus: float
    quarantined: bool = False

    @classmethod
    def of(cls, row: Row) -> FeedbackOut:
        """The wire form of what `FeedbackService.give` tells."""
        names = ("memory", "useful", "trust", "trust_bonus", "quarantined")
        return cls(recorded=row["made"], **{name: row[name] for name in names})


class FeedbackItemOut(msgspec.Struct, frozen=True):
    """One word on a memory, with the memory unless it is gone or forgotten; `reviewed` tells that a
    curator has decided on the fact since."""

    id: str
    memory: str
    scope: str
    verdict: str
    principal: str
    at: datetime
    kind: str | None
    standing: str | None
    reviewed: bool
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> FeedbackItemOut:
        """The wire form of a row of `lifecycle.list_feedback`."""
        told, memory = row["feedback"], row["memory"] or {}
        named = ("id", "memory", "scope", "verdict", "principal", "at")
        return cls(
            **{name: told[name] for name in named},
            kind=memory.get("kind"),
            standing=memory.get("standing"),
            reviewed=row["reviewed"],
            untrusted={"text": memory.get("text")},
        )


class FeedbackPageOut(msgspec.Struct, frozen=True):
    """What waits for a curator; `next` is the id to continue after."""

    items: list[FeedbackItemOut]
    next: str | None


class AttestedOut(msgspec.Struct, frozen=True):
    """Who stands for a fact; `changed` tells whether this request did it."""

    fact: str
    changed: bool
    attesters: list[str]

    @classmethod
    def of(cls, row: Row) -> AttestedOut:
        """The wire form of what `PromotionService.attest` tells."""
        return cls(row["fact"], row["changed"], sorted(row["attesters"]))


class PromotionOut(msgspec.Struct, frozen=True):
    """A decision to copy a fact to a wider scope."""

    id: str
    fact: str
    copy: str
    scope: str
    target: str
    attesters: list[str]
    score: float
    at: datetime
    state: str
    demoted_at: datetime | None

    @classmethod
    def of(cls, row: Row) -> PromotionOut:
        """The wire form of a promotion."""
        named = [name for name in cls.__struct_fields__ if name != "demoted_at"]
        return cls(**{name: row[name] for name in named}, demoted_at=row.get("demoted_at"))


class PromotionsOut(msgspec.Struct, frozen=True):
    """Promotions and demotions of some scopes."""

    items: list[PromotionOut]
    next: None = None


class ConsideredOut(msgspec.Struct, frozen=True):
    """How many facts were promoted, and how many copies demoted."""

    scope: str
    promoted: int
    demoted: int


class ConsiderIn(WireModel):
    """A scope whose facts are looked at."""

    scope: ShortText | None = Field(None, description="Scope path; the key's home if unset.")


class LearningOut(msgspec.Struct, frozen=True):
    """One thing that was learnt: ids and counts, no content."""

    id: str
    kind: str
    scope: str
    recorded_at: datetime
    payload: dict[str, Any]

    @classmethod
    def of(cls, entry: Row) -> LearningOut:
        """The wire form of an entry."""
        named = ("id", "kind", "scope", "recorded_at")
        return cls(**{n: entry[n] for n in named}, payload=orjson.loads(entry["payload"]))


class LearningLogOut(msgspec.Struct, frozen=True):
    """The learning log, newest first; `next` continues it."""

    items: list[LearningOut]
    next: str | None
