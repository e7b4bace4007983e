"""Consolidation: leased episodes are read, resolved and written, and the cursor goes on with them.

One holder works on a scope at a time; several scopes are worked on at once, each for a turn. What
an episode yields and its new state are one transaction, of a long one the last of several, so a
crash at any line means that the episode is taken again; ids are digests, so taking it again changes
nothing. A crash counts as an attempt, so that a text which ends every worker is given up in the
end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import structlog

from app.consolidation.apart import Apart, Hold, ReadsTooLong
from app.consolidation.derive import (
    Derived,
    Reading,
    Setting,
    derive,
    entity_rows,
    resolved,
    touched_by_pass,
)
from app.consolidation.parts import grouped, is_long, parts_of
from app.consolidation.repository import ATTEMPTS, ConsolidationRepository
from app.entities.following import follow_rules
from app.entities.model import Resolved
from app.entities.repository import EntityRepository, gaining, mention_rows
from app.errors import GraphBusy, GraphUnavailable, LeaseLost, LociError
from app.facts.predicates import PredicateService
from app.facts.repository import Batch, FactRepository, Settled, Terms
from app.jobs.lanes import Due
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx, in_bulk
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.scopes.service import ScopeService

log = structlog.get_logger()
BATCH = 32  # episodes of one transaction (seed 001, annex 3.a)
TEXT = 100_000  # characters that are read before what they yield is written
TURN = 1.0  # seconds after which a scope lets others go first

Progress = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What consolidation works with; `asks` tells that a model is to read after the rules."""

    graph: Graph
    rows: ConsolidationRepository
    entities: EntityRepository
    facts: FactRepository
    scopes: ScopeService
    predicates: PredicateService
    asks: bool = False


@dataclass(slots=True)
class Tally:
    """What a pass did."""

    episodes: int = 0
    failed: int = 0
    facts: int = 0
    claims: int = 0
    opened: int = 0
    retracted: int = 0
    quarantined: int = 0
    superseded: int = 0
    seconds: float = 0.0

    def add(self, derived: Derived, settled: Settled, episodes: int) -> None:
        """Count one transaction."""
        self.episodes += episodes
        self.facts += len(derived.facts)
        self.claims += len(derived.claims)
        self.opened += settled.opened
        self.retracted += settled.retracted
        self.quarantined += len(settled.quarantined)
        self.superseded += len(settled.superseded)


class ConsolidationService:
    """Brings the derived graph up to what was said."""

    def __init__(self, parts: Parts, batch: int = BATCH) -> None:
        self._parts = parts
        self._batch = batch
        self.reader = Apart()

    async def due(self) -> list[Due]:
        """Scopes that have something to do and that nobody works on."""
        return [Due(row["scope"], row["tenant"]) for row in await self._parts.rows.due_scopes()]

    async def turn(self, due: Due) -> bool:
        """Work on one scope for a second or so; whether anything was done."""
        tally = await self.consolidate(due.key, seconds=TURN)
        if tally.episodes:
            log.info(
                "consolidation",
                scope=due.key,
                episodes=tally.episodes,
                facts=tally.facts,
                ms=round(tally.seconds * 1000),
            )
        return tally.episodes + tally.failed > 0

    async def consolidate(
        self,
        scope: str,
        tally: Tally | None = None,
        progress: Progress | None = None,
        most: int | None = None,
        seconds: float | None = None,
    ) -> Tally:
        """One scope until nothing waits there, `most` episodes are done or `seconds` are over.

        Does nothing while another holder works on it.
        """
        total = tally or Tally()
        start = time.perf_counter()
        holder = new_id()
        tenant = parse_scope(scope).tenant
        rows = self._parts.rows
        setting = await self.setting(scope)
        total.failed += await rows.lost(scope)
        try:
            while episodes := await rows.lease(scope, tenant, holder, self._batch):
                until = None if seconds is None else start + seconds
                await self._held(episodes, replace(setting, at=now()), holder, total, until)
                if progress is not None:
                    await progress(total.episodes)
                if most is not None and total.episodes + total.failed >= most:
                    break
                if seconds is not None and time.perf_counter() - start >= seconds:
                    break
        finally:
            await rows.release(scope, holder)
            total.seconds += time.perf_counter() - start
        return total

    async def consolidate_now(self, scope: str, ids: list[str]) -> Tally:
        """These episodes at once, whatever else waits; those that another works on are left."""
        total = Tally()
        holder = new_id()
        episodes = await self._parts.rows.lease_episodes(ids, scope, holder)
        if episodes:
            await self._held(episodes, await self.setting(scope), holder, total)
        return total

    async def _held(
        self,
        episodes: Sequence[Row],
        setting: Setting,
        holder: str,
        total: Tally,
        until: float | None = None,
    ) -> None:
        """A pass over leased episodes; one that is broken off by no fault of theirs hands back
        what it has not done, at once and without counting an attempt, as one does that has worked
        on some of them until the moment `until`."""
        groups = _together(episodes)
        try:
            for place, group in enumerate(groups):
                if place and until is not None and time.perf_counter() >= until:
                    await self._parts.rows.hand_back(setting.scope, holder)
                    return
                ids = [episode["id"] for later in groups[place:] for episode in later]
                hold = partial(self._parts.rows.renew, ids, setting.scope, holder)
                await self._pass(group, setting, holder, total, hold)
        except (GraphBusy, LeaseLost, asyncio.CancelledError):
            await self._parts.rows.hand_back(setting.scope, holder)
            raise

    async def setting(self, scope: str) -> Setting:
        """What holds for a pass over one scope."""
        rules = await self._parts.scopes.rules(scope)
        return Setting(
            scope=scope,
            tenant=parse_scope(scope).tenant,
            group=await self._parts.entities.group_name(scope),
            rules=rules,
            terms=await self.terms(scope),
            at=now(),
        )

    async def asking(self, scopes: Collection[str]) -> set[str]:
        """Those of some scopes about whose texts a language model may be asked, by their rules."""
        if not self._parts.asks or not scopes:
            return set()
        rules = await self._parts.scopes.rules_of(sorted(scopes))
        return {scope for scope, held in rules.items() if held.language_model}

    async def terms(self, scope: str) -> Terms:
        """The registry and rules that beliefs of a scope are settled by."""
        return (await self.terms_of([scope]))[scope]

    async def terms_of(self, scopes: Collection[str]) -> dict[str, Terms]:
        """The same of several scopes."""
        rules = await self._parts.scopes.rules_of(sorted(scopes))
        registries = await self._parts.predicates.registries(scopes)
        return {s: Terms(registries[s], rules[s].members_revise) for s in scopes}

    async def _pass(
        self, episodes: Sequence[Row], setting: Setting, holder: str, total: Tally, hold: Hold
    ) -> None:
        readings: list[Reading] = []
        found = await self.reader.read(episodes, setting.terms.registry, hold)
        for episode, told in zip(episodes, found, strict=True):
            if isinstance(told, Exception):
                await self._failed(episode["id"], setting.scope, told, total)
            else:
                readings.append(told)
        for group in grouped(readings):
            await self._written(group, setting, holder, total)

    async def _written(
        self, readings: list[Reading], setting: Setting, holder: str, total: Tally
    ) -> None:
        """Write what some episodes yield; where that fails, each by itself."""
        try:
            await self._write(readings, setting, holder, total)
        except (GraphBusy, GraphUnavailable, LeaseLost):
            raise
        except LociError as error:
            if len(readings) == 1:
                await self._failed(readings[0].episode["id"], setting.scope, error, total)
                return
            for reading in readings:
                await self._written([reading], setting, holder, total)

    async def _failed(self, episode: str, scope: str, error: Exception, total: Tally) -> None:
        reason = f"{type(error).__name__}: {error}"[:300]
        given_up = isinstance(error, ReadsTooLong)  # it would take as long again
        row = await self._parts.rows.fail(episode, scope, reason, 1 if given_up else ATTEMPTS)
        total.failed += row["state"] == "failed"
        log.warning("consolidation.failed", episode=episode, attempts=row["attempts"])

    async def _write(
        self, readings: Sequence[Reading], setting: Setting, holder: str, total: Tally
    ) -> None:
        # Off the loop: the names of a long text take seconds.
        answers = await asyncio.to_thread(resolved, readings, setting)
        if is_long(readings[0]):
            with in_bulk():
                await self._write_long(readings[0], answers[0], setting, holder, total)
            return
        seen = sorted(r.episode["id"] for r in readings if r.episode["seen"])

        async def work(tx: Tx) -> tuple[Derived, Settled]:
            derived, settled = await self._believe(tx, readings, setting, answers, seen)
            await self._close(tx, readings, setting, holder, derived.mentions, len(derived.facts))
            return derived, settled

        derived, settled = await self._parts.graph.write("consolidation.pass", work)
        total.add(derived, settled, len(readings))

    async def _write_long(
        self,
        reading: Reading,
        answers: Sequence[Resolved],
        setting: Setting,
        holder: str,
        total: Tally,
    ) -> None:
        """What a long episode yields, part by part; the last transaction closes it."""
        rows, id = self._parts.rows, reading.episode["id"]
        facts: set[str] = set()
        claims: set[str] = set()
        for part in parts_of(reading, answers):
            await rows.renew([id], setting.scope, holder)
            work = partial(
                self._believe, readings=[part.reading], setting=setting, answers=[part.answers]
            )
            derived, settled = await self._parts.graph.write("consolidation.part", work)
            total.add(derived, settled, 0)
            facts |= derived.facts.keys()
            claims |= derived.claims.keys()
        await rows.renew([id], setting.scope, holder)

        async def close(tx: Tx) -> Settled:
            seen = [id] if reading.episode["seen"] else []
            dropped = await _dropped(tx, seen, claims) if seen else []
            settled = await self._parts.facts.put(tx, Batch([], [], [], dropped), setting.terms)
            mentions = [mention_rows(id, answers)]
            await self._close(tx, [reading], setting, holder, mentions, len(facts))
            return settled

        total.add(Derived(), await self._parts.graph.write("consolidation.close", close), 1)

    async def _believe(
        self,
        tx: Tx,
        readings: Sequence[Reading],
        setting: Setting,
        answers: Sequence[Sequence[Resolved]],
        seen: Sequence[str] = (),
    ) -> tuple[Derived, Settled]:
        """Write entities, facts and claims, and settle them; of episodes that were `seen` before,
        claims that they no longer make go."""
        parts = self._parts
        roots, moved = await self._rooted(tx, readings, setting, answers)
        derived = derive(readings, setting, answers, roots)
        batch = derived.batch()
        extra = await _dropped(tx, seen, derived.claims) if seen else []
        if moved:
            extra += await parts.facts.rekey(tx, moved, setting.terms)
        locks = [entity for entity in batch.locks if entity not in roots]  # the rest are
        settled = await parts.facts.put(tx, replace(batch, extra=extra, locks=locks), setting.terms)
        return derived, settled

    async def _close(
        self,
        tx: Tx,
        readings: Sequence[Reading],
        setting: Setting,
        holder: str,
        mentions: Sequence[Row],
        facts: int,
    ) -> None:
        """Link what episodes mention, and mark them as consolidated; LeaseLost where another
        worker has them."""
        parts = self._parts
        ids = sorted(reading.episode["id"] for reading in readings)
        seen = {r.episode["id"] for r in readings if r.episode["seen"]}
        await parts.entities.link_mentions(tx, mentions, seen)
        done = await parts.rows.complete(tx, ids, setting.scope, holder, facts)
        if done != len(ids):
            raise LeaseLost(f"another worker has taken over {setting.scope}")
        if parts.asks and setting.rules.language_model:
            await tx.rows(Q.llm.mark_due, episodes=ids, at=setting.at)

    async def _rooted(
        self,
        tx: Tx,
        readings: Sequence[Reading],
        setting: Setting,
        answers: Sequence[Sequence[Resolved]],
    ) -> tuple[dict[str, str], list[str]]:
        """Write and lock the entities; the root of each under the rules for names, and the
        entities whose root these have changed."""
        entities, rows = self._parts.entities, entity_rows(answers)
        known = await entities.known(setting.scope, {row["id"] for row in rows}, tx)
        roots = await entities.upsert(tx, rows, known)
        touched = touched_by_pass(readings, answers, gaining(rows, known))
        moved = await follow_rules(tx, setting.scope, touched, setting.at)
        if moved:
            roots |= await entities.roots(tx, sorted({*roots, *moved}))
        return roots, moved


def _together(episodes: Sequence[Row]) -> list[list[Row]]:
    """The episodes in their order, as many together as have `TEXT` characters, one at least."""
    groups: list[list[Row]] = []
    size = TEXT
    for episode in episodes:
        size += len(episode["content"])
        if size > TEXT or not groups:
            groups.append([])
            size = len(episode["content"])
        groups[-1].append(episode)
    return groups


async def _dropped(tx: Tx, episodes: Sequence[str], kept: Iterable[str]) -> list[str]:
    """The keys of claims that a second reading of some episodes no longer makes; these go."""
    rows = await tx.rows(Q.facts.drop_claims, episodes=list(episodes), kept=sorted(kept))
    return [row["key"] for row in rows]
