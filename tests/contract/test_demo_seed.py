"""The demo seed is a package that imports whole, and its gold refers to what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.portability.package import open_package
from app.portability.records import AgentRecord, EpisodeRecord, ScopeRecord, SessionRecord
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize

SEED = Path(__file__).parents[2] / "seed" / "demo"
UPDATE_KINDS = {"change", "number", "state", "negation", "correction", "exclusive"}
PERSONAL = {"email": 3, "phone": 3, "iban": 1, "card": 1, "ip": 1}


def lines(name: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (SEED / name).read_bytes().splitlines()]


EPISODES = {record["id"]: record for record in lines("episodes.jsonl")}
UPDATES = lines("gold/updates.jsonl")
NEAR_MISSES = lines("gold/near_misses.jsonl")
QUESTIONS = lines("gold/questions.jsonl")
SIDES = [
    (gold["id"], side)
    for gold, names in [
        *((gold, ("old", "new")) for gold in UPDATES),
        *((gold, ("first", "second")) for gold in NEAR_MISSES),
    ]
    for side in (gold[name] for name in names)
]


def test_the_package_is_what_its_manifest_says() -> None:
    with open_package(SEED) as package:
        assert [file.kind.name for file in package.files] == [
            "scope",
            "agent",
            "session",
            "episode",
        ]
        assert package.manifest.tenants == ("demo",)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("scopes.jsonl", ScopeRecord),
        ("agents.jsonl", AgentRecord),
        ("sessions.jsonl", SessionRecord),
        ("episodes.jsonl", EpisodeRecord),
    ],
)
def test_every_record_has_its_form(name: str, record: Any) -> None:
    for line in lines(name):
        record.model_validate(line)


def test_records_refer_to_what_the_package_holds() -> None:
    scopes = {record["path"] for record in lines("scopes.jsonl")}
    agents = {f"{a['kind']}:demo:{a['name']}": a for a in lines("agents.jsonl")}
    sessions = {(s["scope"], s["key"]) for s in lines("sessions.jsonl")}
    assert {a["home"] for a in agents.values()} <= scopes
    assert {g["scope"] for a in agents.values() for g in a["grants"]} <= scopes
    assert {e["author"] for e in EPISODES.values()} == agents.keys()
    assert {(e["scope"], e["session"]) for e in EPISODES.values()} == sessions
    assert {e["scope"] for e in EPISODES.values()} == scopes


def test_authors_may_write_where_they_speak() -> None:
    for agent in lines("agents.jsonl"):
        held = {agent["home"]} | {g["scope"] for g in agent["grants"] if g["role"] != "reader"}
        author = f"{agent['kind']}:demo:{agent['name']}"
        spoken = {e["scope"] for e in EPISODES.values() if e["author"] == author}
        assert spoken <= held, author


def test_episodes_stand_in_the_order_of_time() -> None:
    moments = [record["captured_at"] for record in EPISODES.values()]
    assert moments == sorted(moments)
    assert len(EPISODES) == len(lines("episodes.jsonl"))


def test_there_are_sixty_updates_of_every_kind_in_both_languages() -> None:
    assert len(UPDATES) == 60
    assert {update["kind"] for update in UPDATES} == UPDATE_KINDS
    assert Counter(update["language"] for update in UPDATES) == {"en": 30, "de": 30}
    assert len({(update["subject"], update["predicate"]) for update in UPDATES}) == 60


def test_the_other_gold_is_large_enough() -> None:
    assert len(NEAR_MISSES) >= 30
    assert len(QUESTIONS) >= 40
    assert {question["language"] for question in QUESTIONS} == {"en", "de"}
    assert {question["cross_lingual"] for question in QUESTIONS} == {True, False}


def test_gold_ids_are_unique() -> None:
    ids = [gold["id"] for gold in (*UPDATES, *NEAR_MISSES, *QUESTIONS)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("gold", "side"), SIDES, ids=[f"{gold}-{side['episode']}" for gold, side in SIDES]
)
def test_a_statement_is_said_and_outlives_sanitising(gold: str, side: dict[str, Any]) -> None:
    said = EPISODES[side["episode"]]["content"]
    assert side["statement"] in said
    assert side["statement"] in sanitize(said, SanitizePolicy()).text


def test_what_is_new_was_said_later() -> None:
    moment = {name: record["captured_at"] for name, record in EPISODES.items()}
    for update in UPDATES:
        assert moment[update["old"]["episode"]] < moment[update["new"]["episode"]], update["id"]
        assert update["old"]["object"] != update["new"]["object"]


def test_questions_are_answered_by_what_is_there() -> None:
    for question in QUESTIONS:
        assert question["gold"]
        assert {*question["gold"], *question["stale"]} <= EPISODES.keys()
        assert not set(question["gold"]) & set(question["stale"])


def test_personal_data_is_found_and_nothing_else_is_touched() -> None:
    cleaned = {name: sanitize(e["content"], SanitizePolicy()) for name, e in EPISODES.items()}
    found: Counter[str] = Counter()
    for result in cleaned.values():
        found.update(result.pii)
        assert result.marker_ids == ()
    assert dict(found) == PERSONAL
    assert sum(result.changed for result in cleaned.values()) == 6
