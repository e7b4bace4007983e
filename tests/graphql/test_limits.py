"""What is refused before anything runs, and what a query costs, to the digit."""

from __future__ import annotations

import time
from typing import Any

import pytest
from graphql import FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode, parse
from graphql.utilities import get_introspection_query
from hypothesis import given
from hypothesis import strategies as st

from app.errors import QueryRefused
from app.graphql.limits import Limits, Measure, Meter, check, check_text, roots
from app.graphql.schema import build

QUICK = 0.02  # seconds of this process, the quickest of five


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build()


def measure(schema: GraphQLSchema, text: str, **variables: Any) -> Measure:
    document = parse(text)
    fragments = {
        node.name.value: node
        for node in document.definitions
        if isinstance(node, FragmentDefinitionNode)
    }
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    root = schema.get_root_type(operation.operation)
    return Meter(schema, fragments, variables).selections(operation.selection_set, root)


def refuse(schema: GraphQLSchema, text: str, **variables: Any) -> QueryRefused:
    with pytest.raises(QueryRefused) as caught:
        through(schema, text, **variables)
    return caught.value


def through(schema: GraphQLSchema, text: str, **variables: Any) -> None:
    check_text(text)
    check(schema, parse(text), variables, Limits())


@pytest.mark.parametrize(
    ("text", "depth", "cost"),
    [
        ('{ page(id: "p") { id slug } }', 2, 3),
        ("{ pages(first: 3) { nodes { id } } }", 3, 1 + 10 + 3 * (1 + 1)),
        ("{ pages { nodes { id } } }", 3, 1 + 10 + 20 * 2),
        ("{ pages(first: 2) { nodes { backlinks(first: 4) { nodes { pageId } } } } }", 5, 51),
        ('{ fact(id: "f") { intervals { standing reason } } }', 3, 1 + 1 + 5 * 2),
        ('{ search(input: {query: "q", first: 7}) { hits { id } } }', 3, 1 + 500 + 7 * 2),
        ('{ search(input: {query: "q"}) { mode } }', 2, 1 + 500 + 10),
        ('{ a: page(id: "p") { id } b: page(id: "q") { id } }', 2, 4),
        ('{ page(id: "p") { ...on Page { id } ...P } } fragment P on Page { id slug }', 2, 4),
        ('{ linkGraph(page: "p") { nodes { id } } }', 3, 1 + 10 + 100 * 2),
        ('{ linkGraph(page: "p", first: 5) { cut } }', 2, 1 + 10 + 5 * 1),
        ('{ askLearnings(query: "q") { items { id } } }', 3, 1 + 500 + 10 * 2),
        ('{ ask(input: {query: "q"}) { by sources { id } } }', 3, 1 + 3000 + 1 + 1 + 5 * 1),
        ('{ retrieve(input: {query: "q"}) { results { id } } }', 3, 1 + 1000 + 10 * (1 + 1)),
        ('{ retrieve(input: {query: "q", topK: 4}) { seeds { how } } }', 3, 1 + 1000 + 4 * (1 + 5)),
        ('{ context(input: {query: "q", topK: 3}) { ledger { id } } }', 3, 1 + 1000 + 3 * 2),
        ('{ researchSkill(topic: "t") { findings { id } } }', 3, 1 + 500 + 1 + 5 * 1),
        ('{ discoverSkills(description: "d", first: 3) { items { id } } }', 3, 1 + 500 + 3 * 2),
        ('{ searchGraph(query: "q") { nodes { id } } }', 3, 1 + 500 + 10 * 2),
        ('{ graphNeighbours(node: "n") { edges { type } } }', 3, 1 + 2500 + 50 * 2),
        ('{ timeline(entity: "e") { items { status } } }', 3, 1 + 10 + 100 * 2),
        ('{ unlinkedMentions(page: "p") { pageId } }', 2, 1 + 500 + 20 * 1),
        ('{ erasurePreview(input: {memory: "m"}) { notes } }', 2, 1 + 3000 + 1),
        ("{ whoAmI { scopes(first: 4) { nodes { scope } } } }", 4, 1 + 1 + 10 + 4 * 2),
        ("{ __schema { types { name } } }", 3, 1 + 1 + 5 * 1),
    ],
)
def test_depth_and_cost_are_counted(
    schema: GraphQLSchema, text: str, depth: int, cost: int
) -> None:
    assert measure(schema, text) == Measure(depth, cost)


def test_a_variable_and_its_default_count(schema: GraphQLSchema) -> None:
    text = "query Q($n: Int) { pages(first: $n) { nodes { id } } }"
    assert measure(schema, text, n=5).cost == 1 + 10 + 5 * 2
    assert measure(schema, text).cost == 1 + 10 + 20 * 2
    found = "query Q($i: SearchInput!) { search(input: $i) { hits { id } } }"
    assert measure(schema, found, i={"query": "q", "first": 50}).cost == 1 + 2500 + 50 * 2


@given(st.integers(min_value=1, max_value=100), st.integers(min_value=1, max_value=100))
def test_cost_grows_with_what_is_asked_for(schema: GraphQLSchema, one: int, other: int) -> None:
    facts = "facts(first: $n) { nodes { id } }"
    text = f"query Q($n: Int) {{ entities(first: $n) {{ nodes {{ {facts} }} }} }}"
    less, more = sorted((one, other))
    first, second = measure(schema, text, n=less), measure(schema, text, n=more)
    assert first.cost <= second.cost
    assert first.depth == second.depth == 5


@pytest.mark.parametrize("given", ["0", "101", "-1", "9" * 40])
def test_first_is_bounded(schema: GraphQLSchema, given: str) -> None:
    error = refuse(schema, f"{{ pages(first: {given}) {{ nodes {{ id }} }} }}")
    assert (error.field, error.status) == ("first", 422)
    assert "from 1 to 100" in error.detail


def test_first_is_bounded_as_a_variable_and_inside_a_search(schema: GraphQLSchema) -> None:
    text = "query Q($n: Int = 500) { pages(first: $n) { nodes { id } } }"
    assert refuse(schema, text).field == "first"
    assert refuse(schema, text.replace(" = 500", ""), n=500).field == "first"
    for whole in (500.0, -5.0, 1e9):  # which the type Int takes as well
        assert refuse(schema, text, n=whole).field == "first"
    assert measure(schema, text, n=5.0).cost == 1 + 10 + 5 * 2
    default = 'query Q($i: SearchInput = {query: "q", first: 900}) { search(input: $i) { mode } }'
    assert refuse(schema, default).field == "first"
    found = '{ search(input: {query: "q", first: 101}) { hits { id } } }'
    assert refuse(schema, found).field == "first"
    wide = "query Q($i: RetrieveInput!) { retrieve(input: $i) { results { id } } }"
    error = refuse(schema, wide, i={"query": "q", "topK": 51})
    assert (error.field, error.detail) == ("topK", "topK is a number from 1 to 50")


HOP = "neighbours { nodes { entity { "
DEEP = '{ entity(id: "e") { ' + HOP * 5 + "id" + " } } }" * 5 + " } }"
FIRST = '{ entity(id: "e") { ...F0 } } fragment F40 on Entity { id } '
CHAIN = FIRST + " ".join(
    f"fragment F{n} on Entity {{ facts(first: 1) {{ nodes {{ subject {{ ...F{n + 1} }} }} }} }}"
    for n in range(40)
)
LAUGHS = FIRST + " ".join(
    f"fragment F{n} on Entity {{ ...F{n + 1} ...F{n + 1} }}" for n in range(40)
)
ALIASES = "{" + " ".join(f'a{n}: page(id: "p") {{ id }}' for n in range(200)) + "}"
UNUSED = '{ page(id: "p") { id } } fragment F on Query { pages(first: 999) { nodes { id } } }'
WIDE = (
    "{ entities(first: 100) { nodes { facts(first: 100) { nodes { id status scope negated } } } } }"
)
HOSTILE = {
    "deep": (DEEP, "15 fields deep"),
    "very deep": ("{ a " * 12_000 + "}" * 12_000, "characters"),
    "brackets": ('{ page(id: "p") ' + "{ a " * 60 + "}" * 60 + " }", "brackets go 40 deep"),
    "values": ("{ pages(tag: " + "[" * 900 + "]" * 900 + ") { nodes { id } } }", "brackets"),
    "a chain": (CHAIN, "deep"),
    "laughs": (LAUGHS, "costs 50000 at most"),
    "wide": (WIDE, "costs 50000 at most"),
    "aliases": (ALIASES, "words"),
    "alike": ("{ pages { nodes { " + "id " * 30 + "} } }", "more than 20 times"),
    "unused": (UNUSED, "from 1 to 100"),
    "introspection": (
        "{ __schema { " + "types { fields { type { " * 6 + "name" + " } } }" * 6 + " } }",
        "deep",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_at_once(schema: GraphQLSchema, name: str) -> None:
    text, reason = HOSTILE[name]
    took = []
    for _ in range(5):
        started = time.process_time()
        error = refuse(schema, text)
        took.append(time.process_time() - started)
    assert reason in error.detail
    assert min(took) < QUICK


def test_a_fragment_that_holds_itself_is_left_to_validation(schema: GraphQLSchema) -> None:
    text = '{ entity(id: "e") { ...F } } fragment F on Entity { id ...F }'
    check(schema, parse(text), {}, Limits())


def test_the_usual_introspection_is_within_the_limits(schema: GraphQLSchema) -> None:
    text = get_introspection_query()
    check_text(text)
    check(schema, parse(text), {}, Limits())


def test_limits_are_settings(schema: GraphQLSchema) -> None:
    document = parse("{ pages { nodes { id } } }")
    for bounds in (Limits(depth=2), Limits(cost=40)):
        with pytest.raises(QueryRefused):
            check(schema, document, {}, bounds)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("{ a b }", 2),
        ("{ a ...F ... on Query { b } } fragment F on Query { c ...F }", 3),
        ("{ a: __typename b: __schema { queryType { name } } }", 2),
    ],
)
def test_fields_at_the_root_are_counted(text: str, count: int) -> None:
    document = parse(text)
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    assert roots(operation, document) == count
