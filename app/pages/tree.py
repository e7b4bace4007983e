"""Which file of a folder each page becomes. Pure.

A name is taken once, also where case does not count, and is a file or a folder, never both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from app.pages.record import NAME_LONGEST


@dataclass(slots=True)
class Tree:
    """The names that are taken so far."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def take(self, wanted: str, page: str) -> str:
        """The path that was wanted, or one like it that a file can have; the page's id at last."""
        path, own = PurePosixPath(wanted), f"{page}.md"
        beside = f"{path.stem}-{page}{path.suffix or '.md'}"
        names = (wanted, str(path.parent / beside), beside, own)
        name = next((name for name in names if self._free(name)), own)
        self.files.add(name.casefold())
        self.folders.update(_parents(name))
        return name

    def _free(self, name: str) -> bool:
        key = name.casefold()
        fits = all(len(part.encode()) <= NAME_LONGEST for part in name.split("/"))
        return fits and key not in self.files | self.folders and not self.files & _parents(name)


def _parents(name: str) -> set[str]:
    """The folders above a file, as they are compared."""
    parts = name.casefold().split("/")
    return {"/".join(parts[:end]) for end in range(1, len(parts))}
