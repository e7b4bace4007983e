"""Outcomes of skills, told by those who used them, and what is learnt from each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import Conflict, EmbedderUnavailable, NotFound
from app.indexing.spaces import Part
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import digest, new_id
from app.notes.kind import PATTERN, PatternRecord
from app.sanitize.aside import aside
from app.skills import record
from app.skills.advice import Advice, Known, advise
from app.skills.discovery import failure_hash
from app.skills.draft import cleaner
from app.skills.effectiveness import (
    OUTCOMES_NEEDED,
    UNKNOWN,
    Tally,
    Trend,
    co_use,
    recent_span,
    skill_effectiveness,
    trend,
    version_effectiveness,
)
from app.skills.experiment import SHARE, clamped, gets_variant, variant_wins
from app.skills.learned import Shown
from app.skills.learned import effectiveness as learning_effectiveness
from app.skills.service import Parts, SkillService, require_author
from app.skills.vocabulary import USABLE
from app.skills.writing import activated, locked, version_named


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one use went. `key` makes it count once; `failure` says what went wrong."""

    success: bool
    key: str | None = None
    version: str | None = None
    at: datetime | None = None
    task: str = ""
    duration_ms: int | None = None
    tokens: int | None = None
    together: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What an outcome changed; `recorded` is False where it was told before."""

    id: str
    recorded: bool
    version: str
    effectiveness: float
    trend: Trend
    pattern: str | None = None


class OutcomeService:
    """Counts outcomes, rates skills by them, and keeps experiments."""

    def __init__(self, parts: Parts, skills: SkillService) -> None:
        self._parts = parts
        self._graph = parts.graph
        self._skills = skills

    async def record(self, who: Caller, skill: str, outcome: Outcome) -> Recorded:
        """Count one outcome, once; from five on the skill's effectiveness follows from them.

        Raises NotFound for the skill or the version, Forbidden without the right to write to the
        skill's scope, InvalidInput for a failure whose text the policy refuses.
        """
        stored = (await self._skills.get(who, skill))["skill"]
        who.require(stored["scope"], Role.WRITER)
        usage = _usage(who, stored, outcome)
        pattern = await self._pattern(who, stored, outcome)

        async def work(tx: Tx) -> tuple[bool, float]:
            return await self._counted(tx, who, usage, outcome, pattern)

        made, rate = await self._graph.write("skills.use", work)
        going = await self.trend(who, skill)
        told = pattern["id"] if pattern else None
        return Recorded(usage["id"], made, usage["version"], rate, going, told)

    async def trend(self, who: Caller, skill: str) -> Trend:
        """Where the rate of success is going: this week against the one before."""
        middle, since = recent_span(now())
        row = await self._graph.one(
            Q.skills.outcomes, id=skill, scopes=who.visible, since=since, middle=middle
        )
        before = Tally(row["good_before"], row["bad_before"])
        return trend(Tally(row["good"], row["bad"]), before)

    async def usages(self, who: Caller, skill: str, before: datetime, limit: int) -> list[Row]:
        """Outcomes that were told, newest first."""
        await self._skills.get(who, skill)
        rows = await self._graph.rows(
            Q.skills.usages, id=skill, scopes=who.visible, before=before, limit=limit
        )
        return [row["usage"] for row in rows]

    async def teach(self, who: Caller, skill: str, note: str) -> None:
        """Let a learning bear on a skill: how useful it is counts from the next outcome on."""
        stored = (await self._skills.get(who, skill))["skill"]
        scope = who.require(stored["scope"], Role.WRITER)
        row = await self._graph.optional(
            Q.skills.teach,
            id=skill,
            note=note,
            scopes=who.visible,
            at=now(),
            audit=audit.event(who, "skill.teach", scope, note=note),
        )
        if row is None:
            raise NotFound(f"there is no learning {note}", field="note")

    async def advice(self, who: Caller, skill: str) -> list[Advice]:
        """What would make a skill better."""
        row = await self._skills.get(who, skill)
        stored = row["skill"]
        known = await self._graph.rows(
            Q.skills.neighbours, ids=[skill], scopes=who.visible, statuses=list(USABLE)
        )
        return advise(
            Known(
                description=stored["description"],
                body=stored["body"],
                preconditions=len(stored["preconditions"]),
                postconditions=len(stored["postconditions"]),
                uses=stored["usage_count"],
                effectiveness=stored["effectiveness"],
                trend=await self.trend(who, skill),
                agents=row["agents"],
                neighbours=known[0]["neighbours"],
                open_conflicts=row["conflicts"],
            )
        )

    # --- experiments ---------------------------------------------------------------------------

    async def start(self, who: Caller, skill: str, version: str, share: float = SHARE) -> Row:
        """Try a version on a share of the uses, between .01 and .99; an earlier test is cleared.

        Raises NotFound for skill or version, Conflict (field `version`) for the version in use.
        """
        require_author(who, (await self._skills.get(who, skill))["skill"])
        properties = {
            "experiment": new_id(),
            "experiment_state": "running",
            "share": clamped(share),
            "started_at": now(),
        }

        async def work(tx: Tx) -> Row:
            row = await locked(tx, who, skill)
            if version == row["version"]:
                raise Conflict("that version is in use; try another", field="version")
            chosen = await version_named(tx, row, version)
            await _clear(tx, row)
            fresh = {"usage_count": 0, "success_count": 0, "failure_count": 0}
            set_to = {"id": chosen["id"], "properties": properties | fresh}
            await _variants(tx, who, row, [set_to], "skill.experiment.start")
            return chosen | properties

        return await self._graph.write("skills.experiment", work)

    async def variant(self, who: Caller, skill: str, unit: str) -> Row:
        """The version that a task, session or agent is to use: always the same while a test
        runs."""
        versions = await self._skills.versions(who, skill)
        active = next(v for v in versions if v["is_active"])
        tried = _running(versions)
        if tried and gets_variant(tried["experiment"], unit, tried["share"]):
            return tried
        return active

    async def end(self, who: Caller, skill: str) -> Row:
        """End the test: the variant comes into use only if it is strictly better, by five outcomes
        on either side. Returns the variant with its state; Conflict where no test runs."""
        require_author(who, (await self._skills.get(who, skill))["skill"])

        async def work(tx: Tx) -> Row:
            row = await locked(tx, who, skill)
            rows = await tx.rows(Q.skills.versions, id=skill, scopes=[row["scope"]])
            versions = [r["version"] for r in rows]
            tried = _running(versions)
            if tried is None:
                raise Conflict("no test of this skill runs", field="experiment")
            active = next(v for v in versions if v["is_active"])
            won = variant_wins(_tally(active), _tally(tried))
            state = {"experiment_state": "won" if won else "lost", "ended_at": now()}
            set_to = {"id": tried["id"], "properties": state}
            await _variants(tx, who, row, [set_to], "skill.experiment.end")
            if won:
                await activated(tx, who, row, tried, "skill.activate")
            return tried | state | {"is_active": won}

        done = await self._graph.write("skills.experiment", work)
        self._parts.wakeup.set()
        return done

    # --- counting ------------------------------------------------------------------------------

    async def _counted(
        self, tx: Tx, who: Caller, usage: Row, outcome: Outcome, pattern: Row | None
    ) -> tuple[bool, float]:
        row = await locked(tx, who, usage["skill"])
        scope = row["scope"]
        if await tx.optional(Q.skills.usage_known, id=usage["id"], scope=scope) is not None:
            return False, row["effectiveness"]
        told = audit.event(who, "skill.use", scope, outcome=usage["outcome"], usage=usage["id"])
        counted = await tx.optional(
            Q.skills.record_use,
            id=row["id"],
            scope=scope,
            version=record.version_id(row["id"], usage["version"]),
            usage=usage,
            success=outcome.success,
            audit=told,
        )
        if counted is None:
            raise NotFound(f"the skill has no version {usage['version']}", field="version")
        rate = _rate(counted)
        await tx.rows(Q.skills.rate, id=row["id"], scope=scope, effectiveness=rate)
        await _together(tx, who, row["id"], outcome)
        if pattern is not None:
            await tx.one(Q.skills.fail, id=row["id"], scope=scope, pattern=pattern)
        return True, rate

    async def _pattern(self, who: Caller, stored: Row, outcome: Outcome) -> Row | None:
        """What went wrong, as a pattern of failure with the vector that it is weighed by."""
        if outcome.success or not outcome.failure.strip():
            return None
        scope = stored["scope"]
        clean = cleaner(await self._parts.scopes.policy(scope))
        text = await aside(outcome.failure, lambda: clean(outcome.failure, "failure"))
        part = await self._compared(text, scope)
        fields: Row = {"scope": scope, "content": text, "author": who.principal}
        return {
            **PATTERN.node(PatternRecord.model_construct(**fields), now()),
            "embedding": part and part.vector,
            "embed_hash": part and failure_hash(who.tenant, part.model, text),
        }

    async def _compared(self, text: str, scope: str) -> Part | None:
        try:
            return await self._parts.spaces.compared(text, scope)
        except EmbedderUnavailable:
            return None


def _usage(who: Caller, stored: Row, outcome: Outcome) -> Row:
    identity = digest("skill-usage", stored["id"], outcome.key)[:32] if outcome.key else new_id()
    moment = now()
    row: dict[str, Any] = {
        "id": identity,
        "skill": stored["id"],
        "scope": stored["scope"],
        "tenant": who.tenant,
        "principal": who.principal,
        "version": outcome.version or stored["version"],
        "outcome": "success" if outcome.success else "failure",
        "at": min(outcome.at or moment, moment),
        "recorded_at": moment,
        "task": digest(outcome.task) if outcome.task else None,
        "duration_ms": outcome.duration_ms,
        "tokens": outcome.tokens,
    }
    return {name: value for name, value in row.items() if value is not None}


def _rate(counted: Row) -> float:
    """The effectiveness after an outcome; as it was below five."""
    skill = counted["skill"]
    tally = _tally(skill)
    if tally.uses < OUTCOMES_NEEDED:
        return float(skill["effectiveness"])
    known = [
        rate
        for each in counted["learnings"]
        if (rate := learning_effectiveness(Shown(each["injected"], each["useful"]))) is not None
    ]
    taught = sum(known) / len(known) if known else UNKNOWN
    return skill_effectiveness(skill["confidence"], tally.rate, taught)


async def _together(tx: Tx, who: Caller, skill: str, outcome: Outcome) -> None:
    others = sorted(set(outcome.together) - {skill})
    if not others:
        return
    found = await tx.rows(Q.skills.co_weights, id=skill, others=others, scopes=who.visible)
    rows = [
        {
            "id": row["id"],
            "weight": co_use(
                UNKNOWN if row["weight"] is None else row["weight"], success=outcome.success
            ),
        }
        for row in found
    ]
    await tx.rows(Q.skills.set_co_weights, id=skill, rows=rows, scopes=who.visible)


def _tally(row: Row) -> Tally:
    return Tally(row["success_count"], row["failure_count"])


def rated(version: Row) -> float | None:
    """How well a version works, once it was used five times."""
    return version_effectiveness(_tally(version))


def _running(versions: list[Row]) -> Row | None:
    return next((v for v in versions if v.get("experiment_state") == "running"), None)


async def _clear(tx: Tx, row: Row) -> None:
    rows = await tx.rows(Q.skills.versions, id=row["id"], scopes=[row["scope"]])
    cleared = {"experiment_state": "cleared", "ended_at": now()}
    running = [
        {"id": r["version"]["id"], "properties": cleared}
        for r in rows
        if r["version"].get("experiment_state") == "running"
    ]
    await tx.rows(Q.skills.set_variants, id=row["id"], scope=row["scope"], rows=running)


async def _variants(tx: Tx, who: Caller, row: Row, rows: list[Row], kind: str) -> None:
    await tx.rows(Q.skills.set_variants, id=row["id"], scope=row["scope"], rows=rows)
    await tx.one(
        Q.skills.change,
        id=row["id"],
        scope=row["scope"],
        properties={"updated_at": now()},
        tags=None,
        audit=audit.event(who, kind, row["scope"], version=rows[0]["id"]),
    )
