"""Communities as they are read: their words are those of what they cite, as it is now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.communities.wording import opened, words_key
from app.facts.possible import PossibleChange
from app.kernel.graph import Row
from app.llm.citing import Cited

NAMED = 3  # central entities in a title


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary and where it stands: a fact, or a range of a passage in characters.

    `work` is what the passage is a chunk of, and `first` where the chunk begins in that.
    """

    text: str
    source: str
    kind: str  # fact, or the kind of the passage
    start: int | None = None
    end: int | None = None
    work: str | None = None
    first: int = 0
    changes: tuple[PossibleChange, ...] = ()  # of a fact

    @property
    def told(self) -> str:
        """Its text with what may have changed it."""
        return " ".join([self.text, *(change.aside for change in self.changes)])


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community as it shows now; `size` counts entities, `hidden` lines that hold no more.

    `words` are a model's, named by `worded_by`, while they rest on all that the lines say and
    nothing of it may have changed;
    `note` says why there are none.
    """

    id: str
    scope: str
    level: int
    size: int
    parent: str | None
    central: tuple[Row, ...]
    lines: tuple[Line, ...]
    hidden: int
    told_at: datetime | None
    words: tuple[Cited, ...] = ()
    words_key: str | None = None
    worded_by: str | None = None
    note: str = ""

    @property
    def title(self) -> str:
        """The names of what is most central."""
        return ", ".join(str(one["name"]) for one in self.central[:NAMED])

    @property
    def summary(self) -> str:
        """The model's words or else its lines as one text; empty where nothing is held of it."""
        said = [one.text for one in self.words] or [line.told for line in self.lines]
        return "\n".join(said)

    def only(self, sources: Collection[str]) -> CommunityView:
        """The same with the lines of some sources, and no words that rest on others."""
        lines = tuple(line for line in self.lines if line.source in sources)
        whole = len(lines) == len(self.lines)
        return replace(self, lines=lines, words=self.words if whole else ())


def viewed(rows: Sequence[Row]) -> list[CommunityView]:
    """The communities of `communities.read`; one that nothing is left of is none."""
    return [_view(row) for row in rows if row["central"]]


def _view(row: Row) -> CommunityView:
    own: dict[str, Any] = row["community"]
    facts = [_held(fact) for fact in row["facts"]]
    quoted = [_quoted(said) for said in row["sentences"]]
    lines = (*facts, *quoted)
    key = words_key([line.text for line in lines])
    holds, changed = own["words_key"] == key, any(line.changes for line in lines)
    return CommunityView(
        id=own["id"],
        scope=own["scope"],
        level=own["level"],
        size=own["size"],
        parent=row["parent"],
        central=tuple(row["central"]),
        lines=lines,
        hidden=max(0, own["cited"] - len(lines)),
        told_at=own["told_at"],
        words=opened(own["words"]) if holds and not changed else (),
        words_key=own["words_key"],
        worded_by=own["worded_by"] if holds and not changed else None,
        note=own["words_error"] or "",
    )


def _held(fact: Row) -> Line:
    changes = (PossibleChange.of(fact),) if fact["newer"] else ()
    return Line(fact["statement"], fact["id"], "fact", changes=changes)


def _quoted(said: Row) -> Line:
    start, end = said["start"], said["end"]
    # A line is one line, whatever breaks a paragraph has.
    text = " ".join(said["content"][start:end].split())
    return Line(text, said["id"], said["kind"], start, end, said["work"], said["first"] or 0)
