"""What a change of settings would do to recent memories, as those who know them say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from app.kernel.caller import Caller

MOST = 20  # memories that an effect names


@dataclass(frozen=True, slots=True)
class Effect:
    """Of how many recent memories of a kind a change of some settings would change how many, and
    the ids of some of those that the caller may see. `outcome` says what would become of them."""

    settings: tuple[str, ...]
    kind: str
    outcome: str
    looked_at: int
    changed: int
    ids: tuple[str, ...]

    @classmethod
    def of(
        cls,
        settings: tuple[str, ...],
        kind: str,
        outcome: str,
        looked_at: int,
        ids: list[str],
        unnamed: int = 0,
    ) -> Effect:
        """Return the effect on some memories, of which so many are named, and on others, of which
        none is."""
        changed = len(ids) + unnamed
        return cls(settings, kind, outcome, looked_at, changed, tuple(ids[:MOST]))


@runtime_checkable  # the framework asks whether a dependency is one
class Foresight(Protocol):
    """Tells the effects of settings before they hold; writes nothing."""

    async def effects(
        self,
        who: Caller,
        scopes: Mapping[str, Mapping[str, Any]],
        before: Mapping[str, Any],
        after: Mapping[str, Any],
    ) -> list[Effect]:
        """Return the effects in some scopes of each setting that changes; what the caller may not
        see is counted at most. `scopes` has by scope the values that it does
        not take from where the change is made, which it does not follow."""
        ...
