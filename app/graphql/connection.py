"""Lists in Relay's form: edges with a cursor each, and where the list stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from app.graphql.loading import Asked, Listing
from app.graphql.seen import Seen
from app.kernel.graph import Row

NODES = (
    "Episode", "Fact", "Held", "Quarantined", "PossibleChange", "Entity", "Neighbour", "Page",
    "Backlink", "Link",
    "PageVersion", "Skill", "SkillVersion", "SkillConflict", "SkillLink", "KnowledgeBase",
    "Document", "Chunk", "Community", "Note", "NoteVersion", "Learning", "SkillProposal", "Merge",
    "Job", "ErasureReceipt", "Place", "PendingPage", "Promotion", "FeedbackEntry", "LogEntry",
    "AuditEvent", "Agent", "Team", "Predicate", "BadPattern", "Holder", "Concern", "Outcome",
    "MentionedIn",
)  # fmt: skip
FORM = """
"A page of a list."
type {node}Connection {{
  edges: [{node}Edge!]!
  "The same without cursors."
  nodes: [{node}!]!
  pageInfo: PageInfo!
}}

"One item of a list; `cursor` goes on after it."
type {node}Edge {{
  cursor: String!
  node: {node}!
}}
"""


def definitions() -> str:
    """The types of all connections, as schema text."""
    return "".join(FORM.format(node=node) for node in NODES)


def connected(rows: Sequence[Row], listing: Listing, asked: Asked) -> dict[str, Any]:
    """A page of rows, of which one more than asked for was read where there is one."""
    shown = rows[: asked.first]
    pairs = [(listing.order.write(row), listing.show(row)) for row in shown]
    return joined(pairs, asked, more=len(rows) > asked.first)


def joined(pairs: Iterable[tuple[str, Any]], asked: Asked, *, more: bool) -> dict[str, Any]:
    """A page of cursors and what they stand at."""
    edges = [{"cursor": cursor, "node": Seen(value, asked.moments)} for cursor, value in pairs]
    return {
        "edges": edges,
        "nodes": [edge["node"] for edge in edges],
        "page_info": {
            "has_next_page": more,
            "has_previous_page": bool(asked.args.get("after")),
            "start_cursor": edges[0]["cursor"] if edges else None,
            "end_cursor": edges[-1]["cursor"] if edges else None,
        },
    }
