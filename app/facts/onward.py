"""Settling a long belief key from where it ended: rows of the graph in, a revision out; pure.

What comes out is what settling all claims of the key would give (`app.facts.carried`); whatever
does not plainly go on (None) is settled that way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.extraction.model import Mode, Precision
from app.facts.belief import Settlement, Weight, weigh
from app.facts.carried import EPOCH, Advanced, Carried, Named, advance, micros, pack, sealed, unpack
from app.facts.claim import Claim, Rules
from app.facts.heads import heads_of, newest_of, source_of
from app.facts.interval import Reason, Segment, Standing
from app.facts.record import read_claim
from app.facts.revision import Revision, Row, bring, names_of, undated
from app.facts.runs import runs_of

SHORT = 8  # claims of a key that are settled as a whole each time: less work than keeping a state


@dataclass(slots=True)
class News:
    """What one transaction claims of one key: rows of claims, as they were written."""

    predicate: str
    value: str  # key of an object, which tells with the predicate by what rules the key goes
    claims: list[Row] = field(default_factory=list)


def news_of(facts: Sequence[Row], claims: Sequence[Row], erased: frozenset[str]) -> dict[str, News]:
    """The news of each key, without claims that were erased before and stay away."""
    by_id = {row["id"]: row for row in facts}
    found: dict[str, News] = {}
    for claim in claims:
        fact = by_id.get(claim["fact"])
        if fact is None or claim["id"] in erased:
            continue
        triple = fact["properties"]
        news = found.setdefault(fact["key"], News(triple["predicate"], triple["object_key"]))
        news.claims.append(claim)
    return found


def asked(key: str, news: News, rules: Rules) -> Row | None:
    """A row of the query `facts.carried`; None where the news can not be a plain continuation."""
    claims = [row["properties"] for row in news.claims]
    tiers = {claim["tier"] for claim in claims}
    if len(tiers) != 1 or any(claim["mode"] == Mode.CORRECT for claim in claims):
        return None
    told: dict[str, list[Row]] = defaultdict(list)
    for row in news.claims:
        told[row["fact"]].append(row)
    return {
        "key": key,
        "terms": rules.terms,
        "tier": tiers.pop(),
        "since": min(micros(claim.get("since") or claim["said_at"]) for claim in claims),
        "facts": [
            {
                "id": fact,
                "claims": [row["id"] for row in rows],
                "principals": sorted({row["properties"]["principal"] for row in rows}),
            }
            for fact, rows in sorted(told.items())
        ],
    }


def go_on(
    rows: Sequence[Row], news: News, rules: Rules, at: datetime
) -> tuple[Revision, Carried] | None:
    """The revision of one key, and its state from now on; None where all has to be settled."""
    told = {row["fact"] for row in news.claims}
    facts = {r["fact"]["id"]: Named(r["value"], r["fact"]["negated"]) for r in rows}
    carried = unpack(rows[0]["state"], _moment(rows[0]["reached"]), facts)
    if carried is None or not told | set(carried.facts) <= facts.keys():
        return None
    if any(row["reviews"] or not _weighed(row, news) for row in rows):
        return None
    claims = [_claim(row, facts[row["fact"]]) for row in news.claims]
    rules = replace(rules, names=names_of(rows))
    done = advance(carried, claims, rules)
    if done is None or not done.carried.small:
        return None
    _keep(rows, news, claims, rules)
    return _revised(rows, (claims, carried.reached), done, at)


def _keep(rows: Sequence[Row], news: News, claims: Sequence[Claim], rules: Rules) -> None:
    """Note on each row what its fact keeps for readers, with what is said of it now."""
    for row in rows:
        fact = row["fact"]
        mine = [claim for claim in claims if claim.fact == fact["id"]]
        own = [one for one in news.claims if one["fact"] == fact["id"]]
        told = [
            source_of(one["properties"], one["episode"], micros(one["properties"]["said_at"]))
            for one in own
        ]
        fresh = row["evidence"] == len(told)
        plain = undated(one["properties"] for one in own)
        heads, runs, newest = fact["heads"], fact["runs"], fact["newest"]
        row["kept"] = {
            "settled_by": rules.terms,
            "heads": heads_of(mine, heads or ()) if heads or fresh else None,
            "runs": runs_of(mine, runs or ()) if runs or fresh else None,
            "newest": newest_of(told, newest or ()) if newest or fresh else None,
            "undated": ((fact["undated"] or fresh) and plain) or None,
        }


def _revised(
    rows: Sequence[Row], given: tuple[Sequence[Claim], datetime], done: Advanced, at: datetime
) -> tuple[Revision, Carried] | None:
    claims, reached = given
    by_fact: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_fact[claim.fact].append(claim)
    segments: dict[str, list[Segment]] = defaultdict(list)
    for segment in done.segments:
        segments[segment.fact].append(segment)
    settled = Settlement(
        segments=done.segments,
        superseded=done.superseded | _standing_links(rows),
        contradictions=done.contradictions,
        possible=done.possible,
        weights={r["fact"]["id"]: _weight(r, by_fact[r["fact"]["id"]]) for r in rows},
    )
    revision = Revision()
    for row in rows:
        fact = row["fact"]["id"]
        past = _past(row["fact"], reached)
        if past is None and not segments[fact]:
            return None  # it was never held nor waited: only all of its claims tell its moment
        shown = {**row, "past": past, "claims": []}
        bring(shown, segments[fact], settled, at, revision)
    return revision, done.carried


def _claim(row: Row, named: Named) -> Claim:
    """A claim that was just written, with its moments in UTC."""
    properties = {
        name: value.astimezone(UTC) if isinstance(value, datetime) else value
        for name, value in row["properties"].items()
    }
    return read_claim({**properties, "id": row["id"]}, row["fact"], named.value, None)


def _weighed(row: Row, news: News) -> bool:
    """Whether what was said before is known in sum, or there was nothing."""
    new = sum(1 for claim in news.claims if claim["fact"] == row["fact"]["id"])
    return row["fact"]["weighed"] is not None or row["evidence"] == new


def _weight(row: Row, claims: Sequence[Claim]) -> Weight:
    said, trust = row["fact"]["weighed"] or (0.0, 0.0)
    return weigh(
        said=max([said, *(c.confidence for c in claims)]),
        evidence=row["evidence"],
        principals=row["fact"]["principals"] + row["fresh"],
        trust=max([trust, *(c.authority.trust for c in claims)]),
    )


def _standing_links(rows: Sequence[Row]) -> frozenset[tuple[str, str, Reason]]:
    """What took the place of another stays so: a later claim takes nothing of that back."""
    return frozenset(
        (row["fact"]["id"], link["other"], Reason(link["reason"]))
        for row in rows
        for link in row["superseded"]
    )


def _past(fact: Row, reached: datetime) -> Segment | None:
    """One interval for all in which a fact was held before; None where it never was."""
    if fact["status"] == "quarantined" or fact["valid_from"] >= fact["valid_to"]:
        return None
    return Segment(
        fact["id"],
        fact["valid_from"],
        min(fact["valid_to"], max(reached, fact["valid_from"])),
        Precision.INSTANT,
        Precision.INSTANT,
        Standing.HELD,
        Reason.STATED,
    )


def seal(rows: Sequence[Row], values: Mapping[str, str], rules: Rules) -> Carried | None:
    """The state of a key whose claims were all settled; None for a short one, and where reviews,
    corrections or several tiers take part."""
    if any(row["reviews"] for row in rows):
        return None
    told = sum(row["weight"]["evidence"] if row["weight"] else len(row["claims"]) for row in rows)
    if told <= SHORT:
        return None
    claims = [c for row in rows for c in _claims(row, values[row["fact"]["id"]])]
    return None if any(c.mode is Mode.CORRECT for c in claims) else sealed(claims, rules)


def _claims(row: Row, value: str) -> list[Claim]:
    """The claims of a fact; of one whose claims were counted, one of each who says it, the latest
    in the first one's stead."""
    fact = row["fact"]["id"]
    found = [read_claim(claim, fact, value, None) for claim in row["claims"]]
    counted = row["weight"]
    if not counted:
        return found
    if counted["last"] is None:
        return []
    last = _moment(counted["last"])
    return found + [
        _teller(found[0], place, who, last) for place, who in enumerate(counted["tellers"])
    ]


def _teller(first: Claim, place: int, who: dict[str, Any], last: datetime) -> Claim:
    return read_claim(
        {
            "id": f"{first.id}~{place}",
            "mode": Mode.ASSERT.value,
            "said_at": last,
            "tier": who["tier"],
            "principal": who["principal"],
            "trust": who["trust"],
            "own": bool(who["own"]),
            "voice": who["voice"] or "",
            "confidence": first.confidence,
            "rest": "…" if who["partial"] else None,
        },
        first.fact,
        first.value,
        None,
    )


def state_row(key: str, fact: Row, carried: Carried, rules: Rules) -> Row:
    """A row of the query `facts.keep_states`."""
    return {
        "id": key,
        "scope": fact["scope"],
        "tenant": fact["tenant"],
        "terms": rules.terms,
        "tier": int(carried.tier),
        "reached": micros(carried.reached),
        "facts": carried.facts,
        "state": pack(carried),
    }


def _moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)
