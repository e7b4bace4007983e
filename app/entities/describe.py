"""What an entity is embedded as: its name, its type, and what is held of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

FACTS = 5  # statements that describe an entity


def described(name: str, kind: str, statements: Sequence[str]) -> str:
    """One line a statement below the name and type; at most five statements, in the order given."""
    head = name if kind == "unknown" else f"{name} ({kind})"
    return "\n".join([head, *statements[:FACTS]])
