"""The rows of one transaction: pure, given ids and a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.facts.claim import Tier
from app.indexing.entry import LIVE, Facts, entry
from app.kernel.clock import FOREVER
from app.kernel.ids import digest
from app.notes.candidates import namespace_facet
from app.notes.decide import ends_at
from app.notes.model import KINDS_OF, Decision, Draft, Namespace, Standing
from app.sanitize.privacy import highest, number
from app.sanitize.step import SANITIZER_VERSION, Sanitized

WAITING = "withheld"  # index state of what nobody may find
TRUST = {Tier.USER: 0.8, Tier.QUOTED: 0.75, Tier.TOOL: 0.7, Tier.AGENT: 0.5, Tier.EXTERNAL: 0.3}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Under which id, where, by whom and when a note is stored."""

    id: str
    scope: str
    tenant: str
    author: str
    tier: Tier
    valid_from: datetime
    ingested_at: datetime


def shelf_id(scope: str, namespace: Namespace) -> str:
    """The node that writers of one scope and namespace queue at."""
    return digest("shelf", scope, namespace)[:32]


def extracted_id(scope: str, namespace: Namespace, turn: str, text: str) -> str:
    """The id of a note that was read out of a turn: the same words of it are the same note."""
    return digest("extracted", scope, namespace, turn, text)[:32]


def version_id(note: str, version: int) -> str:
    return f"{note}~v{version}"


def note_row(draft: Draft, text: Sanitized, stamp: Stamp, decision: Decision) -> dict[str, Any]:
    """Every property of a note, those of its index entry included."""
    live = decision.standing is Standing.HELD
    note = {
        **indexed(draft, text.text, stamp, live=live),
        "id": stamp.id,
        "tenant": stamp.tenant,
        "namespace": str(draft.namespace),
        "entry_type": draft.entry_type,
        "content": text.text,
        "content_hash": digest(text.text),
        "title": draft.title,
        "author": stamp.author,
        "tier": int(stamp.tier),
        "trust": TRUST[stamp.tier],
        "importance": draft.importance,
        "confidence": draft.confidence,
        "confirmations": decision.confirmations,
        "tags": list(draft.tags),
        "standing": str(decision.standing),
        "reason": decision.reason,
        "valid_from": stamp.valid_from,
        "valid_to": ends_at(decision),
        "superseded_at": FOREVER if live else stamp.ingested_at,
        "version": 1,
        "updated_at": stamp.ingested_at,
        "is_pinned": False,
        "marker_ids": list(text.marker_ids),
        "pii": sorted(text.tags),
        "privacy": number(highest(draft.privacy, text.privacy)),
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }
    if decision.standing is Standing.QUARANTINED:
        note["index_state"] = WAITING
    return {key: value for key, value in note.items() if value is not None}


def indexed(draft: Draft, text: str, stamp: Stamp, *, live: bool) -> dict[str, Any]:
    """The index entry of a note; a note that is not held now is not live."""
    facts = Facts(
        memory_id=stamp.id,
        scope=stamp.scope,
        kind=KINDS_OF.get(draft.namespace, "note"),
        captured_at=stamp.valid_from,
        ingested_at=stamp.ingested_at,
        title=draft.title or "",
        tags=draft.tags,
    )
    made = entry(facts, text)
    made["facets"] = [*made["facets"], namespace_facet(draft.namespace)]
    if not live:
        made["live"] = False
        made["facets"] = [facet for facet in made["facets"] if facet != LIVE]
    return made
