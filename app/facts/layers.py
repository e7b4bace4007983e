"""What a lower tier says goes under what the higher ones hold: it fills gaps, and that is all.

What of a higher tier was not wholly read keeps later words of lower ones out, and ends none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, islice

from app.facts.claim import Rules
from app.facts.interval import Held, Reason, Segment, Standing
from app.facts.sweep import Event, Sweep
from app.kernel.clock import FOREVER

NEIGHBOURS = 16  # older facts, the latest, of which one is told as a possible change


class Above:
    """What higher tiers hold, by when it begins: found by a moment, however much it is."""

    def __init__(self, held: Iterable[Held]) -> None:
        self._held = sorted(held, key=lambda h: h.start)
        self._starts = [h.start for h in self._held]
        self._ends = list(accumulate((h.end for h in self._held), max))  # the latest so far
        # Of each value the interval that begins last.
        self.latest = {(h.value, h.negative): h for h in self._held}.values()

    def at(self, moment: datetime) -> Iterator[Held]:
        """Return what is held at a moment, the earliest first."""
        first, last = bisect_right(self._ends, moment), bisect_right(self._starts, moment)
        return (h for h in self._held[first:last] if h.contains(moment))

    def after(self, moment: datetime) -> Iterator[Held]:
        """Return what begins after a moment, the earliest first."""
        later = range(bisect_right(self._starts, moment), len(self._held))
        return (self._held[place] for place in later)

    def holds(self, fact: str, moment: datetime) -> bool:
        """Return whether a fact is held at a moment."""
        return any(h.fact == fact for h in self.at(moment))


class Layers:
    """Puts what one tier yields under what the higher ones hold."""

    def __init__(self, corrected: set[tuple[str, str, Reason]], rules: Rules) -> None:
        self.rules = rules
        self.held: list[Held] = []
        self.waiting: list[Segment] = []
        self.superseded = set(corrected)
        self.contradictions: set[tuple[str, str]] = set()

    def add(self, sweep: Sweep, events: list[Event]) -> None:
        """One more tier, with the moments at which it says something."""
        held, waiting = sweep.finish()
        self.superseded |= sweep.superseded
        self.contradictions |= sweep.contradictions
        above = Above(self.held)
        said: dict[str, list[datetime]] = defaultdict(list)  # by fact, in order as the events are
        for event in events:
            if not event.stops:
                said[event.claim.fact].append(event.at)
        for item in held:
            self._fit(item, above, said[item.fact])
        for item in waiting:
            if not above.holds(item.fact, item.start):
                self.waiting.append(item.segment(Standing.QUARANTINED))

    def finish(self) -> list[Segment]:
        """All intervals, those of one fact that touch made one."""
        held: list[Segment] = []
        for item in sorted(self.held, key=lambda h: (h.fact, h.start)):
            segment = item.segment(Standing.HELD)
            if held and held[-1].fact == segment.fact and held[-1].valid_to >= segment.valid_from:
                if segment.valid_to > held[-1].valid_to:
                    held[-1] = replace(
                        held[-1],
                        valid_to=segment.valid_to,
                        to_precision=segment.to_precision,
                        reason=segment.reason,
                    )
                continue
            held.append(segment)
        return [*held, *self.waiting]

    @property
    def possible(self) -> set[tuple[str, str]]:
        """Older and newer facts that are held from here on and cannot both be so, of which one was
        not wholly read: the newer may have taken the older's place."""
        still = sorted((h for h in self.held if h.end == FOREVER), key=_age)
        found: set[tuple[str, str]] = set()
        for place, new in enumerate(still):
            older = (
                old
                for old in reversed(still[:place])
                if (old.partial or new.partial) and old.conflicts(new) and _age(old) < _age(new)
            )
            found |= {(old.fact, new.fact) for old in islice(older, NEIGHBOURS)}
        return found

    def _may_share(self, one: Held, other: Held) -> bool:
        """Whether both may be so: what begins later ends the other only where they may not."""
        negated = one.negative or other.negative
        return not negated and self.rules.may_share(one.value, other.value)

    def _wall(self, item: Held, moment: datetime, above: Above) -> Held | None:
        """What a higher tier holds that keeps an interval of a lower one out at a moment; what the
        higher one itself holds beside it is not kept out."""
        against = [h for h in above.at(moment) if h.conflicts(item)]
        held = any(h.partial for h in against) and above.holds(item.fact, moment)
        return next((h for h in against if not (h.partial and held)), None)

    def _following(self, item: Held, moment: datetime, above: Above) -> Held | None:
        """The first interval of a higher tier that begins later and ends one of a lower."""
        later = (h for h in above.after(moment) if h.conflicts(item) and not h.partial)
        return next((h for h in later if not self._may_share(h, item)), None)

    def _fit(self, item: Held, above: Above, moments: list[datetime]) -> None:
        """Keep of an interval what no conflicting one of a higher tier covers; `moments` are those
        at which its fact was said, in order."""
        later = (h for h in above.latest if item.start < h.start and h.conflicts(item))
        if any(self._may_share(h, item) for h in later):
            item = replace(item, partial=True)  # it is told as a possible change
        within = moments[bisect_left(moments, item.start) : bisect_left(moments, item.end)]
        said = list(dict.fromkeys([item.start, *within]))
        covered: Held | None = None
        reached = item.start
        for moment in said:
            if moment < reached:
                continue
            wall = self._wall(item, moment, above)
            if wall is not None:
                covered = covered or wall
                reached = wall.end
                continue
            following = self._following(item, moment, above)
            end = min(item.end, following.start) if following else item.end
            if following is not None and following.start < item.end:
                self.held.append(
                    replace(
                        item,
                        start=moment,
                        end=end,
                        to_precision=following.from_precision,
                        reason=Reason.LATER_VALUE,
                    )
                )
                self.superseded.add((item.fact, following.fact, Reason.LATER_VALUE))
            else:
                self.held.append(replace(item, start=moment))
            reached = end
        if covered is not None:
            self.contradictions.add((covered.fact, item.fact))
            self.waiting.append(
                replace(item, end=item.end, reason=Reason.LOWER_TIER).segment(Standing.QUARANTINED)
            )


def _age(held: Held) -> tuple[datetime, bool, str]:
    """The earlier is the older; of one moment, what was wholly read."""
    return held.start, held.partial, held.fact
