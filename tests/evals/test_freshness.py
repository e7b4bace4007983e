"""What `python -m bench freshness` imports meanwhile."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from app.portability.kinds import BY_NAME
from bench.beside import slower
from bench.commands import freshness
from bench.freshness import lines, missed


def test_what_is_imported_meanwhile_are_records_and_no_two_are_alike() -> None:
    made = list(lines(1000, ["t/a", "t/b", "t/c"]))
    model = BY_NAME["episode"].model
    records = [model.model_validate(line) for line in made]
    assert len({(line["content"], line["captured_at"]) for line in made}) == len(records) == 1000
    assert [line["scope"] for line in made] == sorted(line["scope"] for line in made)
    assert {line["scope"] for line in made} == {"t/a", "t/b", "t/c"}


def test_what_is_slower_than_twice_is_named() -> None:
    times = {"searches_to_quiet_p95": 2.01, "captures_to_quiet_p95": 2.0}
    found = {"quiet": {"searches": {}, "captures": {}}, "importing": times}
    assert slower(found) == ["importing: searches"]


@pytest.mark.parametrize(
    ("quiet", "busy", "parts"),
    [
        (0.66, 8.05, []),
        (2.0, 10.0, []),
        (2.01, 8.0, ["quiet"]),
        (0.5, 11.2, ["while importing"]),
        (30.0, 30.0, ["quiet", "while importing"]),
    ],
)
def test_a_part_that_is_slower_than_its_aim_is_named(
    quiet: float, busy: float, parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"quiet": {"p95_s": quiet}, "while importing": {"p95_s": busy}}
    assert [one.partition(":")[0] for one in missed(found)] == parts

    def measured(coroutine: Any) -> dict[str, Any]:
        coroutine.close()
        return found

    monkeypatch.setattr("bench.commands.freshness.asyncio.run", measured)
    cli = typer.Typer()
    cli.command()(freshness.eval_freshness)
    done = CliRunner().invoke(cli, [])
    assert done.exit_code == (1 if parts else 0)
    assert json.loads(done.stdout) == found
