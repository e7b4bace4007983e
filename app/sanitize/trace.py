"""A text that remembers where each part of it came from, through any number of edits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Edit(NamedTuple):
    """Replace `[start, end)` of the current text, in characters, by `text`."""

    start: int
    end: int
    text: str


class Run(NamedTuple):
    """A stretch of the current text; `copied` says it is the origin's own, letter by letter."""

    at: int
    start: int
    end: int
    copied: bool


@dataclass(frozen=True, slots=True)
class Traced:
    """`text` and the runs that lead back to the origin; offsets are in characters."""

    text: str
    runs: tuple[Run, ...]

    @classmethod
    def of(cls, text: str) -> Traced:
        """A text that is its own origin."""
        return cls(text, (Run(0, 0, len(text), True),))

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the origin that `[start, end)` of the current text covers."""
        if len(self.runs) == 1 and self.runs[0].copied:
            shift = self.runs[0].start
            return start + shift, end + shift
        first, last = self._run(start), self._run(max(start, end - 1))
        begin = first.start + (start - first.at) if first.copied else first.start
        stop = last.start + (end - last.at) if last.copied else last.end
        return begin, max(begin, stop)

    def place(self, start: int) -> int:
        """Where a character of the origin stands now; of one that was cut, what came after it."""
        index = bisect_right(self.runs, start, key=lambda run: run.start) - 1
        if index < 0:
            return 0
        run = self.runs[index]
        if run.copied and start < run.end:
            return run.at + (start - run.start)
        if start < run.end or index + 1 == len(self.runs):
            return run.at if start < run.end else len(self.text)
        return self.runs[index + 1].at

    def _run(self, position: int) -> Run:
        index = bisect_right(self.runs, position, key=lambda run: run.at) - 1
        return self.runs[max(index, 0)]

    def edit(self, edits: Iterable[Edit]) -> Traced:
        """The text after `edits`, which must be sorted and must not overlap."""
        pieces: list[str] = []
        runs: list[Run] = []
        at = done = 0
        for edit in edits:
            at = self._copy(done, edit.start, at, pieces, runs)
            if edit.text:
                pieces.append(edit.text)
                runs.append(Run(at, *self.origin(edit.start, edit.end), copied=False))
                at += len(edit.text)
            done = edit.end
        self._copy(done, len(self.text), at, pieces, runs)
        return Traced("".join(pieces), tuple(runs) or (Run(0, 0, 0, True),))

    def _copy(self, start: int, end: int, at: int, pieces: list[str], runs: list[Run]) -> int:
        """Take `[start, end)` over unchanged, as many runs as it crosses; the new length."""
        if start >= end:
            return at
        pieces.append(self.text[start:end])
        index = max(bisect_right(self.runs, start, key=lambda run: run.at) - 1, 0)
        position = start
        while position < end:
            run = self.runs[index]
            index += 1
            stop = min(end, self.runs[index].at if index < len(self.runs) else len(self.text))
            if run.copied:
                begin = run.start + (position - run.at)
                runs.append(Run(at, begin, begin + (stop - position), True))
            else:
                runs.append(Run(at, run.start, run.end, False))
            at += stop - position
            position = stop
        return at
