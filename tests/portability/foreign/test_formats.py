"""Each format is told by its content, and what becomes of it is what the guide says."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from app.pages import front_matter
from app.portability.bundle import text_of
from app.portability.foreign.convert import Foreign, converted
from app.portability.foreign.formats import BY_NAME
from tests.portability.foreign.reading import EXPORTS, SCOPE, became, checked

# file, format, records by kind, what is not kept
TOLD: list[tuple[str, str, dict[str, int], dict[str, int]]] = [
    ("mem0.json", "mem0", {"episode": 2}, {"hash": 1, "score": 1}),
    ("mem0-get-all.json", "mem0", {"episode": 2}, {"total": 1}),
    ("mem0-points.jsonl", "mem0", {"episode": 2}, {"hash": 1}),
    (
        "graphiti.json",
        "graphiti",
        {"episode": 1, "note": 3},
        {
            "name_embedding": 1,
            "entities without a summary": 1,
            "entities.labels": 1,
            "entities.group_id": 1,
            "entities.created_at": 1,
        },
    ),
    (
        "graphiti-neo4j.jsonl",
        "graphiti",
        {"note": 2},
        {"MENTIONS and other links": 1, "id": 3, "start.id": 1, "start.labels": 1, "end.id": 1},
    ),
    (
        "zep.json",
        "zep",
        {"episode": 1, "note": 1},
        {"sessions": 1},
    ),
    (
        "letta.af",
        "letta",
        {"session": 1, "episode": 3, "note": 1},
        {
            "agents.system": 1,
            "system messages": 1,
            "login messages": 1,
            "agents.block_ids": 1,
            "tool_calls.id": 1,
            "tool_calls.type": 1,
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
        {"agent_type": 1, "name": 1, "system": 1, "passages.embedding": 1},
    ),
    ("langgraph.json", "langgraph", {"episode": 2}, {}),
    ("langgraph-rows.jsonl", "langgraph", {"episode": 1}, {}),
    (
        "messages.jsonl",
        "openai-messages",
        {"episode": 4},
        {
            "system messages": 1,
            "messages.tool_calls": 1,
            "messages.content.image_url": 1,
        },
    ),
    ("messages-one.json", "openai-messages", {"episode": 2}, {}),
    (
        "chatgpt.json",
        "chatgpt",
        {"session": 1, "episode": 2},
        {
            "messages of other branches": 1,
            "image_asset_pointer in messages": 1,
        },
    ),
    (
        "claude.json",
        "claude",
        {"session": 1, "episode": 2},
        {},
    ),
    ("table.csv", "csv", {"episode": 2}, {}),
    ("okf", "okf", {"page": 2}, {"index.md and log.md": 1}),
    (
        "cogx",
        "cogx",
        {"episode": 4, "note": 3},
        {"raw nodes": 1},
    ),
    (
        "zep-thread.json",
        "zep",
        {"episode": 3},
        {"total_count": 1, "row_count": 1, "user_id": 1},
    ),
    ("zep-graph.json", "graphiti", {"episode": 1, "note": 3}, {}),
    (
        "chatgpt-tools.json",
        "chatgpt",
        {"session": 1, "episode": 5},
        {
            "thoughts in messages": 1,
            "message.status": 1,
            "message.weight": 1,
            "message.recipient": 1,
            "message.content": 1,
        },
    ),
    (
        "chatgpt-pictures.json",
        "chatgpt",
        {"session": 1, "episode": 2},
        {
            "system messages": 1,
            "user_editable_context in messages": 1,
            "message.is_user_system_message": 1,
            "message.weight": 1,
            "message.content": 1,
            "image_asset_pointer in messages": 1,
            "audio_transcription.direction in messages": 1,
        },
    ),
    (
        "claude-tools.json",
        "claude",
        {"session": 1, "episode": 2},
        {
            "text.start_timestamp in messages": 1,
            "text.stop_timestamp in messages": 1,
            "thinking in messages": 1,
            "tool_use in messages": 1,
            "tool_result in messages": 1,
            "chat_messages.text": 1,
        },
    ),
    (
        "claude-files.json",
        "claude",
        {"session": 1, "episode": 1},
        {"chat_messages.attachments": 1},
    ),
    ("cogx-talks", "cogx", {"episode": 2, "note": 1}, {"system messages": 1}),
    (
        "cogx-blocks",
        "cogx",
        {"episode": 1, "note": 2},
        {"entities without a description": 1, "entity.entity_type": 1, "entity.created_at": 1},
    ),
    ("table.tsv", "csv", {"episode": 2}, {}),
    ("table-semicolons.csv", "csv", {"episode": 2}, {}),
    ("okf-plain", "okf", {"page": 1}, {"index.md and log.md": 2}),
    ("okf-scripts", "okf", {"page": 2}, {}),
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


def test_a_message_of_a_thread_keeps_its_speaker_its_time_and_its_thread() -> None:
    first, second, third = became(EXPORTS / "zep-thread.json")[0]["episode"]
    assert (first["session"], first["role"], first["speaker"]) == ("t-1", "user", "Wilma Tarrant")
    assert first["captured_at"] == "2025-05-02T09:00:00+00:00"
    assert (first["tags"], first["metadata"]) == (
        ["channel:app"],
        {"processed": True, "channel": "app"},
    )
    assert (second["role"], second["speaker"]) == ("assistant", "Scout")
    assert third["speaker"] == "norole"


def test_an_edge_of_a_graph_is_told_by_ids_of_either_spelling() -> None:
    *_, edge = became(EXPORTS / "zep-graph.json")[0]["note"]
    assert edge["title"] == "Wilma Tarrant LIVES_IN Harrow Hill"
    assert edge["metadata"]["attributes"] == {"since": "spring"}


def test_code_output_and_a_quotation_say_what_they_are() -> None:
    lines = became(EXPORTS / "chatgpt-tools.json")[0]["episode"]
    assert [(e["role"], e.get("speaker"), e["content"]) for e in lines[1:4]] == [
        ("assistant", None, "len(open('hives.csv').readlines())"),
        ("tool", "python", "12"),
        ("tool", "browser", "Twelve hives are a small apiary."),
    ]
    assert lines[1]["metadata"]["content"] == {"language": "python", "content_type": "code"}
    assert lines[3]["metadata"]["content"]["url"] == "https://example.org/hives"
    assert lines[0]["metadata"]["conversation"]["is_starred"] is True
    assert "conversation" not in lines[1]["metadata"]


def test_a_table_with_tabs_or_semicolons_is_read() -> None:
    first, second = became(EXPORTS / "table.tsv")[0]["episode"]
    assert (first["content"], first["speaker"]) == ("The hives are green.", "wilma")
    assert second["captured_at"] == "2025-03-02T09:01:00+00:00"
    (first, second) = became(EXPORTS / "table-semicolons.csv")[0]["episode"]
    assert (first["content"], first["title"]) == ("Twelve; by the river.", "Hives")
    assert first["metadata"] == {"weight": "1,5", "mood": "calm"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("events", {"kind": "remark", "data": {"lang": "en"}}),
        ("letters", {"read": True}),
    ],
)
def test_a_mapping_leads_into_what_is_nested_and_keeps_the_rest(
    name: str, said: dict[str, Any]
) -> None:
    lines, told = became(EXPORTS / f"{name}.jsonl", mapping=EXPORTS / f"{name}.mapping.json")
    first = lines["episode"][0]
    assert (first["speaker"], first["metadata"]) == ("wilma", said)
    assert told["lost"] == {}


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
    assert hives["tags"] == [
        "bees", "garden", "type:reference", "status:deprecated", "stale-after:2026-09-23",
    ]  # fmt: skip
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


NOTED = "2026-03-02T09:00:00+00:00"  # when the file was changed last
HELD = "2026-05-01T11:22:33+00:00"


@pytest.mark.parametrize(
    ("said", "own", "ended", "known"),
    [
        ("status: stable", {}, None, None),
        ("stale_after: 2026-09-23", {}, "2026-09-23T00:00:00+00:00", NOTED),
        ("status: deprecated", {}, NOTED, NOTED),
        ("stale_after: 2026-05-01", {"valid_to": HELD}, HELD, None),
        ("stale_after: 2026-04-01", {"valid_to": HELD}, "2026-04-01T00:00:00+00:00", NOTED),
        ("status: deprecated", {"valid_to": HELD}, NOTED, NOTED),
        (
            "status: deprecated\nstale_after: 2026-02-01",
            {"valid_to": "2026-02-01T08:00:00+00:00", "standing": "superseded"},
            "2026-02-01T08:00:00+00:00",
            None,
        ),
        ("stale_after: soon", {}, "soon", NOTED),  # for the import to refuse
    ],
)
def test_a_note_of_ours_ends_as_its_front_matter_says(
    said: str, own: dict[str, str], ended: str | None, known: str | None, tmp_path: Path
) -> None:
    mark = json.dumps({"kind": "note", "id": "n", "scope": SCOPE, **own})
    path = tmp_path / "a.md"
    path.write_text(f"---\ntype: Note\n{said}\nloci: {mark}\n---\nA text.")
    with converted(Foreign(tmp_path, SCOPE, at=datetime.fromisoformat(NOTED))) as package:
        note = json.loads(package.files[0].path.read_bytes())
    assert (note.get("valid_to"), note.get("superseded_at")) == (ended, known)


@pytest.mark.parametrize(("word", "told"), [("verified", True), ("disproved", False)])
def test_a_learning_that_somebody_verified_says_so(word: str, told: bool) -> None:
    stats = {"checked": word, "checked_by": "user:mill:wilma", "checked_at": NOTED}
    moment = datetime.fromisoformat(NOTED)
    record = {"id": "n", "scope": SCOPE, "content": "A text.", "valid_from": moment, "stats": stats}
    said = front_matter.values(text_of("note", record, okf=True))
    assert said.get("verified") == ({"by": "human:wilma", "at": NOTED} if told else None)


@pytest.mark.parametrize("name", ["cogx", "graphiti.json"])
def test_of_what_ended_the_end_is_known(name: str) -> None:
    """Else it would be read as what still holds."""
    notes = became(EXPORTS / name)[0]["note"]
    ended = [note for note in notes if "valid_to" in note]
    assert ended
    assert all("superseded_at" in note for note in ended)


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


def test_a_vault_is_told_which_command_takes_it(tmp_path: Path) -> None:
    (tmp_path / "Hives.md").write_text("# Hives\n\nBy the [[river]].\n")
    with pytest.raises(InvalidInput, match="`loci page import`") as refused:
        became(tmp_path)
    assert refused.value.field == "path"


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
