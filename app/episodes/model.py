"""What a capture says, before it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature over the capture, with the moment of signing."""

    value: str
    signed_at: datetime


@dataclass(frozen=True, slots=True)
class Capture:
    """One thing that was said: checked in form, not yet sanitised."""

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
    assertion: str | None = None  # a statement that the client made itself, as JSON


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
    error: str | None = None
    detail: str | None = None
    field: str | None = None
