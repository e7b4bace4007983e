"""From a capture to the rows of one transaction: pure, given ids and a clock."""

from __future__ import annotations

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
from app.sanitize.step import SANITIZER_VERSION, Sanitized

IMPORTANCE = 0.5  # of a new episode
TRUST = 0.5  # before anything is known of its author


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A capture that has passed the sanitising step, with its scope settled."""

    capture: Capture
    scope: str
    text: Sanitized
    signature: str  # absent or verified


def session_id(scope: str, key: str) -> str:
    """The id of the session that goes by `key` in `scope`."""
    return digest("session", scope, key)[:32]


def tag_id(scope: str, name: str) -> str:
    """The id of a tag, which belongs to one scope."""
    return digest("tag", scope, name)[:32]


def content_hash(text: str) -> str:
    """SHA-256 (hex) of a cleaned text."""
    return digest(text)


def dedup_key(scope: str, session: str, author: str, text_hash: str, at: datetime | None) -> str:
    """One value for captures that are the same; a given moment makes repeats distinct."""
    return digest("episode", scope, session, author, text_hash, at.isoformat() if at else "")


def to_row(caller: Caller, index: int, cleaned: Cleaned, ingested_at: datetime) -> dict[str, Any]:
    """The parameters of `episodes.capture` for one capture."""
    capture, scope = cleaned.capture, cleaned.scope
    session = session_id(scope, capture.session)
    captured_at = capture.captured_at or ingested_at
    identifier = new_id()
    hashed = content_hash(cleaned.text.text)
    facts = Facts(
        memory_id=identifier,
        scope=scope,
        kind="episode",
        captured_at=captured_at,
        ingested_at=ingested_at,
        session=session,
        role=capture.role,
        speaker=capture.speaker or "",
        tags=capture.tags,
    )
    episode = {
        **entry(facts, cleaned.text.text),
        "id": identifier,
        "tenant": caller.tenant,
        "author": caller.principal,
        "content": cleaned.text.text,
        "content_hash": hashed,
        "dedup_key": dedup_key(scope, session, caller.principal, hashed, capture.captured_at),
        "speaker": capture.speaker,
        "origin": capture.origin,
        "tags": list(capture.tags),
        "importance": IMPORTANCE,
        "trust": TRUST,
        "is_pinned": False,
        "consolidation_state": "raw",
        "marker_ids": list(cleaned.text.marker_ids),
        "pii": sorted(cleaned.text.tags),
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }
    return {
        "index": index,
        "episode": {k: v for k, v in episode.items() if v is not None},
        "session": {
            "id": session,
            "key": capture.session,
            "scope": scope,
            "tenant": caller.tenant,
            "started_at": captured_at,
            "ingested_at": ingested_at,
            "expired_at": FOREVER,
            "metadata": "{}",
        },
        "provenance": _provenance(caller, cleaned, session, ingested_at),
        "tags": [{"id": tag_id(scope, t), "name": t, "scope": scope} for t in capture.tags],
        "audit": audit.event(
            caller,
            "capture",
            scope,
            content_hash=hashed,
            session=session,
            redactions=len(cleaned.text.redactions),
            markers=list(cleaned.text.marker_ids),
        ),
    }


def _provenance(caller: Caller, cleaned: Cleaned, session: str, at: datetime) -> dict[str, Any]:
    capture = cleaned.capture
    row = {
        "id": new_id(),
        "scope": cleaned.scope,
        "ingested_at": at,
        "expired_at": FOREVER,
        "agent": caller.principal,
        "session": session,
        "transport": capture.transport,
        "model_family": capture.model_family,
        "origin": capture.origin,
        "signature": cleaned.signature,
        "trust": TRUST,
        "signature_value": capture.signature.value if capture.signature else None,
        "redactions": orjson.dumps(dict(cleaned.text.pii), option=orjson.OPT_SORT_KEYS).decode(),
    }
    return {k: v for k, v in row.items() if v is not None}
