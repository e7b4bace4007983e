"""Each format is told by its content, and what becomes of it is what the guide says."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from app.kernel.ids import digest
from app.kernel.leaf import leaf_of
from app.pages import front_matter
from app.portability.bundle import text_of
from app.portability.foreign.convert import Foreign, converted
from app.portability.foreign.formats import BY_NAME
from app.portability.foreign.scripts import turns
from tests.portability.foreign.reading import EXPORTS, SCOPE, became, checked

# file, format, records by kind, what is not kept
TOLD: list[tuple[str, str, dict[str, int], dict[str, int]]] = [
    ("mem0.json", "mem0", {"episode": 2}, {"hash": 1, "score": 1}),
    ("mem0-get-all.json", "mem0", {"episode": 2}, {"total": 1}),
    ("mem0-points.jsonl", "mem0", {"episode": 2}, {"hash": 1}),
    (
        "mem0-scroll.json",
        "mem0",
        {"episode": 2},
        {"hash": 1, "result.next_page_offset": 1, "status": 1, "time": 1},
    ),
    (
        "mem0-openmemory.json",
        "mem0",
        {"episode": 2},
        {
            "user.name": 1,
            "user.created_at": 1,
            "user.updated_at": 1,
            "apps.owner_id": 1,
            "apps.is_active": 1,
            "apps.created_at": 1,
            "apps.updated_at": 1,
            "categories.description": 1,
            "categories.created_at": 1,
            "categories.updated_at": 1,
            "deleted memories": 1,
            "memory_categories": 1,
            "status_history": 1,
            "export_meta": 1,
        },
    ),
    ("mem0-openmemory.jsonl", "mem0", {"episode": 2}, {}),
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
        {"episode": 3, "note": 3},
        {
            "MENTIONS and other links": 2,
            "other nodes": 1,
            "entities without a summary": 1,
            "entities.labels": 1,
            "entities.group_id": 1,
            "entities.created_at": 1,
            "id": 8,
            "start.id": 4,
            "start.labels": 4,
            "end.id": 4,
            "end.labels": 4,
        },
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
        {"session": 1, "episode": 2, "note": 1},
        {
            "agents.in_context_message_ids": 1,
            "receipts of what was said": 1,
            "tool calls": 1,
            "messages.inner_monologue": 1,
            "messages.type": 2,
            "agents.system": 1,
            "system messages": 1,
            "login messages": 1,
            "agents.block_ids": 1,
            "tool_calls.id": 1,
            "tool_calls.type": 1,
            "empty blocks": 1,
            "tools": 1,
            "metadata": 1,
        },
    ),
    (
        "letta-old.af",
        "letta",
        {"episode": 2, "note": 1},
        {"agent_type": 1, "system": 1, "passages.embedding": 1},
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
        {"total_count": 1, "row_count": 1},
    ),
    ("zep-graph.json", "graphiti", {"episode": 1, "note": 3}, {}),
    (
        "chatgpt-tools.json",
        "chatgpt",
        {"session": 1, "episode": 4},
        {
            "messages to tools": 1,
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
        {"session": 1, "episode": 2},
        {},
    ),
    (
        "letta-v1.af",
        "letta",
        {"session": 1, "episode": 2, "note": 1},
        {
            "agents.system": 1,
            "agents.block_ids": 1,
            "agents.in_context_message_ids": 1,
            "system messages": 1,
            "reasoning in messages": 1,
            "metadata": 1,
        },
    ),
    ("zep-thread-2.json", "zep", {"episode": 2}, {"total_count": 1, "row_count": 1}),
    ("zep-memory.json", "zep", {"episode": 1, "note": 4}, {"context": 1}),
    (
        "messages-calls.jsonl",
        "openai-messages",
        {"episode": 3},
        {"messages.function_call": 1, "messages.refusal": 1},
    ),
    (
        "messages-bare.json",
        "openai-messages",
        {"episode": 3},
        {"developer messages": 1, "messages.content.input_image": 1},
    ),
    ("messages-bare.jsonl", "openai-messages", {"episode": 5}, {"system messages": 1}),
    ("messages-timed.jsonl", "openai-messages", {"episode": 4}, {}),
    ("messages-file.json", "openai-messages", {"episode": 3}, {}),
    (
        "chatgpt-parts",
        "chatgpt",
        {"session": 2, "episode": 4, "note": 2},
        {
            "system messages": 1,
            "hidden messages": 3,
            "model_editable_context.id": 2,
            "model_editable_context.content_type": 2,
            "model_editable_context.author": 2,
            "model_editable_context.status": 2,
            "model_editable_context.weight": 2,
            "model_editable_context.recipient": 2,
            "messages to tools": 1,
            "user.json": 1,
            "files (*.html)": 1,
        },
    ),
    (
        "claude-export",
        "claude",
        {"session": 2, "episode": 5, "note": 2},
        {
            "project.name": 1,
            "project.created_at": 1,
            "project.is_private": 1,
            "project.creator": 1,
            "messages of other branches": 2,
            "users.json": 1,
        },
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
        {"processed": True, "channel": "app", "user_id": "wilma"},
    )
    assert (second["role"], second["speaker"]) == ("assistant", "Scout")
    assert third["speaker"] == "norole"


def test_an_edge_of_a_graph_is_told_by_ids_of_either_spelling() -> None:
    *_, edge = became(EXPORTS / "zep-graph.json")[0]["note"]
    assert edge["title"] == "Wilma Tarrant LIVES_IN Harrow Hill"
    assert edge["metadata"]["attributes"] == {"since": "spring"}


def test_output_of_code_and_a_quotation_say_what_they_are() -> None:
    lines = became(EXPORTS / "chatgpt-tools.json")[0]["episode"]
    assert [(e["role"], e.get("speaker"), e["content"]) for e in lines[1:3]] == [
        ("tool", "python", "12"),
        ("tool", "browser", "Twelve hives are a small apiary."),
    ]
    assert lines[1]["metadata"]["content"] == {"content_type": "execution_output"}
    assert lines[2]["metadata"]["content"]["url"] == "https://example.org/hives"
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


LISTED = {
    "ref": "t-4",
    "messages": [
        {"text": "Where are the hives?", "at": "2025-03-02T09:00:00Z", "mood": "calm"},
        {"text": "By the river."},
    ],
    "by": [["wilma", "ole"]],
    "0": "a name of an object",
}
LED: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({"content": "messages.0.text", "captured_at": "messages.0.at", "speaker": "by.0.0"},
     {"ref": "t-4", "messages": [{"mood": "calm"}, {"text": "By the river."}],
      "by": [["ole"]], "0": "a name of an object"}),
    ({"content": "messages.1.text", "speaker": "by.0.1", "title": "messages.0.mood"},
     {"ref": "t-4", "messages": [{"text": "Where are the hives?", "at": "2025-03-02T09:00:00Z"}],
      "by": [["wilma"]], "0": "a name of an object"}),
    ({"content": "0", "title": "messages.7.text", "session": "by.-1", "id": "messages.x"}, LISTED),
]  # fmt: skip


@pytest.mark.parametrize(("mapping", "rest"), LED)
def test_a_mapping_leads_into_lists(
    mapping: dict[str, str], rest: dict[str, Any], tmp_path: Path
) -> None:
    """By numbers from 0 on; what a path leads to is no metadata, and everything else is."""
    path, beside = tmp_path / "talks.jsonl", tmp_path / "mapping.json"
    path.write_text(json.dumps(LISTED))
    beside.write_text(json.dumps(mapping))
    (episode,) = became(path, mapping=beside)[0]["episode"]
    found: Any = LISTED
    for step in mapping["content"].split("."):
        found = found[int(step)] if isinstance(found, list) else found[step]
    assert episode["content"] == found
    assert episode.get("speaker") == {"by.0.0": "wilma", "by.0.1": "ole"}.get(
        mapping.get("speaker", "")
    )
    assert episode["metadata"] == {n: v for n, v in rest.items() if n != mapping["content"]}


def test_a_memory_of_mem0_keeps_its_user_its_time_and_its_labels() -> None:
    first, second = became(EXPORTS / "mem0.json")[0]["episode"]
    assert first["content"] == "Wilma Tarrant prefers rye bread."
    assert first["speaker"] == first["session"] == "wilma"
    # The words are of the last update; mem0 keeps the moment of the first ones beside.
    assert first["captured_at"] == first["ingested_at"] == "2025-03-03T17:00:00+00:00"
    assert first["metadata"]["created_at"] == "2025-03-02T09:00:00.123456-08:00"
    assert first["tags"] == ["food", "likes-and-dislikes", "category:food", "source:chat"]
    assert second["session"] == "r-7"
    assert first["id"] != second["id"]


def test_a_memory_of_openmemory_goes_by_names_and_is_hidden_where_it_is_not_active() -> None:
    active, archived = became(EXPORTS / "mem0-openmemory.json")[0]["episode"]
    assert active["content"] == "Wilma Tarrant prefers dark honey."
    assert active["speaker"] == active["session"] == "wilma", "not the id of the user there"
    assert active["captured_at"] == "2025-06-03T09:30:00+00:00"
    assert active["tags"] == ["likes-and-dislikes", "source:chat"]
    assert active["metadata"]["app"] == "cursor"
    assert active["metadata"]["category_ids"] == ["c1d2e3f4-0000-4000-8000-00000000ffff"]
    assert "expired_at" not in active
    assert archived["expired_at"] == "2025-07-01T00:00:00+00:00"
    assert archived["metadata"]["state"] == "archived"
    _, paused = became(EXPORTS / "mem0-openmemory.jsonl")[0]["episode"]
    assert paused["expired_at"] == paused["captured_at"] == "2025-06-05T10:00:00+00:00"


def test_users_of_openmemory_are_known_wherever_they_stand(tmp_path: Path) -> None:
    """By their own ids, also behind the memories, and behind more of them than are looked at."""
    whole = json.loads((EXPORTS / "mem0-openmemory.json").read_text())
    whole["categories"] = [{"id": str(n), "name": f"c{n}"} for n in range(70)] + whole["categories"]
    path = tmp_path / "memories.json"
    path.write_text(json.dumps(whole))
    assert scopes(path, "mem0") == [f"{SCOPE}/user:wilma"] * 2
    assert became(path)[1]["format"] == "mem0"
    path.write_text(json.dumps(dict(reversed(whole.items()))))
    assert scopes(path, "mem0") == [f"{SCOPE}/user:wilma"] * 2


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
    entity, edge, _ = became(EXPORTS / "graphiti-neo4j.jsonl")[0]["note"]
    assert entity["valid_from"] == "2025-01-01T00:00:00+00:00"
    assert (edge["valid_from"], edge["ingested_at"]) == (
        "2024-05-01T00:00:00+00:00",
        "2025-01-03T00:00:00+00:00",
    )


def test_what_an_agent_of_letta_said_is_taken_out_of_its_calls() -> None:
    lines, _ = became(EXPORTS / "letta.af")
    said = [(e["role"], e["content"]) for e in lines["episode"]]
    assert said == [("user", "I keep bees."), ("assistant", "How many hives?")]
    thought = lines["episode"][1]["metadata"]["inner_monologue"]
    assert thought == "A keeper of bees. I should ask how many hives there are."
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
    moment = datetime.fromisoformat(NOTED)
    check = {"checked": word, "checked_by": "user:mill:wilma", "checked_at": moment}
    record = {"id": "n", "scope": SCOPE, "content": "A text.", "valid_from": moment, **check}
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


def test_an_agent_that_needs_no_tool_to_speak_says_what_it_says() -> None:
    """Of a file that is encoded twice."""
    lines, _ = became(EXPORTS / "letta-v1.af")
    assert [(e["role"], e["content"]) for e in lines["episode"]] == [
        ("user", "The orchard gate sticks."),
        ("assistant", "Oil its hinge."),
    ]


def test_numbers_of_an_export_name_nothing_beyond_it(tmp_path: Path) -> None:
    """Each export of Letta numbers its messages and blocks anew."""
    whole = json.loads((EXPORTS / "letta.af").read_text())
    kept = {e["content"]: e["id"] for e in became(EXPORTS / "letta.af")[0]["episode"]}
    messages = whole["agents"][0]["messages"]
    for number, message in enumerate(messages):
        message["id"] = f"message-{number + 7}"
    path = tmp_path / "later.af"
    path.write_text(json.dumps(whole))
    assert {e["content"]: e["id"] for e in became(path)[0]["episode"]} == kept
    whole["agents"][0]["name"] = "rover"
    path.write_text(json.dumps(whole))
    others = {e["id"] for e in became(path)[0]["episode"]}
    assert not others & set(kept.values())


def test_a_block_is_the_one_of_its_label_that_its_agent_has(tmp_path: Path) -> None:
    """Two of one label, and one of nobody, are told apart by what they say."""

    def ids(agents: list[dict[str, Any]], *blocks: dict[str, Any]) -> list[str]:
        path = tmp_path / "agents.af"
        path.write_text(json.dumps({"agents": agents, "blocks": blocks}))
        return [note["id"] for note in became(path)[0]["note"]]

    def block(number: int, value: str, label: str = "human") -> dict[str, Any]:
        return {"id": f"block-{number}", "label": label, "value": value}

    scout = {"name": "scout", "block_ids": ["block-0", "block-1"]}
    rover = {"name": "rover", "block_ids": ["block-2"]}
    first = ids([scout, rover], block(0, "Bees."), block(1, "Calm.", "persona"), block(2, "Bees."))
    assert len(set(first)) == 3
    assert ids([rover, scout], block(2, "Wasps."), block(0, "Hives.")) == [first[2], first[0]]
    twice = ids([scout], block(0, "Bees."), block(1, "Hives."))
    assert twice[0] == first[0] != twice[1]
    nobody = [
        ids([{"name": "scout"}], block(0, value))[0] for value in ("Bees.", "Bees.", "Hives.")
    ]
    assert nobody[0] == nobody[1] != nobody[2]
    assert not {*nobody} & {*first}


@pytest.mark.parametrize("apart", [{"name": "rover"}, {"created_at": "2025-05-01T00:00:00Z"}, {}])
def test_a_former_agent_goes_by_its_name_and_its_beginning(
    apart: dict[str, Any], tmp_path: Path
) -> None:
    """Of a file that tells neither, by its first message, which stays when others come."""
    path = tmp_path / "agent.af"

    def talk(*said: str, **told: Any) -> tuple[str, list[str]]:
        messages = [{"role": "user", "text": text} for text in said]
        path.write_text(json.dumps({"agent_type": "x", "messages": messages, **told}))
        episodes = became(path)[0]["episode"]
        assert len({episode["session"] for episode in episodes}) == 1
        return episodes[0]["session"], [episode["id"] for episode in episodes]

    own = {"name": "scout", "created_at": "2025-03-01T00:00:00Z"} if apart else {}
    key, ids = talk("I keep bees.", **own)
    later, more = talk("I keep bees.", "And wasps.", **own)
    assert (later, more[:1]) == (key, ids)
    other, others = talk("I keep bees." if apart else "I keep geese.", **{**own, **apart})
    assert other != key
    assert not {*others} & {*more}


def test_a_log_of_one_growing_conversation_is_one_conversation(tmp_path: Path) -> None:
    """Each request to a model has all that was said before."""
    said = [("user", "Which oil?"), ("assistant", "Linseed."), ("user", "Why?"),
            ("assistant", "It dries.")]  # fmt: skip
    messages = [{"role": role, "content": text} for role, text in said]
    path = tmp_path / "log.jsonl"
    told = [
        {"messages": [{"role": "system", "content": f"At {n}."}, *messages[:n]]} for n in (2, 4)
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in told))
    episodes = became(path)[0]["episode"]
    assert len({episode["session"] for episode in episodes}) == 1
    assert [e["id"] for e in episodes[:2]] == [e["id"] for e in episodes[2:4]]
    assert len({e["id"] for e in episodes}) == 4


def test_ends_of_a_dump_go_by_any_of_their_ids() -> None:
    _, known, told = became(EXPORTS / "graphiti-neo4j.jsonl")[0]["note"]
    assert known["title"] == "Wilma Tarrant RUNS Harrow Mill"  # by ids of Neo4j
    assert told["title"] == "Harrow Mill BELONGS_TO Wilma Tarrant"  # by source_uuid, target_uuid


def test_an_episode_of_messages_becomes_its_turns() -> None:
    said = became(EXPORTS / "graphiti-neo4j.jsonl")[0]["episode"]
    assert [(e["role"], e["content"]) for e in said] == [
        ("user", "I run the mill now.\nSince May."),
        ("assistant", "Which mill?"),
        ("user", "Harrow Mill."),
    ]
    assert {e["session"] for e in said} == {"g1"}
    assert [e["captured_at"] for e in said] == sorted({e["captured_at"] for e in said})
    (named,) = became(EXPORTS / "graphiti.json")[0]["episode"]
    assert (named["speaker"], named["content"]) == ("wilma", "I run the mill now.")


SCRIPTS: list[tuple[str, list[tuple[str, str | None, str]] | None]] = [
    ("Nora: Hello.\nOle: Hi.", [("user", "Nora", "Hello."), ("user", "Ole", "Hi.")]),
    ("Nora (user): Hello.", [("user", "Nora", "Hello.")]),
    ("Scout (assistant): Hello.", [("assistant", "Scout", "Hello.")]),
    ("user: Buy:\n- rye\nNote: soon", [("user", None, "Buy:\n- rye\nNote: soon")]),
    ("user: a\n\nassistant: b", [("user", None, "a"), ("assistant", None, "b")]),
    ("Human: a\nwhatever\nAI: b", [("user", None, "a\nwhatever"), ("assistant", None, "b")]),
    ("No script at all.", None),
    ("http://example.org is down\nuser: a", None),
    ("at 10:30 we met", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "told"), SCRIPTS)
def test_a_script_is_read_turn_by_turn(
    text: str, told: list[tuple[str, str | None, str]] | None
) -> None:
    found = turns(text)
    said = None if found is None else [(t.role, t.speaker, t.content) for t in found]
    assert said == told


def test_threads_that_name_none_stay_apart() -> None:
    first = {e["session"] for e in became(EXPORTS / "zep-thread-2.json")[0]["episode"]}
    second = {e["session"] for e in became(EXPORTS / "zep-memory.json")[0]["episode"]}
    assert len(first) == len(second) == len(first ^ second) - 1 == 1


def test_facts_that_are_texts_and_a_summary_become_notes() -> None:
    notes = became(EXPORTS / "zep-memory.json")[0]["note"]
    assert [(n.get("title"), n["content"]) for n in notes] == [
        (None, "Wilma has twelve hives."),
        (None, "Wilma sells honey at the market."),
        ("Wilma MOVED_TO Harrow Hill", "Wilma moved to Harrow Hill."),
        ("Summary", "Wilma speaks of honey."),
    ]


def test_a_folder_of_conversations_of_chatgpt_is_one_export() -> None:
    lines, _ = became(EXPORTS / "chatgpt-parts")
    assert [(e["role"], e["content"], e["captured_at"][:19]) for e in lines["episode"]] == [
        ("user", "The weir is in flood.", "2026-01-01T00:00:01"),
        ("assistant", "Move the hives up.", "2026-01-01T00:00:04"),
        ("user", "Done.", "2026-01-01T00:00:04"),  # the last known moment
        ("user", "What did the van fetch?", "2026-01-02T00:00:01"),
    ]


def test_what_chatgpt_remembers_becomes_notes_once() -> None:
    notes = became(EXPORTS / "chatgpt-parts")[0]["note"]
    assert [(n["content"], n["valid_from"][:10]) for n in notes] == [
        ("Keeps bees by the weir.", "2025-11-04"),
        ("Sold the blue van.", "2025-12-01"),
    ]


def test_a_conversation_of_claude_follows_its_last_branch() -> None:
    lines, _ = became(EXPORTS / "claude-export")
    assert [e["content"] for e in lines["episode"] if e["session"] == "k9"] == [
        "Is the weir open?",
        "It is open until June.",
        "The lock shuts at six.",  # a pasted text, of a message that has no other
        "Then be there by five.",
    ]


def test_a_message_whose_parent_is_gone_follows_the_one_before(tmp_path: Path) -> None:
    (chat,) = json.loads((EXPORTS / "claude-export" / "conversations.json").read_text())
    chat["chat_messages"][3:4] = []
    chat["chat_messages"][3]["parent_message_uuid"] = "gone"
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]))
    assert len(became(path)[0]["episode"]) == 4


def test_what_claude_remembers_and_documents_of_projects_are_read() -> None:
    lines, _ = became(EXPORTS / "claude-export")
    assert [(n.get("title"), n["content"]) for n in lines["note"]] == [
        (None, "Wilma Tarrant looks after the weir."),
        ("River works", "The weir is to be mended in spring."),
    ]
    (document,) = [e for e in lines["episode"] if e["session"] == "pr-9"]
    assert (document["title"], document["content"]) == ("weir.md", "The weir was built in 1911.")
    assert document["metadata"]["project"]["prompt_template"] == "Answer in one line."


def test_a_profile_that_was_put_again_is_of_that_moment() -> None:
    first, second = became(EXPORTS / "langgraph.json")[0]["episode"]
    assert first["captured_at"] == "2025-03-02T09:00:00+00:00"
    assert second["captured_at"] == "2025-03-09T09:00:00+00:00"
    assert second["metadata"]["created_at"] == "2025-03-02T09:00:00Z"


def test_what_lapses_says_until_when_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    items = [{"memory": "Wilma borrows a ladder.", "expiration_date": "2025-04-01"}]
    path.write_text(json.dumps(items))
    (episode,) = became(path)[0]["episode"]
    assert episode["expired_at"] == "2025-04-02T00:00:00+00:00"  # the day itself is a part of it


USERS: list[tuple[Any, list[str]]] = [
    ([{"memory": "a", "user_id": "wilma"}, {"memory": "b", "user_id": "ole"}, {"memory": "c"}],
     ["/user:wilma", "/user:ole", ""]),
    ([{"namespace": ["memories", "wilma"], "key": "k", "value": {"text": "a"}},
      {"namespace": ["ole", "memories"], "key": "k", "value": {"text": "b"}},
      {"namespace": ["docs"], "key": "k", "value": {"text": "c"}}],
     ["/user:wilma", "/user:ole", ""]),
    ([{"prefix": "users.wilma", "key": "k", "value": {"text": "a"}}], ["/user:wilma"]),
    ([{"namespace": ["acme", "users", "wilma"], "key": "k", "value": {"text": "a"}},
      {"namespace": ["memories", "users", "ole"], "key": "k", "value": {"text": "b"}}],
     ["/user:wilma", "/user:ole"]),
    ({"nodes": [{"uuid": "n", "labels": ["Entity"], "name": "Mill", "summary": "a",
                 "group_id": "wilma"},
                {"uuid": "m", "labels": ["Entity"], "name": "Weir", "summary": "b",
                 "group_id": "_"}],
      "edges": [{"uuid": "f", "fact": "c", "group_id": "ole"}]},
     ["/user:wilma", "", "/user:ole"]),
    ({"nodes": [{"uuid": "e", "labels": ["Episodic"], "content": "ole: I row.\nada: I sail.",
                 "source": "message", "group_id": "ole"}], "edges": []},
     ["/user:ole", "/user:ole"]),
    ({"messages": [{"uuid": "z", "role_type": "user", "content": "a", "session_id": "s1"},
                   {"uuid": "y", "role_type": "user", "content": "b", "session_id": "s2"},
                   {"uuid": "x", "role_type": "user", "content": "c", "user_id": "ada"}],
      "sessions": [{"session_id": "s1", "user_id": "wilma"}], "user_id": "ole"},
     ["/user:wilma", "/user:ole", "/user:ada"]),
    ({"edges": [{"uuid_": "f", "fact": "a", "name": "N"}], "nodes": [], "user_id": "wilma"},
     ["/user:wilma"]),
    ([{"user": "wilma", "messages": [{"role": "user", "content": "a"}]},
      {"metadata": {"user_id": "ole"}, "messages": [{"role": "user", "content": "b"}]},
      {"messages": [{"role": "user", "content": "c"}]}],
     ["/user:wilma", "/user:ole", ""]),
    ([{"role": "user", "content": "a", "user_id": "wilma"}, {"role": "assistant", "content": "b"}],
     ["/user:wilma", ""]),
    ({"messages": [{"role": "user", "content": "a"}], "user": "wilma"}, ["/user:wilma"]),
    ([{"uuid": "c", "account": {"uuid": "wilma"}, "chat_messages": [
        {"uuid": "m", "sender": "human", "text": "a"}]},
      {"uuid": "d", "account": {"uuid": "ole"}, "chat_messages": [
        {"uuid": "n", "sender": "human", "text": "b"}]}],
     ["/user:wilma", "/user:ole"]),
]  # fmt: skip


@pytest.mark.parametrize(("items", "leaves"), USERS)
def test_users_are_told_and_kept_apart(items: Any, leaves: list[str], tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(items))
    lines, told = became(path)
    assert {e["scope"] for found in lines.values() for e in found} == {SCOPE}
    assert (told["users"], told.get("apart")) == (len(set(leaves) - {""}), None)
    assert scopes(path, told["format"]) == [f"{SCOPE}{leaf}" for leaf in leaves]


def scopes(path: Path, form: str, mapping: Path | None = None) -> list[str]:
    """Where what is told of goes where users are kept apart."""
    with converted(Foreign(path, SCOPE, form, mapping, users=True)) as package:
        assert package.told is not None
        assert package.told["apart"] is True
        shared = package.told["shared"]
        files = [file for file in package.files if file.kind.name != "session"]
        texts = [text for file in files for text in file.path.read_bytes().splitlines()]
    found = [str(json.loads(text)["scope"]) for text in texts]
    assert shared == found.count(SCOPE)
    return found


def test_users_of_a_table_and_of_lines_are_kept_apart(tmp_path: Path) -> None:
    table = tmp_path / "export.csv"
    table.write_text("text,user_id,speaker\na,wilma,W\nb,ole,O\nc,,O\n")
    assert scopes(table, "csv") == [f"{SCOPE}/user:wilma", f"{SCOPE}/user:ole", SCOPE]
    first = became(table)[0]["episode"][0]
    assert (first["speaker"], first["metadata"]) == ("W", {"user_id": "wilma"})
    mapping, lines = tmp_path / "mapping.json", tmp_path / "export.jsonl"
    lines.write_text('{"said": "a", "by": {"id": "wilma"}}\n{"said": "b", "by": {"id": "ole"}}\n')
    mapping.write_text('{"content": "said", "user": "by.id"}')
    assert scopes(lines, "jsonl", mapping) == [f"{SCOPE}/user:wilma", f"{SCOPE}/user:ole"]
    first = became(lines, "jsonl", mapping)[0]["episode"][0]
    assert first["metadata"] == {"by": {"id": "wilma"}}


def test_users_of_cogx_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"cogx_version": "0.1"}')
    items = [{"external_id": u, "content": u, "scope": {"user_id": u}} for u in ("wilma", "ole")]
    (tmp_path / "memories.jsonl").write_text("\n".join(map(json.dumps, items)))
    assert scopes(tmp_path, "cogx") == [f"{SCOPE}/user:wilma", f"{SCOPE}/user:ole"]


def test_each_format_keeps_users_apart_or_says_that_it_has_none() -> None:
    kept = {form for form, chosen in BY_NAME.items() if chosen.user is not None}
    assert set(BY_NAME) - kept == {"letta", "chatgpt", "okf"}
    for name, form in (("letta.af", "letta"), ("chatgpt.json", "chatgpt"), ("okf", "okf")):
        with (
            pytest.raises(InvalidInput) as refused,
            converted(Foreign(EXPORTS / name, SCOPE, users=True)),
        ):
            pass
        assert refused.value.field == "users"
        assert f"{form} has no field that names a user" in str(refused.value)
        assert "mem0 (user_id)" in str(refused.value)


UNOWNED: list[tuple[str, str, Any]] = [
    ("mem0", "user_id", [{"memory": "a"}, {"memory": "b", "user_id": ""}]),
    ("langgraph", "namespace", [{"namespace": ["docs"], "key": "k", "value": {"text": "a"}}]),
    ("graphiti", "group_id", [{"uuid": "f", "fact": "a", "group_id": ""}]),
    ("zep", "user_id", {"messages": [{"uuid": "m", "role_type": "user", "content": "a"}]}),
    ("openai-messages", "user", [{"messages": [{"role": "user", "content": "a"}]}]),
    ("claude", "account", [{"uuid": "c", "chat_messages": [
        {"uuid": "m", "sender": "human", "text": "a"}]}]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "field", "items"), UNOWNED)
def test_a_file_in_which_nobody_is_named_is_refused_where_users_are_to_be_kept_apart(
    form: str, field: str, items: Any, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(items))
    assert became(path)[1]["format"] == form
    with pytest.raises(InvalidInput) as refused, converted(Foreign(path, SCOPE, users=True)):
        pass
    assert refused.value.field == "users"
    assert f"{form} names a user by {field}" in str(refused.value)


def test_a_table_and_lines_in_which_nobody_is_named_are_refused(tmp_path: Path) -> None:
    for name, text, form in (
        ("table.csv", "text\na\n", "csv"),
        ("lines.jsonl", '{"content": "a", "who": "wilma"}\n', "jsonl"),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / "mapping.json").write_text('{"content": "content", "speaker": "who"}')
        mapping = tmp_path / "mapping.json" if form == "jsonl" else None
        order = Foreign(tmp_path / name, SCOPE, form, mapping, users=True)
        with pytest.raises(InvalidInput, match="`user` of a mapping"), converted(order):
            pass


IDS = ["Alice", "alice", "alice@example.com", "auth0|12", "+49 170 1234567", "Élodie", "日本",
       "a" * 200]  # fmt: skip


def test_users_of_any_id_have_leaves_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"memory": "Rows.", "user_id": user} for user in IDS]))
    assert checked(path, users=True) == (len(IDS), [])
    found = scopes(path, "mem0")
    assert len(set(found)) == len(IDS)
    assert found == [f"{SCOPE}/user:{leaf_of(user)}" for user in IDS]
    with converted(Foreign(path, SCOPE, users=True)) as package:
        wanted = {f"{SCOPE}/user:{leaf_of(user)}": user for user in IDS if user != "alice"}
        assert package.names == wanted


def test_what_is_no_id_of_a_user_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    given = [{"memory": "a", "user_id": {"id": 1}}, {"memory": "b", "user_id": "wilma"}]
    path.write_text(json.dumps(given))
    taken, rejects = checked(path, users=True)
    assert (taken, [r.field for r in rejects]) == (1, ["user_id"])
    assert checked(path) == (2, [])


def test_messages_are_of_the_moments_that_they_or_their_lines_say() -> None:
    first, second, third, fourth = became(EXPORTS / "messages-timed.jsonl")[0]["episode"]
    assert first["captured_at"] == "2025-03-02T09:00:00+00:00"
    assert second["captured_at"] == "2025-03-02T09:00:00.000001+00:00"
    assert first["metadata"] == {"conversation": {"user": "wilma"}}
    assert third["captured_at"] == "2025-03-03T09:00:00+00:00"
    assert third["metadata"]["created"] == 1740992400  # another time of it is kept
    assert fourth["captured_at"] == "2025-03-03T09:00:05.500000+00:00"
    said = became(EXPORTS / "messages-file.json")[0]["episode"]
    assert [one["captured_at"] for one in said] == [
        "2025-03-02T09:00:00+00:00",
        "2025-03-02T09:05:00+00:00",
        "2025-03-02T09:00:00.000002+00:00",
    ]
    assert {one["metadata"]["user"] for one in said} == {"wilma"}
    assert all("captured_at" not in e for e in became(EXPORTS / "messages.jsonl")[0]["episode"])


def test_messages_by_themselves_are_a_conversation() -> None:
    said = became(EXPORTS / "messages-bare.json")[0]["episode"]
    assert [(e["role"], e["content"]) for e in said] == [
        ("user", "Where is the ladder?"),
        ("assistant", "Behind the mill."),
        ("user", "And the rope?"),
    ]
    assert len({e["session"] for e in said}) == 1
    *talk, last = became(EXPORTS / "messages-bare.jsonl")[0]["episode"]
    assert len({e["session"] for e in talk}) == 1
    assert len({e["id"] for e in talk}) == 4  # equal words of two moments are two messages
    assert last["session"] == "t-7"


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"role": "user", "content": "a", "created_at": "yesterday"}]))
    taken, rejects = checked(path)
    assert (taken, [r.field for r in rejects]) == (0, ["captured_at"])


def test_messages_without_times_keep_the_ids_of_earlier_imports() -> None:
    """What was imported before times were read is known again."""
    first = became(EXPORTS / "messages-one.json")[0]["episode"][0]
    key = first["session"]
    known = digest("foreign", "openai-messages", SCOPE, key, "user", "", "Where are the hives?")
    assert first["id"] == known[:32]


def test_a_leaf_has_no_leaves() -> None:
    with (
        pytest.raises(InvalidInput) as refused,
        converted(Foreign(EXPORTS / "mem0.json", f"{SCOPE}/agent:scout", users=True)),
    ):
        pass
    assert refused.value.field == "users"


PAIRS = [
    ("mem0.json", "mem0-points.jsonl"),
    ("mem0-openmemory.json", "mem0-openmemory.jsonl"),
    ("graphiti.json", "zep-graph.json"),
    ("zep-thread-2.json", "zep-memory.json"),
    ("letta.af", "letta-v1.af"),
    ("langgraph.json", "langgraph-rows.jsonl"),
    ("cogx", "cogx-talks"),
    ("messages-calls.jsonl", "messages-one.json"),
    ("messages-bare.json", "messages-bare.jsonl"),
    ("messages-timed.jsonl", "messages-file.json"),
    ("chatgpt.json", "chatgpt-parts"),
    ("claude-tools.json", "claude-export"),
    ("table.csv", "table-semicolons.csv"),
    ("okf", "okf-plain"),
]


def test_each_format_has_two_files_for_one_scope() -> None:
    assert {became(EXPORTS / one)[1]["format"] for one, _ in PAIRS} | {"jsonl"} == set(BY_NAME)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_files_share_no_id_and_no_conversation(one: str, other: str) -> None:
    first, second = (became(EXPORTS / name)[0] for name in (one, other))
    for kind in first.keys() & second.keys() - {"session"}:
        ids = [{record.get("id") for record in lines[kind]} - {None} for lines in (first, second)]
        assert not ids[0] & ids[1]
    talks = [{e["session"] for e in lines.get("episode", ())} for lines in (first, second)]
    assert not talks[0] & talks[1] - {"csv", "wilma", "memories/wilma"}


def test_conversations_of_chats_are_read_as_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    for name in ("chatgpt.json", "claude.json"):
        chats = json.loads((EXPORTS / name).read_text())
        path.write_text("".join(f"{json.dumps(chat)}\n" for chat in [*chats, *chats]))
        lines, told = became(path)
        whole, known = became(EXPORTS / name)
        assert told["format"] == known["format"]
        assert lines["episode"][: len(whole["episode"])] == whole["episode"]
