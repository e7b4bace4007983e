"""Wire types of capture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, WrapValidator

from app.episodes.model import Capture, Receipt, Signature
from app.errors import LociError
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.kernel.wire import Moment, ShortText, TagName, Title, WireModel, each, metadata_of
from app.sanitize.privacy import Level, named

BATCH_LIMIT = 64
SPOKE = (
    "Who spoke; `system` is refused. If unset, `user` by a user's key or where a `speaker` is "
    "named, else `assistant`: an agent's own words. `user` by an agent's key is a quotation, and "
    "stays below that user's own word."
)


class SignatureIn(WireModel):
    """Ed25519 over the SHA-256 of scope, session, role, moment and content; see the guide."""

    value: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        description="The signature in base64."
    )
    signed_at: Moment = Field(description="When it was signed; at most 60 seconds off.")


class EpisodeIn(WireModel):
    """One thing that was said."""

    content: Annotated[str, StringConstraints(min_length=1)] = Field(description="What was said.")
    session: ShortText = Field(description="Your own name of the conversation.")
    role: Literal["user", "assistant", "tool", "system"] | None = Field(None, description=SPOKE)
    scope: str | None = Field(None, description="Scope path to write to; the key's home if unset.")
    speaker: ShortText | None = Field(None, description="Name of the person or agent who spoke.")
    title: Title | None = Field(None, description="Subject of a mail, title of a record.")
    captured_at: Moment | None = Field(
        None, description="When it was said; a given moment makes equal texts distinct."
    )
    origin: ShortText = Field("api", description="What it came from: an app, a channel.")
    tags: tuple[TagName, ...] = Field((), max_length=32, description="Labels to filter by.")
    model_family: ShortText | None = Field(None, description="Family of the model that spoke.")
    privacy: Level = Field(
        "none", description="At least so private; what is found in the text may raise it."
    )
    supersedes: ShortText | None = Field(
        None,
        description="Id of an earlier episode or note in the place of which this is said: a hint, "
        "which ends nothing. You have to see it and may write where it is.",
    )
    signature: SignatureIn | None = Field(None, description="Checked against the author's key.")

    def to_capture(self, transport: str) -> Capture:
        """The capture that this describes."""
        signature = self.signature
        return Capture(
            content=self.content,
            session=self.session,
            role=self.role or "",
            scope=self.scope,
            speaker=self.speaker,
            title=self.title,
            captured_at=self.captured_at,
            origin=self.origin,
            tags=tuple(dict.fromkeys(self.tags)),
            model_family=self.model_family,
            privacy=self.privacy,
            supersedes=self.supersedes,
            signature=Signature(signature.value, signature.signed_at) if signature else None,
            transport=transport,
        )


class EpisodeBatchIn(WireModel):
    """Several things that were said, in order; a bad one is refused by itself."""

    episodes: Annotated[
        tuple[Annotated[EpisodeIn, WrapValidator(each)], ...],
        Field(min_length=1, max_length=BATCH_LIMIT),
    ]

    def to_captures(self, transport: str = "http") -> list[Capture | LociError]:
        """The captures that this describes, and in the place of a bad one what is wrong with it."""
        read: Iterable[EpisodeIn | LociError] = self.episodes
        return [
            item if isinstance(item, LociError) else item.to_capture(transport) for item in read
        ]


class ReceiptOut(msgspec.Struct, frozen=True, omit_defaults=False):
    """What became of one capture. `id` names the first episode where this one is a duplicate.

    `supersedes` is the hint as far as it counts, `near_duplicate` what it nearly repeats: known
    once the vector is there, so only where that was waited for.
    """

    index: int
    status: Literal["accepted", "duplicate", "refused"]
    id: str | None
    session_id: str | None
    scope: str | None
    content_hash: str | None
    captured_at: datetime | None
    ingested_at: datetime | None
    redactions: int
    markers: list[str]
    indexed: bool
    consolidated: bool
    privacy: Level
    supersedes: str | None
    near_duplicate: str | None
    error: str | None = None
    detail: str | None = None
    field: str | None = None

    @classmethod
    def of(
        cls, receipt: Receipt, reached: str | None = None, near: Mapping[str, str] | None = None
    ) -> ReceiptOut:
        """The wire form of a receipt; `reached` is what was waited for and came to be, and `near`
        names by episode what it nearly repeats."""
        return cls(
            index=receipt.index,
            status=receipt.status,  # type: ignore[arg-type]
            id=receipt.id,
            session_id=receipt.session_id,
            scope=receipt.scope,
            content_hash=receipt.content_hash,
            captured_at=receipt.captured_at,
            ingested_at=receipt.ingested_at,
            redactions=receipt.redactions,
            markers=list(receipt.markers),
            indexed=reached == "indexed" and receipt.id is not None,
            consolidated=reached == "consolidated" and receipt.id is not None,
            privacy=receipt.privacy,
            supersedes=receipt.supersedes,
            near_duplicate=(near or {}).get(receipt.id or ""),
            error=receipt.error,
            detail=receipt.detail,
            field=receipt.field,
        )


class ReceiptsOut(msgspec.Struct, frozen=True):
    """Receipts in the order of the batch, counted."""

    receipts: list[ReceiptOut]
    accepted: int
    duplicates: int
    refused: int

    @classmethod
    def of(
        cls, receipts: Sequence[Receipt], reached: str | None, near: Mapping[str, str]
    ) -> ReceiptsOut:
        """The wire form of receipts; `reached` and `near` as those of one."""
        statuses = [receipt.status for receipt in receipts]
        return cls(
            receipts=[ReceiptOut.of(receipt, reached, near) for receipt in receipts],
            accepted=statuses.count("accepted"),
            duplicates=statuses.count("duplicate"),
            refused=statuses.count("refused"),
        )


class EpisodeOut(msgspec.Struct, frozen=True):
    """One stored episode; `untrusted` holds what other people or models said."""

    id: str
    scope: str
    role: str
    origin: str | None
    captured_at: datetime
    ingested_at: datetime
    expired_at: datetime | None
    session_id: str | None
    content_hash: str | None
    consolidation_state: str | None
    index_state: str | None
    importance: float | None
    trust: float | None
    is_pinned: bool
    markers: list[str]
    pii: list[str]
    flags: list[str]
    privacy: Level
    supersedes: str | None
    superseded_by: list[str]
    near_duplicate: str | None
    provenance: dict[str, Any]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> EpisodeOut:
        """The wire form of a row of `get_episodes` or `list_episodes`."""
        episode, session = row["episode"], row.get("session") or {}
        return cls(
            id=episode["id"],
            scope=episode["scope"],
            role=episode["role"],
            origin=episode.get("origin"),
            captured_at=episode["captured_at"],
            ingested_at=episode["ingested_at"],
            expired_at=open_end(episode.get("expired_at")),
            session_id=session.get("id") or episode.get("session"),
            content_hash=episode.get("content_hash"),
            consolidation_state=episode.get("consolidation_state"),
            index_state=episode.get("index_state"),
            importance=episode.get("importance"),
            trust=episode.get("trust"),
            is_pinned=bool(episode.get("is_pinned")),
            markers=episode.get("marker_ids") or [],
            pii=episode.get("pii") or [],
            flags=episode.get("flags") or [],
            privacy=named(episode.get("privacy")),
            supersedes=episode.get("supersedes"),
            superseded_by=episode.get("superseded_by") or [],
            near_duplicate=episode.get("near_duplicate"),
            provenance=_provenance(row.get("provenance")),
            untrusted={
                "content": episode["content"],
                "speaker": episode.get("speaker"),
                "title": episode.get("title"),
                "tags": episode.get("tags") or [],
                "session": session.get("key"),
                **metadata_of(episode),
            },
        )


class EpisodesOut(msgspec.Struct, frozen=True):
    """A page of episodes; `next` continues it."""

    items: list[EpisodeOut]
    next: str | None


class SessionOut(msgspec.Struct, frozen=True):
    """A session's manifest: counts and times, not texts."""

    id: str
    scope: str
    started_at: datetime
    episodes: int
    first_at: datetime | None
    last_at: datetime | None
    characters: int
    pending: int
    roles: list[str]
    authors: list[str]
    untrusted: dict[str, Any]

    @classmethod
    def of(cls, row: Row) -> SessionOut:
        """The wire form of a row of `get_session`."""
        session = row["session"]
        return cls(
            id=session["id"],
            scope=session["scope"],
            started_at=session["started_at"],
            episodes=row["episodes"],
            first_at=row["first_at"],
            last_at=row["last_at"],
            characters=row["characters"],
            pending=row["pending"],
            roles=sorted(row["roles"]),
            authors=sorted(row["authors"]),
            untrusted={"key": session["key"], "speakers": sorted(row["speakers"])},
        )


def _provenance(row: Row | None) -> dict[str, Any]:
    hidden = {"expired_at", "scope"}
    return {k: v for k, v in (row or {}).items() if k not in hidden}
