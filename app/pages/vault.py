"""A folder of Markdown, such as an Obsidian vault, in and out.

A file comes out as it went in, to the byte, save what the sanitising step took out, which the
report lists: its text is kept whole, front matter included, with how it writes line ends.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import InvalidInput, LociError
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.pages.due import DuePages
from app.pages.model import CONTENT_LONGEST, Change, Draft, Receipt
from app.pages.naming import MARKDOWN
from app.pages.service import PageService

BATCH = 25  # files that are taken in together
BOM = "\ufeff"
Tell = Callable[[str], None]


@dataclass(slots=True)
class Report:
    """What became of a folder's files, by path; `redacted` counts what was taken out of each text
    by class, `characters` where only its characters were brought into the usual form."""

    stored: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    redacted: dict[str, dict[str, int]] = field(default_factory=dict)


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

        A file that is there already, by its path, is changed where it differs, and left alone
        where not. What cannot be taken is skipped, with the reason. Raises NotFound and Forbidden
        by the scope, InvalidInput (`path`) where `root` is no folder.
        """
        who.require(scope, Role.WRITER)
        if not await asyncio.to_thread(root.is_dir):
            raise InvalidInput(f"{root} is no folder", field="path")
        report = Report()
        fresh: list[_File] = []
        for file in await asyncio.to_thread(lambda: list(_paths(root))):
            tell(file)
            draft = await asyncio.to_thread(_read, root / file, file, scope, report)
            if draft is None:
                continue
            known = await self._graph.optional(Q.pages.at_path, scope=scope, path=file)
            if known is not None:
                await self._change(who, known["id"], _File(file, draft), report)
                continue
            fresh.append(_File(file, draft))
            if len(fresh) == BATCH:
                await self._write(who, fresh, report)
                fresh = []
        await self._write(who, fresh, report)
        await self._due.sweep()
        return report

    async def write_out(self, who: Caller, root: Path, scope: str) -> int:
        """Write the pages of a scope as files below `root`, which must be empty or new; how many.

        A page that came from no file gets its slug as a name.
        """
        who.require(scope, Role.READER)
        if not await asyncio.to_thread(_free_for, root):
            raise InvalidInput(f"{root} is not empty", field="path")
        taken: set[str] = set()
        after = ""
        while rows := await self._graph.rows(Q.pages.texts, scope=scope, after=after, limit=100):
            pages = [row["page"] for row in rows]
            await asyncio.to_thread(_write_files, root, pages, taken)
            after = pages[-1]["id"]
        return len(taken)

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


def _paths(root: Path) -> Iterator[str]:
    """Markdown files below a folder by name; neither hidden ones nor what a link leads out to."""
    base = root.resolve()
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in parts)
        if hidden or path.suffix.lower() not in MARKDOWN or not path.is_file():
            continue
        if path.resolve().is_relative_to(base):
            yield "/".join(parts)


def _read(path: Path, name: str, scope: str, report: Report) -> Draft | None:
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


def _free_for(root: Path) -> bool:
    """Whether a folder is new or empty."""
    return not root.exists() or (root.is_dir() and not any(root.iterdir()))


def _write_files(root: Path, pages: list[Row], taken: set[str]) -> None:
    for page in pages:
        name = _free(page.get("path") or f"{page['slug'] or page['id']}.md", page["id"], taken)
        taken.add(name.casefold())
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file_text(page))


def _free(name: str, page: str, taken: set[str]) -> str:
    """The name itself, or one that no other file has, also where case does not count."""
    if name.casefold() not in taken:
        return name
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{page}{dot}{suffix}"
