"""What the evaluation of answers asks and counts."""

from __future__ import annotations

from dataclasses import replace

from app.evals.client import ApiClient
from app.wiring import Parts
from bench.answers import ADVERSARIAL, ORDINARY, STRANGERS, Heard, Put, pairs, put, questions, table
from bench.floors import half
from bench.recall import Corpus, Question
from tests.conftest import Principal
from tests.search.test_service import capture

ASKED = Question("q1", "Where does Tjark Ohlsen live?", frozenset({"t1"}), "single-hop")
NONE = replace(ASKED, id="q2", category=ADVERSARIAL)


def test_a_conversation_is_asked_its_own_questions_and_those_of_the_next() -> None:
    one, two = Corpus("a", (), (ASKED, NONE)), Corpus("b", (), (replace(ASKED, id="q3"), NONE))
    assert pairs([one, two]) == [(one, two), (two, one)]
    asked = [(each.kind, each.question.id) for each in questions(one, two)]
    assert asked == [(ORDINARY, "q1"), (ADVERSARIAL, "q2"), (STRANGERS, "q3")]


def test_evidence_is_counted_of_what_has_an_answer_and_halves_apart() -> None:
    def heard(kind: str, number: int, sentences: int, *, evidence: bool) -> Heard:
        question = replace(ASKED, id=f"q{number}")
        return Heard(Put(kind, question), sentences, evidence, evidence, "")

    told = table(
        [
            heard(ORDINARY, 1, 2, evidence=True),
            heard(ORDINARY, 2, 1, evidence=False),
            heard(ORDINARY, 3, 0, evidence=False),
            heard(STRANGERS, 4, 1, evidence=False),
            heard(STRANGERS, 5, 0, evidence=False),
        ]
    )
    whole = {row["kind"]: row for row in told if row["half"] == "all"}
    assert whole[ORDINARY] == {
        "kind": ORDINARY, "half": "all", "n": 3, "answered": 66.7,
        "first is evidence": 33.3, "any is evidence": 33.3,
    }  # fmt: skip
    assert whole[STRANGERS] == {"kind": STRANGERS, "half": "all", "n": 2, "answered": 50.0}
    halves = {row["half"]: row["n"] for row in told if row["kind"] == ORDINARY}
    expected = [half(replace(ASKED, id=f"q{n}")) for n in (1, 2, 3)]
    assert {name: expected.count(name) for name in expected} | {"all": 3} == halves


async def test_an_answer_rests_on_turns_also_where_it_is_a_fact(
    opened: Parts, writer: Principal
) -> None:
    home = writer.caller.home
    said = await capture(writer, "Tjark Ohlsen lives in Husum.", role="user")
    await opened.consolidation.consolidate(home)
    await opened.indexing.drain()
    client = ApiClient("", "", writer.http)
    unknown = Question("q9", "What is Zdenka Vries allergic to?", frozenset({"t1"}))
    asked = [Put(ORDINARY, ASKED), Put(STRANGERS, unknown)]
    known, silent = await put(client, home, asked, {"t1": said})
    assert (known.answered, known.first, known.any) == (True, True, True)
    assert "Husum" in known.text
    assert (silent.sentences, silent.text) == (0, "")
