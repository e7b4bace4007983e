"""The demo seed is a package that imports whole, and its gold refers to what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.indexing.analysis import detect_language
from app.notes.kind import NoteRecord
from app.pages.naming import name_key, path_names
from app.pages.wikilink import prefixed, scan
from app.portability.package import open_package
from app.portability.page_records import PageRecord
from app.portability.records import AgentRecord, EpisodeRecord, ScopeRecord, SessionRecord
from app.portability.skill_records import (
    SkillConflictRecord,
    SkillLinkRecord,
    SkillProposalRecord,
    SkillRecord,
    SkillUsageRecord,
)
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.skills.versioning import slug_of

SEED = Path(__file__).parents[2] / "seed" / "demo"
UPDATE_KINDS = {"change", "number", "state", "negation", "correction", "exclusive"}
PERSONAL = {
    "email": 3, "phone": 3, "iban": 1, "card": 1, "ip": 1, "birth_date": 1, "health": 1,
}  # fmt: skip


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
            "page",
            "episode",
            "note",
            "skill",
            "skill_link",
            "skill_usage",
            "skill_conflict",
            "skill_proposal",
        ]
        assert package.manifest.tenants == ("demo",)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("scopes.jsonl", ScopeRecord),
        ("agents.jsonl", AgentRecord),
        ("sessions.jsonl", SessionRecord),
        ("episodes.jsonl", EpisodeRecord),
        ("pages.jsonl", PageRecord),
        ("notes.jsonl", NoteRecord),
        ("skills.jsonl", SkillRecord),
        ("skill_links.jsonl", SkillLinkRecord),
        ("skill_usages.jsonl", SkillUsageRecord),
        ("skill_conflicts.jsonl", SkillConflictRecord),
        ("skill_proposals.jsonl", SkillProposalRecord),
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


def above(scope: str) -> list[str]:
    """The scopes whose pages a page can link to, its own first."""
    steps = scope.split("/")
    return ["/".join(steps[:n]) for n in range(len(steps), 0, -1)]


def test_links_of_pages_lead_somewhere_but_for_three_that_wait() -> None:
    pages = lines("pages.jsonl")
    borne: dict[str, set[str]] = {scope: set() for page in pages for scope in above(page["scope"])}
    for page in pages:
        names = (page["title"], *page.get("aliases", ()), *path_names(page["path"]))
        borne[page["scope"]].update(name_key(name) for name in names)
    skills = {(s["scope"], name_key(s["name"])) for s in lines("skills.jsonl")}
    agents = {
        (scope, agent["name"])
        for agent in lines("agents.jsonl")
        for scope in (agent["home"], *(grant["scope"] for grant in agent["grants"]))
    }
    waiting = []
    for page in pages:
        for link in scan(page["content"]).links:
            as_page = ("page", link.target.partition("#")[0])
            kind, name = (as_page, *prefixed(link.target))[-1]
            key, scopes = name_key(name), above(page["scope"])
            known = {
                "page": any(key in borne[scope] for scope in scopes),
                "skill": any((scope, key) in skills for scope in scopes),
                "agent": any((scope, name) in agents for scope in scopes),
                "entity": True,  # read out of the talk
            }
            if not known[kind]:
                waiting.append(link.target)
    assert sorted(waiting) == ["A longer antenna", "Weniger Produkte", "Übergabe Eisvogel"]


def test_skills_and_notes_refer_to_what_the_package_holds() -> None:
    agents = {f"{a['kind']}:demo:{a['name']}" for a in lines("agents.jsonl")}
    skills = {s["id"]: s for s in lines("skills.jsonl")}
    notes = {n["id"]: n for n in lines("notes.jsonl")}
    assert all(s["slug"] == slug_of(s["name"]) for s in skills.values())
    for link in lines("skill_links.jsonl"):
        assert link["scope"] == skills[link["skill"]]["scope"]
        assert link["other"] in {**skills, **notes, **dict.fromkeys(agents)}
    for use in lines("skill_usages.jsonl"):
        assert use["version"] in {v["version"] for v in skills[use["skill"]]["versions"]}
        assert use["principal"] in agents
    for conflict in lines("skill_conflicts.jsonl"):
        assert {skills[one]["scope"] for one in conflict["skills"]} == {conflict["scope"]}
    for proposal in lines("skill_proposals.jsonl"):
        assert set(proposal["sources"]) <= notes.keys()
    texts = (
        *notes.values(),
        *skills.values(),
        *lines("pages.jsonl"),
        *lines("skill_proposals.jsonl"),
    )
    assert {text["author"] for text in texts} <= agents


def test_both_languages_are_written_everywhere() -> None:
    for name, field in (("pages", "content"), ("notes", "content"), ("skills", "description")):
        found = Counter(detect_language(line[field]) for line in lines(f"{name}.jsonl"))
        assert min(found["de"], found["en"]) >= 3, name


def test_nothing_that_is_written_is_redacted() -> None:
    said = [page["content"] for page in lines("pages.jsonl")]
    said += [note["content"] for note in lines("notes.jsonl")]
    said += [v["body"] for skill in lines("skills.jsonl") for v in skill["versions"]]
    assert not any(sanitize(text, SanitizePolicy()).changed for text in said)


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
