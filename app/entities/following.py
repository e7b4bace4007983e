"""The rules for names, brought to bear on a scope inside the transaction that changed it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.entities.bearer import Bearer
from app.entities.clusters import Link
from app.entities.given_name_rule import PERSONS
from app.entities.lone import opening_token, unpack
from app.entities.merges import LARGEST, Proposal
from app.entities.model import alias_id
from app.entities.ruling import Case, Tie, Verdict, judge, unsettled
from app.entities.short_name_rule import may_apply
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.scope import parse_scope

DECIDER = "loci"  # whose decisions the rules may take back
MOST = 50  # names read that begin with one word
FEW = 8  # of them those that mostly show already that a word is nobody's alone


@dataclass(frozen=True, slots=True)
class Touched:
    """What the rules have to look at: normalised names, and words that are names by themselves or
    with which names begin."""

    keys: frozenset[str]
    words: frozenset[str]


def touched_by(entities: Iterable[Row], words: Iterable[str] = ()) -> Touched:
    """What follows from a change of some entities, and from words that came up otherwise."""
    keys: set[str] = set()
    found = set(words)
    for entity in entities:
        keys |= {*entity["keys"], entity["canonical_key"]}
        parts = entity["canonical_key"].split()
        found |= {*parts[:1], *parts[-1:]}
    return Touched(frozenset(keys - {""}), frozenset(found - {""}))


async def follow_rules(tx: Tx, scope: str, touched: Touched, at: datetime) -> list[str]:
    """Bring the ties of some names in line with the rules, after the entities were written.

    Ids of the entities whose root is another now; their facts need new keys.
    """
    if not touched.keys and not touched.words:
        return []
    case = unsettled(await _case(tx, scope, touched, at))
    if not case.named:
        return []
    concerned = [*case.named, *(b for whole in case.whole.values() for b in whole)]
    homes = sorted({b.root for b in concerned})
    rows = await tx.rows(Q.entities.cluster, roots=homes, scope=scope, at=at)
    members = {row["id"]: row["root"] for row in rows}
    if len(members) > LARGEST:
        return []
    verdict = judge(case, members, _ties(rows))
    if verdict.join or verdict.part or verdict.moved:
        await tx.one(
            Q.entities.follow_rules, rows=_rows(scope, verdict, at), roots=list(verdict.moved)
        )
    return [row["id"] for row in verdict.moved]


async def _case(tx: Tx, scope: str, touched: Touched, at: datetime) -> Case:
    words = sorted(touched.words)
    found = await tx.one(
        Q.entities.namesakes,
        scope=scope,
        aliases=[alias_id(scope, key) for key in sorted(touched.keys | touched.words)],
        words=words,
        few=FEW,
        limit=MOST,
        at=at,
    )
    speaking = set(found["speaking"])
    closed = set(found["closed"])
    whole: dict[str, list[Bearer]] = {word: [] for word in words if word not in closed}
    for row in found["whole"]:
        whole[row["word"]].append(_bearer(row["entity"], speaking))
    named = [_bearer(entity, speaking) for entity in found["named"]]
    surnames, waiting = await _surnames(tx, scope, whole), await _waiting(tx, scope, whole)
    return Case(scope, named, whole, surnames, waiting)


async def _surnames(tx: Tx, scope: str, whole: dict[str, list[Bearer]]) -> frozenset[str]:
    """Of the words that may be a firm's short name those that are last names of persons there."""
    asked = sorted(word for word, found in whole.items() if may_apply(word, found))
    if not asked:
        return frozenset()
    rows = await tx.rows(Q.entities.surnames, scope=scope, words=asked)
    return frozenset(row["word"] for row in rows)


async def _waiting(tx: Tx, scope: str, whole: dict[str, list[Bearer]]) -> frozenset[str]:
    """Of the words that may be somebody's given name those with which another person's name
    begins that waits in a passage: one that is written like none of those that are known."""
    asked = {word: found for word, found in whole.items() if any(b.speaks for b in found)}
    words = [
        {"word": word, "asked": f'"{opening_token(scope, word)}"'}
        for word in sorted(asked)
        if word.isalnum()
    ]
    if not words:
        return frozenset()
    rows = await tx.rows(Q.entities.waiting_after, scope=scope, words=words, limit=MOST)
    return frozenset(
        row["word"]
        for row in rows
        for entry in unpack(row["lone"])
        if entry["key"].startswith(f"{row['word']} ")
        and entry["type"] in PERSONS
        and not any(b.keys.intersection(entry["keys"]) for b in asked[row["word"]])
    )


def _bearer(entity: Row, speaking: set[str]) -> Bearer:
    return Bearer(
        id=entity["id"],
        root=entity["root"],
        key=entity["canonical_key"],
        keys=frozenset(entity["keys"]),
        name=entity["canonical_name"],
        type=entity["type"],
        marks=frozenset(entity["marks"]),
        speaks=entity["id"] in speaking,
    )


def _ties(rows: Sequence[Row]) -> list[Tie]:
    return [
        Tie(
            Link(row["id"], edge["right"], edge["left_count"] or 0, edge["right_count"] or 0),
            edge["status"],
            edge["rule"] if edge["decided_by"] == DECIDER else None,
        )
        for row in rows
        for edge in row["edges"]
    ]


def _rows(scope: str, verdict: Verdict, at: datetime) -> list[dict[str, Any]]:
    joined = [
        _row(scope, (link.left, link.right), at, {**_accepted(link), "rule": rule})
        for link, rule in verdict.join
    ]
    parted = [
        _row(scope, pair, at, {"status": "undone", "rule": rule}) for pair, rule in verdict.part
    ]
    return joined + parted


def _accepted(link: Link) -> dict[str, Any]:
    return {
        "status": "accepted",
        "left_count": link.left_count,
        "right_count": link.right_count,
    }


def _row(scope: str, pair: tuple[str, str], at: datetime, said: dict[str, Any]) -> dict[str, Any]:
    proposal = Proposal(scope, *pair, {"rule": said["rule"]})
    tenant = parse_scope(scope).tenant
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
    event = audit.record(
        "merge.accept" if said["status"] == "accepted" else "merge.undo",
        tenant=tenant,
        scope=scope,
        actor=DECIDER,
        request=said["rule"],
        payload={"merge": proposal.id},
    )
    decided = {**said, "decided_by": DECIDER, "decided_at": at}
    return {"record": record, "edge": created, "decided": decided, "audit": event}
