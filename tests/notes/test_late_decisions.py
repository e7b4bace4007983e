"""A curator decides on a note after others have come: none of these is ended, nor contradicted,
unseen."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.notes.test_routes import listed, read, write

OLD, WAITS, NEW = (f"The budget of Vega is CHF {n}'000." for n in (5, 6, 7))
BETWEEN = {"old": 1, "waits": 2, "new": 3}  # months from which they hold
AFTER = {"old": 1, "waits": 3, "new": 2}


def month(number: int) -> str:
    """The first moment of a month."""
    return f"2026-{number:02}-01T00:00:00Z"


@dataclass(frozen=True)
class Desk:
    """A user, an agent and a curator of one scope."""

    scope: str
    user: Principal
    agent: Principal
    curator: Principal

    async def say(self, who: Principal, text: str, at: int) -> dict[str, Any]:
        return await write(who, text, scope=self.scope, valid_from=month(at))

    async def wait(self, months: dict[str, int]) -> tuple[str, str, str]:
        """The user's note, the agent's that waits because of it, and the user's that ends it."""
        old = await self.say(self.user, OLD, months["old"])
        waits = await self.say(self.agent, WAITS, months["waits"])
        assert waits["contradicts"] == [old["id"]]
        new = await self.say(self.user, NEW, months["new"])
        assert new["ends"] == [old["id"]]
        return old["id"], waits["id"], new["id"]

    async def review(self, note: str, decision: str, **more: Any) -> httpx.Response:
        return await self.curator.http.post(
            f"/v1/notes/{note}/review", json={"decision": decision, **more}
        )

    async def standing(self, note: str) -> str:
        found: str = (await read(self.user, note))["standing"]
        return found


@pytest_asyncio.fixture(loop_scope="session")
async def desk(principal: MakePrincipal, tenant: str) -> Desk:
    """Somebody of each part."""
    scope = f"{tenant}/dev"
    return Desk(
        scope,
        await principal(scope, name="una", kind="user"),
        await principal(scope, name="bob"),
        await principal(scope, role=Role.CURATOR, name="cleo", kind="user"),
    )


async def test_what_was_accepted_holds_until_the_later_note_does(desk: Desk) -> None:
    old, waits, new = await desk.wait(BETWEEN)
    answer = await desk.review(waits, "accept")
    assert answer.status_code == 200, answer.text
    assert await listed(desk.user) == [NEW]
    told = await read(desk.user, waits)
    assert (told["standing"], told["superseded_by"], told["supersedes"]) == (
        "superseded", [new], [old],
    )  # fmt: skip
    for at, text in ((1, OLD), (2, WAITS), (3, NEW)):
        assert await listed(desk.user, as_of=f"2026-{at:02}-15T00:00:00Z") == [text]


async def test_a_note_that_the_curator_has_not_seen_is_shown_and_not_ended(desk: Desk) -> None:
    _, waits, new = await desk.wait(AFTER)
    refused = await desk.review(waits, "accept")
    assert refused.status_code == 409, refused.text
    assert new in refused.text
    assert await listed(desk.user) == [NEW]
    told = await read(desk.user, waits)
    assert told["standing"] == "quarantined"
    assert new in told["contradicts"]
    again = await desk.review(waits, "accept")
    assert again.json()["standing"] == "held", again.text
    assert await listed(desk.user) == [WAITS]
    assert (await read(desk.user, new))["superseded_by"] == [waits]


@pytest.mark.parametrize("months", [BETWEEN, AFTER])
async def test_what_was_let_stand_with_the_old_note_is_told_beside_the_new_one(
    desk: Desk, months: dict[str, int]
) -> None:
    _, waits, new = await desk.wait(months)
    assert (await desk.review(waits, "keep")).status_code == 200
    assert sorted(await listed(desk.user)) == [WAITS, NEW]
    assert new in (await read(desk.user, waits))["contradicts"]
    assert waits in (await read(desk.user, new))["contradicts"]


@pytest.mark.parametrize("months", [BETWEEN, AFTER])
async def test_what_was_rejected_changes_nothing(desk: Desk, months: dict[str, int]) -> None:
    _, waits, new = await desk.wait(months)
    assert (await desk.review(waits, "reject")).json()["standing"] == "rejected"
    assert await listed(desk.user) == [NEW]
    assert await desk.standing(new) == "held"


@pytest.mark.parametrize("decision", ["accept", "keep"])
@pytest.mark.parametrize(("months", "code"), [(BETWEEN, 200), (AFTER, 409)])
async def test_a_note_that_took_no_place_is_held_against_it_too(
    desk: Desk, decision: str, months: dict[str, int], code: int
) -> None:
    old = await desk.say(desk.user, OLD, months["old"])
    waits = await desk.say(desk.agent, WAITS, months["waits"])
    await desk.user.http.delete(f"/v1/notes/{old['id']}")
    new = await desk.say(desk.user, NEW, months["new"])
    assert new["ends"] == []
    answer = await desk.review(waits["id"], decision)
    assert answer.status_code == code, answer.text
    assert await listed(desk.user) == [NEW]
    assert await desk.standing(waits["id"]) == ("superseded" if code == 200 else "quarantined")


async def test_what_the_waiting_note_may_end_by_itself_ends_with_it(desk: Desk) -> None:
    own = await desk.say(desk.agent, OLD, 1)
    held = await desk.say(desk.user, NEW, 2)
    assert held["ends"] == [own["id"]]
    waits = await desk.say(desk.agent, WAITS, 3)
    assert waits["contradicts"] == [held["id"]]
    assert (await desk.review(waits["id"], "accept")).status_code == 200
    assert await listed(desk.user) == [WAITS]
    assert (await read(desk.user, own["id"]))["superseded_by"] == [held["id"]]


@pytest.mark.parametrize("order", list(itertools.permutations(range(2))))
async def test_of_two_that_wait_the_second_is_shown_the_first(
    desk: Desk, order: tuple[int, ...]
) -> None:
    await desk.say(desk.user, OLD, 1)
    made = [await desk.say(desk.agent, WAITS, 2), await desk.say(desk.agent, NEW, 3)]
    assert [note["status"] for note in made] == ["quarantined", "quarantined"]
    for index in order:
        answer = await desk.review(made[index]["id"], "accept")
        assert answer.status_code == 200, answer.text
        assert len(await listed(desk.user)) == 1
    # Both are the agent's: the later one ends the earlier, whichever was decided on first.
    assert await listed(desk.user) == [NEW]


async def test_only_the_named_ones_and_what_came_in_their_place_are_touched(desk: Desk) -> None:
    vega = await desk.say(desk.user, "The budget of Vega is CHF 5'000.", 1)
    lyra = await desk.say(desk.user, "The budget of Lyra is CHF 9'000.", 1)
    waits = await desk.say(desk.agent, "The budget is CHF 7'000.", 2)
    assert {vega["id"], lyra["id"]} == {*waits["contradicts"]}
    newer = await desk.say(desk.user, "The budget of Lyra is CHF 8'000.", 3)
    assert newer["ends"] == [lyra["id"]]
    answer = await desk.review(waits["id"], "accept", ends=[vega["id"]])
    assert answer.json()["standing"] == "held", answer.text
    assert await desk.standing(vega["id"]) == "superseded"
    assert await desk.standing(newer["id"]) == "held"
    assert newer["id"] in (await read(desk.user, waits["id"]))["contradicts"]
