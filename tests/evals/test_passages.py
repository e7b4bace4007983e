"""What an evaluation of passages stores, and which parts of a graph it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InvalidInput
from bench.packing import distractors, near, stored
from bench.passages import Also, Form, bodies, drawn, ending, load, triples
from bench.recall import Corpus, Question, Record
from bench.walks import VARIANTS, Part, graph_of

RECORDS = (
    Record("a", "Ada Roth was born in Bremen, and Ada Roth sailed.", title="Ada Roth"),
    Record("b", "Bremen is a town.", title="Bremen"),
)
ROWS: list[dict[str, Any]] = [
    {
        "id": "film",
        "live": True,
        "work": None,
        "number": None,
        "about": [["long mile", "title"]],
        "names": [
            ["ada roth", True, [3, 5], [], True, False],
            ["orla", False, [], [], True, False],
            ["bremen", True, [], [], False, True],
        ],
    },
    {
        "id": "ada",
        "live": True,
        "work": None,
        "number": None,
        "about": [["ada roth", "subject"]],
        "names": [["orla", False, [], [], True, False], ["bremen", True, [7, 8], [], True, False]],
    },
    {
        "id": "town",
        "live": True,
        "work": None,
        "number": None,
        "about": [["bremen", "title"]],
        "names": [],
    },
]


def edges(part: Part) -> tuple[int, int]:
    """How many edges of either kind a walk has."""
    graph = graph_of(ROWS, part)
    return int(graph.about.nnz), int(graph.mentions.nnz)


def test_each_variant_has_the_parts_that_it_says() -> None:
    counts = {name: edges(part) for name, part in VARIANTS.items()}
    assert list(counts.values())[:4] == [(2, 1), (3, 2), (3, 4), (3, 5)]
    assert counts["everything, drawn by nothing"] == (3, 5)


@pytest.mark.parametrize(("part", "held"), [(Part(), 5), (Part(alike=True), 6)])
def test_names_lead_to_those_that_read_alike_where_a_variant_says_so(part: Part, held: int) -> None:
    graph = graph_of(ROWS, part, alike={"orla": ["long mile"], "ada roth": ["bremen"]})
    assert (int(graph.about.nnz), int(graph.mentions.nnz)) == (3, held)


def test_a_passage_stands_in_a_crowd_of_copies_with_names_of_their_own() -> None:
    graph = graph_of(ROWS, Part(), times=4)
    assert len(graph.parts) == 12
    assert list(graph.owners["long mile"]) == [0]
    assert {"long mile 1", "bremen 3"} <= graph.owners.keys()
    assert int(graph.about.nnz) == 12


def test_a_copy_has_a_title_of_its_own_and_names_what_its_original_names() -> None:
    made = list(distractors(RECORDS, 5))
    assert [copy.id for copy in made] == ["a~0", "b~0", "a~1", "b~1", "a~2"]
    assert [copy.title for copy in made][::2] == ["Ada Roth II", "Ada Roth III", "Ada Roth IV"]
    assert made[0].text.count("Ada Roth II") == 2
    assert "Bremen" in made[0].text
    assert made == list(distractors(RECORDS, 5))


def test_vectors_of_copies_lie_near_their_originals() -> None:
    vector = np.eye(384, dtype=np.float32)[0]
    made = near({"a": vector}, ["a~0", "a~1"])
    assert [float(np.linalg.norm(v)) for v in made.values()] == pytest.approx([1, 1], abs=1e-5)
    assert all(0.9 < float(v @ vector) < 0.97 for v in made.values())
    assert not np.allclose(made["a~0"], made["a~1"])


def test_given_vectors_have_a_row_for_each_passage(tmp_path: Path) -> None:
    path = tmp_path / "v.npy"
    np.save(path, np.eye(2, 4))
    assert list(stored(path, RECORDS)) == ["a", "b"]
    with pytest.raises(InvalidInput) as refused:
        stored(path, RECORDS[:1])
    assert refused.value.field == "vectors"


def test_a_set_is_stored_in_one_form_and_its_triples_are_whole(tmp_path: Path) -> None:
    lines = {
        "corpus.jsonl": '{"id": "a", "title": "Ada Roth", "text": "Ada Roth was born."}',
        "queries.jsonl": '{"id": "q", "question": "Who?", "gold": ["a"], "type": "one"}',
        "openie.jsonl": '{"id": "a", "entities": [], "triples": [["a", "b"], ["a", "b", "c"]]}',
    }
    for name, line in lines.items():
        (tmp_path / name).write_text(line + "\n")
    hidden = load(tmp_path, Form(hidden=True))
    assert hidden.name == f"{tmp_path.name}-hidden"
    assert [record.title for record in hidden.records] == [""]
    assert [record.title for record in load(tmp_path).records] == ["Ada Roth"]
    assert triples(tmp_path) == {"a": [["a", "b", "c"]]}
    with pytest.raises(InvalidInput) as refused:
        load(tmp_path, Form(hidden=True, pages=True))
    assert refused.value.field == "hidden"


def test_the_questions_that_are_drawn_are_the_same_each_time() -> None:
    questions = tuple(Question(str(n), f"Who is {n}?", frozenset({"a"})) for n in range(50))
    corpus = Corpus("many", RECORDS, questions)
    some = drawn(corpus, 10)
    assert drawn(corpus, 10) == some
    assert len(set(some.questions)) == 10
    assert some.records == RECORDS
    assert drawn(corpus, 50) is corpus


def test_what_is_asked_beside_a_mode_is_asked_where_it_can_change_something() -> None:
    plain = bodies(())
    asked = bodies([Also.HYDE, Also.MODEL])
    assert {name: asked[name] for name in plain} == plain
    assert asked["vector, hyde"] == {"mode": "vector", "hyde": True}
    assert asked["auto, model"] == {"mode": "auto", "rerank": "model"}
    assert "vector, model" not in asked
    assert "keyword, hyde" not in asked


def test_a_step_tells_how_it_ended() -> None:
    assert ending({"name": "hyde", "state": "done", "reason": None}) == "hyde done"
    failed = {"name": "rerank", "state": "failed", "reason": "it cannot be reached"}
    assert ending(failed) == "rerank failed: it cannot be reached"
