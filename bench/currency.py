"""Whether search answers with what is so now: updates, and stale facts, through the API."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.errors import Unavailable
from app.evals.client import ApiClient
from app.evals.jsonl import rows
from app.search.latest import asks_of_the_past
from app.values.wording import normal_text
from bench import demo, longmemeval
from bench.floors import HALVES, half_of
from bench.recall import Corpus
from bench.retrieval import WAIT_SECONDS, Tell, capture, wait_indexed

LIMIT = 10
DEMO_LIMIT = 20  # both sides of an update are to be seen


async def wait_consolidated(client: ApiClient, scope: str) -> dict[str, Any]:
    """Wait until every episode of a scope was read; its last status."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        told = await client.call("GET", f"/v1/consolidation?scope={scope}")
        status: dict[str, Any] = next((s for s in told["scopes"] if s["scope"] == scope), {})
        if status and not status["raw"] and not status["in_progress"]:
            return status
        await asyncio.sleep(0.5)
    raise Unavailable("consolidation is not done after two hours: is a worker running?")


async def prepare(client: ApiClient, scope: str, corpus: Corpus, tell: Tell) -> dict[str, str]:
    """Capture a corpus, consolidate and index it; ids in the graph by the corpus's own."""
    ids = await capture(client, scope, corpus.records)
    status = await wait_consolidated(client, scope)
    await wait_indexed(client)
    tell(f"{corpus.name}: {len(ids)} records, {status}")
    return ids


async def longmemeval_updates(
    client: ApiClient, scope: str, folder: Path, tell: Tell
) -> dict[str, Any]:
    """How often the newest statement of an update stands above the old one."""
    ids = await prepare(client, scope, longmemeval.load(folder), tell)
    known = {
        row["turn_id"]: ids[row["canonical"]]
        for row in rows(folder / "evidence_turns.jsonl")
        if row["canonical"] in ids
    }
    outcomes = []
    for pair in rows(folder / "knowledge_update_pairs.jsonl"):
        body = {"query": pair["question"], "scopes": [scope], "limit": LIMIT}
        hits = (await client.call("POST", "/v1/search", body))["hits"]
        sides = {side: [known[s["turn_id"]] for s in pair[side]] for side in ("old", "new")}
        outcomes.append(
            outcome(hits, sides) | {"past": asks_of_the_past(pair["question"]), "id": pair["qid"]}
        )
    now = [o for o in outcomes if not o["past"]]
    halves = {name: [o for o in outcomes if half_of(str(o["id"])) == name] for name in HALVES}
    return {
        "pairs": len(outcomes),
        "newest above old": sum(o["above"] for o in outcomes),
        "asked about now": len(now),
        "newest above old, asked about now": sum(o["above"] for o in now),
        "old statement shown": sum(o["shown"] for o in outcomes),
        "of these marked past by a fact": sum(o["marked"] for o in outcomes),
        "of these pointing to the later word": sum(o["pointing"] for o in outcomes),
        "of these told as possibly changed by it": sum(o["told"] for o in outcomes),
        "halves": {
            name: {
                "pairs": len(part),
                "newest above old": sum(o["above"] for o in part),
                "told as possibly changed": sum(o["told"] for o in part),
            }
            for name, part in halves.items()
        },
        "missed": [o["id"] for o in outcomes if not o["above"]],
    }


def outcome(hits: Sequence[Mapping[str, Any]], sides: Mapping[str, list[str]]) -> dict[str, bool]:
    """Where the two sides of an update stand, and what is said of the old one."""
    ranks = {hit["id"]: hit["rank"] for hit in hits}
    worst = len(hits) + 1
    old, new = (min((ranks.get(i, worst) for i in sides[side]), default=worst) for side in sides)
    shown = [hit for hit in hits if hit["id"] in sides["old"]]
    return {
        "above": new < old,
        "shown": bool(shown),
        "marked": any(hit["standing"] == "past" for hit in shown),
        "pointing": any(set(hit["later"]) & set(sides["new"]) for hit in shown),
        "told": any(
            entry["passage"] in sides["new"] for hit in shown for entry in hit["possible_changes"]
        ),
    }


async def demo_updates(client: ApiClient, scope: str, seed: Path, tell: Tell) -> dict[str, Any]:
    """Whether a default search gives a replaced statement of the demo as a fact."""
    ids = await prepare(client, scope, demo.load(seed), tell)
    tally: Counter[str] = Counter()
    stale = []
    for row in rows(seed / "gold" / "updates.jsonl"):
        words = row["predicate"].replace("attribute:", "").replace("_", " ")
        body = {"query": f"{row['subject']} {words}", "scopes": [scope], "limit": DEMO_LIMIT}
        hits = (await client.call("POST", "/v1/search", body))["hits"]
        body["kinds"] = ["fact"]
        alone = (await client.call("POST", "/v1/search", body))["hits"]
        told = [hit for hit in (*hits, *alone) if hit["kind"] == "fact"]
        new, old = (_states(told, ids[row[side]["episode"]], row, side) for side in ("new", "old"))
        tally["updates"] += 1
        tally["new side is a fact that is shown"] += new
        tally["old side is a fact that is shown"] += old
        tally["both sides are facts that are shown"] += new and old
        past = [h for h in hits if h["id"] == ids[row["old"]["episode"]]]
        tally["old episode shown"] += bool(past)
        tally["old episode marked past"] += any(h["standing"] == "past" for h in past)
        if old:
            stale.append(row["id"])
    return {**tally, "stale": stale}


def _states(
    hits: Sequence[Mapping[str, Any]], episode: str, row: Mapping[str, Any], side: str
) -> bool:
    """Whether a fact among the hits comes from that episode and has that object."""
    wanted = normal_text(str(row[side]["object"] or ""))
    return any(
        episode in hit["fact"]["support"]
        and hit["fact"]["predicate"] == row["predicate"]
        and not hit["fact"]["negated"]
        and normal_text(str(hit["untrusted"]["object"])) == wanted
        for hit in hits
    )


async def stale_facts(client: ApiClient, scope: str, corpus: Corpus, tell: Tell) -> dict[str, int]:
    """Ask every question over facts alone: which hits does the store not hold now? And as people
    ask: how many hits are told as possibly changed by another hit?"""
    await prepare(client, scope, corpus, tell)
    tally: Counter[str] = Counter()
    current: dict[str, bool] = {}
    for question in corpus.questions:
        body = {"query": question.text, "scopes": [scope], "kinds": ["fact"], "limit": LIMIT}
        hits = (await client.call("POST", "/v1/search", body))["hits"]
        tally["questions"] += 1
        tally["fact hits"] += len(hits)
        for hit in hits:
            if hit["id"] not in current:
                current[hit["id"]] = _is_current(await client.call("GET", f"/v1/facts/{hit['id']}"))
            tally["not current"] += not current[hit["id"]]
        del body["kinds"]
        talk = (await client.call("POST", "/v1/search", body))["hits"]
        tally["hits"] += len(talk)
        tally["hits told as possibly changed by a hit"] += sum(
            any(entry["passage"] for entry in hit["possible_changes"]) for hit in talk
        )
    tally["distinct facts"] = len(current)
    return dict(tally)


def _is_current(fact: Mapping[str, Any]) -> bool:
    at = datetime.now(UTC)
    return fact["status"] == "active" and any(
        interval["standing"] == "held"
        and datetime.fromisoformat(interval["valid_from"]) <= at
        and (interval["valid_to"] is None or at < datetime.fromisoformat(interval["valid_to"]))
        for interval in fact["intervals"]
    )
