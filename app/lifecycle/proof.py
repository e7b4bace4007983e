"""The check of an erasure: nothing in the graph still holds what a receipt names."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.vocab import Label, Rel

PAGE = 5000  # nodes or edges looked at in one query
# What keeps ids and hashes of things that are gone, and never their content; and what belongs to
# the installation, not to a tenant.
RECORDS = frozenset(
    {
        Label.AUDIT_EVENT,
        Label.ERASURE_RECEIPT,
        Label.LEARNING_ENTRY,
        Label.TOMBSTONE,
        Label.SCHEMA_VERSION,
        Label.VECTOR_SPACE,
        Label.SCHEDULE,
    }
)
UMBRELLAS = frozenset({Label.MEMORY, Label.SEARCHABLE, Label.PRINCIPAL})


@dataclass(slots=True)
class Proof:
    """What was looked at, and what holds something: ids of nodes by label or edge type."""

    looked_at: int = 0
    holders: dict[str, list[str]] = field(default_factory=dict)
    same_text: list[Row] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing holds what was erased."""
        return not self.holders


async def prove(graph: Graph, receipt: Row, scopes: list[str], text: str | None = None) -> Proof:
    """Look through every string of the tenant for the ids of a receipt and for a given text.

    The text is looked for in audit events and receipts as well; upper and lower case are one.

    Everything is read, since no seek proves as much. By id an index tells that the node itself is
    gone, which the erasure has seen to; what is asked here is whether anything else still names it:
    the arguments of a job, the findings of a proposal, an answer that was kept, all of them JSON in
    which an id is a part of a string. No range index finds a part of a string, and a text index
    would have to stand over every property of every label, those of relationships too, which it
    cannot, and could not find a word that the full-text index has stemmed. So this costs time that
    grows with the store, and belongs to an inquiry rather than to every erasure.
    """
    proof = Proof()
    ids = [identifier.lower() for identifier in receipt["ids"]]
    said = [text.lower()] if text else []
    for label in Label:
        if label in UMBRELLAS:
            continue
        needles = said if label in RECORDS else [*ids, *said]
        await _look(graph, proof, (label.value, receipt["tenant"]), needles)
    for kind in Rel:
        await _look_at_edges(graph, proof, (kind.value, receipt["tenant"]), [*ids, *said])
    hashes = [h.partition(":")[2] for h in receipt["hashes"]]
    proof.same_text = await graph.rows(Q.lifecycle.same_text, scopes=scopes, hashes=hashes)
    return proof


async def _look(graph: Graph, proof: Proof, where: tuple[str, str], needles: list[str]) -> None:
    label, tenant = where
    skip = 0
    while needles:
        row = await graph.one(
            Q.lifecycle.holders,
            label=label,
            tenant=tenant,
            below=f"{tenant}/",
            needles=needles,
            skip=skip,
            page=PAGE,
        )
        _count(proof, label, row)
        skip += PAGE
        if row["seen"] < PAGE:
            return


async def _look_at_edges(
    graph: Graph, proof: Proof, where: tuple[str, str], needles: list[str]
) -> None:
    kind, tenant = where
    skip = 0
    while needles:
        row = await graph.one(
            Q.lifecycle.edge_holders,
            type=kind,
            tenant=tenant,
            below=f"{tenant}/",
            needles=needles,
            skip=skip,
            page=PAGE,
        )
        _count(proof, kind, row)
        skip += PAGE
        if row["seen"] < PAGE:
            return


def _count(proof: Proof, name: str, row: Row) -> None:
    proof.looked_at += row["seen"]
    if row["ids"]:
        proof.holders.setdefault(name, []).extend(str(i) for i in row["ids"])
