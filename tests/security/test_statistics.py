"""Point 4: from an answer nobody can tell what another tenant stores.

`LOCI_GUESSING_ROUNDS` sets how many rounds of 200 words there are; five take a minute.
"""

from __future__ import annotations

import os
import random
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


def numbers(value: Any) -> float:
    """The sum of all numbers in what an answer tells."""
    if isinstance(value, dict | list | tuple):
        return sum(numbers(v) for v in (value.values() if isinstance(value, dict) else value))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


async def said(who: Principal, texts: list[str]) -> None:
    items = [{"content": text, "session": f"s{n}"} for n, text in enumerate(texts)]
    for start in range(0, len(items), 50):
        answer = await who.http.post(
            "/v1/episodes:batch", json={"episodes": items[start : start + 50]}
        )
        assert answer.is_success, answer.text


async def asked(who: Principal, words: list[str], rng: random.Random) -> list[dict[str, Any]]:
    """One question for each word, some with a second one, in one mode or the other."""
    answers = []
    for word in words:
        query = f"{word} {rng.choice(words)}" if rng.random() < 0.5 else word
        body = {"query": query, "mode": rng.choice(("keyword", "hybrid")), "limit": 50}
        answer = await who.http.post("/v1/search", json=body)
        assert answer.status_code == 200, answer.text
        answers.append(without(answer.json(), TIMED))
    return answers


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
    for round_ in range(ROUNDS):
        words = ["".join(rng.choices("bdfgklmnprst", k=3)) + f"o{n}x" for n in range(WORDS)]
        await said(guesser, [" ".join(rng.choices(words, k=5)) + "." for _ in range(TEXTS)])
        await opened.indexing.drain()
        before = await asked(guesser, words, random.Random(round_))
        stored = {word for word in words if rng.random() < 0.5}
        await said(neighbour, [f"{word} {word} is stored here." for word in sorted(stored)])
        await opened.indexing.drain()
        after = await asked(guesser, words, random.Random(round_))
        told = [
            (in_any_order(was), in_any_order(now)) for was, now in zip(before, after, strict=True)
        ]
        moves = [numbers(now[0]) - numbers(was[0]) for was, now in told]
        usual = median(moves)
        for word, (was, now), move in zip(words, told, moves, strict=True):
            by_change += (word in stored) if was != now else 0.5
            by_sum += 0.5 if isclose(move, usual) else (word in stored) == (move < usual)
            trials += 1
        moved += sum(
            [hit["id"] for hit in was["hits"]] != [hit["id"] for hit in now["hits"]]
            for was, now in zip(before, after, strict=True)
        )
    assert trials == ROUNDS * WORDS >= 400
    for right in (by_change, by_sum):
        assert abs(right / trials - 0.5) < 3 * sqrt(0.25 / trials), (by_change, by_sum)
    assert moved < trials / 5  # the price that the threat model names
