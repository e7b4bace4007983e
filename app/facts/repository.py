"""Facts in the graph: every write locks its subjects first and settles what it touched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from app.extraction.predicates import Registry
from app.facts.claim import Rules
from app.facts.record import belief_key
from app.facts.revision import Revision, revise
from app.kernel import audit
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

PAGE = 500  # facts whose keys are made anew in one transaction
FACT_MOMENTS = frozenset(("captured_at", "valid_from", "valid_to", "ingested_at", "expired_at"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = frozenset(("valid_from", "valid_to", "expired_at", "said_at", "since", "until"))
SETTLER = "loci"  # who acts where belief follows from the claims alone


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a scope's claims are settled.

    `registry` tells which predicates take one value at a time; `members` is the scope's rule.
    """

    registry: Registry
    members: bool = False

    def single(self, predicate: str, value: str) -> bool:
        """Whether a value shares its belief key with the predicate's other values."""
        known = self.registry.get(predicate)
        if known.functional or known.exclusive is True:
            return True
        return known.exclusive is not False and value in known.exclusive

    def rules(self, predicate: str, value: str) -> Rules:
        """The rules of one belief key."""
        return Rules(functional=self.single(predicate, value), members=self.members)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to write in one transaction.

    `locks` are the entities that its beliefs hang on; `extra` are further keys to settle.
    """

    facts: list[Row]
    claims: list[Row]
    locks: list[str]
    extra: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """The belief keys that the batch touches."""
        return sorted({*self.extra, *(row["key"] for row in self.facts)})


@dataclass(frozen=True, slots=True)
class Settled:
    """What a settlement changed."""

    opened: int
    retracted: int
    quarantined: tuple[str, ...]
    superseded: tuple[str, ...]


class FactRepository:
    """One method a step; those that take a `Tx` run inside the caller's transaction."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def put(self, tx: Tx, batch: Batch, terms: Terms, request: str = "") -> Settled:
        """Write facts and claims, then settle their keys; the entities must be there already."""
        if batch.locks:
            await tx.rows(Q.facts.lock, ids=sorted(set(batch.locks)), at=now())
        if batch.facts:
            await tx.rows(Q.facts.put, **packed(batch))
        return await self.settle(tx, batch.keys, terms, request)

    async def settle(
        self, tx: Tx, keys: Collection[str], terms: Terms, request: str = ""
    ) -> Settled:
        """Bring what is held of some keys in line with their claims; the subjects are locked."""
        if not keys:
            return Settled(0, 0, (), ())
        ordered = sorted(keys)
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in await self._claims_of(tx, ordered):
            groups[row["key"]].append(row)
        at = now()
        revision = Revision()
        for key in sorted(groups):
            rows = groups[key]
            values = {row["fact"]["id"]: row["value"] for row in rows}
            rules = terms.rules(rows[0]["fact"]["predicate"], rows[0]["fact"]["object_key"])
            revision.merge(revise(rows, values, rules, at))
        facts = {row["fact"]["id"]: row["fact"] for rows in groups.values() for row in rows}
        await self._write(tx, revision, facts, at, request)
        return Settled(
            opened=len(revision.open),
            retracted=len(revision.retract),
            quarantined=tuple(sorted({row["fact"] for row in revision.quarantined})),
            superseded=tuple(sorted({row["fact"] for row in revision.superseded})),
        )

    async def _claims_of(self, tx: Tx, keys: list[str]) -> list[Row]:
        """What the keys hold, after facts that nothing supports any more have gone."""
        rows: list[Row] = (await tx.one(Q.facts.claims_of, keys=keys))["rows"]
        lost = sorted({row["key"] for row in rows if not row["claims"]})
        if lost:
            await tx.rows(Q.facts.drop_unsupported, keys=lost)
            rows = (await tx.one(Q.facts.claims_of, keys=keys))["rows"]
        return [_dated(row) for row in rows]

    async def _write(
        self, tx: Tx, revision: Revision, facts: Mapping[str, Row], at: datetime, request: str
    ) -> None:
        if revision.retract or revision.unlink:
            await tx.rows(Q.facts.retract, abouts=revision.retract, links=revision.unlink, at=at)
        if revision.open or revision.superseded or revision.contradictions:
            await tx.rows(
                Q.facts.open,
                abouts=revision.open,
                superseded=revision.superseded,
                contradictions=revision.contradictions,
                at=at,
            )
        if revision.retract:
            # No reader may find a sentence in a note that its fact no longer bears out.
            changed = sorted({row["fact"] for row in revision.retract})
            await tx.rows(Q.condensed.close, facts=changed, at=at)
        if revision.mirror:
            await tx.rows(Q.facts.mirror, rows=revision.mirror)
        if revision.relate:
            await tx.rows(Q.facts.relate, facts=revision.relate, at=at)
        events = [
            *(
                _event("fact.quarantine", facts[row["fact"]], request, reason=row["reason"])
                for row in revision.quarantined
            ),
            *(
                _event(
                    "fact.supersede",
                    facts[row["fact"]],
                    request,
                    by=row["other"],
                    reason=row["properties"]["reason"],
                )
                for row in revision.superseded
            ),
        ]
        if events:
            await tx.rows(Q.facts.write_audit, rows=events)

    async def rekey(self, tx: Tx, entities: Collection[str], terms: Terms) -> list[str]:
        """Give the facts of entities whose root changed their new keys; all keys concerned."""
        rows = await tx.rows(Q.facts.keyed, entities=sorted(entities))
        touched: set[str] = set()
        changed = []
        for row in rows:
            value = f"entity:{row['object_root']}" if row["object_root"] else row["object_key"]
            key = belief_key(
                row["scope"],
                row["subject_root"],
                row["predicate"],
                None if terms.single(row["predicate"], row["object_key"]) else value,
            )
            touched |= {row["key"], key}
            if key != row["key"]:
                changed.append({"id": row["id"], "key": key})
        await tx.rows(Q.facts.rekey, rows=sorted(changed, key=lambda row: row["id"]))
        return sorted(touched)

    async def predicates(self, paths: list[str]) -> list[Row]:
        return await self.graph.rows(Q.facts.predicates, paths=paths)

    async def save_predicate(self, row: Row, event: Row) -> None:
        await self.graph.one(Q.facts.save_predicate, row=row, audit=event)

    async def facts_of_predicate(self, scopes: list[str], predicate: str, after: str) -> list[Row]:
        return await self.graph.rows(
            Q.facts.facts_of_predicate, scopes=scopes, predicate=predicate, after=after, limit=PAGE
        )

    async def get(
        self, ids: list[str], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        return await self.graph.rows(
            Q.facts.get, ids=ids, scopes=scopes, as_of=as_of, known_at=known_at
        )

    async def list_held(self, **params: Any) -> list[Row]:
        return await self.graph.rows(Q.facts.list_held, **params)

    async def list_scope(self, **params: Any) -> list[str]:
        return [row["id"] for row in await self.graph.rows(Q.facts.list_scope, **params)]

    async def timeline(self, **params: Any) -> list[Row]:
        return await self.graph.rows(Q.facts.timeline, **params)

    async def history(self, fact: str, scopes: list[str]) -> Row | None:
        return await self.graph.optional(Q.facts.history, id=fact, scopes=scopes)

    async def quarantined(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        return await self.graph.rows(Q.facts.quarantined, scopes=scopes, after=after, limit=limit)

    async def places(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        rows = await self.graph.rows(Q.facts.places, ids=ids, scopes=scopes)
        return {row["id"]: row for row in rows}


def packed(batch: Batch) -> dict[str, Any]:
    """The parameters of `facts.put`.

    To write a moment takes the driver as long as ten words: each goes once, not with every row.
    """
    facts = [
        {
            "id": row["id"],
            "key": row["key"],
            "said_at": row["properties"]["captured_at"],
            "properties": {k: v for k, v in row["properties"].items() if k not in FACT_MOMENTS},
        }
        for row in batch.facts
    ]
    claims = [
        {**row, "properties": {k: v for k, v in row["properties"].items() if k != "recorded_at"}}
        for row in batch.claims
    ]
    at = max((row["properties"]["recorded_at"] for row in batch.claims), default=None)
    return {"facts": facts, "claims": claims, "at": at or now()}


def _dated(row: Row) -> Row:
    """A row of `claims_of` with its moments as such."""
    for part in (row["fact"], *row["claims"], *row["held"]):
        for name in MOMENTS & part.keys():
            if part[name] is not None:
                part[name] = EPOCH + timedelta(microseconds=part[name])
    return row


def _event(kind: str, fact: Row, request: str, **payload: Any) -> Row:
    properties = audit.record(
        kind,
        tenant=fact["tenant"],
        scope=fact["scope"],
        actor=SETTLER,
        request=request,
        payload=payload,
    )
    return {"fact": fact["id"], "properties": properties}
