from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from bench import locomo, longmemeval, passages
from bench.recall import Question, recall_at, table


def write(path: Path, *objects: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")


def test_locomo(tmp_path: Path) -> None:
    turn = {"session": 2, "session_datetime": "2024-02-03T09:00:00", "speaker": "Ada"}
    write(
        tmp_path / "conv-1" / "turns.jsonl",
        {**turn, "dia_id": "D2:1", "text": "Look!", "image_caption": "a red kite"},
        {**turn, "dia_id": "D2:2", "text": "Nice.", "image_caption": None},
    )
    asked = {"question": "What flew?", "category_name": "single-hop"}
    write(
        tmp_path / "conv-1" / "qa.jsonl",
        {**asked, "qid": "q1", "evidence": ["D2:1", "D9:9"]},
        {**asked, "qid": "q2", "evidence": []},
    )
    (corpus,) = locomo.load(tmp_path)
    first, second = corpus.records
    assert (first.text, first.speaker, first.session) == ("Look! [image: a red kite]", "Ada", "2")
    assert first.at == datetime(2024, 2, 3, 9, tzinfo=UTC)
    assert second.at > first.at
    assert [(q.id, q.gold) for q in corpus.questions] == [("q1", frozenset({"D2:1"}))]


def test_longmemeval(tmp_path: Path) -> None:
    turn = {"session_datetime": "2024-02-03T09:00:00", "role": "user"}
    shared = {**turn, "canonical": "a:t0", "canonical_session": "a", "text": "My bike is red."}
    write(
        tmp_path / "evidence_turns.jsonl",
        {**shared, "turn_id": "a:t0"},
        {**shared, "turn_id": "b:t0"},
    )
    asked = {"question": "Which colour?", "question_type": "user"}
    write(
        tmp_path / "queries.jsonl",
        {**asked, "qid": "q1", "evidence": ["b:t0"]},
        {**asked, "qid": "q2", "evidence": []},
    )
    write(
        tmp_path / "s4_haystack_turns.jsonl",
        {**turn, "haystack": "h", "turn_id": "x:t0", "session": "x", "text": "Hello."},
    )
    corpus = longmemeval.load(tmp_path)
    assert [record.id for record in corpus.records] == ["a:t0"]
    assert [question.gold for question in corpus.questions] == [frozenset({"a:t0"})]
    assert len(longmemeval.load(tmp_path, haystack=True).records) == 2


def test_passages(tmp_path: Path) -> None:
    write(tmp_path / "set" / "corpus.jsonl", {"id": "p1", "title": "Kite", "text": "It flies."})
    write(
        tmp_path / "set" / "queries.jsonl",
        {"id": "q1", "question": "What flies?", "gold": ["p1"], "type": "bridge"},
    )
    corpus = passages.load(tmp_path / "set")
    assert (corpus.name, corpus.records[0].title, corpus.questions[0].category) == (
        "set",
        "Kite",
        "bridge",
    )


def test_missing_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no LoCoMo conversation"):
        locomo.load(tmp_path)
    with pytest.raises(InvalidInput, match=r"corpus\.jsonl"):
        passages.load(tmp_path)
    good = json.dumps({"id": "p1", "title": "t", "text": "t"})
    (tmp_path / "corpus.jsonl").write_text(good + "\n{half\n")
    with pytest.raises(InvalidInput, match=r"corpus\.jsonl:2"):
        passages.load(tmp_path)


def test_recall_is_the_share_of_the_evidence_found() -> None:
    gold = frozenset({"a", "b"})
    assert [recall_at(["x", "a", "b"], gold, k) for k in (1, 2, 3)] == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="without evidence"):
        recall_at(["a"], frozenset(), 1)


def test_the_table_averages_questions_not_categories() -> None:
    def asked(name: str, category: str) -> Question:
        return Question(name, name, frozenset({name}), category)

    answers = [(asked("a", "x"), ["a"]), (asked("b", "x"), ["b"]), (asked("c", "y"), ["z", "c"])]
    result = table(answers, (1, 2))
    assert result["x"] == {"n": 2, "R@1": 100.0, "R@2": 100.0}
    assert result["y"] == {"n": 1, "R@1": 0.0, "R@2": 100.0}
    assert list(result)[-1] == "overall"
    assert result["overall"] == {"n": 3, "R@1": pytest.approx(200 / 3), "R@2": 100.0}


BENCH = Path(__file__).parents[2].parent / "shared" / "bench"


@pytest.mark.evals
@pytest.mark.skipif(not BENCH.is_dir(), reason="no benchmark data beside the project")
def test_the_real_files_are_read() -> None:
    conversations = locomo.load(BENCH / "locomo")
    assert [len(c.records) for c in conversations] == [419, 369, 663, 629, 680]
    assert sum(len(c.questions) for c in conversations) == 997
    assert len(longmemeval.load(BENCH / "longmemeval_pool").records) == 397
    assert len(passages.load(BENCH / "2wiki").questions) == 478
