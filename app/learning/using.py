"""What a task used: named by its agent, or noted where he told how a skill did."""

from __future__ import annotations

from datetime import datetime

from app.errors import NotFound
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.learning.kind import SEGMENT_USE
from app.learning.model import Segment, SegmentUse, Used
from app.learning.pen import Pen


async def used(
    pen: Pen, caller: Caller, held: Segment, memory: str, rank: int | None
) -> SegmentUse:
    """Return the use of a skill or memory, whose lock is held then; NotFound (`used`)."""
    found = await pen.tx.optional(Q.learning.lock_used, id=memory, scopes=caller.visible, at=pen.at)
    if found is None:
        raise NotFound(
            f"there is no skill, episode, note, fact, page or entity {memory}", field="used"
        )
    kind, scope = Used(found["kind"]), found["scope"]
    return _use(held, memory, kind, scope, used_at=pen.at, rank=rank)


async def use_skills(pen: Pen, segment: Segment, most: int) -> None:
    """Note the skills of which the agent told an outcome between beginning and end of a task."""
    rows = await pen.tx.rows(
        Q.learning.skills_used,
        agent=segment.agent,
        since=segment.started_at,
        until=segment.ended_at,
        at=pen.at,
        limit=most,
    )
    for row in rows:
        made = _use(segment, row["skill"], Used.SKILL, row["scope"], used_at=row["used_at"])
        pen.make(SEGMENT_USE, made)


def _use(
    segment: Segment,
    memory: str,
    kind: Used,
    scope: str,
    *,
    used_at: datetime,
    rank: int | None = None,
) -> SegmentUse:
    """Make the use of a memory of some scope in a task, which lies where the task does."""
    return SEGMENT_USE.placed(
        SegmentUse(
            id="new",
            scope=segment.scope,
            segment=segment.id,
            memory=memory,
            memory_kind=kind,
            memory_scope=scope,
            rank=rank,
            agent=segment.agent,
            used_at=used_at,
        )
    )
