"""What a scope holds as Markdown. Pure: the same content gives the same bytes.

It holds no moment and no id, and its order is that of the words. Each entry is one line, so that
no text of a client can begin a heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.kernel.graph import Row

COUNTED = {
    "episodes": "Episodes",
    "documents": "Documents",
    "pages": "Pages",
    "entities": "Entities",
    "facts": "Facts",
    "quarantined": "Facts in quarantine",
    "notes": "Notes",
    "skills": "Active skills",
}


@dataclass(frozen=True, slots=True)
class Content:
    """What a snapshot is made of, each list in its order, with one more entry than is shown where
    there are more."""

    statistics: Row
    skills: Sequence[Row]
    learnings: Sequence[Row]
    notes: Sequence[Row]
    facts: Sequence[Row]


def rendered(scope: str, content: Content, most: int) -> str:
    """Return the Markdown of a scope, with at most so many entries of each list."""
    counts = [f"| {word} | {content.statistics[name]} |" for name, word in COUNTED.items()]
    lines = [
        f"# Snapshot of {scope}",
        "",
        "## Skills",
        "",
        *_listed([_skill(row) for row in content.skills], most),
        "## Learnings",
        "",
        *_listed([_note(row) for row in content.learnings], most),
        "## Knowledge",
        "",
        "### Notes",
        "",
        *_listed([_note(row) for row in content.notes], most),
        "### Facts",
        "",
        *_listed([one_line(row["content"]) for row in content.facts], most),
        "## Statistics",
        "",
        "| Kind | Count |",
        "| --- | --- |",
        *counts,
    ]
    return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def _skill(row: Row) -> str:
    told = f"{row['name']} ({row['category']}, version {row['version']}): {row['description']}"
    return one_line(told)


def _note(row: Row) -> str:
    title = f"{row['title']}: " if row["title"] else ""
    return one_line(title + row["content"])


def _listed(entries: Iterable[str], most: int) -> list[str]:
    """Lines of a list with an empty one after it."""
    given = list(entries)
    lines = [f"- {entry}" for entry in given[:most]]
    if len(given) > most:
        lines.append(f"- There are more than these {most}.")
    return [*(lines or ["There are none."]), ""]
