"""`loci slot`: the memories that an agent has loaded, by the API and with the agent's key."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.markup import escape

from app.cli.console import Console
from app.cli.later import later
from app.cli.search import DEFAULT_URL, SECONDS, headers_of, nothing_at, told_by
from app.cli.tables import listing

with later():
    import httpx

    from app.kernel.ids import checked_id

PATH = "/v1/slots"
SHOWN = 300  # characters of a memory in a table
console = Console()

Key = Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key of the agent.")]
Url = Annotated[str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")]
Memory = Annotated[str, typer.Argument(help="The id of a memory.")]
Scope = Annotated[str | None, typer.Option(help="Scope path; the key's home if unset.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    group = typer.Typer(help="The memories that an agent has loaded.", no_args_is_help=True)
    group.command("list")(list_slots)
    group.command("load")(load)
    group.command("use")(use)
    group.command("unload")(unload)
    group.command("clear")(clear)
    cli.add_typer(group, name="slot")


def list_slots(
    key: Key, url: Url = DEFAULT_URL, scope: Scope = None, as_json: AsJson = False
) -> None:
    """All slots with what is in them now."""
    told = asked("GET", url, key, params={"scope": scope})
    if as_json:
        console.print_json(json.dumps(told))
        return
    table = listing("#", "relevance", "kind", "id", "text")
    for slot in told["items"]:
        if slot["memory"] is not None:
            text = escape(slot["untrusted"]["text"][:SHOWN])
            worth = f"{slot['relevance']:.2f}"
            table.add_row(str(slot["index"]), worth, slot["kind"], slot["memory"], text)
    console.print(table)


def load(
    memory: Memory,
    key: Key,
    url: Url = DEFAULT_URL,
    scope: Scope = None,
    relevance: Annotated[float, typer.Option(min=0, max=1, help="What it is worth.")] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Load a memory; where all slots are used, another one leaves."""
    body = {"relevance": relevance, "scope": scope}
    told = asked("PUT", url, key, memory, body=body)
    if as_json:
        console.print_json(json.dumps(told))
        return
    left = f"; {', '.join(told['evicted'])} left for it" if told["evicted"] else ""
    console.print(f"slot {told['slot']['index']}{left}")


def use(memory: Memory, key: Key, url: Url = DEFAULT_URL, scope: Scope = None) -> None:
    """Print a loaded memory, which counts as a use of its slot."""
    told = asked("GET", url, key, memory, params={"scope": scope})
    console.print(told["untrusted"]["text"], markup=False, highlight=False)


def unload(memory: Memory, key: Key, url: Url = DEFAULT_URL, scope: Scope = None) -> None:
    """Free the slot of a memory, which stays what it is."""
    asked("DELETE", url, key, memory, params={"scope": scope})
    console.print("freed")


def clear(key: Key, url: Url = DEFAULT_URL, scope: Scope = None) -> None:
    """Free all slots."""
    told = asked("DELETE", url, key, params={"scope": scope})
    console.print(f"{told['removed']} freed")


def asked(
    method: str,
    url: str,
    key: str,
    memory: str | None = None,
    *,
    params: dict[str, str | None] | None = None,
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the answer of the API, empty where it has no content. Raises InvalidInput (`memory`)
    for what is no id, which would name all slots, Unavailable without an API, and LociError on a
    problem."""
    if memory is not None:
        checked_id(memory, "memory")
    place = f"{url}{PATH}" if memory is None else f"{url}{PATH}/{quote(memory, safe='')}"
    given = {name: value for name, value in (params or {}).items() if value is not None}
    try:
        answer = httpx.request(
            method, place, params=given, json=body, headers=headers_of(key), timeout=SECONDS
        )
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise nothing_at(url) from error
    return {} if answer.status_code == httpx.codes.NO_CONTENT else told_by(answer, url)
