"""Facts, notes and pages as Markdown with YAML front matter, for people and other programs.

`okf` writes Open Knowledge Format 0.2, with a line `loci:` by which an import gives the same notes
and pages again; `markdown` writes plain front matter, and nothing else of ours.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import yaml

from app.errors import InvalidInput
from app.kernel.clock import now
from app.kernel.graph import Graph
from app.notes.model import MADE
from app.pages import front_matter
from app.pages.naming import own_slug
from app.portability import facts, notes, pages, promotions
from app.portability.archive import is_archive
from app.portability.exporter import Tell, place_of, silent
from app.portability.kind import Record, Selection

Form = Literal["okf", "markdown"]
FORMS: tuple[Form, ...] = ("okf", "markdown")
MOST_NAME = 120  # bytes of a file's name, but for what tells it apart
INDEX = '---\nokf_version: "0.2"\n---\n'
LEFT_OUT = ("rejected",)  # standings of notes that nobody holds
STATUS = {"quarantined": "draft", "superseded": "deprecated"}
HEADINGS = {"note": "Notes", "page": "Pages", "fact": "Facts"}
Writer = Callable[[str, Record], Awaitable[None]]


async def export_bundle(
    graph: Graph, path: Path, chosen: Selection, form: str, tell: Tell = silent
) -> dict[str, int]:
    """Write what is held in the scopes to a new folder; returns the number of files by kind.

    Where it fails nothing is left at `path`. Raises AlreadyExists (field `path`) where something
    is there, InvalidInput for an archive (`path`) or a form that there is not (`format`).
    """
    if form not in FORMS:
        raise InvalidInput(f"an export is of the format {' or '.join(FORMS)}", field="format")
    if is_archive(path):
        raise InvalidInput("Markdown is written to a folder, not to an archive", field="path")
    with place_of(path) as folder:
        bundle = _Bundle(folder, form == "okf", await _attested(graph, chosen))
        for kind in (notes.NOTE, pages.PAGE, facts.FACT):
            async for record in kind.export(graph, chosen):
                if _is_told(kind.name, record):
                    await asyncio.to_thread(bundle.add, kind.name, record)
            await tell(dict(bundle.counts))
        bundle.close()
        folder.rename(path)
    return dict(bundle.counts)


def _is_told(kind: str, record: Record) -> bool:
    """Whether a record is held, by somebody who wrote it: what is made of facts follows from
    them."""
    if record.get("expired_at") is not None:
        return False
    if kind == "fact":
        return bool(record["status"] == "active" and not record.get("negated"))
    return record.get("standing") not in LEFT_OUT and record.get("namespace") not in MADE


async def _attested(graph: Graph, chosen: Selection) -> dict[str, Record]:
    """The last attestation that stands, by the id of its fact."""
    found: dict[str, Record] = {}
    async for record in promotions.export_attestation(graph, chosen):
        before = found.get(record["fact"])
        newer = before is None or before["at"] < record["at"]
        if record.get("revoked_at") is None and newer:
            found[record["fact"]] = record
    return found


class _Bundle:
    """The files in the making, and the index of them; `attested` tells who stands for a fact."""

    def __init__(self, folder: Path, okf: bool, attested: dict[str, Record]) -> None:
        self._folder = folder
        self._okf = okf
        self._attested = attested
        self._index = (folder / "index.md").open("w", encoding="utf-8", newline="\n")
        self._index.write(INDEX if okf else "")
        self.counts: Counter[str] = Counter()

    def add(self, kind: str, record: Record) -> None:
        """Write one file, and a line of the index."""
        if not self.counts[kind]:
            self._index.write(f"\n# {HEADINGS[kind]}\n\n")
        self.counts[kind] += 1
        title = title_of(kind, record)
        name = f"{place(record['scope'])}/{kind}s/{file_name(title, record['id'])}"
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        verified = self._attested.get(record["id"]) if kind == "fact" else None
        path.write_bytes(text_of(kind, record, okf=self._okf, verified=verified).encode())
        shown = title.replace("[", "(").replace("]", ")")
        self._index.write(f"* [{shown}]({name})\n")

    def close(self) -> None:
        """End the index."""
        self._index.close()


def place(scope: str) -> str:
    """The folder of a scope: a leaf's kind and name are parted by a hyphen."""
    return scope.replace(":", "-")


def file_name(title: str, identifier: str) -> str:
    """A name for people that tells two of one title apart."""
    slug = own_slug(title, identifier).rpartition("-")
    return f"{slug[0].encode()[:MOST_NAME].decode(errors='ignore')}-{identifier[-12:]}.md"


def title_of(kind: str, record: Record) -> str:
    """What a record is called: a note without a title by how it begins."""
    given = record["statement"] if kind == "fact" else record.get("title") or record["content"]
    line = " ".join(str(given).split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def text_of(kind: str, record: Record, *, okf: bool, verified: Record | None = None) -> str:
    """The file of a record: its front matter and its text. `verified` is an attestation of it."""
    body = str(record["statement"] + "\n" if kind == "fact" else record["content"])
    start = front_matter.body_start(body) if kind == "page" else 0
    said = verified or _checked(record)
    head = _head(kind, record, said) if okf else _plain(record, title_of(kind, record))
    if not start:
        mark = _mark(kind, record, block=False) if okf else ""
        return f"---\n{_yaml(head)}{mark}---\n{body}"
    if not okf:
        return body
    return _with_mark(body, start, kind, record)


def _with_mark(body: str, start: int, kind: str, record: Record) -> str:
    """A page that has front matter of its own, with the lines that it lacks at its end."""
    block = body[:start]
    fence = max(block.rfind("\n---"), block.rfind("\n...")) + 1
    typed = "" if front_matter.values(body).get("type") else _yaml({"type": _type(kind, record)})
    mark = _mark(kind, record, block=True)
    return f"{block[:fence]}{mark}{typed}{block[fence:]}{body[start:]}"


def _type(kind: str, record: Record) -> str:
    if kind == "page":
        return "Article" if record.get("kind") == "article" else "Page"
    return HEADINGS[kind][:-1]


def _checked(record: Record) -> Record | None:
    """Who verified a learning last, and when; None where nobody did, or it was disproved."""
    if record.get("checked") != "verified":
        return None
    return {"principal": record.get("checked_by"), "at": record["checked_at"]}


def _head(kind: str, record: Record, verified: Record | None) -> Record:
    """The keys of the format: what it is, by whom and when, who verified it, how it stands, until
    when."""
    ended = record.get("valid_to")
    status = STATUS.get(str(record.get("standing")), "stable")
    if ended is not None and ended <= now():
        status = "deprecated"
    head: Record = {"type": _type(kind, record), "title": title_of(kind, record)}
    if record.get("tags"):
        head["tags"] = list(record["tags"])
    changed = record.get("updated_at") or record.get("ingested_at")
    if changed is not None:
        by = record.get("updated_by") or record.get("author")
        head["generated"] = {"by": actor(by), "at": changed.isoformat()}
    if verified is not None:
        by = actor(verified["principal"])
        head["verified"] = {"by": by, "at": verified["at"].isoformat()}
    head["status"] = status
    if ended is not None:
        head["stale_after"] = ended.date().isoformat()
    if record.get("sources"):
        head["sources"] = [
            {"id": source["id"], "resource": f"{source['kind']} {source['id']} of Loci"}
            for source in record["sources"]
        ]
    return head


def _plain(record: Record, title: str) -> Record:
    """What people look for: title, tags and dates."""
    head: Record = {"title": title, "scope": record["scope"]}
    if record.get("tags"):
        head["tags"] = list(record["tags"])
    for name in ("valid_from", "valid_to", "ingested_at", "updated_at"):
        if record.get(name) is not None:
            head[name] = record[name].isoformat()
    return head


def actor(principal: Any) -> str:
    """Who did it, in the format's words: people are `human:`, all others processes."""
    kind, _, rest = str(principal or "").partition(":")
    name = rest.partition(":")[2] or "loci"
    return f"human:{name}" if kind == "user" else f"process:{name}"


def _yaml(head: Record) -> str:
    return yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)


def _mark(kind: str, record: Record, *, block: bool) -> str:
    """The line by which an import knows its own: a record without its text, as JSON, which is
    YAML too. A page's own kind stands under `page_kind`."""
    own = {name: value for name, value in record.items() if name not in ("content", "passages")}
    if kind == "fact":
        own = {"id": record["id"], "scope": record["scope"]}
    elif kind == "page":
        own["page_kind"] = own.pop("kind", "page")
    said = {**own, "kind": kind, "block": block}
    return f"loci: {json.dumps(said, default=_moment, sort_keys=True)}\n"


def _moment(value: Any) -> str:
    return str(value.isoformat())
