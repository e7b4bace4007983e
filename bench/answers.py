"""Whether an answer is given where there is one, and none where there is none: through the API.

Three kinds of questions are put to each conversation: its own that have an answer, its own that
have none (LoCoMo's category `adversarial`, which asks of one what another said), and those of
another conversation, whose people nobody here knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.evals.client import ApiClient
from bench.floors import HALVES, half
from bench.recall import Corpus, Question

ADVERSARIAL = "adversarial"
ORDINARY, STRANGERS = "ordinary", "strangers"
KINDS = (ORDINARY, ADVERSARIAL, STRANGERS)


@dataclass(frozen=True, slots=True)
class Put:
    """A question of one of the kinds."""

    kind: str
    question: Question


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a question: how many sentences answered it, the turns that each rests on, and
    whether the first, or any, is evidence; `text` is the answer."""

    put: Put
    sentences: int
    first: bool
    any: bool
    text: str

    @property
    def answered(self) -> bool:
        """Whether anything was said."""
        return self.sentences > 0


@dataclass(slots=True)
class Resting:
    """The turns that sources rest on; of a fact they are asked for once."""

    client: ApiClient
    known: dict[str, frozenset[str]] = field(default_factory=dict)

    async def of(self, source: Mapping[str, Any]) -> frozenset[str]:
        """A passage itself, or what supports a fact."""
        if source["kind"] != "fact":
            return frozenset([source["id"]])
        if source["id"] not in self.known:
            fact = await self.client.call("GET", f"/v1/facts/{source['id']}")
            self.known[source["id"]] = frozenset(one["episode"] for one in fact["support"])
        return self.known[source["id"]]


def questions(own: Corpus, other: Corpus) -> list[Put]:
    """What is put to one conversation: its own questions, and those of another that have an
    answer there."""
    mine = [Put(ADVERSARIAL if _has_none(q) else ORDINARY, q) for q in own.questions]
    return [*mine, *(Put(STRANGERS, q) for q in other.questions if not _has_none(q))]


def pairs(corpora: Sequence[Corpus]) -> list[tuple[Corpus, Corpus]]:
    """Each conversation with the next, the last with the first."""
    return list(zip(corpora, [*corpora[1:], *corpora[:1]], strict=True))


def _has_none(question: Question) -> bool:
    return question.category == ADVERSARIAL


async def put(
    client: ApiClient, scope: str, asked: Iterable[Put], ids: Mapping[str, str]
) -> list[Heard]:
    """Put questions to `/v1/rag/ask`; `ids` are those in the graph by the corpus's own."""
    resting = Resting(client)
    heard = []
    for one in asked:
        body = {"query": one.question.text, "scopes": [scope]}
        answer = await client.call("POST", "/v1/rag/ask", body)
        gold = frozenset(ids.get(name, name) for name in one.question.gold)
        heard.append(await _heard(one, answer, gold, resting))
    return heard


async def _heard(
    put: Put, answer: Mapping[str, Any], gold: frozenset[str], resting: Resting
) -> Heard:
    sources = {source["number"]: source for source in answer["sources"]}
    said = answer["untrusted"]["sentences"]
    found = []
    for sentence in said:
        turns = [await resting.of(sources[number]) for number in sentence["sources"]]
        found.append(not gold.isdisjoint(frozenset[str]().union(*turns)))
    return Heard(put, len(said), bool(found[:1] and found[0]), any(found), _text(answer))


def _text(answer: Mapping[str, Any]) -> str:
    text: str = answer["untrusted"]["answer"]
    return text


def table(heard: Sequence[Heard]) -> list[dict[str, Any]]:
    """A row for each kind and half, and for both halves: percent answered, and of the ordinary ones
    percent (of those asked) whose first sentence, or any, is of an evidence turn."""
    rows = []
    for kind in KINDS:
        of_kind = [one for one in heard if one.put.kind == kind]
        for name in ("all", *HALVES):
            part = [one for one in of_kind if name in ("all", half(one.put.question))]
            if part:
                rows.append({"kind": kind, "half": name, **_row(kind, part)})
    return rows


def _row(kind: str, part: Sequence[Heard]) -> dict[str, Any]:
    told: dict[str, Any] = {"n": len(part), "answered": _percent(h.answered for h in part)}
    if kind != ORDINARY:
        return told
    first, any_of = _percent(h.first for h in part), _percent(h.any for h in part)
    return told | {"first is evidence": first, "any is evidence": any_of}


def _percent(those: Iterable[bool]) -> float:
    found = list(those)
    return round(100 * sum(found) / len(found), 1)
