"""GraphQL over HTTP: one operation a request, and a page to try it in a browser."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from app.access.idempotency import NOT_DONE
from app.graphql import explorer
from app.graphql.schemas import GraphqlIn
from app.graphql.service import ROUTE, AnswerOut, GraphqlService
from app.kernel.caller import PUBLIC, Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.kernel.departures import STAYS

JSON, GRAPHQL = "application/json", "application/graphql-response+json"


@post(
    ROUTE,
    operation_id="graphql",
    tags=["GraphQL"],
    opt={"requires": Role.READER, ONLY_READS: True},
    status_code=HTTP_200_OK,
)
async def run(
    request: Request[Any, Any, Any],
    data: JSONBody[GraphqlIn],
    caller: NamedDependency[Caller],
    asking: NamedDependency[GraphqlService],
) -> Response[AnswerOut]:
    """Run one operation; a change needs the role of the HTTP route of its name.

    Where `application/graphql-response+json` is accepted, the status is that of the first error if
    there is nothing else; else it is 200, as clients of `application/json` expect.
    """
    request.scope["state"][STAYS] = "mutation" in data.query  # whatever the word is there
    answer = await asking.answer(caller, data.to_request())
    request.scope["state"][NOT_DONE] = answer.status >= 400
    if GRAPHQL in request.headers.get("accept", ""):
        return Response(answer.body, status_code=answer.status, media_type=GRAPHQL)
    return Response(answer.body, status_code=HTTP_200_OK, media_type=JSON)


@get(ROUTE, opt={"requires": PUBLIC}, include_in_schema=False, sync_to_thread=False)
def page() -> Response[bytes]:
    """GraphiQL; it holds nothing of anybody, and asks with the key that is typed into it."""
    return Response(explorer.PAGE, media_type="text/html", headers=explorer.HEADERS)


@get(
    f"{ROUTE}/{{name:str}}",
    opt={"requires": PUBLIC},
    include_in_schema=False,
    sync_to_thread=True,
)
def asset(name: FromPath[str]) -> Response[bytes]:
    """A script or style of GraphiQL, out of its package."""
    found = explorer.asset(name)
    return Response(found.content, media_type=found.media, headers=explorer.HEADERS)
