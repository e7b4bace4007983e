"""Point 4: from an answer nobody can tell what another tenant stores, at whichever door he asks.

`LOCI_GUESSING_ROUNDS` sets how many rounds of 200 words there are.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from math import isclose, sqrt
from statistics import median
from typing import Any

import pytest

from app.indexing.fusion import by_rank
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

ROUNDS = int(os.environ.get("LOCI_GUESSING_ROUNDS", "2"))
WORDS, TEXTS = 200, 60
TIMED = ("milliseconds", "steps")
RANKED = ("rank", "score", "legs")  # what says in which order hits stand
Ask = Callable[[str], tuple[str, dict[str, Any]]]
Answer = tuple[str, dict[str, Any]]  # a door, and what it answered


def without(value: Any, names: tuple[str, ...]) -> Any:
    """An answer without some fields, however deep they lie."""
    if isinstance(value, dict):
        return {k: without(v, names) for k, v in value.items() if k not in names}
    if isinstance(value, list):
        return [without(item, names) for item in value]
    return value


def in_any_order(answer: dict[str, Any]) -> Any:
    """What an answer tells beside the order of its hits, from which alone their scores follow."""
    hits = {}
    for hit in answer["hits"]:
        assert hit["score"] == round(by_rank(hit["rank"]), 6)
        hits[hit["id"]] = without({k: v for k, v in hit.items() if k != "score"}, ("rank",))
    return hits, {k: v for k, v in answer.items() if k != "hits"}


def unordered(value: Any) -> Any:
    """What any answer tells beside the order of what it lists, in words too."""
    if isinstance(value, dict):
        return {k: unordered(v) for k, v in value.items() if k not in (*TIMED, *RANKED)}
    if isinstance(value, list):
        return sorted((unordered(item) for item in value), key=repr)
    return sorted(value.split("\n")) if isinstance(value, str) else value


def _searched(**more: Any) -> Ask:
    return lambda query: ("/v1/search", {"query": query, "limit": 50, **more})


def _graphql(query: str) -> tuple[str, dict[str, Any]]:
    asks = (
        "query($q: String!) { search(input: {query: $q, first: 50}) { mode count candidates tokens"
        " empty hits { id rank score relevance similarity legs untrusted { text } } } }"
    )
    return "/graphql", {"query": asks, "variables": {"q": query}}


def _tool(query: str) -> tuple[str, dict[str, Any]]:
    called = {"name": "search", "arguments": {"query": query, "limit": 50}}
    return "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}


def _posted(path: str, **more: Any) -> Ask:
    return lambda query: (path, {"query": query, **more})


def numbers(value: Any) -> float:
    """The sum of all numbers in what an answer tells."""
    if isinstance(value, dict | list | tuple):
        return sum(numbers(v) for v in (value.values() if isinstance(value, dict) else value))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


PLAIN = ("keyword", "hybrid")
DOORS: dict[str, Ask] = {
    "keyword": _searched(mode="keyword"),
    "hybrid": _searched(mode="hybrid"),
    "vector": _searched(mode="vector"),
    "auto": _searched(mode="auto"),
    "graph": _searched(mode="graph"),
    "bundle": _searched(form="both"),
    "block": _searched(form="relevant_context", context={"threshold": 0}),
    "graphql": _graphql,
    "mcp": _tool,
    "rag retrieve": _posted("/v1/rag/retrieve", top_k=50),
    "rag context": _posted("/v1/rag/context", top_k=50, token_budget=100_000),
    "rag ask": _posted("/v1/rag/ask", top_k=50),
    "recall": _posted("/v1/conversations/guessing/recall", hits=50),
    "tiers context": _posted("/v1/tiers/context", token_budget=100_000),
}


async def said(who: Principal, texts: list[str]) -> None:
    items = [{"content": text, "session": f"s{n}"} for n, text in enumerate(texts)]
    for start in range(0, len(items), 50):
        answer = await who.http.post(
            "/v1/episodes:batch", json={"episodes": items[start : start + 50]}
        )
        assert answer.is_success, answer.text


async def asked(who: Principal, words: list[str], rng: random.Random) -> list[Answer]:
    """One question for each word, some with a second one, each at one of the doors."""
    answers = []
    for word in words:
        query = f"{word} {rng.choice(words)}" if rng.random() < 0.5 else word
        door = rng.choice(list(DOORS))
        path, body = DOORS[door](query)
        answer = await who.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        assert "errors" not in told, told
        answers.append((door, without(told, TIMED)))
    return answers


def told_by(answer: Answer) -> Any:
    """What an answer tells beside the order of its hits."""
    door, told = answer
    return in_any_order(told) if door in PLAIN else (unordered(told), None)


@pytest.mark.slow
@pytest.mark.timeout(900)  # on a machine with other work
async def test_nobody_can_guess_which_rare_words_another_tenant_stores(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """Hundreds of words, half of which the neighbour comes to store: whoever looks for any change
    in the answers, or for the way that their numbers move, guesses like a coin, as long as he
    leaves out the order."""
    guesser = await principal(tenant, name="guesser")
    neighbour = await principal(f"{tenant}-x", name="neighbour")
    rng = random.Random(4)
    by_change, by_sum, moved, trials = 0.0, 0.0, 0, 0
    changed, asks, heard = Counter[str](), Counter[str](), Counter[str]()
    for round_ in range(ROUNDS):
        words = ["".join(rng.choices("bdfgklmnprst", k=3)) + f"o{n}x" for n in range(WORDS)]
        await said(guesser, [" ".join(rng.choices(words, k=5)) + "." for _ in range(TEXTS)])
        await opened.indexing.drain()
        before = await asked(guesser, words, random.Random(round_))
        stored = {word for word in words if rng.random() < 0.5}
        await said(neighbour, [f"{word} {word} is stored here." for word in sorted(stored)])
        await opened.indexing.drain()
        after = await asked(guesser, words, random.Random(round_))
        told = [(told_by(was), told_by(now)) for was, now in zip(before, after, strict=True)]
        moves = [numbers(now[0]) - numbers(was[0]) for was, now in told]
        usual = median(moves)
        changed.update(
            door for (door, _), (was, now) in zip(before, told, strict=True) if was != now
        )
        asks.update(door for door, _ in before)
        heard.update(
            door
            for word, (door, answer) in zip(words, before, strict=True)
            if f"{word} " in repr(answer) or f"{word}." in repr(answer)
        )
        for word, (was, now), move in zip(words, told, moves, strict=True):
            by_change += (word in stored) if was != now else 0.5
            by_sum += 0.5 if isclose(move, usual) else (word in stored) == (move < usual)
            trials += 1
        moved += sum(
            [hit["id"] for hit in was["hits"]] != [hit["id"] for hit in now["hits"]]
            for (door, was), (_, now) in zip(before, after, strict=True)
            if door in PLAIN
        )
    sys.stdout.write(f"heard {dict(heard)}\n")
    sys.stdout.write(f"changed {dict(changed)} of {dict(asks)}, {by_change=} {by_sum=} {moved=}\n")
    assert trials == ROUNDS * WORDS >= 400
    assert asks.keys() == DOORS.keys()
    assert min(heard[door] for door in DOORS) > 0, heard  # each tells something of one's own
    for right in (by_change, by_sum):
        assert abs(right / trials - 0.5) < 3 * sqrt(0.25 / trials), (by_change, by_sum)
    assert moved < sum(asks[door] for door in PLAIN) / 5  # the price that the threat model names
