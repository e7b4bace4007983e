"""Working memory and traces as lines of a context. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from app.contexts.entries import text_of
from app.traces.model import ToolCall, TraceStep
from app.working.model import Part, Slot

# The parts of a task in the order in which a context tells them, each with its word.
PARTS = {
    Part.STATE: "state",
    Part.KEYS: "",
    Part.RESULTS: "result",
    Part.TOOLS: "tool",
    Part.SCRATCH_PAD: "scratch pad",
    Part.CONVERSATION: "said",
}
MESSAGES = 10  # of a conversation, the last ones


def at_hand(values: Sequence[tuple[Slot, Any]], most: int) -> list[tuple[str, str]]:
    """Return the values of a task as field and text: of each part at most so many, and of the
    conversation the last messages, each by itself."""
    told: list[tuple[str, str]] = []
    for part, word in PARTS.items():
        of_part = [(slot, value) for slot, value in values if slot.part is part]
        for slot, value in of_part[:most]:
            if part is Part.CONVERSATION:
                told += _messages(slot, value)
            else:
                head = " ".join(filter(None, (word, slot.name)))
                told.append((slot.field, f"{head}: {text_of(value)}"))
    return told


def replay(
    task: str, steps: Sequence[TraceStep], calls: Sequence[ToolCall], most: int | None = None
) -> str:
    """Return how a task was solved, step by step with the calls of each; empty where nothing of it
    was noted, and cut after so many characters."""
    of_step: dict[int | None, list[ToolCall]] = {}
    for call in calls:
        of_step.setdefault(call.step, []).append(call)
    numbered = (_step(step, of_step.get(step.number, ())) for step in steps)
    loose = map(_call, of_step.get(None, ()))
    lines, length = [f"{task}:"], len(task)
    for line in filter(None, chain(numbered, loose)):
        lines.append(line)
        length += len(line) + 1
        if most is not None and length > most:
            return "\n".join(lines)[:most].rstrip() + "…"
    return "\n".join(lines) if len(lines) > 1 else ""


def _messages(slot: Slot, value: Any) -> Iterable[tuple[str, str]]:
    messages = value if isinstance(value, list) else [value]
    first = max(0, len(messages) - MESSAGES)
    for number, message in enumerate(messages[first:], start=first):
        said = message if isinstance(message, dict) else {"content": message}
        speaker = said.get("speaker") or said.get("role") or "said"
        yield f"{slot.field}:{number}", f"{text_of(speaker)}: {text_of(said.get('content', said))}"


def _step(step: TraceStep, calls: Sequence[ToolCall]) -> str:
    parts = [step.thought, step.action, *map(_call, calls), step.observation]
    said = " → ".join(part for part in parts if part)
    return f"{step.number}. {said}" if said else ""


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={text_of(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({arguments}) {call.status}"
