"""`loci table` on the real graph."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Command, Principal
from tests.tables.conftest import Make, cells

CSV = 'name,n,ok,revenue,since\nAda,5,true,12.50,2026-01-01\n"Böll, Bo",,FALSE,,\n'


async def test_a_file_is_imported_listed_and_asked(
    command: Command, writer: Principal, make: Make, tmp_path: Path
) -> None:
    scope, file = writer.caller.home, tmp_path / "in.csv"
    file.write_text(CSV, encoding="utf-8-sig")
    missing = await command("table", "import", scope, "people", str(file))
    assert missing.exit_code != 0
    columns = ["name:text", "n:integer", "ok:boolean", "revenue:decimal", "since:date"]
    more = [word for each in columns for word in ("--column", each)]
    more += ["--key", "name"]
    for said in ("2 inserted, 0 updated, 0 unchanged", "0 inserted, 0 updated, 2 unchanged"):
        result = await command("table", "import", scope, "people", str(file), *more)
        assert result.exit_code == 0, result.output
        assert said in result.output
    assert await cells(writer, "people") == [
        {"name": "Ada", "n": 5, "ok": True, "revenue": "12.5", "since": "2026-01-01"},
        {"name": "Böll, Bo", "n": None, "ok": False, "revenue": None, "since": None},
    ]
    listed = await command("table", "list", scope)
    assert "people" in listed.output
    assert "revenue decimal" in listed.output
    asked = '{"aggregates": [{"function": "sum", "column": "revenue"}]}'
    told = json.loads((await command("table", "query", scope, "people", asked, "--json")).output)
    assert told["items"][0]["untrusted"]["cells"] == {"sum(revenue)": "12.5"}
    shown = await command("table", "query", scope, "people")
    assert "Böll, Bo" in shown.output
    assert "2 of 2" in shown.output


async def test_a_bad_file_names_the_row_and_a_bad_question_is_told(
    command: Command, writer: Principal, make: Make, tmp_path: Path
) -> None:
    await make("customers")
    scope, file = writer.caller.home, tmp_path / "in.csv"
    for text, said in (
        ("name,revenue\nA,1\nB,much\n", "row 2, revenue"),
        ("name,none\nA,1\n", "row 1, none"),
        ("name,revenue\nA\n", "row 1 has"),
        ("name,revenue\nA,1,2\n", "row 1 has"),
    ):
        file.write_text(text, encoding="utf-8")
        result = await command("table", "import", scope, "customers", str(file))
        assert result.exit_code != 0
        assert said in str(result.exception)
    assert await cells(writer, "customers") == []
    for asked in ("x", "[]", '{"limit": 0}', '{"sort": [{"column": "none"}]}'):
        result = await command("table", "query", scope, "customers", asked)
        assert result.exit_code != 0
