"""Nothing is lost without a word: each value of an export is in a record, or its loss is told."""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.portability.foreign.tables import USUAL
from tests.portability.foreign.reading import EXPORTS, became

Steps = tuple[str | int, ...]
# What only holds a file together: which node follows on which, and which kind of line is which.
FRAME = {"parent", "children", "current_node", "kind"}
JSON = (".json", ".af", ".jsonl")


def leaves(value: Any, at: Steps = ()) -> Iterator[Steps]:
    """The places of all values that say something."""
    if isinstance(value, dict | list):
        named = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in named:
            yield from leaves(inner, (*at, name))
    elif value not in (None, ""):
        yield at


def other(value: Any) -> Any:
    """A value of the same sort that says something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    try:
        return (datetime.fromisoformat(value) + timedelta(days=1)).isoformat()
    except ValueError:
        return f"{value}q"


def altered(whole: Any, at: Steps, change: Callable[[Any, str | int], None]) -> Any:
    """A copy in which something was done to one place."""
    made = copy.deepcopy(whole)
    held = made
    for step in at[:-1]:
        held = held[step]
    change(held, at[-1])
    return made


def put(held: Any, name: str | int) -> None:
    held[name] = other(held[name])


def drop(held: Any, name: str | int) -> None:
    del held[name]


Told = tuple[Any, dict[str, int]]


def silent(whole: Any, read: Callable[[Any], Told]) -> list[Steps]:
    """The places whose values nobody would miss: another value there gives the same records and
    the same losses, and neither the value nor anything that holds it is told as lost."""
    records, lost = read(whole)

    def told(at: Steps) -> bool:
        without = read(altered(whole, at, drop))
        return without[0] == records and without[1] != lost

    return [
        at
        for at in leaves(whole)
        if not FRAME & set(at)
        and read(altered(whole, at, put)) == (records, lost)
        and not any(told(at[:size]) for size in range(len(at), 0, -1))
    ]


def reader(path: Path, write: Callable[[Any], bytes], form: str) -> Callable[[Any], Told]:
    """What a file becomes that holds the given value, told by its format from before."""

    def read(value: Any) -> Told:
        replace(path, write(value))
        lines, told = became(path, form)
        return lines, told["lost"]

    return read


def replace(path: Path, text: bytes) -> None:
    """Write a file of one moment, which is that of what has none of its own."""
    path.write_bytes(text)
    os.utime(path, (1_740_906_000, 1_740_906_000))


def lines_of(values: list[Any]) -> bytes:
    return b"\n".join(orjson.dumps(value) for value in values)


def files() -> list[Path]:
    """The examples that are JSON."""
    found = (p for p in sorted(EXPORTS.iterdir()) if p.suffix in JSON)
    mapped = {p.name.split(".")[0] for p in EXPORTS.glob("*.mapping.json")}
    return [p for p in found if p.name.split(".")[0] not in mapped]


@pytest.mark.parametrize("source", files(), ids=lambda path: path.name)
def test_each_value_of_an_export_is_kept_or_told(source: Path, tmp_path: Path) -> None:
    form = became(source)[1]["format"]
    lined = source.suffix == ".jsonl"
    text = source.read_bytes()
    whole = [orjson.loads(line) for line in text.splitlines()] if lined else orjson.loads(text)
    whole = orjson.loads(whole) if isinstance(whole, str) else whole  # encoded twice
    read = reader(tmp_path / source.name, lines_of if lined else orjson.dumps, form)
    assert silent(whole, read) == []


@pytest.mark.parametrize("folder", sorted(EXPORTS.glob("cogx*")), ids=lambda path: path.name)
def test_each_value_of_a_folder_is_kept_or_told(folder: Path, tmp_path: Path) -> None:
    kinds = {p.name: p.read_bytes() for p in folder.iterdir()}
    for name, text in kinds.items():
        (tmp_path / name).write_bytes(text)
    for name, text in kinds.items():
        if not name.endswith(".jsonl"):
            continue

        def read(value: Any, name: str = name) -> Told:
            replace(tmp_path / name, lines_of(value))
            os.utime(tmp_path, (1_740_906_000, 1_740_906_000))
            lines, told = became(tmp_path)
            return lines, told["lost"]

        whole = [orjson.loads(line) for line in text.splitlines()]
        assert silent(whole, read) == [], name
        (tmp_path / name).write_bytes(text)


CHATS = [
    (folder, name)
    for folder, names in (
        ("chatgpt-parts", ("conversations-000.json", "conversations-001.json")),
        ("claude-export", ("conversations.json", "projects.json", "memories.json")),
    )
    for name in names
]


@pytest.mark.parametrize(("folder", "name"), CHATS)
def test_each_value_of_an_export_of_chats_is_kept_or_told(
    folder: str, name: str, tmp_path: Path
) -> None:
    copied = Path(shutil.copytree(EXPORTS / folder, tmp_path / folder))

    def read(value: Any) -> Told:
        replace(copied / name, orjson.dumps(value))
        os.utime(copied, (1_740_906_000, 1_740_906_000))
        lines, told = became(copied, form)
        return lines, told["lost"]

    form = became(copied)[1]["format"]
    assert silent(orjson.loads((copied / name).read_bytes()), read) == []


@pytest.mark.parametrize("source", sorted(EXPORTS.glob("*.?sv")), ids=lambda path: path.name)
def test_each_cell_of_a_table_is_kept_or_told(source: Path, tmp_path: Path) -> None:
    text = source.read_text(encoding="utf-8-sig")
    between = max(",;\t", key=text.splitlines()[0].count)
    head, *rows = csv.reader(io.StringIO(text), delimiter=between)
    assert {name.lower() for name in head} & set(USUAL["content"])

    def written(value: Any) -> bytes:
        made = io.StringIO()
        csv.writer(made, delimiter=between).writerows([head, *value])
        return made.getvalue().encode()

    read = reader(tmp_path / source.name, written, "csv")
    assert silent(rows, read) == []


def test_what_a_mapping_leaves_is_kept(tmp_path: Path) -> None:
    mapping = EXPORTS / "diary.mapping.json"
    entry = {"entry": {"said": "Wilma keeps bees.", "mood": {"now": "calm"}}, "who": "wilma"}
    path = tmp_path / "diary.jsonl"
    path.write_bytes(orjson.dumps(entry))
    lines, told = became(path, mapping=mapping)
    assert lines["episode"][0]["metadata"] == {"entry": {"mood": {"now": "calm"}}}
    assert told["lost"] == {}


LONG = "z" * 20_000
OTHERS = {"agent_id": "scout", "role": "narrator"}
DEEP: Any = {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": 1}}}}}}}}
BEYOND: list[tuple[dict[str, Any], dict[str, Any], dict[str, int]]] = [
    ({"place": {"row": 4}}, {"place": {"row": 4}}, {}),
    ({"metadata": {"mood": "calm", "by": None}}, {"mood": "calm"}, {}),
    ({"metadata": "calm"}, {"metadata": "calm"}, {}),
    ({"score": 0.5, "hash": "a"}, {}, {"score": 1, "hash": 1}),
    ({"page": LONG, "line": 3}, {"line": 3}, {"page": 1}),
    ({"metadata": {"page": LONG, "line": 3}}, {"line": 3}, {"metadata.page": 1}),
    ({"metadata": {"deep": DEEP}}, {}, {"metadata.deep": 1}),
    ({"metadata": {"sum": 2**70}}, {}, {"metadata.sum": 1}),
    ({"mood": "calm", "metadata": {"mood": "glad"}}, {"mood": "glad"}, {"mood": 1}),
    ({"user_id": "w", "agent_id": "scout", "role": "narrator"}, OTHERS, {}),
    ({"categories": ["food", 7, "t" * 65]}, {"tags": [7, "t" * 65]}, {}),
    ({"categories": [f"t{n}" for n in range(33)]}, {"tags": ["t32"]}, {}),
    ({"user_id": "w" * 300, "run_id": "r"}, {}, {"user_id": 1}),
]


@pytest.mark.parametrize(("given", "kept", "lost"), BEYOND)
def test_what_has_no_field_of_ours_is_kept_within_bounds(
    given: dict[str, Any], kept: dict[str, Any], lost: dict[str, int], tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": "m", "memory": "Wilma keeps bees.", **given}]))
    lines, told = became(path)
    assert lines["episode"][0].get("metadata", {}) == kept
    assert told["lost"] == lost
