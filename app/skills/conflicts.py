"""Conflicts among skills: found by the index's neighbours, recorded once, decided by people."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.embeddings.calibration import Kinds
from app.errors import InvalidInput, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.sanitize.labels import PolicyOf, clean_label
from app.skills import detectors, transitions
from app.skills.cycles import Edge
from app.skills.detectors import OVERLAP, Broken, Detected, Drift, Seen
from app.skills.finding import Finder, Like, Pair
from app.skills.priority import TABLES, priority
from app.skills.record import KIND
from app.skills.vocabulary import ConflictStatus, Severity

PAGE = 500
NEIGHBOURS = 11  # of each skill, itself among them
PAUSE = timedelta(days=30)  # after a conflict was closed, before a scan opens it again


@dataclass(frozen=True, slots=True)
class Scan:
    """The receipt of a scan: what was found, what of it is new, and what is gone."""

    scope: str
    dry_run: bool
    skills: int
    found: tuple[Detected, ...]
    fresh: tuple[str, ...]
    closed: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """Which conflicts a listing shows."""

    scopes: list[str]
    status: str | None = None
    open_only: bool = False
    after: str = ""
    limit: int = 50


class ConflictService:
    """Scans one scope at a time; skills of different scopes are not held against each other."""

    def __init__(self, graph: Graph, finder: Finder, policy: PolicyOf) -> None:
        self.graph = graph
        self._policy = policy
        self.finder = finder

    async def scan(self, actor: Caller, scope: str, *, dry_run: bool = False) -> Scan:
        """Look for conflicts among the active skills of a scope and keep them on record.

        The work grows with the number of skills, not of pairs. A second scan adds nothing; what a
        scan no longer finds is resolved, and what was closed opens again after 30 days at the
        earliest.
        """
        moment = now()
        skills = {skill.id: skill async for skill in self._seen(scope)}
        found = await self._detect(scope, skills, moment)
        if dry_run:
            ids = [each.identity(scope) for each in found]
            rows = await self.graph.rows(Q.skills.conflicts_known, ids=ids, scope=scope)
            known = {row["id"] for row in rows}
            fresh = tuple(i for i in ids if i not in known)
            return Scan(scope, True, len(skills), tuple(found), fresh)
        fresh = await self._save(scope, found, moment)
        event = audit.event(actor, "skill.scan", scope, found=len(found), fresh=len(fresh))
        row = await self.graph.one(Q.skills.close_gone, scope=scope, at=moment, audit=event)
        return Scan(scope, False, len(skills), tuple(found), fresh, row["closed"])

    async def page(self, listed: Listed) -> list[Row]:
        """Conflicts by id, each with its skills."""
        return await self.graph.rows(
            Q.skills.conflicts,
            scopes=listed.scopes,
            status=listed.status,
            open=listed.open_only,
            alive=now(),
            after=listed.after,
            limit=listed.limit,
        )

    async def get(self, who: Caller, conflict: str) -> Row:
        """One conflict; NotFound where absent or not visible."""
        row = await self.graph.optional(Q.skills.get_conflict, id=conflict, scopes=who.visible)
        if row is None:
            raise NotFound(f"there is no conflict {conflict}")
        return row

    async def decide(
        self, who: Caller, conflict: str, status: ConflictStatus, note: str = ""
    ) -> Row:
        """Acknowledge, resolve or dismiss a conflict; the latter two pause it for 30 days.

        Raises Forbidden without the curator's role, StateRefused (field `status`) for a step that
        there is not.
        """

        stored = (await self.get(who, conflict))["conflict"]
        said = clean_label(note, "note", await self._policy(stored["scope"])) or ""

        def properties(row: Row, at: datetime) -> Row:
            transitions.step(transitions.CONFLICT, ConflictStatus(row["status"]), status)
            decided = {"status": str(status), "decided_at": at, "decided_by": who.principal}
            closed = status is not ConflictStatus.ACKNOWLEDGED
            return decided | {"note": said} | ({"paused_until": at + PAUSE} if closed else {})

        return await self._set(who, conflict, f"skill.conflict.{status}", properties)

    async def pause(self, who: Caller, conflict: str, until: datetime) -> Row:
        """Leave an open conflict out of the listing of open ones until a moment to come."""
        if until <= now():
            raise InvalidInput("a pause ends at a moment to come", field="until")

        def properties(row: Row, at: datetime) -> Row:
            if ConflictStatus(row["status"]) in (ConflictStatus.RESOLVED, ConflictStatus.DISMISSED):
                transitions.step(
                    transitions.CONFLICT,
                    ConflictStatus(row["status"]),
                    ConflictStatus.ACKNOWLEDGED,
                )
            return {"paused_until": until}

        return await self._set(who, conflict, "skill.conflict.pause", properties)

    # --- looking -------------------------------------------------------------------------------

    async def _seen(self, scope: str) -> AsyncIterator[Seen]:
        after = ""
        while rows := await self.graph.rows(Q.skills.seen, scope=scope, after=after, limit=PAGE):
            for row in rows:
                yield _seen(row)
            after = rows[-1]["skill"]["id"]
            if len(rows) < PAGE:
                return

    async def _detect(self, scope: str, skills: dict[str, Seen], at: datetime) -> list[Detected]:
        needs = await self.graph.rows(Q.skills.needs, scope=scope)
        clones = await self.graph.rows(Q.skills.clones, scope=scope)
        active = [row for row in needs if row["status"] == "active"]
        gone = [row for row in needs if row["status"] != "active"]
        edges = {(row["source"], row["target"]): row["strength"] for row in active}
        return [
            *detectors.alike([pair async for pair in self._pairs(scope, list(skills))], skills),
            *detectors.same_names(skills.values()),
            *detectors.circular([Edge(a, b, s) for (a, b), s in edges.items()]),
            *detectors.broken(
                {Broken(row["source"], row["target"], row["status"]) for row in gone}
            ),
            *detectors.drifted(Drift(**row) for row in clones),
            *detectors.alone(skills.values(), at),
        ]

    async def _pairs(self, scope: str, ids: list[str]) -> AsyncIterator[Pair]:
        for start in range(0, len(ids), PAGE):
            like = Like(KIND, Kinds.SKILLS, OVERLAP, NEIGHBOURS)
            for pair in await self.finder.pairs(scope, ids[start : start + PAGE], like):
                yield pair

    async def _save(self, scope: str, found: list[Detected], at: datetime) -> tuple[str, ...]:
        rows = [{"id": f.identity(scope), "properties": _row(f, scope, at)} for f in found]
        fresh: list[str] = []
        for start in range(0, len(rows), PAGE):
            saved = await self.graph.rows(
                Q.skills.save_conflicts, rows=rows[start : start + PAGE], scope=scope, at=at
            )
            fresh += [row["id"] for row in saved if row["fresh"]]
        return tuple(fresh)

    async def _set(
        self, who: Caller, conflict: str, kind: str, properties: Callable[[Row, datetime], Row]
    ) -> Row:
        stored = (await self.get(who, conflict))["conflict"]
        who.require(stored["scope"], Role.CURATOR)

        async def work(tx: Tx) -> None:
            at = now()
            row = await tx.optional(Q.skills.lock_conflict, id=conflict, scopes=who.visible, at=at)
            if row is None:
                raise NotFound(f"there is no conflict {conflict}")
            await tx.one(
                Q.skills.set_conflict,
                id=conflict,
                scope=stored["scope"],
                properties=properties(row["conflict"], at),
                audit=audit.event(who, kind, stored["scope"]),
            )

        await self.graph.write("skills.conflict", work)
        return await self.get(who, conflict)


def priority_of(row: Row, at: datetime, weights: str = "document") -> float:
    """The priority of a stored conflict at a moment, by the document's or the code's weights."""
    age = at - row["detected_at"]
    return priority(Severity(row["severity"]), age, row.get("similarity"), TABLES[weights])


def _seen(row: Row) -> Seen:
    skill = row["skill"]
    return Seen(
        id=skill["id"],
        name=skill["name"],
        category=skill["category"],
        text=row["text"],
        made_at=skill["created_at"],
        used_at=skill["last_used_at"],
        uses=skill["usage_count"],
        agents=row["agents"],
        edges=row["edges"],
    )


def _row(found: Detected, scope: str, at: datetime) -> Row:
    row = {
        "id": found.identity(scope),
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "type": str(found.type),
        "finding": str(found.finding),
        "severity": str(found.severity),
        "status": str(ConflictStatus.DETECTED),
        "similarity": found.similarity,
        "skills": list(found.skills),
        "detail": found.detail,
        "detected_at": at,
        "seen_at": at,
        "touched_at": at,
    }
    return {name: value for name, value in row.items() if value is not None}
