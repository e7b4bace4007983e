"""A conversation played turn by turn, and what a context of few tokens then holds.

Every turn goes through `POST /v1/turns`, as an agent sends it. Then each question is the first
message of a new conversation in a scope of its own, and what is recalled for the reply is held
against a plain search of the same words over the same turns, within the same budget of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from app.evals.client import ApiClient
from bench.currency import wait_consolidated
from bench.recall import Corpus, Question, Record
from bench.retrieval import Tell, wait_indexed

MOST = 100  # hits; the budget decides


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question found, once by a turn and once by plain search: ids of turns, tokens.

    `recalled` are turns whose words are there, `stated` also those that a fact there rests on.
    """

    category: str
    gold: frozenset[str]
    recalled: frozenset[str]
    stated: frozenset[str]
    recalled_tokens: int
    searched: frozenset[str]
    searched_tokens: int


def asked_in(scope: str) -> str:
    """Return the workspace beside one, in which the questions about it are asked."""
    return f"{scope}-asked"


async def play(client: ApiClient, scope: str, records: Sequence[Record]) -> dict[str, str]:
    """Send every record as a turn of its session; return the id in the graph of each."""
    ids: dict[str, str] = {}
    session = None
    for record in records:
        message = {
            "content": record.text,
            "role": record.role,
            "speaker": record.speaker,
            "captured_at": record.at.isoformat() if record.at else None,
        }
        body = {
            "messages": [message],
            "session": record.session,
            "scope": scope,
            "scopes": [scope],
            "limit": 1,
            "begins": record.session != session,
        }
        session = record.session
        (receipt,) = (await client.call("POST", "/v1/turns", body))["receipts"]
        if receipt["id"] is not None:
            ids[record.id] = receipt["id"]
    return ids


async def measure(
    client: ApiClient, other: ApiClient, scope: str, corpus: Corpus, budget: int, tell: Tell
) -> list[Asked]:
    """Play a corpus in a scope, wait until it is known, and ask its questions; plain search is done
    by another, since nobody finds what is in the buffers of their own conversations."""
    ids = await play(client, scope, corpus.records)
    tell(f"{corpus.name}: {len(ids)} turns played")
    await wait_consolidated(client, scope)
    await wait_indexed(client)
    done = []
    for question in corpus.questions:
        gold = frozenset(ids[name] for name in question.gold if name in ids)
        if gold:
            done.append(await _ask(client, other, scope, question, gold, budget))
    return done


async def _ask(
    client: ApiClient,
    other: ApiClient,
    scope: str,
    question: Question,
    gold: frozenset[str],
    budget: int,
) -> Asked:
    aside = {
        "messages": [{"content": question.text}],
        "session": question.id,
        "scope": asked_in(scope),
        "begins": True,
    }
    bounds = {"scopes": [scope], "token_budget": budget, "limit": MOST}
    recalled = (await client.call("POST", "/v1/turns", aside | bounds))["recalled"]
    plain = {"query": question.text, "kinds": ["episode"], "mode": "hybrid"}
    searched = await other.call("POST", "/v1/search", plain | bounds)
    return Asked(
        question.category,
        gold,
        frozenset(_shown(recalled["hits"])),
        frozenset((*_shown(recalled["hits"]), *_supporting(recalled["hits"]))),
        recalled["tokens"],
        frozenset(_shown(searched["hits"])),
        searched["tokens"],
    )


def _shown(hits: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """The turns whose words hits show: themselves, and those that a memory rests on."""
    for hit in hits:
        yield hit["id"]
        yield from (turn["id"] for turn in hit.get("turns") or ())


def _supporting(hits: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """The turns that facts among the hits rest on."""
    for hit in hits:
        yield from (hit.get("fact") or {}).get("support", ())


def table(asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    """Return by category and over all: how many questions, the percent of which all evidence or
    any of it was there, and the mean of tokens, each for both ways."""
    categories = sorted({one.category for one in asked})
    rows = {name: [one for one in asked if one.category == name] for name in categories}
    return {name: _row(some) for name, some in {**rows, "overall": list(asked)}.items() if some}


def _row(asked: Sequence[Asked]) -> dict[str, float]:
    return {
        "n": len(asked),
        "turns: all": 100 * fmean(one.gold <= one.recalled for one in asked),
        "turns or facts: all": 100 * fmean(one.gold <= one.stated for one in asked),
        "search: all": 100 * fmean(one.gold <= one.searched for one in asked),
        "turns: any": 100 * fmean(bool(one.gold & one.recalled) for one in asked),
        "search: any": 100 * fmean(bool(one.gold & one.searched) for one in asked),
        "turns: tokens": fmean(one.recalled_tokens for one in asked),
        "search: tokens": fmean(one.searched_tokens for one in asked),
    }
