"""A context for a task: sections in order, under a budget, long entries cut to half."""

from __future__ import annotations

from typing import Any

import pytest

from app.contexts.entries import MemoryType
from app.embeddings.tokens import count_tokens
from app.kernel.clock import now
from app.search.model import Hit
from app.search.relevance import Asked
from app.tiers.injection import InjectionLimits, section_of, weight
from app.tiers.packing import LONG, Item, Section, compressed, packed
from app.tiers.retelling import at_hand, replay
from app.traces.model import CallStatus, ToolCall, TraceStep
from app.wiring import Parts
from app.working.model import Part, Slot
from tests.conftest import MakePrincipal, Principal
from tests.contexts.conftest import Make, add, make
from tests.tiers.conftest import URL, write
from tests.tiers.test_promotion import entry
from tests.traces.conftest import Start, calls, complete, start, steps

__all__ = ["make", "start"]
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


def step(number: int, **said: str) -> TraceStep:
    return TraceStep(id=f"s{number}", scope="t/dev", trace="t", key=f"s{number}", number=number,
                     agent="a", at=now(), **said)  # fmt: skip


def call(number: int, at: int | None, tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=f"c{number}", scope="t/dev", trace="t", key=f"c{number}", number=number,
                    step=at, tool=tool, arguments=arguments, status=CallStatus.SUCCESS, agent="a",
                    at=now())  # fmt: skip


def test_a_replay_tells_steps_and_calls() -> None:
    steps = [step(1, thought="Look it up", observation="3 crates"), step(2, action="Ship them")]
    calls = [call(1, 1, "find", of="crates"), call(2, None, "log")]
    assert replay("Ship crates", steps, calls).splitlines() == [
        "Ship crates:",
        "1. Look it up → find(of=crates) success → 3 crates",
        "2. Ship them",
        "log() success",
    ]
    assert replay("Ship crates", [], []) == ""


def test_a_replay_ends_after_so_many_characters() -> None:
    made = [call(n, 1 + n % 2, "find", of="crates " * 100) for n in range(1, 401)]
    told = replay("Ship crates", [step(1, thought="Look"), step(2)], made, 1000)
    assert len(told) <= 1001
    assert told.endswith("…")
    assert told.startswith("Ship crates:\n1. Look → find(of=crates")
    assert replay("Ship crates", [step(1, thought="Look")], [], 1000) == "Ship crates:\n1. Look"


async def test_a_replay_reads_the_first_calls_without_their_results(
    opened: Parts, writer: Principal, start: Start
) -> None:
    trace = await start("Ship crates")
    await calls(writer, trace, *({"tool": f"t{n}", "result": {"n": n}} for n in range(4)))
    begun = await opened.traces.begun(writer.caller, trace, 3)
    assert [(one.tool, one.result) for one in begun.calls] == [(f"t{n}", None) for n in range(3)]


def test_working_memory_is_told_part_by_part() -> None:
    talk = [{"role": "user", "content": f"m{n}"} for n in range(12)]
    values = [
        (Slot(Part.CONVERSATION), talk),
        (Slot(Part.KEYS, "plan"), {"a": 1}),
        (Slot(Part.RESULTS, "step1"), "done"),
        (Slot(Part.SCRATCH_PAD), "a line"),
        (Slot(Part.STATE), "waiting"),
        (Slot(Part.TOOLS, "crane"), "up"),
    ]
    told = at_hand(values, 20)
    assert [text for _, text in told[:5]] == [
        "state: waiting", 'plan: {"a":1}', "result step1: done", "tool crane: up",
        "scratch pad: a line",
    ]  # fmt: skip
    assert [text for _, text in told[5:]] == [f"user: m{n}" for n in range(2, 12)]
    assert len({field for field, _ in told}) == len(told)
    many = [(Slot(Part.KEYS, f"k{n}"), n) for n in range(9)]
    assert len(at_hand(many, 4)) == 4


def hit(similarity: float, relevance: float = 0.9) -> Hit:
    kind = "context_entry" if relevance == 0.9 else "fact"
    return Hit("h", 1, 1.0, {}, {"kind": kind}, (0, 1), 1, relevance=relevance,
               similarity=similarity)  # fmt: skip


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


async def test_all_of_a_task_and_how_it_was_solved_before_is_told(
    writer: Principal, start: Start, principal: MakePrincipal, tenant: str, drain: Any
) -> None:
    trace = await start("Feed the otters of the zoo")
    await steps(writer, trace, {"thought": "Ask the keeper", "observation": "They like trout"})
    await calls(writer, trace, {"tool": "order_fish", "arguments": {"kg": 4}, "status": "success"})
    await complete(writer, trace, result="Fed with trout")
    await drain()
    at = "/v1/working-memory/s1"
    for path, value in (
        ("state", "waiting"), ("results/first", "two buckets"), ("tools/crane", "up"),
        ("scratch-pad", "remember the gate"), ("conversation", [{"role": "user", "content": "hi"}]),
    ):  # fmt: skip
        answer = await writer.http.put(f"{at}/{path}", json={"value": value})
        assert answer.status_code == 200, answer.text
    low = await write(writer, "low", "rarely read")
    high = await write(writer, "high", "often read")
    await write(writer, "elsewhere", "of another session", session_id="s2")
    await writer.http.get(f"/v1/short-term-memory/{high['id']}")
    told = await injected(writer, "Feed the otters of the zoo", session_id="s1")
    sections = {s["name"]: s["entries"] for s in told["sections"]}
    assert (sections["working"], sections["short_term"], sections["replays"]) == (5, 2, 1)
    text = told["untrusted"]["text"]
    for said in (
        "state: waiting", "result first: two buckets", "tool crane: up", "remember the gate",
        "user: hi", "1. Ask the keeper → They like trout", "order_fish(kg=4) success",
        "Feed the otters of the zoo: Fed with trout",
    ):  # fmt: skip
        assert said in text
    assert text.index("often read") < text.index("rarely read")
    assert "of another session" not in text
    order = [s["name"] for s in told["sections"] if s["entries"]]
    places = [text.index(f'name="{name}"') for name in order]
    assert places == sorted(places)
    entry_of = (await writer.http.get("/v1/short-term-memory")).json()["items"]
    assert {e["id"]: e["access_count"] for e in entry_of}[low["id"]] == 0, "it is no reading"
    other = await principal(f"{tenant}/dev", name="beside")
    beside = (await injected(other, "Feed the otters", session_id="s1"))["untrusted"]["text"]
    assert "two buckets" not in beside
    assert "often read" not in beside


async def test_a_scope_says_sizes_and_bars(
    writer: Principal, admin: Principal, tenant: str, make: Make
) -> None:
    facts = await make("facts")
    long = " ".join(f"Shipment {n} of hay left the barn." for n in range(12))
    await add(writer, facts, "hay", long, memory_type="factual")
    where = {"scope": f"{tenant}/dev"}
    patch = {"tiers": {"context_tokens": 300, "minimal_tokens": 150, "entry_tokens": 60}}
    answer = await admin.http.patch("/v1/scopes/settings", params=where, json=patch)
    assert answer.status_code == 200, answer.text
    told = await injected(writer, "Shipment 3 of hay")
    assert (told["token_budget"], told["compressed"]) == (300, 1)
    assert (await injected(writer, "hay", minimal=True))["token_budget"] == 150
    assert (await injected(writer, "hay", token_budget=777))["token_budget"] == 777
    entry_of = entry("e", 0.5, memory_type=MemoryType.EXPERIENTIAL)
    assert section_of(hit(0.5), entry_of, "a", InjectionLimits()) is None
    assert section_of(hit(0.5), entry_of, "a", InjectionLimits(experience=0.5)) is not None
    assert section_of(hit(0.9, 0.4), None, "a", InjectionLimits()) is None
    assert section_of(hit(0.9, 0.4), None, "a", InjectionLimits(relevant=0.4)) is Section.GRAPH


async def test_facts_of_archived_contexts_push_out_none_in_use(
    writer: Principal, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tiers.injection.FACTS", 2)
    old, new = await make("Old"), await make("New")
    for n in range(3):
        await add(writer, old, f"old {n}", f"old otter {n}", memory_type="factual")
    await add(writer, new, "new", "new otter", memory_type="factual")
    answer = await writer.http.post(f"/v1/contexts/{old}/archive")
    assert answer.status_code == 200, answer.text
    told = await injected(writer, "otters", minimal=True)
    assert "new otter" in told["untrusted"]["text"]
