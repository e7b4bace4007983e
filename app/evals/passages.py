"""Multi-hop questions over encyclopedia passages: 2WikiMultihopQA, MuSiQue, HotpotQA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import InvalidInput
from app.evals.jsonl import rows
from app.evals.recall import Corpus, Question, Record
from app.evals.retrieval import Answers, ApiClient

CUTS = (2, 5, 10)
LONGEST = 200  # characters of an end of a triple
MODES = ("keyword", "vector", "graph", "hybrid", "auto")

Ids = Mapping[str, str]
Triples = Mapping[str, list[list[str]]]


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


async def ask(client: ApiClient, body: dict[str, Any]) -> list[str]:
    """Ids of the passages found, a page in place of its chunks, each once."""
    hits = (await client.call("POST", "/v1/search", body))["hits"]
    found = (hit["chunk"]["document_id"] if hit["kind"] == "chunk" else hit["id"] for hit in hits)
    return list(dict.fromkeys(found))


async def asked(client: ApiClient, scope: str, corpus: Corpus, ids: Ids) -> Answers:
    """Every question in every mode, with gold in the graph's ids."""
    answers: Answers = {mode: [] for mode in MODES}
    body = {"scopes": [scope], "kinds": ["episode", "chunk"], "limit": max(CUTS)}
    for question in corpus.questions:
        gold = frozenset(ids.get(name, name) for name in question.gold)
        known = Question(question.id, question.text, gold, question.category)
        for mode in MODES:
            found = await ask(client, {**body, "query": question.text, "mode": mode})
            answers[mode].append((known, found))
    return answers
