"""Tables for people, in which an id is whole: it is what the next command is given."""

from __future__ import annotations

from rich.table import Column, Table

WHOLE = {"id": 36, "key": 36}  # columns of ids, and how wide one is


def listing(*heads: str) -> Table:
    """Return a table with these columns; those that hold ids are neither cut nor broken."""
    return Table(
        *(
            Column(head, no_wrap=True, overflow="fold", min_width=WHOLE[head])
            if head in WHOLE
            else Column(head, overflow="fold")
            for head in heads
        )
    )
