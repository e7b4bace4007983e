"""The server that says what a model wrote about a conversation."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.consolidation.guards import Answer, remembered
from app.consolidation.window import Window, Wording, question
from app.extraction.predicates import standard
from app.llm.client import LanguageModel
from app.llm.model import LlmConfig
from app.llm.wording import CURRENT
from bench.observed import Observed, answering
from bench.recall import Record, recall_at

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
TEXTS = ("Hello!", "I moved to Rotterdam.\nIt is windy.", "Hello!", "My boat lies in Gouda.")
SAID = (
    ("Priya moved to Rotterdam.", ["D1:2"]),
    ("Priya moved to Rotterdam and has a boat in Gouda.", ["D1:4", "D1:2"]),
    ("Somebody said hello.", ["D9:9"]),
)


def records() -> tuple[Record, ...]:
    return tuple(
        Record(f"D1:{n}", text, AT + timedelta(seconds=n), "1", "Priya")
        for n, text in enumerate(TEXTS, 1)
    )


def window(first: int, *texts: str, before: tuple[str, ...] = ()) -> Window:
    def turn(place: int, text: str) -> dict[str, object]:
        return {"id": f"e{place}", "content": text, "captured_at": AT, "speaker": "Priya"}

    return Window.of(
        [turn(first + n, text) for n, text in enumerate(texts)],
        [turn(n, text) for n, text in enumerate(before)],
    )


async def test_a_window_is_answered_with_what_was_written_about_its_new_turns(
    tmp_path: Path,
) -> None:
    lines = [json.dumps({"fact": fact, "dia_ids": turns}) for fact, turns in SAID]
    (tmp_path / "observations.jsonl").write_text("\n".join(lines), encoding="utf-8")
    observed = Observed.load(tmp_path, records())
    assert observed.count == 2
    with answering(observed) as url:
        model = LanguageModel.build(LlmConfig("observations", url, retries=0))
        told = {}
        for name, shown in {
            "early": window(0, *TEXTS[:2]),
            "late": window(2, *TEXTS[2:], before=TEXTS[:2]),
        }.items():
            asked = question(shown, standard(), Wording(CURRENT))
            answer = (await model.ask(asked, Answer)).value
            kept = remembered(answer, shown)
            assert kept.dropped == {}
            told[name] = [(memory.text, memory.turns) for memory in kept.memories]
        await model.aclose()
    assert told == {
        "early": [(SAID[0][0], ("e1",))],
        "late": [(SAID[1][0], ("e1", "e3"))],
    }


def test_a_memory_counts_for_the_turns_it_rests_on() -> None:
    gold = frozenset(["a", "b", "c"])
    assert recall_at(["x", ("a", "b"), "c"], gold, 2) == 2 / 3
