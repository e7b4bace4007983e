"""What goals and escalations share: texts of several writers, a version, a history of states."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Stored, unpacked
from app.kernel.wire import Moment, WireModel

LONGEST = 20_000  # characters of a text
MOST_STEPS = 500  # of one history, the newest ones; audit events tell of all
LOCI = "loci"  # who acts where a schedule does

Who = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST, strip_whitespace=True)]
Word = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,32}$")]
Version = Annotated[int, Field(ge=1, le=2**53 - 1)]


class Transition(WireModel):
    """One change of state: from which to which, by whom, and when."""

    at: Moment
    by: Who
    before: Word
    to: Word


def known(name: Callable[[str], str]) -> Callable[[str], str]:
    """Leave alone what is no principal."""
    return lambda one: one if one in ("", LOCI) else name(one)


class Authored(Stored):
    """A value with texts, of which `writers` tells who wrote which last.

    A subclass names its texts in `texts`, the first of which it cannot do without, and in
    `assigned` the fields that name one principal or none.
    """

    texts: ClassVar[tuple[str, ...]] = ()
    assigned: ClassVar[tuple[str, ...]] = ()

    version: Version = 1
    created_at: Moment
    created_by: Who
    changed_at: Moment
    changed_by: Who
    writers: Annotated[dict[str, Who], BeforeValidator(unpacked)] = Field(default_factory=dict)
    history: Annotated[
        tuple[Transition, ...], Field(max_length=MOST_STEPS), BeforeValidator(unpacked)
    ] = ()

    def people(self) -> Iterable[str]:
        """Return everybody who made, changed, wrote or advanced the value, or is named by it."""
        named = {self.created_by, self.changed_by, *self.writers.values()}
        own = {getattr(self, field) or "" for field in self.assigned}
        return {*named, *own, *(step.by for step in self.history)} - {LOCI}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the value with every principal replaced."""
        return self._with_people(known(name))

    def without(self, gone: Gone) -> Self | None:
        """Return the value without what somebody wrote and what names him; None where he made it
        and nobody else has written a word of it.

        The first text gives way to the id where it goes. What the value refers to is let go of.
        """
        writers = {
            name: self.writers.get(name, self.created_by)
            for name in self.texts
            if getattr(self, name)
        }
        if gone.wrote(self.created_by) and all(gone.wrote(by) for by in writers.values()):
            return None
        lost = {
            name
            for name, by in writers.items()
            if gone.wrote(by) or gone.named(getattr(self, name))
        }
        update: dict[str, Any] = dict.fromkeys(lost)
        if self.texts[0] in lost:
            update[self.texts[0]] = self.id
        if gone.took(self.refers()):
            update |= self.detached()
        kept = self._with_people(lambda one: "" if gone.wrote(one) else one)
        return kept.model_copy(update={**update, "version": self.version + bool(lost)})

    def detached(self) -> dict[str, Any]:
        """Return what is set where the node that the value refers to goes."""
        return {}

    def stepped(self, step: Transition) -> dict[str, Any]:
        """Return what a change of state sets: state, history, and the moment of it."""
        history = (*self.history, step)[-MOST_STEPS:]
        return {"state": step.to, "history": history, "changed_at": step.at}

    def _with_people(self, name: Callable[[str], str]) -> Self:
        steps = tuple(step.model_copy(update={"by": name(step.by)}) for step in self.history)
        own = {
            field: name(getattr(self, field)) or None
            for field in self.assigned
            if getattr(self, field)
        }
        return self.model_copy(
            update={
                **own,
                "created_by": name(self.created_by),
                "changed_by": name(self.changed_by),
                "writers": {field: name(by) for field, by in self.writers.items()},
                "history": steps,
            }
        )
