"""Queries and changes of GraphQL that name a thing, with what hangs on it one step away."""

from __future__ import annotations

from functools import cache
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    get_nullable_type,
    is_required_argument,
    is_required_input_field,
)

from app.graphql.inputs import snake
from app.graphql.relations import BESIDE, LINKS, LISTS, MANY
from app.graphql.routed import ROUTED
from app.graphql.schema import build
from bench.rights import Item

SCHEMA = build()
HUNG = {*LISTS, *LINKS, *MANY, *BESIDE, "Community.parts"}
# What stands between two things: a relation leads to it, and another one on.
BETWEEN = {"Backlink", "Link", "Concern", "MentionedIn", "Neighbour", "SkillLink"}
# What hangs on the answers to changes alone.
ANSWERS = {
    "CaptureReceipt",
    "Decision",
    "Erasure",
    "NoteReceipt",
    "PageReceipt",
    "Remembered",
    "Shared",
}
FIRST = 2  # items of a list
HEAVY = {"quarantine", "possibleChanges", "retrieve"}  # where two cost more than a query may
# The id that an argument takes, where it is not called after its kind.
IDS = {
    "session": "session", "skillProposal": "proposal_id", "knowledgeBase": "base_id",
    "learning": "note_id", "erasure": "receipt_id", "skillConflict": "conflict_id",
    "entity": "entity_id", "page": "page_id", "node": "node_id", "subject": "entity_id",
    "relatedPages": "page_id", "parent": "community_id", "workItem": "item", "goal": "goal",
    "escalation": "escalation", "trace": "trace", "dataTable": "table",
}  # fmt: skip
SAID = '"harbour crane"'
LEAST = ("threshold", "least")  # how like a question something has to be
# What each change names, by the parameter of paths of that name; where None, a scope.
CHANGES: dict[str, str | None] = {
    "captureEpisode": None, "rememberFact": None, "writePage": None, "writeNote": None,
    "createSkill": None, "proposeSkill": None, "supersedeFact": "fact_id",
    "forgetFacts": "fact_id", "changePage": "page_id", "giveFeedback": "memory_id",
    "acceptFact": "fact_id", "rejectFact": "fact_id", "keepBothFacts": "fact_id",
    "decideChange": "fact_id", "undoReview": "fact_id", "proposeMerge": "entity_id",
    "acceptMerge": "merge_id", "rejectMerge": "merge_id", "undoMerge": "merge_id",
    "moveSkillProposal": "proposal_id", "checkLearning": "note_id", "shareLearning": "note_id",
    "forgetMemory": "memory_id", "unforgetMemory": "memory_id", "pinMemory": "memory_id",
    "unpinMemory": "memory_id", "cancelJob": "job_id", "rerunJob": "job_id", "erase": "memory_id",
}  # fmt: skip

# Changes to what waits in quarantine.
WAITING = ("acceptFact", "rejectFact", "keepBothFacts", "undoReview")
# Changes that the admin himself cannot make of what lies there, and why.
UNREADY = {
    "cancelJob": "has ended", "rerunJob": "has not failed",
}  # fmt: skip


# What stands in the paths of routes beside what names a thing.
KNOWN_AS = {"key": "tier_key", "id": "memory_id"}
WORDS = {"part": "keys", "kind": "persona", "name": "", "agent": "", "row": ""}


def is_named(name: str, key: str) -> bool:
    """Whether an argument of a route's field names something: part of its path, or a key."""
    return any(one.name == key and one.needed for one in ROUTED[name].arguments if not one.model)


def _part(name: str, key: str, thing: Item) -> str:
    """What stands for a part of a route's path, by what that is called in the path."""
    called = next(one.called for one in ROUTED[name].arguments if one.name == key)
    if called == "agent":
        return thing.owner
    if called == "team":
        return thing.scope
    if called in KNOWN_AS:
        return thing.ids.get(KNOWN_AS[called], thing.key)
    return thing.ids.get(called) or WORDS.get(called) or thing.key


def roots() -> dict[str, GraphQLField]:
    """Every field by which one asks."""
    assert SCHEMA.query_type is not None
    return dict(SCHEMA.query_type.fields)


def wanted(name: str) -> str | None:
    """The parameter that a field's id is called by in paths; None where it takes none."""
    if name in ROUTED:
        path = [one.called for one in ROUTED[name].arguments if one.in_path]
        return next((one for one in reversed(path) if one not in WORDS), None)
    arguments = roots()[name].args
    for argument in ("id", "entity", "page", "node"):
        if argument in arguments:
            called = name if argument == "id" else argument
            return IDS.get(called, f"{snake(called)}_id")
    return None


@cache
def hung(name: str) -> list[str]:
    """The relations by which something hangs on what a field answers with, by type and field."""
    kind = get_named_type(roots()[name].type)
    if not isinstance(kind, GraphQLObjectType):
        return []
    return sorted(one for one in HUNG if one in fields(kind, one))


def query(name: str, thing: Item, scope: str | None, only: str = "") -> str:
    """A query of one field about a thing, with what hangs on it by one relation.

    With everything at once it would be longer than a query may be.
    """
    found = roots()[name]
    given = [
        f"{key}: {value}"
        for key, argument in found.args.items()
        if (value := _argument(name, key, argument.type, thing, scope)) is not None
        or is_required_argument(argument)
    ]
    return f"{{ {name}{_in(given)}{_below(found, only)} }}"


def _argument(name: str, key: str, kind: Any, thing: Item, scope: str | None) -> str | None:
    parameter, most = wanted(name), 1 if name in HEAVY else FIRST
    if name in ROUTED and is_named(name, key):
        return f'"{_part(name, key, thing)}"'
    if key in ("id", "entity", "page", "node") and parameter is not None:
        return f'"{thing.ids[parameter]}"'
    if key == "scopes":
        return f'["{scope}"]' if scope else None
    if key == "first":
        return str(most)
    inner = get_named_type(kind)
    if isinstance(inner, GraphQLInputObjectType):
        return "{" + ", ".join(_fields(inner, thing, scope, most)) + "}"
    return SAID if key in ("query", "topic", "description") else None


def _fields(kind: GraphQLInputObjectType, thing: Item, scope: str | None, most: int) -> list[str]:
    found = []
    for key, one in kind.fields.items():
        if key == "memory":
            found.append(f'memory: "{thing.ids.get("memory_id", thing.key)}"')
        elif key in ("first", "topK", "maxHops"):
            found.append(f"{key}: {most}")
        elif key == "scopes" and scope:
            found.append(f'scopes: ["{scope}"]')
        elif key in LEAST:
            found.append(f"{key}: 0.0")
        elif is_required_input_field(one):
            found.append(f"{key}: {SAID}")
    return found


def _in(given: list[str]) -> str:
    return f"({', '.join(given)})" if given else ""


def _below(found: GraphQLField, only: str) -> str:
    kind = get_named_type(found.type)
    return f" {selection(kind, only)}" if isinstance(kind, GraphQLObjectType) else ""


def selection(kind: GraphQLObjectType, only: str) -> str:
    """Everything that a value holds, and what hangs on it by one relation."""
    parts = ["__typename"]
    for name, one in kind.fields.items():
        called = f"{kind.name}.{name}"
        if any(map(is_required_argument, one.args.values())) or not _taken(called, one, only):
            continue
        given = ["first: 1"] if "first" in one.args else []
        parts.append(f"{name}{_in(given)}{_below(one, '' if called == only else only)}")
    return "{ " + " ".join(parts) + " }"


def _taken(called: str, one: GraphQLField, only: str) -> bool:
    """Whether a field is asked for: what a value holds, the relation, and what leads to it."""
    return called not in HUNG or called == only or _node(one) == only.split(".")[0] in BETWEEN


def fields(kind: GraphQLObjectType, only: str) -> set[str]:
    """What `selection` asks for, by type and field."""
    found = set()
    for name, one in kind.fields.items():
        called = f"{kind.name}.{name}"
        if any(map(is_required_argument, one.args.values())) or not _taken(called, one, only):
            continue
        found.add(called)
        inner = get_named_type(one.type)
        if isinstance(inner, GraphQLObjectType):
            found |= fields(inner, "" if called == only else only)
    return found


def _node(one: GraphQLField) -> str:
    """The name of a field's type, of its items where it is a list."""
    return get_named_type(one.type).name.removesuffix("Connection")


def change(name: str, thing: Item, scope: str, other: str) -> str:
    """A change that names a thing, and another where it takes two, or writes to its scope."""
    assert SCHEMA.mutation_type is not None
    found, parameter = SCHEMA.mutation_type.fields[name], CHANGES[name]
    named = scope if parameter is None else thing.ids[parameter]
    given = []
    for key, argument in found.args.items():
        inner = get_named_type(argument.type)
        if key == "id":
            given.append(f'id: "{named}"')
        elif isinstance(inner, GraphQLInputObjectType) and is_required_argument(argument):
            given.append(f"{key}: {_written(name, inner, (named, other), scope)}")
    return f"mutation {{ {name}{_in(given)} {{ __typename }} }}"


# Fields that a change needs though the schema leaves them open, and what cannot be guessed.
FILLED: dict[str, dict[str, str]] = {
    "rememberFact": {"text": SAID},
    "writePage": {"title": SAID, "content": SAID},
    "changePage": {"content": SAID},
    "supersedeFact": {"object": '{name: "Ulm"}'},
    "createSkill": {"name": SAID, "category": '"design"', "body": SAID},
    "proposeSkill": {"name": SAID, "category": '"design"'},
    "decideChange": {"verdict": '"both"'},
    "moveSkillProposal": {"status": '"rejected"'},
}
NAMING = ("id", "fact", "memory", "left", "right", "other", "older", "entity", "note")


def _written(name: str, kind: GraphQLInputObjectType, ids: tuple[str, str], scope: str) -> str:
    named, other = ids
    parts = dict(FILLED.get(name, {}))
    for key, one in kind.fields.items():
        by_id = key in NAMING and CHANGES[name] is not None
        if key == "scope" and CHANGES[name] is None:
            parts[key] = f'"{scope}"'
        elif by_id and (is_required_input_field(one) or key in ("id", "memory", "fact")):
            parts[key] = f'"{other if key == "right" else named}"'
        elif is_required_input_field(one) and key not in parts:
            parts[key] = _value(one.type, named, scope)
    return "{" + ", ".join(f"{key}: {value}" for key, value in parts.items()) + "}"


def _value(kind: Any, named: str, scope: str) -> str:
    """Something of a type."""
    inner = get_nullable_type(kind)
    if isinstance(inner, GraphQLNonNull):
        inner = inner.of_type
    if isinstance(inner, GraphQLList):
        return f"[{_value(inner.of_type, named, scope)}]"
    if isinstance(inner, GraphQLEnumType):
        return str(next(iter(inner.values)))
    if isinstance(inner, GraphQLInputObjectType):
        needed = ((key, one) for key, one in inner.fields.items() if is_required_input_field(one))
        return (
            "{" + ", ".join(f"{key}: {_value(one.type, named, scope)}" for key, one in needed) + "}"
        )
    words = {"Boolean": "true", "Int": "1", "Float": "0.5", "Time": '"2026-01-01T00:00:00Z"'}
    return words.get(str(get_named_type(kind)), SAID)
