"""No pure reader of the slices that read texts is left out of the registry."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest

import app
from app.errors import LociError
from tests.readers.registry import READERS
from tests.readers.shapes import PIECES

# Programs that people run on their own machines: no request hands them a text.
ELSEWHERE = ("app.cli", "app.runtime", "app.asgi", "app.worker", "app.__main__")
# How parameters are called that are a whole text and not a word of one.
WHOLE = {
    "text", "body", "content", "question", "sentence", "title", "query", "reply", "answer", "left",
}  # fmt: skip
# What takes a whole text and yet need not be measured, with the reason.
MODEL = "a model's tokeniser, whose time its own package answers for"
MEASURED = "what it does with the text is measured by itself"
ASKED = "a question, which is no longer than 4,000 characters"
OURS = "a text that Loci wrote itself"
HASHED = "it is hashed, and nothing else"
BOUNDED = {
    "app.access.keys.hash_key": HASHED,
    "app.consolidation.proposals.held_against": MEASURED,
    "app.documents.flow.Flow.mark": "one heading of a document, which is counted",
    "app.embeddings.e5.E5Embedder.windows": MODEL,
    "app.embeddings.e5.E5Model.count": MODEL,
    "app.embeddings.e5.E5Model.vector": MODEL,
    "app.embeddings.e5.E5Model.windows": MODEL,
    "app.embeddings.hosted.HostedEmbedder.windows": MEASURED,
    "app.embeddings.measured.Measured.fitting": MEASURED,
    "app.embeddings.measured.Measured.hash": HASHED,
    "app.embeddings.model.Embedder.windows": "it is said there, and done elsewhere",
    "app.embeddings.openai.OpenAIEmbedder.windows": MEASURED,
    "app.entities.model.place_of": HASHED,
    "app.extraction.mentions.Recogniser.mentions": "it is said there, and done elsewhere",
    "app.facts.carried.unpack": OURS,
    "app.facts.heads.Head.unpack": OURS,
    "app.indexing.judging.judgement": MEASURED,
    "app.kernel.cypher.parse": OURS,
    "app.kernel.cypher.spaced": OURS,
    "app.kernel.kind.Gone.named": "the words of a name, one after the other",
    "app.kernel.problems.problem": OURS,
    "app.lifecycle.proof.Search.of": OURS,
    "app.llm.model.Question.key": HASHED,
    "app.notes.attested.Guarding.hash_of": HASHED,
    "app.notes.record.extracted_id": HASHED,
    "app.portability.derived.clean": MEASURED,
    "app.portability.derived.sanitized": MEASURED,
    "app.portability.kind.At.scope": MEASURED,
    "app.portability.vectors.judged": MEASURED,
    "app.retrieval.asking.Reading.of": ASKED,
    "app.retrieval.asking.asks": ASKED,
    "app.sanitize.names.find_names": "it asks a recogniser",
    "app.sanitize.suspicion.Judge.score": MEASURED,
    "app.sanitize.suspicion.Judge.suspects": MEASURED,
    "app.search.block.settled": ASKED,
    "app.search.block.weighed": ASKED,
    "app.search.bundle.qualified": "a snippet, and what is known of it behind",
    "app.search.bundle.render": MEASURED,
    "app.search.precedence.held_first": ASKED,
    "app.skills.learned.quality": "a sum of what `structure` says",
    "app.traces.cleaning.Cleaner.text": MEASURED,
    "app.turns.recalling.chosen": MEASURED,
    "app.working.model.Place.parse": OURS,
}


def public_readers() -> Iterator[tuple[str, CodeType]]:
    """Name and code of every public function and method that is given a whole text: one of whose
    parameters has one of these names and is a string."""
    for found in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
        if found.name.startswith(ELSEWHERE):
            continue
        module = importlib.import_module(found.name)
        for label, function in functions(module):
            given = inspect.signature(function).parameters.values()
            if any(one.name in WHOLE and one.annotation in ("str", "str | None") for one in given):
                yield f"{found.name}.{label}", function.__code__


def functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The public functions of a module and of its public classes, but those that are awaited."""
    for label, member in vars(module).items():
        inner = vars(member).items() if inspect.isclass(member) else ()
        for name, each in ((label, member), *((f"{label}.{n}", m) for n, m in inner)):
            function = (
                inspect.unwrap(getattr(each, "__func__", each))
                if callable(getattr(each, "__func__", each))
                else None
            )
            if (
                inspect.isfunction(function)
                and function.__module__ == module.__name__
                and not any(part.startswith("_") for part in name.split("."))
                and not inspect.iscoroutinefunction(function)
                and not inspect.isasyncgenfunction(function)
            ):
                yield name, function


@contextmanager
def reached() -> Iterator[set[CodeType]]:
    """The code that runs meanwhile."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, given: Any) -> None:
        seen.add(frame.f_code)

    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)


@pytest.mark.one_python
def test_every_public_reader_is_measured_or_runs_in_one_that_is() -> None:
    text = "\n\n".join(piece * 3 for piece in PIECES.values())
    with reached() as seen:
        for read in READERS.values():
            for given in (text, *PIECES.values()):
                with suppress(LociError):
                    read(given)
    readers = list(public_readers())
    assert len(readers) > 200
    missing = {name for name, code in readers if code not in seen}
    added = sorted(missing - BOUNDED.keys())
    assert not added, f"register them in tests/readers, or say in BOUNDED why not: {added}"
    assert sorted(BOUNDED.keys() - missing) == []
