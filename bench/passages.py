"""Multi-hop questions over encyclopedia passages: 2WikiMultihopQA, MuSiQue, HotpotQA."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.errors import InvalidInput
from app.evals.client import ApiClient
from app.evals.jsonl import rows
from bench.recall import Corpus, Question, Record
from bench.retrieval import Answers

CUTS = (2, 5, 10)
LONGEST = 200  # characters of an end of a triple
MODES = ("keyword", "vector", "graph", "hybrid", "auto")
SEED = 7  # of the questions that are drawn

Ids = Mapping[str, str]
Triples = Mapping[str, list[list[str]]]


class Also(StrEnum):
    """What a search may be asked for beside its mode."""

    HYDE = "hyde"
    FEATURES = "features"
    MODEL = "model"

    @property
    def modes(self) -> tuple[str, ...]:
        """Where it can change something; the walk comes with `auto`."""
        return ("vector", "hybrid", "auto") if self is Also.HYDE else ("hybrid", "auto")

    @property
    def body(self) -> dict[str, Any]:
        """How a request says so."""
        return {"hyde": True} if self is Also.HYDE else {"rerank": self.value}


@dataclass(slots=True)
class Heard:
    """What was found, by mode and by mode with what was asked for beside it; how steps ended, and
    the milliseconds of each search, as often as it was asked."""

    answers: Answers = field(default_factory=dict)
    steps: dict[str, Counter[str]] = field(default_factory=dict)
    milliseconds: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """How passages are stored: each a record with its title, or without one (`hidden`), with the
    data set's own `triples`, or as `pages`."""

    hidden: bool = False
    triples: bool = False
    pages: bool = False

    @property
    def name(self) -> str:
        """As the scope is called; raises InvalidInput for what does not go together."""
        named = [name for name in ("hidden", "triples", "pages") if getattr(self, name)]
        if len(named) > 1:
            raise InvalidInput(f"{' and '.join(named)} do not go together", field=named[0])
        return "".join(f"-{name}" for name in named)


def load(folder: Path, form: Form | None = None) -> Corpus:
    """The passages of one data set and its questions; `folder` is for instance `2wiki`.

    With `hidden` titles, nothing but the text says what a passage is about.
    """
    form = form or Form()
    records = tuple(
        Record(id=row["id"], text=row["text"], title="" if form.hidden else row["title"])
        for row in rows(folder / "corpus.jsonl")
    )
    questions = (_question(row) for row in rows(folder / "queries.jsonl"))
    named = f"{folder.name}{form.name}"
    return Corpus(named, records, tuple(question for question in questions if question.gold))


def triples(folder: Path) -> Triples:
    """What a model read in the passages beforehand: subject, predicate and object, by passage."""
    return {
        row["id"]: [triple for triple in row["triples"] if len(triple) == 3 and _fits(triple)]
        for row in rows(folder / "openie.jsonl")
    }


def _fits(triple: list[str]) -> bool:
    """Whether a package takes it: no end is empty or a whole text."""
    return all(0 < len(end) <= LONGEST for end in triple)


def _question(row: dict[str, Any]) -> Question:
    return Question(row["id"], row["question"], frozenset(row["gold"]), row["type"])


async def write_pages(client: ApiClient, scope: str, corpus: Corpus) -> Ids:
    """Each passage as a page of its title; the id of each page by the passage's own."""
    ids = {}
    for record in corpus.records:
        body = {"title": record.title, "content": record.text, "scope": scope}
        ids[record.id] = (await client.call("POST", "/v1/pages", body))["id"]
    return ids


def drawn(corpus: Corpus, most: int) -> Corpus:
    """The same passages with at most so many of the questions, always the same ones."""
    if most >= len(corpus.questions):
        return corpus
    return replace(corpus, questions=tuple(random.Random(SEED).sample(corpus.questions, most)))


def found_in(answer: Mapping[str, Any]) -> list[str]:
    """Ids of the passages found, a page in place of its chunks, each once."""
    hits = answer["hits"]
    found = (hit["chunk"]["document_id"] if hit["kind"] == "chunk" else hit["id"] for hit in hits)
    return list(dict.fromkeys(found))


def bodies(also: Sequence[Also], modes: Sequence[str] = MODES) -> dict[str, dict[str, Any]]:
    """What is asked for each question, by the name under which it is told."""
    plain = {mode: {"mode": mode} for mode in modes}
    return plain | {
        f"{mode}, {extra.value}": {"mode": mode, **extra.body}
        for extra in also
        for mode in extra.modes
    }


async def asked(
    client: ApiClient,
    scope: str,
    asking: tuple[Corpus, Ids],
    also: Sequence[Also] = (),
    modes: Sequence[str] = MODES,
) -> Heard:
    """Ask every question in each mode and with what else is asked for; gold has the graph's ids."""
    (corpus, ids), heard = asking, Heard()
    common = {"scopes": [scope], "kinds": ["episode", "chunk"], "limit": max(CUTS)}
    for question in corpus.questions:
        gold = frozenset(ids.get(name, name) for name in question.gold)
        known = Question(question.id, question.text, gold, question.category)
        for name, body in bodies(also, modes).items():
            start = time.perf_counter()
            answer = await client.call(
                "POST", "/v1/search", {**common, "query": question.text, **body}
            )
            took = (time.perf_counter() - start) * 1000
            heard.milliseconds.setdefault(name, []).append(took)
            heard.answers.setdefault(name, []).append((known, found_in(answer)))
            ended = heard.steps.setdefault(name, Counter())
            ended.update(ending(step) for step in answer["steps"])
    return heard


def ending(step: Mapping[str, Any]) -> str:
    """How a step ended, and why where it did not do what was asked."""
    return f"{step['name']} {step['state']}" + (f": {step['reason']}" if step["reason"] else "")
