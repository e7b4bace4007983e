"""Attestations and promotions in a package."""

from __future__ import annotations

from collections.abc import AsyncIterator

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.portability.derived import PAGE, write_restored
from app.portability.derived_records import AttestationRecord, PromotionRecord
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned

ATTESTED = ("id", "scope", "fact", "principal", "at", "revoked_at")
PROMOTED = (
    "id", "scope", "target", "fact", "episode", "attesters", "score", "at", "state", "demoted_at",
)  # fmt: skip


def _row(record: AttestationRecord | PromotionRecord, at: At) -> Row:
    scope = at.scope(record.scope)
    own = record.model_dump(exclude={"copied_to"}, exclude_none=True)
    named = {"scope": scope, "tenant": parse_scope(scope).tenant, "touched_at": at.moment}
    return {
        "line": at.line,
        "scope": scope,
        "subject": record.id,
        "scopes": [scope],
        "id": record.id,
        "fact": record.fact,
        "properties": {**own, **named},
    }


def prepare_attestation(record: AttestationRecord, at: At) -> Row:
    """One principal's word on one fact."""
    return _row(record, at)


def prepare_promotion(record: PromotionRecord, at: At) -> Row:
    """One decision with the ends of its edges."""
    row = _row(record, at)
    row["properties"] |= {"copy": record.copied_to, "attesters": list(record.attesters)}
    ends = {"copy": record.copied_to, "episode": record.episode, "demoted_at": record.demoted_at}
    return {**row, **ends}


async def write_attestation(tx: Tx, batch: Batch) -> Written:
    """Attestations that are new, by id."""
    return await write_restored(tx, batch, "attestation", query=Q.restoring.attestations)


async def write_promotion(tx: Tx, batch: Batch) -> Written:
    """Promotions that are new, by id."""
    return await write_restored(tx, batch, "promotion", query=Q.restoring.promotions)


async def export_attestation(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every attestation, by id."""
    after = ""
    while page := await graph.rows(
        Q.restoring.export_attestations, scopes=chosen.scopes, after=after, limit=PAGE
    ):
        for row in page:
            yield cleaned({name: row["attestation"].get(name) for name in ATTESTED})
        after = page[-1]["attestation"]["id"]


async def export_promotion(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every promotion, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_promotions, scope=scope, after=after, limit=PAGE
        ):
            for row in page:
                own = row["promotion"]
                named = {name: own.get(name) for name in PROMOTED}
                yield cleaned({**named, "copied_to": own["copy"]})
            after = page[-1]["promotion"]["id"]


ATTESTATION = Kind(
    "attestation",
    "attestations.jsonl",
    AttestationRecord,
    prepare_attestation,
    write_attestation,
    export_attestation,
    derived=True,
    serial=True,
)
PROMOTION = Kind(
    "promotion",
    "promotions.jsonl",
    PromotionRecord,
    prepare_promotion,
    write_promotion,
    export_promotion,
    derived=True,
    serial=True,
)
