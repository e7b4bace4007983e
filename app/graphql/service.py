"""From a document to an answer: measured, validated, and only then run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import isawaitable
from typing import Any

import msgspec
from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    execute,
    get_operation_ast,
    parse,
    validate,
)

from app.access.limits import RateLimiter
from app.access.refusals import Refusals
from app.errors import InvalidInput, LociError, QueryRefused
from app.facts.service import Moments
from app.graphql import limits
from app.graphql.doors import Context, Doors, Handed
from app.graphql.loading import Loading
from app.graphql.problems import origin, told
from app.graphql.schema import build
from app.kernel.caller import Caller

ROUTE = "/graphql"
KEPT = 256  # documents that are not parsed again
MOST_ERRORS = 5  # of validation


@dataclass(frozen=True, slots=True)
class Request:
    """One operation of a document, with its variables."""

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation: str | None = None


class AnswerOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer of the language: data, errors, or some of both."""

    data: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    errors: list[dict[str, Any]] = []


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back; `status` is that of the first error where there is nothing else."""

    status: int
    body: AnswerOut


class GraphqlService:
    """One schema over the services; holds nothing of a caller."""

    def __init__(
        self,
        doors: Doors,
        handed: Handed,
        limiter: RateLimiter,
        refusals: Refusals,
        bounds: limits.Limits,
    ) -> None:
        self.schema = build()
        self._doors = doors
        self._handed = handed
        self._limiter = limiter
        self._refusals = refusals
        self._bounds = bounds
        self._parsed = lru_cache(KEPT)(parsed)

    async def answer(self, caller: Caller, request: Request) -> Answer:
        """Run one operation for a caller whose request has been counted once."""
        try:
            document, operation = self._checked(request)
            await self._count(caller, operation, document)
        except LociError as error:
            return refused([GraphQLError(error.detail, original_error=error)])
        except GraphQLError as error:
            return refused([error])
        wrong = validate(self.schema, document, max_errors=MOST_ERRORS)
        if wrong:
            return refused(wrong)
        result = await self._executed(caller, document, request)
        for each in result.errors or ():
            await self._refusals.record(origin(each), caller, ROUTE)
        return answered(result)

    def _checked(self, request: Request) -> tuple[DocumentNode, OperationDefinitionNode]:
        document = self._parsed(request.query)
        limits.check(self.schema, document, request.variables, self._bounds)
        operation = get_operation_ast(document, request.operation)
        if operation is None:
            named = request.operation
            raise InvalidInput(
                f"the document has no operation {named}"
                if named
                else "name the operation: the document has none, or several",
                field="operationName",
            )
        count = limits.roots(operation, document)
        if operation.operation == OperationType.MUTATION and count > 1:
            raise QueryRefused("a request changes one thing: send one field of Mutation")
        if count > limits.ROOTS:
            raise QueryRefused(f"an operation has at most {limits.ROOTS} fields at its root")
        return document, operation

    async def _count(
        self, caller: Caller, operation: OperationDefinitionNode, document: DocumentNode
    ) -> None:
        """Each further field at the root counts as a request of its own."""
        for _ in range(limits.roots(operation, document) - 1):
            await self._limiter.count(caller, time.time())

    async def _executed(
        self, caller: Caller, document: DocumentNode, request: Request
    ) -> ExecutionResult:
        loading, at = Loading(self._doors.graph, caller), Moments.of(None, None)
        running = execute(
            self.schema,
            document,
            context_value=Context(caller, self._doors, self._handed, loading, at),
            variable_values=dict(request.variables),
            operation_name=request.operation,
        )
        return await running if isawaitable(running) else running


def parsed(text: str) -> DocumentNode:
    """The document of a text; QueryRefused for one that is too long or too nested, GraphQLError
    for one that is none."""
    limits.check_text(text)
    return parse(text, no_location=False)


def refused(errors: list[GraphQLError]) -> Answer:
    """The answer to a request of which nothing was run."""
    shown = [told(error) for error in errors]
    return Answer(shown[0]["extensions"]["status"], AnswerOut(errors=shown))


def answered(result: ExecutionResult) -> Answer:
    """The answer of a run."""
    shown = [told(error) for error in result.errors or ()]
    status = shown[0]["extensions"]["status"] if shown and not result.data else 200
    return Answer(status, AnswerOut(result.data, shown))
