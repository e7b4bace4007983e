"""How far a scope is with another embedding model: states and moves, pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.errors import Conflict
from app.indexing.spaces import FIRST


class State(StrEnum):
    """What the space beside the one that is searched is there for."""

    SETTLED = "settled"  # there is none
    FILLING = "filling"  # it is to take over
    KEPT = "kept"  # it was searched before, and may be again


@dataclass(frozen=True, slots=True)
class Choice:
    """The space that a scope is searched in, and the one beside it, by name."""

    space: str = FIRST.name
    beside: str | None = None
    state: State = State.SETTLED

    def prepared(self, space: str) -> Choice:
        """`space` is filled beside; Conflict where another is, or where it is searched already."""
        if space == self.space:
            raise Conflict("the scope is searched by that model already", field="model")
        if self.state is State.KEPT and space == self.beside:
            raise Conflict(
                "the scope was searched by that model until lately: roll back to it", field="model"
            )
        if self.beside not in (None, space):
            raise Conflict(
                "another model is beside it: finish or abandon that first", field="model"
            )
        return Choice(self.space, space, State.FILLING)

    def switched(self) -> Choice:
        """What was filled is searched, and what was searched is kept; Conflict if none is."""
        if self.state is not State.FILLING or self.beside is None:
            raise Conflict("no model is being prepared for this scope", field="scope")
        return Choice(self.beside, self.space, State.KEPT)

    def rolled_back(self) -> Choice:
        """The former space is searched again, the other goes on being filled."""
        if self.state is not State.KEPT or self.beside is None:
            raise Conflict("no former model is kept for this scope", field="scope")
        return Choice(self.beside, self.space, State.FILLING)

    def finished(self) -> Choice:
        """Only the space that is searched is left; Conflict where there is no other."""
        if self.beside is None:
            raise Conflict("there is no other model beside this scope's", field="scope")
        return Choice(self.space)


def overlap(before: list[str], after: list[str], k: int) -> float:
    """The share of the first k answers that two rankings have in common, of those that there are.

    A text with several windows stands once. Two empty rankings agree.
    """
    left, right = (set(list(dict.fromkeys(ids))[:k]) for ids in (before, after))
    most = max(len(left), len(right))
    return len(left & right) / most if most else 1.0
