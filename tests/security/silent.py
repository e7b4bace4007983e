"""Doors where nobody is told of anything by a word or an id. Strangers ask there all the same."""

COUNTS = "counts alone"
ECHO = "states, numbers and names that the question has, too"
HOUSE = "the same for all, or names of scopes, people and settings"
OWN = "counts of what the caller keeps himself, and of pools that he may read"
UNFILTERED = "refused without a filter, which has a door of its own"

LISTED = {
    COUNTS: (
        "/v1/status",
        "/v1/rag/analytics",
        "/v1/consolidation",
        "/v1/learnings/score",
        "/v1/graph/statistics",
        "tool status",
        "tool server_status",
        "tool get_graph_statistics",
        "graphql graphStatistics",
        "graphql graphStatistics ?scopes",
        "graphql consolidation",
        "graphql learningScore",
        "tool consolidation_status",
    ),
    ECHO: (
        "/v1/skills/health",
        "/v1/notes/{note_id}/rating",
        "/v1/conversations/{conversation}",
        "/v1/working-memory/{task}",
        "/v1/working-memory/{task}/copy",
        "/v1/working-memory/{task}/{part}",
        "/v1/pools/{pool}/access",
        "/v1/pools/{pool}/access?agent",
        "/v1/pools/{pool}/events",
        "/v1/pools/{pool}/statistics",
        "/v1/pools/{pool}/versions",
        "/v1/intervention-policies/{policy}",
        "/v1/contexts/{context}/accesses",
        "/v1/contexts/{context}/entries/{entry}/versions",
        "/v1/contexts/{context}/integrity",
        "/v1/rag/queries/{query_id}",
        "/v1/erasures/{receipt_id}",
        "/v1/skills/{skill_id}/outcomes",
        "/agent-memory/v1/conversations/{talk}",
        "/agent-memory/v1/conversations/{talk}/extraction-status",
        "graphql erasure",
        "graphql skillHealth",
        "graphql noteRating",
        "graphql conversation",
        "graphql workingTask",
        "graphql workingPart",
        "graphql workingCopy",
        "graphql poolAccess",
        "graphql poolEvents",
        "graphql poolStatistics",
        "graphql poolVersions",
        "graphql interventionPolicy",
        "graphql contextEntryVersions",
        "graphql contextIntegrity",
        "tool working_keys",
        "tool conversation_stats",
    ),
    OWN: (
        "/v1/tiers/stats",
        "tool tier_stats",
        "graphql tierStatistics",
    ),
    HOUSE: (
        "/v1/predicates",
        "/v1/working-limits",
        "/v1/scopes",
        "/v1/scopes/policy",
        "/v1/scopes/rules",
        "/v1/scopes/settings",
        "/v1/scopes/settings/history",
        "/v1/audit/check",
        "/v1/principals",
        "/v1/schedules",
        "/v1/core-blocks/{kind}/protection",
        "/v1/skills/{skill_id}/agents",
        "/v1/teams",
        "/v1/teams/coverage",
        "/v1/embedding",
        "/agent-memory/v1/auth/api-keys",
        "graphql auditEvents",
        "graphql agents",
        "graphql teams",
        "graphql predicates",
        "graphql coreBlockProtection",
        "graphql teamCoverage",
    ),
    UNFILTERED: (
        "/v1/work-items",
        "/v1/work-items?assignee",
        "/v1/skills/traverse",
        "graphql skillTraversal",
    ),
}
SILENT = {name: reason for reason, names in LISTED.items() for name in names}
# Doors whose answer to the same words changes by itself.
RESTLESS = {
    "/v1/audit": "asking is told there",
    "/v1/audit?scope": "asking is told there",
    "/v1/status": "it tells how the process does",
    "tool server_status": "it tells how the process does",
    **dict.fromkeys(
        (
            "/v1/rag/analytics",
            "/v1/rag/analytics?scope",
            "/v1/rag/queries",
            "/v1/rag/queries?scope",
        ),
        "questions that were asked are told there",
    ),
}


def plain(name: str) -> str:
    """The door without its scope: what is silent is so when it is asked for less, too."""
    path, _, parameter = name.partition("?")
    if path.startswith("graphql "):
        return " ".join(path.split()[:2])
    return path if parameter == "scope" else name
