"""From what is told and what the graph holds of a task to its score."""

from __future__ import annotations

from dataclasses import dataclass

from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.learning.model import MOST_CALLS, Check, Evidence, Figures, Segment
from app.learning.scoring import (
    ASSESSED,
    CONTINUED,
    DIGITS,
    Overrides,
    Spread,
    scored,
    structural_signal,
    tool_signal,
    verification_signal,
    verified,
)
from app.learning.wording import assessment_of, continuation_of


@dataclass(frozen=True, slots=True)
class Told:
    """What a client tells of a task; texts are looked at and not kept."""

    tools: tuple[bool, ...] = ()
    checks: tuple[Check, ...] = ()
    reply: str | None = None
    answer: str | None = None
    turns: int | None = None
    cost: float | None = None
    cancelled: bool = False
    over_budget: bool = False
    no_tools: bool = False
    no_checks: bool = False


def added(held: Evidence, told: Told, task: str) -> Evidence:
    """Return the evidence with what is told: calls and checks come after those before, of the rest
    the last word counts; what was cancelled stays so."""
    tools = (*(held.tools or ()), *told.tools)[-MOST_CALLS:]
    checks = (*(held.checks or ()), *told.checks)[-MOST_CALLS:]
    said = continuation_of(task, told.reply) if told.reply else held.continuation
    assessed = assessment_of(told.answer) if told.answer else held.assessment
    return Evidence(
        tools=tools if tools or told.no_tools or held.tools is not None else None,
        checks=checks if checks or told.no_checks or held.checks is not None else None,
        continuation=said,
        assessment=assessed,
        turns=held.turns if told.turns is None else told.turns,
        cost=held.cost if told.cost is None else told.cost,
        cancelled=held.cancelled or told.cancelled,
        over_budget=held.over_budget or told.over_budget,
    )


async def completed(tx: Tx, segment: Segment) -> Evidence:
    """Return the evidence with what was not told, but stands in the trace and the conversation."""
    held = segment.evidence
    update: Row = {}
    if held.tools is None and segment.trace is not None:
        calls = await tx.rows(
            Q.learning.trace_calls, trace=segment.trace, scope=segment.scope, limit=MOST_CALLS
        )
        update["tools"] = tuple(row["good"] for row in calls)
    if segment.session_key and (held.continuation is None or held.assessment is None):
        said = await tx.rows(
            Q.learning.said,
            session=segment.spoken_in(),
            scope=segment.scope,
            since=segment.started_at,
            until=segment.ended_at or segment.changed_at,
        )
        update |= _read(segment, said)
    return held.model_copy(update=update)


def _read(segment: Segment, said: list[Row]) -> Row:
    """What a conversation says; the message that is the task itself says nothing of it."""
    found: Row = {}
    for row in said:
        if row["role"] == "user" and segment.evidence.continuation is None:
            if row["content"].strip() != segment.task.strip():
                found["continuation"] = continuation_of(segment.task, row["content"])
        elif row["role"] != "user" and segment.evidence.assessment is None:
            found["assessment"] = assessment_of(row["content"])
    return found


def spreads(row: Row) -> dict[str, Spread]:
    """Return the figures of earlier segments by name."""
    return {
        "turns": Spread(row["turns"], row["turns_mean"], row["turns_deviation"]),
        "cost": Spread(row["costs"], row["cost_mean"], row["cost_deviation"]),
        "seconds": Spread(row["times"], row["seconds_mean"], row["seconds_deviation"]),
    }


def resolution(segment: Segment, earlier: dict[str, Spread]) -> Figures:
    """Return the score of a segment by its evidence, with the signals that are known."""
    held = segment.evidence
    checks = None if held.checks is None else [(c.kind, c.passed) for c in held.checks]
    figures = [
        (None if held.turns is None else float(held.turns), earlier["turns"]),
        (held.cost, earlier["cost"]),
        (segment.seconds, earlier["seconds"]),
    ]
    signals = {
        "tool": tool_signal(held.tools),
        "verification": verification_signal(checks),
        "continuation": None if held.continuation is None else CONTINUED[held.continuation],
        "self_assessment": None if held.assessment is None else ASSESSED[held.assessment],
        "structural": structural_signal(figures),
    }
    failed = bool(held.tools) and not any(held.tools or ())
    over = Overrides(held.cancelled, held.over_budget, failed, verified(checks))
    made = scored(signals, over)
    known = {name: round(value, DIGITS) for name, value in signals.items() if value is not None}
    return Figures.model_validate(
        {
            "score": made.score,
            "label": made.label,
            "certainty": made.confidence,
            "signals": known,
        }
    )
