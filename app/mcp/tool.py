"""What a tool is: its types, the role it asks for, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from mcp.types import Tool as Listed
from mcp.types import ToolAnnotations

from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
from app.mcp.services import Services

PROBLEM = {"type": "object", "required": ["code", "detail"]}  # of every problem document


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool answers: the value of its route, and the same as a text for a prompt."""

    value: msgspec.Struct
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` is handed a value of `takes`; `destructive` tells that it may take something
    out of sight or write over it, `again` that the same call a second time changes nothing more,
    `open_world` that it reaches beyond Loci, and `looks` that it only reads, whatever the role."""

    name: str
    title: str
    description: str
    takes: type[WireModel]
    gives: type[msgspec.Struct]
    run: Callable[[Services, Caller, Any], Awaitable[Told]]
    requires: Role = Role.READER
    destructive: bool = False
    again: bool = True
    open_world: bool = False
    looks: bool = False

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.looks or self.requires is Role.READER

    def listed(self) -> Listed:
        """How the tool is told to a client."""
        return Listed(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_in(self.takes),
            output_schema=schema_out(self.gives),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destructive,
                idempotent_hint=self.again,
                open_world_hint=self.open_world,
            ),
        )


def schema_in(model: type[WireModel]) -> dict[str, Any]:
    """The JSON schema of what a tool takes, without the titles that only repeat names."""
    plain: dict[str, Any] = _untitled(model.model_json_schema())
    return plain


def schema_out(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of what a tool gives, an object at its root as clients ask for: its value, or
    the problem that it has met, since some clients hold what goes wrong against the schema too."""
    (_,), defs = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    made = {"type": "object", "anyOf": [defs.pop(struct.__name__), PROBLEM]}
    return {**made, "$defs": defs} if defs else made


def _untitled(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k != "title" or not isinstance(v, str)}
        return {name: _untitled(each) for name, each in kept.items()}
    return [_untitled(each) for each in value] if isinstance(value, list) else value
