"""What a capture says, before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.sanitize.privacy import Level


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature over the capture, with the moment of signing."""

    value: str
    signed_at: datetime


@dataclass(frozen=True, slots=True)
class Capture:
    """One thing that was said: checked in form, not yet sanitised.

    With an empty `role` it is who hands it in who speaks, or the `speaker` whom he quotes.
    """

    content: str
    session: str
    role: str
    scope: str | None = None
    speaker: str | None = None
    title: str | None = None
    captured_at: datetime | None = None
    origin: str = "api"
    tags: tuple[str, ...] = ()
    model_family: str | None = None
    signature: Signature | None = None
    transport: str = "http"
    privacy: Level = "none"  # at least; what is found raises it
    supersedes: str | None = None  # id of a memory in the place of which this is said
    assertion: str | None = None  # a statement that the client made itself, as JSON


def role_of(role: str, kind: str, speaker: str | None) -> str:
    """Whose words are handed in by a principal of a kind where nothing says so: a user's key has
    its user's, an agent's its own, and where a speaker is named it quotes him."""
    return role or ("user" if kind == "user" or speaker else "assistant")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one capture."""

    index: int
    status: str  # accepted, duplicate or refused
    id: str | None = None
    session_id: str | None = None
    scope: str | None = None
    content_hash: str | None = None
    captured_at: datetime | None = None
    ingested_at: datetime | None = None
    redactions: int = 0
    markers: tuple[str, ...] = ()
    indexed: bool = False
    privacy: Level = "none"
    supersedes: str | None = None
    error: str | None = None
    detail: str | None = None
    field: str | None = None
