"""Errors on the wire: RFC 9457 problem details, rendered in this one place.

``{"type", "title", "status", "detail", "code", "instance", "errors": [{"field", "detail"}]}``
with the media type `application/problem+json`; `code` is the class name of `app.errors`.
"""

from __future__ import annotations

import re
from typing import Any

import orjson
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, InternalServerException, ValidationException
from litestar.openapi.spec import (
    OpenAPI,
    OpenAPIMediaType,
    OpenAPIResponse,
    OpenAPIType,
    Reference,
    RequestBody,
    Schema,
)

from app.errors import LociError, RateLimited
from app.kernel.sentences import Wrong, of_parameter, of_value

log = structlog.get_logger()
MEDIA_TYPE = "application/problem+json"
# How the framework tells of a parameter that was left out.
MISSING = re.compile(r"Missing required \w+ parameter '([^']+)'")
CODES = {
    400: "InvalidInput",
    401: "Unauthenticated",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "TooLarge",
    415: "UnsupportedMediaType",
}


def problem(
    request: Request[Any, Any, Any],
    status: int,
    code: str,
    title: str,
    detail: str,
    errors: list[dict[str, str]] | None = None,
) -> Response[bytes]:
    """One problem as a response; its type is a name, since no site serves descriptions of them."""
    body: dict[str, Any] = {
        "type": f"urn:loci:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "instance": request.url.path,
    }
    if errors:
        body["errors"] = errors
    return Response(orjson.dumps(body), status_code=status, media_type=MEDIA_TYPE)


def loci_error(request: Request[Any, Any, Any], error: LociError) -> Response[bytes]:
    """Our own tree; the detail of a 5xx is for us, and goes into the log."""
    if error.ours:
        log.error("request.failed", code=error.code, detail=error.detail)
    errors = [{"field": error.field, "detail": error.told}] if error.field else None
    response = problem(request, error.status, error.code, error.title, error.told, errors)
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
    if error.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def validation_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """A payload or parameter that does not fit its type: 422 with each field named."""
    errors = [wrong._asdict() for wrong in _wrongs(error)]
    missing = MISSING.match(error.detail)
    if missing and not errors:
        errors = [{"field": missing[1], "detail": f"{missing[1]} is missing"}]
    detail = errors[0]["detail"] if errors else error.detail
    title = "The request holds a value that cannot be accepted"
    return problem(request, 422, "InvalidInput", title, detail, errors)


def internal_error(
    request: Request[Any, Any, Any], error: InternalServerException
) -> Response[bytes]:
    """What the framework takes for a broken dependency of ours, since a field of the body has the
    name of one; a body that does not fit is told as any other."""
    if getattr(error.__cause__, "errors", None):
        return validation_error(request, error)
    return unexpected(request, error)


def http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework itself refuses."""
    code = CODES.get(error.status_code, "LociError")
    return problem(request, error.status_code, code, error.detail, error.detail)


def unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Whatever nobody foresaw: logged whole, told in one sentence."""
    log.exception("request.crashed", exc_info=error)
    return problem(
        request, 500, "LociError", "Internal error", "Something failed; it is in the log."
    )


def describe(document: OpenAPI) -> None:
    """Write the problem shape into an OpenAPI document, as the default answer of each operation."""
    text, field = Schema(type=OpenAPIType.STRING), Schema(type=OpenAPIType.STRING)
    place = Schema(type=OpenAPIType.OBJECT, properties={"field": field, "detail": text})
    properties: dict[str, Schema | Reference] = dict.fromkeys(
        ("type", "title", "detail", "code", "instance"), text
    )
    properties["status"] = Schema(type=OpenAPIType.INTEGER)
    properties["errors"] = Schema(type=OpenAPIType.ARRAY, items=place)
    required = ["type", "title", "status", "detail", "code", "instance"]
    shape = Schema(type=OpenAPIType.OBJECT, properties=properties, required=required)
    document.components.schemas["Problem"] = shape
    answer = OpenAPIResponse(
        description="A problem; docs/reference/errors.md lists the codes.",
        content={MEDIA_TYPE: OpenAPIMediaType(Reference("#/components/schemas/Problem"))},
    )
    for item in (document.paths or {}).values():
        for method in ("get", "post", "put", "patch", "delete"):
            operation = getattr(item, method)
            if operation is not None:
                # The framework tells of a 400 in a form of its own, which no answer has.
                kept = {c: r for c, r in (operation.responses or {}).items() if c != "400"}
                operation.responses = {**kept, "default": answer}
                if isinstance(operation.request_body, RequestBody):
                    for content in operation.request_body.content.values():
                        _close(document, content.schema)


def _close(document: OpenAPI, shape: Schema | Reference | None) -> None:
    """Say of what a body may hold, at any depth, that it has no other fields than those named."""
    if isinstance(shape, Reference):
        shape = document.components.schemas[shape.ref.rsplit("/", 1)[-1]]
        if shape.additional_properties is not None or not shape.properties:
            return
        shape.additional_properties = False
    if shape is None:
        return
    if isinstance(shape.items, Schema) and shape.items.one_of:
        # The framework writes a tuple of any length as one of X and of anything.
        named = [each for each in shape.items.one_of if each.to_schema()]
        shape.items = named[0] if len(named) == 1 else Schema(one_of=named)
    inner = [*(shape.properties or {}).values(), shape.items, shape.additional_properties]
    for each in (*inner, *(shape.one_of or ()), *(shape.any_of or ()), *(shape.all_of or ())):
        if isinstance(each, (Schema, Reference)):
            _close(document, each)


def _wrongs(error: HTTPException) -> list[Wrong]:
    """What is wrong with a body by its fields, else with the parameters."""
    details = getattr(error.__cause__, "errors", None)
    if details:
        return [of_value(each) for each in details]
    return [_parameter(item) for item in error.extra or [] if isinstance(item, dict)]


def _parameter(item: dict[str, Any]) -> Wrong:
    name, message = str(item.get("key", "")), str(item.get("message", ""))
    if name == "data" and message == "'data'":
        return Wrong("", "The request needs a body")
    return of_parameter(name, message)


HANDLERS: dict[Any, Any] = {
    LociError: loci_error,
    ValidationException: validation_error,
    InternalServerException: internal_error,
    HTTPException: http_error,
    Exception: unexpected,
}
