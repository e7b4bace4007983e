"""A context for a task: sections in order, under a budget, long entries cut to half."""

from __future__ import annotations

from typing import Any

import pytest

from app.contexts.entries import MemoryType
from app.embeddings.tokens import count_tokens
from app.search.relevance import Asked
from app.tiers.injection import weight
from app.tiers.packing import LONG, Item, Section, compressed, packed
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import Make, add, make
from tests.tiers.conftest import URL, write
from tests.tiers.test_promotion import entry

__all__ = ["make"]
ASKED = Asked.of("Who feeds the otters of the zoo?")


@pytest.mark.parametrize(
    ("importance", "tags", "shared", "counts"),
    [(0.5, [], ["a"], 0.5), (0.5, ["a"], ["a"], 0.6), (0.8, ["a", "b"], ["a", "b", "c"], 1.12),
     (None, ["a"], ["a"], 0.6)],
)  # fmt: skip
def test_facts_count_by_importance_and_shared_tags(
    importance: float | None, tags: list[str], shared: list[str], counts: float
) -> None:
    fact = entry("f", importance, tags=tags, memory_type=MemoryType.FACTUAL)
    assert weight(fact, shared) == pytest.approx(counts)


def test_a_long_entry_is_cut_to_half_by_its_sentences() -> None:
    filler = [f"Shipment {n} of hay left the barn by the gate." for n in range(60)]
    text = " ".join([*filler[:40], "Mrs Abernethy feeds the otters of the zoo.", *filler[40:]])
    whole = count_tokens(text)
    assert whole > LONG
    short = compressed(text, ASKED)
    assert count_tokens(short) <= whole // 2
    assert "Mrs Abernethy feeds the otters of the zoo." in short
    assert short.startswith("Shipment 0 ")
    assert short.endswith("…")
    kept = [int(part.split(" ")[0]) for part in short.split("Shipment ")[1:]]
    assert kept == sorted(kept)
    assert compressed("Short.", ASKED) == "Short."
    assert compressed("otter " * 900, ASKED).endswith("…"), "one long sentence is cut"


def test_what_does_not_fit_is_left_out_and_nothing_is_said_twice() -> None:
    items = {
        Section.SELF: [Item("s", "t/dev", "The last word.")],
        Section.FACTS: [Item(f"f{n}", "t/dev", f"Fact {n} says <b> & more.") for n in range(9)],
        Section.GOALS: [Item("g", "t/dev", "Fact 3 says  <b> & more.")],
    }
    everything = packed(items, ASKED, 4000)
    assert everything.text.index('name="facts"') < everything.text.index('name="self"')
    assert "&lt;b&gt; &amp; more" in everything.text
    assert (everything.told[Section.FACTS], everything.told[Section.GOALS]) == (9, 0)
    for budget in (60, 100, 150, 200, 300):
        done = packed(items, ASKED, budget)
        assert done.tokens == count_tokens(done.text) <= budget
        told = done.told[Section.FACTS]
        assert told + done.left_out[Section.FACTS] == 9
    assert packed({}, ASKED, 4000).text == ""


async def injected(who: Principal, query: str, **more: Any) -> dict[str, Any]:
    """The context for a task."""
    answer = await who.http.post(f"{URL}/context", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_context_is_made_of_what_is_there(
    writer: Principal, make: Make, drain: Any, principal: MakePrincipal, tenant: str
) -> None:
    assert (await injected(writer, "otters of the zoo"))["untrusted"]["text"] == ""
    facts = await make("facts")
    for name, importance, tags in (("low", 0.2, []), ("high", 0.55, []), ("tagged", 0.5, ["zoo"])):
        text = f"The {name} otter of the zoo eats trout."
        weights = {"importance": importance, "tags": tags, "memory_type": "factual"}
        await add(writer, facts, name, text, **weights)
    lived = {"memory_type": "experiential", "agent": writer.caller.principal}
    await add(writer, facts, "lived", "otters of the zoo", entry_type="reflection", **lived)
    await write(writer, "now", "The otters of the zoo wait.", tier="working")
    await write(writer, "own", "otters of the zoo are mine", tier="long_term")
    goal = {"title": "Feed the otters", "scope": writer.caller.home}
    assert (await writer.http.post("/v1/goals", json=goal)).status_code == 201
    note = {"text": "otters of the zoo need fresh fish", "namespace": "learnings"}
    await writer.http.post("/v1/notes", json=note)
    await drain()
    told = await injected(writer, "otters of the zoo", session_id="s1", tags=["Zoo"])
    text = told["untrusted"]["text"]
    assert told["tokens"] == count_tokens(text) <= told["token_budget"] == 4000
    order = [s["name"] for s in told["sections"] if s["entries"]]
    assert {"facts", "working", "experiences", "goals", "self"} <= set(order)
    places = [text.index(f'name="{name}"') for name in order]
    assert places == sorted(places)
    assert text.index("tagged otter") < text.index("high otter") < text.index("low otter")
    short = await injected(writer, "otters of the zoo", minimal=True)
    assert [s["name"] for s in short["sections"] if s["entries"]] == ["facts"]
    assert short["token_budget"] == 1000
    tight = await injected(writer, "otters of the zoo", token_budget=120)
    assert tight["tokens"] <= 120
    assert sum(section["left_out"] for section in tight["sections"]) > 0
    other = await principal(f"{tenant}/ops", name="nosy")
    assert (await injected(other, "otters of the zoo", session_id="s1"))["untrusted"]["text"] == ""
    body = {"query": "x", "scope": writer.caller.home}
    assert (await other.http.post(f"{URL}/context", json=body)).status_code == 404
    for more in ({"token_budget": 5}, {"query": ""}, {"odd": 1}):
        answer = await writer.http.post(f"{URL}/context", json={"query": "x", **more})
        assert answer.status_code == 422, answer.text
