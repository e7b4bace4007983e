"""What can go wrong: Loci refuses, or nothing answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from loci_client.model import Added


class LociError(Exception):
    """Base of what this package raises on purpose."""


class LociUnreachable(LociError):
    """Nothing answers at the address; the cause is httpx's error."""


class LociProblem(LociError):
    """A problem document (RFC 9457): `code` is what a program may test for.

    `field` names the first value that is at fault, empty where none is; `errors` has all of them.
    """

    def __init__(self, status: int, told: Mapping[str, Any]) -> None:
        self.status = status
        self.type = str(told.get("type", "about:blank"))
        self.code = str(told.get("code", ""))
        self.title = str(told.get("title", ""))
        self.detail = str(told.get("detail", ""))
        self.errors = tuple((str(e["field"]), str(e["detail"])) for e in told.get("errors", ()))
        self.field = self.errors[0][0] if self.errors else ""
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = f" ({self.field})" if self.field else ""
        return f"{self.code or self.title or self.status}{place}: {self.detail}"


class MessagesRefused(LociProblem):
    """Some of the messages were not stored: the first of them, with what became of all."""

    def __init__(self, added: Added, field: str) -> None:
        first = next(receipt for receipt in added.receipts if receipt.status == "refused")
        errors = [{"field": field, "detail": first.detail or ""}] if field else []
        self.added = added
        super().__init__(
            200,
            {
                "type": f"urn:loci:problem:{first.error}",
                "code": first.error or "",
                "title": "A message was not stored",
                "detail": first.detail or "",
                "errors": errors,
            },
        )


def is_missing(problem: LociProblem) -> bool:
    """Whether a scope is not there, or not seen by the key."""
    return (problem.code, problem.field) == ("NotFound", "scope")


def problem_of(answer: httpx.Response) -> LociProblem:
    """The problem that an answer tells of; one that Loci did not write says so."""
    try:
        told = answer.json()
    except ValueError:
        told = None
    if isinstance(told, dict) and "code" in told:
        return LociProblem(answer.status_code, told)
    detail = f"what answers at {answer.request.url.copy_with(query=None)} is no Loci"
    return LociProblem(answer.status_code, {"title": answer.reason_phrase, "detail": detail})
