"""What the list of tools weighs in tokens, for each profile of the Model Context Protocol. Pure.

A model gets of a tool its name, its description and the schema of its arguments; some clients hand
it the schema of the result as well, and all that `tools/list` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from app.embeddings.tokens import count_tokens
from app.mcp.service import PROFILES, TOOLS
from app.mcp.tool import Tool

SHOWN = ("name", "description", "inputSchema")
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Weight:
    """Tokens of o200k_base: of what a model is shown of some tools, of all that is listed of them,
    and the heaviest tool of them with its own."""

    profile: str
    tools: int
    shown: int
    listed: int
    heaviest: str
    most: int


def weights() -> list[Weight]:
    """What the tools of the default profile weigh, and those of each further one, which come on
    top."""
    profiles: dict[str, Mapping[str, Tool]] = {DEFAULT: TOOLS, **PROFILES}
    return [_weight(name, tools.values()) for name, tools in profiles.items()]


def _weight(profile: str, tools: Iterable[Tool]) -> Weight:
    each = {tool.name: tokens(tool) for tool in tools}
    heaviest = max(each, key=lambda name: each[name][0])
    shown, listed = (sum(sizes) for sizes in zip(*each.values(), strict=True))
    return Weight(profile, len(each), shown, listed, heaviest, each[heaviest][0])


def tokens(tool: Tool) -> tuple[int, int]:
    """Tokens of what a model is shown of a tool, and of all that is listed of it."""
    listed = tool.listed().model_dump(mode="json", by_alias=True, exclude_none=True)
    shown = {name: listed[name] for name in SHOWN}
    return _count(shown), _count(listed)


def _count(value: object) -> int:
    return count_tokens(orjson.dumps(value).decode())
