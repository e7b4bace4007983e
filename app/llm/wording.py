"""Prompts are files, one a version, and never changed once released: a change is another file.

A workspace names the version that it is read by, and may add words of its own.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from app.errors import InvalidInput

CURRENT = "window-1"  # what a workspace is read by that names none


@cache
def versions() -> tuple[str, ...]:
    """Return the names of the prompts that there are, in order."""
    names = (entry.name for entry in (files("app.llm") / "prompts").iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in names if name.endswith(".md")))


@cache
def prompt(name: str) -> str:
    """Return the text of a prompt; InvalidInput (field `reading_prompt`) for an unknown one."""
    if name not in versions():
        known = ", ".join(versions())
        raise InvalidInput(f"there is no prompt {name}; there are {known}", field="reading_prompt")
    return (files("app.llm") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
