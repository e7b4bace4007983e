"""The check of an erasure: nothing in the tenant still holds what a receipt names.

Every string is read, since no seek proves as much. By id an index tells that the node itself is
gone, which the erasure has seen to; what is asked here is whether anything else still names it: the
arguments of a job, the findings of a proposal, an answer that was kept, all of them JSON in which
an id is a part of a string.

The nodes are read label by label in the order of place and id, each page by a seek that begins
where the former ended, and with each node the relationships that start at it. So whatever was there
when the check began, and keeps its id, is read once, however much is written beside it. What is
written meanwhile is read where it comes to lie ahead. Labels are in the order in which text moves:
a note before its former versions, so that one which is changed meanwhile is met here or there.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from app.kernel.clock import now
from app.kernel.cypher import Q, over
from app.kernel.graph import Graph, Row
from app.kernel.vocab import Label
from app.kinds import KINDS as DECLARED

PAGE = 1000  # nodes read in one query, at most
LONG = 1.0  # seconds for a query, beyond which the next asks for half as many nodes
SHORT = 0.2  # seconds, below which it asks for twice as many
TOLD = 0.5  # seconds between two reports
KEPT = 100  # holders of one name, and memories of the same text, that are kept

Tell = Callable[[dict[str, Any]], Awaitable[None]]

# What keeps ids and hashes of things that are gone, and never their content.
RECORDS = frozenset(
    {
        Label.AUDIT_EVENT, Label.ERASURE_RECEIPT, Label.FEED_EVENT, Label.LEARNING_ENTRY,
        Label.TOMBSTONE,
    }
)  # fmt: skip
# What belongs to the installation, not to a tenant; a key tells its principal and its own name.
OUTSIDE = frozenset({Label.SCHEMA_VERSION, Label.VECTOR_SPACE, Label.SCHEDULE, Label.API_KEY})
# Labels whose nodes bear another one too, by which they are read.
UMBRELLAS = frozenset(
    {Label.MEMORY, Label.SEARCHABLE, Label.PASSAGE, Label.PRINCIPAL, Label.DECLARED}
)
KINDS = frozenset(
    {
        Label.AGENT, Label.USER, Label.EPISODE, Label.CHUNK, Label.CONCEPT, Label.DECISION,
        Label.INCIDENT, Label.LESSON, Label.SOURCE, Label.ARTICLE,
        *(kind.label for kind in DECLARED),
    }
)  # fmt: skip
BY_SCOPE, BY_TENANT = ("scope", "id"), ("tenant", "id")
ONE_EACH = ("scope", "scope")  # one node a scope
_OTHERWISE = {
    Label.SCOPE: ("tenant", "path"),
    Label.AUDIT_HEAD: ("tenant", "tenant"),
    Label.FEED_HEAD: ("tenant", "tenant"),
    Label.PASSAGE_GRAPH: ONE_EACH,
    Label.CONSOLIDATION_CURSOR: ONE_EACH,
    Label.COMMUNITY_CURSOR: ONE_EACH,
    **dict.fromkeys(
        (
            Label.PRINCIPAL, Label.JOB, Label.IDEMPOTENCY, Label.AUDIT_EVENT, Label.LINK_NAME,
            Label.RAG_QUERY, Label.SEARCH_RESULT, Label.TOMBSTONE, Label.FEED_EVENT,
        ),
        BY_TENANT,
    ),
}  # fmt: skip
# By which labels all nodes of a tenant are found, and by which two properties of an index.
PLACES = {
    label: _OTHERWISE.get(label, BY_SCOPE)
    for label in Label
    if label not in OUTSIDE | KINDS | {Label.MEMORY, Label.SEARCHABLE}
}


@dataclass(slots=True)
class Proof:
    """What was looked at (nodes and relationships), and what holds something: ids of nodes by
    label, or by the type of a relationship that starts there; and how far it has come."""

    began_at: str = field(default_factory=lambda: now().isoformat())
    looked_at: int = 0
    holders: dict[str, list[str]] = field(default_factory=dict)
    same_text: list[Row] = field(default_factory=list)
    label: str = ""
    place: str = ""
    after: str = ""

    @property
    def clean(self) -> bool:
        """Whether nothing holds what was erased."""
        return not self.holders

    def told(self) -> dict[str, Any]:
        """All of it, to go on from with `Proof(**told)`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in one tenant, in lower case; `scopes` is where equal texts are told."""

    tenant: str
    ids: tuple[str, ...]
    paths: tuple[str, ...]
    text: tuple[str, ...]
    hashes: tuple[str, ...]
    scopes: tuple[str, ...]

    @classmethod
    def of(cls, receipt: Row, scopes: Iterable[str], text: str | None) -> Search:
        """What a receipt names: ids, or the paths of a scope that went with all below it."""
        whole = receipt["kind"] == "scope"
        return cls(
            receipt["tenant"],
            tuple(identifier.lower() for identifier in receipt["ids"]),
            tuple(receipt["scopes"]) if whole else (),
            (text.lower(),) if text else (),
            tuple(text.partition(":")[2] for text in receipt["hashes"]),
            tuple(scopes),
        )

    def among(self, label: Label) -> Row | None:
        """The parameters for one label; None where nothing is to be found there.

        Records keep ids and paths of what is gone, so only the text is looked for in them.
        """
        kept = label in RECORDS
        needles = [*(() if kept else self.ids), *self.text]
        paths = [] if kept else [*self.paths]
        if not needles and not paths:
            return None
        return {
            "tenant": self.tenant,
            "needles": needles,
            "paths": paths,
            "least": min(map(len, (*needles, *paths))),
            "hashes": [*self.hashes],
            "scopes": [*self.scopes],
            "below": f"{self.tenant}/",
        }


async def prove(graph: Graph, sought: Search, proof: Proof, tell: Tell) -> Proof:
    """Look through every string of the tenant, on from where `proof` is; returns it.

    A given text is looked for in audit events and receipts as well; upper and lower case are one.
    `tell` is given the proof every half second, and stops all by raising.
    """
    labels = list(PLACES)
    page, last = PAGE, 0.0
    for label in labels[labels.index(Label(proof.label)) if proof.label else 0 :]:
        if proof.label != label:
            proof.label, proof.place, proof.after = label.value, sought.tenant, ""
        given = sought.among(label)
        while given is not None:
            began = time.monotonic()
            rows = await _page(graph, proof, sought.tenant, page)
            if rows:
                nodes = [row["node"] for row in rows]
                _count(proof, await graph.one(Q.lifecycle.holders, nodes=nodes, **given))
            if len(rows) < page:
                break
            proof.place, proof.after = rows[-1]["place"], rows[-1]["key"]
            page = _fitted(page, time.monotonic() - began)
            last = await _told(proof, tell, last)
        last = await _told(proof, tell, last)
    return proof


async def _page(graph: Graph, proof: Proof, tenant: str, page: int) -> list[Row]:
    """The next nodes of a label. Looking for them apart from looking at them keeps short what the
    database has to plan for each label."""
    return await graph.rows(
        over(Q.lifecycle.tenant_page, proof.label, *PLACES[Label(proof.label)]),
        place=proof.place,
        after=proof.after,
        above=max(proof.place, f"{tenant}/"),
        end=f"{tenant}0",  # the character behind the slash
        page=page,
    )


async def _told(proof: Proof, tell: Tell, last: float) -> float:
    moment = time.monotonic()
    if moment - last < TOLD:
        return last
    await tell(proof.told())
    return moment


def _fitted(page: int, seconds: float) -> int:
    """How many nodes the next query reads, after one that took so long: some bear many edges."""
    if seconds > LONG:
        return max(page // 2, 1)
    return min(page * 2, PAGE) if seconds < SHORT else page


def _count(proof: Proof, row: Row) -> None:
    proof.looked_at += row["nodes"] + row["edges"]
    for found in row["found"]:
        names = {*found["types"], *([_name(found["labels"])] if found["held"] else [])}
        for name in sorted(names):
            kept = proof.holders.setdefault(name, [])
            if len(kept) < KEPT and found["id"] not in kept:
                kept.append(found["id"])
        if found["same"] and len(proof.same_text) < KEPT:
            proof.same_text.append({"id": found["id"], "scope": found["scope"]})


def _name(labels: list[str]) -> str:
    """The label that says what a node is."""
    return next(label.value for label in Label if label in labels and label not in UMBRELLAS)
