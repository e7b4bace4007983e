"""What leads to operations that a drawn walk reaches by chance at best: things in the state that an
operation needs, and two things that go together. Each is made by requests, once before the walk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx

from app.wiring import Parts
from tests.conftest import Principal


@dataclass(frozen=True, slots=True)
class Aim:
    """One request that has to succeed: an operation, ids that answers gave, and what else it
    takes."""

    label: str
    path: dict[str, str]
    body: Any = None
    query: dict[str, str] = field(default_factory=dict)


@dataclass
class Lead:
    """Who walks, two agents beside him, and what they have made so far; `aims` go in order."""

    opened: Parts
    walker: httpx.AsyncClient
    name: str  # of the walker, as a principal
    other: Principal
    third: Principal
    scope: str
    aims: list[Aim] = field(default_factory=list)

    async def ask(
        self, method: str, path: str, body: Any = None, who: httpx.AsyncClient | None = None
    ) -> Any:
        """What an answer of success says."""
        answer = await (who or self.walker).request(method, path, json=body)
        assert answer.is_success, (method, path, answer.text)
        return answer.json() if answer.content else None

    async def make(self, path: str, body: dict[str, Any], scope: str | None = None) -> str:
        """The id of something that is made in the scope."""
        made = await self.ask("POST", path, body | {"scope": scope or self.scope})
        return str(made["id"])

    async def note(self, text: str, **more: Any) -> str:
        """The id of a note of the walker."""
        return await self.make("/v1/notes", {"content": text} | more)

    def aim(self, label: str, body: Any = None, *, scoped: bool = False, **path: str) -> None:
        """Ask for this later, where it says so in the scope."""
        query = {"scope": self.scope} if scoped else {}
        self.aims.append(Aim(label, path, body, query))
