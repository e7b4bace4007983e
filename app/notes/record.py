"""The rows of one transaction: pure, given ids and a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.facts.claim import Tier
from app.kernel.ids import digest
from app.notes.decide import ends_at
from app.notes.kind import NoteRecord
from app.notes.model import Decision, Draft, Namespace, Standing
from app.sanitize.privacy import highest
from app.sanitize.step import Sanitized

TRUST = {Tier.USER: 0.8, Tier.QUOTED: 0.75, Tier.TOOL: 0.7, Tier.AGENT: 0.5, Tier.EXTERNAL: 0.3}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Under which id, where, by whom and when a note is stored."""

    id: str
    scope: str
    author: str
    tier: Tier
    valid_from: datetime
    ingested_at: datetime


def shelf_id(scope: str, namespace: Namespace) -> str:
    """Return the id of the node that writers of one scope and namespace queue at."""
    return digest("shelf", scope, namespace)[:32]


def extracted_id(scope: str, namespace: Namespace, turn: str, text: str) -> str:
    """The id of a note that was read out of a turn: the same words of it are the same note."""
    return digest("extracted", scope, namespace, turn, text)[:32]


def note_row(draft: Draft, text: Sanitized, stamp: Stamp, decision: Decision) -> dict[str, Any]:
    """Return every property of a note that somebody writes, those of its index entry included."""
    held = decision.standing is Standing.HELD
    fields: dict[str, Any] = {
        "id": stamp.id,
        "scope": stamp.scope,
        "namespace": str(draft.namespace),
        "entry_type": draft.entry_type,
        "content": text.text,
        "title": draft.title,
        "tags": draft.tags,
        "author": stamp.author,
        "tier": int(stamp.tier),
        "standing": str(decision.standing),
        "reason": decision.reason,
        "valid_from": stamp.valid_from,
        "valid_to": ends_at(decision),
        "superseded_at": None if held else stamp.ingested_at,
        "confidence": draft.confidence,
        "confirmations": decision.confirmations,
        "importance": draft.importance,
        "trust": TRUST[stamp.tier],
        "markers": text.marker_ids,
        "pii": tuple(sorted(text.tags)),
        "privacy": highest(draft.privacy, text.privacy),
    }
    return NoteRecord.model_construct(**fields).row(stamp.id, stamp.ingested_at)
