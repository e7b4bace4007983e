"""What the tests of the tiers share."""

from __future__ import annotations

from typing import Any

from app.wiring import Parts
from tests.conftest import Principal
from tests.working.conftest import quick

__all__ = ["quick"]
URL = "/v1/tiers"


async def write(who: Principal, key: str, value: Any, **more: Any) -> dict[str, Any]:
    """Write a key; the wire form of what is kept."""
    body = {"key": key, "value": value, "session_id": "s1", **more}
    answer = await who.http.put(f"{URL}/value", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def read(who: Principal, key: str, **query: Any) -> dict[str, Any]:
    """What a key has."""
    answer = await who.http.get(f"{URL}/value", params={"key": key, "session_id": "s1", **query})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def noted(who: Principal, key: str, value: Any, reads: int, **more: Any) -> str:
    """Write a short-term entry and read it so often; its id."""
    made = await write(who, key, value, **more)
    session = {"session_id": more.get("session_id", "s1")}
    for _ in range(reads):
        assert (await read(who, key, tier="short_term", **session))["found"]
    return str(made["id"])


async def consolidate(who: Principal, **body: Any) -> dict[str, Any]:
    """Promote what was read often; the receipt."""
    answer = await who.http.post(f"{URL}/consolidate", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def kept(opened: Parts, who: Principal, status: str = "active") -> list[dict[str, Any]]:
    """The entries of an agent's own context, oldest first."""
    rows = await opened.graph.raw(
        "MATCH (e:ContextEntry)-[:PART_OF]->(c:PersistentContext {own: true}) "
        "WHERE c.owner = $owner AND e.status = $status RETURN e {.*} AS e ORDER BY e.id",
        owner=who.caller.principal,
        status=status,
    )
    return [row["e"] for row in rows]
