"""Texts that are the script of a talk: `name: words` a line, as Graphiti takes messages. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# A line of a speaker: a name without a colon, of which Graphiti's own examples may say the role
# in brackets, `Ada (user): …`.
_LINE = re.compile(
    r"(?P<name>[^\s:][^:\n]{0,60}?)(?: \((?P<role>[a-z]{1,12})\))?:[ \t]+(?P<said>\S.*)"
)
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
         "bot": "assistant", "tool": "tool", "function": "tool", "system": "system"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said; `role` is user where nothing tells another, `speaker` a name that is
    no role."""

    role: str
    speaker: str | None
    content: str


def turns(given: Any) -> list[Turn] | None:
    """The turns of a script; None for a text that is none.

    A script begins with a speaker. Where each line has one, each is a turn; else a line begins one
    if its speaker is a role or the first speaker, and the other lines go on with what was said.
    """
    lines = [line for line in given.splitlines() if line.strip()] if isinstance(given, str) else []
    found = [_LINE.match(line.strip()) for line in lines]
    if not found or found[0] is None:
        return None
    each, first = all(found), found[0]["name"]
    made: list[list[str]] = []
    for line, match in zip(lines, found, strict=True):
        if match and (each or _begins(match, first)):
            made.append([match["name"], match["role"] or "", match["said"]])
        else:
            made[-1].append(line.strip())
    return [_turn(*parts) for parts in made]


def _begins(match: re.Match[str], first: str) -> bool:
    return match["name"] == first or match["role"] in ROLES or _role(match["name"]) is not None


def _role(name: str) -> str | None:
    return ROLES.get(name.lower())


def _turn(name: str, role: str, *said: str) -> Turn:
    known = _role(name)
    return Turn(known or ROLES.get(role, "user"), None if known else name, "\n".join(said))
