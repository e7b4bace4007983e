"""What is promised of all tools: their names, their hints, and what they say of bad arguments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import AliasChoices

from app.kernel.caller import Role
from app.mcp.service import ALONE, PROFILES, TOOLS
from tests.conftest import MakePrincipal
from tests.mcp.conftest import REVISIONS, Connect, text_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "mcp.md"
EVERY = {name: tool for tools in (TOOLS, *PROFILES.values()) for name, tool in tools.items()}

# The names by which the documents that Loci was made after call their tools.
PLATFORM = """
create_memory_pool write_shared_memory read_shared_memory delete_memory_pool
query_knowledge_base search_documents add_document process_document discover_skills
get_skill_context list_skills search_knowledge_graph get_graph_neighbors search_knowledge
query_learnings
"""
SUBSTRATE = """
search read_memory session_manifest server_status consolidation_status audit_history
work_tree work_query capture batch_capture work_create work_advance work_link pin unpin
forget unforget consolidate
"""
AGENT = """
memory_store memory_recall memory_update memory_delete memory_list memory_promote
data_store_create data_store_insert data_store_query data_store_delete data_store_list
"""
DEPARTURES = {
    "memory_census": "named by an error code alone: `server_status` has the census",
}
# What their calls name: by these words a call of theirs is a call of ours.
ARGUMENTS = {
    "create_memory_pool": {"pool_id", "name", "pool_type", "scope", "retention_policy"},
    "write_shared_memory": {"pool_id", "key", "value"},
    "read_shared_memory": {"pool_id", "key"},
    "discover_skills": {"description"},
    "get_skill_context": {"skill_id"},
    "list_skills": {"category", "status"},
    "search_knowledge_graph": {"relation_type"},
    "get_graph_neighbors": {"relation_type"},
}


@pytest.mark.parametrize("name", (PLATFORM + SUBSTRATE + AGENT).split())
def test_a_tool_goes_by_the_name_that_the_documents_give_it(name: str) -> None:
    assert name in EVERY
    assert name not in DEPARTURES


@pytest.mark.parametrize("name", DEPARTURES)
def test_what_departs_has_no_tool_and_a_reason(name: str) -> None:
    assert name not in EVERY
    assert len(DEPARTURES[name]) > 20


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_tool_takes_what_the_documents_hand_it(name: str) -> None:
    taken = set()
    for field, info in EVERY[name].takes.model_fields.items():
        also = info.validation_alias
        taken |= {field, *(also.choices if isinstance(also, AliasChoices) else ())}
    assert ARGUMENTS[name] <= taken


# Reads only, destroys, is idempotent, reaches into the open world; `-` where not.
HINTS = """
search r-i-                   context r-i-                   ask r-i-
facts r-i-                    entity r-i-                    read r-i-
skills r-i-                   status r-i-                    capture --i-
note -d--                     correct -d--                   forget -di-
memory_store -d--             memory_recall r-i-             memory_update -di-
memory_delete -di-            memory_list r-i-               memory_promote -d--
data_store_create ----        data_store_insert -d--         data_store_query r-i-
data_store_delete -di-        data_store_list r-i-
work_create ----              work_query r-i-                work_tree r-i-
work_advance ----             work_link --i-
create_memory_pool ----       list_memory_pools r-i-         read_shared_memory r-i-
write_shared_memory -di-      delete_memory_pool -di-
start_trace ----              add_step ----                  record_tool_call ----
complete_trace --i-           get_trace r-i-                 find_similar_traces r-i-
tool_stats r-i-
context_create ----           context_list r-i-              context_add -d--
context_entries r-i-          context_read r-i-              context_update -di-
context_archive -d--          context_search r-i-            own_remember -di-
own_recall ----               own_forget -d--                own_reflect ----
conversation_append ----      conversation_buffer r-i-       conversation_window r-i-
conversation_clear -di-       conversation_stats r-i-
working_store -di-            working_retrieve r-i-          working_keys r-i-
working_append ----           working_remove -d--            working_clear -di-
working_persist -di-          working_load -di-              working_share -di-
working_retrieve_shared r-i-
slot_list r-i-                slot_load -di-                slot_use r-i-
slot_unload -d--              slot_clear -di-
goal_create ----              goal_list r-i-                 goal_read r-i-
goal_update -di-              goal_advance ----
escalation_create ----        escalation_list r-i-           escalation_resolve ----
observation_push ----         observation_list r-i-          observation_process --i-
tier_read r-i-                tier_write -di-                tier_delete -di-
tier_search r-i-              tier_consolidate -di-          tier_context r-i-
tier_stats r-i-
list_knowledge_bases r-i-     create_knowledge_base ----     add_document -dio
list_documents r-i-           get_document r-i-              process_document -dio
search_documents r-i-         query_knowledge_base r-i-      search_knowledge_graph r-i-
discover_skills r-i-          list_skills r-i-               get_skill_context r-i-
create_skill --i-             record_skill_outcome ----      query_learnings r-i-
list_learned r-i-
batch_capture --i-            read_memory r-i-               session_manifest r-i-
pin --i-                      unpin --i-                     unforget --i-
consolidate ----              consolidation_status r-i-      server_status r-i-
audit_history r-i-
get_graph_neighbors r-i-      get_graph_statistics r-i-
search_knowledge r-i-         create_knowledge -d--
"""


def test_each_tool_tells_what_it_does_to_the_world() -> None:
    words = HINTS.split()
    told = {}
    for name, tool in EVERY.items():
        hints = tool.listed().annotations
        assert hints is not None
        assert hints.title == tool.title
        flags = (
            hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint,
            hints.open_world_hint,
        )  # fmt: skip
        told[name] = "".join(c if is_so else "-" for c, is_so in zip("rdio", flags, strict=True))
    assert told == dict(zip(words[::2], words[1::2], strict=True))


def test_the_guide_lists_each_further_tool() -> None:
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \| (\w+) \|", GUIDE.read_text(encoding="utf-8"), re.M)
    assert rows == [
        (name, profile, tool.requires.label)
        for profile, tools in (PROFILES | ALONE).items()
        for name, tool in tools.items()
    ]


class Schema:
    """The schema of what a tool takes: values that fit it, and one that does not."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self.fields: dict[str, Any] = root.get("properties", {})
        self.required: list[str] = root.get("required", [])

    def whole(self) -> dict[str, Any]:
        """Return a value for each field that is required."""
        return {name: self.fit(self.fields[name]) for name in self.required}

    def fit(self, given: dict[str, Any]) -> Any:
        """Return a value that a schema takes."""
        schema = next(self.kinds(given))
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        match schema.get("type"):
            case "object":
                below = schema.get("properties", {})
                return {name: self.fit(below[name]) for name in schema.get("required", [])}
            case "array":
                return [self.fit(schema["items"]) for _ in range(schema.get("minItems", 0))]
            case "integer" | "number":
                return schema.get("minimum", 1)
            case "boolean":
                return True
            case "string" if schema.get("format") == "date-time":
                return "2030-01-01T00:00:00Z"
        return "x" * max(schema.get("minLength", 1), 1)

    def kinds(self, given: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what a schema may be, without references and alternatives."""
        if "$ref" in given:
            yield from self.kinds(self._root["$defs"][given["$ref"].rpartition("/")[2]])
        elif "anyOf" in given:
            for one in given["anyOf"]:
                yield from self.kinds(one)
        else:
            yield given

    def wrong(self) -> Iterator[tuple[str, Any]]:
        """Yield the names of fields, each with a value of a type that it does not take."""
        for name, given in self.fields.items():
            kinds = list(self.kinds(given))
            if all("type" in kind or "enum" in kind or "const" in kind for kind in kinds):
                takes = {kind.get("type", "string") for kind in kinds}
                yield name, 4711 if "object" in takes else {"$ne": None}


def bad(schema: Schema) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what is wrong, the field that a tool is to name, and the arguments."""
    whole = schema.whole()
    for name in schema.required[:1]:
        yield "missing", name, {other: v for other, v in whole.items() if other != name}
    for name, value in list(schema.wrong())[:1]:
        yield "wrong", name, {**whole, name: value}
    yield "unknown", "no_such_thing", {**whole, "no_such_thing": 1}


UNTYPED = ("status", "server_status", "own_reflect")  # they take nothing


@pytest.mark.parametrize("mode", REVISIONS)
async def test_each_tool_names_what_is_wrong(
    connect: Connect, principal: MakePrincipal, tenant: str, mode: str
) -> None:
    curator = await principal(f"{tenant}/dev", role=Role.ADMIN, name="slipper", kind="user")
    counts: Counter[str] = Counter()
    async with connect(curator, mode, ",".join(PROFILES)) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == EVERY.keys()
        for tool in listed.values():
            schema = Schema(tool.input_schema)
            for kind, field, given in bad(schema):
                result = await client.call_tool(tool.name, given)
                said = (tool.name, field, text_of(result))
                assert result.is_error, said
                assert result.structured_content["status"] == 422, said
                assert result.structured_content["errors"][0]["field"] == field, said
                assert f"`{field}`" in text_of(result), said
                counts[kind] += 1
    required = sum(bool(tool.input_schema.get("required")) for tool in listed.values())
    assert (counts["unknown"], counts["missing"]) == (len(EVERY), required)
    assert counts["wrong"] == len(EVERY) - len(UNTYPED)
