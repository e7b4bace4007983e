"""Each format is told by its content, and what becomes of it is what the guide says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from app.portability.foreign.convert import Foreign, converted
from app.portability.foreign.formats import BY_NAME
from tests.portability.foreign.reading import EXPORTS, SCOPE, became, checked

# file, format, records by kind, what is not kept
TOLD: list[tuple[str, str, dict[str, int], dict[str, int]]] = [
    ("mem0.json", "mem0", {"episode": 2}, {"updated_at": 1, "expiration_date": 1}),
    ("mem0-get-all.json", "mem0", {"episode": 2}, {"total": 1}),
    ("mem0-points.jsonl", "mem0", {"episode": 2}, {}),
    (
        "graphiti.json",
        "graphiti",
        {"episode": 1, "note": 3},
        {"source": 1, "entity_edges": 1, "episodes": 1, "entities without a summary": 1},
    ),
    ("graphiti-neo4j.jsonl", "graphiti", {"note": 2}, {"MENTIONS and other links": 1}),
    (
        "zep.json",
        "zep",
        {"episode": 1, "note": 1},
        {"sessions": 1, "token_count": 1, "rating": 1},
    ),
    (
        "letta.af",
        "letta",
        {"session": 1, "episode": 3, "note": 1},
        {
            "agents.agent_type": 1,
            "agents.system": 1,
            "system messages": 1,
            "login messages": 1,
            "blocks.limit": 1,
            "empty blocks": 1,
            "tools": 1,
            "metadata": 1,
            "created_at": 1,
        },
    ),
    (
        "letta-old.af",
        "letta",
        {"episode": 2, "note": 1},
        {"agent_type": 1, "name": 1, "system": 1},
    ),
    ("langgraph.json", "langgraph", {"episode": 2}, {"updated_at": 1}),
    ("langgraph-rows.jsonl", "langgraph", {"episode": 1}, {}),
    (
        "messages.jsonl",
        "openai-messages",
        {"episode": 4},
        {
            "system messages": 1,
            "messages.tool_calls": 1,
            "messages.content.image_url": 1,
            "metadata": 1,
        },
    ),
    ("messages-one.json", "openai-messages", {"episode": 2}, {}),
    (
        "chatgpt.json",
        "chatgpt",
        {"session": 1, "episode": 2},
        {
            "default_model_slug": 1,
            "messages of other branches": 1,
            "image_asset_pointer in messages": 1,
        },
    ),
    (
        "claude.json",
        "claude",
        {"session": 1, "episode": 2},
        {"account": 1, "chat_messages.attachments": 1},
    ),
    ("table.csv", "csv", {"episode": 2}, {"metadata.remarks": 1}),
    ("okf", "okf", {"page": 2}, {"index.md and log.md": 1}),
    (
        "cogx",
        "cogx",
        {"episode": 4, "note": 3},
        {"document.mime_type": 1, "raw nodes": 1, "entity.aliases": 1},
    ),
]


@pytest.mark.parametrize(("name", "format", "kinds", "lost"), TOLD, ids=[row[0] for row in TOLD])
def test_a_file_is_recognised_and_what_is_lost_is_told(
    name: str, format: str, kinds: dict[str, int], lost: dict[str, int]
) -> None:
    lines, told = became(EXPORTS / name)
    assert told["format"] == format
    assert {kind: len(found) for kind, found in lines.items()} == kinds
    assert told["lost"] == lost
    assert {record["scope"] for found in lines.values() for record in found} == {SCOPE}
    taken, rejects = checked(EXPORTS / name)
    assert (taken, rejects) == (sum(kinds.values()), [])


@pytest.mark.parametrize("name", [row[0] for row in TOLD])
def test_a_file_read_twice_is_the_same_to_the_letter(name: str) -> None:
    assert became(EXPORTS / name) == became(EXPORTS / name)


def test_a_run_is_known_again_until_the_file_changes(tmp_path: Path) -> None:
    """A run that was killed goes on from its marks: they are of these bytes."""
    path = tmp_path / "export.json"
    marks: list[str] = []
    for name in ("mem0.json", "mem0.json", "mem0-get-all.json"):
        if not marks or name != "mem0.json":
            path.write_bytes((EXPORTS / name).read_bytes())
        with converted(Foreign(path, SCOPE)) as package:
            marks.append(package.fingerprint)
    assert marks[0] == marks[1] != marks[2]


def test_every_format_has_an_example() -> None:
    assert {row[1] for row in TOLD} | {"jsonl"} == set(BY_NAME)


def test_a_memory_of_mem0_keeps_its_user_its_time_and_its_labels() -> None:
    first, second = became(EXPORTS / "mem0.json")[0]["episode"]
    assert first["content"] == "Wilma Tarrant prefers rye bread."
    assert first["speaker"] == first["session"] == "wilma"
    assert first["captured_at"] == first["ingested_at"] == "2025-03-02T17:00:00.123456+00:00"
    assert first["tags"] == ["food", "likes-and-dislikes", "category:food", "source:chat"]
    assert second["session"] == "r-7"
    assert first["id"] != second["id"]


def test_a_relation_of_mem0_becomes_a_triple() -> None:
    _, relation = became(EXPORTS / "mem0-get-all.json")[0]["episode"]
    assert relation["content"] == "wilma lives in harrow hill."
    named = {"subject": "wilma", "predicate": "lives_in", "object": "harrow hill"}
    assert relation["triples"] == [named]


def test_an_edge_of_graphiti_keeps_both_clocks() -> None:
    _, ended, held = became(EXPORTS / "graphiti.json")[0]["note"]
    assert ended["title"] == "Wilma Tarrant RUNS Harrow Mill"
    clocks = ("valid_from", "valid_to", "ingested_at", "superseded_at", "standing")
    assert [ended[name] for name in clocks] == [
        "2024-05-01T00:00:00+00:00",
        "2025-02-01T00:00:00+00:00",
        "2025-01-03T00:00:00+00:00",
        "2025-02-03T00:00:00+00:00",
        "superseded",
    ]
    # Without a time of its own, an edge holds from when it was known.
    assert held["valid_from"] == held["ingested_at"] == "2025-01-03T00:00:00+00:00"
    assert not {"valid_to", "superseded_at", "standing"} & held.keys()


def test_an_episode_of_graphiti_says_when_it_was_said_and_when_it_was_known() -> None:
    (episode,) = became(EXPORTS / "graphiti.json")[0]["episode"]
    assert episode["captured_at"] == "2025-01-02T08:00:00+00:00"
    assert episode["ingested_at"] == "2025-01-03T00:00:00+00:00"
    assert (episode["session"], episode["title"]) == ("g1", "team chat")


def test_moments_of_a_dump_of_neo4j_are_read() -> None:
    entity, edge = became(EXPORTS / "graphiti-neo4j.jsonl")[0]["note"]
    assert entity["valid_from"] == "2025-01-01T00:00:00+00:00"
    assert (edge["valid_from"], edge["ingested_at"]) == (
        "2024-05-01T00:00:00+00:00",
        "2025-01-03T00:00:00+00:00",
    )


def test_what_an_agent_of_letta_said_is_taken_out_of_its_calls() -> None:
    lines, _ = became(EXPORTS / "letta.af")
    said = [(e["role"], e["content"]) for e in lines["episode"]]
    assert said[:2] == [("user", "I keep bees."), ("assistant", "How many hives?")]
    (block,) = lines["note"]
    assert (block["title"], block["content"]) == ("human", "Wilma keeps bees.")


def test_a_conversation_of_chatgpt_follows_its_current_branch() -> None:
    lines, _ = became(EXPORTS / "chatgpt.json")
    assert [(e["role"], e["content"]) for e in lines["episode"]] == [
        ("user", "Where are the hives?"),
        ("assistant", "By the river."),
    ]
    (session,) = lines["session"]
    assert session["metadata"] == {"title": "Hives", "from": "chatgpt"}


def test_without_a_current_node_the_last_leaf_ends_the_branch(tmp_path: Path) -> None:
    (chat,) = json.loads((EXPORTS / "chatgpt.json").read_text())
    del chat["current_node"]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]))
    lines, _ = became(tmp_path)
    assert [e["content"] for e in lines["episode"]] == ["Where are the hives?", "By the river."]


def test_branches_that_close_to_a_ring_end(tmp_path: Path) -> None:
    (chat,) = json.loads((EXPORTS / "chatgpt.json").read_text())
    chat["mapping"]["n0"]["parent"] = "n3"
    path = tmp_path / "chats.json"
    path.write_text(json.dumps([chat]))
    assert len(became(path)[0]["episode"]) == 2


def test_a_concept_of_okf_keeps_its_front_matter() -> None:
    hives, keeper = became(EXPORTS / "okf")[0]["page"]
    assert hives["content"] == (EXPORTS / "okf/tables/hives.md").read_text()
    assert hives["tags"] == ["bees", "garden", "type:reference", "status:deprecated"]
    assert hives["updated_at"] == "2026-05-28T14:30:00+00:00"
    assert (keeper["title"], keeper["path"]) == ("keeper", "tables/keeper.md")


@pytest.mark.parametrize(
    ("scope", "kept"),
    [(SCOPE, True), (f"{SCOPE}/user:wilma", True), ("mill/rivers", False), ("mill", False)],
)
def test_what_a_bundle_says_of_its_scope_holds_below_that_of_the_import(
    scope: str, kept: bool, tmp_path: Path
) -> None:
    mark = json.dumps({"kind": "note", "id": "n", "scope": scope})
    (tmp_path / "a.md").write_text(f"---\ntype: Note\nloci: {mark}\n---\nA text.")
    (note,) = became(tmp_path)[0]["note"]
    assert (note["scope"], note["id"] == "n") == (scope if kept else SCOPE, kept)
    assert note["content"] == "A text."


def test_a_fact_of_cogx_is_told_by_the_names_of_its_ends() -> None:
    _, fact, _ = became(EXPORTS / "cogx")[0]["note"]
    assert fact["title"] == fact["content"] == "Wilma Tarrant keeps bees"
    assert fact["valid_to"] == "2025-01-01T00:00:00+00:00"


def test_a_mapping_says_which_field_is_which() -> None:
    lines, told = became(EXPORTS / "diary.jsonl", mapping=EXPORTS / "diary.mapping.json")
    first, second = lines["episode"]
    assert told == {"format": "jsonl", "items": 2, "lost": {}}
    assert (first["content"], first["speaker"]) == ("Wilma keeps bees.", "wilma")
    assert first["tags"] == ["mood:calm"]
    # Seconds and milliseconds since 1970.
    assert first["captured_at"] == "2025-03-02T09:00:00+00:00"
    assert second["captured_at"] == "2025-03-02T09:01:00+00:00"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("1740906000", "2025-03-02T09:00:00+00:00"),
        ("1740906000000", "2025-03-02T09:00:00+00:00"),
        ("2025-03-02 10:00:00+01:00", "2025-03-02T09:00:00+00:00"),
        ("2025-03-02", "2025-03-02T00:00:00+00:00"),
        ("20260302", "20260302"),  # for the import to refuse
        ("soon", "soon"),
    ],
)
def test_a_moment_of_a_table_is_read(given: str, read: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,date\nWilma keeps bees.,{given}\n")
    assert became(path)[0]["episode"][0]["captured_at"] == read


@pytest.mark.parametrize(
    "mapping", [{"content": 1}, {"id": "a"}, {"content": "a", "author": "b"}, [1], "x"]
)
def test_a_mapping_that_is_none_is_refused(mapping: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(mapping))
    with pytest.raises(InvalidInput) as refused:
        became(EXPORTS / "diary.jsonl", mapping=path)
    assert refused.value.field == "mapping"


def test_the_format_can_be_named() -> None:
    lines, told = became(EXPORTS / "langgraph-rows.jsonl", format="jsonl")
    assert told["format"] == "jsonl"
    assert lines["episode"][0]["content"] is None  # for the import to refuse


def test_lines_of_no_known_shape_need_a_mapping() -> None:
    with pytest.raises(InvalidInput, match="no format that is known"):
        became(EXPORTS / "diary.jsonl")


def test_a_scope_is_needed() -> None:
    with (
        pytest.raises(InvalidInput) as refused,
        converted(Foreign(EXPORTS / "mem0.json", None)),
    ):
        pass
    assert refused.value.field == "scope"


def test_ids_differ_from_scope_to_scope() -> None:
    with converted(Foreign(EXPORTS / "mem0.json", "mill/other")) as package:
        other = json.loads(package.files[0].path.read_bytes().splitlines()[0])
    assert other["id"] != became(EXPORTS / "mem0.json")[0]["episode"][0]["id"]
