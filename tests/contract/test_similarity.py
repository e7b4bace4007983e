"""No cosine is held against a threshold as it is: `Calibration.similarity` stands between."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python  # reads what stands in files

QUERIES = {
    path.name: path.read_text("utf-8")
    for path in (Path(__file__).parents[2] / "cypher").glob("*.cypher")
}
APP = Path(__file__).parents[2] / "app"
ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
RAW = ("cosine", "distance", "score")  # what a name says that may hold one
# Modules whose scores and distances are something else than likeness of vectors, and what.
OTHERS = {
    "communities/centrality.py": "the change of a centrality in one round",
    "contexts/staleness.py": "how stale an entry is",
    "entities/match.py": "likeness of spellings",
    "entities/service.py": "steps on a path",
    "learning/scoring.py": "how well a task went",
    "lifecycle/promotion.py": "how often a memory was read",
    "rag/reaching.py": "scores of seeds, faded by hops",
    "rag/seeds.py": "1 - similarity, which is calibrated",
    "retrieval/service.py": "words of names that a question holds",
    "sanitize/suspicion.py": "a classifier's, by its own measured threshold",
    "search/block.py": "places in several lists, joined",
    "search/latest.py": "one hit beside another of the same answer",
    "search/model.py": "how many there are",
    "search/walking.py": "how many there are",
    "skills/health.py": "the health of a skill",
    "skills/knowledge.py": "calibrated where it is made",
}
# Modules that compare cosines with figures measured on that very kind of pair, and why.
MEASURED = {
    "embeddings/calibration.py": "the scales themselves",
    "entities/likeness.py": "measured for entities by model; proposes only (decision 0021)",
    "retrieval/alike.py": "measured for names by model (decision 0041)",
    "retrieval/synonyms.py": "measured for names by model (decision 0041)",
}
# Modules that turn the index's score, (1 + cosine) / 2, into a cosine or a distance.
TURNING = {
    "entities/likeness.py": "measured for entities by model; proposes only (decision 0021)",
    "pages/neighbours.py": "hands it to the calibration at once",
    "search/vectors.py": "hands it to the calibration at once",
}
# Modules that read the score of a query of the vector index without calibrating it there, and why.
HANDING = {
    "entities/likeness.py": "measured for entities by model; proposes only (decision 0021)",
    "notes/repository.py": "a cosine for notes/decide.py, which calibrates it",
    "rag/repository.py": "a cosine for rag/service.py, which calibrates it",
    "search/repository.py": "for search/vectors.py, which makes a Nearness of it",
    "skills/finding.py": "of the text index",
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(APP.rglob("*.py")):
        name = path.relative_to(APP).as_posix()
        if not name.startswith("evals/"):
            yield name, ast.parse(path.read_text("utf-8"))


def words(node: ast.AST) -> Iterator[str]:
    """Every name, attribute and key in an expression; what is calibrated is no cosine any more."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("similarity"):
        return
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from words(child)


def raw_comparisons(tree: ast.Module) -> list[str]:
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ORDERED)
        if any(raw in word.lower() for word in words(node) for raw in RAW)
    ]


def turned_scores(tree: ast.Module) -> list[str]:
    """`2 * score - 1`, `2 - 2 * score` and `(1 + cosine) / 2`."""
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        if any(word in ("score", "cosine") for word in words(node))
        if {1, 2} <= (found := constants(node)) or found == {2}
    ]


def vector_queries() -> dict[str, str]:
    """The queries that ask the vector index or compare vectors, as they are named in the app."""
    found = {}
    for name, text in QUERIES.items():
        for part in re.split(r"^// name: ", text, flags=re.MULTILINE)[1:]:
            if re.search(r"VECTOR INDEX|vector\.similarity", part):
                called = re.match(r"\w+", part)
                assert called is not None
                found[f"Q.{name.removesuffix('.cypher')}.{called[0]}"] = part
    return found


def key_of(node: ast.AST) -> object:
    """What a subscript reads, where that is written there."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value
    return None


def raw_reads(tree: ast.AST, calibrated: bool = False) -> list[str]:
    """Where a row's score or cosine is read, but for arguments of a calibration."""
    if isinstance(tree, ast.Call) and ast.unparse(tree.func).endswith("similarity"):
        calibrated = True
    found = [] if calibrated or key_of(tree) not in ("score", "cosine") else [ast.unparse(tree)]
    return found + [
        one for each in ast.iter_child_nodes(tree) for one in raw_reads(each, calibrated)
    ]


def constants(node: ast.AST) -> set[object]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)} - {
        "score",
        "cosine",
    }


def test_no_module_compares_a_cosine_with_a_threshold() -> None:
    found = {name: told for name, tree in modules() if (told := raw_comparisons(tree))}
    known = MEASURED.keys() | OTHERS.keys()
    assert {name: told for name, told in found.items() if name not in known} == {}
    assert known <= found.keys(), "a module that is named here compares nothing any more"


def test_no_module_turns_a_score_into_a_cosine_for_itself() -> None:
    found = {name: told for name, tree in modules() if (told := turned_scores(tree))}
    assert {name: told for name, told in found.items() if name not in TURNING} == {}


def test_what_the_vector_index_says_is_calibrated_whatever_it_is_called() -> None:
    """Where a query's score is read, it goes straight into a calibration."""
    queries = vector_queries()
    asking = {
        name: raw_reads(tree)
        for name, tree in modules()
        if any(ast.unparse(n) in queries for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    }
    found = {name for name, told in asking.items() if told}
    assert found == HANDING.keys(), asking


def test_no_query_calls_the_score_of_the_vector_index_a_similarity() -> None:
    called = {
        name: re.findall(r"AS (\w*similar\w*)", text) for name, text in vector_queries().items()
    }
    assert len(called) > 10
    assert {name: told for name, told in called.items() if told} == {}


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("Related(row['page'], similarity=_cosine(row['score']))", ["row['score']"]),
        ("similarity = round(2 * r['score'] - 1, 6)", ["r['score']"]),
        ("Related(row['page'], means.similarity(2 * row['score'] - 1, kinds))", []),
        ("row['uses']", []),
    ],
)
def test_a_raw_score_is_seen_under_another_name(line: str, read: list[str]) -> None:
    assert raw_reads(ast.parse(line)) == read


def test_no_statement_compares_a_score_of_the_vector_index_with_anything() -> None:
    assert {
        (name, line)
        for name, text in QUERIES.items()
        for line in text.splitlines()
        if "VECTOR INDEX" in text and re.search(r"\b(score|cosine)\s*[<>]", line)
    } == set()


@pytest.mark.parametrize(
    "line",
    [
        "near[0].cosine >= SAME",
        "if (n.cosine or 0.0) >= LEAST: pass",
        "[c for c in cosines if c > 0.7 and cosines[c] < 1]",
        "row['cosine'] < LEAST",
        "2 - 2 * row['score'] <= figure",
        "near.distance < 0.2",
        "if best_score > LEAST: pass",
    ],
)
def test_a_raw_comparison_is_seen(line: str) -> None:
    assert raw_comparisons(ast.parse(line))


def test_what_was_calibrated_may_be_compared() -> None:
    for line in ("means.similarity(row['cosine'], kinds) >= LEAST", "similarity >= 0.5"):
        assert raw_comparisons(ast.parse(line)) == []
    assert turned_scores(ast.parse("2 * row['score'] - 1"))
    assert turned_scores(ast.parse("2 * row['uses'] - 1")) == []
