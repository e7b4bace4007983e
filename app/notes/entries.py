"""Notes as an agent handles them, by their words: what is to change is named by its text or id.

What is taken out is hidden, not erased: readings of an earlier moment still need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import Conflict, Forbidden, InvalidInput, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.scope import parse_scope
from app.notes.model import MADE, Draft, Namespace, NoteReceipt, Original, Standing
from app.notes.repository import NoteRepository
from app.notes.service import Change, NoteService
from app.sanitize.privacy import named

WRITTEN = tuple(space for space in Namespace if space not in MADE)
NAMED = 10  # candidates that a refusal names


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: scopes, and namespaces that somebody writes to."""

    scopes: Sequence[str]
    namespaces: tuple[Namespace, ...] = WRITTEN


@dataclass(frozen=True, slots=True)
class Fitting:
    """Entries that a text fits: those that the caller may change, and those of others."""

    entries: list[Row]
    others: list[Row]


@dataclass(frozen=True, slots=True)
class Promoted:
    """What became of the text in the broader scope, and whether the source is hidden now."""

    source: Row
    receipt: NoteReceipt
    hidden: bool


class NoteEntries:
    """Notes by their words."""

    def __init__(self, notes: NoteService) -> None:
        self._notes = notes
        self._rows: NoteRepository = notes.repository

    async def page(self, place: Place, text: str, after: str, limit: int) -> list[Row]:
        """Return held entries that contain a text, whatever the case of its letters, by id."""
        return await self._rows.with_text(
            place.scopes, place.namespaces, text, after=after, limit=limit
        )

    async def one(self, place: Place, old: str, field: str, *, parts: bool = True) -> Row:
        """Return the entry that an id, a whole text or, with `parts`, a part of a text names.

        Raises NotFound where none fits, and Conflict with the ids of the candidates where several
        do, both with the given field.
        """
        found = await self._named(place, old, NAMED + 1, (True, False) if parts else (True,))
        if not found:
            raise NotFound("no entry that is held says that", field=field)
        if len(found) > 1:
            raise Conflict(_ambiguous(found), field=field)
        return found[0]

    async def update(self, caller: Caller, place: Place, old: str, new: str) -> tuple[Row, Row]:
        """Put a text in the place of an entry's; the entry before and after.

        The former text is kept as a version. Raises as `one` does, and as a change of a note does.
        """
        before = await self.one(place, old, "old")
        changed = await self._notes.change(caller, before["id"], Change(content=new))
        return before, changed["note"]

    async def fitting(self, caller: Caller, place: Place, text: str, most: int) -> Fitting:
        """Return the entries that contain a text; it may be none.

        Raises InvalidInput (`pattern`) where more than `most` do.
        """
        found = await self.page(place, text, "", most + 1)
        if len(found) > most:
            raise InvalidInput(
                f"more than {most} entries fit: give more of the text, or a larger `most`",
                field="pattern",
            )
        mine = [row for row in found if _changeable(caller, row)]
        return Fitting(mine, [row for row in found if not _changeable(caller, row)])

    async def hide(self, caller: Caller, entries: Sequence[Row]) -> None:
        """Hide entries from every reading; what somebody else has hidden meanwhile is passed by."""
        for entry in entries:
            try:
                await self._notes.forget(caller, entry["id"])
            except NotFound:
                continue

    async def promote(self, caller: Caller, place: Place, old: str, scope: str) -> Promoted:
        """Write an entry of the caller's own into a broader scope, then hide it where it was.

        The copy is no less private, and goes with the entry where that is erased.
        Where the broader scope says the same already, that entry is confirmed. Where it holds the
        text back for a review, the source stays. Raises as `one` does, NotFound (`entry`) for what
        is past or waits, InvalidInput for a scope that is not broader, NotFound and Forbidden by
        the scope, Forbidden for others' entries.
        """
        source = await self.one(place, old, "entry")
        if not _is_held(source):  # an id names what is past or waits as well
            raise NotFound(f"the entry {source['id']} is not held", field="entry")
        target = str(parse_scope(scope))
        caller.require(target, Role.WRITER)
        if target not in map(str, parse_scope(source["scope"]).ancestors):
            raise InvalidInput(
                f"{target} is no broader scope than {source['scope']}", field="scope"
            )
        if source["author"] != caller.principal:
            raise Forbidden("only its author promotes an entry", field="entry")
        original = Original(source["id"], source["scope"])
        receipt = await self._notes.write(caller, _copy(source, target), original=original)
        held = receipt.status != "quarantined"
        if held:
            await self.hide(caller, [source])
        return Promoted(source, receipt, held)

    async def _named(
        self, place: Place, old: str, most: int, wholes: tuple[bool, ...]
    ) -> list[Row]:
        row = await self._rows.get(old, list(place.scopes))
        if row is not None and row["note"]["namespace"] in place.namespaces:
            return [row["note"]]
        for whole in wholes:
            found = await self._rows.with_text(
                place.scopes, place.namespaces, old, whole=whole, limit=most
            )
            if found:
                return found
        return []


def _is_held(note: Row) -> bool:
    """Return whether a note is neither past nor waits."""
    return bool(note["standing"] == Standing.HELD and note["valid_to"] > now())


def _ambiguous(found: Sequence[Row]) -> str:
    ids = ", ".join(row["id"] for row in found[:NAMED])
    more = "" if len(found) <= NAMED else " and more"
    return f"several entries fit: {ids}{more}; name one by its id, or give more of its text"


def _changeable(caller: Caller, row: Row) -> bool:
    """Return whether the caller may change a note: as its author who still writes there, or as a
    curator."""
    role = Role.WRITER if row["author"] == caller.principal else Role.CURATOR
    return caller.may(row["scope"], role)


def _copy(source: Row, scope: str) -> Draft:
    return Draft(
        content=source["content"],
        namespace=Namespace(source["namespace"]),
        scope=scope,
        title=source.get("title"),
        entry_type=source["entry_type"],
        importance=source["importance"],
        confidence=source["confidence"],
        tags=tuple(source["tags"]),
        valid_from=source["valid_from"],
        privacy=named(source["privacy"]),
    )
