"""The prompt form: bands of calibrated relevance, and a cut that keeps what answers."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import pytest

from app.embeddings.e5 import E5Embedder
from app.embeddings.model import Role
from app.indexing.analysis import analyse, detect_language
from app.search.bundle import band, counted, snippet
from app.search.judging import Judge
from app.search.model import Nearness
from app.search.relevance import Asked
from tests.conftest import Principal
from tests.search.test_service import capture, ids, search

TEXTS = [
    "The repair service comes on Thursday at nine.",
    "Our warehouse is in Bremerhaven, next to the old harbour.",
    "Der Vertrag mit der Druckerei läuft Ende März aus.",
    "Im Gewächshaus wachsen Tomaten und Gurken.",
    "ok thanks",
]


async def judged(embedder: E5Embedder, question: str) -> list[float]:
    """How relevant each text is to a question, by the model that ships."""
    (vector,) = await embedder.embed([question], Role.QUERY)
    memories, near = {}, {}
    for text, row in zip(TEXTS, await embedder.embed(TEXTS, Role.DOCUMENT), strict=True):
        terms, language = " ".join(analyse(text)), detect_language(text)
        memories[text] = {"terms": terms, "about_terms": "", "language": language}
        cosine = sum(a * b for a, b in zip(vector, row, strict=True))
        near[text] = Nearness(cosine, embedder.info.name)
    judge = Judge(Asked.of(question), memories, near)
    return [judge.relevance(text) for text in TEXTS]


@pytest.mark.parametrize(
    "nonsense", ["xyzzy plugh quux", "frobnicate", "blorf snark wibble", "qwertz asdf yxcv"]
)
async def test_nonsense_is_not_relevant_to_anything(e5: E5Embedder, nonsense: str) -> None:
    assert {band(one) for one in await judged(e5, nonsense)} == {"low"}


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("When does the repair service come?", 0),
        ("Where is our warehouse?", 1),
        ("Wo ist unser Lager?", 1),
        ("Wann läuft der Vertrag mit der Druckerei aus?", 2),
        ("What grows in the greenhouse?", 3),
    ],
)
async def test_what_answers_is_relevant_in_either_language(
    e5: E5Embedder, question: str, best: int
) -> None:
    found = await judged(e5, question)
    assert found.index(max(found)) == best
    assert band(found[best]) in ("medium", "high")


@pytest.mark.parametrize("question", ["What is the capital of Mongolia?", "Wer malte die Sixtina?"])
async def test_the_best_of_the_irrelevant_is_not_high(e5: E5Embedder, question: str) -> None:
    assert "high" not in {band(one) for one in await judged(e5, question)}


LONG = (
    f"{'The lamp is old and nobody asks. ' * 30}The gate code is kept by Ilse. {'So it is. ' * 90}"
)


def test_the_cut_keeps_what_answers() -> None:
    asked = Asked.of("Who keeps the gate code?")
    shown = snippet(LONG, (0, len(LONG)), asked)
    assert shown.startswith("…The gate code is kept by Ilse.")
    assert shown.endswith("…")
    assert len(shown) <= 360
    assert snippet("Short.  Text", (0, 12), asked) == "Short. Text"
    assert len(snippet("x" * 900, (0, 900), asked, 100)) <= 100


@pytest.mark.parametrize("seed", range(40))
def test_words_are_counted_as_each_window_alone_holds_them(seed: int) -> None:
    rng = random.Random(seed)
    words = ["gate", "gates", "code", "Ilse", "Tor-Code", "lamp", "x", "the", "keeps", "a" * 30]
    text = "".join(rng.choice(words) + rng.choice((" ", " ", ". ", ": ")) for _ in range(120))
    asked = Asked.of("Who keeps the gate code of Ilse?")
    starts = sorted(rng.sample(range(len(text)), 30))
    spans = [(start, start + 60) for start in starts]
    whole = [
        len(frozenset[int]().union(*(
            spot.places for spot in asked.spots(text) if start <= spot.start and spot.end <= end
        )))
        for start, end in spans
    ]  # fmt: skip
    assert [*counted(asked.spots(text), spans)] == whole
    for spot in asked.spots(text):
        assert spot.places == asked.within(text[spot.start : spot.end])


async def test_hits_and_bundle_come_together_with_as_much_of_a_hit_as_is_asked_for(
    writer: Principal, drain: Callable[[], Awaitable[int]]
) -> None:
    known = await capture(writer, LONG)
    await drain()
    question = "Who keeps the gate code?"
    both = await search(writer, question, form="both", limit=1)
    assert ids(both) == [known]
    assert "kept by Ilse" in both["bundle"]
    assert f'score="{both["hits"][0]["score_band"]}"' in both["bundle"]
    alone = await search(writer, question, form="bundle", limit=1)
    assert (alone["hits"], alone["bundle"]) == ([], both["bundle"])
    more = await search(writer, question, form="both", limit=1, snippet=1200)
    assert len(both["bundle"]) + 500 < len(more["bundle"]) < len(both["bundle"]) + 900
    refused: list[tuple[dict[str, object], str]] = [
        ({"snippet": 59, "form": "bundle"}, "snippet"),
        ({"snippet": 4001, "form": "bundle"}, "snippet"),
        ({"snippet": 500}, "snippet"),
        ({"form": "all"}, "form"),
    ]
    for body, field in refused:
        answer = await writer.http.post("/v1/search", json={"query": "x", **body})
        assert answer.status_code == 422
        assert any(e["field"] == field for e in answer.json()["errors"])
