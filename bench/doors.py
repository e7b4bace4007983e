"""Every door by which an agent's memory is written or read, each with what it needs."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.rights import Item, Principal

Body = dict[str, Any]
DUE = "2030-01-01T00:00:00Z"
BRIDGE = "/agent-memory/bridge"  # where a setting has switched it on


@dataclass(frozen=True)
class Told:
    """A request, and which ids of its answer name what was written."""

    method: str
    path: str
    body: Body | None = None
    params: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)  # of a parameter: where the answer has it
    given: dict[str, str] = field(default_factory=dict)  # of a parameter: what was sent
    only: str | None = None  # whose it is, where it is not everybody's in the scope


@dataclass(frozen=True)
class Draw:
    """What a door may draw from: who writes, in words of its own, beside whom."""

    who: Principal
    key: str
    marker: str
    others: list[Principal]
    rng: random.Random

    @property
    def text(self) -> str:
        return f"The harbour crane {self.key} stands at berth {self.marker}."


def _message(d: Draw) -> Body:
    return {"role": "user", "content": d.text}


def _talk(d: Draw) -> Told:
    path = f"/v1/conversations/{d.key}/messages"
    return Told("POST", path, {"messages": [_message(d)]}, given={"conversation": d.key},
                ids={"episode_id": "receipts.0.id"}, only="leaf")  # fmt: skip


def _turn(d: Draw) -> Told:
    body = {"session": d.key, "messages": [_message(d)]}
    return Told("POST", "/v1/turns", body, given={"session": d.key, "conversation": d.key},
                ids={"episode_id": "receipts.0.id"})  # fmt: skip


def _working(d: Draw) -> Told:
    return Told("PUT", f"/v1/working-memory/{d.key}/keys/plan", {"value": d.text}, only="owner",
                given={"task": d.key, "part": "keys", "name": "plan"})  # fmt: skip


def _share(d: Draw) -> Told:
    near = [one for one in d.others if one.tenant == d.who.tenant and one.sees(d.who.home)]
    target = d.rng.choice(near or [d.who])
    return Told("PUT", f"/v1/working-shares/{target.id}/{d.key}", {"value": d.text},
                given={"agent": d.who.id, "name": d.key}, only=target.id)  # fmt: skip


def _short(d: Draw) -> Told:
    body = {"session": d.key, "key": "crane", "value": {"said": d.text}}
    return Told("POST", "/v1/short-term-memory", body, ids={"entry_id": "id"}, only="owner")


def _tier(d: Draw) -> Told:
    tier = d.rng.choice(["working", "short_term"])
    body = {"key": d.key, "value": d.text, "tier": tier, "session_id": d.key}
    return Told("PUT", "/v1/tiers/value", body, only="owner", given={"tier_key": d.key})


def _own(d: Draw) -> Told:
    body = {"key": d.key, "content": d.text}
    return Told("POST", "/v1/own-memory/remember", body,
                ids={"entry": "id", "context": "context_id", "memory_id": "id"},
                only="leaf")  # fmt: skip


def _pool(kind: str, public: bool) -> Callable[[Draw], Told]:
    def door(d: Draw) -> Told:
        rights = {"access_control": {"public": public}} if kind == "shared" else {}
        body = {"name": f"P {d.key}", "type": kind, "data": {"crane": d.text}} | rights
        return Told("POST", "/v1/pools", body, ids={"pool": "id"},
                    only=None if public else "owner")  # fmt: skip

    return door


def _trace(d: Draw) -> Told:
    body = {"task": d.text, "session": d.key}
    return Told("POST", "/v1/traces", body, ids={"trace": "id"})


def _item(d: Draw) -> Told:
    return Told("POST", "/v1/work-items", {"title": d.text}, ids={"item": "id"})


def _goal(d: Draw) -> Told:
    return Told("POST", "/v1/goals", {"title": d.text}, ids={"goal": "id"})


def _escalation(d: Draw) -> Told:
    body = {"title": d.text, "due_at": DUE}
    return Told("POST", "/v1/escalations", body, ids={"escalation": "id"})


def _observation(d: Draw) -> Told:
    body = {"items": [{"sensor": "crane", "key": d.key, "payload": {"said": d.text}}]}
    return Told("POST", "/v1/observations", body, ids={"observation": "items.0.observation.id"})


def _note(d: Draw) -> Told:
    space = d.rng.choice(["knowledge", "methods", "learnings", "project-state"])
    body = {"content": d.text, "namespace": space}
    return Told("POST", "/v1/notes", body, ids={"note_id": "id", "memory_id": "id"})


def _table(d: Draw) -> Told:
    body = {"name": d.key, "columns": [{"name": "crane"}], "description": d.text}
    return Told("POST", "/v1/tables", body, ids={"table": "id"})


def _transcript(d: Draw) -> Told:
    path = f"/agent-memory/v1/conversations/{d.key}/messages"
    return Told("POST", path, _message(d), given={"talk": d.key})


def _segment(d: Draw) -> Told:
    return Told("POST", "/v1/segments", {"task": d.text}, ids={"segment": "id"})


def _reasoned(d: Draw) -> Told:
    body = {"conversationId": d.key, "reasoning": d.text}
    return Told("POST", "/agent-memory/v1/reasoning/steps", body, ids={"step": "id"},
                given={"talk": d.key})  # fmt: skip


def _context(d: Draw) -> Told:
    body = {"name": f"C {d.key}", "description": d.text, "type": "shared_context"}
    return Told("POST", "/v1/contexts", body, ids={"context": "id"})


WRITES: dict[str, Callable[[Draw], Told]] = {
    "conversation": _talk, "turn": _turn, "working": _working, "share": _share, "short": _short,
    "tier": _tier, "own memory": _own, "private pool": _pool("agent_private", public=False),
    "team pool": _pool("team_shared", public=False), "public pool": _pool("shared", public=True),
    "closed pool": _pool("shared", public=False), "trace": _trace, "work item": _item,
    "goal": _goal, "escalation": _escalation, "observation": _observation, "note": _note,
    "table": _table, "transcript": _transcript, "segment": _segment, "reasoning": _reasoned,
    "context": _context,
}  # fmt: skip

# Where an owner reads back what he wrote, by the parameter that names it.
BACK = {
    "pool": "/v1/pools/{}/data", "item": "/v1/work-items/{}", "goal": "/v1/goals/{}",
    "escalation": "/v1/escalations/{}", "entry_id": "/v1/short-term-memory/{}",
    "note_id": "/v1/notes/{}", "trace": "/v1/traces/{}", "segment": "/v1/segments/{}",
    "table": "/v1/tables/{}", "episode_id": "/v1/episodes/{}",
    "task": "/v1/working-memory/{}/keys/plan", "step": "/agent-memory/v1/reasoning/explain/{}",
}  # fmt: skip

# What changes a thing that is there: by the parameter that names it.
CHANGES: dict[str, tuple[str, str, Callable[[str], Body]]] = {
    "pool": ("PATCH", "/v1/pools/{}/data", lambda text: {"data": {"crane": text}}),
    "item": ("PATCH", "/v1/work-items/{}", lambda text: {"title": text}),
    "goal": ("PATCH", "/v1/goals/{}", lambda text: {"title": text}),
    "escalation": ("PATCH", "/v1/escalations/{}", lambda text: {"title": text}),
    "entry_id": ("PATCH", "/v1/short-term-memory/{}", lambda text: {"value": text}),
    "note_id": ("PATCH", "/v1/notes/{}", lambda text: {"content": text}),
    "trace": ("POST", "/v1/traces/{}/steps", lambda text: {"steps": [{"thought": text}]}),
    "table": ("POST", "/v1/tables/{}/rows", lambda text: {"rows": [{"crane": text}]}),
    "segment": ("POST", "/v1/segments/{}/end", lambda text: {"reply": text}),
    "context": ("POST", "/v1/contexts/{}/entries", lambda text: {"key": "k", "content": text}),
}


def asking(key: str, target: Item) -> list[tuple[str, Body]]:
    """Return what reads by POST, with the word of somebody's value, and its ids."""
    ids = target.ids
    talk, transcript = ids.get("conversation", key), ids.get("talk", key)
    asked: list[tuple[str, Body]] = [
        ("/v1/search", {"query": f"crane {key}", "limit": 50}),
        ("/v1/search", {"query": f"crane {key}", "mode": "vector"}),
        ("/v1/search", {"query": f"crane {key}", "form": "bundle"}),
        ("/v1/search", {"query": f"crane {key}", "form": "relevant_context"}),
        ("/v1/search", {"query": key, "kinds": ["trace", "work_item", "context_entry", "note"]}),
        ("/v1/search", {"query": key, "kinds": ["pool_text"]}),
        ("/v1/search", {"query": "crane", "session": key}),
        ("/v1/rag/context", {"query": f"crane {key}", "include_traces": True}),
        ("/v1/rag/ask", {"query": f"Where does the harbour crane {key} stand?"}),
        ("/v1/rag/retrieve", {"query": f"crane {key}"}),
        ("/v1/tiers/search", {"query": f"crane {key}", "least": 0}),
        ("/v1/tiers/context", {"query": f"crane {key}", "session_id": key}),
        ("/v1/traces/similar", {"task": f"The harbour crane {key}", "floor": 0, "limit": 50,
                                "outcomes": ["success", "failure"]}),
        ("/v1/own-memory/recall", {"query": f"crane {key}"}),
        (f"/v1/conversations/{talk}/recall", {"query": f"crane {key}", "relevance": 0}),
        (f"/agent-memory/v1/conversations/{transcript}/search", {"query": "crane"}),
        (f"{BRIDGE}/get_conversation", {"session_id": key}),
        (f"{BRIDGE}/search_messages", {"query": f"crane {key}", "threshold": 0}),
        (f"{BRIDGE}/list_sessions", {}),
        (f"{BRIDGE}/list_traces", {"session_id": key}),
        (f"{BRIDGE}/get_similar_traces", {"task": f"The harbour crane {key}"}),
        (f"{BRIDGE}/search_entities", {"query": key}),
    ]  # fmt: skip
    if "table" in ids:
        asked.append((f"/v1/tables/{ids['table']}/query", {}))
    if "context" in ids:
        asked.append((f"/v1/contexts/{ids['context']}/search", {"query": key, "threshold": 0}))
    if "trace" in ids:
        asked.append((f"{BRIDGE}/get_trace_with_steps", {"trace_id": ids["trace"]}))
    return asked + [("/graphql", {"query": query}) for query in _graphql(key, ids)]


def _graphql(key: str, ids: dict[str, str]) -> list[str]:
    one = ids.get("episode_id", key)
    return [
        f'{{ search(input: {{query: "crane {key}"}}) {{ hits {{ memory {{ id content }} }} }} }}',
        f'{{ context(input: {{query: "crane {key}"}}) {{ text }} }}',
        "{ episodes(first: 100) { nodes { id content } } }",
        "{ notes(first: 100) { nodes { id content } } }",
        f'{{ episode(id: "{one}") {{ content }} }}',
        f'{{ note(id: "{ids.get("note_id", key)}") {{ content }} }}',
        f'{{ session(id: "{key}") {{ id }} }}',
    ]


def tools(key: str, target: Item) -> list[tuple[str, str, Body]]:
    """Return tools that read, by profile and name, likewise."""
    ids = target.ids
    named = {
        name: ids.get(name, key)
        for name in ("pool", "trace", "context", "goal", "conversation", "task", "name", "tier_key")
    }
    memory = ids.get("memory_id", ids.get("episode_id", key))
    return [
        ("memory", "memory_recall", {"query": f"crane {key}", "min_score": 0}),
        ("memory", "memory_list", {"limit": 200}),
        ("memory", "memory_list", {"contains": key}),
        ("memory", "search", {"query": f"crane {key}"}),
        ("memory", "context", {"query": f"crane {key}"}),
        ("memory", "read", {"id": memory}),
        ("data", "data_store_list", {}),
        ("data", "data_store_query", {"table": ids.get("table", key)}),
        ("work", "work_query", {"text": key}),
        ("work", "work_tree", {"item": ids.get("item", key)}),
        ("pools", "list_memory_pools", {}),
        ("pools", "read_shared_memory", {"pool": named["pool"]}),
        ("traces", "get_trace", {"trace": named["trace"]}),
        ("traces", "find_similar_traces", {"task": f"The harbour crane {key}", "floor": 0}),
        ("contexts", "context_list", {}),
        ("contexts", "context_entries", {"context": named["context"]}),
        ("contexts", "context_search",
         {"context": named["context"], "query": key, "threshold": 0}),
        ("contexts", "own_recall", {"query": f"crane {key}"}),
        ("conversations", "conversation_buffer", {"conversation": named["conversation"]}),
        ("conversations", "conversation_window", {"conversation": named["conversation"]}),
        ("working", "working_retrieve", {"task": named["task"], "part": "keys", "key": "plan"}),
        ("working", "working_keys", {"task": named["task"]}),
        ("working", "working_retrieve_shared", {"agent": target.owner, "key": named["name"]}),
        ("slots", "slot_list", {}),
        ("slots", "slot_use", {"memory": memory}),
        ("goals", "goal_list", {}),
        ("goals", "goal_read", {"goal": named["goal"]}),
        ("escalations", "escalation_list", {}),
        ("observations", "observation_list", {}),
        ("", "ask", {"query": f"Where does the harbour crane {key} stand?"}),
        ("", "facts", {"about": ids.get("entity_id", key)}),
        ("", "entity", {"id": ids.get("entity_id", key)}),
        ("", "skills", {"description": f"crane {key}"}),
        ("", "status", {}),
        ("traces", "tool_stats", {}),
        ("contexts", "context_read", {"context": named["context"], "key": "berth"}),
        ("conversations", "conversation_stats", {"conversation": named["conversation"]}),
        ("tiers", "tier_read", {"key": named["tier_key"], "session_id": key}),
        ("tiers", "tier_search", {"query": f"crane {key}", "session_id": key, "least": 0}),
        ("tiers", "tier_context", {"query": f"crane {key}", "session_id": key}),
        ("tiers", "tier_stats", {}),
        ("documents", "list_documents", {}),
        ("documents", "get_document", {"document": ids.get("document_id", key)}),
        ("documents", "search_documents", {"query": f"crane {key}"}),
        ("documents", "search_knowledge_graph", {"query": f"crane {key}"}),
        ("documents", "query_knowledge_base",
         {"query": f"crane {key}", "knowledge_base_ids": [ids.get("base_id", key)]}),
        ("skills", "list_skills", {}),
        ("skills", "get_skill_context", {"skill_id": ids.get("skill_id", key)}),
        ("skills", "query_learnings", {"query": f"crane {key}"}),
        ("skills", "discover_skills", {"description": f"crane {key}"}),
        ("skills", "list_learned", {}),
        ("documents", "list_knowledge_bases", {}),
        ("episodes", "read_memory", {"ids": [memory]}),
        ("episodes", "session_manifest", {"session": ids.get("session", key)}),
        ("upkeep", "consolidation_status", {}),
        ("upkeep", "server_status", {}),
        ("upkeep", "audit_history", {"limit": 500}),
        ("graph", "get_graph_neighbors", {"node_id": ids.get("node_id", key)}),
        ("graph", "get_graph_statistics", {}),
        ("knowledge", "search_knowledge", {"query": f"crane {key}"}),
        ("chatgpt", "search", {"query": f"crane {key}"}),
        ("chatgpt", "fetch", {"id": memory}),
    ]  # fmt: skip
