"""The consoles of the commands."""

from __future__ import annotations

import os

from rich.console import Console as RichConsole
from rich.console import ConsoleDimensions

WIDE, HIGH = 240, 50  # characters and lines of an output that no terminal shows


class Console(RichConsole):
    """A console whose lines are as wide as what they hold where nobody watches: in a file, a pipe
    or a log a table that is folded to 80 characters can be neither read nor searched."""

    @property
    def size(self) -> ConsoleDimensions:
        """COLUMNS if set, the terminal's own size, else wide."""
        columns = os.environ.get("COLUMNS", "")
        if columns.isdigit():
            return ConsoleDimensions(int(columns), HIGH)
        if getattr(self.file, "isatty", bool)():
            return super().size
        return ConsoleDimensions(WIDE, HIGH)

    @size.setter
    def size(self, new: tuple[int, int]) -> None:
        self._width, self._height = new
