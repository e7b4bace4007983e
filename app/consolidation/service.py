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
    reasons,
    resolved,
    touched_by_pass,
)
from app.consolidation.parts import Part, grouped, is_long, parts_of
from app.consolidation.repository import ATTEMPTS, ConsolidationRepository
from app.entities.following import follow_rules, touched_by
from app.entities.lone import Admitted, Named, admit, single, waiting_in
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
from app.sanitize.aside import aside
from app.scopes.rules import ScopeRules
from app.scopes.service import ScopeService

log = structlog.get_logger()
BATCH = 32  # episodes of one transaction (seed 001, annex 3.a)
TEXT = 100_000  # characters that are read before what they yield is written
KEYS = 500  # names of a scope that are looked through at once
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


@dataclass(frozen=True, slots=True)
class Given:
    """What some passages name, a list each: the things, and all names, those that wait too."""

    things: Sequence[Sequence[Resolved]]
    names: Sequence[Sequence[Resolved]]


@dataclass(frozen=True, slots=True)
class Found:
    """The names of some episodes, those that are things, and how many facts the episodes state."""

    named: Sequence[Named]
    admitted: Admitted
    facts: int


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
        thinned = await self.thin(due.key, seconds=TURN)
        tally = await self.consolidate(due.key, seconds=TURN)
        if tally.episodes:
            log.info(
                "consolidation",
                scope=due.key,
                episodes=tally.episodes,
                facts=tally.facts,
                ms=round(tally.seconds * 1000),
            )
        return thinned + tally.episodes + tally.failed > 0

    async def thin(self, scope: str, seconds: float | None = None) -> int:
        """Take back what an older version made of names that one passage alone gives, for so many
        seconds or to the end; how many names were looked through."""
        start = time.perf_counter()
        done = 0
        work = partial(self._thin, scope=scope, terms=await self.terms(scope))
        while found := await self._parts.graph.write("consolidation.thin", work):
            done += found
            if seconds is not None and time.perf_counter() - start >= seconds:
                break
        return done

    async def _thin(self, tx: Tx, scope: str, terms: Terms) -> int:
        """The next names of a scope: what is joined to another stays as it is, but where a rule
        joined a given name that somebody else's name begins with as well."""
        place = await tx.optional(Q.entities.thin, scope=scope, at=now())
        if place is None:
            return 0
        rows = await tx.rows(Q.entities.next_keys, scope=scope, after=place["after"], limit=KEYS)
        keys = [row["key"] for row in rows]
        await _retire(tx, scope, keys)
        words = [key for key in keys if " " not in key]
        moved = await follow_rules(tx, scope, touched_by([], words), now())
        if moved:
            facts = self._parts.facts
            await facts.settle(tx, await facts.rekey(tx, moved, terms), terms)
        await tx.rows(Q.entities.thinned, scope=scope, after=keys[-1] if keys else None)
        return len(keys)

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
                fresh = replace(setting, at=now())
                if not await self._held(episodes, fresh, holder, total, until):
                    break
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
    ) -> bool:
        """A pass over leased episodes; one that is broken off by no fault of theirs hands back
        what it has not done, at once and without counting an attempt, as one does that has worked
        on some of them until the moment `until`. False where it handed back."""
        groups = _together(episodes)
        try:
            for place, group in enumerate(groups):
                over = place and until is not None and time.perf_counter() >= until
                # Who waits for a long text of another scope would hold a lane for that: where
                # there are as many as lanes, nobody's short text is read meanwhile.
                if over or (until is not None and self.reader.is_busy(group)):
                    await self._parts.rows.hand_back(setting.scope, holder)
                    return False
                ids = [episode["id"] for later in groups[place:] for episode in later]
                hold = partial(self._parts.rows.renew, ids, setting.scope, holder)
                await self._pass(group, setting, holder, total, hold)
        except (GraphBusy, LeaseLost, asyncio.CancelledError):
            await self._parts.rows.hand_back(setting.scope, holder)
            raise
        return True

    async def setting(self, scope: str) -> Setting:
        """What holds for a pass over one scope."""
        rules = await self._parts.scopes.rules(scope)
        return Setting(
            scope=scope,
            tenant=parse_scope(scope).tenant,
            rules=rules,
            terms=await self.terms(scope),
            at=now(),
        )

    def with_model(self) -> ConsolidationService:
        """Return the same service with a model that is to read after the rules."""
        return ConsolidationService(replace(self._parts, asks=True), self._batch)

    async def asking(self, scopes: Collection[str]) -> set[str]:
        """Those of some scopes about whose texts a language model may be asked, by their rules."""
        if not self._parts.asks or not scopes:
            return set()
        rules = await self._parts.scopes.rules_of(sorted(scopes))
        return {scope for scope, held in rules.items() if held.language_model}

    async def rules(self, scope: str) -> ScopeRules:
        """Return the rules of a scope."""
        return await self._parts.scopes.rules(scope)

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
        answers, named = await asyncio.to_thread(_answered, readings, setting)
        if is_long(readings[0]):
            with in_bulk():
                await self._write_long(readings[0], named[0], setting, holder, total)
            return
        seen = sorted(r.episode["id"] for r in readings if r.episode["seen"])

        async def work(tx: Tx) -> tuple[Derived, Settled]:
            admitted = await admit(tx, setting.scope, named, setting.at)
            await _keep_waiting(tx, setting.scope, named, admitted, seen)
            derived, settled = await self._believe(tx, readings, setting, answers, admitted, seen)
            found = Found(named, admitted, len(derived.facts))
            await self._close(tx, readings, setting, holder, found)
            return derived, settled

        derived, settled = await self._parts.graph.write("consolidation.pass", work)
        total.add(derived, settled, len(readings))

    async def _write_long(
        self,
        reading: Reading,
        whole: Named,
        setting: Setting,
        holder: str,
        total: Tally,
    ) -> None:
        """What a long episode yields, part by part; the last transaction closes it."""
        rows, id, answers = self._parts.rows, reading.episode["id"], whole.answers
        facts: set[str] = set()
        claims: set[str] = set()
        for part, named in await asyncio.to_thread(_parted, reading, answers):
            await rows.renew([id], setting.scope, holder)
            work = partial(self._part, reading=part.reading, setting=setting, named=named)
            derived, settled = await self._parts.graph.write("consolidation.part", work)
            total.add(derived, settled, 0)
            facts |= derived.facts.keys()
            claims |= derived.claims.keys()
        await rows.renew([id], setting.scope, holder)

        async def close(tx: Tx) -> Settled:
            seen = [id] if reading.episode["seen"] else []
            admitted = await admit(tx, setting.scope, [whole], setting.at)
            await _keep_waiting(tx, setting.scope, [whole], admitted, seen)
            given = await aside(answers, lambda: _left(answers, admitted))
            _, moved = await self._rooted(tx, [reading], setting, given, admitted)
            extra = await self._parts.facts.rekey(tx, moved, setting.terms) if moved else []
            extra += await _dropped(tx, seen, claims) if seen else []
            settled = await self._parts.facts.put(tx, Batch([], [], [], extra), setting.terms)
            await self._close(tx, [reading], setting, holder, Found([whole], admitted, len(facts)))
            return settled

        total.add(Derived(), await self._parts.graph.write("consolidation.close", close), 1)

    async def _part(
        self, tx: Tx, reading: Reading, setting: Setting, named: Named
    ) -> tuple[Derived, Settled]:
        """Write a part of what a long episode yields; its other names wait for the last part."""
        admitted = await admit(tx, setting.scope, [named], setting.at)
        parts = self._parts.entities
        found = await self._believe(tx, [reading], setting, [named.answers], admitted)
        await parts.link_mentions(tx, admitted.mentions)
        return found

    async def _believe(
        self,
        tx: Tx,
        readings: Sequence[Reading],
        setting: Setting,
        answers: Sequence[Sequence[Resolved]],
        admitted: Admitted,
        seen: Sequence[str] = (),
    ) -> tuple[Derived, Settled]:
        """Write entities, facts and claims, and settle them; of episodes that were `seen` before,
        claims that they no longer make go."""
        parts = self._parts
        things = [admitted.of(found) for found in answers]
        roots, moved = await self._rooted(tx, readings, setting, Given(things, answers), admitted)
        derived = derive(readings, setting, things, roots)
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
        found: Found,
    ) -> None:
        """Link what episodes mention, and mark them as consolidated; LeaseLost where another
        worker has them."""
        parts, scope = self._parts, setting.scope
        ids = sorted(reading.episode["id"] for reading in readings)
        seen = {r.episode["id"] for r in readings if r.episode["seen"]}
        of, admitted = found.named, found.admitted
        names = [one.answers for one in of]
        mentions = await aside(names, lambda: _mentioned(of, admitted))
        others = {row["episode"] for row in admitted.mentions}
        await parts.entities.link_mentions(tx, mentions + admitted.mentions, seen | others)
        if seen:
            again = [row for row in mentions if row["episode"] in seen]
            gone = await tx.rows(Q.entities.unlink_others, rows=again)
            await _retire(tx, scope, [row["key"] for row in gone])
        done = await parts.rows.complete(tx, ids, scope, holder, found.facts)
        if done != len(ids):
            raise LeaseLost(f"another worker has taken over {scope}")
        if parts.asks and setting.rules.language_model:
            await tx.rows(Q.llm.mark_due, episodes=ids, at=setting.at)

    async def _rooted(
        self,
        tx: Tx,
        readings: Sequence[Reading],
        setting: Setting,
        given: Given,
        admitted: Admitted,
    ) -> tuple[dict[str, str], list[str]]:
        """Write and lock the entities; the root of each under the rules for names, and the
        entities whose root these have changed."""
        entities, rows = self._parts.entities, entity_rows(given.things) + admitted.rows
        known = await entities.known(setting.scope, {row["id"] for row in rows}, tx)
        roots = await entities.upsert(tx, rows, known)
        lone = [reading.episode.get("lone") for reading in readings]
        touched = await aside(
            [lone, *given.names],
            lambda: touched_by_pass(readings, given.names, gaining(rows, known)),
        )
        moved = await follow_rules(tx, setting.scope, touched, setting.at)
        if moved:
            roots |= await entities.roots(tx, sorted({*roots, *moved}))
        return roots, moved


async def _keep_waiting(
    tx: Tx, scope: str, named: Sequence[Named], admitted: Admitted, seen: Collection[str]
) -> None:
    """Keep the names that wait in some passages, before the rules for names look at them; of those
    that were `seen` before, what waited goes where nothing does any more."""
    names = [one.answers for one in named]
    waiting = await aside(names, lambda: [waiting_in(one, admitted, scope) for one in named])
    kept = [row for row in waiting if row["lone"] or row["id"] in seen]
    await tx.rows(Q.entities.keep_lone, rows=kept)


def _answered(
    readings: Sequence[Reading], setting: Setting
) -> tuple[list[list[Resolved]], list[Named]]:
    """The entities of the mentions of some episodes, and their names with what is a reason."""
    answers = resolved(readings, setting)
    return answers, _named(readings, answers)


def _parted(reading: Reading, answers: Sequence[Resolved]) -> list[tuple[Part, Named]]:
    """The parts of a long episode, each with its names."""
    parts = [*parts_of(reading, answers)]
    return [
        *zip(parts, _named([p.reading for p in parts], [p.answers for p in parts]), strict=True)
    ]


def _left(answers: Sequence[Resolved], admitted: Admitted) -> Given:
    """What the parts of a long episode have left to its end: things that none made, and names that
    wait."""
    fresh = [a for a in admitted.of(answers) if a.key not in admitted.borne]
    return Given([fresh], [[*fresh, *(a for a in answers if a.key not in admitted.keys)]])


def _mentioned(named: Sequence[Named], admitted: Admitted) -> list[Row]:
    """The rows of `link_mentions` for what is a thing of the names of some passages."""
    return [mention_rows(one.passage, admitted.of(one.answers)) for one in named]


def _named(readings: Sequence[Reading], answers: Sequence[Sequence[Resolved]]) -> list[Named]:
    return [
        Named(reading.episode["id"], found, reasons(reading, found))
        for reading, found in zip(readings, answers, strict=True)
    ]


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


async def _retire(tx: Tx, scope: str, keys: Sequence[str]) -> None:
    """Let names of one passage wait there, and drop what nothing needs; what is joined to another
    stays as it is."""
    if not keys:
        return
    await tx.rows(Q.entities.drop_unneeded, scope=scope, keys=keys)
    found = await single(tx, scope, keys, alone=True)
    ids = sorted(entity["id"] for entity in found.entities)
    await tx.rows(Q.entities.drop_lone, ids=ids, scope=scope)
    await tx.rows(Q.entities.keep_lone, rows=found.kept)


async def _dropped(tx: Tx, episodes: Sequence[str], kept: Iterable[str]) -> list[str]:
    """The keys of claims that a second reading of some episodes no longer makes; these go."""
    rows = await tx.rows(Q.facts.drop_claims, episodes=list(episodes), kept=sorted(kept))
    return [row["key"] for row in rows]
