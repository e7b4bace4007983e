"""Retrieval quality through the API: capture a corpus, ask its questions, count the evidence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import Unavailable
from app.evals.client import ApiClient
from bench.recall import Corpus, Found, Question, Record

MODES = ("keyword", "vector", "hybrid", "auto")
BATCH = 64
WAIT_SECONDS = 7200.0

Tell = Callable[[str], None]
Answers = dict[str, list[tuple[Question, Sequence[Found]]]]


@dataclass(frozen=True, slots=True)
class Run:
    """What one corpus gave: seconds of its steps and the hits of each question by mode."""

    corpus: str
    records: int
    capture_seconds: float
    index_seconds: float
    ask_seconds: float
    cuts: Sequence[int]
    answers: Answers


async def capture(client: ApiClient, scope: str, records: Sequence[Record]) -> dict[str, str]:
    """Capture records in order; the id of each in the graph by its own id."""
    ids: dict[str, str] = {}
    for start in range(0, len(records), BATCH):
        part = records[start : start + BATCH]
        body = {"episodes": [episode(record, scope) for record in part]}
        receipts = (await client.call("POST", "/v1/episodes:batch", body))["receipts"]
        for record, receipt in zip(part, receipts, strict=True):
            if receipt["id"] is not None:
                ids[record.id] = receipt["id"]
    return ids


def episode(record: Record, scope: str) -> dict[str, Any]:
    """A record as the API takes it."""
    body = {
        "content": record.text,
        "session": record.session or record.id,
        "scope": scope,
        "role": record.role,
        "speaker": record.speaker or None,
        "title": record.title or None,
        "captured_at": record.at.isoformat() if record.at else None,
        "origin": "eval",
    }
    return {name: value for name, value in body.items() if value is not None}


async def wait_indexed(client: ApiClient) -> None:
    """Wait until no vector and no name is missing any more."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        backlog = (await client.call("GET", "/v1/status"))["backlog"]
        if backlog["pending"] == 0 and backlog.get("unlinked", 0) == 0:
            return
        await asyncio.sleep(0.5)
    raise Unavailable("the index is not done after two hours: is a worker running?")


async def ask(
    client: ApiClient, scope: str, question: Question, search: Mapping[str, Any]
) -> list[Found]:
    """What one question finds: ids of records, or of those that a memory rests on. Facts are asked
    for apart, and memories where `search` names them."""
    body = {"query": question.text, "scopes": [scope], "kinds": ["episode"], **search}
    hits = (await client.call("POST", "/v1/search", body))["hits"]
    return [found(hit) for hit in hits]


def found(hit: Mapping[str, Any]) -> Found:
    """The record that a hit is, or those that it rests on."""
    turns = hit.get("turns")
    return tuple(turn["id"] for turn in turns) if turns else str(hit["id"])


async def evaluate(
    client: ApiClient,
    scope: str,
    corpus: Corpus,
    cuts: Sequence[int],
    tell: Tell,
    modes: Sequence[str] = MODES,
) -> Run:
    """Capture, index and ask one corpus in one scope, in each of the modes."""
    start = time.perf_counter()
    ids = await capture(client, scope, corpus.records)
    captured = time.perf_counter()
    tell(f"{corpus.name}: {len(ids)} records captured in {captured - start:.1f} s")
    await wait_indexed(client)
    indexed = time.perf_counter()
    tell(f"{corpus.name}: indexed in {indexed - captured:.1f} s")
    answers = await asked(client, scope, (corpus, ids), max(cuts), modes)
    return Run(
        corpus=corpus.name,
        records=len(ids),
        capture_seconds=captured - start,
        index_seconds=indexed - captured,
        ask_seconds=time.perf_counter() - indexed,
        cuts=cuts,
        answers=answers,
    )


async def asked(
    client: ApiClient,
    scope: str,
    asking: tuple[Corpus, Mapping[str, str]],
    most: int,
    modes: Sequence[str],
    kinds: Sequence[str] = ("episode",),
) -> Answers:
    """Every question in each of the modes, with gold in the graph's ids."""
    corpus, ids = asking
    answers: Answers = {mode: [] for mode in modes}
    for question in corpus.questions:
        gold = frozenset(ids.get(name, name) for name in question.gold)
        known = Question(question.id, question.text, gold, question.category)
        for mode in modes:
            search = {"mode": mode, "limit": most, "kinds": list(kinds)}
            answers[mode].append((known, await ask(client, scope, known, search)))
    return answers
