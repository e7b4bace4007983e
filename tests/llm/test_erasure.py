"""What a model read of an erased text goes with it, unless the same text stays elsewhere."""

from __future__ import annotations

from app.kernel.caller import Role
from app.kernel.ids import new_id
from app.lifecycle.erasure import Order
from app.lifecycle.model import Target
from app.lifecycle.proof import Proof, Search, prove
from app.wiring import Parts as Opened
from tests.conftest import MakePrincipal
from tests.consolidation.conftest import Said, query
from tests.embeddings.scripted_server import ScriptedServer
from tests.lifecycle.conftest import untold
from tests.llm.chat import proposals
from tests.llm.conftest import MakeDesk
from tests.llm.test_reader import ROTTERDAM, VEILED


async def erase(opened: Opened, caller: object, episode: str) -> dict[str, object]:
    order = Order(caller, Target("memory", episode), new_id())  # type: ignore[arg-type]
    row: dict[str, object] = await opened.erasure.erase(order)
    return row


async def readings(opened: Opened, scope: str) -> int:
    rows = await query(
        opened.graph, "MATCH (r:ModelReading {scope: $scope}) RETURN count(r) AS n", scope=scope
    )
    return int(rows[0]["n"])


async def test_readings_of_an_erased_text_go(
    desks: MakeDesk, opened: Opened, principal: MakePrincipal, tenant: str, endpoint: ScriptedServer
) -> None:
    admin = await principal(f"{tenant}/dev", role=Role.ADMIN, name="admin", kind="user")
    desk = desks(admin, concurrency=1)
    endpoint.replies = [proposals(ROTTERDAM)]
    first, second = await desk.say(Said(1, VEILED), Said(2, VEILED, session="other"))
    await desk.read()
    assert (await readings(opened, desk.scope), len(endpoint.requests)) == (2, 2), "a day each"
    assert ("lives_in", "rotterdam") in await desk.facts()

    await erase(opened, admin.caller, first)
    assert await readings(opened, desk.scope) == 1, "the other text says the same"
    assert ("lives_in", "rotterdam") in await desk.facts()

    receipt = await erase(opened, admin.caller, second)
    assert (await readings(opened, desk.scope), await desk.facts()) == (0, {})
    sought = Search.of(receipt, [desk.scope], "rotterdam")
    proof = await prove(opened.graph, sought, Proof(), untold)
    assert proof.clean, proof.holders
