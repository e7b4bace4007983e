"""A user's own questions with what answers them, asked through the API by each leg and fused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError, model_validator

from app.errors import InvalidInput
from app.evals.jsonl import rows
from app.evals.ranking import metrics
from app.kernel.ids import digest
from app.kernel.wire import WireModel
from app.search.mode import Mode

LEGS = (Mode.KEYWORD, Mode.VECTOR, Mode.GRAPH, Mode.HYBRID, Mode.AUTO)
CHOSEN = "chosen"  # the modes that the questions name themselves
Text = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
Scores = dict[str, float]


class QuestionLine(WireModel):
    """A line of the file: `gold` are ids of memories or documents, `gold_texts` words of them."""

    question: Text
    id: Line | None = None
    scope: Line | None = None
    mode: Mode | None = None
    gold: tuple[Line, ...] = Field((), max_length=100)
    gold_texts: tuple[Text, ...] = Field((), max_length=100)

    @model_validator(mode="after")
    def _answered(self) -> QuestionLine:
        if not self.gold and not self.gold_texts:
            raise ValueError("gold or gold_texts must say what answers the question")
        return self

    @property
    def key(self) -> str:
        """What the question is known by from run to run: its id, or what it says."""
        wanted = (*sorted(set(self.gold)), *sorted(set(self.gold_texts)))
        told = digest("own question", self.question, self.scope or "", *wanted)[:32]
        return self.id or told

    @property
    def wanted(self) -> tuple[str, ...]:
        """Everything that is to be found, once."""
        return (*dict.fromkeys(self.gold), *dict.fromkeys(self.gold_texts))

    def brought(self, hit: Mapping[str, Any]) -> frozenset[int]:
        """Which of `wanted` a hit of the API brings: by its id or document, or by its words."""
        ids = {hit["id"], (hit.get("chunk") or {}).get("document_id")}
        words = folded(hit["untrusted"]["text"])
        by_id = len(set(self.gold))
        return frozenset(
            place
            for place, one in enumerate(self.wanted)
            if (one in ids if place < by_id else folded(one) in words)
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: places in the ranking, best first, and the modes."""

    cuts: tuple[int, ...] = (1, 5, 10)
    modes: tuple[Mode, ...] = LEGS
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Values of each question by mode, and the questions of which a mode found nothing at all."""

    scores: dict[str, dict[str, Scores]]
    texts: dict[str, str]

    def means(self, keys: Sequence[str] | None = None) -> dict[str, Scores]:
        """Mean values in percent by mode, over some questions or all."""
        chosen = list(self.scores) if keys is None else list(keys)
        modes = dict.fromkeys(mode for key in chosen for mode in self.scores[key])
        return {mode: self._mean(mode, chosen) for mode in modes}

    def _mean(self, mode: str, keys: Sequence[str]) -> Scores:
        of_mode = [self.scores[key][mode] for key in keys if mode in self.scores[key]]
        return {name: 100 * sum(s[name] for s in of_mode) / len(of_mode) for name in of_mode[0]}


def folded(text: str) -> str:
    """A text by which words are compared: one case, one space."""
    return " ".join(text.casefold().split())


def load(path: Path) -> list[QuestionLine]:
    """The questions of a JSONL file.

    Raises InvalidInput (`path` or the field of a line), naming the line; for a question that
    stands there twice, too.
    """
    found: dict[str, QuestionLine] = {}
    for number, row in enumerate(rows(path), start=1):
        try:
            line = QuestionLine.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "question"
            raise InvalidInput(f"{path}:{number}: {field}: {first['msg']}", field=field) from error
        if line.key in found:
            raise InvalidInput(f"{path}:{number} is there twice: {line.key}", field="id")
        found[line.key] = line
    if not found:
        raise InvalidInput(f"{path} holds no question", field="path")
    return list(found.values())


async def measure(ask: Ask, questions: Sequence[QuestionLine], plan: Plan) -> Measured:
    """Ask each question in each mode; `ask` takes the body of `POST /v1/search`."""
    named = any(line.mode is not None for line in questions)
    scores: dict[str, dict[str, Scores]] = {}
    for line in questions:
        modes = {mode.value: mode for mode in plan.modes}
        if named:
            modes[CHOSEN] = line.mode or Mode.AUTO
        known: dict[Mode, Scores] = {}
        for mode in modes.values():
            if mode not in known:
                known[mode] = await _scored(ask, line, mode, plan)
        scores[line.key] = {name: known[mode] for name, mode in modes.items()}
    return Measured(scores, {line.key: line.question for line in questions})


async def _scored(ask: Ask, line: QuestionLine, mode: Mode, plan: Plan) -> Scores:
    body: dict[str, Any] = {"query": line.question, "mode": mode.value, "limit": max(plan.cuts)}
    scope = line.scope or plan.scope
    if scope is not None:
        body["scopes"] = [scope]
    hits = (await ask(body))["hits"]
    return metrics([line.brought(hit) for hit in hits], len(line.wanted), plan.cuts)
