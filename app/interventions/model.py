"""A suggestion for a policy, with the figures that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field

from app.autonomy.authored import LOCI, Who, known
from app.kernel.kind import Gone, Kind, Stored
from app.kernel.vocab import Label
from app.kernel.wire import Moment

Count = Annotated[int, Field(ge=0, le=2**53 - 1)]


class Subject(StrEnum):
    """What is reviewed."""

    QUARANTINE = "quarantine"
    POSSIBLE_CHANGE = "possible_change"
    MERGE = "merge"
    SKILL_PROPOSAL = "skill_proposal"


class SuggestedAction(StrEnum):
    """What is suggested."""

    AUTO_ACCEPT = "auto_accept"
    AUTO_REJECT = "auto_reject"


class SuggestionState(StrEnum):
    """What became of a suggestion."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


NEXT: Mapping[SuggestionState, tuple[SuggestionState, ...]] = {
    SuggestionState.OPEN: (SuggestionState.ACCEPTED, SuggestionState.DISMISSED),
    SuggestionState.ACCEPTED: (),
    SuggestionState.DISMISSED: (),
}
WORDS = {
    Subject.QUARANTINE: "facts in quarantine",
    Subject.POSSIBLE_CHANGE: "possible changes",
    Subject.MERGE: "merges of entities",
    Subject.SKILL_PROPOSAL: "proposals of skills",
}


class InterventionPolicy(Stored):
    """What reviews of one kind in one scope suggest; it is never applied."""

    subject: Subject
    action: SuggestedAction
    state: SuggestionState = SuggestionState.OPEN
    accepted: Count
    rejected: Count
    least: Count
    rate: Annotated[float, Field(ge=0.5, le=1)]
    since: Moment
    until: Moment
    suggested_at: Moment
    decided_at: Moment | None = None
    decided_by: Who | None = None
    note: str | None = None

    @property
    def reckoning(self) -> str:
        """The figures as a sentence, which follows from the fields."""
        decided = self.accepted + self.rejected
        accepts = self.action is SuggestedAction.AUTO_ACCEPT
        count, word = (self.accepted, "accepted") if accepts else (self.rejected, "rejected")
        days = (self.until - self.since).days
        share = f"{count / decided:.3f}" if decided else "none"
        return (
            f"{count} of {decided} {WORDS[self.subject]} {word} in {days} days: "
            f"{count}/{decided} = {share}, at least {self.rate:.3f}, "
            f"and {decided} are at least {self.least}"
        )

    def people(self) -> Iterable[str]:
        """Return who decided."""
        return {self.decided_by or ""} - {LOCI}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the suggestion with who decided replaced."""
        by = known(name)(self.decided_by) if self.decided_by else self.decided_by
        return self.model_copy(update={"decided_by": by})

    def without(self, gone: Gone) -> Self | None:
        """Return the suggestion without who decided and the note that he wrote, and without a note
        that names somebody."""
        own = self.decided_by is not None and gone.wrote(self.decided_by)
        update: dict[str, Any] = {"decided_by": None} if own else {}
        if own or (self.note and gone.named(self.note)):
            update["note"] = None
        return self.model_copy(update=update)


INTERVENTION = Kind(
    "intervention",
    InterventionPolicy,
    Label.INTERVENTION_POLICY,
    sanitised=("note",),
    changed="suggested_at",
)
