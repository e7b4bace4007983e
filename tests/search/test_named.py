"""What is held on the question comes first, and what is not held stands below it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.facts.possible import Newer, PossibleChange
from app.kernel.caller import Role
from app.search.judging import Judge
from app.search.model import Candidate, Lapse, Mark
from app.search.naming import Naming, behind_newer
from app.search.precedence import held_first
from app.search.relevance import Asked
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, take_in
from tests.facts.constructed import Told, believe
from tests.search.test_holding import fact_id, remember
from tests.search.test_service import capture, ids, search

Drain = Callable[[], Awaitable[int]]
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def settle(opened: Parts, tenant: str) -> Drain:
    """Consolidates and indexes what was captured."""

    async def run() -> int:
        await opened.consolidation.consolidate(f"{tenant}/dev")
        return await opened.indexing.drain()

    return run


async def talk(who: Principal, *texts: str) -> list[str]:
    """What a user says, a day apart."""
    return [
        await capture(
            who, text, session=f"s{n}", role="user",
            captured_at=(START + timedelta(days=n)).isoformat(),
        )
        for n, text in enumerate(texts)
    ]  # fmt: skip


NOISE = [
    "Where Nora lives now the rent is high, says Nora, who likes to talk of where people live.",
    "Does Nora now live it up? Nora lives for live music now.",
    "Nora now has a live wire in the shed; where does Nora keep the fuses?",
    "Nora and Nora's cat live now and then in the garden.",
    "Nora asked where the live stream is now.",
    "Now Nora knows where to live, if she had money.",
    "Nora lives now by the rule to live and let live.",
    "Where to live now, Nora asked.",
    "Nora would live where it is warm now.",
    "Live now, Nora, said the poster where Nora waits.",
    "Nora said that people live longer now where the air is good.",
    "Nora wonders where the mice live now.",
]


async def test_a_held_fact_that_the_question_names_comes_first(
    writer: Principal, drain: Drain
) -> None:
    said = await talk(
        writer,
        *NOISE,
        "Nora's sister lives in Trier, where Nora's sister has a house.",
        "Noras Schwester wohnt in Trier, wo Noras Schwester ein Haus hat.",
        "Nora lived in Bonn when Nora was young.",
    )
    told = await remember(writer, "Nora", "Kiel", valid_from=START)
    await remember(writer, "Norbert", "Ulm", valid_from=START)
    await drain()
    for question in (
        "Where does Nora live now?",
        "Does Nora live in Ulm?",
        "Wo wohnt Nora jetzt?",
        "What is Nora's home town?",
    ):
        assert ids(await search(writer, question))[0] == fact_id(told), question
    # Somebody or something else is asked for.
    for question in (
        "Where does Nora's sister live?",
        "Wo wohnt Noras Schwester?",
        "When did Nora live in Bonn?",
    ):
        assert ids(await search(writer, question))[0] in said, question


async def test_an_outdated_word_never_leads(writer: Principal, settle: Drain) -> None:
    said = await talk(
        writer,
        "Zelda Brandt lives in Bremen. Where Zelda Brandt lives it rains.",
        "Zelda Brandt has moved to Oldenburg.",
        "Zelda Brandt lives in Oldenburg.",
    )
    await settle()
    for question in ("Where does Zelda Brandt live?", "Wo wohnt Zelda Brandt?"):
        found = await search(writer, question)
        past = [hit for hit in found["hits"] if hit["standing"] == "past"]
        assert [hit["id"] for hit in past] == [said[0]]
        held = [hit for hit in found["hits"] if hit["kind"] == "fact"]
        assert found["hits"][0] in held
        assert past[0]["rank"] > max(h["rank"] for h in found["hits"] if h["id"] == said[2])


def stands(hits: list[dict[str, Any]], words: str) -> int:
    """The place of the first hit with some words, from 0."""
    return next(n for n, hit in enumerate(hits) if words in hit["untrusted"]["text"])


@pytest.mark.parametrize(
    ("said", "question", "old", "new"),
    [
        (
            ["Ysolde Varga takes 50 mg of sertraline.",
             "The GP has raised the sertraline of Ysolde Varga to 75 now."],
            "How much sertraline does Ysolde Varga take?", "50 mg", "raised",
        ),
        (
            ["Ysolde Varga nimmt 75 Mikrogramm L-Thyroxin.",
             "Der Doktor hat L-Thyroxin bei Ysolde Varga auf 100 hochgesetzt."],
            "Was nimmt Ysolde Varga?", "75 Mikrogramm", "hochgesetzt",
        ),
    ],
)  # fmt: skip
async def test_what_may_have_changed_never_leads_alone(
    opened: Parts, writer: Principal, said: list[str], question: str, old: str, new: str
) -> None:
    """The newer text stands right before the fact that it may have changed."""
    told = [Said(30 * n, text) for n, text in enumerate(said)]
    await take_in(opened, {"one": writer.caller}, [told[0], Said(7, "Ysolde Varga likes jazz.")])
    await opened.indexing.drain()
    hits = (await search(writer, question))["hits"]
    (fact,) = [hit for hit in hits if hit["kind"] == "fact" and old in hit["untrusted"]["text"]]
    assert (fact["rank"], fact["possible_changes"]) == (1, [])
    await take_in(opened, {"one": writer.caller}, told[1:])
    await opened.indexing.drain()
    hits = (await search(writer, question))["hits"]
    place = hits.index(next(hit for hit in hits if hit["id"] == fact["id"]))
    assert stands(hits, new) == place - 1
    assert place == 1
    (change,) = hits[place]["possible_changes"]
    assert change["passage"] == hits[place - 1]["id"]
    # Where facts alone are asked for, the change is told with the fact.
    alone = (await search(writer, question, kinds=["fact"]))["hits"]
    assert alone[0]["id"] == fact["id"]
    assert alone[0]["possible_changes"] == hits[place]["possible_changes"]


@pytest.mark.parametrize(
    "question", ["Where does Ysolde Varga live?", "Wo wohnt Ysolde Varga jetzt?"]
)
async def test_a_newer_fact_leads_before_what_it_may_have_ended(
    opened: Parts, writer: Principal, question: str
) -> None:
    homes = [
        Told(n, "Ysolde Varga", "lives_in", place, rest="they say" if n else "")
        for n, place in enumerate(("Bremen", "Oldenburg", "Trier"))
    ]
    await believe(opened, {"one": writer.caller}, homes)
    await opened.indexing.drain()
    hits = (await search(writer, question, kinds=["fact"]))["hits"]
    shown = [hit["untrusted"]["text"].split()[-1].strip(".") for hit in hits]
    assert shown == ["Trier", "Oldenburg", "Bremen"]
    assert [bool(hit["possible_changes"]) for hit in hits] == [False, True, True]


def test_newer_ones_stand_before_what_they_may_have_changed_newest_first() -> None:
    def changed(fact: str, *newer: tuple[int, str, bool]) -> PossibleChange:
        found = tuple(
            replace(
                Newer("w", START + timedelta(days=day)),
                fact=one if is_fact else None,
                passage=None if is_fact else one,
            )
            for day, one, is_fact in newer
        )
        return PossibleChange(fact, "w", "en", found)

    changes = {
        "a": changed("a", (3, "b", True), (9, "t", False), (5, "u", False)),
        "b": changed("b", (9, "t", False)),
    }
    assert behind_newer(["a", "b", "c"], changes, {"b", "t"}) == ["t", "b", "a", "c"]
    assert behind_newer(["b", "a"], changes, {"b", "t", "u"}) == ["t", "b", "u", "a"]
    assert behind_newer(["a", "b"], {}, {"b"}) == ["a", "b"]


async def test_what_waits_or_was_rejected_stands_below_what_is_held(
    admin: Principal, principal: MakePrincipal, tenant: str, settle: Drain
) -> None:
    writer, other = [
        await principal(f"{tenant}/dev", name=name, kind="user") for name in ("ann", "ben")
    ]
    held = await remember(writer, "Vega", "9000 euros", predicate="attribute:budget")
    doubtful = await remember(other, "Vega", "9 euros", predicate="attribute:budget")
    await settle()
    (waiting,) = (await writer.http.get("/v1/quarantine")).json()["items"]
    assert waiting["fact"]["id"] == fact_id(doubtful)

    async def order() -> list[dict[str, Any]]:
        found = await search(writer, "What is the budget of Vega?")
        hits: list[dict[str, Any]] = found["hits"]
        assert fact_id(doubtful) not in ids(found)
        return hits

    for _ in range(2):
        hits = await order()
        assert hits[0]["id"] == fact_id(held)
        standings = [hit["standing"] for hit in hits]
        assert standings == sorted(standings)  # current before disputed
        assert "disputed" in standings
        answer = await admin.http.post(f"/v1/quarantine/{fact_id(doubtful)}/reject", json={})
        assert answer.status_code == 200, answer.text
        # What was decided waits no more, and comes back with the decision.
        assert (await writer.http.get("/v1/quarantine")).json()["items"] == []
    undone = await admin.http.post(f"/v1/quarantine/{fact_id(doubtful)}/undo")
    assert undone.status_code == 200
    (again,) = (await writer.http.get("/v1/quarantine")).json()["items"]
    assert again["fact"]["id"] == fact_id(doubtful)


BUDGET = {
    "names": ["Vega", "Project Vega"],
    "predicate": "attribute:budget",
    "content": "The budget of Vega is 9000 euros",
    "object_text": "9000 euros",
}
HOME = {
    "names": ["Nora"],
    "predicate": "lives_in",
    "content": "Nora lives in Kiel",
    "object_text": "Kiel",
}


@pytest.mark.parametrize(
    ("fact", "question", "named"),
    [
        (BUDGET, "What is the budget of Vega?", True),
        (BUDGET, "Wie hoch ist das Budget von Vega?", True),
        (BUDGET, "How large is Project Vega's budget?", True),
        (BUDGET, "Is the budget of Vega 9000 euros?", True),
        (BUDGET, "What is the budget of Lyra?", False),
        (BUDGET, "Who approved the budget of Vega?", False),
        (HOME, "Nora?", False),
        (HOME, "Where does Nora work?", False),
        (HOME, "Wohnt Nora in Ulm?", True),
        (HOME, "Wohnt Noras Schwester in Ulm?", False),
        (HOME, "Where did Nora live in 2019?", False),
        (HOME | {"names": ["Nora Klein"]}, "Where does Nora live?", True),
        (HOME | {"names": ["Nora Klein"]}, "Where does Nora Petersen live?", False),
    ],
)
def test_what_a_question_names(fact: dict[str, Any], question: str, named: bool) -> None:
    naming = Naming.of(question)
    assert (naming is not None and naming.names(fact)) is named


@pytest.mark.parametrize(
    ("question", "lapse", "order"),
    [
        ("Where does Zelda live?", Lapse.PAST, ["other", "held", "old", "work"]),
        ("Where does Zelda live?", Lapse.DISPUTED, ["other", "held", "old", "work"]),
        ("Where did Zelda live before?", Lapse.PAST, ["old", "other", "held", "work"]),
        ("Where did Zelda live before?", Lapse.DISPUTED, ["other", "held", "old", "work"]),
        # What it says of this still holds.
        ("Where does Zelda live with a dog?", Lapse.PAST, ["old", "other", "held", "work"]),
    ],
)
def test_what_does_not_hold_stands_below_what_holds_on_the_same(
    question: str, lapse: Lapse, order: list[str]
) -> None:
    texts = {
        "old": "zelda live bremen dog",
        "other": "zelda live happy",
        "held": "zelda live oldenburg",
        "work": "zelda work",
    }
    rows = {i: {"terms": t, "about_terms": "", "language": "en"} for i, t in texts.items()}
    pool = [Candidate(name, 1 - place / 10, {}) for place, name in enumerate(texts)]
    marks = {"old": [Mark("f", "Zelda lives in Bremen", lapse)]}
    found = held_first(question, pool, marks, Judge(Asked.of(question), rows, {}), {})
    assert [candidate.id for candidate in found] == order
    assert [candidate.score for candidate in found] == [c.score for c in pool]


@pytest.mark.parametrize("lapse", [*Lapse])
def test_what_does_not_hold_stands_below_what_says_otherwise_in_any_words(lapse: Lapse) -> None:
    """A word more, or another language, is no reason to lead."""
    question = "Where does Zelda live near the harbour?"
    texts = {
        "old": ("zelda live bremen near harbour", "en"),
        "other": ("zelda works here", "en"),
        "held": ("zelda wohnen oldenburg", "de"),
        "work": ("zelda work", "en"),
    }
    rows = {i: {"terms": t, "about_terms": "", "language": la} for i, (t, la) in texts.items()}
    pool = [Candidate(name, 1 - place / 10, {}) for place, name in enumerate(texts)]
    statement = "Zelda lives in Bremen near the harbour"
    marks = {"old": [Mark("f", statement, lapse, rivals=frozenset({"f", "g"}))]}
    judge = Judge(Asked.of(question), rows, {})
    found = held_first(question, pool, marks, judge, {"held": ["g"], "work": ["h"]})
    assert [candidate.id for candidate in found] == ["other", "held", "old", "work"]
    unrelated = held_first(question, pool, marks, judge, {"held": ["x"], "work": ["h"]})
    assert [candidate.id for candidate in unrelated] == [*texts]


async def test_a_disputed_text_never_leads_by_a_word_more_or_by_its_language(
    opened: Parts, principal: MakePrincipal, tenant: str, settle: Drain
) -> None:
    """What two users say of one thing at one time is in dispute; what a third said later holds."""
    scope, at = f"{tenant}/dev", START
    ann, ben = [
        await principal(scope, role=Role.ADMIN, name=name, kind="user") for name in ("ann", "ben")
    ]
    told = [
        (ann, "Zelda Brandt wohnt in Oldenburg.", at + timedelta(days=3)),
        (ben, "Zelda Brandt lives in Bremen by the old harbour.", at),
    ]
    for who, text, moment in told:
        await capture(
            who, text, session=who.caller.principal, role="user", captured_at=moment.isoformat()
        )
    await settle()
    for question in (
        "Where does Zelda Brandt live by the old harbour?",
        "Does Zelda Brandt live in Bremen?",
        "Wo wohnt Zelda Brandt?",
    ):
        hits = (await search(ann, question, limit=10))["hits"]
        marked = [bool(hit.get("superseded_by") or hit.get("marks")) for hit in hits]
        assert marked[0] is False, (question, hits)
