"""What one line of a package says, by kind; the published JSON Schema is made from these.

A record holds what cannot be derived: terms, facets, hashes and index tokens are made anew. Times
are ISO 8601 with an offset.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, StringConstraints

from app.access.schemas import PrincipalName, RoleName
from app.kernel.fields import MOST_CHARACTERS, Count, Id, Json, Path, Positive, Unit
from app.kernel.wire import Moment, ShortText, TagName, Title, WireModel
from app.sanitize.metadata import Metadata
from app.sanitize.policy import SanitizePolicy
from app.sanitize.privacy import Level
from app.scopes.rules import ScopeRules


def _vector(packed: str) -> str:
    try:
        size = len(base64.b64decode(packed, validate=True))
    except (ValueError, binascii.Error):
        raise ValueError("must be base64 of little-endian 32-bit floats") from None
    if size == 0 or size % 4:
        raise ValueError("must be base64 of little-endian 32-bit floats")
    return packed


Packed = Annotated[str, AfterValidator(_vector)]
Vector = Annotated[
    Annotated[tuple[float, ...], Field(min_length=1, max_length=8192)] | Packed,
    Field(description="Floats, or base64 of little-endian 32-bit floats."),
]


class ScopeRecord(WireModel):
    """A scope; missing steps of its path are made as well."""

    path: Path = Field(description="tenant, tenant/workspace, or one of the two with a leaf.")
    name: ShortText | None = Field(None, description="A name for people.")
    policy: SanitizePolicy | None = Field(None, description="Sanitising policy of its texts.")
    rules: ScopeRules | None = Field(
        None, description="How members may revise each other, and which upkeep is on."
    )
    created_at: Moment | None = None


class GrantRecord(WireModel):
    """A role in one more scope; in a team's leaf it is a membership."""

    scope: Path
    role: RoleName = "reader"
    subtree: bool = False


class AgentRecord(WireModel):
    """An agent or a user. API keys are secrets and are not part of a package."""

    kind: Literal["agent", "user"]
    name: PrincipalName
    home: Path = Field(description="Scope that it reads and writes by default.")
    role: RoleName = "writer"
    subtree: bool = Field(False, description="The role holds in every scope below home as well.")
    model_family: ShortText | None = None
    public_key: Annotated[str, StringConstraints(max_length=100)] | None = None
    created_at: Moment | None = None
    retired_at: Moment | None = None
    grants: Annotated[tuple[GrantRecord, ...], Field(max_length=1000)] = ()


class SessionRecord(WireModel):
    """A conversation. An episode whose session has no record makes one."""

    scope: Path
    key: ShortText = Field(description="Your own name of the conversation.")
    started_at: Moment | None = None
    ingested_at: Moment | None = None
    expired_at: Moment | None = Field(None, description="When it ceased to hold; none if it does.")
    metadata: dict[ShortText, str | int | float | bool | None] = Field(default_factory=dict)


class ProvenanceRecord(WireModel):
    """Where an episode came from, as its first store recorded it."""

    id: Id
    agent: ShortText
    transport: ShortText
    ingested_at: Moment
    expired_at: Moment | None = None
    model_family: ShortText | None = None
    origin: ShortText | None = None
    signature: Literal["absent", "verified"] = "absent"
    signature_value: Annotated[str, StringConstraints(max_length=200)] | None = None
    trust: Unit = 0.5
    redactions: dict[ShortText, int] = Field(default_factory=dict)


class StatsRecord(WireModel):
    """What was found out about an episode; counters of access are not part of a package."""

    importance: Unit = 0.5
    trust: Unit = 0.5
    is_pinned: bool = False
    consolidation_state: Literal["raw", "consolidated", "failed"] = Field(
        "raw", description="Taken as it is where the package holds what was made of the episode."
    )
    consolidated_at: Moment | None = None
    attempts: Count | None = None
    consolidation_error: Annotated[str, StringConstraints(max_length=1000)] | None = None


class WindowRecord(WireModel):
    """A further window of a long text: `[start, end)` in characters, with its vector."""

    place: Positive
    start: Count
    end: Positive
    embedding: Vector
    embed_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None


class IndexRecord(WireModel):
    """How the vector was made; without it a given vector counts as made from the bare text."""

    embed_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None
    context_terms: Annotated[str, StringConstraints(max_length=65_536)] = ""
    windows: tuple[WindowRecord, ...] = ()


class TripleRecord(WireModel):
    """What a text states, as whoever made the package read it."""

    subject: ShortText
    predicate: ShortText
    object: ShortText


Triples = Annotated[
    tuple[TripleRecord, ...],
    Field(
        max_length=200,
        description="What the text states. Subjects and objects count as names that it holds.",
    ),
]


class EpisodeRecord(WireModel):
    """One thing that was said."""

    scope: Path
    session: ShortText = Field(description="Key of the conversation.")
    role: Literal["user", "assistant", "tool", "system"] = Field(
        "user", description="Who spoke; `system` is refused."
    )
    content: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CHARACTERS)]
    speaker: ShortText | None = Field(None, description="Name of the person or agent who spoke.")
    title: Title | None = Field(None, description="Subject of a mail, title of a record.")
    author: ShortText | None = Field(
        None, description="`agent:tenant:name` or `user:tenant:name`; the importer if unset."
    )
    captured_at: Moment | None = Field(None, description="When it was said.")
    ingested_at: Moment | None = Field(None, description="When its first store took it in.")
    expired_at: Moment | None = Field(None, description="When it ceased to hold; none if it does.")
    timed: bool | None = Field(
        None,
        description="Whether captured_at makes equal texts distinct; if unset, where it is given.",
    )
    tags: Annotated[tuple[TagName, ...], Field(max_length=32)] = ()
    origin: ShortText = Field("import", description="What it came from: an app, a channel.")
    model_family: ShortText | None = Field(None, description="Family of the model that spoke.")
    id: Id | None = Field(None, description="Kept where the package keeps its paths.")
    markers: tuple[ShortText, ...] = Field((), description="Markers cut before it was exported.")
    pii: tuple[ShortText, ...] = Field((), description="Classes of personal data left in.")
    privacy: Level = Field("none", description="How private it is, at least.")
    supersedes: Id | None = Field(None, description="What it was said in the place of.")
    near_duplicate: Id | None = Field(None, description="What it nearly repeats.")
    provenance: ProvenanceRecord | None = None
    stats: StatsRecord | None = None
    assertion: dict[ShortText, Any] | None = Field(
        None, description="A statement that the client made itself, in place of what rules read."
    )
    triples: Triples = ()
    metadata: Metadata = Field(default_factory=dict)
    embedding: Vector | None = None
    index: IndexRecord | None = None


class ChainRecord(WireModel):
    """The head of a tenant's audit chain."""

    tenant: Path
    seq: Count
    hash: Annotated[str, StringConstraints(pattern="^([0-9a-f]{64})?$")]


class TargetRecord(WireModel):
    """What an audit event is about; `id` is the path of a scope."""

    label: Literal[
        "Scope", "Principal", "MemSession", "Episode", "Chunk", "Entity", "MergeRecord", "Fact",
        "Note", "CoreBlock", "BadPattern", "Promotion", "Page", "Document", "KnowledgeBase",
        "Skill", "SkillProposal", "SkillConflict", "ErasureReceipt",
    ]  # fmt: skip
    id: Path


class AuditRecord(WireModel):
    """One audit event, word for word: the chain's hash covers it. `seq` and `hash` are its place in
    the chain of the package; with `origin_seq` and `origin_hash` it stands beside that chain, and
    they are its place in the chain of another installation."""

    id: Id
    tenant: Path
    scope: Path
    kind: ShortText
    outcome: Literal["done", "refused"]
    actor: ShortText
    request: Annotated[str, StringConstraints(max_length=200)] = ""
    at: Moment
    payload: Json
    seq: Positive | None = None
    hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None
    origin_seq: Positive | None = None
    origin_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None
    target: Annotated[str, StringConstraints(max_length=300)] | None = None
    targets: Annotated[tuple[TargetRecord, ...], Field(max_length=100_000)] = ()


def pack_vector(vector: list[float]) -> str:
    """A vector as base64 of little-endian 32-bit floats, which is what models give."""
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def unpack_vector(given: Any) -> list[float]:
    """The floats of either form."""
    if isinstance(given, str):
        floats: list[float] = np.frombuffer(base64.b64decode(given), dtype="<f4").tolist()
        return floats
    return [float(value) for value in given]
