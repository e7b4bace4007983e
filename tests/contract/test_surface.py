"""What others rely on only grows: routes, parameters, fields, GraphQL types and record kinds.

`python -m tests.contract.surface` adds what is new to the lists; a line goes from them by hand
alone, with a word for users in the changelog.
"""

from __future__ import annotations

import pytest

from tests.contract.surface import asked_anew, lost, of_graphql, of_http
from tests.contract.surface.lists import FILES, now, recorded

pytestmark = pytest.mark.one_python  # reads what stands in files


@pytest.mark.parametrize("name", FILES)
async def test_nothing_is_lost_and_nothing_more_is_asked(name: str) -> None:
    before, found = recorded(name), (await now())[name]
    assert lost(before, found) == []
    assert asked_anew(before, found) == []
    unlisted = sorted(line for line in found - before if line.startswith("has "))
    assert unlisted == [], "run `python -m tests.contract.surface`"


def test_a_field_that_goes_and_one_that_is_wanted_anew_are_told() -> None:
    def document(fields: list[str], required: list[str]) -> dict[str, object]:
        body = {"properties": {f: {"type": "string"} for f in fields}, "required": required}
        sent = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/B"}}}}
        operation = {"requestBody": sent, "responses": {"201": sent}}
        return {"paths": {"/v1/x": {"post": operation}}, "components": {"schemas": {"B": body}}}

    before = of_http(document(["a", "b"], ["a"]))
    after = of_http(document(["a", "c"], ["a", "c"]))
    assert lost(before, after) == ["has POST /v1/x 201.b", "has POST /v1/x body.b"]
    assert asked_anew(before, after) == ["asks POST /v1/x body.c"]
    assert asked_anew(set(), after) == []


def test_a_field_of_a_type_of_graphql_that_goes_is_told() -> None:
    before = of_graphql('"""Said."""\ntype A {\n  one: Int\n  """two: of it."""\n  two: Int\n}\n')
    assert lost(before, of_graphql("type A {\n  one: Int\n}\n")) == ["has A.two"]
