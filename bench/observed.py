"""LoCoMo through the path of a language model: a server on loopback says what a model wrote.

`observations.jsonl` holds sentences that a model wrote about each conversation, with the turns they
rest on. The server speaks OpenAI's chat completions and answers each window with the sentences
about its new turns, in the form that the schema wants; everything after it runs as with any model.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import orjson

from app.consolidation.reader import Limits, ModelReader, ReadTally
from app.consolidation.reader import Parts as ReaderParts
from app.evals.client import ApiClient
from app.evals.jsonl import rows
from app.kernel.clock import now
from app.llm.client import LanguageModel
from app.llm.model import LlmConfig
from app.llm.repository import ReadingRepository
from app.wiring import Parts
from bench.locomo import CUTS
from bench.recall import Corpus, Found, Question, Record, table
from bench.retrieval import asked, capture, wait_indexed

TURN = re.compile(
    r"^\[(?P<label>[bt]\d+)\] [^\n]*:\n(?P<text>(?:(?!^\[[bt]\d+\] |^</text-).*\n)*)", re.M
)
TOKENS = 4  # characters of one, to tell some usage
ANSWER, BUDGET, LONGEST = 4000, 100_000_000, 12_000  # tokens, tokens a day, characters
MOST = 100_000  # memories of a scope


@dataclass(frozen=True, slots=True)
class Observed:
    """What was written about a conversation: sentences by the turn that each rests on last."""

    places: Mapping[str, int]
    ids: Mapping[str, list[str]]
    by_turn: Mapping[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, records: tuple[Record, ...]) -> Observed:
        """Read the observations of one conversation, whose turns are `records` in order."""
        places = {record.id: place for place, record in enumerate(records)}
        ids: dict[str, list[str]] = defaultdict(list)
        for record in records:
            ids[_key(record.text)].append(record.id)
        by_turn = defaultdict(list)
        for row in rows(folder / "observations.jsonl"):
            turns = sorted({i for i in row["dia_ids"] if i in places}, key=places.__getitem__)
            if turns:
                by_turn[turns[-1]].append((row["fact"], tuple(turns)))
        return cls(places, ids, by_turn)

    @property
    def count(self) -> int:
        """Return how many sentences there are."""
        return sum(map(len, self.by_turn.values()))

    def answer(self, prompt: str) -> dict[str, Any]:
        """Return what a model says of a window: sentences whose last turn is new in it, resting on
        those of their turns that it shows."""
        labels = self._labels(prompt)
        memories = []
        for turn, label in labels.items():
            if not label.startswith("t"):
                continue
            for text, rests in self.by_turn.get(turn, ()):
                shown = [labels[one] for one in rests if one in labels]
                memories.append(_memory(text, shown))
        return {"memories": memories, "claims": []}

    def _labels(self, prompt: str) -> dict[str, str]:
        """The label of each turn that the window shows: of turns with one text the first that
        comes after the turn before."""
        found: dict[str, str] = {}
        last = -1
        for match in TURN.finditer(prompt):
            known = self.ids.get(_key(match["text"]), [])
            after = [i for i in known if self.places[i] > last] or known
            if after:
                found[after[0]] = match["label"]
                last = self.places[after[0]]
        return found


async def read(opened: Parts, scope: str, observed: Observed) -> ReadTally:
    """Have everything of a scope read by the model that wrote the observations."""
    config = LlmConfig("observations", answer_tokens=ANSWER)
    parts = opened.consolidation.with_model()
    with answering(observed) as url:
        model = LanguageModel.build(replace(config, base_url=url))
        rows = ReadingRepository(opened.graph)
        limits = Limits(budget=BUDGET, concurrency=1, longest=LONGEST)
        reader = ModelReader(ReaderParts(rows, parts, opened.scopes, model, limits))
        try:
            await rows.ask_again(scope)
            return await reader.read_scope(scope)
        finally:
            await reader.aclose()


async def doubles(opened: Parts, scope: str) -> tuple[int, int]:
    """Return how many memories a scope holds, and how many of them say what another says, by the
    calibrated measure of `loci duplicates`."""
    at = now()
    asked = {"namespace": "memories", "standing": "held", "as_of": at, "known_at": at}
    notes = await opened.notes.repository.page([scope], **asked, after="", limit=MOST)
    held = {row["note"]["id"] for row in notes}
    pairs = await opened.doubling.report(scope, MOST)
    return len(held), len({pair.right for pair in pairs} & held)


@dataclass(frozen=True, slots=True)
class Compared:
    """One conversation asked twice: of its turns alone, and of turns and memories."""

    corpus: str
    turns: int
    memories: int
    doubles: int
    dropped: int
    alone: Sequence[tuple[Question, Sequence[Found]]]
    beside: Sequence[tuple[Question, Sequence[Found]]]

    def row(self) -> dict[str, Any]:
        """Return recall of both by category, and how many memories there are."""
        return {
            "turns alone": table(self.alone, CUTS),
            "with memories": table(self.beside, CUTS),
            "memories per 100 turns": round(100 * self.memories / max(self.turns, 1), 1),
            "doubles in percent": round(100 * self.doubles / max(self.memories, 1), 2),
            "dropped by the guards": self.dropped,
        }


def pooled(done: Sequence[Compared]) -> dict[str, Any]:
    """Return the same over all conversations, and over each."""
    whole = Compared(
        "all",
        sum(one.turns for one in done),
        sum(one.memories for one in done),
        sum(one.doubles for one in done),
        sum(one.dropped for one in done),
        [pair for one in done for pair in one.alone],
        [pair for one in done for pair in one.beside],
    )
    return {one.corpus: one.row() for one in (*done, whole)}


async def compare(
    opened: Parts, client: ApiClient, scope: str, corpus: Corpus, folder: Path
) -> Compared:
    """Capture a conversation, ask its questions, have it read, and ask them again."""
    ids = await capture(client, scope, corpus.records)
    await wait_indexed(client)
    await opened.consolidation.consolidate(scope)
    asking = (corpus, ids)
    alone = await asked(client, scope, asking, max(CUTS), ["auto"])
    tally = await read(opened, scope, Observed.load(folder, corpus.records))
    await wait_indexed(client)
    kinds = ("episode", "memory")
    beside = await asked(client, scope, asking, max(CUTS), ["auto"], kinds)
    held, double = await doubles(opened, scope)
    return Compared(
        corpus.name, len(ids), held, double, tally.dropped, alone["auto"], beside["auto"]
    )


def _memory(text: str, turns: list[str]) -> dict[str, Any]:
    return {"text": text, "kind": "fact", "turns": turns, "relation": "new", "of": None}


def _key(text: str) -> str:
    return " ".join(text.split())


@contextmanager
def answering(observed: Observed) -> Iterator[str]:
    """Serve on loopback until the block ends; the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(observed))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(observed: Observed) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that http.server looks for
            body = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][-1]["content"]
            text = orjson.dumps(observed.answer(prompt)).decode()
            reply = orjson.dumps(_completion(text, (len(prompt) + len(text)) // TOKENS))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler


def _completion(text: str, tokens: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "observed",
        "object": "chat.completion",
        "created": 0,
        "model": "observed",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens},
    }
