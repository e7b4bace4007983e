"""Working memory and traces as lines of a context. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from app.contexts.entries import text_of
from app.search.held import told as said_by
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


class Line(NamedTuple):
    """A value as a line: its field, its text, and what of that it says by itself."""

    field: str
    text: str
    said: str


def at_hand(
    values: Sequence[tuple[Slot, Any]], most: int, worth: Mapping[str, float] | None = None
) -> list[Line]:
    """Return the values of a task as lines: of each part at most so many, those that are worth most
    by the names of their keys, and of the conversation the last messages, each by itself."""
    told: list[Line] = []
    for part, word in PARTS.items():
        of_part = [(slot, value) for slot, value in values if slot.part is part]
        for slot, value in _worthiest(of_part, most, worth or {}):
            if part is Part.CONVERSATION:
                told += _messages(slot, value)
            else:
                head = " ".join(filter(None, (word, slot.name)))
                told.append(Line(slot.field, f"{head}: {text_of(value)}", said_by(head, value)))
    return told


def _worthiest(
    values: Sequence[tuple[Slot, Any]], most: int, worth: Mapping[str, float]
) -> Sequence[tuple[Slot, Any]]:
    """So many values, in their order."""
    places = sorted(range(len(values)), key=lambda n: -worth.get(values[n][0].name, 0.0))
    return [values[n] for n in sorted(places[:most])]


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


def _messages(slot: Slot, value: Any) -> Iterable[Line]:
    messages = value if isinstance(value, list) else [value]
    first = max(0, len(messages) - MESSAGES)
    for number, message in enumerate(messages[first:], start=first):
        said = message if isinstance(message, dict) else {"content": message}
        speaker = text_of(said.get("speaker") or said.get("role") or "said")
        content = said.get("content", said)
        text = f"{speaker}: {text_of(content)}"
        yield Line(f"{slot.field}:{number}", text, said_by(speaker, content))


def _step(step: TraceStep, calls: Sequence[ToolCall]) -> str:
    parts = [step.thought, step.action, *map(_call, calls), step.observation]
    said = " → ".join(part for part in parts if part)
    return f"{step.number}. {said}" if said else ""


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={text_of(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({arguments}) {call.status}"
