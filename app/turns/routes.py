"""Turns over HTTP."""

from __future__ import annotations

from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from app.jobs.foreground import PROMPT
from app.kernel.caller import Caller, Role
from app.turns.schemas import TakenOut, TurnIn
from app.turns.service import TurnService


@post(
    "/v1/turns",
    operation_id="takeTurn",
    tags=["Turns"],
    opt={"requires": Role.WRITER, PROMPT: True},
    status_code=HTTP_200_OK,
)
async def take_turn(
    data: JSONBody[TurnIn], caller: NamedDependency[Caller], turns: NamedDependency[TurnService]
) -> TakenOut:
    """Store what was said since the last reply, and recall what else is known for the next one.

    A bad message does not hold up the rest. What was handed in is not recalled.
    """
    caller.require(data.scope or caller.home, Role.WRITER)
    asked = data.to_search()
    request = asked.to_request(caller) if asked else None
    return TakenOut.of(await turns.take(caller, data.to_captures(), request), asked)
