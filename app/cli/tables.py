"""Tables for people, in which an id is whole: it is what the next command is given."""

from __future__ import annotations

from rich.table import Column, Table

ID = 36  # characters of the longest
WHOLE = frozenset(("id", "key", "community"))  # columns of ids and nothing else


def listing(*heads: str) -> Table:
    """Return a table with these columns; those that hold ids are neither cut nor broken."""
    return Table(
        *(
            Column(head, no_wrap=True, overflow="fold", min_width=ID)
            if head in WHOLE
            else Column(head, overflow="fold")
            for head in heads
        )
    )


def pairs(title: str = "") -> Table:
    """Return a table of names and values; a value that is too long goes on in the next line."""
    return Table(
        Column(overflow="fold"), Column(overflow="fold"), title=title or None, show_header=False
    )
