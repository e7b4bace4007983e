"""Upkeep of the skill graph: on its times, and by hand with a dry run; each tells what it did.

A second run changes nothing more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from app.embeddings.calibration import Kinds
from app.errors import SwitchedOff
from app.jobs.repository import SYSTEM
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.lifecycle.sweep import sweeper
from app.skills.conflicts import ConflictService
from app.skills.draft import SkillDraft
from app.skills.effectiveness import IDLE, idle_effectiveness
from app.skills.finding import Like
from app.skills.learnings import category_of
from app.skills.proposals import ProposalService, Proposed
from app.skills.record import KIND
from app.skills.service import Parts
from app.skills.suggesting import place
from app.skills.vocabulary import Category, Chore

PAGE = 500
WEEK = timedelta(days=7)
GAP_IMPORTANCE, GAP_LEAST, GAP_COUNT = 0.7, 0.5, 3
GAP_NEAR = 4  # skills near a learning that are looked at: the nearest may be of its language only


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a chore did in a scope, or would do; `ids` are of what it touched, up to 500."""

    chore: str
    scope: str
    dry_run: bool
    counts: dict[str, int]
    ids: tuple[str, ...] = ()


class ChoreService:
    """The chores of one scope, and of all scopes for the schedules."""

    def __init__(
        self, parts: Parts, conflicts: ConflictService, proposals: ProposalService
    ) -> None:
        self._graph = parts.graph
        self._scopes = parts.scopes
        self._wakeup = parts.wakeup
        self._spaces = parts.spaces
        self._conflicts = conflicts
        self._proposals = proposals

    async def run(self, who: Caller, chore: Chore, scope: str, *, dry_run: bool) -> Receipt:
        """One chore in one scope.

        Stale decay and gap detection change something only where the rules of the scope switch
        the nightly profile on: SwitchedOff (field `scope`) otherwise.
        """
        if not dry_run and chore in GATED and not await self._nightly(scope):
            raise SwitchedOff(f"the rules of {scope} leave upkeep off", field="scope")
        work: dict[Chore, Callable[[Caller, str, bool], Awaitable[Receipt]]] = {
            Chore.SCAN: self._scan,
            Chore.DECAY: self._decay,
            Chore.EMBED: self._embed,
            Chore.GAPS: self._gaps,
            Chore.EXPIRE: self._expire,
        }
        return await work[chore](who, scope, dry_run)

    async def run_all(self, chore: Chore) -> dict[str, Any]:
        """The same in every scope that has skills or learnings; counts by name."""
        if chore is Chore.EXPIRE:  # a proposal may stand where no skill does yet
            return {"expired": len(await self._proposals.expire(sweeper(SYSTEM)))}
        total: dict[str, int] = {}
        scopes = await self._graph.rows(Q.skills.skill_scopes)
        for row in scopes:
            scope = row["scope"]
            if chore in GATED and not await self._nightly(scope):
                continue
            receipt = await self.run(sweeper(scope), chore, scope, dry_run=False)
            for name, count in receipt.counts.items():
                total[name] = total.get(name, 0) + count
        return total

    async def _nightly(self, scope: str) -> bool:
        return (await self._scopes.rules(scope)).maintenance == "nightly"

    async def _scan(self, who: Caller, scope: str, dry_run: bool) -> Receipt:
        scan = await self._conflicts.scan(who, scope, dry_run=dry_run)
        counts = {"skills": scan.skills, "found": len(scan.found), "new": len(scan.fresh),
                  "closed": scan.closed}  # fmt: skip
        return Receipt(Chore.SCAN, scope, dry_run, counts, scan.fresh[:PAGE])

    async def _decay(self, who: Caller, scope: str, dry_run: bool) -> Receipt:
        """Skills that were idle for 30 days lose .05, at most once a week."""
        at = now()
        rows = [
            {"id": row["id"], "effectiveness": idle_effectiveness(row["effectiveness"], None)}
            async for row in self._idle(scope)
        ]
        for start in range(0, 0 if dry_run else len(rows), PAGE):
            batch = rows[start : start + PAGE]
            event = audit.event(who, "skill.decay", scope, skills=len(batch))
            await self._graph.one(
                Q.skills.lower_skills, rows=batch, scope=scope, at=at, audit=event
            )
        ids = tuple(str(row["id"]) for row in rows[:PAGE])
        return Receipt(Chore.DECAY, scope, dry_run, {"lowered": len(rows)}, ids)

    async def _idle(self, scope: str) -> AsyncIterator[Row]:
        at, after = now(), ""
        while rows := await self._graph.rows(
            Q.skills.idle_skills,
            scope=scope,
            before=at - IDLE,
            decayed=at - WEEK,
            after=after,
            limit=PAGE,
        ):
            for row in rows:
                yield row
            after = rows[-1]["id"]

    async def _embed(self, who: Caller, scope: str, dry_run: bool) -> Receipt:
        """Skills without a vector, or with one that the model refused, wait for it again."""
        found: list[str] = []
        space = (await self._spaces.current()).of(scope).active
        while rows := await self._graph.rows(
            space.over(query=Q.skills.to_embed),
            scope=scope,
            after=found[-1] if found else "",
            limit=PAGE,
        ):
            ids = [row["id"] for row in rows]
            found += ids
            if not dry_run:
                event = audit.event(who, "skill.embed", scope, skills=len(ids))
                await self._graph.one(Q.skills.embed_again, ids=ids, scope=scope, audit=event)
        if found and not dry_run:
            self._wakeup.set()
        return Receipt(Chore.EMBED, scope, dry_run, {"waiting": len(found)}, tuple(found[:PAGE]))

    async def _gaps(self, who: Caller, scope: str, dry_run: bool) -> Receipt:
        """Important learnings to which no skill is near: three of a category are a proposal, and
        while that is open it takes those to come."""
        gaps = await self.gaps(scope)
        known = await self._proposals.suggested(scope, "gap")
        due, made = 0, []
        for category, notes in gaps.items():
            same = [row for row in known if row["category"] == category]
            found = place(same, sorted(note["id"] for note in notes), GAP_COUNT)
            if found is None:
                continue
            due += 1
            if not dry_run:
                proposed = _proposed(scope, category, found.notes)
                made.append(await self._proposals.suggest(who, found.proposal, proposed))
        counts = {"learnings": sum(map(len, gaps.values())), "gaps": due}
        return Receipt(Chore.GAPS, scope, dry_run, counts, tuple(made))

    async def gaps(self, scope: str) -> dict[Category, list[Row]]:
        """Learnings of an importance from .7 that are not about the same work as any skill
        (below .5), by what they are about."""
        found: dict[Category, list[Row]] = {}
        async for note in self._important(scope):
            category = category_of(note)
            if category is not None:
                found.setdefault(category, []).append(note)
        return dict(sorted(found.items()))

    async def _important(self, scope: str) -> AsyncIterator[Row]:
        after = ""
        while rows := await self._graph.rows(
            Q.skills.learnings, scopes=[scope], after=after, limit=PAGE
        ):
            after = rows[-1]["note"]["id"]
            weighty = {
                row["note"]["id"]: row["note"]
                for row in rows
                if row["note"]["importance"] >= GAP_IMPORTANCE and not row["taught"]
            }
            like = Like(KIND, Kinds.LESSON, GAP_LEAST, GAP_NEAR)
            near = await self._conflicts.finder.pairs(scope, list(weighty), like)
            served = {pair.left for pair in near}
            for note, row in weighty.items():
                if note not in served and row["index_state"] == "done":
                    yield row

    async def _expire(self, who: Caller, scope: str, dry_run: bool) -> Receipt:
        ids = await self._proposals.expire(who, scope, dry_run=dry_run)
        return Receipt(Chore.EXPIRE, scope, dry_run, {"expired": len(ids)}, tuple(ids))


GATED = frozenset([Chore.DECAY, Chore.GAPS])


def _proposed(scope: str, category: Category, notes: tuple[str, ...]) -> Proposed:
    words = str(category).replace("_", " ")
    return Proposed(
        SkillDraft(
            name=f"{words.capitalize()} (gap)",
            description=f"{len(notes)} important learnings about {words} have no skill near them.",
            category=category,
            scope=scope,
        ),
        origin="gap",
        seed=digest("gap", scope, category, notes[0]),
        sources=notes,
    )
