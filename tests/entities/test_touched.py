"""Which scopes a pass looks at that follows what is written of entities."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.entities.touched import TouchedScopes
from app.kernel.cypher import Q
from app.wiring import Parts
from tests.conftest import Principal

STORED = {"content": "Nora Feld lives in Bremen.", "session": "s"}


async def test_scopes_are_named_once_all_then_those_written_to(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = writer.caller.home
    assert (await writer.http.post("/v1/episodes", json=STORED)).is_success
    monkeypatch.setattr("app.entities.touched.LAG", timedelta(minutes=5))
    monkeypatch.setattr("app.entities.touched.WHOLE", 3600.0)
    touched = TouchedScopes(opened.graph, Q.condensed.every_scope)
    assert scope not in await touched.scopes()
    assert scope not in await touched.scopes()
    await opened.consolidation.consolidate(scope)
    assert scope in await touched.scopes()
    assert scope in await touched.scopes()  # as long as what is committed late may be missing
    monkeypatch.setattr("app.entities.touched.LAG", timedelta())
    await touched.scopes()
    assert scope not in await touched.scopes()
    touched._whole_at = 0.0  # a minute later
    assert scope in await touched.scopes()
