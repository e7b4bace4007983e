"""What a lower tier says goes under what the higher ones hold: it fills gaps, and that is all.

What of a higher tier was not wholly read keeps later words of lower ones out, and ends none.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from itertools import islice

from app.facts.claim import Rules
from app.facts.interval import Held, Reason, Segment, Standing
from app.facts.sweep import Event, Sweep
from app.kernel.clock import FOREVER

NEIGHBOURS = 16  # older facts, the latest, of which one is told as a possible change


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
        above = list(self.held)
        said: dict[str, list[Event]] = defaultdict(list)
        for event in events:
            said[event.claim.fact].append(event)
        for item in held:
            self._fit(item, above, said[item.fact])
        for item in waiting:
            if not any(h.fact == item.fact and h.contains(item.start) for h in above):
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

    def _fit(self, item: Held, above: list[Held], events: list[Event]) -> None:
        """Keep of an interval what no conflicting one of a higher tier covers."""
        against = sorted((h for h in above if h.conflicts(item)), key=lambda h: h.start)
        if any(item.start < h.start and self._may_share(h, item) for h in against):
            item = replace(item, partial=True)  # it is told as a possible change
        said = sorted(
            {item.start, *(e.at for e in events if item.start <= e.at < item.end and not e.stops)}
        )
        covered: Held | None = None
        reached = item.start
        for moment in said:
            if moment < reached:
                continue
            wall = next((h for h in against if _covers(h, item, moment, above)), None)
            if wall is not None:
                covered = covered or wall
                reached = wall.end
                continue
            later = (h for h in against if h.start > moment and not h.partial)
            following = next((h for h in later if not self._may_share(h, item)), None)
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


def _covers(wall: Held, item: Held, moment: datetime, above: list[Held]) -> bool:
    """Whether what a higher tier holds keeps an interval of a lower one out at a moment; what the
    higher one itself holds beside it is not kept out."""
    if not wall.contains(moment):
        return False
    held = any(h.fact == item.fact and h.contains(moment) for h in above)
    return not (wall.partial and held)


def _age(held: Held) -> tuple[datetime, bool, str]:
    """The earlier is the older; of one moment, what was wholly read."""
    return held.start, held.partial, held.fact
