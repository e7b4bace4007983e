"""A given name alone is the one person of that name who speaks in the scope: joined by rule.

"Silas" is Silas Okoro as long as nobody else there is called Silas, and Silas Okoro has a voice of
his own. The join is a merge like any other, and taken back when a second full name appears; what a
curator has decided about a pair stands. It follows from the persons of the scope and from what was
decided, so the order of arrival cannot matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.entities.clusters import Link, changes, groups, opposed, roots
from app.entities.merges import LARGEST, Proposal
from app.entities.model import entity_id
from app.entities.names import UNKNOWN, clashes, gender, read_name
from app.errors import InvalidInput
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.scope import parse_scope

RULE = "given_name"
DECIDER = "loci"  # whose decisions the rule may take back
MOST = 50  # full names read for one given name; two are enough to keep it apart
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Person:
    """A person, or what may be one; `speaks` tells whether episodes of the scope are theirs."""

    id: str
    root: str
    key: str
    name: str
    type: str
    marks: frozenset[str]
    speaks: bool = False


@dataclass(frozen=True, slots=True)
class Tie:
    """What was decided about a pair, the smaller id first; `ruled` where the rule decided it."""

    link: Link
    status: str
    ruled: bool

    @property
    def pair(self) -> Pair:
        """The two ids."""
        return self.link.left, self.link.right

    @property
    def barred(self) -> bool:
        """Whether a curator holds the two to be two."""
        return self.status in {"rejected", "undone"} and not self.ruled


@dataclass(frozen=True, slots=True)
class Verdict:
    """Ties to accept, pairs to take back, and the members whose root is another then."""

    join: tuple[Link, ...]
    part: tuple[Pair, ...]
    moved: tuple[dict[str, str], ...]


def first_word(name: str) -> str:
    """The word with which the key of a person's name begins; empty for none."""
    try:
        return read_name(name, "person").tokens[0]
    except InvalidInput:
        return ""


def judge(
    scope: str, called: dict[str, list[Person]], members: dict[str, str], ties: Sequence[Tie]
) -> Verdict:
    """What the rule asks for; `called` are the persons of each given name, `members` the roots
    of everybody in their clusters."""
    curated = [t.link for t in ties if t.status == "accepted" and not t.ruled]
    parts = groups(members, curated)
    barred = {t.pair for t in ties if t.barred}
    wanted = {
        (link.left, link.right): link
        for token, persons in called.items()
        for link in _wanted(scope, token, persons, parts)
        if (link.left, link.right) not in barred
    }
    short = {p.id for token, persons in called.items() for p in persons if p.key == token}
    ruled = {t.pair: t.link for t in ties if t.ruled and t.status == "accepted"}
    kept = [link for pair, link in ruled.items() if not short & set(pair)]
    links = [*curated, *kept]
    sound: dict[Pair, Link] = {}
    for pair, link in sorted(wanted.items()):
        if opposed(members, [*links, link], barred) is None:
            links.append(link)
            sound[pair] = link
    decided = {t.pair for t in ties if t.status == "accepted"}
    return Verdict(
        join=tuple(link for pair, link in sound.items() if pair not in decided),
        part=tuple(sorted(p for p in ruled if short & set(p) and p not in sound)),
        moved=tuple(changes(members, roots(members, links))),
    )


def _wanted(
    scope: str, token: str, persons: Sequence[Person], parts: Iterable[Collection[str]]
) -> list[Link]:
    """Ties between a given name and the only person whose full name begins with it."""
    whole = [p for p in persons if p.key != token]
    ids = {p.id for p in whole}
    spoken = [p for p in whole if p.speaks and p.type == "person"]
    if not spoken or sum(1 for part in parts if ids & set(part)) != 1:
        return []
    meant = min(spoken, key=lambda p: p.id)
    plain = {entity_id(scope, family, token) for family in ("person", UNKNOWN)}
    return [
        _link(p.id, meant.id)
        for p in persons
        if p.key == token and p.id in plain and not _apart(p, meant)
    ]


def _apart(short: Person, whole: Person) -> bool:
    one, other = gender(read_name(short.name, short.type)), gender(read_name(whole.name, "person"))
    titled = next((m[-1] for m in sorted(short.marks) if m.startswith("honorific:")), one)
    differ = titled is not None and other is not None and titled != other
    return differ or clashes(short.marks, whole.marks)


def _link(short: str, whole: str) -> Link:
    """The full name weighs more, so that it stands for the two in whatever order they came."""
    left, right = sorted((short, whole))
    return Link(left, right, int(left == whole), int(right == whole))


# --- in the graph -------------------------------------------------------------------------------


async def follow_rule(tx: Tx, scope: str, tokens: Iterable[str], at: datetime) -> list[str]:
    """Bring the ties of some given names in line with the rule, after the entities were written.

    Ids of the entities whose root is another now; their facts need new keys.
    """
    asked = sorted(set(tokens) - {""})
    if not asked:
        return []
    called: dict[str, list[Person]] = {}
    for row in await tx.rows(Q.entities.namesakes, scope=scope, tokens=asked, limit=MOST, at=at):
        called.setdefault(row["token"], []).append(_person(row))
    if not called:
        return []
    homes = sorted({p.root for found in called.values() for p in found})
    rows = await tx.rows(Q.entities.cluster, roots=homes, scope=scope, at=at)
    members = {row["id"]: row["root"] for row in rows}
    if len(members) > LARGEST:
        return []
    verdict = judge(scope, called, members, _ties(rows))
    if verdict.join or verdict.part or verdict.moved:
        await tx.one(
            Q.entities.follow_rule, rows=_rows(scope, verdict, at), roots=list(verdict.moved)
        )
    return [row["id"] for row in verdict.moved]


def _person(row: Row) -> Person:
    entity = row["entity"]
    return Person(
        id=entity["id"],
        root=entity["root"],
        key=entity["canonical_key"],
        name=entity["canonical_name"],
        type=entity["type"],
        marks=frozenset(entity["marks"]),
        speaks=row["speaks"],
    )


def _ties(rows: Sequence[Row]) -> list[Tie]:
    return [
        Tie(
            Link(row["id"], edge["right"], edge["left_count"] or 0, edge["right_count"] or 0),
            edge["status"],
            edge["rule"] == RULE and edge["decided_by"] == DECIDER,
        )
        for row in rows
        for edge in row["edges"]
    ]


def _rows(scope: str, verdict: Verdict, at: datetime) -> list[dict[str, Any]]:
    joined = [_row(scope, (link.left, link.right), at, _accepted(link)) for link in verdict.join]
    return joined + [_row(scope, pair, at, {"status": "undone"}) for pair in verdict.part]


def _accepted(link: Link) -> dict[str, Any]:
    return {
        "status": "accepted",
        "left_count": link.left_count,
        "right_count": link.right_count,
    }


def _row(scope: str, pair: Pair, at: datetime, verdict: dict[str, Any]) -> dict[str, Any]:
    proposal = Proposal(scope, *pair, {"rule": RULE})
    tenant = parse_scope(scope).tenant
    decided = {**verdict, "decided_by": DECIDER, "decided_at": at, "rule": RULE}
    created = {
        "id": proposal.id,
        "evidence": orjson.dumps(proposal.evidence).decode(),
        "proposed_at": at,
    }
    record = {
        **created,
        "scope": scope,
        "tenant": tenant,
        "left": pair[0],
        "right": pair[1],
        "proposed_by": DECIDER,
        "changes": "[]",
    }
    verb = "accept" if verdict["status"] == "accepted" else "undo"
    event = audit.record(
        f"merge.{verb}",
        tenant=tenant,
        scope=scope,
        actor=DECIDER,
        request=RULE,
        payload={"merge": proposal.id},
    )
    return {"record": record, "edge": created, "decided": decided, "audit": event}
