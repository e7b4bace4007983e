"""`loci kb` and `loci document`: knowledge bases and documents of a running Loci."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.console import Console
from app.cli.later import later
from app.cli.search import DEFAULT_URL, headers_of, nothing_at, told_by
from app.cli.tables import listing
from app.errors import LociError

with later():
    import httpx

    from app.documents.media import SUFFIXES

SECONDS = 120.0  # for one request: a file may be large
POLL, LONGEST = 0.5, 600.0  # seconds between two looks at a job, and for it in all
ADDRESS = ("http://", "https://")

console = Console()
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Key = Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")]
Url = Annotated[str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")]
Base = Annotated[str, typer.Option("--base", help="Id or name of the knowledge base.")]


def register(cli: typer.Typer) -> None:
    """Add both groups to the program."""
    bases = typer.Typer(help="Knowledge bases.", no_args_is_help=True)
    bases.command("create")(create_base)
    bases.command("list")(list_bases)
    bases.command("delete")(delete_base)
    cli.add_typer(bases, name="kb")
    documents = typer.Typer(help="Documents.", no_args_is_help=True)
    documents.command("add")(add)
    documents.command("list")(list_documents)
    documents.command("delete")(delete)
    cli.add_typer(documents, name="document")


class Api:
    """Requests to a running Loci."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._http = httpx.Client(base_url=url, headers=headers_of(key), timeout=SECONDS)

    def ask(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        """What the API answers; Unavailable without one, LociError on a problem."""
        try:
            answer = self._http.request(method, path, **given)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise nothing_at(self._url) from error
        return told_by(answer, self._url)

    def paged(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Every item of a list."""
        cursor: str | None = None
        while True:
            page = self.ask(
                "GET", path, params={**params, **({"cursor": cursor} if cursor else {})}
            )
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return

    def finished(self, job: str) -> dict[str, Any]:
        """A job once it has ended, or where it is after ten minutes."""
        until = time.monotonic() + LONGEST
        while True:
            told = self.ask("GET", f"/v1/jobs/{job}")
            if told["state"] in ("done", "dead", "cancelled") or time.monotonic() > until:
                return told
            time.sleep(POLL)


def create_base(
    name: str,
    key: Key,
    url: Url = DEFAULT_URL,
    scope: Annotated[str | None, typer.Option(help="Scope path; the key's home if unset.")] = None,
    strategy: Annotated[str, typer.Option(help="recursive or semantic.")] = "recursive",
    size: Annotated[int, typer.Option(help="Most characters of a chunk.")] = 1000,
    overlap: Annotated[int, typer.Option(help="Most characters that a chunk repeats.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Make a knowledge base."""
    body = {
        "name": name,
        "scope": scope,
        "chunking_strategy": strategy,
        "chunk_size": size,
        "chunk_overlap": overlap,
    }
    made = Api(url, key).ask("POST", "/v1/knowledge-bases", json=body)
    _show([made], as_json, _base_row, ("id", "name", "scope", "status", "documents", "chunks"))


def list_bases(key: Key, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """The knowledge bases that the key sees."""
    found = list(Api(url, key).paged("/v1/knowledge-bases"))
    _show(found, as_json, _base_row, ("id", "name", "scope", "status", "documents", "chunks"))


def delete_base(base: str, key: Key, url: Url = DEFAULT_URL) -> None:
    """Delete a knowledge base, by id, with its documents."""
    api = Api(url, key)
    job = api.finished(api.ask("DELETE", f"/v1/knowledge-bases/{base}")["id"])
    console.print_json(json.dumps(job["result"] or {"state": job["state"]}))


def add(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, or addresses.")],
    key: Key,
    base: Base,
    url: Url = DEFAULT_URL,
    tags: Annotated[str, typer.Option(help="Labels, divided by commas.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait until each is read.")] = True,
    as_json: AsJson = False,
) -> None:
    """Hand documents in; what is there just so is left alone, what was changed is replaced.

    Exit code 1 where a document could not be read.
    """
    api = Api(url, key)
    receipts = [_handed_in(api, place, base, tags) for place in found(paths)]
    done = [_ended(api, receipt, wait=wait) for receipt in receipts]
    _show(done, as_json, _document_row, ("id", "name", "status", "chunks", "error"))
    if any(document["status"] == "failed" for document in done):
        raise typer.Exit(1)


def found(paths: Iterable[str]) -> Iterator[str]:
    """Addresses as they are, files as they are, and of a folder every file of a kind we read."""
    for path in paths:
        place = Path(path)
        if path.startswith(ADDRESS) or not place.is_dir():
            yield path
            continue
        for inside in sorted(place.rglob("*")):
            if inside.is_file() and inside.suffix.lower() in SUFFIXES:
                yield str(inside)


def _handed_in(api: Api, place: str, base: str, tags: str) -> dict[str, Any]:
    if place.startswith(ADDRESS):
        listed = [tag.strip() for tag in tags.split(",") if tag.strip()]
        body = {"knowledge_base": base, "url": place, "tags": listed}
        return api.ask("POST", "/v1/documents", json=body)
    path = Path(place)
    if not path.is_file():
        raise LociError(f"there is no file {place}")
    with path.open("rb") as data:
        answer = api.ask(
            "POST",
            "/v1/documents:upload",
            data={"knowledge_base": base, "name": str(path), "tags": tags},
            files={"file": (path.name, data, "application/octet-stream")},
        )
    receipt: dict[str, Any] = answer["receipts"][0]
    return receipt


def _ended(api: Api, receipt: dict[str, Any], *, wait: bool) -> dict[str, Any]:
    document: dict[str, Any] = receipt["document"]
    if wait and receipt["job"] is not None:
        api.finished(receipt["job"]["id"])
        return api.ask("GET", f"/v1/documents/{document['id']}")
    return document


def list_documents(
    key: Key,
    url: Url = DEFAULT_URL,
    base: Annotated[str | None, typer.Option("--base", help="Id or name of the base.")] = None,
    as_json: AsJson = False,
) -> None:
    """The documents that the key sees, of one knowledge base or of all."""
    given = {"knowledge_base": base} if base else {}
    rows = list(Api(url, key).paged("/v1/documents", **given))
    _show(rows, as_json, _document_row, ("id", "name", "status", "chunks", "error"))


def delete(document: str, key: Key, url: Url = DEFAULT_URL) -> None:
    """Delete a document, by id, with all that rests on it alone."""
    api = Api(url, key)
    job = api.finished(api.ask("DELETE", f"/v1/documents/{document}")["id"])
    console.print_json(json.dumps(job["result"] or {"state": job["state"]}))


def _show(rows: list[dict[str, Any]], as_json: bool, cells: Any, heads: tuple[str, ...]) -> None:
    if as_json:
        console.print_json(json.dumps(rows))
        return
    table = listing(*heads)
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in cells(row)))
    console.print(table)


def _base_row(base: dict[str, Any]) -> tuple[Any, ...]:
    counts = base["statistics"]
    named = base["untrusted"]["name"]
    documents = sum(counts["documents"].values())
    return base["id"], named, base["scope"], base["status"], documents, counts["chunks"]


def _document_row(document: dict[str, Any]) -> tuple[Any, ...]:
    named = document["untrusted"]["name"]
    state, chunks, error = document["status"], document["chunks"], document["error"] or ""
    return document["id"], named, state, chunks, error
