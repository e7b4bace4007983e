"""What is embedded and what stands in the context field of one episode: pure.

Conversation is short and says little on its own ("Yes, last Friday"): the turns around it say what
it is about.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.kernel.graph import Row

REACH = 1  # neighbours on each side that an index entry takes in


@dataclass(frozen=True, slots=True)
class Composed:
    """The text that gets the vector, and the terms of the context field."""

    embedded: str
    context_terms: str


def compose(text: Row, before: list[Row], after: list[Row]) -> Composed:
    """`before` and `after` hold the neighbours, nearest first."""
    ordered = [*reversed(before), text, *after]
    return Composed(
        embedded="\n".join(_line(row) for row in ordered),
        context_terms=" ".join(row["terms"] for row in (*before, *after)),
    )


def _line(row: Row) -> str:
    named = row["speaker"] or row["title"]
    return f"{named}: {row['content']}" if named else str(row["content"])
