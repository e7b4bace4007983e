"""What a tier, a search or a block shows is counted; every value of a task is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from app.shortterm.service import entry_id
from app.wiring import Parts
from tests.conftest import Principal
from tests.contexts.conftest import Make, add, listed, make
from tests.tiers.conftest import URL, write

__all__ = ["make"]
TEXT = "The seal of the sluice is renewed by the diver of the harbour."


async def test_whatever_shows_an_entry_counts_it_once(
    opened: Parts, writer: Principal, make: Make, drain: Any
) -> None:
    context = await make("sluice")
    await add(writer, context, "seal", TEXT)
    fact = "The harbour is eight metres deep."
    await add(writer, context, "depth", fact, memory_type="factual")
    await drain()
    await opened.uses.flush()
    block = {"query": TEXT, "form": "relevant_context", "context": {"threshold": 0.01}}
    turn = {"session": "t", "messages": [{"content": TEXT}]}
    doors: list[tuple[str, dict[str, Any]]] = [
        ("/v1/search", {"query": TEXT}),
        ("/v1/search", block),
        ("/v1/turns", turn),
        (f"{URL}/search", {"query": TEXT, "tiers": ["long_term"], "least": 0}),
        (f"{URL}/context", {"query": TEXT}),
    ]
    for number, (path, body) in enumerate(doors, 1):
        answer = await writer.http.post(path, json=body)
        assert answer.is_success, answer.text
        assert "sluice" in answer.text, path
        await opened.uses.flush()
        (seal,) = await listed(writer, context, key="seal")
        assert seal["access_count"] == number, path
        assert seal["last_accessed_at"] is not None
    (depth,) = await listed(writer, context, key="depth")
    before = depth["access_count"]
    await writer.http.post(f"{URL}/context", json={"query": "quite another", "minimal": True})
    await opened.uses.flush()
    (depth,) = await listed(writer, context, key="depth")
    assert depth["access_count"] == before + 1, "a fact that a context tells"


async def test_every_value_of_a_task_and_the_newest_of_a_session_are_compared(
    writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tiers.service.LOOKED_AT", 3)
    monkeypatch.setattr("app.indexing.likeness.BATCH", 4, raising=False)
    who = writer.caller
    keys = sorted("abcdefghij", key=lambda key: entry_id(who.home, who.principal, "s1", key))
    for key in keys:
        text = TEXT if key == keys[-1] else f"Filler {key} of the shelf."
        await write(writer, key, text)
    for key in sorted(keys):
        await write(writer, key, TEXT if key == "j" else f"Filler {key}.", tier="working")
    body = {"query": TEXT, "session_id": "s1", "least": 0.9}
    hits = (await writer.http.post(f"{URL}/search", json=body)).json()["hits"]
    assert {(hit["tier"], hit["untrusted"]["key"]) for hit in hits} == {
        ("short_term", keys[-1]), ("working", "j")
    }  # fmt: skip
