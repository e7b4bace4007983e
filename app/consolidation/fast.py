"""The fast path: one short observation is captured, read and settled before the answer.

It goes through the same doors as any other text: the episode is the record, and a crash after the
capture leaves it raw, for the worker to take up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from app.consolidation.assertion import pack, wording
from app.consolidation.repository import ConsolidationRepository
from app.consolidation.service import ConsolidationService
from app.episodes.model import Capture, Receipt
from app.episodes.service import EpisodeService
from app.errors import InvalidInput, LociError, NotReadYet
from app.facts.service import FactService, Moments
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.scope import parse_scope
from app.sanitize.privacy import Level, highest, named
from app.sanitize.step import sanitize
from app.scopes.service import ScopeService

NAMED = ("name", "value")


@dataclass(frozen=True, slots=True)
class Observation:
    """What is to be remembered: a text, or the fields of a statement, and how private it is at
    least."""

    session: str
    role: str | None  # by the kind of the principal if None
    text: str | None = None
    statement: dict[str, Any] | None = None
    scope: str | None = None
    speaker: str | None = None
    said_at: datetime | None = None
    origin: str = "api"
    tags: tuple[str, ...] = ()
    privacy: Level = "none"


@dataclass(frozen=True, slots=True)
class Remembered:
    """What came of it; `facts` are rows of `facts.get`."""

    receipt: Receipt
    facts: list[Row]

    @property
    def over(self) -> bool:
        """Whether nothing of what it says is held now, or waits for a review."""
        return bool(self.facts) and not any(row["intervals"] for row in self.facts)


class Forgetting(Protocol):
    """What was forgotten, and comes back."""

    async def said_again(self, caller: Caller, memories: Sequence[str]) -> bool:
        """Show again what is forgotten of some memories and is the caller's to show."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the fast path works with."""

    episodes: EpisodeService
    scopes: ScopeService
    consolidation: ConsolidationService
    rows: ConsolidationRepository
    facts: FactService
    forgetting: Forgetting


class FastPath:
    """Remember, supersede and end."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def remember(self, caller: Caller, seen: Observation) -> Remembered:
        """Capture an observation and settle what it says.

        The same observation again is a duplicate, and waits for the reading of the first. What was
        forgotten of it comes back, as far as it is the caller's: said without a moment, it is said
        now. Raises as capture does, and NotReadYet where what is stored could not be read in time.
        """
        scope = str(parse_scope(seen.scope or caller.home))
        fields = await self._cleaned(seen.statement, scope) if seen.statement else None
        capture = Capture(
            content=wording(fields) if fields else seen.text or "",
            session=seen.session,
            role=seen.role or "",
            scope=scope,
            speaker=seen.speaker,
            captured_at=seen.said_at,
            origin=seen.origin,
            tags=seen.tags,
            assertion=pack(fields) if fields else None,
            privacy=seen.privacy,
        )
        receipt = await self._parts.episodes.capture(caller, capture)
        episode = receipt.id or ""
        if receipt.status == "duplicate" or not await self._read(scope, episode):
            await self._awaited(episode)
        facts = await self._facts(caller, episode)
        if seen.said_at is None and not facts:
            facts = await self._shown_again(caller, episode)
        return Remembered(receipt, facts)

    async def _facts(self, caller: Caller, episode: str) -> list[Row]:
        ids = await self._parts.rows.facts_of(episode, caller.visible)
        at = Moments.of(None, None)
        return await self._parts.facts.repository.get(ids, caller.visible, at.as_of, at.known_at)

    async def _shown_again(self, caller: Caller, episode: str) -> list[Row]:
        """The facts of an episode once it and they are shown again: a fact follows its sources,
        and one that was forgotten by itself does not."""
        said_again = self._parts.forgetting.said_again
        await said_again(caller, [episode])
        await said_again(caller, await self._parts.rows.facts_of(episode, caller.visible))
        return await self._facts(caller, episode)

    async def _read(self, scope: str, episode: str) -> bool:
        """Read an episode now; false where the worker that its capture woke has it."""
        tally = await self._parts.consolidation.consolidate_now(scope, [episode])
        return tally.episodes + tally.failed > 0

    async def _awaited(self, episode: str) -> None:
        """Wait for another's reading; what cannot be read is not waited for, and says nothing."""
        episodes, aim = self._parts.episodes, "consolidated"
        if not await episodes.wait([episode], aim) and await episodes.waits(episode, aim):
            raise NotReadYet

    async def supersede(
        self, caller: Caller, fact: str, value: dict[str, Any], seen: Observation
    ) -> Remembered:
        """Put another value in the place of a fact's; NotFound where the fact is not seen.

        `seen.statement` holds the mode and the moment; subject and predicate are the fact's.
        """
        held = await self._held(caller, fact)
        if held["negated"]:
            raise InvalidInput("a denial has no value to replace", field="fact")
        told = {"object": value, "replaces": _value(held)}
        return await self._said_of(caller, held, told, seen)

    async def end(self, caller: Caller, fact: str, seen: Observation) -> Remembered:
        """Say that a fact has stopped, or was never so; NotFound where the fact is not seen.

        `seen.statement` holds the mode (`end` or `deny`) and the moment; the rest is the fact's.
        """
        held = await self._held(caller, fact)
        if held["negated"]:
            raise InvalidInput("a denial has nothing to end", field="fact")
        return await self._said_of(caller, held, {"object": _value(held)}, seen)

    async def _held(self, caller: Caller, fact: str) -> Row:
        row = await self._parts.facts.get(caller, fact, Moments.of(None, None))
        held: Row = row["fact"]
        return held

    async def _said_of(
        self, caller: Caller, held: Row, told: dict[str, Any], seen: Observation
    ) -> Remembered:
        """A statement with the subject and the predicate of a fact, as private as that.

        Made before and no longer so, it is made again: whoever changes a value back and forth says
        the same twice, and means both.
        """
        statement = {
            **(seen.statement or {}),
            "subject": {"name": held["subject_name"], "type": held["subject_type"]},
            "predicate": held["predicate"],
            **told,
        }
        again = Observation(
            session=seen.session,
            role=seen.role or "",
            statement=statement,
            scope=held["scope"],
            speaker=seen.speaker,
            said_at=seen.said_at,
            origin=seen.origin,
            privacy=highest(seen.privacy, named(held.get("privacy"))),
        )
        done = await self.remember(caller, again)
        if done.receipt.status == "duplicate" and done.over:
            done = await self.remember(caller, replace(again, said_at=now()))
        return done

    async def _cleaned(self, fields: dict[str, Any], scope: str) -> dict[str, Any]:
        """Every name and literal through the sanitising step of the scope, as its text is."""
        policy = await self._parts.scopes.policy(scope)
        cleaned = dict(fields)
        for part in ("subject", "object", "replaces"):
            end = fields.get(part)
            if end is None:
                continue
            name = next(name for name in NAMED if name in end)
            try:
                cleaned[part] = {**end, name: sanitize(end[name], policy).text}
            except LociError as error:
                error.field = f"statement.{part}.{name}"
                raise
        return cleaned


def _value(held: Row) -> dict[str, Any]:
    """The value of a fact, as a client would give it."""
    return {"name": held["object_text"]} if held["object_id"] else {"value": held["object_text"]}
