"""Tables of the commands: an id is whole, since it is what the next command is given."""

from __future__ import annotations

import ast
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from app.cli import communities, key_commands, search
from app.cli.tables import listing

ID = "01a20060-dd26-7469-be25-0da957e3f9f6"
KEY = "loci_01a20060dd267469be25_" + "q" * 43
CLI = Path(communities.__file__).parent
LONG = "a long statement that does not fit beside it at all"


def drawn(table: Any, width: int) -> str:
    """What a terminal of so many characters shows."""
    shown = Console(width=width, file=io.StringIO())
    shown.print(table)
    assert isinstance(shown.file, io.StringIO)
    return shown.file.getvalue()


def test_an_id_is_shown_whole_however_narrow_the_terminal() -> None:
    table = listing("id", "fact")
    table.add_row(ID, LONG)
    assert ID in drawn(table, 50)


def test_a_search_shows_ids() -> None:
    hit = {
        "id": ID,
        "kind": "note",
        "rank": 1,
        "relevance": 0.83,
        "score": 1.0,
        "score_band": "high",
        "legs": {"keyword": {"rank": 2}, "vector": {"rank": 1}},
        "captured_at": "2026-06-19T10:00:00Z",
        "role": "user",
        "possible_changes": [],
        "untrusted": {"speaker": "", "text": LONG},
    }
    for width in (60, 80, 120):
        assert ID in drawn(search.table({"hits": [hit]}), width)


def test_the_ids_of_communities_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"title": LONG, "lines": [LONG]}
    file = io.StringIO()
    monkeypatch.setattr(communities, "console", Console(width=60, file=file))
    communities._shown({"pass": None, "items": [{"id": ID, "size": 3, "untrusted": told}]})
    assert ID in file.getvalue()


def test_a_key_that_is_shown_once_loses_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(key_commands, "console", Console(width=60, file=file))
    key_commands.show({"id": ID, "key": KEY}, False, "Shown this once")
    assert ID in file.getvalue()
    letters = "".join(line.split("│")[2].strip() for line in file.getvalue().splitlines()[2:-1])
    assert KEY in letters


def named(node: ast.AST) -> bool:
    """Whether code reads an id."""
    return any(
        (isinstance(one, ast.Attribute) and one.attr == "id")
        or (isinstance(one, ast.Constant) and one.value in ("id", "key", "community"))
        for one in ast.walk(node)
    )


def test_no_table_of_the_commands_cuts_an_id() -> None:
    """Whatever shows an id makes its table by `listing` or `pairs`: a bare one cuts it."""
    bare, whole = [], 0
    for file in sorted(CLI.glob("*.py")):
        for function in ast.walk(ast.parse(file.read_text())):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            calls = [one for one in ast.walk(function) if isinstance(one, ast.Call)]
            made = {one.func.id for one in calls if isinstance(one.func, ast.Name)}
            rows = [
                one
                for one in calls
                if isinstance(one.func, ast.Attribute) and one.func.attr == "add_row"
            ]
            ids = any(named(argument) for one in rows for argument in one.args)
            whole += ids and "listing" in made
            if ids and "Table" in made:
                bare.append(f"{file.name}: {function.name}")
    assert bare == []
    assert whole > 10
