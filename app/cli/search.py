"""`loci search`: a question to the API, from a terminal."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.markup import escape

from app.cli.console import Console
from app.cli.later import later
from app.cli.tables import listing
from app.errors import InvalidInput, LociError, Unavailable

with later():
    import httpx

DEFAULT_URL = "http://127.0.0.1:8484"
SECONDS = 30.0
console = Console()


def register(cli: typer.Typer) -> None:
    """Add the command to the program."""
    cli.command("search")(search)


def search(
    query: str,
    key: Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")],
    url: Annotated[
        str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")
    ] = DEFAULT_URL,
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    mode: Annotated[str, typer.Option(help="auto, hybrid, keyword, vector or graph.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask the API and show what is recalled."""
    body = {"query": query, "limit": limit, "mode": mode}
    found = ask(url, key, body)
    if as_json:
        console.print_json(json.dumps(found))
        return
    console.print(table(found))


def ask(url: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of `POST /v1/search`; Unavailable without an API, LociError on a problem."""
    try:
        answer = httpx.post(f"{url}/v1/search", json=body, headers=headers_of(key), timeout=SECONDS)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise nothing_at(url) from error
    return told_by(answer, url)


def headers_of(key: str) -> dict[str, str]:
    """The headers that a key is sent in; InvalidInput for a text that is no key."""
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(
            "this is no key: give the whole text that was shown once", field="LOCI_API_KEY"
        )
    return {"Authorization": f"Bearer {key}"}


def nothing_at(url: str) -> Unavailable:
    """The error of an API that does not answer."""
    return Unavailable(
        f"nothing answers at {url}: start it with `loci up`, or set LOCI_API_URL to another address"
    )


def told_by(answer: httpx.Response, url: str) -> dict[str, Any]:
    """The body of an answer; LociError on a problem, Unavailable where it is no answer of ours."""
    try:
        told = answer.json()
    except ValueError:
        told = None
    if not isinstance(told, dict) or (answer.is_error and "code" not in told):
        raise Unavailable(f"what answers at {url} is no Loci: set LOCI_API_URL to its address")
    if answer.is_error:
        raise LociError(f"{told.get('title')}: {told.get('detail')}")
    return told


def table(found: dict[str, Any]) -> Group:
    """Hits as a table, and their ids below it, so that a narrow terminal breaks neither; recalled
    text is data, so its markup is shown and not followed."""
    shown = listing("#", "relevance", "score", "legs", "when", "who", "text")
    ids = listing("#", "kind", "id")
    for hit in found["hits"]:
        said = hit["untrusted"]
        legs = " ".join(f"{name}:{leg['rank']}" for name, leg in hit["legs"].items())
        shown.add_row(
            str(hit["rank"]),
            f"{hit['relevance']:.2f}",
            f"{hit['score']:.3f} {hit['score_band']}",
            legs,
            hit["captured_at"][:10],
            escape(said["speaker"] or hit["role"] or ""),
            escape(said["text"][:300] + _changed(hit)),
        )
        ids.add_row(str(hit["rank"]), hit["kind"], hit["id"])
    return Group(shown, ids)


def _changed(hit: dict[str, Any]) -> str:
    """What may have changed of what a hit says, the newest first."""
    newer = [
        f"{one['since'][:10]}: {one['untrusted']['statement']}" for one in hit["possible_changes"]
    ]
    return f" (possibly changed {'; '.join(newer)})" if newer else ""
