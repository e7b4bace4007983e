"""Merges: proposed with evidence, decided by a curator, undone exactly.

A merge moves nothing. It is an edge between two entities, and the `root` of each member of the
cluster follows from the accepted edges; what was said of a member stays with the member.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.entities.clusters import Link, changes, opposed, roots
from app.errors import Conflict, Forbidden, InvalidInput, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.sanitize.labels import PolicyOf, clean_label

LARGEST = 500  # members of a cluster; beyond it a merge is more likely a mistake than a finding
# From which state a decision may be taken, and the state that it leads to.
DECISIONS = {
    "accept": ("pending", "accepted"),
    "reject": ("pending", "rejected"),
    "undo": ("accepted", "undone"),
}
OnRootsChanged = Callable[[Tx, list[str]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two entities of one scope that may be one, and what speaks for it."""

    scope: str
    left: str
    right: str
    evidence: dict[str, Any]

    @property
    def id(self) -> str:
        """One id for a pair, whichever comes first."""
        return digest("merge", *sorted((self.left, self.right)))[:32]


async def nothing_depends(tx: Tx, ids: list[str]) -> None:
    """What is done about changed roots where nothing is derived from them."""


class MergeService:
    """Proposals and decisions.

    `on_roots_changed` is called inside the transaction of a decision with the ids of the entities
    whose root is another now; it must be safe to run again.
    """

    def __init__(
        self, graph: Graph, policy: PolicyOf, on_roots_changed: OnRootsChanged = nothing_depends
    ) -> None:
        self.graph = graph
        self._policy = policy
        self._on_roots_changed = on_roots_changed

    async def propose(self, caller: Caller, left: str, right: str, reason: str | None) -> Row:
        """Propose by hand that two entities are one; a decided pair is opened anew.

        Raises NotFound for an entity that is not seen, Forbidden without the writer's role, and
        Conflict where the two are one already, or a proposal is pending or accepted.
        """
        scope = await self._common_scope(caller, left, right)
        caller.require(scope, Role.WRITER)
        said = clean_label(reason, "reason", await self._policy(scope))
        evidence = {"by_hand": said or True}
        proposal = Proposal(scope, left, right, evidence)
        event = audit.event(caller, "merge.propose", scope, merge=proposal.id)
        made = await self.propose_all([(proposal, event)], caller.principal, by_hand=True)
        if not made:
            raise Conflict("the two are one already", field="right")
        if not made[0]["made"]:
            raise Conflict(f"this merge is {made[0]['status']} already", field="right")
        return await self.get(caller, proposal.id)

    async def propose_all(
        self, proposals: Iterable[tuple[Proposal, Row]], by: str, *, by_hand: bool = False
    ) -> list[Row]:
        """Write proposals, each with its audit event; id, status and `made` of each that stands.

        Without `by_hand` a pair that was ever proposed is left as it is.
        """
        at = now()
        rows = [_proposal_row(p, event, by, at, by_hand) for p, event in proposals]
        return await self.graph.rows(Q.entities.propose, rows=rows) if rows else []

    async def get(self, caller: Caller, merge: str) -> Row:
        """One proposal with both sides; NotFound where absent or not visible."""
        rows = await self.page(caller.visible, ids=[merge], status=None, after="", limit=1)
        if not rows:
            raise NotFound(f"there is no merge {merge}")
        return rows[0]

    async def page(
        self,
        scopes: list[str],
        *,
        status: str | None,
        after: str,
        limit: int,
        ids: list[str] | None = None,
    ) -> list[Row]:
        """Proposals and decisions by id."""
        return await self.graph.rows(
            Q.entities.list_merges, ids=ids, scopes=scopes, status=status, after=after, limit=limit
        )

    async def decide(self, caller: Caller, merge: str, verb: str) -> Row:
        """Accept, reject or undo; returns the merge as it is then.

        Raises NotFound, Forbidden without the curator's role, and Conflict where its status does
        not allow it, where the cluster would be too large, or where it would join what a curator
        has kept apart.
        """

        async def work(tx: Tx) -> list[str]:
            return await self._decide(tx, caller, merge, verb)

        await self.graph.write(f"entities.{verb}", work)
        return await self.get(caller, merge)

    async def _decide(self, tx: Tx, caller: Caller, merge: str, verb: str) -> list[str]:
        at = now()
        found = await tx.optional(Q.entities.lock_merge, id=merge, scopes=caller.visible, at=at)
        if found is None:
            raise NotFound(f"there is no merge {merge}")
        record = found["record"]
        if not caller.may(record["scope"], Role.CURATOR):
            raise Forbidden(f"this key needs the role curator in {record['scope']}")
        wanted, status = DECISIONS[verb]
        if record["status"] != wanted:
            raise Conflict(f"a merge that is {record['status']} cannot be decided so: {verb}")
        edge = _decided(found, status, caller.principal, at)
        moved = [] if verb == "reject" else await self._moved(tx, found, edge)
        await tx.one(
            Q.entities.decide,
            id=merge,
            scope=record["scope"],
            edge=edge,
            record={**edge, "changes": orjson.dumps(moved).decode()},
            roots=moved,
            audit=audit.event(
                caller, f"merge.{verb}", record["scope"], merge=merge, moved=len(moved)
            ),
        )
        ids = [row["id"] for row in moved]
        if ids:
            await self._on_roots_changed(tx, ids)
        return ids

    async def _moved(self, tx: Tx, found: Row, edge: Row) -> list[dict[str, str]]:
        """Whose root is another once this edge counts, or counts no more."""
        both = sorted({found["left"]["root"], found["right"]["root"]})
        scope = found["record"]["scope"]
        rows = await tx.rows(Q.entities.cluster, roots=both, scope=scope, at=edge["decided_at"])
        if len(rows) > LARGEST:
            raise Conflict(f"the two have more than {LARGEST} members together")
        pair = (found["record"]["left"], found["record"]["right"])
        links = [link for link in _links(rows) if (link.left, link.right) != pair]
        if edge["status"] == "accepted":
            links.append(Link(*pair, edge["left_count"], edge["right_count"]))
        before = {row["id"]: row["root"] for row in rows}
        against = opposed(before, links, _rejected(rows))
        if against is not None and edge["status"] == "accepted":
            raise Conflict(f"it would join {against[0]} and {against[1]}, which were kept apart")
        return changes(before, roots(before, links))

    async def _common_scope(self, caller: Caller, left: str, right: str) -> str:
        if left == right:
            raise InvalidInput("an entity is the same as itself", field="right")
        scopes = {}
        for name, identifier in (("left", left), ("right", right)):
            row = await self.graph.optional(Q.entities.place, id=identifier, scopes=caller.visible)
            if row is None:
                raise NotFound(f"there is no entity {identifier}", field=name)
            scopes[name] = row["scope"]
        if scopes["left"] != scopes["right"]:
            raise InvalidInput("entities of two scopes are never merged", field="right")
        scope: str = scopes["left"]
        return scope


def _proposal_row(
    proposal: Proposal, event: Row, by: str, at: datetime, by_hand: bool
) -> dict[str, Any]:
    left, right = sorted((proposal.left, proposal.right))
    edge = {
        "id": proposal.id,
        "status": "pending",
        "evidence": orjson.dumps(proposal.evidence, option=orjson.OPT_SORT_KEYS).decode(),
        "proposed_at": at,
    }
    record = {
        **edge,
        "scope": proposal.scope,
        "tenant": parse_scope(proposal.scope).tenant,
        "left": left,
        "right": right,
        "proposed_by": by,
        "changes": "[]",
    }
    return {"record": record, "edge": edge, "again": by_hand, "audit": event}


def _decided(found: Row, status: str, by: str, at: datetime) -> dict[str, Any]:
    edge: dict[str, Any] = {"status": status, "decided_by": by, "decided_at": at}
    if status == "accepted":
        edge["left_count"] = found["left"]["mention_count"]
        edge["right_count"] = found["right"]["mention_count"]
    return edge


def _links(rows: Sequence[Row]) -> list[Link]:
    return [
        Link(row["id"], edge["right"], edge["left_count"], edge["right_count"])
        for row in rows
        for edge in row["edges"]
        if edge["status"] == "accepted"
    ]


def _rejected(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [
        (row["id"], edge["right"])
        for row in rows
        for edge in row["edges"]
        if edge["status"] == "rejected"
    ]
