"""A folder of Markdown that is the whole of a scope's files: what moved goes along, and what is
gone goes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import InvalidInput, LociError
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.pages import front_matter
from app.pages.model import Change
from app.pages.moving import Placed, moves
from app.pages.record import file_title
from app.pages.service import PageService
from app.pages.vault import Report, Tell, VaultService, draft_of, files_below, shown

_AT_ONCE = 500  # pages that are read at once


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A file that no page has: where its page would lie, the hash of its text, and the title that
    follows from its name where it does not say one."""

    placed: Placed
    title: str | None


class FollowService:
    """Takes a folder in as the state that a scope's files are to have."""

    def __init__(self, vaults: VaultService, pages: PageService) -> None:
        self._vaults = vaults
        self._pages = pages

    async def follow(self, who: Caller, root: Path, scope: str, tell: Tell) -> Report:
        """Take a folder in as `VaultService.take_in` does, and let pages of files that moved or are
        gone follow: the former keep versions and backlinks, the latter are deleted, and can be
        restored. Pages without a file stay.

        Raises what that raises, and InvalidInput (`path`) for a folder without Markdown.
        """
        who.require(scope, Role.WRITER)
        places = await asyncio.to_thread(files_below, root)
        if not places:
            raise InvalidInput(f"{root} holds no Markdown", field="path")
        kept = {place: path for place in places if (path := await self._kept(scope, place))}
        gone, known = await self._gone(scope, frozenset(kept.values()))
        fresh = {place: path for place, path in kept.items() if path not in known}
        moved = await self._moved(who, gone, await self._fresh(root, scope, fresh if gone else {}))
        report = await self._vaults.take_in(who, root, scope, tell)
        report.moved = {page["path"]: moved[page["id"]] for page in gone if page["id"] in moved}
        for page in gone:
            if page["id"] not in moved:
                await self._pages.delete(who, page["id"])
                report.removed.append(page["path"])
        return report

    async def _kept(self, scope: str, place: str) -> str | None:
        """The path under which a file's page is kept; None for a file that no page can have."""
        try:
            return await self._pages.stored_path(scope, place)
        except LociError as error:
            if error.status >= 500:
                raise
            return None

    async def _gone(self, scope: str, there: frozenset[str]) -> tuple[list[Row], set[str]]:
        """Pages whose files are not there any more, and the paths of the others."""
        gone: list[Row] = []
        known: set[str] = set()
        after = ""
        while rows := await self._pages.graph.rows(
            Q.pages.files, scope=scope, after=after, limit=_AT_ONCE
        ):
            pages = [row["page"] for row in rows]
            gone += [page for page in pages if page["path"] and page["path"] not in there]
            known |= {page["path"] for page in pages if page["path"] in there}
            after = pages[-1]["id"]
        return gone, known

    async def _fresh(self, root: Path, scope: str, files: Mapping[str, str]) -> list[_Fresh]:
        found = []
        for place, path in files.items():
            draft = await asyncio.to_thread(draft_of, root / place, shown(place), scope, Report())
            if draft is None:
                continue
            try:
                content_hash = await self._pages.stored_hash(scope, draft.content)
            except LociError as error:
                if error.status >= 500:
                    raise
                continue
            says = front_matter.read(draft.content).title
            placed = Placed(path, path, content_hash)
            found.append(_Fresh(placed, None if says else file_title(path)))
        return found

    async def _moved(
        self, who: Caller, gone: Sequence[Row], fresh: Sequence[_Fresh]
    ) -> dict[str, str]:
        """The new paths of pages by id, once they have them."""
        there = [Placed(page["id"], page["path"], page["content_hash"]) for page in gone]
        found = moves(there, [one.placed for one in fresh])
        titles = {one.placed.path: one.title for one in fresh}
        for page in gone:
            path = found.get(page["id"])
            if path is not None:
                named = page["title"] == file_title(page["path"])
                change = Change(path=path, title=titles[path] if named else None)
                await self._pages.change(who, page["id"], change)
        return found
