"""Speed, always beside something bare in the same run: a busy machine slows both alike."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any

import msgspec
import numpy as np

from app.embeddings.model import Role
from app.episodes import record
from app.episodes.model import Capture
from app.episodes.record import Cleaned
from app.errors import LociError
from app.evals.client import ApiClient
from app.indexing.analysis import query_terms
from app.indexing.dates import date_terms
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.search.lucene import text_query
from app.search.model import Filters
from app.search.reach import FEW, subtrees
from app.wiring import Parts

WARM_UP = 20  # requests before the clock counts
BARE = (Q.evals.bare_keyword, Q.evals.bare_vector)
COLUMNS = (Q.search.keyword, Q.search.vector_live)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of one kind of call."""

    count: int
    p50: float
    p95: float
    mean: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> Times:
        """Percentiles of samples in milliseconds."""
        values = np.asarray(samples)
        low, high = np.percentile(values, [50, 95])
        mean = float(values.mean())
        return cls(len(samples), *(round(float(v), 2) for v in (low, high, mean)))


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """Hybrid search over HTTP and what it is made of.

    `bare` are its two queries as anybody would write them, an id and a score a row, side by side;
    `columns` are the same two as the product asks them, which is as fast as we could make them.
    Ratios are of the search without its embedding to each.
    """

    memories: int
    scopes: int
    http: Times
    embed: Times
    without_embedding: Times
    bare: Times
    columns: Times
    ratio_p50: float
    ratio_p95: float
    columns_ratio_p50: float
    columns_ratio_p95: float


class Wire:
    """One kept connection to the API that adds as little as it can to what is timed.

    It blocks, as nothing else runs meanwhile.
    """

    def __init__(self, url: str, key: str, headers: Mapping[str, str] | None = None) -> None:
        self._http = HTTPConnection(url.removeprefix("http://").rstrip("/"), timeout=120)
        own = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._headers = {**own, **(headers or {})}

    def search(self, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Milliseconds from sending a search to its last byte, and the answer.

        Raises LociError where it is a problem.
        """
        return self.ask("POST", "/v1/search", body)

    def ask(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[float, dict[str, Any]]:
        """The same of any request that answers with 200; over a new connection where the API has
        closed the one that lay idle while something slow went on beside."""
        sent = None if body is None else msgspec.json.encode(body)
        try:
            whole, status, received = self._answer(method, path, sent)
        except ConnectionError:
            self._http.close()
            whole, status, received = self._answer(method, path, sent)
        found: dict[str, Any] = msgspec.json.decode(received)
        if status != HTTPStatus.OK:
            raise LociError(f"{method} {path}: {found.get('detail')}")
        return whole, found

    def _answer(self, method: str, path: str, sent: bytes | None) -> tuple[float, int, bytes]:
        start = time.perf_counter()
        self._http.request(method, path, sent, self._headers)
        answer = self._http.getresponse()
        received = answer.read()
        return (time.perf_counter() - start) * 1000, answer.status, received

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


async def search_speed(
    parts: Parts, wire: Wire, scopes: list[str], questions: Sequence[str], *, named: bool = True
) -> SearchSpeed:
    """Each question over HTTP, then its two queries alone in both forms, in turn.

    Without names the request says no scopes: the key has to be one that sees just these.
    """
    prepared = [await _prepare(parts, question, scopes) for question in questions]
    http, embed, rest, bare, columns = [], [], [], [], []
    for place, (question, (query, vector)) in enumerate(zip(questions, prepared, strict=True)):
        body = {"query": question, **({"scopes": scopes} if named else {})}
        whole, found = wire.search(body)
        alone = await _side_by_side(parts.graph, BARE, query, vector, scopes)
        lean = await _side_by_side(parts.graph, COLUMNS, query, vector, scopes)
        if place < WARM_UP:
            continue
        embedding = found["milliseconds"].get("embed", 0.0)
        http.append(whole)
        embed.append(embedding)
        rest.append(whole - embedding)
        bare.append(alone)
        columns.append(lean)
    held = sum((await parts.graph.one(Q.evals.count_memories, scopes=scopes)).values())
    without, plain, lean_times = Times.of(rest), Times.of(bare), Times.of(columns)
    return SearchSpeed(
        memories=held,
        scopes=len(scopes),
        http=Times.of(http),
        embed=Times.of(embed),
        without_embedding=without,
        bare=plain,
        columns=lean_times,
        ratio_p50=round(without.p50 / plain.p50, 2),
        ratio_p95=round(without.p95 / plain.p95, 2),
        columns_ratio_p50=round(without.p50 / lean_times.p50, 2),
        columns_ratio_p95=round(without.p95 / lean_times.p95, 2),
    )


async def _prepare(parts: Parts, question: str, scopes: list[str]) -> tuple[str, list[float]]:
    terms = [form for word in query_terms(question) for form in word]
    trees = subtrees(scopes, scopes) if len(scopes) > FEW else []
    query = text_query(terms, date_terms(question), Filters(scopes=scopes, trees=trees), None)
    vector = (await parts.embedder.embed([question], Role.QUERY))[0]
    return query or "", vector


async def _side_by_side(
    graph: Graph, legs: tuple[Query, Query], query: str, vector: list[float], scopes: list[str]
) -> float:
    keyword, nearest = legs
    start = time.perf_counter()
    await asyncio.gather(
        graph.rows(keyword, q=query, scopes=scopes, limit=100),
        graph.rows(nearest, v=vector, scopes=scopes, kinds=["episode"], limit=100),
    )
    return (time.perf_counter() - start) * 1000


async def vector_recall(
    graph: Graph, scopes: list[str], samples: int, k: int = 10, seed: int = 7
) -> float:
    """Share of the exact `k` nearest, inside one scope, that the index finds (mean of samples).

    Queries are stored vectors with noise added, so that no query is its own answer alone.
    """
    chance = random.Random(seed)
    noise = np.random.default_rng(seed)
    shares = []
    for scope in chance.sample(scopes, min(len(scopes), 10)):
        rows = await graph.rows(Q.evals.vectors_of, scope=scope)
        ids = [row["id"] for row in rows]
        matrix = np.asarray([row["vector"] for row in rows], dtype=np.float32)
        for place in chance.sample(range(len(ids)), min(samples, len(ids))):
            vector = matrix[place] + np.asarray(
                noise.normal(0, 0.02, matrix.shape[1]), dtype=np.float32
            )
            vector /= np.linalg.norm(vector)
            exact = {ids[i] for i in np.argsort(-(matrix @ vector), kind="stable")[:k]}
            found = await graph.one(
                Q.search.vector_live, v=vector.tolist(), scopes=[scope], kinds=["episode"], limit=k
            )
            shares.append(len(exact & set(found["ids"])) / len(exact))
    return float(np.mean(shares))


@dataclass(frozen=True, slots=True)
class CaptureSpeed:
    """Captures over HTTP beside the bare transaction that writes the same nodes."""

    clients: int
    http: Times
    bare: Times
    ratio_p50: float
    ratio_p95: float


async def capture_speed(
    parts: Parts, client: ApiClient, caller: Caller, texts: Sequence[str], clients: int
) -> CaptureSpeed:
    """The same number of texts by `clients` at once, each in a session of its own."""
    run = now().strftime("%H%M%S%f")
    policy = SanitizePolicy()
    rows = [
        _row(caller, f"bare {run} {i % clients}", f"{text} ({run} b{i})", policy)
        for i, text in enumerate(texts)
    ]

    async def over_http(place: int) -> None:
        body = {
            "content": f"{texts[place]} ({run} h{place})",
            "session": f"{run} {place % clients}",
        }
        await client.call("POST", "/v1/episodes", body)

    async def bare(place: int) -> None:
        await parts.graph.rows(Q.evals.bare_capture, row=rows[place])

    http_times = await _at_once(over_http, len(texts), clients)
    bare_times = await _at_once(bare, len(texts), clients)
    http, alone = Times.of(http_times), Times.of(bare_times)
    return CaptureSpeed(
        clients, http, alone, round(http.p50 / alone.p50, 2), round(http.p95 / alone.p95, 2)
    )


def _row(caller: Caller, session: str, text: str, policy: SanitizePolicy) -> Row:
    capture = Capture(content=text, session=session, role="user")
    cleaned = Cleaned(capture, caller.home, sanitize(text, policy), "absent")
    return record.to_row(caller, 0, cleaned, now())


async def _at_once(work: Callable[[int], Awaitable[None]], count: int, clients: int) -> list[float]:
    samples: list[float] = []

    async def client(number: int) -> None:
        for place in range(number, count, clients):
            start = time.perf_counter()
            await work(place)
            if place >= WARM_UP:
                samples.append((time.perf_counter() - start) * 1000)

    await asyncio.gather(*(client(number) for number in range(clients)))
    return samples


def summary(result: Any) -> dict[str, Any]:
    """A result as plain numbers for a table or JSON."""
    return {name: getattr(result, name) for name in result.__slots__}
