"""What commands print where no terminal shows it."""

from __future__ import annotations

import io

import pytest

from app.cli.console import Console
from app.cli.tables import listing

ID = "01a20059-91aa-77e8-b10f-dc903a8eb4ff"


@pytest.mark.parametrize("terminal", [{}, {"TERM": "dumb", "FORCE_COLOR": "1"}])
def test_a_table_in_a_log_is_not_folded(
    monkeypatch: pytest.MonkeyPatch, terminal: dict[str, str]
) -> None:
    for name in ("COLUMNS", "TERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in terminal.items():
        monkeypatch.setenv(name, value)
    log = io.StringIO()
    table = listing("id", "statement", "scope")
    table.add_row(ID, "Nora Feld lives in the old town of Oldenburg.", "demo/greenhouse")
    Console(file=log).print(table)
    assert any(ID in line and "Oldenburg. " in line for line in log.getvalue().splitlines())
    monkeypatch.setenv("COLUMNS", "70")
    narrow = io.StringIO()
    Console(file=narrow).print(table)
    assert ID in narrow.getvalue()
    assert max(map(len, narrow.getvalue().splitlines())) <= 70 + 40  # with codes of colours
