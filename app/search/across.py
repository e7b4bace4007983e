"""What a reader of several scopes is told of facts that hold in their own, and not for him."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.facts.standing import Across
from app.kernel.graph import Row


def told_across(
    gone: Iterable[str], rows: Mapping[str, Row], across: Mapping[str, Across]
) -> dict[str, Row]:
    """What was known of facts, where several scopes together may say more than the fact's own.

    `rows` also have the facts that took their places, as far as the reader sees them.
    """
    told = {fact: rows[fact] for fact in gone if fact in rows}
    for fact, view in across.items():
        if fact in told:
            new = rows.get(view.replaced_by or "")
            told[fact] = rows[fact] | {
                "intervals": [
                    [s.standing, s.valid_from.isoformat(), s.valid_to.isoformat()]
                    for s in view.segments
                ],
                "replaced_by": [["", new["id"], new["statement"]]] if new else [],
            }
    return told
