"""From a capture to the rows of one transaction: pure, given ids and a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.episodes.model import Capture
from app.indexing.entry import Facts, entry
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import FOREVER
from app.kernel.ids import digest, new_id
from app.sanitize.privacy import highest, number
from app.sanitize.step import SANITIZER_VERSION, Sanitized
from app.scopes.sessions import session_id

IMPORTANCE = 0.5  # of a new episode
TRUST = 0.5  # before anything is known of its author


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A capture that has passed the sanitising step, with its scope settled."""

    capture: Capture
    scope: str
    text: Sanitized
    signature: str  # absent or verified


def tag_id(scope: str, name: str) -> str:
    """The id of a tag, which belongs to one scope."""
    return digest("tag", scope, name)[:32]


def content_hash(text: str) -> str:
    """SHA-256 (hex) of a cleaned text."""
    return digest(text)


def dedup_key(scope: str, session: str, author: str, text_hash: str, at: datetime | None) -> str:
    """One value for captures that are the same; a given moment makes repeats distinct."""
    return digest("episode", scope, session, author, text_hash, at.isoformat() if at else "")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Under which id, by whom and when an episode is stored.

    `agent` is who hands it in, `author` who said it; `timed` tells whether the moment makes equal
    texts distinct.
    """

    id: str
    tenant: str
    author: str
    agent: str
    captured_at: datetime
    ingested_at: datetime
    timed: bool
    expired_at: datetime = FOREVER


def to_row(caller: Caller, index: int, cleaned: Cleaned, ingested_at: datetime) -> dict[str, Any]:
    """The parameters of `episodes.capture` for one capture."""
    capture, scope = cleaned.capture, cleaned.scope
    stamp = Stamp(
        id=new_id(),
        tenant=caller.tenant,
        author=caller.principal,
        agent=caller.principal,
        captured_at=capture.captured_at or ingested_at,
        ingested_at=ingested_at,
        timed=capture.captured_at is not None,
    )
    # An import asks for no near repeats: a query by vector for each text would double its time.
    episode = {**episode_row(cleaned, stamp), "repeats_due": True}
    session = session_row(cleaned, stamp)
    return {
        "index": index,
        "episode": episode,
        "session": session,
        "provenance": provenance_row(cleaned, stamp),
        "tags": tag_rows(scope, capture.tags),
        "audit": audit.event(
            caller,
            "capture",
            scope,
            content_hash=episode["content_hash"],
            session=session["id"],
            redactions=len(cleaned.text.redactions),
            markers=list(cleaned.text.marker_ids),
        ),
    }


def episode_row(cleaned: Cleaned, stamp: Stamp) -> dict[str, Any]:
    """Every property of an episode, those of its index entry included."""
    capture, scope = cleaned.capture, cleaned.scope
    session = session_id(scope, capture.session)
    hashed = content_hash(cleaned.text.text)
    facts = Facts(
        memory_id=stamp.id,
        scope=scope,
        kind="episode",
        captured_at=stamp.captured_at,
        ingested_at=stamp.ingested_at,
        session=session,
        role=capture.role,
        speaker=capture.speaker or "",
        title=capture.title or "",
        tags=capture.tags,
        expired_at=stamp.expired_at,
    )
    moment = stamp.captured_at if stamp.timed else None
    episode = {
        **entry(facts, cleaned.text.text),
        "id": stamp.id,
        "tenant": stamp.tenant,
        "author": stamp.author,
        "content": cleaned.text.text,
        "content_hash": hashed,
        "dedup_key": dedup_key(scope, session, stamp.author, hashed, moment),
        "speaker": capture.speaker,
        "title": capture.title,
        "origin": capture.origin,
        "assertion": capture.assertion,
        "tags": list(capture.tags),
        "importance": IMPORTANCE,
        "trust": TRUST,
        "is_pinned": False,
        "consolidation_state": "raw",
        "marker_ids": list(cleaned.text.marker_ids),
        "pii": sorted(cleaned.text.tags),
        "privacy": number(highest(capture.privacy, cleaned.text.privacy)),
        "supersedes": capture.supersedes,
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }
    return {k: v for k, v in episode.items() if v is not None}


def session_row(cleaned: Cleaned, stamp: Stamp) -> dict[str, Any]:
    """Every property of the session that an episode is the first of."""
    return {
        "id": session_id(cleaned.scope, cleaned.capture.session),
        "key": cleaned.capture.session,
        "scope": cleaned.scope,
        "tenant": stamp.tenant,
        "started_at": stamp.captured_at,
        "ingested_at": stamp.ingested_at,
        "expired_at": FOREVER,
        "metadata": "{}",
    }


def tag_rows(scope: str, tags: Iterable[str]) -> list[dict[str, Any]]:
    """Every property of the tags, which belong to the scope."""
    return [{"id": tag_id(scope, tag), "name": tag, "scope": scope} for tag in tags]


def provenance_row(cleaned: Cleaned, stamp: Stamp) -> dict[str, Any]:
    """Every property of an episode's provenance."""
    capture = cleaned.capture
    row = {
        "id": new_id(),
        "scope": cleaned.scope,
        "ingested_at": stamp.ingested_at,
        "expired_at": FOREVER,
        "agent": stamp.agent,
        "session": session_id(cleaned.scope, capture.session),
        "transport": capture.transport,
        "model_family": capture.model_family,
        "origin": capture.origin,
        "signature": cleaned.signature,
        "trust": TRUST,
        "signature_value": capture.signature.value if capture.signature else None,
        "redactions": orjson.dumps(dict(cleaned.text.pii), option=orjson.OPT_SORT_KEYS).decode(),
    }
    return {k: v for k, v in row.items() if v is not None}
