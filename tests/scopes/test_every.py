"""Every scope of the installation, page by page."""

from __future__ import annotations

import pytest

from app.scopes import every
from app.wiring import Parts
from tests.conftest import Principal


async def test_pages_hold_every_scope_once_and_in_order(
    opened: Parts, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = admin.caller.home
    made = [f"{tenant}/s{number}" for number in range(5)]
    for path in made:
        assert (await admin.http.post("/v1/scopes", json={"scope": path})).is_success
    monkeypatch.setattr(every, "PAGE", 2)
    pages = [page async for page in every.pages(opened.graph)]
    assert all(0 < len(page) <= 2 for page in pages)
    found = [path for page in pages for path in page]
    assert len(set(found)) == len(found)
    assert found == sorted(found)
    assert [path for path in found if path.startswith(tenant)] == [tenant, *made]
    assert [path async for path in every.paths(opened.graph)] == found


async def test_scopes_that_are_named_are_the_ones(opened: Parts) -> None:
    assert [path async for path in every.paths(opened.graph, ["b", "a"])] == ["b", "a"]
    assert [path async for path in every.paths(opened.graph, [])] == []
