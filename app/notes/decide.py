"""What a new note does to the ones there are: pure, and the same in whatever order they came.

Contradiction comes before repetition, so that a near-duplicate that contradicts is not swallowed.
A note that was read out of a turn does nothing to any other: where it contradicts one it waits. One
that somebody wrote is decided upon as if there were none of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.contradiction.compare import compare
from app.contradiction.model import Verdict
from app.contradiction.repetition import adds_nothing
from app.embeddings.calibration import Calibration, Kinds
from app.indexing.analysis import analyse
from app.indexing.stop_words import STOP_WORDS
from app.kernel.clock import FOREVER
from app.kernel.ids import digest
from app.notes.model import UNTESTED, Candidate, Decision, Incoming, Standing

SEVERAL = "it may mean more than one of them"
REPEATS, CANDIDATE = 0.90, 0.80  # similarity of texts, and that of their matter (seed 003)


def decide(new: Incoming, candidates: Sequence[Candidate], at: Calibration) -> Decision:
    """Candidates are live notes of the same scope and namespace, and the former notes that those
    have taken the place of."""
    if new.read_out:
        decision = _decided(new, candidates, at)
        acts = decision.ends or decision.contradicts
        return waiting(decision, decision.reason) if acts else decision
    written = [old for old in candidates if not old.read_out]
    read = [old for old in candidates if old.read_out and old.standing is Standing.HELD]
    return _over_read(_decided(new, written, at), new, read, at)


def waiting(decision: Decision, reason: str) -> Decision:
    """Return the decision for a note that waits instead, beside those that it stands against."""
    before = () if decision.before is None else (decision.before,)
    against = (*decision.ends, *decision.contradicts, *before)
    return Decision(Standing.QUARANTINED, contradicts=against, reason=reason)


def _over_read(
    decision: Decision, new: Incoming, read: Sequence[Candidate], at: Calibration
) -> Decision:
    """Return the decision with the notes out of turns that a written one contradicts: it ends
    those that it may end, others wait, and it waits for none of them."""
    clashes = [] if decision.duplicate else _clashes(new, read, at)
    if not clashes:
        return decision
    olds = [old for old, _ in clashes]
    reason = decision.reason or f"{clashes[0][1].kind}: {clashes[0][1].reason}"
    if decision.standing is Standing.QUARANTINED:
        return replace(decision, contradicts=(*decision.contradicts, *olds))
    ended = [old for old in olds if place_of(old) <= place_of(new) and may_end(new, old)]
    waits = [old for old in olds if old not in ended and old.valid_from < ends_at(decision)]
    return replace(
        decision,
        ends=(*decision.ends, *ended),
        contradicts=(*decision.contradicts, *waits),
        reason=reason,
    )


def _decided(new: Incoming, candidates: Sequence[Candidate], at: Calibration) -> Decision:
    clashes = _clashes(new, candidates, at)
    held = [c for c in candidates if c.standing is Standing.HELD]
    if not any(_matters(old, new) for old, _ in clashes):
        repeated = _repeated(new, held, at)
        if repeated.duplicate or repeated.ends or not clashes:
            return repeated
    if _several([(old.content, old.language, verdict) for old, verdict in clashes
                 if old.standing is Standing.HELD], new):  # fmt: skip
        targets = tuple(old for old, _ in clashes if old.standing is Standing.HELD)
        return Decision(Standing.QUARANTINED, contradicts=targets, reason=SEVERAL)
    return _apart(_resolved(new, clashes), new, candidates)


def _matters(old: Candidate, new: Incoming) -> bool:
    """Return whether a contradicted note is held, or holds when the new one does or later."""
    return (
        old.standing is Standing.HELD
        or old.valid_to > new.valid_from
        or old.valid_from > new.valid_from
    )


def _several(said: Sequence[tuple[str, str, Verdict]], new: Incoming | Candidate) -> bool:
    """Return whether texts that one text contradicts are about different things, as far as it says.

    "The budget is 5000" contradicts the budget of Vega and that of Lyra: each says a word that
    the new text lacks, and not the same one. The values that clash are no such words.
    """
    rests = {_rest(text, language, verdict, new) for text, language, verdict in said}
    return len(rests) > 1


def _rest(text: str, language: str, verdict: Verdict, new: Incoming | Candidate) -> frozenset[str]:
    """Return the telling terms of a text that are neither in the new one nor what clashes."""
    known = {*analyse(new.content, new.language), *analyse(verdict.old), *analyse(verdict.new)}
    return frozenset(analyse(text, language)) - known - STOP_WORDS


def _apart(decision: Decision, new: Incoming, candidates: Sequence[Candidate]) -> Decision:
    """Return the decision, but for a later note that has ended one about another thing than the
    new one: it may mean either, so it waits, and what it had ended holds again."""
    later = decision.before
    if later is None or later.standing is not Standing.HELD:
        return decision
    ended = [
        old
        for old in candidates
        if old.standing is Standing.SUPERSEDED and old.valid_to == later.valid_from
    ]
    said = [(old.content, old.language, _compared_as_stored(old, later)) for old in ended]
    if not ended or not _several(
        [*said, (new.content, new.language, _compared(new, later))], later
    ):
        return decision
    return Decision(contradicts=(later,), reopens=tuple(ended), reason=SEVERAL)


def may_end(later: Incoming | Candidate, earlier: Incoming | Candidate) -> bool:
    """Return whether a note may end an earlier one: of a higher tier, or of its author's own."""
    if later.tier == earlier.tier:
        return later.author == earlier.author
    return later.tier > earlier.tier


def _clashes(
    new: Incoming, candidates: Sequence[Candidate], at: Calibration
) -> list[tuple[Candidate, Verdict]]:
    if new.namespace in UNTESTED:
        return []
    found = []
    for old in candidates:
        by_vector_alone = old.cosine is not None and not old.worded
        if by_vector_alone and _similarity(new, old, at, Kinds.MATTER) < CANDIDATE:
            continue
        verdict = _compared(new, old)
        if verdict.found:
            found.append((old, verdict))
    return found


def _compared_as_stored(earlier: Candidate, later: Candidate) -> Verdict:
    language = earlier.language if earlier.language == later.language else None
    return compare(earlier.content, later.content, language)


def _compared(new: Incoming, old: Candidate) -> Verdict:
    """Compare the earlier text with the later one, by when they hold."""
    language = new.language if new.language == old.language else None
    if place_of(old) <= place_of(new):
        return compare(old.content, new.content, language)
    return compare(new.content, old.content, language)


def place_of(note: Incoming | Candidate) -> tuple[datetime, int, str]:
    """Return the place of a note in time; of one moment the higher tier comes last and stays."""
    return note.valid_from, note.tier, digest(note.content)


def _resolved(new: Incoming, clashes: list[tuple[Candidate, Verdict]]) -> Decision:
    """Let each note hold until the next that contradicts it and may end it; others wait."""
    reason = f"{clashes[0][1].kind}: {clashes[0][1].reason}"
    olds = [old for old, _ in clashes]
    earlier = [o for o in olds if place_of(o) <= place_of(new)]
    ended = [o for o in earlier if o.standing is Standing.HELD or o.valid_to > new.valid_from]
    barred = [o for o in ended if o.standing is Standing.HELD and not may_end(new, o)]
    if barred:
        return Decision(Standing.QUARANTINED, contradicts=tuple(barred), reason=reason)
    later = [old for old in olds if place_of(old) > place_of(new)]
    waits = [old for old in later if _must_wait(old, new, olds)]
    before = min((old for old in later if old not in waits), key=place_of, default=None)
    standing = Standing.HELD if before is None else Standing.SUPERSEDED
    return Decision(standing, None, tuple(ended), before, tuple(waits), reason=reason)


def _must_wait(later: Candidate, new: Incoming, olds: list[Candidate]) -> bool:
    """Return whether a note that came first would have had to wait, had it come second. One that
    has ended others by right stays."""
    has_ended = any(
        old.standing is Standing.SUPERSEDED and old.valid_to == later.valid_from for old in olds
    )
    return later.standing is Standing.HELD and not has_ended and not may_end(later, new)


def _repeated(new: Incoming, candidates: list[Candidate], at: Calibration) -> Decision:
    same = [old for old in candidates if _repeats(new, old, at)]
    if not same:
        return Decision()
    first = max(same, key=lambda old: (old.cosine or 0.0, old.id))
    if new.tier > first.tier and not new.read_out:
        # What an agent inferred and a user now says is the user's word from here on.
        return Decision(
            ends=(first,), confirmations=first.confirmations + 1, reason="said by a higher tier"
        )
    return Decision(duplicate=first, reason="it says nothing new")


def _repeats(new: Incoming, old: Candidate, at: Calibration) -> bool:
    if new.content == old.content:
        return True
    if _similarity(new, old, at, Kinds.TEXTS) < REPEATS:
        return False
    return adds_nothing(old.content, new.content, new.language)


def _similarity(new: Incoming, old: Candidate, at: Calibration, kinds: Kinds) -> float:
    """0 where no vector was compared."""
    if old.cosine is None:
        return 0.0
    return at.similarity(old.cosine, kinds, (new.language, old.language))


def ends_at(decision: Decision) -> datetime:
    """Return until when the new note holds."""
    return FOREVER if decision.before is None else decision.before.valid_from
