"""Every error of ours has one shape on the wire, and a line in docs/reference/errors.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from litestar import Litestar, Request

from app.errors import LociError, RateLimited
from app.kernel.problems import MEDIA_TYPE, loci_error
from tests.conftest import Principal

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "errors.md"
LINE = re.compile(r"^\| `(\w+)` \| (\d{3}) \| (.+) \|$", re.M)
KEYS = {"type", "title", "status", "detail", "code", "instance"}


def tree(root: type[LociError] = LociError) -> Iterator[type[LociError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__.startswith("app."):
            yield from tree(child)


def check(body: dict[str, Any], status: int) -> None:
    assert body.keys() - {"errors"} == KEYS
    assert body["status"] == status
    assert body["type"] == f"urn:loci:problem:{body['code']}"
    assert all(isinstance(body[k], str) and body[k] for k in KEYS - {"status"})
    for error in body.get("errors", []):
        assert error.keys() == {"field", "detail"}
        assert error["detail"]


@pytest.mark.parametrize("kind", list(tree()), ids=lambda kind: kind.__name__)
def test_a_leaf_renders_in_the_one_shape(kind: type[LociError], app: Litestar) -> None:
    error = kind("why it was") if kind is RateLimited else kind("why it was", field="scope")
    request: Request[Any, Any, Any] = Request(
        {
            "type": "http",
            "path": "/v1/x",
            "headers": [],
            "method": "GET",
            "query_string": b"",
            "server": ("loci", 80),
            "scheme": "http",
            "root_path": "",
            "litestar_app": app,
        }
    )  # type: ignore[arg-type]
    response = loci_error(request, error)
    assert response.media_type == MEDIA_TYPE
    assert response.status_code == kind.status
    body = orjson.loads(response.content)
    check(body, kind.status)
    assert body["code"] == kind.__name__
    assert body["title"] == kind.title
    if kind is RateLimited:
        assert int(response.headers["Retry-After"]) >= 1


def test_the_reference_lists_every_error_with_its_status() -> None:
    listed = {code: int(status) for code, status, _ in LINE.findall(DOCS.read_text("utf-8"))}
    routing = {"MethodNotAllowed"}
    assert {k: v for k, v in listed.items() if k not in routing} == {
        kind.__name__: kind.status for kind in tree()
    }


def test_every_error_s_docstring_tree_names_it() -> None:
    drawn = LociError.__init__.__globals__["__doc__"] or ""
    assert [kind.__name__ for kind in tree() if kind.__name__ not in drawn] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/v1/nowhere", None, 404, "NotFound"),
        ("PATCH", "/v1/search", None, 405, "MethodNotAllowed"),
        ("POST", "/v1/search", b"{not json", 400, "InvalidInput"),
        ("POST", "/v1/search", b'{"query": "Z\xfcrich"}', 400, "InvalidInput"),
        ("POST", "/v1/search", b"", 422, "InvalidInput"),
        ("POST", "/v1/search", b"{}", 422, "InvalidInput"),
        ("GET", "/v1/skills/discover", None, 422, "InvalidInput"),
        ("POST", "/v1/search", b"[]", 422, "InvalidInput"),
        ("POST", "/v1/search", b'{"query": "x", "scopes": 3}', 422, "InvalidInput"),
        ("GET", "/v1/episodes?limit=0", None, 422, "InvalidInput"),
        ("GET", "/v1/episodes?limit=x", None, 422, "InvalidInput"),
        ("GET", "/v1/episodes?cursor=x", None, 422, "InvalidInput"),
        ("GET", "/v1/episodes?since=2024-01-01T00:00:00", None, 422, "InvalidInput"),
        ("GET", "/v1/episodes/none", None, 404, "NotFound"),
        ("GET", "/v1/memories/none", None, 404, "NotFound"),
        ("GET", "/v1/sessions/none", None, 404, "NotFound"),
        ("GET", "/v1/jobs/none", None, 404, "NotFound"),
        ("GET", "/v1/jobs?status=odd", None, 422, "InvalidInput"),
        ("GET", "/v1/audit", None, 403, "Forbidden"),
        ("GET", "/v1/episodes?scope=else", None, 404, "NotFound"),
        ("GET", "/v1/episodes?scope=NOT+A+SCOPE", None, 404, "NotFound"),
    ],
)
async def test_every_refusal_of_the_api_has_it(
    writer: Principal, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    headers = {"content-type": "application/json"} if body else {}
    answer = await writer.http.request(method, path, content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith(MEDIA_TYPE)
    check(answer.json(), status)
    assert answer.json()["code"] == code


async def test_a_missing_field_is_named(writer: Principal) -> None:
    answer = await writer.http.post("/v1/search", json={"limit": 101, "mode": "psychic"})
    assert {e["field"] for e in answer.json()["errors"]} == {"query", "limit", "mode"}


async def test_what_is_left_out_or_no_text_is_told(writer: Principal) -> None:
    answer = await writer.http.get("/v1/skills/discover")
    assert answer.json()["errors"] == [{"field": "description", "detail": "description is missing"}]
    headers = {"content-type": "application/json"}
    for body, detail in ((b"", "The request needs a body"), (b'"\xfc"', "The body is not UTF-8")):
        for path in ("/v1/pages", "/graphql"):
            answer = await writer.http.post(path, content=body, headers=headers)
            assert answer.json()["detail"] == detail


async def test_an_unknown_field_is_named(writer: Principal) -> None:
    answer = await writer.http.post("/v1/search", json={"query": "x", "limt": 3})
    assert answer.status_code == 422
    assert [e["field"] for e in answer.json()["errors"]] == ["limt"]


async def test_no_key_is_401_with_the_scheme(app: Litestar) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci"
    ) as client:
        answer = await client.get("/v1/episodes")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    check(answer.json(), 401)
