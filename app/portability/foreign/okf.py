"""Open Knowledge Format 0.2: a folder of Markdown with YAML front matter, each file a concept.

A concept becomes a page with its whole text, front matter included, so that `sources`, `verified`,
`status` and `stale_after` are kept as they stand; type, status and the day are tags too, since a
page has no end of validity. A file that Loci wrote says by its line `loci:` which note or page it
was; a note ends as its front matter says, where somebody has changed that since. Pure, but for
reading the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from app.pages import front_matter
from app.pages.model import CONTENT_LONGEST
from app.pages.naming import without_suffix
from app.pages.vault import files_below
from app.portability.foreign.files import BROKEN
from app.portability.foreign.model import FILE, Format, Probe, Reading, Record
from app.portability.foreign.values import moment, short, tags, text

RESERVED = ("index.md", "log.md")
MARK = re.compile(r"^loci: (?P<said>\{.*\})\n", re.M)
TYPED = re.compile(r"type: (?:Page|Article)\n")  # after the mark, where the page had no type
MOST_BYTES = 4 * CONTENT_LONGEST
DAY = len("2026-03-02")  # characters of a moment that are its day
LOOKED_AT = 50  # files, for one that is a concept
LEFT = (
    "kind",
    "page_kind",
    "block",
    "passages",
    "stats",
    "embedding",
)  # of a mark: what no record takes over


def recognises(probe: Probe) -> bool:
    """Whether one of the first files of a folder is a concept: its front matter has a type."""
    if probe.shape != "folder":
        return False
    found = (item for _, _, item in items(probe.path, LOOKED_AT))
    return any(
        isinstance(item, dict) and text(front_matter.values(item["text"]).get("type"))
        for item in found
    )


def items(path: Path, most: int | None = None) -> Iterator[tuple[int, str | None, Any]]:
    """Each Markdown file by its path within the folder, or the first `most`."""
    for number, name in enumerate(files_below(path)[:most]):
        with (path / name).open("rb") as source:
            yield number * FILE + 1, name, _text(source.read(MOST_BYTES + 1))


def _text(given: bytes) -> Any:
    try:
        return {"text": given.decode("utf-8-sig"), "bom": given.startswith(b"\xef\xbb\xbf")}
    except UnicodeDecodeError:
        return BROKEN


def read(reading: Reading, name: str | None, item: dict[str, Any]) -> Iterator[Record]:
    """The page or note of one file."""
    path = name or ""
    if path.rpartition("/")[2] in RESERVED:
        reading.lose("index.md and log.md")
        return
    content = item["text"]
    crlf = "\r\n" in content and content.count("\r\n") == content.count("\n")
    content = content.replace("\r\n", "\n") if crlf else content
    mark = marked(content)
    if mark is None:
        yield _concept(reading, path, content, {"crlf": crlf, "bom": item["bom"]})
    elif mark.get("kind") in ("note", "page"):
        yield _own(reading, mark, content)
    else:
        reading.lose("facts, which are read out of texts")


def marked(content: str) -> dict[str, Any] | None:
    """What the line `loci:` of a front matter says; None without one."""
    found = MARK.search(content, 0, front_matter.body_start(content))
    try:
        said = orjson.loads(found["said"]) if found else None
    except orjson.JSONDecodeError:
        return None
    return said if isinstance(said, dict) else None


def _concept(reading: Reading, path: str, content: str, how: dict[str, Any]) -> Record:
    said, known = front_matter.values(content), front_matter.read(content)
    generated = said.get("generated")
    changed = moment((generated if isinstance(generated, dict) else said).get("at"))
    changed = changed or moment(said.get("timestamp"))
    status = text(said.get("status"))
    marks = [f"type:{said['type']}"] if text(said.get("type")) else []
    marks += [f"status:{status}"] if status and status != "stable" else []
    marks += [f"stale-after:{said['stale_after']}"] if text(said.get("stale_after")) else []
    return "page", {
        "id": reading.id(path),
        "scope": reading.scope,
        "title": known.title or short(without_suffix(path.rpartition("/")[2])) or "page",
        "content": content,
        "path": path,
        "tags": tags(list(known.tags or ()), *marks),
        **({"aliases": list(known.aliases)} if known.aliases else {}),
        **({"ingested_at": changed, "updated_at": changed} if changed else {}),
        **{flag: True for flag, on in how.items() if on},
    }


def _own(reading: Reading, mark: dict[str, Any], content: str) -> Record:
    """The record of a file that Loci wrote: in its scope and under its id where that is the scope
    of the import or lies below it."""
    kind, scope = str(mark["kind"]), mark.get("scope")
    here = isinstance(scope, str) and f"{scope}/".startswith(f"{reading.scope}/")
    own = {name: value for name, value in mark.items() if name not in LEFT}
    for name in ("author", "updated_by"):
        if not _is_of(own.get(name), reading.scope):
            own.pop(name, None)
    identifier = own.get("id") if here else reading.id(kind, own.get("id"))
    if kind == "page":
        own["kind"] = mark.get("page_kind", "page")
    else:
        own |= _ended(reading, own, front_matter.values(content))
    return kind, {
        **own,
        "id": identifier,
        "scope": scope if here else reading.scope,
        "content": unmarked(content, block=bool(mark.get("block"))),
    }


def _ended(reading: Reading, own: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """When a note ends, and since when that is known, where its front matter says another day than
    was written, or that what held is deprecated: then it ended when the file was changed."""
    until = moment(text(said.get("stale_after")))
    was = moment(text(own.get("valid_to")))
    if until is not None and until[:DAY] != (was or "")[:DAY]:
        return {"valid_to": until, "superseded_at": own.get("superseded_at") or reading.at}
    held = own.get("standing", "held") == "held" and (was is None or was > reading.at)
    if held and said.get("status") == "deprecated":
        return {"valid_to": reading.at, "superseded_at": reading.at}
    return {}


def _is_of(author: Any, scope: str) -> bool:
    """Whether a principal is one of the tenant of a scope."""
    return isinstance(author, str) and author.split(":")[1:2] == [scope.partition("/")[0]]


def unmarked(content: str, *, block: bool) -> str:
    """A text as it was before it was exported: without the whole front matter, or, where it had
    one of its own, without the lines that were added to it."""
    start = front_matter.body_start(content)
    if not block:
        return content[start:]
    mark = MARK.search(content, 0, start)
    if mark is None:
        return content
    typed = TYPED.match(content, mark.end())
    return content[: mark.start()] + content[(typed or mark).end() :]


OKF = Format(
    "okf",
    recognises,
    read,
    frozenset(),
    {"ingested_at": "generated.at", "updated_at": "generated.at", "valid_to": "stale_after"},
    items=items,
    names=files_below,
    kind="page",
)
