"""What is refused is told as a sentence that names the field, never in a library's words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from litestar import Litestar

from app.kernel.sentences import of_parameter, of_value
from app.kernel.wire import TagName, Title, WireModel
from tests.conftest import Principal
from tests.contract.test_unknown_input import METHODS, _filled

RAW = re.compile(r"should |[Ii]nput|Expected `|Field required|not permitted|`\$|Unable to parse")
VALUES: tuple[Any, ...] = ({"x": 1}, [{"x": 1}], 17.5, "", "x" * 50_000, None, True)


def operations(app: Litestar) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    schema = app.openapi_schema.to_schema()
    kinds = schema["components"]["schemas"]
    return [
        (path, method, item[method], kinds)
        for path, item in schema["paths"].items()
        for method in METHODS
        if method in item
    ]


def told(answer: Any) -> list[dict[str, str]]:
    if answer.status_code != 422 or "json" not in answer.headers.get("content-type", ""):
        return []
    found: list[dict[str, str]] = answer.json().get("errors", [])
    return found


async def test_bad_values_of_every_body_are_told_in_sentences(
    app: Litestar, admin: Principal
) -> None:
    wrong, seen = [], 0
    for path, method, operation, kinds in operations(app):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        name = body and body["schema"].get("$ref", "").rpartition("/")[2]
        for field in kinds.get(name, {}).get("properties", ()):
            for value in VALUES:
                answer = await admin.http.request(method, _filled(path), json={field: value})
                for error in told(answer):
                    seen += 1
                    last = re.split(r"\.", error["field"])[0]
                    if (
                        RAW.search(error["detail"].removeprefix(last))
                        or last not in error["detail"] + error["field"]
                    ):
                        wrong.append(f"{method} {path} {field}={str(value)[:20]}: {error}")
    assert seen > 1000
    assert not wrong, "\n".join(wrong[:40])


async def test_bad_values_of_every_parameter_are_told_in_sentences(
    app: Litestar, admin: Principal
) -> None:
    wrong, seen = [], 0
    for path, method, operation, _ in operations(app):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] != "query":
                continue
            for value in ("%%", "-1", "", "9" * 30):
                params = {parameter["name"]: value}
                answer = await admin.http.request(method, _filled(path), params=params)
                for error in told(answer):
                    seen += 1
                    if RAW.search(error["detail"]) or not error["detail"]:
                        wrong.append(f"{method} {path}?{parameter['name']}={value}: {error}")
    assert seen > 100
    assert not wrong, "\n".join(wrong[:40])


async def test_items_of_a_batch_are_told_in_sentences(admin: Principal) -> None:
    items = [
        {"content": "x", "session": "s", "title": "t" * 501},
        {"content": "x", "session": "s", "title": "t" * 500},
        {"session": "s"},
        {"content": "x", "session": "s", "tags": ["two words"]},
        {"content": "x", "session": "s", "captured_at": "yesterday"},
    ]
    answer = await admin.http.post("/v1/episodes:batch", json={"episodes": items})
    receipts = answer.json()["receipts"]
    assert [(r["status"], r["field"], r["detail"]) for r in receipts] == [
        ("refused", "title", "title has at most 500 characters"),
        ("accepted", None, None),
        ("refused", "content", "content is missing"),
        ("refused", "tags.0", "tags.0 has no blanks"),
        (
            "refused",
            "captured_at",
            "captured_at is a moment with a time zone, such as 2026-03-02T09:00:00Z",
        ),
    ]


@pytest.mark.parametrize("path", ["/v1/notes", "/v1/pages", "/v1/documents", "/v1/episodes"])
async def test_a_title_may_have_500_characters(admin: Principal, path: str) -> None:
    await admin.http.post("/v1/knowledge-bases", json={"name": "Papers"})
    body = {
        "/v1/notes": {"content": "The gate is open."},
        "/v1/pages": {"content": "The gate is open."},
        "/v1/documents": {
            "knowledge_base": "Papers",
            "name": "gate.md",
            "text": "The gate is open.",
        },
        "/v1/episodes": {"content": "The gate is open.", "session": "s"},
    }[path]
    title = ("On the effects of gates on yards " * 20)[:500].strip().ljust(500, "x")
    kept = await admin.http.post(path, json={**body, "title": title})
    assert kept.status_code in (201, 202), kept.text
    refused = await admin.http.post(path, json={**body, "title": f"{title}x"})
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["field"]) == (422, "title")
    assert error["detail"] == "title has at most 500 characters"


class Body(WireModel):
    title: Title
    tags: tuple[TagName, ...] = ()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Expected `int` <= 500", "limit is at most 500"),
        ("Expected `int | null`, got `str`", "limit is a whole number"),
        ("Invalid enum value 'odd'", "limit is not one of what it takes: 'odd'"),
        ("Expected `str` of length >= 1", "limit has at least 1 characters"),
        ("Invalid RFC3339 encoded date", "limit is a day, such as 2026-03-02"),
        ("Expected `date | null`, got `array`", "limit is a day, such as 2026-03-02"),
        (
            "Invalid RFC3339 encoded datetime",
            "limit is a moment with a time zone, such as 2026-03-02T09:00:00Z",
        ),
        ("something else", "limit: something else"),
    ],
)
def test_a_parameter_is_told_by_its_name(said: str, sentence: str) -> None:
    assert of_parameter("limit", said) == ("limit", sentence)


def test_steps_of_a_union_are_no_part_of_a_field() -> None:
    error = {"loc": ("diversity", "literal['mmr']"), "type": "odd", "msg": "Odd"}
    assert of_value(error) == ("diversity", "diversity: Odd")
