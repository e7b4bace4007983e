"""What a curator's word on a note that waits does by now: notes may have come since it was written,
and none of them is ended, nor stood beside, unseen. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.embeddings.calibration import Calibration
from app.notes.decide import decide
from app.notes.model import Candidate, Incoming, Standing


@dataclass(frozen=True, slots=True)
class Verdict:
    """A curator's word: `accept`, `keep` or `reject`, and with `accept` which notes alone end."""

    decision: str
    ends: Sequence[str] | None = None

    @property
    def lets_in(self) -> bool:
        """Return whether the note is held from now on, or was at its time."""
        return self.decision != "reject"

    def names(self, note: str) -> bool:
        """Return whether a note that it stands against is to end."""
        return self.decision == "accept" and (self.ends is None or note in self.ends)


@dataclass(frozen=True, slots=True)
class Effect:
    """What letting a note in does beside ending what was named: it `ends` notes as it would if it
    were written now, holds until `before` where a later one has the right to that, and stands
    `beside` those that took the place of what it was let stand with. It must not be let in where
    it contradicts `unseen` ones."""

    ends: tuple[Candidate, ...] = ()
    before: Candidate | None = None
    beside: tuple[Candidate, ...] = ()
    unseen: tuple[Candidate, ...] = ()


def effect(
    new: Incoming,
    verdict: Verdict,
    given: tuple[Mapping[str, Sequence[str]], Sequence[Candidate]],
    at: Calibration,
) -> Effect:
    """Return what the word does, given what the note stands against, each with what came in its
    place by now, and the notes that hold now with those before them."""
    against, found = given
    named = [old for old in against if verdict.names(old)]
    chosen = {*named, *(later for old in named for later in against[old])}
    spared = {*against, *(later for old in against for later in against[old])} - chosen
    free = [
        old
        for old in found
        if old.id not in spared and not (old.id in against and old.standing is Standing.HELD)
    ]
    as_written = replace(new, read_out=False)
    decision = decide(as_written, free, at)
    ended = [old for old in decision.ends if old.standing is Standing.HELD]
    # What was read out of a turn ends nothing that nobody has named, nor does what is to stand
    # beside others.
    ends_more = not new.read_out and verdict.decision == "accept"
    unseen = (*decision.contradicts, *(() if ends_more else ended))
    beside = [
        old
        for old in found
        if old.id in spared and old.id not in against and old.standing is Standing.HELD
        and _clash(as_written, old, at)
    ]  # fmt: skip
    return Effect(
        ends=tuple(old for old in decision.ends if ends_more or old not in ended),
        before=decision.before,
        beside=tuple(beside),
        unseen=tuple(old for old in unseen if old.standing is Standing.HELD),
    )


def _clash(new: Incoming, old: Candidate, at: Calibration) -> bool:
    decision = decide(new, [old], at)
    return bool(decision.ends or decision.contradicts or decision.before)
