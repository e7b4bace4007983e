"""The slots of an agent: which memories it has loaded, and which one leaves for another. Pure.

A slot names a memory and holds no word of it: whoever reads the slots reads the memories by his
rights of that moment, so that what is erased or hidden is in no slot either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.working.model import Eviction


@dataclass(frozen=True, slots=True)
class Loaded:
    """A memory in a slot. `loaded` and `used` count the operations of this agent, and `loaded_at`
    and `used_at` are their moments (ISO 8601)."""

    index: int
    memory: str
    relevance: float
    loaded: int
    used: int
    loaded_at: str
    used_at: str


@dataclass(frozen=True, slots=True)
class Slots:
    """How many slots there are, which memory leaves for another, and what is in them by index."""

    size: int
    eviction: Eviction
    loaded: tuple[Loaded, ...] = ()

    def of(self, memory: str) -> Loaded | None:
        """Return the slot of a memory; None where it is in none."""
        return next((one for one in self.loaded if one.memory == memory), None)

    def fitted(self) -> tuple[Slots, tuple[str, ...]]:
        """Return the slots without what they have no room for any more, each within the indexes
        that there are, and the memories that left."""
        return self._within(self.size)

    def load(self, memory: str, relevance: float, at: str) -> tuple[Slots, tuple[str, ...]]:
        """Return the slots with a memory, and which memories left for it. One that is there already
        stays in its slot, and takes the relevance."""
        held, number = self.of(memory), self._next()
        if held is not None:
            again = replace(held, relevance=relevance, used=number, used_at=at)
            with_it = self._with(again if one is held else one for one in self.loaded)
            return with_it._within(self.size, memory)
        room, gone = self._within(self.size - 1)
        index = min(set(range(self.size)) - {one.index for one in room.loaded})
        new = Loaded(index, memory, relevance, number, number, at, at)
        return room._with([*room.loaded, new]), gone

    def use(self, memory: str, at: str) -> Slots:
        """Return the slots with one use more of a memory."""
        number = self._next()
        return self._with(
            replace(one, used=number, used_at=at) if one.memory == memory else one
            for one in self.loaded
        )

    def unload(self, memory: str) -> Slots:
        """Return the slots without a memory."""
        return self._with(one for one in self.loaded if one.memory != memory)

    def _within(self, most: int, kept_one: str = "") -> tuple[Slots, tuple[str, ...]]:
        """The slots that are worth most, and before them the one of a memory that stays."""
        ranked = sorted(self.loaded, key=self._worth, reverse=True)
        ranked.sort(key=lambda one: one.memory != kept_one)
        kept, gone = ranked[:most], ranked[most:]
        free = iter(sorted(set(range(self.size)) - {one.index for one in kept}))
        placed = [
            one if one.index < self.size else replace(one, index=next(free))
            for one in sorted(kept, key=lambda one: one.index)
        ]
        return self._with(placed), tuple(one.memory for one in gone)

    def _worth(self, one: Loaded) -> tuple[float, ...]:
        if self.eviction is Eviction.LRU:
            return (one.used, one.loaded)
        return (one.relevance, one.loaded)

    def _next(self) -> int:
        return 1 + max((one.used for one in self.loaded), default=0)

    def _with(self, loaded: Iterable[Loaded]) -> Slots:
        return replace(self, loaded=tuple(sorted(loaded, key=lambda one: one.index)))


def dumped(loaded: Sequence[Loaded]) -> list[dict[str, Any]]:
    """Return what is kept of the slots, as JSON."""
    return [asdict(one) for one in loaded]


def held(kept: Sequence[dict[str, Any]]) -> tuple[Loaded, ...]:
    """Return the slots that `dumped` wrote."""
    return tuple(Loaded(**one) for one in kept)


def text_of(shown: Sequence[tuple[Loaded, str, str]]) -> str:
    """Return slots as a text for a prompt, of each slot with the kind and the text of its memory;
    empty where no slot is used."""
    if not shown:
        return ""
    parts = ["## Loaded memories"]
    for slot, kind, text in shown:
        parts.append(f"[{slot.index}] {kind} (relevance {slot.relevance:.2f})\n{text}")
    return "\n\n".join(parts)
