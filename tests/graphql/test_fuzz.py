"""Documents made from the schema, reading and changing: no server error, whatever they ask.

Every field of the schema is asked, each with documents of its own, since a request changes one
thing. The documents are the same in every run.
"""

from __future__ import annotations

from datetime import UTC

from graphql import GraphQLSchema, print_schema
from graphql.language import ast
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import mutations, nodes, queries

from app.graphql.schema import build
from tests.graphql.conftest import World

EACH = 3  # documents of a field


def scalars() -> dict[str, st.SearchStrategy[ast.ValueNode]]:
    """What the schema's own scalars may be given, good and bad."""
    moments = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat())
    return {
        "Time": st.one_of(moments, st.sampled_from(["", "2026", "2026-01-01"])).map(nodes.String),
        "JSON": st.one_of(
            st.integers(-9, 9).map(nodes.Int), st.booleans().map(nodes.Boolean), st.just(nodes.Null)
        ),
    }


def documents(strategy: st.SearchStrategy[str], count: int) -> list[str]:
    """So many documents of a strategy."""
    made: list[str] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(text: str) -> None:
        made.append(text)

    collect()
    return made


async def test_no_document_is_a_server_error(world: World) -> None:
    schema: GraphQLSchema = build()
    printed = print_schema(schema)
    assert schema.query_type
    assert schema.mutation_type
    texts = []
    for make, fields in (
        (queries, schema.query_type.fields), (mutations, schema.mutation_type.fields)
    ):  # fmt: skip
        for name in fields:
            made = make(printed, fields=[name], custom_scalars=scalars(), allow_x00=False)
            texts += documents(made, EACH)
    statuses = []
    for text in texts:
        answer = await world.curator.send(text)
        told = answer.json()
        errors = told.get("errors", [])
        assert all(error["extensions"]["status"] < 500 for error in errors), (text, errors)
        assert answer.status_code < 500, text
        statuses.append(answer.status_code)
    assert statuses.count(200) >= len(texts) // 10
