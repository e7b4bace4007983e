"""What search finds of pools: which words, and for whom."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from app.kernel.caller import Role
from app.pools.model import AccessControl, PoolType
from app.pools.service import CLOSED
from app.pools.texts import LONGEST, MOST, Held, difference, texts_of, words_of
from app.portability.exporter import export_package
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.conftest import Make, make, merge, write
from tests.pools.test_packages import Load, allow, erase, load
from tests.pools.test_values import BEGAN, pool

__all__ = ["load", "make"]
Drain = Callable[[], Awaitable[int]]


def test_each_key_and_each_bulletin_is_a_text() -> None:
    data = {
        "plan": {"goal": "Fire the kiln.", "deep": [{"by": "noon"}, 3]},
        "agent_bulletin": {"scout": {"state": "on the way"}, "smith": "at the forge"},
        "count": 7,
        "empty": {"none": None, "blank": " ", "dash": "--"},
        "flag": True,
    }
    told = {text.key: text.content for text in texts_of(pool("p", data))}
    assert told == {
        "plan": "goal: Fire the kiln.\ndeep by: noon\ndeep: 3",
        "agent_bulletin.scout": "state: on the way",
        "agent_bulletin.smith": "at the forge",
    }
    assert words_of("ofen " * LONGEST) == ("ofen " * LONGEST)[:LONGEST].strip()
    many = {f"k{n}": "word" for n in range(MOST + 50)}
    assert len(texts_of(pool("p", many))) == MOST


def test_a_text_has_the_moment_and_the_writers_of_its_key() -> None:
    one = pool("p", {"a": {"b": "x", "c": "y"}, "d": "z"}, a=1, a__c=3)
    told = {text.key: text for text in texts_of(one)}
    assert told["a"].written_at == BEGAN + timedelta(hours=3)
    assert told["d"].written_at == BEGAN
    assert told["a"].writers == ("a",)


def test_only_what_differs_is_written() -> None:
    one = pool("p", {"a": "x", "b": "y"}, a=1, b=1)
    texts = {text.key: text for text in texts_of(one)}
    held = {key: Held(f"id-{key}", text.fingerprint) for key, text in texts.items()}
    assert difference(one, held) == difference(one, held).__class__([], [], [], 2)
    found = difference(pool("p", {"a": "x", "b": "z", "c": "w"}, a=1, b=1), held)
    assert [t.key for t in found.new] == ["c"]
    assert [(t.key, t.id) for t in found.changed] == [("b", "id-b")]
    assert difference(pool("p", {}), held).gone == ["id-a", "id-b"]


async def found(who: Principal, query: str, **more: Any) -> list[dict[str, Any]]:
    """The hits of a search."""
    answer = await who.http.post("/v1/search", json={"query": query, "limit": 50, **more})
    assert answer.status_code == 200, answer.text
    hits: list[dict[str, Any]] = answer.json()["hits"]
    return hits


def texts(hits: list[dict[str, Any]]) -> set[str]:
    """What hits of pools say."""
    return {hit["untrusted"]["text"] for hit in hits if hit["kind"] == "pool_text"}


async def test_what_is_posted_to_a_pool_is_found_at_once_and_by_meaning(
    writer: Principal, make: Make, drain: Drain
) -> None:
    await make("pottery", data={"rest": "Invoices leave by post."})
    await write(writer, "pottery", "The kiln is hot.", "agent_bulletin.smith")
    assert texts(await found(writer, "kiln", mode="keyword")) == {"The kiln is hot."}
    await drain()
    hits = await found(writer, "kiln", mode="vector")
    assert texts(hits[:1]) == {"The kiln is hot."}, hits
    assert hits[0]["untrusted"]["title"] == "pottery: agent_bulletin.smith"
    assert "The kiln is hot." in texts(await found(writer, "Is the kiln hot?"))
    assert texts(await found(writer, "kiln", kinds=["note"])) == set()
    # Another word for it, and then none.
    await write(writer, "pottery", "The oven is cold.", "agent_bulletin.smith")
    assert texts(await found(writer, "kiln oven", mode="keyword")) == {"The oven is cold."}
    gone = await writer.http.delete("/v1/pools/pottery/data", params={"path": "agent_bulletin"})
    assert gone.is_success, gone.text
    await drain()
    for mode in ("keyword", "vector", "auto"):
        assert "The oven is cold." not in texts(await found(writer, "oven kiln", mode=mode))
    assert (await writer.http.delete("/v1/pools/pottery")).is_success
    assert texts(await found(writer, "Invoices leave by post.")) == set()


async def test_turns_retrieval_and_ids_tell_what_a_pool_says(
    writer: Principal, principal: MakePrincipal, tenant: str, make: Make, drain: Drain
) -> None:
    await make("pottery", data={"kiln": "The kiln of the pottery is fired on Thursday."})
    await drain()
    said = {"messages": [{"role": "user", "content": "When is the kiln of the pottery fired?"}]}
    answer = await writer.http.post("/v1/turns", json={"session": "s", **said})
    assert answer.is_success, answer.text
    assert "fired on Thursday" in answer.text
    (hit,) = await found(writer, "kiln", kinds=["pool_text"])
    one = await writer.http.get(f"/v1/memories/{hit['id']}")
    assert one.is_success, one.text
    assert one.json()["untrusted"]["text"].endswith("Thursday.")
    other = await principal(f"{tenant}/dev", name="other")
    assert (await other.http.get(f"/v1/memories/{hit['id']}")).status_code == 404
    asked = await other.http.post("/v1/turns", json={"session": "o", **said})
    assert asked.is_success, asked.text
    assert "Thursday" not in asked.text
    question = {"query": "When is the kiln of the pottery fired?"}
    for who, told in ((writer, True), (other, False)):
        retrieved = await who.http.post("/v1/rag/context", json=question)
        assert retrieved.is_success, retrieved.text
        assert ("fired on Thursday" in retrieved.text) is told


async def test_whoever_may_not_read_a_pool_never_finds_its_texts(
    principal: MakePrincipal, make: Make, tenant: str, drain: Drain
) -> None:
    draw = random.Random(67)
    scope = f"{tenant}/dev"
    agents = [await principal(scope, name=f"a{n}", role=Role.WRITER) for n in range(4)]
    agents.append(await principal(scope, name="boss", role=Role.ADMIN))
    strangers = [await principal(f"{tenant}/ops", name="b"), await principal(f"{tenant}-2/dev")]
    made: list[tuple[str, PoolType, Principal]] = []
    for n in range(20):
        owner, kind = draw.choice(agents), draw.choice([*PoolType])
        names = [agent.caller.principal for agent in agents]
        fields = ("agents", "read", "write")
        lists = {field: tuple(draw.sample(names, draw.randint(0, 2))) for field in fields}
        is_open = kind not in CLOSED and draw.random() < 0.3
        private = kind is PoolType.AGENT_PRIVATE
        access = AccessControl(**({} if private else lists), public=is_open)
        body = {"type": kind.value, "access_control": access.model_dump(mode="json")}
        body |= {"workflow": f"run{n}"} if kind is PoolType.WORKFLOW else {}
        await make(f"pool{n}", owner, **body, data={"v": f"Kiln {n} of the pottery."})
        made.append((f"pool{n}", kind, owner))
    await drain()
    for name, kind, owner in draw.sample(made, 8):
        if kind is not PoolType.AGENT_PRIVATE:
            other = draw.choice(agents).caller.principal
            taken = await owner.http.delete(f"/v1/pools/{name}/grants/{other}")
            assert taken.status_code < 300, taken.text
    for agent in agents:
        may = set()
        for n in range(20):
            seen = await agent.http.get(f"/v1/pools/pool{n}/data")
            may |= {f"Kiln {n} of the pottery."} if seen.status_code == 200 else set()
        for mode in ("keyword", "vector", "auto"):
            hits = await found(agent, "kiln of the pottery", mode=mode)
            assert texts(hits) == may, (agent.caller.principal, mode)
    for stranger in strangers:
        for mode in ("keyword", "vector", "auto"):
            assert await found(stranger, "kiln of the pottery", mode=mode) == []


async def test_pools_of_others_take_no_place_of_a_reader(
    principal: MakePrincipal, writer: Principal, make: Make, tenant: str, drain: Drain
) -> None:
    other = await principal(f"{tenant}/dev", name="other")
    data = {f"k{n}": f"The kiln of the pottery is hot, round {n}." for n in range(300)}
    await make("crowd", other, type="agent_private", data=data)
    await make("mine", data={"k": "Somewhere there is a kiln as well, cold since last year."})
    await drain()
    for mode in ("keyword", "vector"):
        hits = await found(writer, "The kiln of the pottery is hot", mode=mode)
        assert {hit["untrusted"]["title"] for hit in hits} == {"mine: k"}


async def test_a_package_and_an_erasure_leave_what_the_pools_say(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, make: Make,
    load: Load, tenant: str, tmp_path: Path,
) -> None:  # fmt: skip
    await make("brief", data={"own": "The kiln is hot."}, access_control={"public": True})
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    assert (await writer.http.delete("/v1/pools/brief")).is_success
    await load(tmp_path / "out")
    assert texts(await found(writer, "kiln")) == set()
    await opened.pool_texts.run()
    assert texts(await found(writer, "kiln")) == {"The kiln is hot."}
    other = await principal(f"{tenant}/dev", name="other")
    access = {"agents": ["other"], "write": ["other"]}
    await make("pottery", access_control=access, data={"both": {"mine": "A red kiln."}})
    await merge(other, "pottery", {"theirs": "The kiln is cold."})
    await write(other, "pottery", "A blue kiln.", "both.theirs")
    assert len(texts(await found(writer, "kiln"))) == 3
    await allow(admin, tenant)
    (hit, *_) = await found(writer, "kiln", kinds=["pool_text"])
    alone = await admin.http.post("/v1/erasures", json={"memory": hit["id"]})
    assert alone.status_code == 404, "it would come back from the pool"
    await erase(opened, admin, author=other.caller.principal, scope=f"{tenant}/dev")
    assert texts(await found(writer, "kiln")) == {"The kiln is hot."}
    await opened.pool_texts.run()
    assert texts(await found(writer, "kiln")) == {"The kiln is hot.", "mine: A red kiln."}
    assert await opened.pool_texts.run() == 0
