"""`loci api`: every operation of the API as a command, made from the list of operations.

What stands in the path of a route is an argument, what stands in its query or at the top of its
body is an option of the same name. A text is sent as it is given; everything else is JSON.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from app.cli.console import Console
from app.cli.later import later, need
from app.cli.operation_list import dashed, read
from app.cli.search import DEFAULT_URL, SECONDS, headers_of, nothing_at
from app.cli.tables import WHOLE, listing, pairs
from app.errors import InvalidInput, LociError, Unavailable

with later():
    import httpx

COLUMNS, SHOWN = 8, 200  # columns of a list, and characters of one value in it
HELP = "Every operation of the API, by its group; `--help` below a name tells its options."
console = Console()

Key = Annotated[str, typer.Option(envvar="LOCI_API_KEY", help="API key.")]
Url = Annotated[str, typer.Option(envvar="LOCI_API_URL", help="Address of the API.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Request = Annotated[
    str | None,
    typer.Option(
        help="The whole body as JSON, @FILE or - for standard input; options set fields of it."
    ),
]
Match = Annotated[
    str | None, typer.Option(help="The version that the change is bound to, as `If-Match`.")
]


class Groups(TyperGroup):
    """The groups of operations; the commands of one are made once it is called, since all of them
    together take a quarter of a second."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Every group by name."""
        return list(read())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The name of a group and what is in it; None where there is none."""
        found = read().get(cmd_name)
        return None if found is None else TyperCommand(cmd_name, help=_about(found))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The group that is called, with its commands."""
        found = read().get(args[0]) if args else None
        if found is None:
            return super().resolve_command(ctx, args)
        return args[0], group_of(args[0], found), args[1:]


def _about(found: dict[str, Any]) -> str:
    return f"{len(found)} operation{'s'[: len(found) > 1]}: {', '.join(found)}."


def group_of(name: str, found: dict[str, Any]) -> Any:
    """Return the group of some operations."""

    def about() -> None:
        pass

    about.__doc__ = _about(found)
    made = typer.Typer(callback=about, no_args_is_help=True, add_completion=False)
    for called, operation in found.items():
        made.command(called, help=operation["help"])(command_of(operation))
    group = typer.main.get_command(made)
    group.name = name
    need(group)
    return group


def register(cli: typer.Typer) -> None:
    """Add the group to the program."""
    cli.add_typer(typer.Typer(cls=Groups, help=HELP, no_args_is_help=True), name="api")


def command_of(operation: dict[str, Any]) -> Callable[..., None]:
    """Return the function of a command, with a parameter for each argument and option."""

    def command(**given: Any) -> None:
        call(operation, given)

    parameters = list(parameters_of(operation))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def parameters_of(operation: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield a parameter for each argument and option of a command."""
    for name in operation["arguments"]:
        yield _parameter(name, Annotated[str, typer.Argument(help="Part of the path.")])
    for option in operation["options"]:
        yield _parameter(option["name"], _option(option, operation), None)
    if operation["sends"]:
        yield _parameter("request", Request, None)
    if operation["matches"]:
        yield _parameter("if_match", Match, None)
    yield _parameter("api_key", Key)
    yield _parameter("api_url", Url, DEFAULT_URL)
    yield _parameter("as_json", AsJson, False)


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, only, annotation=kind, default=default)


def _option(option: dict[str, Any], operation: dict[str, Any]) -> Any:
    named, said = f"--{dashed(option['name'])}", option["help"]
    shown = (
        option["shown"].replace(", ", "|") if "(" in option["shown"] else option["shown"].upper()
    )
    if option["required"]:
        # The API refuses what lacks it, with every other field that is wrong.
        said = f"{said} Needed{' unless --request has it' if option['in'] == 'body' else ''}."
    if option["type"] == "boolean":
        both = f"{named}/--no-{named[2:]}"
        return Annotated[bool | None, typer.Option(both, help=said.strip())]
    kind: Any = list[str] | None if option["type"] == "texts" else str | None
    if option["type"] == "texts":
        said = f"{said} May be given many times."
    return Annotated[kind, typer.Option(named, help=said.strip(), metavar=shown)]


def call(operation: dict[str, Any], given: dict[str, Any]) -> None:
    """Ask the API and print what it answers.

    Raises InvalidInput with the option for what cannot be sent, Unavailable without an API, and
    LociError with every field that the API refuses.
    """
    url, headers = given["api_url"], headers_of(given["api_key"])
    if given.get("if_match") is not None:
        headers["If-Match"] = given["if_match"]
    asked: dict[str, Any] = {
        "url": f"{url}{path_of(operation, given)}",
        "params": _sent(operation, given, "query"),
        "headers": headers,
    }
    if operation["sends"]:
        asked["json"] = body_of(operation, given)
    try:
        if operation["streams"]:
            _follow(asked, url)
            return
        answer = httpx.request(operation["method"], timeout=SECONDS, **asked)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise nothing_at(url) from error
    _print(_told(answer, url), as_json=given["as_json"])


def path_of(operation: dict[str, Any], given: dict[str, Any]) -> str:
    """Return the path of a call; InvalidInput for an argument that would name another path."""
    path: str = operation["path"]
    for name in operation["arguments"]:
        if given[name] in ("", ".", ".."):
            raise InvalidInput(f"{name} is no part of a path: {given[name]!r}", field=name)
        path = path.replace(f"{{{name}}}", quote(given[name], safe=""))
    return path


def body_of(operation: dict[str, Any], given: dict[str, Any]) -> Any:
    """Return the body of a call: that of `--request`, with the fields of the options in it."""
    fields, whole = _sent(operation, given, "body"), given.get("request")
    if whole is None:
        return fields
    body = _json(_read(whole), "--request")
    if not fields:
        return body
    if not isinstance(body, dict):
        raise InvalidInput("--request is no JSON object, so that no field of it can be set")
    return body | fields


def _read(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    return Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given


def _sent(operation: dict[str, Any], given: dict[str, Any], place: str) -> dict[str, Any]:
    return {
        option["name"]: value_of(option, given[option["name"]])
        for option in operation["options"]
        if option["in"] == place and given.get(option["name"]) is not None
    }


def value_of(option: dict[str, Any], text: Any) -> Any:
    """Return the value of an option; InvalidInput where it has not the type of its field."""
    kind, named = option["type"], f"--{dashed(option['name'])}"
    if kind in ("text", "texts", "boolean"):
        return text
    if kind == "any":
        try:
            return json.loads(text)
        except ValueError:
            return text
    value = _json(text, named)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer" and not (value is None or (number and isinstance(value, int))):
        raise InvalidInput(f"{named} is a whole number, not {text!r}", field=option["name"])
    if kind == "number" and not (value is None or number):
        raise InvalidInput(f"{named} is a number, not {text!r}", field=option["name"])
    return value


def _json(text: str, named: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(f"{named} is no JSON: {text[:SHOWN]!r}") from None


def _follow(asked: dict[str, Any], url: str) -> None:
    """Print the lines of a stream until it ends."""
    with httpx.stream("GET", timeout=None, **asked) as answer:
        if answer.is_error:
            answer.read()
            _told(answer, url)
        for line in answer.iter_lines():
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def _told(answer: httpx.Response, url: str) -> Any:
    """Return what an answer holds: its JSON, else its text; LociError on a problem."""
    try:
        told = answer.json() if answer.content else None
    except ValueError:
        told = answer.text
    if not answer.is_error:
        return told
    if not isinstance(told, dict) or "code" not in told:
        raise Unavailable(f"what answers at {url} is no Loci: set LOCI_API_URL to its address")
    found = {error["detail"]: error["field"] for error in told.get("errors") or ()}
    said = "; ".join(
        detail if field in detail else f"{field}: {detail}" for detail, field in found.items()
    )
    raise LociError(f"{told.get('title')}: {said or told.get('detail')}")


def _print(told: Any, *, as_json: bool) -> None:
    if as_json:
        console.print_json(json.dumps(told))
    elif told is None:
        console.print("done")
    elif isinstance(told, str):
        sys.stdout.write(told)
    elif isinstance(told, dict) and _rows(told.get("items")):
        _print_list(told)
    elif isinstance(told, dict):
        table = pairs()
        for name, value in _flat(told).items():
            table.add_row(name, escape(_text(value)))
        console.print(table)
    else:
        console.print_json(json.dumps(told))


def _rows(items: Any) -> bool:
    return isinstance(items, list) and bool(items) and all(isinstance(one, dict) for one in items)


def _print_list(told: dict[str, Any]) -> None:
    rows = [_flat(item) for item in told["items"]]
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if value not in (None, [], {}, "")
    )
    # Ids first, then what was said, then the rest.
    heads = sorted(names, key=lambda name: (name not in WHOLE, not name.startswith("untrusted.")))
    heads = heads[:COLUMNS]
    table = listing(*(head.removeprefix("untrusted.") for head in heads))
    for row in rows:
        table.add_row(*(escape(_text(row.get(head))[:SHOWN]) for head in heads))
    console.print(table)
    if told.get("next"):
        console.print(f"more: --cursor {told['next']}", markup=False, soft_wrap=True)


def _flat(told: dict[str, Any]) -> dict[str, Any]:
    """Return an object with what stands in it below `untrusted` beside the rest."""
    words = told.get("untrusted")
    if not isinstance(words, dict):
        return told
    apart = {f"untrusted.{name}": value for name, value in words.items()}
    return {name: value for name, value in told.items() if name != "untrusted"} | apart


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
