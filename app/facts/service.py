"""Reading facts at two moments, and deciding on what waits in quarantine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.errors import InvalidInput, NotFound
from app.facts.repository import FactRepository, Settled, Terms
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.ids import new_id
from app.sanitize.labels import PolicyOf, clean_label

TermsOf = Callable[[str], Awaitable[Terms]]


@dataclass(frozen=True, slots=True)
class Decision:
    """One verdict on one fact: accept, reject, interval with its validity, doubt; of a newer fact
    that may have changed the `other`: changed or both."""

    fact: str
    verdict: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    note: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Moments:
    """The two clocks of a read: what was so then, as it was known then.

    `latest` tells that no earlier knowledge was asked for.
    """

    as_of: datetime
    known_at: datetime
    latest: bool = False

    @classmethod
    def of(cls, as_of: datetime | None, known_at: datetime | None) -> Moments:
        """The moments asked for; now, where none was named.

        In UTC: to the database equal instants in different zones are not equal.
        """
        at = now()
        latest = known_at is None or known_at >= at
        then, known = ((moment or at).astimezone(UTC) for moment in (as_of, known_at))
        return cls(then, known, latest)


class FactService:
    """What is believed, and the reviews that change it."""

    def __init__(self, repository: FactRepository, terms_of: TermsOf, policy: PolicyOf) -> None:
        self.repository = repository
        self._terms_of = terms_of
        self._policy = policy

    async def get(self, caller: Caller, fact: str, moments: Moments) -> Row:
        """One fact with its evidence; NotFound where absent, forgotten or not visible."""
        rows = await self.repository.get([fact], caller.visible, moments.as_of, moments.known_at)
        if not rows or rows[0]["fact"]["ingested_at"] > moments.known_at:
            raise NotFound(f"there is no fact {fact}")
        return rows[0]

    async def cluster(self, caller: Caller, entity: str) -> list[str]:
        """Ids of an entity and of all that it was merged with; NotFound where not visible."""
        row = await self.repository.graph.optional(
            Q.facts.cluster, id=entity, scopes=caller.visible
        )
        if row is None:
            raise NotFound(f"there is no entity {entity}")
        ids: list[str] = row["ids"]
        return ids

    async def facts_of_changes(self, rows: Sequence[Row], scopes: list[str]) -> dict[str, Row]:
        """The facts that rows of `facts.possible_changes` name, as they are held now, by id."""
        ids = sorted({row["id"] for row in rows} | {old for row in rows for old in row["older"]})
        at = now()
        found = await self.repository.get(ids, scopes, at, at)
        return {row["fact"]["id"]: row for row in found}

    async def decide(self, caller: Caller, decisions: Sequence[Decision]) -> Settled:
        """Record verdicts on facts of one belief key and settle it again, in one transaction.

        Raises NotFound for a fact that is not seen, Forbidden without the curator's role, and
        InvalidInput where the facts do not stand against each other.
        """
        places = await self._places(caller, [d.fact for d in decisions])
        return await self._decided(caller, decisions, places, of_one_key=True)

    async def decide_change(self, caller: Caller, decision: Decision) -> tuple[str, Settled]:
        """Decide whether a newer fact took the place of an older one that it may have changed; the
        fact that the decision is on, and what it changed.

        The verdict is `changed` (the older ends when the newer began), `both` (they hold side by
        side) or `reject` (the newer is wrong). A later text may stand for the newer fact. Raises
        NotFound for a fact that is not seen,
        Forbidden without the curator's role, and InvalidInput where the two are no such pair.
        """
        older = decision.other or ""
        later = await self._later_text(caller, decision)
        if later is not None:
            places = await self._places(caller, [older])
            return older, await self._decided(caller, [later], places)
        places = await self._places(caller, [decision.fact, older])
        scopes = sorted({place["scope"] for place in places.values()})
        pair = await self.repository.graph.one(
            Q.facts.may_have_changed, newer=decision.fact, older=older, scopes=scopes
        )
        if not pair["found"]:
            raise InvalidInput("these facts are no possible change", field="older")
        if decision.verdict == "reject":
            decision = replace(decision, other=None)
        return decision.fact, await self._decided(caller, [decision], places)

    async def _later_text(self, caller: Caller, decision: Decision) -> Decision | None:
        """The decision on a later text as one on the older fact, which ends when the text was said
        or stays as it is; None where no such text may have changed it."""
        older, at = decision.other or "", now()
        rows = await self.repository.get([older], caller.visible, at, at)
        texts = [row for row in rows[0]["possible_changes"] if row.get("passage")] if rows else []
        text = next((row for row in texts if row["passage"] == decision.fact), None)
        if text is None:
            return None
        own = replace(decision, fact=older, other=decision.fact)
        if decision.verdict != "changed":
            return replace(own, verdict="both")
        return replace(own, verdict="interval", valid_to=text["since"])

    async def _decided(
        self,
        caller: Caller,
        decisions: Sequence[Decision],
        places: dict[str, Row],
        *,
        of_one_key: bool = False,
    ) -> Settled:
        scope = places[decisions[0].fact]["scope"]
        terms = await self._terms_of(scope)
        policy = await self._policy(scope)
        cleaned = [replace(d, note=clean_label(d.note, "note", policy)) for d in decisions]

        async def work(tx: Tx) -> Settled:
            at = now()
            await tx.rows(Q.facts.lock, ids=_locks(places.values()), at=at)
            for decision in cleaned:
                await tx.rows(
                    Q.facts.undo_reviews,
                    fact=decision.fact,
                    scopes=[scope],
                    at=at,
                    by=caller.principal,
                    other=decision.other,
                )
                await tx.rows(
                    Q.facts.review,
                    id=new_id(),
                    fact=decision.fact,
                    scopes=[scope],
                    properties=_review(decision, caller, scope, at),
                )
            await self._audit(tx, caller, scope, decisions)
            found = await self._found_again(tx, places, scope)
            if of_one_key and len({place["key"] for place in found}) != 1:
                raise InvalidInput("these facts do not stand against each other", field="other")
            keys = {place["key"] for place in (*places.values(), *found)}
            return await self.repository.settle(tx, keys, terms, caller.request)

        return await self.repository.graph.write("facts.decide", work)

    async def doubt(self, caller: Caller, fact: str) -> bool:
        """Put a fact that rests on the caller's own claims alone before a curator; whether it was.

        It waits in quarantine until a curator decides or somebody else says the same. A user may
        do that where he may write; what others say as well, or a curator has decided, stays.
        """
        places = await self.repository.places([fact], caller.visible)
        place = places.get(fact)
        if place is None or caller.kind != "user" or not caller.may(place["scope"], Role.WRITER):
            return False
        scope, terms = place["scope"], await self._terms_of(place["scope"])

        async def work(tx: Tx) -> bool:
            at = now()
            await tx.rows(Q.facts.lock, ids=_locks([place]), at=at)
            (told,) = await tx.rows(Q.facts.told_by, fact=fact, scopes=[scope])
            if told["principals"] != [caller.principal] or told["verdicts"]:
                return bool(told == {"principals": [caller.principal], "verdicts": ["doubt"]})
            decision = Decision(fact, "doubt", note="called wrong by who says it")
            properties = _review(decision, caller, scope, at)
            await tx.rows(
                Q.facts.review, id=new_id(), fact=fact, scopes=[scope], properties=properties
            )
            await self._audit(tx, caller, scope, [decision])
            found = await self._found_again(tx, {fact: place}, scope)
            keys = {one["key"] for one in (place, *found)}
            await self.repository.settle(tx, keys, terms, caller.request)
            return True

        return await self.repository.graph.write("facts.doubt", work)

    async def undo(self, caller: Caller, fact: str) -> Settled:
        """Take back every decision on a fact that still holds; NotFound where there is none."""
        places = await self._places(caller, [fact])
        place = places[fact]
        terms = await self._terms_of(place["scope"])

        async def work(tx: Tx) -> Settled | None:
            at = now()
            await tx.rows(Q.facts.lock, ids=_locks([place]), at=at)
            undone = await tx.rows(
                Q.facts.undo_reviews,
                fact=fact,
                scopes=[place["scope"]],
                at=at,
                by=caller.principal,
                other=None,
            )
            if not undone:
                return None
            await self._audit(tx, caller, place["scope"], [Decision(fact, "undo")])
            found = await self._found_again(tx, places, place["scope"])
            keys = {one["key"] for one in (place, *found)}
            return await self.repository.settle(tx, keys, terms, caller.request)

        settled = await self.repository.graph.write("facts.undo", work)
        if settled is None:
            raise NotFound(f"there is no decision on {fact} to undo")
        return settled

    async def _places(self, caller: Caller, facts: list[str]) -> dict[str, Row]:
        places = await self.repository.places(facts, caller.visible)
        for fact in facts:
            if fact not in places:
                raise NotFound(f"there is no fact {fact}")
            caller.require(places[fact]["scope"], Role.CURATOR)
        return places

    async def _found_again(self, tx: Tx, places: dict[str, Row], scope: str) -> list[Row]:
        """Where facts belong that the transaction has locked, their subjects locked as well: a
        merge may have moved them to another key while their lock was waited for. NotFound where one
        is gone."""
        found = await tx.rows(Q.facts.places, ids=sorted(places), scopes=[scope])
        for fact in places.keys() - {place["id"] for place in found}:
            raise NotFound(f"there is no fact {fact}")
        later = set(_locks(found)) - set(_locks(places.values()))
        if later:
            await tx.rows(Q.facts.lock, ids=sorted(later), at=now())
        return found

    async def _audit(
        self, tx: Tx, caller: Caller, scope: str, decisions: Sequence[Decision]
    ) -> None:
        rows = [
            {
                "fact": d.fact,
                "properties": audit.event(caller, "fact.review", scope, verdict=d.verdict),
            }
            for d in decisions
        ]
        await tx.rows(Q.facts.write_audit, rows=rows)


def _locks(places: Iterable[Row]) -> list[str]:
    return sorted({i for row in places for i in (row["subject"], row["root"]) if i})


def _review(decision: Decision, caller: Caller, scope: str, at: datetime) -> Row:
    properties = {
        "id": new_id(),
        "scope": scope,
        "tenant": caller.tenant,
        "fact": decision.fact,
        "verdict": decision.verdict,
        "by": caller.principal,
        "note": decision.note,
        "other": decision.other,
        "at": at,
        "valid_from": decision.valid_from,
        "valid_to": (decision.valid_to or FOREVER) if decision.verdict == "interval" else None,
    }
    return {k: v for k, v in properties.items() if v is not None}
