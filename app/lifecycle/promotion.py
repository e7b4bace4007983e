"""Attestation, and what enough of it does: a fact is copied to a wider scope of its tenant.

The copy goes through the same doors as any other statement: an episode in the wider scope says
it, derived from the fact and no less private, and the fact stays as it is. A copy that loses its
support waits in quarantine; the original does not change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.consolidation.fast import FastPath, Observation
from app.errors import Forbidden, NotFound, NotReadYet
from app.facts.service import Decision, FactService
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now, open_end
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.lifecycle.posterior import posterior, reliability
from app.sanitize.privacy import named
from app.scopes.every import paths
from app.scopes.rules import PromotionRules
from app.scopes.service import ScopeService

PROMOTER = "loci"
ORIGIN = "promotion"
PAGE = 200


@dataclass(frozen=True, slots=True)
class Parts:
    """What promotion works with."""

    graph: Graph
    scopes: ScopeService
    facts: FactService
    fast: FastPath


class PromotionService:
    """Attest, revoke, promote, demote."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.graph = parts.graph

    async def attest(self, caller: Caller, fact: str, *, revoke: bool = False) -> Row:
        """Stand for a fact, once, or take it back; the fact's attesters as they are then.

        Raises NotFound for a fact that is not seen, Forbidden without the writer's role there.
        """
        places = await self._parts.facts.repository.places([fact], caller.visible)
        if fact not in places:
            raise NotFound(f"there is no fact {fact}")
        scope = str(places[fact]["scope"])
        if not caller.may(scope, Role.WRITER):
            raise Forbidden(f"this key needs the role writer in {scope}")
        verb = "revoke" if revoke else "attest"
        params: dict[str, Any] = {
            "id": digest("attest", fact, caller.principal)[:32],
            "fact": fact,
            "scope": scope,
            "tenant": caller.tenant,
            "principal": caller.principal,
            "at": now(),
            "audit": audit.event(caller, f"fact.{verb}", scope, fact=fact),
        }
        query = Q.lifecycle.revoke_attestation if revoke else Q.lifecycle.attest
        if revoke:
            params = {k: params[k] for k in ("id", "scope", "at", "audit")}
        changed = await self.graph.rows(query, **params)
        row = await self.graph.one(Q.lifecycle.attesters, fact=fact, scopes=[scope])
        return {**row, "changed": bool(changed and changed[0]["changed"])}

    async def consider(self, scope: str) -> dict[str, int]:
        """Promote and demote what the rules of a scope say; counts. Nothing where they are off."""
        rules = (await self._parts.scopes.rules(scope)).promotion
        done = {"promoted": 0, "demoted": 0}
        target = _target(scope, rules)
        if target is None or not (rules.enabled or rules.demotion):
            return done
        after = ""
        while rules.enabled and (rows := await self._attested(scope, rules.quorum, after)):
            after = rows[-1]["fact"]["id"]
            for row in rows:
                if _score(row) >= rules.threshold - 1e-9:
                    done["promoted"] += await self._promote(row, target)
        if rules.demotion:
            for row in await self.graph.rows(
                Q.lifecycle.promotions_of, scopes=[scope], states=["promoted"]
            ):
                if not _supported(row, rules):
                    done["demoted"] += await self._demote(row)
        return done

    async def consider_all(self) -> dict[str, int]:
        """Every scope, each by its own rules."""
        total = {"promoted": 0, "demoted": 0}
        async for scope in paths(self.graph):
            for name, count in (await self.consider(scope)).items():
                total[name] += count
        return total

    async def _attested(self, scope: str, quorum: int, after: str) -> list[Row]:
        return await self.graph.rows(
            Q.lifecycle.attested, scope=scope, quorum=quorum, after=after, limit=PAGE
        )

    async def _promote(self, row: Row, target: str) -> int:
        fact = row["fact"]
        caller = promoter(fact["scope"], target)
        seen = Observation(
            session="promotions",
            role="tool",
            statement=_statement(row),
            scope=target,
            said_at=fact["ingested_at"],
            origin=ORIGIN,
            privacy=named(fact["privacy"]),
        )
        try:
            stored = await self._parts.fast.remember(caller, seen)
        except NotReadYet:
            return 0  # another worker reads the episode; the next run finds it
        copies = [r["fact"]["id"] for r in stored.facts]
        if not copies:
            return 0
        promotion = {
            "id": digest("promotion", fact["id"], target)[:32],
            "tenant": fact["tenant"],
            "scope": fact["scope"],
            "target": target,
            "fact": fact["id"],
            "copy": copies[0],
            "episode": stored.receipt.id,
            "attesters": sorted(a["principal"] for a in row["attesters"]),
            "score": round(_score(row), 4),
            "at": now(),
            "state": "promoted",
        }
        event = audit.event(
            caller, "promote", fact["scope"], fact=fact["id"], copy=copies[0], target=target
        )
        made = await self.graph.one(Q.lifecycle.promote, row=promotion, audit=event)
        return int(made["made"])

    async def _demote(self, row: Row) -> int:
        promotion = row["promotion"]
        caller = promoter(promotion["scope"], promotion["target"])
        if row["copy_there"]:
            decision = Decision(promotion["copy"], "reject", note="its support was lost")
            await self._parts.facts.decide(caller, [decision])
        event = audit.event(
            caller,
            "demote",
            promotion["scope"],
            fact=promotion["fact"],
            copy=promotion["copy"],
            target=promotion["target"],
        )

        async def work(tx: Tx) -> None:
            await tx.rows(Q.lifecycle.demote, id=promotion["id"], at=now(), audit=event)

        await self.graph.write("lifecycle.demote", work)
        return 1


def promoter(*scopes: str) -> Caller:
    """Who acts where a rule promotes."""
    tenant = scopes[0].partition("/")[0]
    return Caller(
        principal=PROMOTER,
        kind="system",
        name=PROMOTER,
        tenant=tenant,
        home=scopes[-1],
        key="",
        roles=dict.fromkeys(scopes, Role.CURATOR),
        request=ORIGIN,
    )


def _target(scope: str, rules: PromotionRules) -> str | None:
    """The wider scope that copies go to; None where there is none."""
    path = parse_scope(scope)
    wider = path.tenant
    if rules.target == "workspace" and path.workspace is not None:
        wider = str(replace(path, leaf=None))
    return None if wider == scope else wider


def _score(row: Row) -> float:
    return posterior(_reliability(attester) for attester in row["attesters"])


def _reliability(attester: Row) -> float:
    """By its record; what an agent lost by being idle (`Principal.trust`) stays lost till it is
    looked at again."""
    record = reliability(attester["agreements"], attester["contradictions"])
    faded = attester.get("trust")
    return record if faded is None else min(record, float(faded))


def _supported(row: Row, rules: PromotionRules) -> bool:
    """Whether the fact behind a copy is still held and still attested enough."""
    held = row["status"] == "active"
    return held and len(row["attesters"]) >= rules.quorum and _score(row) >= rules.threshold - 1e-9


def _statement(row: Row) -> dict[str, Any]:
    """The fact as a statement of its own, with its interval."""
    fact = row["fact"]
    value = (
        {"name": row["object_name"], "type": row["object_type"]}
        if fact.get("object_id")
        else {"value": fact["object_text"]}
    )
    fields: dict[str, Any] = {
        "subject": {"name": row["subject_name"], "type": row["subject_type"]},
        "predicate": fact["predicate"],
        "object": value,
        "mode": "deny" if fact["negated"] else "assert",
        "valid_from": _told(fact["valid_from"]),
        "ongoing": False,
    }
    if end := open_end(fact["valid_to"]):
        fields["valid_to"] = _told(end)
    return fields


def _told(moment: datetime) -> str:
    return moment.isoformat()
