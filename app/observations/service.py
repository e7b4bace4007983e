"""Observations: pushed in batches, read while they last, marked as processed, cleaned up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.autonomy.ledger import PAGE, Ledger, each, lock_scope, of_loci
from app.autonomy.receipt import Receipt
from app.errors import InvalidInput, LociError, QuotaReached, TooLarge
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.ids import new_id
from app.observations.model import OBSERVATION, Observation
from app.pools.data import size_of
from app.sanitize.aside import aside
from app.sanitize.labels import require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.sanitize.tree import sanitize_tree
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds: bytes of a payload, how long one lasts by default and at most, how long one is kept
    once it is processed, and how many a scope has."""

    bytes: int = tuned("autonomy.observation_bytes")
    ttl: timedelta = tuned("autonomy.observation_ttl_seconds", lambda s: timedelta(seconds=s))
    ttl_most: timedelta = tuned("autonomy.observation_ttl_most", lambda s: timedelta(seconds=s))
    processed: timedelta = tuned("autonomy.observation_processed_days", lambda d: timedelta(days=d))
    per_scope: int = tuned("autonomy.observations_per_scope")

    def ends(self, given: datetime | None, at: datetime) -> datetime:
        """Return when an observation expires; InvalidInput (`expires_at`) beyond the most."""
        if given is None:
            return at + min(self.ttl, self.ttl_most)
        if not at < given <= at + self.ttl_most:
            days = self.ttl_most.days
            raise InvalidInput(f"it lies ahead, by at most {days} days", field="expires_at")
        return given

    def require_small(self, payload: Any) -> None:
        """Raise TooLarge (`payload`) beyond the bytes."""
        if size_of(payload) > self.bytes:
            raise TooLarge(f"a payload has at most {self.bytes} bytes", field="payload")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, not yet sanitised."""

    sensor: str
    key: str | None
    payload: dict[str, Any]
    observed_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which observations a list is to hold; None for all."""

    sensor: str | None = None
    processed: bool | None = None


class Taken(NamedTuple):
    """What became of one that was pushed: the observation that is there now, and whether this push
    has made it."""

    observation: Observation
    created: bool


class ObservationService:
    """Every operation on observations; one that has expired is not there."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: Limits) -> None:
        self.ledger = Ledger(graph, scopes, OBSERVATION)
        self.graph = graph
        self.limits = limits
        self._scopes = scopes

    async def push(self, caller: Caller, scope: str | None, drafts: list[Draft]) -> list[Taken]:
        """Take in a batch, all or none; one whose sensor and key are known stays as it was.

        Raises InvalidInput and TooLarge with the place in the batch, and QuotaReached.
        """
        place = await self.ledger.place(caller, scope)
        made = await self._made(caller, place, drafts)

        async def work(tx: Tx) -> list[Taken]:
            await lock_scope(tx, place)
            before = await self._present(tx, place, [one.id for one in made])
            over = [each.id for each in before.values() if each.expires_at <= now()]
            await tx.rows(Q.kinds.drop, ids=over)
            before = {known: each for known, each in before.items() if known not in over}
            fresh = {one.id: one for one in reversed(made) if one.id not in before}
            await self._room(tx, place, len(fresh))
            for one in fresh.values():
                await self.ledger.store(tx, caller, one)
            seen = set(before)
            taken = []
            for one in made:
                there = before.get(one.id) or fresh[one.id]
                taken.append(Taken(there, one.id not in seen))
                seen.add(one.id)
            return taken

        return await self.graph.write("observation.push", work)

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, after: str, limit: int
    ) -> list[Observation]:
        """Return observations that have not expired, by id."""
        return await self.graph.many(
            Q.autonomy.observations,
            Observation,
            scopes=caller.among(within),
            sensor=wanted.sensor,
            processed=wanted.processed,
            at=now(),
            after=after,
            limit=limit,
        )

    async def process(self, caller: Caller, ids: list[str]) -> list[Observation]:
        """Mark some as processed, all or none; who was first stays. Raises NotFound, Forbidden."""
        for identifier in ids:
            found = await self.ledger.writable(caller, identifier)
            if found.expires_at <= now():
                raise self.ledger.missing(identifier)

        async def work(tx: Tx) -> list[Observation]:
            at, done = now(), []
            for identifier in sorted(set(ids)):
                held = await self.ledger.locked(tx, caller.visible, identifier)
                if held.processed_at is None:
                    held = held.model_copy(
                        update={"processed_at": at, "processed_by": caller.principal}
                    )
                    await self.ledger.save(tx, held)
                    await self.ledger.tell(tx, caller, "process", held)
                done.append(held)
            return done

        return await self.graph.write("observation.process", work)

    async def clean_up(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Delete what has expired, and what was processed long ago, in some scopes or in all."""
        receipt = Receipt(dry_run, moment or now())
        before = receipt.at - self.limits.processed
        asked = None if scopes is None else list(scopes)

        async def page(after: str) -> list[Observation]:
            return await self.graph.many(
                Q.autonomy.spent,
                Observation,
                scopes=asked,
                at=receipt.at,
                before=before,
                after=after,
                limit=PAGE,
            )

        async def settle(found: Observation) -> None:
            if dry_run or await self._drop(found, receipt):
                receipt.add(found)

        await each(page, settle)
        return receipt

    async def _drop(self, found: Observation, receipt: Receipt) -> bool:
        before = receipt.at - self.limits.processed

        def spent(one: Observation) -> bool:
            done = one.processed_at
            return one.expires_at <= receipt.at or (done is not None and done <= before)

        async def work(tx: Tx) -> bool:
            held = await self._present(tx, found.scope, [found.id])
            if not any(map(spent, held.values())):
                return False
            await tx.rows(Q.kinds.drop, ids=[found.id])
            who = of_loci(found.scope, receipt.id)
            await self.ledger.tell(tx, who, "expire", found, receipt=receipt.id)
            return True

        return await self.graph.write("observation.expire", work)

    async def _made(self, caller: Caller, scope: str, drafts: list[Draft]) -> list[Observation]:
        """Return the observations of a batch; what is wrong with one names its place."""
        policy, at = await self._scopes.policy(scope), now()
        limits = await self._scopes.limits(self.limits, scope)

        def all_of_them() -> list[Observation]:
            made = []
            for place, draft in enumerate(drafts):
                try:
                    made.append(_one(scope, (draft, policy, limits), at, caller.principal))
                except LociError as error:
                    error.field = f"items.{place}.{error.field}"
                    raise
            return made

        return await aside([draft.payload for draft in drafts], all_of_them)

    async def _present(self, tx: Tx, scope: str, ids: list[str]) -> dict[str, Observation]:
        found = await tx.many(
            Q.autonomy.lock,
            Observation,
            ids=sorted(set(ids)),
            kind=self.ledger.kind.name,
            scopes=[scope],
            at=now(),
        )
        return {one.id: one for one in found}

    async def _room(self, tx: Tx, scope: str, more: int) -> None:
        if not more:
            return
        held = (await tx.one(Q.autonomy.count_observations, scope=scope))["observations"]
        most = (await self._scopes.limits(self.limits, scope)).per_scope
        if held + more > most:
            raise QuotaReached(f"a scope has at most {most} observations", field="items")


def _one(
    scope: str, given: tuple[Draft, SanitizePolicy, Limits], at: datetime, by: str
) -> Observation:
    draft, policy, limits = given
    if draft.key is not None:
        require_plain(draft.key, "key", policy)
    limits.require_small(draft.payload)
    payload = sanitize_tree(draft.payload, policy, "payload")
    limits.require_small(payload)
    return OBSERVATION.placed(
        Observation(
            id="new",
            scope=scope,
            sensor=draft.sensor,
            key=visible(draft.key or "") or new_id(),
            payload=payload,
            observed_at=draft.observed_at or at,
            recorded_at=at,
            recorded_by=by,
            expires_at=limits.ends(draft.expires_at, at),
        )
    )
