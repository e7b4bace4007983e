"""What a search costs by the claims of the facts that it meets, and by the scopes that it sees.

Beside its two bare queries in the same run, in turn: a busy machine slows both alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.access.service import operator
from app.consolidation.repository import ConsolidationRepository
from app.errors import LociError
from app.evals.client import ApiClient
from app.indexing.repository import IndexRepository
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.scope import parse_scope
from app.wiring import Parts
from bench.speed import SearchSpeed, Wire, search_speed, summary

CLAIMS = (1, 100, 1000)  # of each fact
TELLERS = ("one", "two", "three")  # scopes that say different things of the same people
SCOPES = (1, 300, 1000)
FACTS = 6  # of each number of claims
ROUNDS = 5  # turns, in each of which every size is asked
BATCH = 50
PATIENCE = 3600.0  # seconds until everything is consolidated
FIRST = ("Mara", "Odile", "Henrik", "Paulina", "Tobias", "Greta")
LAST = {1: "Lindqvist", 100: "Okonkwo", 1000: "Vasquez"}
TOWNS = ("Bremen", "Kiel", "Lyon", "Porto", "Turin", "Ghent")
ASKED = (
    "Where does {name} live?",
    "In which town does {name} live now?",
    "Which town is the home of {name}?",
    "{name} lives where?",
    "What do you know about {name}?",
    "Tell me where {name} has settled.",
)


@dataclass(frozen=True, slots=True)
class Place:
    """What is asked in which scopes; `size` counts what is measured. `whole` is the connection of
    one who sees just these scopes, and names none."""

    size: int
    scopes: list[str]
    questions: list[str]
    whole: Wire | None = None


def people(claims: int) -> list[tuple[str, str]]:
    """Names of the facts that get so many claims, and their towns."""
    return [(f"{first} {LAST[claims]}", town) for first, town in zip(FIRST, TOWNS, strict=True)]


def questions(claims: int) -> list[str]:
    """Questions about each of the facts."""
    return [form.format(name=name) for form in ASKED for name, _ in people(claims)]


async def check_built(parts: Parts, root: str, asked: Sequence[str]) -> None:
    """LociError where a tenant lacks one of the places that are asked."""
    places = [*told_claims(root), *told_disputed(root, True), *told_disputed(root, False)]
    wanted = {scope for place in [*places, *told_scopes(root, asked)] for scope in place.scopes}
    known = (await parts.graph.one(Q.scopes.paths, tenant=root))["paths"]
    if not wanted <= {*known}:
        raise LociError(f"{root} is no tenant that this command has built")


def told_claims(root: str) -> list[Place]:
    """The places that `tell_claims` makes, in a tenant where it has."""
    return [Place(claims, [f"{root}/claims{claims}"], questions(claims)) for claims in CLAIMS]


def told_disputed(root: str, in_turns: bool) -> list[Place]:
    """The same of `tell_disputed`."""
    way = "turns" if in_turns else "after"
    return [
        Place(claims, [f"{root}/{way}{claims}/team:{name}" for name in TELLERS], questions(claims))
        for claims in CLAIMS
    ]


def told_scopes(root: str, asked: Sequence[str]) -> list[Place]:
    """The same of `tell_scopes`."""
    return [
        Place(size, [f"{root}/wide{size}", *_leaves(f"{root}/wide{size}", size)], list(asked))
        for size in SCOPES
    ]


def _leaves(workspace: str, size: int) -> list[str]:
    return [f"{workspace}/team:t{n}" for n in range(size - 1)]


async def tell_claims(
    parts: Parts, client: ApiClient, root: str, texts: Sequence[str]
) -> list[Place]:
    """A scope for each number of claims, with facts that so many captures state, among the same
    texts that say other things; consolidated."""
    places = told_claims(root)
    for place in places:
        claims, (scope,) = place.size, place.scopes
        await client.call("POST", "/v1/scopes", {"scope": scope})
        start = now() - timedelta(days=400)
        told = [
            _episode(scope, f"{name} lives in {town}.", f"talk {turn}", start, turn * FACTS + nth)
            for turn in range(claims)
            for nth, (name, town) in enumerate(people(claims))
        ]
        told += [
            _episode(scope, text, f"other {nth}", start, nth) for nth, text in enumerate(texts)
        ]
        await _capture(client, told)
        await _consolidated(parts, scope, claims)
    await _indexed(parts)
    await _read(parts)
    return places


async def tell_disputed(
    parts: Parts, client: ApiClient, root: str, texts: Sequence[str], in_turns: bool
) -> list[Place]:
    """Three scopes for each number of claims, which say so often of the same people that they live
    in different towns: in turns, or one scope after the other; consolidated."""
    places = told_disputed(root, in_turns)
    for place in places:
        claims, scopes = place.size, place.scopes
        for scope in (scopes[0].rpartition("/")[0], *scopes):
            await client.call("POST", "/v1/scopes", {"scope": scope})
        start = now() - timedelta(days=400)
        for turn, scope in enumerate(scopes):
            told = [
                _episode(scope, f"{name} lives in {town}.", f"talk {nth}", start, at)
                for nth in range(claims)
                for at, name, town in _said(claims, nth, turn, in_turns)
            ]
            told += [
                _episode(scope, text, f"other {nth}", start, nth)
                for nth, text in enumerate(texts[turn :: len(scopes)])
            ]
            await _capture(client, told)
        for scope in scopes:
            await _consolidated(parts, scope, claims)
    await _indexed(parts)
    await _read(parts)
    return places


def _said(claims: int, place: int, turn: int, in_turns: bool) -> Iterator[tuple[int, str, str]]:
    """Minutes, people and towns of one round of a scope; each scope says another town."""
    rounds = place * len(TELLERS) + turn if in_turns else turn * claims + place
    for nth, (name, _) in enumerate(people(claims)):
        yield rounds * FACTS + nth, name, TOWNS[(nth + turn) % len(TOWNS)]


async def tell_scopes(
    parts: Parts, client: ApiClient, root: str, texts: Sequence[str], asked: Sequence[str]
) -> list[Place]:
    """A workspace for each number of scopes, with the same texts spread over them."""
    places = told_scopes(root, asked)
    for place in places:
        size, scopes = place.size, place.scopes
        caller = operator(parse_scope(root).tenant, [root])
        await parts.scopes.ensure([parse_scope(path) for path in scopes], caller)
        parts.keys.forget()
        start = now() - timedelta(days=400)
        told = [
            _episode(scopes[nth % size], text, f"talk {nth}", start, nth)
            for nth, text in enumerate(texts)
        ]
        await _capture(client, told)
    await _indexed(parts)
    await _read(parts)
    return places


async def in_turns(parts: Parts, wire: Wire, places: list[Place]) -> dict[str, Any]:
    """Each place in turn, several times: of each the median round by its ratio at p95, and how
    its p95 stands to that of the smallest in each round."""
    rounds: dict[int, list[SearchSpeed]] = {place.size: [] for place in places}
    for turn in range(ROUNDS):
        for place in places[turn % len(places) :] + places[: turn % len(places)]:
            found = await search_speed(
                parts,
                place.whole or wire,
                place.scopes,
                place.questions,
                named=place.whole is None,
            )
            rounds[place.size].append(found)
    least = rounds[min(rounds)]
    return {str(size): _told(found, least) for size, found in rounds.items()}


def _told(found: Sequence[SearchSpeed], least: Sequence[SearchSpeed]) -> dict[str, Any]:
    ordered = sorted(found, key=lambda speed: speed.ratio_p95)
    pairs = zip(found, least, strict=True)
    return {
        **summary(ordered[len(ordered) // 2]),
        "ratios_p95": [speed.ratio_p95 for speed in found],
        "to_the_smallest_p95": [
            round(one.without_embedding.p95 / other.without_embedding.p95, 2)
            for one, other in pairs
        ],
    }


def _episode(scope: str, text: str, session: str, start: datetime, place: int) -> dict[str, Any]:
    said = start + timedelta(minutes=place)
    return {
        "content": text,
        "session": session,
        "scope": scope,
        "role": "user",
        "captured_at": said.isoformat(),
    }


async def _capture(client: ApiClient, told: Sequence[dict[str, Any]]) -> None:
    for at in range(0, len(told), BATCH):
        await client.call("POST", "/v1/episodes:batch", {"episodes": told[at : at + BATCH]})


async def _indexed(parts: Parts) -> None:
    waiting = IndexRepository(parts.graph)
    while (await waiting.backlog())["pending"]:
        await parts.indexing.drain()


async def _read(parts: Parts) -> None:
    """Wait until nothing waits to be consolidated: the worker would be measured as well."""
    until = asyncio.get_running_loop().time() + PATIENCE
    while (await ConsolidationRepository(parts.graph).backlog())["raw"]:
        if asyncio.get_running_loop().time() > until:
            raise LociError("what was captured is not consolidated yet")
        await asyncio.sleep(1)


async def _consolidated(parts: Parts, scope: str, claims: int) -> None:
    """Wait until each fact has its claims; LociError where it does not come to be."""
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while loop.time() < until:
        await parts.consolidation.consolidate(scope)
        found = await parts.graph.one(Q.evals.told_often, scope=scope, claims=claims)
        if found["facts"] >= FACTS:
            return
        await asyncio.sleep(1)
    raise LociError(f"{scope} has {found['facts']} facts of {claims} claims, and not {FACTS}")
