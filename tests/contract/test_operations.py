"""Every operation has a command, and what reads data a field of GraphQL, or there is a reason."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
import typer
from graphql import GraphQLObjectType
from litestar import Litestar
from litestar.routes import HTTPRoute

from app.asgi import create_app
from app.cli import api, operation_list
from app.cli.declared_operations import APART, FILES, left_out, written
from app.cli.main import cli
from app.cli.reference import commands, operations
from app.graphql.reads import READS as FIELDS
from app.graphql.routed import ROUTED
from app.graphql.schema import build
from app.kernel.departures import READS
from app.settings import read_settings
from tests.graphql.test_schema import OPERATIONS

APP = create_app(read_settings({}))
SCHEMA: dict[str, Any] = APP.openapi_schema.to_schema()
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


# Reading operations that a field below another one answers.
BELOW = {
    "listCommunityMembers": "Community.members", "getCoreBlock": "Query.coreBlocks",
    "listChunks": "Document.chunks", "listEntityBacklinks": "Entity.backlinks",
    "getNeighbours": "Entity.neighbours", "listSentences": "Entity.sentences",
    "listEntityPages": "Entity.backlinks", "getFactHistory": "Fact.history",
    "listNoteVersions": "Note.versions", "listBacklinks": "Page.backlinks",
    "listPageLinks": "Page.links", "listPageVersions": "Page.versions",
    "getPageVersion": "Page.versions", "listSkillAgents": "Skill.holders",
    "listSkillBacklinks": "Page.backlinks", "listSkillEntities": "Skill.entities",
    "listSkillLinks": "Skill.links", "listSkillOutcomes": "Skill.outcomes",
    "listSkillVersions": "Skill.versions", "useSlot": "Query.slots",
    "listChangedByTexts": "Fact.possibleChanges", "getWorkItem": "Query.workItem",
}  # fmt: skip
# Reading operations without a field, and why.
RUNNING, RULES, STREAMS = (
    "of the running of the service, for operators",
    "settings, rules and keys: of people and not of what they keep",
    "a stream, or a file",
)
WITHOUT = {
    "healthLive": RUNNING, "healthReady": RUNNING, "status": RUNNING, "metrics": RUNNING,
    "checkAudit": RUNNING, "getEmbedding": RUNNING, "listSchedules": RUNNING,
    "ragAnalytics": RUNNING, "listRagQueries": RUNNING, "getRagQuery": RUNNING,
    "listWebhooks": RUNNING, "getWebhook": RUNNING, "listWebhookDeliveries": RUNNING,
    "listKeys": RULES, "listPrincipals": RULES, "listScopes": RULES, "getPolicy": RULES,
    "getRules": RULES, "getScopeSettings": RULES, "listScopeSettingsVersions": RULES,
    "getWorkingLimits": RULES, "followEvents": STREAMS, "downloadExport": STREAMS,
    "graphql": "it is GraphQL itself", "getSkillVariant": "a draw for one run, which asks by REST",
}  # fmt: skip


def reading(app: Litestar) -> set[str]:
    """The operations of the API itself that read: by GET, or by POST where one only asks."""
    return {
        handler.operation_id or ""
        for route in app.routes
        if isinstance(route, HTTPRoute) and not route.path.startswith(tuple(APART))
        for handler in route.route_handlers
        if handler.operation_id and ("GET" in handler.http_methods or handler.opt.get(READS))
    }


def asked_by_a_field() -> set[str]:
    """The operations that a field of `Query` stands for."""
    names = set()
    for name in FIELDS:
        plain = f"{'list' if name.endswith('s') else 'get'}{name[0].upper()}{name[1:]}"
        routed = ROUTED.get(name)
        names.add(routed.handler.operation_id if routed else OPERATIONS.get(name, plain))
    return {name for name in names if name}


def test_every_operation_that_reads_data_has_a_field_or_a_reason() -> None:
    read, asked = reading(APP), asked_by_a_field()
    assert read - asked - BELOW.keys() - WITHOUT.keys() == set()
    assert (BELOW.keys() | WITHOUT.keys()) - read == set(), "there is no such operation"
    assert WITHOUT.keys() & asked == set(), "it has a field: take it from the list"


def test_what_is_said_to_be_below_a_field_is_there() -> None:
    schema = build()
    for place in BELOW.values():
        kind, _, field = place.partition(".")
        found = schema.type_map[kind]
        assert isinstance(found, GraphQLObjectType)
        assert field in found.fields, place


@pytest.mark.parametrize("name", CALLS)
def test_a_command_names_each_part_of_its_request_once(name: str) -> None:
    """The path has an argument for each gap, and no two options of a command have one name."""
    operation = CALLS[name]
    given = {name: f"a/{name}" for name in operation["arguments"]}
    assert not re.search(r"[{}]", api.path_of(operation, given))
    names = [parameter.name for parameter in api.parameters_of(operation)]
    assert len(names) == len(set(names))
    assert operation["help"]
