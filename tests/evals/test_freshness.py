"""What `python -m bench freshness` imports meanwhile."""

from __future__ import annotations

from app.portability.kinds import BY_NAME
from bench.beside import slower
from bench.freshness import lines


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
