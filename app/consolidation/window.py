"""What a language model is asked of a stretch of a session. Pure.

The turns are nobody's instruction: they stand in a zone whose mark depends on them, so that no text
can close its own zone, and whatever the model answers is checked against the turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.extraction.predicates import SLOT, Predicate, Registry
from app.extraction.proposed import WORDED
from app.kernel.ids import digest
from app.llm.model import Question
from app.llm.wording import prompt
from app.notes.memories import KINDS, RELATIONS
from app.values.model import Kind

NAME = "window"
MODES = ("assert", "end", "deny")


@dataclass(frozen=True, slots=True)
class Turn:
    """One episode under the label by which a model names it; `new` where it is read now."""

    label: str
    episode: Mapping[str, Any]
    new: bool = True


@dataclass(frozen=True, slots=True)
class Held:
    """A memory or fact that is held, under the label by which a model names it."""

    label: str
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Wording:
    """How a workspace is asked: the version of the prompt, and words of its own beside it."""

    prompt: str
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """The turns of one question, those read before first, and what is held beside them."""

    turns: tuple[Turn, ...]
    held: tuple[Held, ...] = ()

    @classmethod
    def of(
        cls, new: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]] = ()
    ) -> Window:
        """Return the window of some new episodes and those before them, both in order."""
        seen = [Turn(f"b{n}", episode, new=False) for n, episode in enumerate(before, 1)]
        read = [Turn(f"t{n}", episode) for n, episode in enumerate(new, 1)]
        return cls((*seen, *read))

    @property
    def new(self) -> tuple[Turn, ...]:
        """Return the turns that are read now."""
        return tuple(turn for turn in self.turns if turn.new)

    @property
    def text(self) -> str:
        """Return the turns as the model sees them, one block each."""
        return "\n".join(_shown(turn) for turn in self.turns)


def question(window: Window, registry: Registry, wording: Wording) -> Question:
    """Return what is asked of a window."""
    known = sorted(registry, key=lambda predicate: predicate.name)
    listed = "\n".join(_line(predicate) for predicate in known)
    parts = [prompt(wording.prompt), f"Predicates, each with what its object is:\n{listed}"]
    if wording.focus:
        parts.append(f"This workspace asks you besides:\n{wording.focus}")
    return Question(
        name=NAME,
        version=wording.prompt,
        instructions="\n\n".join(parts),
        data="\n\n".join([*_held(window), zoned(window.text)]),
        schema=schema([predicate.name for predicate in known]),
    )


def schema(predicates: Sequence[str]) -> dict[str, Any]:
    """Return the JSON Schema of an answer, in the subset that strict structured output takes."""
    text, maybe = {"type": "string"}, {"type": ["string", "null"]}
    relation = {"relation": _one_of(RELATIONS), "of": maybe}
    memory = {
        "text": text,
        "kind": _one_of(KINDS),
        "turns": {"type": "array", "items": text},
        **relation,
    }
    claim = {
        "turn": text,
        "subject": text,
        "predicate": _one_of(predicates),
        "object": text,
        "mode": _one_of(MODES),
        "quote": text,
        "since": maybe,
        "until": maybe,
        **relation,
    }
    return _object({"memories": _list(memory), "claims": _list(claim)})


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _list(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(fields)}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def zoned(text: str) -> str:
    """Return a text in a zone whose mark depends on it."""
    mark = f"text-{digest('zone', text)[:16]}"
    return f"<{mark}>\n{text}\n</{mark}>"


def _held(window: Window) -> list[str]:
    if not window.held:
        return []
    lines = "\n".join(f"[{held.label}] {' '.join(held.text.split())}" for held in window.held)
    return [f"Held already:\n{zoned(lines)}"]


def _shown(turn: Turn) -> str:
    episode = turn.episode
    when = episode["captured_at"].strftime("%Y-%m-%d %H:%M %A")
    who = " ".join((episode.get("speaker") or episode.get("role") or "").split())
    return f"[{turn.label}] {when} {who}".rstrip() + f":\n{episode['content']}"


def _line(predicate: Predicate) -> str:
    if predicate.kind is Kind.ENTITY:
        kind = " or ".join(sorted(predicate.range)) or "name"
    else:
        kind = predicate.kind.value if predicate.kind else "name or text"
    if predicate.domain and predicate.domain <= WORDED:
        kind = f"{kind}; its subject is a {' or '.join(sorted(predicate.domain))}"
    if (predicate.domain or predicate.range) and predicate.domain | predicate.range <= WORDED:
        kind += " in the words of the turn"
    label = SLOT.sub("…", predicate.label_en or predicate.name.replace("_", " "))
    return f"{predicate.name}: {label.removesuffix(' …')} ({kind})"
