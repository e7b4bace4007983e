"""What is embedded and what stands in the context field of one episode: pure.

Conversation is short and says little on its own ("Yes, last Friday"): the turns around it say what
it is about. docs/benchmarks.md has what each part brings.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.indexing.neighbours import CONTEXT_AFTER, CONTEXT_BEFORE, context_terms, window_text
from app.kernel.graph import Row

# An entry takes in so many turns at the most on either side; whoever is that near to a new turn
# is indexed anew.
REACH = max(CONTEXT_BEFORE, CONTEXT_AFTER)


@dataclass(frozen=True, slots=True)
class Composed:
    """The text that gets the vector, and the terms of the context field."""

    embedded: str
    context_terms: str


def compose(text: Row, before: list[Row], after: list[Row]) -> Composed:
    """`before` and `after` hold the neighbours, nearest first."""
    borrowed = context_terms(
        text["terms"].split(),
        [row["terms"].split() for row in before],
        [row["terms"].split() for row in after],
    )
    return Composed(
        embedded=window_text(line(text), [line(row) for row in before]),
        context_terms=" ".join(borrowed),
    )


def line(row: Row) -> str:
    """A turn with its speaker, a record with its title."""
    if row["title"]:
        return f"{row['title']}. {row['content']}"
    return f"{row['speaker']}: {row['content']}" if row["speaker"] else str(row["content"])
