"""What a command says of an address that is no Loci, and of a text that is no key."""

from __future__ import annotations

import httpx
import pytest

from app.cli.search import headers_of, told_by
from app.errors import InvalidInput, LociError, Unavailable


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json=["a list"]),
        httpx.Response(404, json={"errors": [{"message": "Not Found"}]}),
    ],
)
def test_another_service_at_the_address_is_told_apart(answer: httpx.Response) -> None:
    with pytest.raises(Unavailable, match="is no Loci: set LOCI_API_URL"):
        told_by(answer, "http://127.0.0.1:7474")


def test_a_problem_of_the_api_is_passed_on() -> None:
    problem = {"code": "NotFound", "title": "It is not there", "detail": "there is no scope x"}
    with pytest.raises(LociError, match="It is not there: there is no scope x"):
        told_by(httpx.Response(404, json=problem), "http://127.0.0.1")


@pytest.mark.parametrize("key", ["loci_…", "loci_a\nb"])
def test_a_text_that_is_no_key_is_not_sent(key: str) -> None:
    with pytest.raises(InvalidInput, match="give the whole text"):
        headers_of(key)
