"""Settings of traces, observations, escalations, blocks and bars of contexts, as services obey
them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from app.kernel.clock import now
from app.search.blend import Reach
from app.search.schemas import ContextIn
from app.settings import Settings
from app.wiring import block_defaults
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import Make, add, make
from tests.scopes.test_settings import Patched, patched, post
from tests.search.test_relevant_context import say, told

__all__ = ["make", "patched"]


async def test_traces_obey_their_scope(
    writer: Principal, patched: Patched, principal: MakePrincipal, tenant: str
) -> None:
    far = await principal(f"{tenant}/ops", name="far")
    await patched({"traces": {"steps": 1, "tool_calls": 1, "json_bytes": 256, "links": 1}})
    for who, more, fewer in ((writer, 409, 409), (far, 201, 201)):
        trace = (await post(who, "/v1/traces", {"task": "Ship it"}))[1]["id"]
        call = {"tool": "t", "arguments": {"text": "x" * 900}, "status": "success"}
        code, made = await post(who, f"/v1/traces/{trace}/tool-calls", {"tool_calls": [call]})
        assert code == 201, made
        assert bool(made["tool_calls"][0]["cut"]) is (who is writer)
        for path, body, field in (
            ("steps", {"steps": [{"thought": "a"}, {"thought": "b"}]}, "steps"),
            ("tool-calls", {"tool_calls": [{"tool": "u", "status": "success"}]}, "tool_calls"),
        ):
            code, answer = await post(who, f"/v1/traces/{trace}/{path}", body)
            assert code == (more if field == "steps" else fewer), answer
            if code == 409:
                assert answer["errors"][0]["field"] == field


async def test_observations_and_escalations_obey_their_scope(
    writer: Principal, patched: Patched
) -> None:
    few = {"observation_bytes": 64, "observations_per_scope": 2, "escalation_levels": 2}
    few |= {"observation_ttl_seconds": 120, "observation_ttl_most": 3600}
    await patched({"autonomy": few})

    async def observe(**one: Any) -> Any:
        return await post(writer, "/v1/observations", {"items": [{"sensor": "door", **one}]})

    code, made = await observe(payload={"open": True})
    assert code == 201, made
    before = now()
    code, made = await observe(payload={"open": False})
    (one,) = made["items"]
    ends = one["observation"]["expires_at"]
    assert before + timedelta(seconds=119) < _moment(ends) < now() + timedelta(seconds=121)
    late = (now() + timedelta(hours=2)).isoformat()
    for item, status, field in (
        ({"payload": {"text": "x" * 99}}, 413, "payload"),
        ({"payload": {}, "expires_at": late}, 422, "expires_at"),
        ({"payload": {}}, 409, "items"),
    ):  # fmt: skip
        code, answer = await observe(**item)
        assert (code, answer["errors"][0]["field"].split(".")[-1]) == (status, field), answer
    due = {"title": "Which supplier?", "due_at": late}
    body = {**due, "most_level": 3}
    code, answer = await post(writer, "/v1/escalations", body)
    assert (code, answer["errors"][0]["field"]) == (422, "most_level"), answer
    code, answer = await post(writer, "/v1/escalations", due)
    assert (code, answer["most_level"]) == (201, 2), answer


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def test_the_bar_of_contexts_is_a_scopes(
    writer: Principal, patched: Patched, make: Make, drain: Any
) -> None:
    context = await make("facts")
    await add(writer, context, "pump", "The cooling pump is greased every two weeks.")
    await drain()
    url, body = f"/v1/contexts/{context}/search", {"query": "When is the cooling pump greased?"}

    async def found(**more: Any) -> int:
        return len((await post(writer, url, {**body, **more}))[1]["items"])

    await patched({"contexts": {"threshold": 0.0}})
    assert await found() == 1
    assert await found(threshold=1.0) == 0, "what a request says counts before the scope"
    await patched({"contexts": {"threshold": 1.0}})
    assert await found() == 0
    assert await found(threshold=0.0) == 1


def test_what_a_request_says_of_a_block_counts_before_the_scope() -> None:
    held = block_defaults(Settings())
    plain = ContextIn().to_blend(held)
    assert (plain.vector, plain.text, plain.graph, plain.threshold) == (0.55, 0.30, 0.15, 0.55)
    assert plain.scopes == {Reach.USER: 1.0, Reach.CONTEXT: 0.8, Reach.GLOBAL: 0.3}
    assert plain.half_lives == {
        "knowledge": 365.0, "methods": 180.0, "project-state": 21.0, "learnings": 120.0,
        "other": 90.0,
    }  # fmt: skip
    given = {"text": 2.0, "scopes": {"global": 0.9}, "half_lives": {"project-state": 7.0}}
    mixed = ContextIn.model_validate(given).to_blend(held)
    assert (mixed.vector, mixed.text) == (0.55, 2.0)
    assert mixed.scopes == {Reach.USER: 1.0, Reach.CONTEXT: 0.8, Reach.GLOBAL: 0.9}
    assert (mixed.half_lives["project-state"], mixed.half_lives["methods"]) == (7.0, 180.0)


async def test_a_block_is_weighed_as_its_scope_says(
    writer: Principal, patched: Patched, drain: Any
) -> None:
    for place in ("Ulm", "Kiel", "Bonn", "Graz"):
        await say(writer, f"Herr Quentin Osterloh repairs the observatory of {place} in May.")
    await drain()
    whole = await told(writer, "Who repairs the observatory?")
    assert whole.count("observatory") > 1
    await patched({"blocks": {"characters": 260}})
    short = await told(writer, "Who repairs the observatory?")
    assert len(short) <= 260 < len(whole)
    more = {"context": {"characters": 12_000}}
    assert len(await told(writer, "Who repairs the observatory?", **more)) > 260
    await patched({"blocks": {"characters": None, "vector": 0.0, "text": 0.0, "graph": 0.0}})
    assert await told(writer, "Who repairs the observatory?") == "", "nothing counts anything"
    assert await told(writer, "Who repairs the observatory?", context={"text": 1.0}) != ""
