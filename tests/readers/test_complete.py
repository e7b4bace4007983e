"""No pure reader of the slices that read texts is left out of the registry."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import Any

import app
from app.errors import LociError
from tests.readers.registry import READERS
from tests.readers.shapes import PIECES

SLICES = (
    "extraction", "contradiction", "retrieval", "values", "entities", "pages", "documents",
    "skills", "sanitize", "search",
)  # fmt: skip
WHOLE = {"text", "body", "content", "question", "sentence", "title", "query"}  # not a word of one
BOUNDED = [
    "app.documents.semantic.cut_by_meaning",  # asks the embedder
    "app.pages.rewriting.linked",  # at places that a reader found
    "app.pages.rewriting.rewritten",
    "app.retrieval.asking.without",  # a question, which has a longest length
    "app.retrieval.service.beside",
    "app.sanitize.aside.sanitize_aside",  # `sanitize`, in a thread
    "app.sanitize.labels.clean_word",  # `sanitize`, which is measured, with a memory
    "app.sanitize.names.find_names",  # asks a recogniser
    "app.search.bundle.snippet",
    "app.search.latest.latest_first",
    "app.search.precedence.held_first",
    "app.search.precedence.touched",
    "app.skills.finding.text_query",
    "app.skills.learned.quality",  # a sum of what `structure` says
]


def public_readers() -> Iterator[tuple[str, CodeType]]:
    """Name and code of every public function whose first parameter is a text."""
    for name in SLICES:
        package = importlib.import_module(f"{app.__name__}.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for label, member in vars(module).items():
                function = inspect.unwrap(member) if callable(member) else None
                if label.startswith("_") or not inspect.isfunction(function):
                    continue
                first = next(iter(inspect.signature(function).parameters.values()), None)
                of_text = first is not None and first.name in WHOLE and first.annotation == "str"
                if of_text and function.__module__ == found.name:
                    yield f"{found.name}.{label}", function.__code__


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


def test_every_public_reader_is_measured_or_runs_in_one_that_is() -> None:
    text = "\n\n".join(piece * 3 for piece in PIECES.values())
    with reached() as seen:
        for read in READERS.values():
            for given in (text, *PIECES.values()):
                with suppress(LociError):
                    read(given)
    readers = list(public_readers())
    assert len(readers) > 80
    missing = {name for name, code in readers if code not in seen}
    assert sorted(missing) == BOUNDED
