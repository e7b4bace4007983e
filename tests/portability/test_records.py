"""What one line may say: pure, without a graph."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.portability.derived import clean_tags_of
from app.portability.kind import At, Rules
from app.portability.prepare import Chunk, Prepared, prepare_chunk
from app.portability.service import Order

RULES = Rules(run="r", moment=datetime(2026, 1, 1, tzinfo=UTC), keeps=False, importer="user:a:b")
EPISODE = {"scope": "acme/dev", "session": "s", "content": "We ship on Fridays."}
NOTE = {
    "id": "n1",
    "scope": "acme/dev",
    "namespace": "methods",
    "entry_type": "method",
    "content": "Check the seal before the pump.",
    "valid_from": "2026-01-01T00:00:00Z",
}
LARGE = 2**63


def prepared(kind: str, record: dict[str, Any], rules: Rules = RULES) -> Prepared:
    """What becomes of one line that an import over HTTP brings."""
    lines: list[bytes | None] = [json.dumps(record).encode()]
    return prepare_chunk(Chunk(kind, f"{kind}s.jsonl", 1, lines, 1), rules, {})


@pytest.mark.parametrize(
    "stats",
    [
        {"scope": "victim/board"},
        {"tenant": "victim", "memory_id": "another"},
        {"content": "unclean", "kind": "fact", "author": "user:acme:boss"},
    ],
)
def test_further_properties_of_a_note_change_nothing_of_what_it_is(stats: dict[str, Any]) -> None:
    plain, hostile = prepared("note", NOTE), prepared("note", {**NOTE, "stats": stats})
    assert plain.rows == hostile.rows != []


def test_a_further_property_is_kept_and_what_ends_in_at_is_a_moment() -> None:
    (row,) = prepared("note", {**NOTE, "stats": {"seen_at": "2026-01-02T01:00:00+01:00"}}).rows
    assert row["properties"]["seen_at"] == datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("said", ["yesterday", "2026-01-02", "0001-01-01T00:00:00+05:00"])
def test_a_further_property_that_is_no_moment_is_a_reject(said: str) -> None:
    (reject,) = prepared("note", {**NOTE, "stats": {"seen_at": said}}).rejects
    assert (reject.reason, reject.field) == ("InvalidInput", "stats")


@pytest.mark.parametrize("said", [20260302, 1.7e9, "20260302", " 1772442000 ", "-1", True])
def test_a_number_is_no_moment(said: object) -> None:
    (reject,) = prepared("episode", {**EPISODE, "captured_at": said}).rejects
    assert (reject.reason, reject.field) == ("InvalidInput", "captured_at")
    assert reject.detail.startswith("captured_at: a moment is written in ISO 8601")


@pytest.mark.parametrize(
    ("kind", "record", "field"),
    [
        ("episode", {**EPISODE, "stats": {"attempts": LARGE}}, "stats.attempts"),
        ("note", {**NOTE, "version": LARGE}, "version"),
        ("note", {**NOTE, "confirmations": LARGE}, "confirmations"),
    ],
)
def test_a_number_that_the_graph_cannot_hold_is_a_reject(
    kind: str, record: dict[str, Any], field: str
) -> None:
    (reject,) = prepared(kind, record).rejects
    assert (reject.reason, reject.field) == ("InvalidInput", field)


@pytest.mark.parametrize(("content", "reason"), [(" \n", "EmptyText"), (5, "InvalidInput")])
def test_a_refused_text_names_its_field(content: object, reason: str) -> None:
    (reject,) = prepared("episode", {**EPISODE, "content": content}).rejects
    assert (reject.reason, reject.field) == (reason, "content")


@pytest.mark.parametrize("line", [b"[1, 2]", b'"text"', b"null", b"7"])
def test_a_line_that_is_no_object_says_so(line: bytes) -> None:
    (reject,) = prepare_chunk(Chunk("episode", "e.jsonl", 1, [line], 1), RULES, {}).rejects
    assert reject.detail == "the line is no JSON object"


@pytest.mark.parametrize("levels", [150, 300, 500])
def test_what_is_nested_too_deeply_is_a_reject(levels: int) -> None:
    deep: dict[str, Any] = {}
    for _ in range(levels):
        deep = {"a": deep}
    (reject,) = prepared("episode", {**EPISODE, "assertion": deep}).rejects
    assert (reject.reason, reject.detail) == ("InvalidInput", "the line is nested too deeply")


def test_rejects_of_the_folder_at_hand_lie_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    beside = tmp_path.with_name(f"{tmp_path.name}.rejects.jsonl")
    assert Order(Path()).rejects_path == Order(tmp_path).rejects_path == beside


def test_tags_of_a_record_lose_what_may_not_be_kept() -> None:
    tags = ("ada@example.org", "garden", "+491705551234")
    at = At(RULES, 1, {})
    assert clean_tags_of(tags, "a/dev", at) == ("[email]", "garden", "[phone]")


CHECKED = {"checked": "verified", "checked_by": "user:acme:ada", "checked_at": NOTE["valid_from"]}


def test_an_older_package_tells_of_a_check_among_the_further_properties() -> None:
    older, newer = {**NOTE, "stats": {**CHECKED, "heat": 0.5}}, {**NOTE, **CHECKED}
    vouched = replace(RULES, vouched=True)
    (row,) = prepared("note", older, vouched).rows
    assert row["properties"].pop("heat") == 0.5
    assert prepared("note", newer, vouched).rows == [row]
    assert row["properties"]["checked_by"] == "user:acme:ada"


def test_nobody_who_is_not_vouched_for_says_what_others_checked() -> None:
    checks = {**CHECKED, "checks": ["verified user:acme:ada"]}
    claimed = prepared("note", {**NOTE, **checks}, replace(RULES, vouched=False)).rows
    assert claimed == prepared("note", NOTE, replace(RULES, vouched=False)).rows != []


def test_an_event_may_name_all_that_an_erasure_of_a_large_document_took() -> None:
    payload = json.dumps({"ids": [f"{number:032x}" for number in range(2_000)]})
    assert len(payload) > 70_000
    event = {
        "id": "a1",
        "tenant": "acme",
        "scope": "acme/dev",
        "kind": "erase",
        "outcome": "done",
        "actor": "user:acme:ada",
        "at": "2026-01-01T00:00:00Z",
        "payload": payload,
    }
    done = prepared("audit", event)
    assert done.rejects == []
    assert done.rows[0]["event"]["payload"] == payload
