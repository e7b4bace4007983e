"""The reference pages' tables, made from the settings, the routes and the commands themselves.

`python docs/generate.py` writes them into `docs/reference/`; a test compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from pydantic.fields import FieldInfo

from app.cli import operation_list
from app.cli.api import Groups
from app.kernel.caller import Role
from app.settings import ALIASES, PREFIX, PROVIDER_KEYS, SHORT, Settings

BEGIN, END = "<!-- begin: generated -->", "<!-- end: generated -->"
# Typer carries a click of its own, whose types have no public name.
Command = Any
OWN_PATH = "/schema"  # the framework's pages about our routes


def spliced(page: str, made: str) -> str:
    """The page with what was made between its two marks; ValueError where it has none."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} … {END}")
    return f"{head}{BEGIN}\n\n{made.strip()}\n\n{END}{tail}"


def settings_tables() -> str:
    """A table a group: variable, other names, default, meaning."""
    return "\n\n".join(
        _settings_group(name, field) for name, field in Settings.model_fields.items()
    )


def _settings_group(group: str, field: FieldInfo) -> str:
    fields: dict[str, FieldInfo] = field.annotation.model_fields  # type: ignore[union-attr]
    rows = [
        (
            f"`{variable(group, name)}`",
            ", ".join(f"`{alias}`" for alias in _aliases(group, name)),
            _default(found),
            found.description or "",
        )
        for name, found in fields.items()
    ]
    return f"## {group}\n\n" + table(("Variable", "Also", "Default", "Meaning"), rows)


def variable(group: str, name: str) -> str:
    """The environment variable of one setting."""
    return f"{PREFIX}{group}__{name}".upper()


def _aliases(group: str, name: str) -> list[str]:
    given = [alias for alias, place in {**SHORT, **ALIASES}.items() if place == (group, name)]
    is_key = (group, name) == ("embedding", "api_key")
    return [*given, *PROVIDER_KEYS.values()] if is_key else given


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "the platform's folder"
    return "unset" if field.default in (None, "") else f"`{field.default}`"


def route_tables(app: Litestar) -> str:
    """Every route with the role it asks for, then the fields of each request body."""
    schema = app.openapi_schema.to_schema()
    roles = {str(handler.operation_id): _role(handler) for handler in handlers(app)}
    rows, bodies = [], []
    for path, method, operation in operations(schema):
        body = _body(operation)
        bodies.extend([body] if body else [])
        rows.append((f"`{method} {path}`", roles[operation["operationId"]], _sentence(operation)))
    rows.sort(key=lambda row: (row[0].split()[1], row[0]))
    listed = "## Routes\n\n" + table(("Route", "Role", "What it does"), rows)
    return "\n\n".join([listed, *_body_tables(schema, list(dict.fromkeys(bodies)))])


def handlers(app: Litestar) -> Iterator[HTTPRouteHandler]:
    """Our own handlers, each once."""
    for route in app.routes:
        if isinstance(route, HTTPRoute) and not route.path.startswith(OWN_PATH):
            yield from (found for found in route.route_handlers if found.operation_id)


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(path, method, operation) of an OpenAPI schema."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def _role(handler: HTTPRouteHandler) -> str:
    requires = handler.opt["requires"]
    return requires.label if isinstance(requires, Role) else "none"


def _sentence(operation: dict[str, Any]) -> str:
    told = " ".join(str(operation.get("description", "")).split())
    parameters = [p["name"] for p in operation.get("parameters", []) if p["in"] == "query"]
    named = ", ".join(f"`{name}`" for name in parameters)
    body = _body(operation)
    extras = [f"Query: {named}."] if named else []
    extras += [f"Body: [{body}](#{body.lower()})."] if body else []
    return " ".join([told, *extras])


def _body(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    references = [found["schema"].get("$ref", "") for found in content.values()]
    return references[0].rpartition("/")[2] if references else ""


def _body_tables(schema: dict[str, Any], names: list[str]) -> list[str]:
    """The named bodies and what they refer to, in the order of first mention."""
    components, tables, waiting = schema["components"]["schemas"], [], list(names)
    done: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name in done or "properties" not in components[name]:
            continue
        done.add(name)
        tables.append(_body_table(name, components[name]))
        waiting.extend(_references(components[name]))
    return tables


def _body_table(name: str, component: dict[str, Any]) -> str:
    required = set(component.get("required", ()))
    rows = [
        (
            f"`{field}`",
            _type(found),
            "required" if field in required else _default_of(found),
            found.get("description", ""),
        )
        for field, found in component["properties"].items()
    ]
    intro = " ".join(str(component.get("description", "")).split())
    head = f"## {name}\n\n" + (f"{intro}\n\n" if intro else "")
    return head + table(("Field", "Type", "Default", "Meaning"), rows)


def _references(found: Any) -> Iterator[str]:
    if isinstance(found, dict):
        if "$ref" in found:
            yield found["$ref"].rpartition("/")[2]
        for value in found.values():
            yield from _references(value)
    elif isinstance(found, list):
        for value in found:
            yield from _references(value)


def _type(found: dict[str, Any]) -> str:
    if "$ref" in found:
        return str(found["$ref"]).rpartition("/")[2]
    for several in ("oneOf", "anyOf", "allOf"):
        if several in found:
            kinds = [_type(part) for part in found[several] if part]
            return " or ".join(dict.fromkeys(kind for kind in kinds if kind != "null"))
    if "enum" in found:
        return ", ".join(f"`{value}`" for value in found["enum"] if value is not None)
    if found.get("type") == "array":
        return f"list of {_type(found.get('items', {}))}"
    return str(found.get("format") or found.get("type", "any"))


def field_type(found: dict[str, Any], defined: dict[str, Any]) -> str:
    """Return the type of a field in words; choices by their values, objects of ours as JSON."""
    if "$ref" in found:
        found = defined[str(found["$ref"]).rpartition("/")[2]]
    several = found.get("oneOf") or found.get("anyOf")
    if several:
        kinds = [field_type(part, defined) for part in several if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in found:
        return f"({', '.join(str(value) for value in found['enum'])})"
    if found.get("type") == "array":
        items: dict[str, Any] = found.get("items", {})
        return f"list of {field_type(items, defined)}"
    return {"string": "text", "date-time": "moment", "object": "JSON"}.get(
        known := str(found.get("format") or found.get("type", "JSON")), known
    )


def _default_of(found: dict[str, Any]) -> str:
    if "default" not in found and "$ref" in found:
        return "see the guide"  # the schema leaves a default out where it refers to a type
    default = found.get("default")
    if default in (None, ""):
        return "unset"
    return f"`{default}`" if isinstance(default, str) else f"`{json.dumps(default)}`"


def command_tables(cli: typer.Typer) -> str:
    """Every command with its arguments and options."""
    root: Any = typer.main.get_command(cli)
    listed = [
        each for name, below in root.load_all().items() for each in commands(below, f"loci {name}")
    ]
    return "\n\n".join(
        _operations(path, command) if isinstance(command, Groups) else _command(path, command)
        for path, command in listed
    )


def _operations(path: str, command: Command) -> str:
    """A table of the commands that are made from routes, whose options are the fields of these."""
    rows = [
        (f"`{path} {group} {name}`", f"`{told['method']} {told['path']}`", told["help"])
        for group, found in operation_list.read().items()
        for name, told in found.items()
    ]
    head = f"## {path}\n\n{command.help}"
    return f"{head}\n\n" + table(("Command", "Route", "What it does"), rows)


def commands(command: Command, path: str) -> Iterator[tuple[str, Command]]:
    """Each command that does something, with the words that call it."""
    below: dict[str, Command] = getattr(command, "commands", {})
    if not below:
        yield path, command
    for name, found in below.items():
        yield from commands(found, f"{path} {name}")


def _command(path: str, command: Command) -> str:
    shown = [parameter for parameter in command.params if parameter.name != "help"]
    rows = [
        (_names(parameter), _given(parameter), str(getattr(parameter, "help", "") or ""))
        for parameter in shown
    ]
    text = f"## {path}\n\n{' '.join((command.help or '').split())}"
    return text if not rows else f"{text}\n\n" + table(("Argument", "Default", "Meaning"), rows)


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{str(parameter.name).upper()}`"
    return ", ".join(f"`{name}`" for name in parameter.opts)


def _given(parameter: Any) -> str:
    variables = parameter.envvar
    if isinstance(variables, str):
        return f"`${variables}`"
    if parameter.required:
        return "required"
    default = parameter.default
    if isinstance(default, Path) and default.parts[:1] == ("..",):
        return "beside the project"
    return "unset" if default in (None, False, "", ()) else f"`{default}`"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    cells = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in cells)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
