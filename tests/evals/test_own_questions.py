"""One's own questions: how rankings are valued, files read, runs compared; and asked for real."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from app.errors import InvalidInput
from app.evals.gate import LastRun, compared, read_last, write_last
from app.evals.own_questions import CHOSEN, Measured, Plan, QuestionLine, load, measure
from app.evals.ranking import all_gold, metrics, ndcg, recall
from app.search.mode import Mode
from app.wiring import Parts
from tests.conftest import Principal
from tests.embeddings.scripted_server import Reply, scripted_server
from tests.lifecycle.conftest import Say, say

__all__ = ["say"]
NONE: frozenset[int] = frozenset()


def brings(*places: int) -> frozenset[int]:
    return frozenset(places)


@pytest.mark.parametrize(
    ("found", "gold", "k", "wanted"),
    [
        ([brings(0), NONE, brings(1)], 2, 1, (0.5, 0.0, 1.0)),
        ([brings(0), NONE, brings(1)], 2, 3, (1.0, 1.0, 1.5 / (1 + 1 / math.log2(3)))),
        # What was brought before gains nothing.
        ([brings(0), brings(0)], 2, 2, (0.5, 0.0, 1 / (1 + 1 / math.log2(3)))),
        ([brings(0, 1)], 2, 5, (1.0, 1.0, 1.0)),
        ([], 3, 5, (0.0, 0.0, 0.0)),
    ],
)
def test_a_ranking_is_worth_what_it_brings_and_how_soon(
    found: list[frozenset[int]], gold: int, k: int, wanted: tuple[float, float, float]
) -> None:
    values = recall(found, gold, k), all_gold(found, gold, k), ndcg(found, gold, k)
    assert values == pytest.approx(wanted)
    assert metrics(found, gold, (k,)) == {
        f"R@{k}": values[0],
        f"all@{k}": values[1],
        f"nDCG@{k}": values[2],
    }


def hit(identifier: str, text: str, document: str | None = None) -> dict[str, Any]:
    chunk = {"document_id": document} if document else None
    return {"id": identifier, "chunk": chunk, "untrusted": {"text": text}}


def test_gold_is_an_id_a_document_or_words_in_any_case_and_spacing() -> None:
    line = QuestionLine(question="q", gold=("e1", "d9", "e1"), gold_texts=("we  SHIP on",))
    assert line.brought(hit("e1", "nothing")) == brings(0)
    assert line.brought(hit("c3", "nothing", "d9")) == brings(1)
    assert line.brought(hit("e7", "Mind: We ship\non Fridays.")) == brings(2)
    assert line.brought(hit("e7", "we were shipping")) == NONE


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"question": "q"}', "question"),
        ('{"question": " ", "gold": ["a"]}', "question"),
        ('{"question": "q", "gold": ["a"], "mode": "magic"}', "mode"),
        ('{"question": "q", "gold": ["a"], "other": 1}', "other"),
        ('{"question": "q", "gold": ["a"]}\n{"question": "q", "gold": ["a"]}', "id"),
        ("no json", "path"),
        ("", "path"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, field: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        load(file)
    assert refused.value.field == field
    with pytest.raises(InvalidInput):
        load(tmp_path / "absent.jsonl")


def run(**by_question: float) -> Measured:
    return Measured({key: {"auto": {"R@5": value}} for key, value in by_question.items()}, {})


def last(measured: Measured) -> LastRun:
    return LastRun(version=1, at="2026-01-01", cuts=[5], scores=measured.scores)


def test_only_questions_of_both_runs_are_compared_and_only_what_is_lost_is_worse() -> None:
    before = last(run(a=1.0, b=1.0, gone=0.0))
    better = compared(before, run(a=1.0, b=1.0, new=0.0), 1.0)
    assert (better.common, better.regressions) == (2, ())
    worse = compared(before, run(a=1.0, b=0.5, new=1.0), 24.9)
    (lost,) = worse.regressions
    assert (lost.mode, lost.before, lost.after, lost.difference) == ("auto", 100.0, 75.0, -25.0)
    assert compared(before, run(a=1.0, b=0.5), 25.0).regressions == ()
    assert compared(before, run(other=0.0), 0.0).common == 0
    # A mode or place that the last run did not have is no loss.
    more = Measured({"a": {"auto": {"R@9": 0.0}, "graph": {"R@5": 0.0}}}, {})
    assert compared(before, more, 0.0).regressions == ()


def test_a_run_is_kept_whole_and_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl.last.json"
    assert read_last(file) is None
    write_last(file, run(a=0.5), (5,))
    kept = read_last(file)
    assert kept is not None
    assert kept.scores == {"a": {"auto": {"R@5": 0.5}}}
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInput):
        read_last(file)


async def test_questions_are_asked_by_each_leg_and_in_their_own_mode(
    opened: Parts, admin: Principal, tenant: str, say: Say
) -> None:
    shipped = await say(tenant, "We ship on Fridays.")
    await say(tenant, "Ada Berger lives in Bremen.", session="other")
    await opened.indexing.drain()
    lines = [
        QuestionLine(question="When do we ship?", gold=(shipped,), mode=Mode.KEYWORD),
        QuestionLine(question="Where does Ada live?", gold_texts=("lives in bremen", "in Ulm")),
    ]

    async def ask(body: dict[str, Any]) -> dict[str, Any]:
        answer = await admin.http.post("/v1/search", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    plan = Plan((1, 5), (Mode.KEYWORD, Mode.AUTO), scope=tenant)
    measured = await measure(ask, lines, plan)
    means = measured.means()
    assert set(means) == {"keyword", "auto", CHOSEN}
    assert measured.scores[lines[0].key]["keyword"]["R@5"] == 1.0
    assert measured.scores[lines[0].key][CHOSEN] == measured.scores[lines[0].key]["keyword"]
    assert measured.scores[lines[1].key]["auto"]["R@5"] == 0.5
    assert means["auto"]["all@5"] == 50.0


def test_the_first_argument_is_a_command_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"question": "q", "gold": ["a"], "other": 1}), encoding="utf-8")
    result = CliRunner().invoke(cli, ["eval", str(file), "--key", "x"])
    assert isinstance(result.exception, InvalidInput)
    assert result.exception.field == "other"
    assert CliRunner().invoke(cli, ["eval", "nothing"]).exit_code == 2


def test_a_run_that_is_worse_ends_with_1_and_leaves_the_last_one(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"question": "When?", "gold": ["e1"]}), encoding="utf-8")
    with scripted_server() as server:
        arguments = ["eval", str(file), "--key", "x", "--url", server.url, "--at", "1", "--json"]

        def runs(hits: list[dict[str, Any]], *more: str) -> tuple[int, dict[str, Any]]:
            server.replies = [Reply(200, {"hits": hits})]
            result = CliRunner().invoke(cli, [*arguments, *more])
            told: dict[str, Any] = json.loads(result.stdout)
            return result.exit_code, told

        code, told = runs([hit("e1", "on Fridays")])
        assert (code, told["last"], told["means"]["auto"]["R@1"]) == (0, None, 100.0)
        assert len(server.requests) == len(told["means"]) == 5
        code, told = runs([hit("e2", "never")])
        assert (code, told["common"], len(told["missed"])) == (1, 1, 1)
        assert {one["metric"] for one in told["regressions"]} == {"R@1", "all@1", "nDCG@1"}
        # The run before is what the next is held against, unless this one is accepted.
        assert runs([hit("e1", "on Fridays")])[0] == 0
        assert runs([hit("e2", "never")], "--tolerance", "100")[0] == 0
        assert runs([hit("e1", "on Fridays")])[0] == 0
        assert runs([hit("e2", "never")], "--accept")[0] == 0
        assert runs([hit("e2", "never")])[0] == 0
        server.replies = [Reply(500, {"detail": "away"})]
        result = CliRunner().invoke(cli, arguments)
        assert "away" in str(result.exception)
