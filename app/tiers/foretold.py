"""How the effect of each setting of a scope is told before it holds. Pure.

A bound of what scopes and things hold is counted: who has reached it would take no more. What a
setting decides about later writes, readings and runs alone changes nothing that is kept, and says
so. The remaining ones are tried on recent memories (`app/tiers/foreseeing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.contexts.kind import CONTEXT, CONTEXT_ENTRY, CONTEXT_SNAPSHOT
from app.observations.model import OBSERVATION
from app.pools.kind import POOL
from app.tables.kind import DATA_TABLE
from app.traces.kind import TOOL_CALL, TRACE, TRACE_LINK, TRACE_STEP

FULL = "is full, and would take no more"


@dataclass(frozen=True, slots=True)
class Parts:
    """A bound of the parts that one thing has: kinds of both, and which status counts."""

    whole: str
    part: str
    status: str | None = None


# Bounds of what one scope holds, by the kind that is counted.
SCOPES = {
    "pools.per_scope": POOL.name,
    "contexts.per_scope": CONTEXT.name,
    "tables.per_scope": DATA_TABLE.name,
    "autonomy.observations_per_scope": OBSERVATION.name,
}
# Bounds of what one thing holds.
WHOLES = {
    "contexts.entries": Parts(CONTEXT.name, CONTEXT_ENTRY.name, "active"),
    "contexts.snapshots": Parts(CONTEXT.name, CONTEXT_SNAPSHOT.name),
    "traces.steps": Parts(TRACE.name, TRACE_STEP.name),
    "traces.tool_calls": Parts(TRACE.name, TOOL_CALL.name),
    "traces.links": Parts(TRACE.name, TRACE_LINK.name),
}
# What else a setting decides, by when it would hold: the name of a kind of act, and the sentence.
WRITES = ("write", "holds from the next write on; nothing that is kept changes before")
READINGS = ("reading", "holds from the next reading on; nothing that is kept changes")
RUNS = ("run", "holds from the next run on; nothing that is kept changes before")
LATER: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "working.ttl_seconds", "working.ttl_most", "working.value_bytes", "working.keys",
            "working.slots", "working.eviction", "short_term.ttl_seconds", "short_term.entries",
            "pools.versions", "pools.versions_bytes", "contexts.content_bytes",
            "contexts.versions", "contexts.accesses", "contexts.own", "learning.uses",
            "tables.columns", "tables.rows", "tables.versions", "tables.max_bytes",
            "tables.row_bytes", "tables.batch", "conversations.messages", "conversations.leaf",
            "autonomy.observation_bytes", "autonomy.observation_ttl_seconds",
            "autonomy.observation_ttl_most", "autonomy.escalation_levels", "traces.json_bytes",
            "traces.json_depth",
        ),
        WRITES,
    ),
    **dict.fromkeys(
        (
            "tiers.context_tokens", "tiers.minimal_tokens", "tiers.entry_tokens",
            "tiers.experience", "tiers.relevant", "contexts.threshold",
            "conversations.open_seconds", "conversations.query_characters", "conversations.hits",
            "conversations.hit_characters", "conversations.relevance", "blocks.vector",
            "blocks.text", "blocks.graph", "blocks.user_scope", "blocks.context_scope",
            "blocks.global_scope", "blocks.knowledge_days", "blocks.methods_days",
            "blocks.project_state_days", "blocks.learnings_days", "blocks.other_days",
            "blocks.threshold", "blocks.characters",
        ),
        READINGS,
    ),
    **dict.fromkeys(
        (
            "tiers.alike", "tiers.again_hours", "contexts.experiences",
            "contexts.merged_by_hand", "contexts.merged_by_job", "learning.idle_minutes",
            "learning.turns", "learning.samples", "learning.intent_floor",
            "learning.intent_least", "learning.intent_batch", "conversations.items",
            "conversations.price", "goals.abandon_stale",
        ),
        RUNS,
    ),
}  # fmt: skip
