"""One rule for each shape of clause; the first that can read a clause has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.extraction.drafts import Context, Draft
from app.extraction.rules.action import acts, cleft, running, tastes
from app.extraction.rules.agents import bought, by_whom, comes
from app.extraction.rules.attributes import called, coloured, described
from app.extraction.rules.change import amount_changed, moved, replaced, switched
from app.extraction.rules.dates import birthday, dated, rescheduled
from app.extraction.rules.ends import brought, ended, relieved, taken_off, takes_place, took_over
from app.extraction.rules.hours import coded, opening
from app.extraction.rules.measures import frequency, lasting, term
from app.extraction.rules.openly import said_openly
from app.extraction.rules.places import placed
from app.extraction.rules.possessions import having
from app.extraction.rules.states import paired, stated, wed

Rule = Callable[[Context], list[Draft]]

RULES: tuple[Rule, ...] = (
    cleft,
    birthday,
    moved,
    took_over,
    takes_place,
    relieved,
    taken_off,
    ended,
    amount_changed,
    switched,
    replaced,
    opening,
    coded,
    frequency,
    running,
    rescheduled,
    dated,
    called,
    comes,
    tastes,
    bought,
    brought,
    term,
    by_whom,
    acts,
    wed,
    paired,
    stated,
    placed,
    lasting,
    coloured,
    described,
    having,
    said_openly,
)


def drafts(context: Context) -> Iterator[Draft]:
    """What the first rule that reads the clause finds."""
    for rule in (said_openly,) if context.frame.standing else RULES:
        found = rule(context)
        if found:
            yield from found
            return
