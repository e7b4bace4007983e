"""Whose words count as what: the kind of the principal sets the tier, not what the client says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from app.consolidation.derive import authority
from app.facts.claim import Authority, Rules, Tier
from app.facts.interval import Reason
from app.facts.sweep import may_not_retire
from app.kernel.caller import Role
from app.scopes.rules import ScopeRules
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

IN_ORDER = [Tier.EXTERNAL, Tier.AGENT, Tier.TOOL, Tier.QUOTED, Tier.USER, Tier.CURATOR]


def test_a_quoted_user_stands_between_tools_and_that_user() -> None:
    assert sorted(Tier) == IN_ORDER
    for lower, higher in pairwise(IN_ORDER):
        assert lower < higher
        assert higher > lower
        assert not lower >= higher
        assert max(lower, higher) is higher


@pytest.mark.parametrize(
    ("author", "role", "tier"),
    [
        ("user:t:ada", "user", Tier.USER),
        ("agent:t:bot", "user", Tier.QUOTED),
        ("agent:t:bot", "assistant", Tier.AGENT),
        ("agent:t:bot", "tool", Tier.TOOL),
        ("user:t:ada", "tool", Tier.TOOL),
    ],
)
def test_only_a_users_key_hands_in_a_users_own_words(author: str, role: str, tier: Tier) -> None:
    episode = {"author": author, "role": role, "origin": "api", "trust": 0.7}
    assert authority(episode, ScopeRules(), own=False).tier is tier


def test_an_agent_that_quotes_never_retires_what_the_user_said() -> None:
    rules = Rules(functional=True, members=True)
    user = Authority(Tier.USER, "user:t:ada", 0.5)
    quotes = [Authority(Tier.QUOTED, f"agent:t:bot{n}", 0.9, own=True) for n in range(5)]
    assert may_not_retire(quotes, [user], rules) is Reason.LOWER_TIER
    assert may_not_retire([user], quotes, rules) is None


def _living_in(place: str) -> dict[str, Any]:
    return {"subject": {"name": "Ada", "type": "person"}, "predicate": "lives_in",
            "object": {"name": place, "type": "place"}}  # fmt: skip


async def _support(who: Principal, **said: Any) -> str:
    answer = await who.http.post("/v1/facts:remember", json=said)
    assert answer.status_code == 200, answer.text
    fact = await who.http.get(f"/v1/facts/{answer.json()['facts'][0]['id']}")
    return str(fact.json()["support"][0]["tier"])


async def test_remembering_counts_by_the_kind_of_the_key(
    principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    agent = await principal(scope, name="bot")
    user = await principal(scope, name="ada", kind="user", role=Role.WRITER)
    assert await _support(agent, statement=_living_in("Bern")) == "agent_inferred"
    quoted = await _support(agent, statement=_living_in("Chur"), role="user")
    assert quoted == "user_quoted"
    assert await _support(user, statement=_living_in("Thun")) == "user_asserted"
    last = await agent.http.post(
        "/v1/facts:remember", json={"statement": _living_in("Sion"), "role": "user"}
    )
    assert last.json()["facts"][0]["status"] == "quarantined", last.text


@pytest.mark.parametrize(
    ("kind", "said", "role", "tier"),
    [
        ("agent", {}, "assistant", "agent_inferred"),
        ("agent", {"speaker": "Ada"}, "user", "user_quoted"),
        ("agent", {"role": "user"}, "user", "user_quoted"),
        ("agent", {"role": "tool", "speaker": "Ada"}, "tool", "tool_verified"),
        ("user", {}, "user", "user_asserted"),
        ("user", {"role": "assistant"}, "assistant", "agent_inferred"),
    ],
)
@pytest.mark.parametrize("door", ["episodes", "episodes:batch", "turns", "conversations"])
async def test_what_is_captured_without_a_role_is_the_word_of_whose_key_it_is(
    opened: Parts, principal: MakePrincipal, tenant: str, door: str, kind: str,
    said: dict[str, str], role: str, tier: str,
) -> None:  # fmt: skip
    who = await principal(f"{tenant}/dev", name="one", kind=kind, role=Role.WRITER)
    told = {"content": "Jolanda Reich lives in Chur.", **said}
    path, body = {
        "episodes": ("/v1/episodes", {**told, "session": "s"}),
        "episodes:batch": ("/v1/episodes:batch", {"episodes": [{**told, "session": "s"}]}),
        "turns": ("/v1/turns", {"messages": [told], "session": "s"}),
        "conversations": (
            "/v1/conversations/s/messages", {"messages": [told], "scope": f"{tenant}/dev"}
        ),
    }[door]  # fmt: skip
    answer = await who.http.post(path, json=body)
    assert answer.is_success, answer.text
    (episode,) = (await who.http.get("/v1/episodes", params={"session": "s"})).json()["items"]
    assert episode["role"] == role
    if door != "episodes":
        return
    await opened.consolidation.consolidate(f"{tenant}/dev")
    (fact,) = (await who.http.get("/v1/facts")).json()["items"]
    fact = (await who.http.get(f"/v1/facts/{fact['id']}")).json()
    assert [one["tier"] for one in fact["support"]] == [tier]


async def test_a_turn_without_a_role_is_recalled_for(principal: MakePrincipal, tenant: str) -> None:
    """Whoever spoke: what was said last asks what else is known."""
    agent = await principal(f"{tenant}/dev", name="bot")
    body = {"messages": [{"content": "Where does Jolanda Reich live?"}], "session": "s"}
    answer = await agent.http.post("/v1/turns", json=body)
    assert answer.json()["recalled"] is not None, answer.text


async def test_an_agents_note_is_a_quotation_at_most(principal: MakePrincipal, tenant: str) -> None:
    scope = f"{tenant}/dev"
    agent = await principal(scope, name="bot")
    user = await principal(scope, name="ada", kind="user", role=Role.WRITER)
    said = await user.http.post("/v1/notes", json={"content": "The deploy host is Basel."})
    note = {"content": "The deploy host is not Basel.", "source": "user"}
    against = await agent.http.post("/v1/notes", json=note)
    assert against.json()["status"] == "quarantined", against.text
    assert against.json()["contradicts"] == [said.json()["id"]]
