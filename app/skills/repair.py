"""Closing the simple conflicts by rule (seed 000): each action is told, and a dry run only tells.

What needs judgement is left alone: contradictions, overlaps, names, drift, broken dependencies,
and duplicates that do not say the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

from app.contradiction.repetition import says_the_same
from app.embeddings.calibration import Kinds
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.skills.conflicts import ConflictService, Listed
from app.skills.cycles import weakest
from app.skills.finding import Like
from app.skills.links import Link, LinkService
from app.skills.proposing import dependency_hint
from app.skills.record import KIND
from app.skills.service import SkillService
from app.skills.vocabulary import ConflictStatus, Dependency, Finding, Status

STALE_STEP, STALE_LEAST = 0.1, 0.2
RECOMMEND_AFTER = timedelta(days=60)
LINK_LEAST = 0.5
MOST = 500  # conflicts of one page


@dataclass(frozen=True, slots=True)
class Action:
    """What was done, or would be, about one conflict."""

    conflict: str
    action: str  # merged, unlinked, lowered, marked, linked, recommended, deferred
    detail: str
    closes: bool


class RepairService:
    """Works on the open conflicts of one scope."""

    def __init__(
        self, conflicts: ConflictService, skills: SkillService, links: LinkService
    ) -> None:
        self._conflicts = conflicts
        self._graph = conflicts.graph
        self._skills = skills
        self._links = links

    async def repair(self, who: Caller, scope: str, *, dry_run: bool = True) -> list[Action]:
        """Repair what a rule can: duplicates, circles, stale and orphaned skills."""
        rules = {
            Finding.DUPLICATE: self._duplicate,
            Finding.CIRCULAR: self._circle,
            Finding.STALE: self._stale,
            Finding.ORPHAN: self._orphan,
        }
        done: list[Action] = []
        async for row in self._open(scope):
            rule = rules.get(Finding(row["conflict"]["finding"]))
            if rule is None or not await self._still(who, row):
                continue
            action = await rule(who, row, dry_run)
            done.append(action)
            if action.closes and not dry_run:
                await self._conflicts.decide(
                    who, action.conflict, ConflictStatus.RESOLVED, f"repair: {action.action}"
                )
        return done

    async def _open(self, scope: str) -> AsyncIterator[Row]:
        after = ""
        while rows := await self._conflicts.page(
            Listed([scope], open_only=True, after=after, limit=MOST)
        ):
            for row in rows:
                yield row
            after = rows[-1]["conflict"]["id"]

    async def _still(self, who: Caller, row: Row) -> bool:
        """Whether its skills are all active yet: an action before may have ended one."""
        found = [(await self._skills.get(who, s["id"]))["skill"] for s in row["skills"]]
        return all(skill["status"] == Status.ACTIVE for skill in found)

    async def _duplicate(self, who: Caller, row: Row, dry_run: bool) -> Action:
        """The one that is used more stays; whoever had the other has it, once. Alike is not enough:
        where one says more than the other, or the contrary, a curator decides."""
        keep, drop = sorted(row["skills"], key=lambda s: (-s["usage_count"], s["id"]))
        if not await self._is_one(who, keep["id"], drop["id"]):
            differs = f"{drop['id']} says something else than {keep['id']}"
            return Action(row["conflict"]["id"], "deferred", differs, False)
        if not dry_run:
            scope = row["conflict"]["scope"]
            await self._graph.one(
                Q.skills.move_holders, source=drop["id"], target=keep["id"], scope=scope
            )
            await self._repoint(who, scope, drop["id"], keep["id"])
            await self._skills.set_status(who, drop["id"], Status.DEPRECATED)
        return Action(row["conflict"]["id"], "merged", f"{drop['id']} into {keep['id']}", True)

    async def _is_one(self, who: Caller, one: str, other: str) -> bool:
        first, second = [(await self._skills.get(who, skill))["skill"] for skill in (one, other)]
        if first["language"] != second["language"]:
            return False
        texts = _whole(first), _whole(second)
        return await asyncio.to_thread(says_the_same, texts[0], texts[1], first["language"])

    async def _repoint(self, who: Caller, scope: str, old: str, new: str) -> None:
        for edge in await self._graph.rows(Q.skills.needed_by, id=old, scope=scope):
            kind = Dependency(edge["type"])
            await self._links.unlink(who, Link(edge["source"], old, kind))
            if edge["source"] != new:
                link = Link(edge["source"], new, kind, edge["weight"], edge["confidence"])
                await self._links.link(who, link)

    async def _circle(self, who: Caller, row: Row, dry_run: bool) -> Action:
        """The weakest dependency of the circle goes."""
        conflict = row["conflict"]
        edges = await self._graph.rows(Q.skills.needs, scope=conflict["scope"])
        strengths = {(e["source"], e["target"]): e["strength"] for e in edges}
        kinds = {(e["source"], e["target"]): e["type"] for e in edges}
        pair = weakest(tuple(conflict["skills"]), strengths)
        if not dry_run and pair in kinds:
            await self._links.unlink(who, Link(*pair, Dependency(kinds[pair])))
        return Action(conflict["id"], "unlinked", f"{pair[0]} from {pair[1]}", True)

    async def _stale(self, who: Caller, row: Row, dry_run: bool) -> Action:
        """A stale skill loses a tenth; one that is below two tenths is marked only."""
        conflict = row["conflict"]
        skill = (await self._skills.get(who, row["skills"][0]["id"]))["skill"]
        held = skill["effectiveness"]
        if held < STALE_LEAST:
            return Action(conflict["id"], "marked", skill["id"], True)
        left = max(0.0, round(held - STALE_STEP, 6))
        if not dry_run:
            await self._graph.one(
                Q.skills.change,
                id=skill["id"],
                scope=skill["scope"],
                properties={"effectiveness": left, "decayed_at": now()},
                tags=None,
                audit=audit.event(who, "skill.lower", skill["scope"], effectiveness=left),
            )
        return Action(conflict["id"], "lowered", f"{skill['id']} to {left}", True)

    async def _orphan(self, who: Caller, row: Row, dry_run: bool) -> Action:
        """An orphan is linked to what is like it, else recommended after 60 days, else left."""
        conflict = row["conflict"]
        skill = (await self._skills.get(who, row["skills"][0]["id"]))["skill"]
        link = await self._fitting(who, skill)
        if link is not None:
            if not dry_run:
                await self._links.link(who, link)
            return Action(conflict["id"], "linked", f"{link.type} {link.target}", True)
        if now() - skill["created_at"] > RECOMMEND_AFTER:
            return Action(conflict["id"], "recommended", f"give {skill['id']} to an agent", False)
        return Action(conflict["id"], "deferred", skill["id"], False)

    async def _fitting(self, who: Caller, skill: Row) -> Link | None:
        like = Like(KIND, Kinds.SKILLS, LINK_LEAST, 5)
        pairs = await self._conflicts.finder.pairs(skill["scope"], [skill["id"]], like)
        for pair in sorted(pairs, key=lambda each: -each.similarity):
            other = (await self._skills.get(who, pair.right))["skill"]
            same = other["category"] == skill["category"]
            hint = dependency_hint(pair.similarity, same_category=same)
            if hint is not None:
                confidence = round(pair.similarity, 4)
                return Link(skill["id"], other["id"], Dependency(hint), 1.0, confidence)
        return None


def _whole(skill: Row) -> str:
    """Everything that a skill says, a paragraph each."""
    parts = (skill["content"], *skill["preconditions"], *skill["postconditions"])
    return "\n\n".join((f"{skill['name']}.", *parts))
