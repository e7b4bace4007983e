"""Errors of an answer: the texts, codes and statuses of the HTTP routes, in `extensions`."""

from __future__ import annotations

from typing import Any

import structlog
from graphql import GraphQLError

from app.errors import InvalidInput, LociError, RateLimited
from app.graphql.inputs import ARGUMENTS, camel

log = structlog.get_logger()


def told(error: GraphQLError) -> dict[str, Any]:
    """One error as it is answered; what nobody foresaw is logged whole and told in a sentence."""
    cause = cause_of(error)
    shown = error.formatted | {"message": cause.told, "extensions": extensions(cause)}
    return dict(shown)


def cause_of(error: GraphQLError) -> LociError:
    """The error of our tree behind one of the language's."""
    cause = origin(error)
    if cause is None and error.path is None:
        return InvalidInput(error.message)
    if isinstance(cause, LociError):
        if cause.ours:
            log.error("graphql.failed", code=cause.code, detail=cause.detail)
        return cause
    # A value of ours that does not fit its type is found by the language, below a field.
    log.error("graphql.crashed", exc_info=cause or error)
    return LociError("Something failed; it is in the log.")


def origin(error: GraphQLError) -> BaseException | None:
    """What a resolver raised; None for what the language itself finds."""
    cause: BaseException | None = error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause


def extensions(error: LociError) -> dict[str, Any]:
    """Code, title and status as in a problem document, and the argument at fault."""
    told: dict[str, Any] = {"code": error.code, "title": error.title, "status": error.status}
    if error.field is not None:
        told["field"] = ARGUMENTS.get(error.field, camel(error.field))
    if isinstance(error, RateLimited):
        told["retryAfter"] = max(1, round(error.retry_after))
    return told
