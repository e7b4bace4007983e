"""Documents handed in over HTTP, and the worker's part done here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.wiring import Parts
from tests.conftest import Principal


@dataclass(frozen=True)
class Shelf:
    """A knowledge base and who works with it."""

    opened: Parts
    who: Principal
    base: str

    async def finish(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Run the job of a receipt, or a job, as a worker does; the job as the API shows it."""
        job = answer.get("job", answer) if "document" in answer else answer
        await self.opened.runner.run(self.opened, job["id"])
        shown: dict[str, Any] = (await self.who.http.get(f"/v1/jobs/{job['id']}")).json()
        return shown

    async def add(self, name: str, text: str, **more: Any) -> dict[str, Any]:
        """Hand a text in and have it indexed; the document."""
        body = {"knowledge_base": self.base, "name": name, "text": text, **more}
        answer = await self.who.http.post("/v1/documents", json=body)
        assert answer.status_code == 202, answer.text
        if answer.json()["job"] is not None:
            job = await self.finish(answer.json())
            assert job["state"] == "done", job
        return await self.document(answer.json()["document"]["id"])

    async def upload(self, name: str, data: bytes, **fields: str) -> dict[str, Any]:
        """Hand a file in and have it read; the document."""
        fields = {"knowledge_base": self.base, **fields}
        answer = await self.who.http.post(
            "/v1/documents:upload",
            data=fields,
            files={"file": (name, data, "application/octet-stream")},
        )
        assert answer.status_code == 202, answer.text
        receipt = answer.json()["receipts"][0]
        job = await self.finish(receipt)
        assert job["state"] == "done", job
        return await self.document(receipt["document"]["id"])

    async def document(self, document: str) -> dict[str, Any]:
        """A document as the API shows it."""
        answer = await self.who.http.get(f"/v1/documents/{document}")
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def delete(self, document: str) -> None:
        """Delete a document and wait for it."""
        job = (await self.who.http.delete(f"/v1/documents/{document}")).json()
        assert (await self.finish(job))["state"] == "done"

    async def chunks(self, document: str) -> list[dict[str, Any]]:
        """The chunks of a document."""
        answer = await self.who.http.get(f"/v1/documents/{document}/chunks?limit=500")
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    async def consolidate(self, scope: str | None = None) -> None:
        """Read what waits in the scope."""
        await self.opened.consolidation.consolidate(scope or self.who.caller.home)

    async def facts(self, about: str) -> list[str]:
        """The statements that are held about an entity's name."""
        found = await self.who.http.get(
            "/v1/facts", params={"limit": 200, "scope": self.who.caller.home}
        )
        rows = [row["untrusted"]["statement"] for row in found.json()["items"]]
        return sorted(row for row in rows if about in row)


MakeShelf = Callable[..., Awaitable[Shelf]]


@pytest.fixture
def shelf(opened: Parts) -> MakeShelf:
    """Makes knowledge bases: `await shelf(writer, chunk_size=200)`."""

    async def make(who: Principal, name: str = "Manuals", **given: Any) -> Shelf:
        answer = await who.http.post("/v1/knowledge-bases", json={"name": name, **given})
        assert answer.status_code == 201, answer.text
        return Shelf(opened, who, answer.json()["id"])

    return make
