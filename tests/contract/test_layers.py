"""The order of the slices is whole: every folder has its layer, the page says the same, and a slice
asks no statement of one that stands above it, save those that are listed."""

from __future__ import annotations

import re
import tomllib

import pytest

from bench.house import OWNERS, foreign, measure
from tests.contract.statements import APP

pytestmark = pytest.mark.one_python  # reads what stands in files

ROOT = APP.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
LAYERS = [
    {name.strip().removeprefix("app.") for name in layer.split("|")}
    for layer in CONTRACTS[0]["layers"]
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ALONE = {"runtime"}  # it knows nothing of the service
ENTRIES = {"client", "asgi", "worker", "cli", "evals", "wiring", "tasks"}
# What a slice asks of a file that a slice above it owns, and why it stays.
UPWARD = {
    ("documents", "lifecycle"): "a document that goes blanks the job that brought it",
    ("facts", "condensed"): "a fact that changes closes the condensed note that has it as a line",
    ("indexing", "retrieval"): "another model drops the vectors of names with all others",
    ("lifecycle", "communities"): "an erasure takes the words out of summaries",
    ("lifecycle", "questions"): "an erasure takes what was asked by or about somebody",
    ("lifecycle", "retrieval"): "an erasure takes names that no passage holds any more",
    ("questions", "search"): "analytics name the knowledge bases that were searched",
}
FOREIGN = 264  # statements that a slice asks of another one's file: fewer are better


def test_every_folder_has_its_layer() -> None:
    slices = {
        path.name for path in APP.iterdir() if path.is_dir() and not path.name.startswith("_")
    }
    assert slices - RANK.keys() == ALONE


def test_what_is_apart_is_apart_from_every_slice() -> None:
    service = RANK.keys() - {"bench", "client", "settings", "errors"}
    embedded, started = CONTRACTS[1], CONTRACTS[2]
    told = {name.removeprefix("app.") for name in embedded["forbidden_modules"]}
    assert service - told <= {"kernel", "jobs", "telemetry"}
    told = {name.removeprefix("app.") for name in started["source_modules"]}
    assert service - told <= {"cli", "evals"}


def test_the_page_has_the_slices_in_their_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("| From top to bottom | Holds |")[1].split("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:]]
    named = [name for row in rows for name in row]
    assert sorted(named) == sorted(RANK.keys() - {"bench"})
    assert [RANK[name] for name in named] == sorted(RANK[name] for name in named)


def test_no_slice_asks_a_statement_of_one_above_it_save_those_listed() -> None:
    asked = {
        (name, file)
        for name, file in foreign(measure(ROOT))
        if RANK.get(OWNERS.get(file, file), 99) < RANK.get(name, 0) and name not in ENTRIES
    }
    assert asked == UPWARD.keys()


def test_no_more_statements_are_asked_across_slices() -> None:
    assert foreign(measure(ROOT)).total() <= FOREIGN
