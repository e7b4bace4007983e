"""Names of the schema as Python writes them, and back."""

from __future__ import annotations

# What the services call otherwise than the schema does.
ARGUMENTS = {"limit": "first", "cursor": "after", "scope": "scopes"}


def camel(name: str) -> str:
    """A name as the schema writes it; parts between dots on their own."""
    return ".".join(_camel(part) for part in name.split("."))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def snake(name: str) -> str:
    """A name of the schema as Python writes it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
