"""A context of whole entries under a number of tokens, section by section. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.embeddings.tokens import count_tokens
from app.search.bundle import CLOSE, NOTICE, OPEN, SENTENCE, element
from app.search.relevance import Asked

LONG = 500  # tokens above which an entry is compressed
SHARE = 0.5  # of its tokens that are left then


class Section(StrEnum):
    """What a context tells, in this order."""

    FACTS = "facts"
    WORKING = "working"
    SHORT_TERM = "short_term"
    EXPERIENCES = "experiences"
    TRAJECTORIES = "trajectories"
    SHARED_KNOWLEDGE = "shared_knowledge"
    LEARNINGS = "learnings"
    REPLAYS = "replays"
    GRAPH = "graph"
    GOALS = "goals"
    OBSERVATIONS = "observations"
    SELF = "self"


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a section: where it stands, its text, and what of that does not hold."""

    id: str
    scope: str
    text: str
    known: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Packed:
    """A context, its tokens and most tokens, and of each section how many entries are told and were
    left out; `ids` are those of what is told."""

    text: str
    tokens: int
    budget: int
    told: Mapping[Section, int]
    left_out: Mapping[Section, int]
    compressed: int
    ids: frozenset[str] = frozenset()


def compressed(text: str, asked: Asked, long: int = LONG) -> str:
    """Return half of a text above so many tokens: the sentences that hold most words of the
    question, the earlier ones of the same worth, in their order; its beginning where no sentence
    fits."""
    whole = count_tokens(text)
    if whole <= long:
        return text
    room = int(whole * SHARE)
    sentences = [part for part in SENTENCE.split(" ".join(text.split())) if part]
    worth = {n: len(asked.within(sentence)) for n, sentence in enumerate(sentences)}
    kept: list[int] = []
    for n in sorted(worth, key=lambda n: (-worth[n], n)):
        cost = count_tokens(sentences[n]) + 2
        if cost <= room:
            kept.append(n)
            room -= cost
    if not kept:
        return text[: len(text) // 2].rstrip() + "…"
    return _joined(sentences, sorted(kept))


def packed(
    sections: Mapping[Section, Sequence[Item]], asked: Asked, budget: int, long: int = LONG
) -> Packed:
    """Return as much of the sections as fits, in their order; what does not fit is left out, and
    what was said before is not said again."""
    lines: dict[Section, list[str]] = {}
    left_out = dict.fromkeys(Section, 0)
    seen: set[str] = set()
    ids: set[str] = set()
    short = 0
    room = budget - count_tokens(_text({}))
    for section in Section:
        for item in sections.get(section, ()):
            said = " ".join(item.text.split())
            if not said or said in seen:
                continue
            text = compressed(item.text, asked, long)
            line = element("entry", {"id": item.id, "scope": item.scope, **item.known}, text)
            frame = 0 if section in lines else count_tokens(_section(section, [""]))
            cost = count_tokens(line + "\n") + frame
            if cost > room:
                left_out[section] += 1
                continue
            seen.add(said)
            ids.add(item.id)
            room -= cost
            short += text != item.text
            lines.setdefault(section, []).append(line)
    text = _text(lines) if lines else ""
    told = {section: len(lines.get(section, ())) for section in Section}
    return Packed(text, count_tokens(text), budget, told, left_out, short, frozenset(ids))


def _joined(sentences: Sequence[str], kept: Sequence[int]) -> str:
    parts = []
    for place, n in enumerate(kept):
        gap = n > (kept[place - 1] + 1 if place else 0)
        parts.append(f"… {sentences[n]}" if gap else sentences[n])
    end = "" if kept[-1] == len(sentences) - 1 else " …"
    return " ".join(parts) + end


def _section(section: Section, lines: Sequence[str]) -> str:
    return "\n".join([f'<section name="{section}">', *lines, "</section>"])


def _text(lines: Mapping[Section, Sequence[str]]) -> str:
    parts = [_section(section, lines[section]) for section in Section if section in lines]
    return "\n".join([NOTICE, OPEN, *parts, CLOSE])
