"""The audit chain: each tenant's events in one order, each hash covering the one before.

Sealing runs apart from writing (a job), so writers never wait for one head. An event that was
changed, taken out or put in between after sealing breaks the chain at its place; one taken off
the end is missed by the head, which knows how many there are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from app.access import repository
from app.access.repository import SEAL_PAGE, AccessRepository
from app.kernel.clock import now
from app.kernel.graph import Row, Tx

NOUNS = {"knowledge_base": "base"}  # what payloads call it, where that is not the noun of the kind


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What a check found; `broken` names the first place that does not fit, and how."""

    tenant: str
    events: int
    head: str
    broken: str | None

    @property
    def intact(self) -> bool:
        return self.broken is None


def chain_hash(previous: str, seq: int, event: Row, target: str) -> str:
    """SHA-256 (hex) over the hash before, the place, and the event in canonical JSON."""
    body = {**event, "seq": seq, "target": target, "previous": previous}
    return hashlib.sha256(orjson.dumps(_canonical(body), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _canonical(body: Row) -> dict[str, Any]:
    return {
        k: v.astimezone(UTC).isoformat() if isinstance(v, datetime) else v
        for k, v in body.items()
        if v is not None
    }


def link(previous: str, seq: int, events: list[Row]) -> list[Row]:
    """Places and hashes for unsealed events, continuing after `seq`."""
    rows: list[Row] = []
    for row in events:
        seq += 1
        target = row["target"] or named(row["event"])
        previous = chain_hash(previous, seq, row["event"], target)
        rows.append({"id": row["event"]["id"], "seq": seq, "hash": previous, "target": target})
    return rows


def named(event: Row) -> str:
    """The id that the payload tells of what an event is about, whose node may be gone before it is
    sealed: under the noun of its kind (`document.take`), or as `id`; empty where it tells none."""
    noun = event["kind"].partition(".")[0]
    payload = orjson.loads(event["payload"])
    found = payload.get(NOUNS.get(noun, noun), payload.get("id"))
    return found if isinstance(found, str) else ""


async def seal_tenant(access: AccessRepository, tenant: str) -> int:
    """Seal everything unsealed of one tenant, a page a transaction; returns how many."""
    total = 0

    async def page(tx: Tx) -> int:
        head = await repository.lock_head(tx, tenant, now())
        events = await repository.unsealed(tx, tenant)
        if events:
            await repository.seal(tx, tenant, link(head["hash"], head["seq"], events))
        return len(events)

    while True:
        sealed = await access.graph.write("access.seal", page)
        total += sealed
        if sealed < SEAL_PAGE:
            return total


async def check_chain(access: AccessRepository, tenant: str) -> ChainReport:
    """Walk the whole chain of a tenant and compare each place with its hash."""
    head = await access.chain_head(tenant) or {"seq": 0, "hash": ""}
    previous, seq = "", 0
    while page := await access.chain_page(tenant, seq):
        for row in page:
            if row["seq"] != seq + 1:
                return ChainReport(tenant, seq, previous, f"event {seq + 1} is missing")
            seq += 1
            expected = chain_hash(previous, seq, row["event"], row["target"])
            if row["hash"] != expected:
                changed = f"event {seq} ({row['event']['id']}) was changed"
                return ChainReport(tenant, seq, previous, changed)
            previous = expected
    if (head["seq"], head["hash"]) != (seq, previous):
        return ChainReport(tenant, seq, previous, f"the head knows {head['seq']} events, not {seq}")
    return ChainReport(tenant, seq, previous, None)
