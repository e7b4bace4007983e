"""A folder of Markdown, such as an Obsidian vault, in and out.

A file comes out as it went in, to the byte, save what the sanitising step took out, which the
report lists: its text is kept whole, front matter included, with how it writes line ends.
"""

from __future__ import annotations

import asyncio
import errno
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.errors import InvalidInput, LociError
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.pages.due import DuePages
from app.pages.model import CONTENT_LONGEST, Change, Draft, Receipt
from app.pages.naming import MARKDOWN
from app.pages.service import PageService
from app.pages.tree import Tree

BATCH = 25  # files that are taken in together
BOM = "\ufeff"
Tell = Callable[[str], None]
_NO_NAME = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)


@dataclass(slots=True)
class Report:
    """What became of a folder's files, by path; `redacted` counts what was taken out of each text
    by class, `characters` where only its characters were brought into the usual form. `renamed`
    tells under which path the page of a file is kept, where that is not the file's own; `moved` and
    `removed` tell by paths what followed a folder that is the whole (`app.pages.following`)."""

    stored: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    redacted: dict[str, dict[str, int]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Written:
    """What became of a scope's pages: `renamed` has the names of files by the paths of pages that
    could not have theirs, `skipped` why there is none."""

    files: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _File:
    """One file as it goes in."""

    path: str
    draft: Draft


class VaultService:
    """Takes a folder in, and writes one out."""

    def __init__(self, pages: PageService, due: DuePages) -> None:
        self._pages = pages
        self._due = due
        self._graph = pages.graph

    async def take_in(self, who: Caller, root: Path, scope: str, tell: Tell) -> Report:
        """Make pages of the Markdown files below `root`; `tell` gets each path.

        A file that is there already, by its path as it is kept, is changed where it differs, and
        left alone where not. What cannot be taken is skipped, with the reason. Raises NotFound and
        Forbidden by the scope, InvalidInput (`path`) where `root` is no folder.
        """
        who.require(scope, Role.WRITER)
        if not await asyncio.to_thread(root.is_dir):
            raise InvalidInput(f"{root} is no folder", field="path")
        report = Report()
        fresh: list[_File] = []
        taken: dict[str, str] = {}
        for place in await asyncio.to_thread(files_below, root):
            name = shown(place)
            tell(name)
            draft = await asyncio.to_thread(draft_of, root / place, name, scope, report)
            draft = draft and await self._placed(draft, place, taken, report)
            if draft is None:
                continue
            known = await self._graph.optional(Q.pages.at_path, scope=scope, path=draft.path)
            if known is not None and _is_stored(known, draft):
                report.unchanged += 1
                continue
            if known is not None:
                await self._change(who, known["id"], _File(name, draft), report)
                continue
            fresh.append(_File(name, draft))
            if len(fresh) == BATCH:
                await self._write(who, fresh, report)
                fresh = []
        await self._write(who, fresh, report)
        await self._due.sweep()
        return report

    async def write_out(self, who: Caller, root: Path, scope: str) -> Written:
        """Write the pages of a scope as files below `root`, which must be empty or new.

        A page that came from no file gets its slug as a name, one whose path cannot be a file
        there another name. Raises NotFound and Forbidden by the scope, InvalidInput (`path`) where
        there is something in `root`.
        """
        who.require(scope, Role.READER)
        if not await asyncio.to_thread(_free_for, root):
            raise InvalidInput(f"{root} is not empty", field="path")
        written, tree, after = Written(), Tree(), ""
        while rows := await self._graph.rows(Q.pages.texts, scope=scope, after=after, limit=100):
            pages = [row["page"] for row in rows]
            await asyncio.to_thread(_write_files, root, pages, tree, written)
            after = pages[-1]["id"]
        return written

    async def _placed(
        self, draft: Draft, place: str, taken: dict[str, str], report: Report
    ) -> Draft | None:
        """The draft under the path that its page keeps; None, with the reason in the report, for
        one that no page can have, or that another file has already."""
        assert draft.scope is not None
        name = str(draft.path)
        try:
            path = await self._pages.stored_path(draft.scope, place)
        except LociError as error:
            if error.status >= 500:
                raise
            report.skipped[name] = error.detail
            return None
        first = taken.setdefault(path, name)
        if first != name:
            report.skipped[name] = f"its path would be kept as that of {first}"
            return None
        if path != name:
            report.renamed[name] = path
        return replace(draft, path=path)

    async def _write(self, who: Caller, files: list[_File], report: Report) -> None:
        if not files:
            return
        try:
            receipts = await self._pages.write_many(who, [f.draft for f in files], settle=False)
        except LociError as error:
            if error.status >= 500:
                raise
            if len(files) == 1:
                report.skipped[files[0].path] = error.detail
                return
            for file in files:
                await self._write(who, [file], report)
            return
        for file, receipt in zip(files, receipts, strict=True):
            report.stored += 1
            await self._note(who, file, receipt, report)

    async def _change(self, who: Caller, page: str, file: _File, report: Report) -> None:
        draft = file.draft
        change = Change(content=draft.content, crlf=draft.crlf, bom=draft.bom)
        try:
            restored = await self._pages.restore(who, page)
            receipt = await self._pages.change(who, page, change)
        except LociError as error:
            if error.status >= 500:
                raise
            report.skipped[file.path] = error.detail
            return
        if "unchanged" == receipt.status == restored.status:
            report.unchanged += 1
        else:
            report.changed += 1
        await self._note(who, file, receipt, report)

    async def _note(self, who: Caller, file: _File, receipt: Receipt, report: Report) -> None:
        if receipt.redactions:
            kinds = Counter(redacted.kind for redacted in receipt.redactions)
            report.redacted[file.path] = dict(sorted(kinds.items()))
        elif (await self._pages.read(who, receipt.id))["page"]["content"] != file.draft.content:
            report.redacted[file.path] = {"characters": 1}


def file_text(page: Row) -> bytes:
    """The file of a page."""
    text: str = page["content"].replace("\n", "\r\n") if page["crlf"] else page["content"]
    return (BOM if page["bom"] else "").encode() + text.encode()


def _is_stored(known: Row, draft: Draft) -> bool:
    """Whether a file is its page already, to the letter."""
    flags = known["live"] and (known["crlf"], known["bom"]) == (draft.crlf, draft.bom)
    return bool(flags and known["content_hash"] == digest(draft.content))


def shown(place: str) -> str:
    """A file's name as text, which not every name of a file system is."""
    return place.encode(errors="replace").decode()


def files_below(root: Path) -> list[str]:
    """Markdown files below a folder by name; neither hidden ones nor what a link leads out to."""
    return list(_paths(root, root.resolve()))


def _paths(root: Path, base: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in parts)
        if hidden or path.suffix.lower() not in MARKDOWN or not path.is_file():
            continue
        if path.resolve().is_relative_to(base):
            yield "/".join(parts)


def draft_of(path: Path, name: str, scope: str, report: Report) -> Draft | None:
    """One file as a draft; None, with the reason in the report, for what is no text."""
    if path.stat().st_size > 4 * CONTENT_LONGEST:
        report.skipped[name] = f"the file has more than {CONTENT_LONGEST} characters"
        return None
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        report.skipped[name] = "the file is not UTF-8"
        return None
    bom = text.startswith(BOM)
    text = text.removeprefix(BOM)
    crlf = "\r\n" in text and text.count("\r\n") == text.count("\n") == text.count("\r")
    if not text.strip():
        report.skipped[name] = "the file is empty"
        return None
    content = text.replace("\r\n", "\n") if crlf else text
    return Draft(content, scope=scope, path=name, crlf=crlf, bom=bom)


def _short(slug: str) -> str:
    """As much of a slug as a file's name may hold."""
    return slug.encode()[:200].decode(errors="ignore")


def _free_for(root: Path) -> bool:
    """Whether a folder is new or empty."""
    return not root.exists() or (root.is_dir() and not any(root.iterdir()))


def _write_files(root: Path, pages: list[Row], tree: Tree, written: Written) -> None:
    for page in pages:
        wanted = page.get("path") or f"{_short(page['slug']) or page['id']}.md"
        name = tree.take(wanted, page["id"])
        path = root / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file_text(page))
        except OSError as error:
            if error.errno not in _NO_NAME:
                raise
            written.skipped[wanted] = error.strerror or "the file system refuses its name"
            continue
        written.files += 1
        if name != wanted:
            written.renamed[wanted] = name
