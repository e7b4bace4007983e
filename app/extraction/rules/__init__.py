"""One rule for each shape of clause; the first that can read a clause has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.extraction.drafts import Context, Draft
from app.extraction.rules.action import (
    acts,
    bought,
    by_whom,
    cleft,
    comes,
    frequency,
    having,
    lasting,
    running,
    tastes,
    term,
)
from app.extraction.rules.being import (
    birthday,
    called,
    coloured,
    dated,
    described,
    placed,
    stated,
)
from app.extraction.rules.change import amount_changed, moved, replaced, switched

Rule = Callable[[Context], list[Draft]]

RULES: tuple[Rule, ...] = (
    cleft,
    birthday,
    moved,
    amount_changed,
    switched,
    replaced,
    frequency,
    running,
    dated,
    called,
    comes,
    tastes,
    bought,
    term,
    by_whom,
    acts,
    stated,
    placed,
    lasting,
    coloured,
    described,
    having,
)


def drafts(context: Context) -> Iterator[Draft]:
    """What the first rule that reads the clause finds."""
    for rule in RULES:
        found = rule(context)
        if found:
            yield from found
            return
