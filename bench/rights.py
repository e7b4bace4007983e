"""Who may see what, told a second time and as plainly as can be: the model that isolation is
checked by. It knows nothing of how the service finds out."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

import httpx

IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}")
LETTERS = "bcdfghjklmnpqrstvwxz"  # no vowels: no word, no number, nothing to be sanitised


@dataclass(frozen=True, eq=False)
class Principal:
    """An agent or user with a key; a tenant's admin holds every scope of it."""

    id: str
    name: str
    home: str
    role: str
    everything: bool
    http: httpx.AsyncClient

    @property
    def tenant(self) -> str:
        return self.home.split("/")[0]

    def sees(self, scope: str) -> bool:
        """Return whether a scope is its home, one above it, or below where it holds the whole."""
        above = self.home == scope or self.home.startswith(f"{scope}/")
        return above or (self.everything and scope.startswith(f"{self.home}/"))


@dataclass(frozen=True)
class Item:
    """One written value: its marker, the word it is found by, and for whom it is."""

    kind: str
    marker: str
    key: str
    scope: str
    owner: str
    ids: dict[str, str] = field(default_factory=dict)
    only: frozenset[str] | None = None  # principals; None where whoever sees the scope may
    words: frozenset[str] = frozenset()  # which of `ids` a client made up: they are no secret

    @property
    def served(self) -> list[str]:
        """Return the ids that the service gave."""
        return [value for name, value in self.ids.items() if name not in self.words]

    def seen_by(self, who: Principal) -> bool:
        """Return whether a principal may be told of it; whoever wrote it always may."""
        if self.only is not None:
            return who.id in self.only
        return who.id == self.owner or who.sees(self.scope)


class Register:
    """Every value that was written, by its marker."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.items: dict[str, Item] = {}

    def word(self, first: str) -> str:
        """Return a word that nothing else holds."""
        return first + "".join(self.rng.choice(LETTERS) for _ in range(12)) + first

    def leaks(self, who: Principal, told: str, asked: str) -> list[Item]:
        """Return items in an answer that its reader may not see; not those that he named."""
        return [
            one for one in self.within(told) if not one.seen_by(who) and one.marker not in asked
        ]

    def named(self, who: Principal, told: str, asked: str) -> list[Item]:
        """Return items whose id stands in an answer, likewise: what tells ids and no text."""
        owners = {one: item for item in self.items.values() for one in item.served}
        found = [(one, owners[one]) for one in IDS.findall(told) if one in owners]
        return [item for one, item in found if not item.seen_by(who) and one not in asked]

    def within(self, told: str) -> list[Item]:
        """Return the items whose marker stands in a text, in any case."""
        parts = told.casefold().split("zq")
        markers = {f"zq{part[:12]}zq" for part in parts}
        return [self.items[marker] for marker in markers if marker in self.items]
