"""Every operation that is documented has a command; whoever adds one without is told here."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
import typer

from app.asgi import create_app
from app.cli import api, operation_list
from app.cli.declared_operations import FILES, left_out, written
from app.cli.main import cli
from app.cli.reference import commands, operations
from app.settings import read_settings

SCHEMA: dict[str, Any] = create_app(read_settings({})).openapi_schema.to_schema()
LISTED = operation_list.read()
CALLS = {name: told for found in LISTED.values() for name, told in found.items()}


def test_the_list_of_operations_is_what_the_routes_say() -> None:
    read = files("app.cli").joinpath(operation_list.FILE).read_text(encoding="utf-8")
    assert read == written(SCHEMA), "run `python docs/generate.py`"


def test_every_operation_has_a_command_or_a_reason() -> None:
    """By method and path: an operation is reached, or it is said what does the same."""
    reached = {(told["method"], told["path"]) for told in CALLS.values()}
    without = {
        (method, path): left_out(path, operation["operationId"])
        for path, method, operation in operations(SCHEMA)
        if (method, path) not in reached
    }
    assert {place for place, why in without.items() if not why} == set()
    # What is apart is no address of our own: no operation of `/v1` is without a command of its own
    # or one that is named here.
    own = {place for place in without if place[1].startswith("/v1/")}
    assert len(own) == len(FILES)


def test_what_is_said_to_do_the_same_is_a_command() -> None:
    root: Any = typer.main.get_command(cli)
    known = {
        path
        for name, below in root.load_all().items()
        for path, _ in commands(below, f"loci {name}")
    }
    assert set(FILES.values()) <= known


@pytest.mark.parametrize("name", CALLS)
def test_a_command_names_each_part_of_its_request_once(name: str) -> None:
    """The path has an argument for each gap, and no two options of a command have one name."""
    operation = CALLS[name]
    given = {name: f"a/{name}" for name in operation["arguments"]}
    assert not re.search(r"[{}]", api.path_of(operation, given))
    names = [parameter.name for parameter in api.parameters_of(operation)]
    assert len(names) == len(set(names))
    assert operation["help"]
