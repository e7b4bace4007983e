"""The difference between what is held and what follows from the claims: pure.

What is no longer held is retracted and stays readable; what is held anew is written beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.facts.belief import Settlement, settle, weigh
from app.facts.claim import Authority, Claim, Reviews, Rules
from app.facts.heads import heads_of
from app.facts.interval import Segment, Standing
from app.facts.record import DERIVED_TRUST, expired, read_claim
from app.facts.runs import runs_of
from app.indexing.entry import LIVE, day_of
from app.kernel.clock import FOREVER
from app.kernel.ids import digest, new_id

Row = dict[str, Any]


@dataclass(slots=True)
class Revision:
    """Rows of the queries that bring one or more keys up to date."""

    retract: list[Row] = field(default_factory=list)
    unlink: list[Row] = field(default_factory=list)
    open: list[Row] = field(default_factory=list)
    superseded: list[Row] = field(default_factory=list)
    contradictions: list[Row] = field(default_factory=list)
    may_change: list[Row] = field(default_factory=list)
    mirror: list[Row] = field(default_factory=list)
    relate: list[str] = field(default_factory=list)
    quarantined: list[Row] = field(default_factory=list)

    def merge(self, other: Revision) -> None:
        """Take the rows of another key."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))

    @property
    def held_anew(self) -> bool:
        """Whether anything is held, or stands against another, that was not before."""
        return bool(self.open or self.superseded or self.contradictions or self.may_change)

    @property
    def changes(self) -> int:
        """How many intervals were opened or retracted."""
        return len(self.open) + len(self.retract)


def reviews_of(rows: Sequence[Row]) -> Reviews:
    """What curators decided on the facts of one key."""
    found = [(row["fact"]["id"], review) for row in rows for review in row["reviews"]]
    decided: dict[str, datetime] = {}
    for fact, review in found:
        decided[fact] = max(review["at"], decided.get(fact, review["at"]))
    return Reviews(
        accepted={fact for fact, review in found if review["verdict"] == "accept"},
        rejected={fact for fact, review in found if review["verdict"] == "reject"},
        doubted={row["fact"]["id"] for row in rows if _doubted(row)},
        intervals={
            fact: (review["valid_from"], review["valid_to"])
            for fact, review in found
            if review["verdict"] == "interval" and not review["other"]
        },
        ended={
            fact: review["valid_to"]
            for fact, review in found
            if review["verdict"] == "interval" and review["other"]
        },
        decided=decided,
        changed={
            (review["other"], fact) for fact, review in found if review["verdict"] == "changed"
        },
        both={(review["other"], fact) for fact, review in found if review["verdict"] == "both"},
    )


def _doubted(row: Row) -> bool:
    """Whether the only user who says so calls it wrong; the word of anybody else lifts that."""
    doubts = {review["by"] for review in row["reviews"] if review["verdict"] == "doubt"}
    principals = {claim["principal"] for claim in row["claims"]}
    counted = row.get("weight") or {"principals": 1}
    return bool(doubts) and principals <= doubts and counted["principals"] == 1


def claims_in(rows: Sequence[Row], values: Mapping[str, str]) -> list[Claim]:
    """The claims of one belief key, out of rows of `facts.claims_of`; `values` gives the value of
    each fact's object, merged entities as one."""
    names = _by_name(rows)
    return [
        read_claim(
            claim,
            row["fact"]["id"],
            values[row["fact"]["id"]],
            _named_error(claim, values, names),
        )
        for row in rows
        for claim in row["claims"]
    ]


def names_of(rows: Iterable[Row]) -> dict[str, str]:
    """What the object of each fact is called, by its value, whichever row comes first."""
    called = sorted(((row["value"], row["fact"]["object_text"]) for row in rows), reverse=True)
    return dict(called)


def revise(rows: Sequence[Row], values: Mapping[str, str], rules: Rules, at: datetime) -> Revision:
    """What to write for one belief key; `at` is the moment of the transaction, after the lock."""
    claims = claims_in(rows, values)
    keep(rows, claims, rules)
    return revised(rows, settle(claims, rules, reviews_of(rows)), at)


def revised(rows: Sequence[Row], settled: Settlement, at: datetime) -> Revision:
    """What to write for facts whose key was settled."""
    segments: dict[str, list[Segment]] = {}
    for segment in settled.segments:
        segments.setdefault(segment.fact, []).append(segment)
    revision = Revision()
    for row in rows:
        mine = segments.get(row["fact"]["id"], [])
        bring(row, mine, settled, at, revision)
    return revision


def keep(rows: Sequence[Row], claims: Iterable[Claim], rules: Rules) -> None:
    """Note on each row what its fact keeps for readers."""
    by_fact: dict[str, list[Claim]] = {row["fact"]["id"]: [] for row in rows}
    for claim in claims:
        by_fact[claim.fact].append(claim)
    for row in rows:
        row["kept"] = {
            "settled_by": rules.terms,
            "heads": heads_of(by_fact[row["fact"]["id"]]),
            "runs": runs_of(_told(row), between=_between(row)),
            "newest": row["newest"],
            "undated": undated(row["claims"], row.get("weight")) or None,
            "privacy": row["level"] or None,
        }


def undated(claims: Iterable[Row], weight: Row | None = None) -> bool:
    """Whether every claim was wholly read and none names a moment since when it holds; `weight`
    counts the others."""
    counted = weight is None or (
        weight["last"] is not None and not any(who["partial"] for who in weight["tellers"])
    )
    return counted and all(claim.get("since") is None and not claim.get("rest") for claim in claims)


def _told(row: Row) -> list[Claim]:
    """The claims of a fact as readers settle them, an error by its name; where they were counted,
    those that tell what is kept of them."""
    fact, value = row["fact"]["id"], row["value"]
    told = row["words"] if row.get("weight") else row["claims"]
    return [read_claim(claim, fact, value, claim.get("voids_name")) for claim in told]


def _between(row: Row) -> list[tuple[Authority, list[int]]]:
    """The moments of claims that were counted, and of which no more is kept, by speaker."""
    if not row.get("weight"):
        return []
    told = ({**claim, "id": ""} for claim in row["words"] if claim["between"])
    return [(read_claim(c, "", "", None).authority, c["between"]) for c in told]


def bring(
    row: Row, mine: Sequence[Segment], settled: Settlement, at: datetime, revision: Revision
) -> None:
    """Add to a revision what brings one fact in line with its intervals and with what was settled.

    A row's `past` is an interval that stands for those which are known to stay as they are.
    """
    _intervals(row, mine, at, revision)
    _links(row, settled, revision)
    past = [row["past"]] if row.get("past") else []
    _mirror(row, [*past, *mine], settled, at, revision)


def _named_error(
    claim: Row, values: Mapping[str, str], names: Mapping[str, str | None]
) -> str | None:
    """The value that a claim names as the old one; a value that nothing states is no error.

    Where subject or value go by several entities that are one, the very fact that the claim names
    may not be there, while the value is, under its name.
    """
    fact = claim.get("voids")
    if fact is None:
        return None
    return values.get(fact) or names.get(claim.get("voids_name") or "") or f"fact:{fact}"


def _by_name(rows: Sequence[Row]) -> dict[str, str | None]:
    """The value that goes by a name, None where several do."""
    names: dict[str, str | None] = {}
    for row in rows:
        name, value = row.get("name") or "", row["value"]
        names[name] = value if names.get(name, value) == value else None
    return names


def _shape(segment: Segment | Row) -> tuple[Any, ...]:
    if isinstance(segment, Segment):
        return (
            segment.valid_from,
            segment.valid_to,
            segment.from_precision.value,
            segment.to_precision.value,
            segment.standing.value,
            segment.reason.value,
        )
    names = ("valid_from", "valid_to", "from_precision", "to_precision", "standing", "reason")
    return tuple(segment[name] for name in names)


def _intervals(row: Row, mine: Sequence[Segment], at: datetime, revision: Revision) -> None:
    fact = row["fact"]["id"]
    wanted = {_shape(segment): segment for segment in mine}
    held = {_shape(edge): edge for edge in row["held"]}
    for shape, edge in held.items():
        if shape not in wanted:
            revision.retract.append({"fact": fact, "id": edge["id"]})
    was_quarantined = any(edge["standing"] == Standing.QUARANTINED for edge in row["held"])
    for shape, segment in wanted.items():
        if shape in held:
            continue
        revision.open.append({"fact": fact, "properties": _edge(fact, segment, at)})
        if segment.standing is Standing.QUARANTINED and not was_quarantined:
            revision.quarantined.append({"fact": fact, "reason": segment.reason.value})


def _edge(fact: str, segment: Segment, at: datetime) -> Row:
    return {
        "id": digest("about", fact, *map(str, _shape(segment)), at.isoformat())[:32],
        "valid_from": segment.valid_from,
        "valid_to": _end(segment.valid_to),
        "from_precision": segment.from_precision.value,
        "to_precision": segment.to_precision.value,
        "standing": segment.standing.value,
        "reason": segment.reason.value,
    }


def _end(moment: datetime) -> datetime | None:
    """None where there is none: the query writes that moment."""
    return None if moment == FOREVER else moment


def _links(row: Row, settled: Settlement, revision: Revision) -> None:
    fact = row["fact"]["id"]
    replaced = {(new, why.value) for old, new, why in settled.superseded if old == fact}
    known = {(link["other"], link["reason"]): link["id"] for link in row["superseded"]}
    against = {second for first, second in settled.contradictions if first == fact}
    marked = {link["other"]: link["id"] for link in row["contradicts"]}
    may = {old for old, new in settled.possible if new == fact}
    open_to = {link["other"]: link["id"] for link in row["may_change"]}
    gone = [known[k] for k in known.keys() - replaced]
    gone += [marked[k] for k in marked.keys() - against]
    gone += [open_to[k] for k in open_to.keys() - may]
    revision.unlink += [{"fact": fact, "id": link} for link in sorted(gone)]
    for other, why in sorted(replaced - known.keys()):
        revision.superseded.append(_link(fact, other, reason=why))
    for other in sorted(against - marked.keys()):
        revision.contradictions.append(_link(fact, other))
    for other in sorted(may - open_to.keys()):
        revision.may_change.append(_link(fact, other))


def _link(fact: str, other: str, **more: str) -> Row:
    return {"fact": fact, "other": other, "properties": {"id": new_id(), **more}}


def _mirror(
    row: Row, mine: Sequence[Segment], settled: Settlement, at: datetime, revision: Revision
) -> None:
    fact = row["fact"]
    held = [s for s in mine if s.standing is Standing.HELD]
    spans = held or mine
    said = min((claim["said_at"] for claim in row["claims"]), default=at)
    start = min((s.valid_from for s in spans), default=said)
    end = max((s.valid_to for s in spans), default=start)
    status = "active" if held and end > at else "quarantined" if mine and not held else "superseded"
    counted = row.get("weight")
    weight = (
        weigh(counted["confidence"], counted["evidence"], counted["principals"], counted["trust"])
        if counted
        else settled.weights.get(fact["id"])
    )
    live = status == "active" and not expired(fact)
    day = day_of(start)
    wanted: Row = {
        "about_terms": day["about_terms"],
        "status": status,
        "live": live,
        "valid_from": start,
        "valid_to": end,
        "confidence": weight.confidence if weight else 0.0,
        "evidence": weight.evidence if weight else 0,
        "principals": weight.principals if weight else 0,
        "trust": round(DERIVED_TRUST * weight.trust, 4) if weight else 0.0,
        "weighed": [weight.said, weight.trust] if weight else None,
        "settle_state": None,
        "may_change": any(new == fact["id"] for _, new in settled.possible) or None,
        **row["kept"],
    }
    if all(fact.get(name) == value for name, value in wanted.items()):
        return
    facets = [token for token in fact["facets"] if token != LIVE] + ([LIVE] if live else [])
    wanted |= {**day, "facets": facets, "valid_to": _end(end)}
    revision.mirror.append({"id": fact["id"], "properties": wanted})
    if not fact["negated"] and fact["object_key"].startswith("entity:"):
        revision.relate.append(fact["id"])
