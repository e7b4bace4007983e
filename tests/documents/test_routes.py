"""Documents over HTTP, read and cut as a worker does it, in a real graph."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.documents.fetch import Fetched
from app.documents.media import Media
from app.errors import FetchRefused
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf
from tests.documents.files import locked, pdf, word

TEXT = "# Pumps\n\nThe pump P7 was built in 1998.\n\n" + "It runs all day long. " * 30
PARTS = [
    f"Part {n} of the pump is made of steel number {n * 7}. It has to be oiled." for n in range(60)
]


def field_of(answer: httpx.Response) -> str | None:
    errors = answer.json().get("errors") or [{"field": None}]
    found: str | None = errors[0]["field"]
    return found


async def test_a_text_is_cut_and_shown_with_its_statistics(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer, chunk_size=300, chunk_overlap=40)
    document = await manuals.add("p7.md", TEXT, media="text/markdown", tags=["pump"])
    assert (document["status"], document["version"]) == ("indexed", 1)
    assert document["untrusted"]["title"] == "Pumps"
    assert document["vectors_pending"] == document["chunks"] >= 2
    chunks = await manuals.chunks(document["id"])
    text = (await writer.http.get(f"/v1/documents/{document['id']}/text")).json()
    whole = text["untrusted"]["text"]
    assert "".join(c["untrusted"]["text"][c["own"] - c["start"] :] for c in chunks) == whole
    assert {tuple(c["untrusted"]["heading_path"]) for c in chunks} == {("Pumps",)}
    assert all(whole[c["start"] : c["end"]] == c["untrusted"]["text"] for c in chunks)
    base = (await writer.http.get(f"/v1/knowledge-bases/{manuals.base}")).json()
    assert base["status"] == "active"
    assert base["statistics"] == {
        "documents": {"indexed": 1},
        "chunks": document["chunks"],
        "characters": len(whole),
        "tokens": document["tokens"],
    }
    listed = (await writer.http.get("/v1/knowledge-bases")).json()["items"]
    assert [b["statistics"] for b in listed if b["id"] == manuals.base] == [base["statistics"]]


async def test_the_same_bytes_again_change_nothing(writer: Principal, shelf: MakeShelf) -> None:
    manuals = await shelf(writer)
    first = await manuals.add("p7", TEXT)
    body = {"knowledge_base": "Manuals", "name": "p7", "text": TEXT}
    answer = (await writer.http.post("/v1/documents", json=body)).json()
    assert (answer["unchanged"], answer["job"]) == (True, None)
    assert await manuals.document(first["id"]) == first


async def test_a_changed_document_keeps_the_chunks_and_vectors_of_equal_words(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer, chunk_size=200, chunk_overlap=0)
    before = await manuals.add("parts", "\n\n".join(PARTS))
    old = {c["id"]: c for c in await manuals.chunks(before["id"])}
    await opened.indexing.index(list(old))
    changed = [*PARTS[:20], "Part 20 is gone.", *PARTS[21:]]
    after = await manuals.add("parts", "\n\n".join(changed))
    assert (after["id"], after["version"]) == (before["id"], 2)
    new = {c["id"]: c for c in await manuals.chunks(after["id"])}
    kept = old.keys() & new.keys()
    assert len(old) - len(kept) <= 8
    assert all(new[chunk]["index_state"] == "done" for chunk in kept)
    assert after["vectors_pending"] == len(new.keys() - kept)
    moved = [chunk for chunk in kept if new[chunk]["start"] != old[chunk]["start"]]
    assert moved
    assert "".join(c["untrusted"]["text"] for c in new.values()) == "\n\n".join(changed)


async def test_a_document_comes_as_pdf_or_word_file(writer: Principal, shelf: MakeShelf) -> None:
    manuals = await shelf(writer)
    one = await manuals.upload("a.pdf", pdf([["The pump is blue."], [], ["The valve is red."]]))
    two = await manuals.upload("b.docx", word("Valves", [("Care", ["Oil the valve."])]))
    assert (one["media"], one["pages"], one["status"]) == ("application/pdf", 3, "indexed")
    assert one["pages_without_text"] == 1
    again = await writer.http.post(f"/v1/documents/{one['id']}/process")
    assert (await manuals.finish(again.json()))["state"] == "done"
    assert (await manuals.document(one["id"]))["pages_without_text"] == 1
    assert two["untrusted"]["title"] == "Valves"
    chunk = (await manuals.chunks(two["id"]))[0]["untrusted"]
    assert chunk["heading_path"] == ["Valves", "Care"]


async def test_a_broken_file_fails_with_its_reason_and_blocks_nothing(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    good = await manuals.upload("good.pdf", pdf([["The pump is blue."]]))
    bad = await manuals.upload("locked.pdf", locked([["x"]]))
    assert bad["status"] == "failed"
    assert bad["error"].startswith("FileEncrypted: ")
    base = (await writer.http.get(f"/v1/knowledge-bases/{manuals.base}")).json()
    assert base["status"] == "active"
    assert base["statistics"]["documents"] == {"failed": 1, "indexed": 1}
    # A new version that cannot be read leaves the old text as it is.
    broken = await manuals.upload("good.pdf", b"%PDF-1.4 and nothing")
    assert (broken["id"], broken["status"]) == (good["id"], "failed")
    assert (await manuals.chunks(good["id"]))[0]["untrusted"]["text"] == "The pump is blue."
    mended = await manuals.upload("good.pdf", pdf([["The pump is green."]]))
    assert (mended["status"], mended["error"], mended["version"]) == ("indexed", None, 2)


async def test_text_is_sanitised_and_told_of(writer: Principal, shelf: MakeShelf) -> None:
    manuals = await shelf(writer)
    text = "Write to mia@example.org at once.\n\nThe host is 10.1.2.3 in there."
    document = await manuals.add("contact", text, title="By mia@example.org")
    assert document["untrusted"]["title"] == "By [email]"
    assert document["pii"] == ["pii:ip"]
    chunk = (await manuals.chunks(document["id"]))[0]["untrusted"]["text"]
    assert "[email]" in chunk
    assert "mia@" not in chunk


async def test_a_policy_that_refuses_a_class_fails_the_document(
    admin: Principal, principal: MakePrincipal, shelf: MakeShelf, tenant: str
) -> None:
    who = await principal(f"{tenant}/strict")
    where = {"scope": f"{tenant}/strict"}
    answer = await admin.http.put("/v1/scopes/policy", params=where, json={"email": "refuse"})
    assert answer.status_code == 200, answer.text
    manuals = await shelf(who)
    document = await manuals.add("contact", "Write to mia@example.org at once.")
    assert document["status"] == "failed"
    assert document["error"].startswith("PiiRefused: ")


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"name": "a", "text": "x"}, 422, "knowledge_base"),
        ({"knowledge_base": "nowhere", "name": "a", "text": "x"}, 404, "knowledge_base"),
        ({"knowledge_base": "Manuals", "text": "x"}, 422, "name"),
        ({"knowledge_base": "Manuals", "name": "a"}, 422, "text"),
        ({"knowledge_base": "Manuals", "text": "x", "url": "http://example.org"}, 422, "text"),
        ({"knowledge_base": "Manuals", "url": "file:///etc/passwd"}, 422, "url"),
        ({"knowledge_base": "Manuals", "name": "a", "text": "x", "colour": "red"}, 422, "colour"),
    ],
)
async def test_what_cannot_be_taken_is_refused_by_field_and_changes_nothing(
    writer: Principal, shelf: MakeShelf, body: dict[str, Any], status: int, field: str
) -> None:
    manuals = await shelf(writer)
    answer = await writer.http.post("/v1/documents", json=body)
    assert (answer.status_code, field_of(answer)) == (status, field), answer.text
    listed = await writer.http.get("/v1/documents", params={"knowledge_base": manuals.base})
    assert listed.json()["items"] == []


@pytest.mark.parametrize(
    ("data", "files", "status"),
    [
        ({"knowledge_base": "Manuals"}, {"file": ("a.png", b"x", "image/png")}, 415),
        ({"knowledge_base": "Manuals"}, {"file": ("a.txt", b"", "text/plain")}, 422),
        ({}, {"file": ("a.txt", b"x", "text/plain")}, 422),
        ({"knowledge_base": "Manuals", "role": "king"}, {"file": ("a.txt", b"x", "")}, 422),
    ],
)
async def test_a_bad_form_is_refused(
    writer: Principal, shelf: MakeShelf, data: dict[str, str], files: dict[str, Any], status: int
) -> None:
    await shelf(writer)
    answer = await writer.http.post("/v1/documents:upload", data=data, files=files)
    assert answer.status_code == status, answer.text


async def test_bases_are_paused_resumed_archived_and_refuse_what_does_not_follow(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", TEXT)
    path = f"/v1/knowledge-bases/{manuals.base}"
    assert (await writer.http.post(f"{path}/pause")).json()["status"] == "paused"
    body = {"knowledge_base": manuals.base, "name": "other", "text": "x"}
    assert (await writer.http.post("/v1/documents", json=body)).status_code == 409
    assert (await writer.http.post(f"{path}/resume")).json()["status"] == "active"
    asked = {"query": "pump P7 1998", "mode": "keyword", "kinds": ["chunk"]}
    assert (await writer.http.post("/v1/search", json=asked)).json()["count"] >= 1
    assert (await writer.http.post(f"{path}/archive")).json()["status"] == "archived"
    assert (await writer.http.post("/v1/search", json=asked)).json()["count"] == 0
    assert (await writer.http.post(f"{path}/pause")).status_code == 409
    assert (await writer.http.post(f"{path}/resume")).json()["status"] == "active"
    assert (await writer.http.post("/v1/search", json=asked)).json()["count"] >= 1
    archived = await writer.http.post(f"/v1/documents/{document['id']}/archive")
    assert archived.json()["status"] == "archived"
    assert (await writer.http.post("/v1/search", json=asked)).json()["count"] == 0
    restored = await writer.http.post(f"/v1/documents/{document['id']}/restore")
    assert restored.json()["status"] == "indexed"
    assert (await writer.http.post("/v1/search", json=asked)).json()["count"] >= 1


async def test_other_chunking_cuts_the_stored_text_anew(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer, chunk_size=1000, chunk_overlap=0)
    before = await manuals.add("parts", "\n\n".join(PARTS))
    path = f"/v1/knowledge-bases/{manuals.base}"
    change = {"chunk_size": 200, "chunk_overlap": 20, "chunking_strategy": "semantic"}
    assert (await writer.http.patch(path, json=change)).status_code == 200
    bad = await writer.http.patch(path, json={"chunk_overlap": 150})
    assert (bad.status_code, field_of(bad)) == (422, "chunk_overlap")
    for receipt in (await writer.http.post(f"{path}/reindex")).json()["receipts"]:
        assert (await manuals.finish(receipt))["state"] == "done"
    after = await manuals.document(before["id"])
    assert after["chunks"] > before["chunks"]
    assert (after["characters"], after["version"]) == (before["characters"], before["version"])


@pytest.mark.parametrize(
    ("made", "change", "sizes"),
    [
        ({}, {"chunk_size": 300}, (300, 60)),
        ({"chunk_size": 300}, {"chunk_size": 1000}, (1000, 60)),
        ({}, {"chunk_size": 300, "chunk_overlap": 150}, (300, 150)),
        ({}, {"chunk_overlap": 10}, (1000, 10)),
    ],
)
async def test_a_size_alone_takes_the_overlap_along(
    writer: Principal,
    shelf: MakeShelf,
    made: dict[str, int],
    change: dict[str, int],
    sizes: tuple[int, int],
) -> None:
    manuals = await shelf(writer, **made)
    answer = await writer.http.patch(f"/v1/knowledge-bases/{manuals.base}", json=change)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["chunk_size"], answer.json()["chunk_overlap"]) == sizes


async def test_two_bases_of_one_name_in_one_scope_are_refused(
    writer: Principal, shelf: MakeShelf
) -> None:
    await shelf(writer)
    again = await writer.http.post("/v1/knowledge-bases", json={"name": "manuals"})
    assert (again.status_code, field_of(again)) == (409, "name")
    other = await shelf(writer, name="Atlas")
    path = f"/v1/knowledge-bases/{other.base}"
    for name, status in [("MANUALS", 409), (" ", 422)]:
        renamed = await writer.http.patch(path, json={"name": name})
        assert (renamed.status_code, field_of(renamed)) == (status, "name"), renamed.text
    assert (await writer.http.patch(path, json={"name": "atlas"})).status_code == 200


async def test_the_seeds_routes_answer_in_its_envelope(writer: Principal, shelf: MakeShelf) -> None:
    base = await writer.http.post("/api/v1/ai/rag/knowledge_bases", json={"name": "Rag"})
    assert (base.status_code, base.json()["success"]) == (201, True)
    manuals = await shelf(writer)
    body = {"knowledge_base": "Rag", "name": "p7", "text": TEXT}
    by_text = await writer.http.post("/api/v1/ai/rag/documents", json=body)
    by_file = await writer.http.post(
        "/api/v1/ai/rag/documents",
        data={"knowledge_base": "Rag"},
        files={"file": ("p8.txt", TEXT.encode(), "text/plain")},
    )
    for answer in (by_text, by_file):
        assert answer.status_code == 202, answer.text
        assert (await manuals.finish(answer.json()["data"]))["state"] == "done"
    document = by_text.json()["data"]["document"]["id"]
    again = await writer.http.post(f"/api/v1/ai/rag/documents/{document}/process")
    assert (again.status_code, again.json()["success"]) == (202, True)
    assert (await manuals.finish(again.json()["data"]))["result"]["dropped"] == 0


async def test_who_may_not_see_a_base_finds_neither_it_nor_its_documents(
    writer: Principal, principal: MakePrincipal, shelf: MakeShelf, tenant: str
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", TEXT)
    other = await principal(f"{tenant}/other")
    for path in (
        f"/v1/knowledge-bases/{manuals.base}",
        f"/v1/documents/{document['id']}",
        f"/v1/documents/{document['id']}/text",
        f"/v1/documents/{document['id']}/chunks",
    ):
        assert (await other.http.get(path)).status_code == 404
    for path in ("process", "archive"):
        answer = await other.http.post(f"/v1/documents/{document['id']}/{path}")
        assert answer.status_code == 404
    assert (await other.http.delete(f"/v1/documents/{document['id']}")).status_code == 404
    body = {"knowledge_base": manuals.base, "name": "x", "text": "x"}
    assert (await other.http.post("/v1/documents", json=body)).status_code == 404


async def test_the_latest_of_two_uploads_wins_whichever_job_runs_last(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer)
    receipts = []
    for text in ("The pump is blue.", "The pump is green."):
        body = {"knowledge_base": manuals.base, "name": "p7", "text": text}
        receipts.append((await writer.http.post("/v1/documents", json=body)).json())
    await asyncio.gather(*(opened.runner.run(opened, r["job"]["id"]) for r in reversed(receipts)))
    chunks = await manuals.chunks(receipts[0]["document"]["id"])
    assert [c["untrusted"]["text"] for c in chunks] == ["The pump is green."]


async def test_a_job_that_was_stopped_fails_its_document(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer)
    body = {"knowledge_base": manuals.base, "name": "p7", "text": TEXT}
    receipt = (await writer.http.post("/v1/documents", json=body)).json()
    await writer.http.post(f"/v1/jobs/{receipt['job']['id']}/cancel")
    await opened.document_reader.settle_left()
    document = await manuals.document(receipt["document"]["id"])
    assert document["status"] == "failed"
    assert "cancelled" in document["error"]


@pytest.mark.parametrize("before", [None, "The pump is red."], ids=["first", "second version"])
@pytest.mark.parametrize("base", ["active", "paused", "archived"])
async def test_a_job_that_was_stopped_reads_its_document_once_it_runs_again(
    writer: Principal, shelf: MakeShelf, opened: Parts, before: str | None, base: str
) -> None:
    manuals = await shelf(writer)
    if before is not None:
        await manuals.add("p7", before)
    body = {"knowledge_base": manuals.base, "name": "p7", "text": "The pump is blue."}
    receipt = (await writer.http.post("/v1/documents", json=body)).json()
    path = f"/v1/jobs/{receipt['job']['id']}"
    await writer.http.post(f"{path}/cancel")
    await opened.document_reader.settle_left()
    step = {"paused": "pause", "archived": "archive"}.get(base)
    if step is not None:
        moved = await writer.http.post(f"/v1/knowledge-bases/{manuals.base}/{step}")
        assert moved.status_code == 200, moved.text
    assert (await writer.http.post(f"{path}/rerun")).status_code == 202
    job = await manuals.finish(receipt)
    assert (job["state"], job["result"]["state"]) == ("done", "indexed")
    document = await manuals.document(receipt["document"]["id"])
    assert (document["status"], document["error"]) == ("indexed", None)
    chunks = await manuals.chunks(document["id"])
    assert [c["untrusted"]["text"] for c in chunks] == ["The pump is blue."]
    shown = (await writer.http.get(f"/v1/knowledge-bases/{manuals.base}")).json()
    assert shown["status"] == base


async def test_a_job_that_runs_again_leaves_a_document_in_the_archive(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer)
    body = {"knowledge_base": manuals.base, "name": "p7", "text": TEXT}
    receipt = (await writer.http.post("/v1/documents", json=body)).json()
    path = f"/v1/jobs/{receipt['job']['id']}"
    await writer.http.post(f"{path}/cancel")
    await opened.document_reader.settle_left()
    document = f"/v1/documents/{receipt['document']['id']}"
    assert (await writer.http.post(f"{document}/archive")).status_code == 200
    await writer.http.post(f"{path}/rerun")
    assert (await manuals.finish(receipt))["result"]["state"] == "archived"


class Away:
    """An address that answers once, and then no more."""

    def __init__(self, text: str) -> None:
        self._text: str | None = text

    async def fetch(self, address: str, into: Path) -> Fetched:
        """What the address gives."""
        if self._text is None:
            raise FetchRefused("the address answers with the status 404")
        data, self._text = self._text.encode(), None
        await asyncio.to_thread(into.write_bytes, data)
        return Fetched(address, Media.TEXT, len(data), hashlib.sha256(data).hexdigest())


async def test_reindex_cuts_what_is_stored_and_fetches_nothing(
    writer: Principal, shelf: MakeShelf, opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    manuals = await shelf(writer, chunk_size=1000, chunk_overlap=0)
    reader = opened.document_reader
    away: Any = Away("\n\n".join(PARTS))
    monkeypatch.setattr(reader, "_parts", replace(reader._parts, fetcher=away))
    url = "https://example.com/parts.txt"
    body = {"knowledge_base": manuals.base, "url": url}
    receipt = (await writer.http.post("/v1/documents", json=body)).json()
    await manuals.finish(receipt)
    before = await manuals.document(receipt["document"]["id"])
    text = (await writer.http.get(f"/v1/documents/{before['id']}/text")).json()
    path = f"/v1/knowledge-bases/{manuals.base}"
    changed = await writer.http.patch(path, json={"chunk_size": 200, "chunk_overlap": 20})
    assert changed.status_code == 200, changed.text
    for receipt in (await writer.http.post(f"{path}/reindex")).json()["receipts"]:
        assert (await manuals.finish(receipt))["result"]["state"] == "indexed"
    after = await manuals.document(before["id"])
    assert (after["status"], after["error"]) == ("indexed", None)
    assert after["chunks"] > before["chunks"]
    assert after["untrusted"]["source_url"] == url
    assert after["version"] == before["version"]
    assert (await writer.http.get(f"/v1/documents/{before['id']}/text")).json() == text
    assert (await writer.http.get(path)).json()["status"] == "active"
    again = (await writer.http.post(f"/v1/documents/{before['id']}/process")).json()
    assert (await manuals.finish(again))["result"]["state"] == "failed"  # this one fetches


async def test_an_address_that_is_not_public_fails_the_document(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    body = {"knowledge_base": manuals.base, "url": "http://127.0.0.1:9/secret.html"}
    receipt = (await writer.http.post("/v1/documents", json=body)).json()
    job = await manuals.finish(receipt)
    assert job["result"]["state"] == "failed"
    document = await manuals.document(receipt["document"]["id"])
    assert document["error"].startswith("FetchRefused: ")
    assert document["untrusted"]["source_url"] == body["url"]


async def test_a_job_that_is_broken_off_anywhere_ends_the_same(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer, chunk_size=200, chunk_overlap=40)
    whole = await manuals.add("whole", "\n\n".join(PARTS), media="text/markdown")
    expected = [c["untrusted"]["text"] for c in await manuals.chunks(whole["id"])]
    for step, delay in enumerate((0.0, 0.03, 0.1, 0.3, 1.0)):
        body = {
            "knowledge_base": manuals.base,
            "name": f"broken-{step}",
            "text": "\n\n".join(PARTS),
            "media": "text/markdown",
        }
        receipt = (await writer.http.post("/v1/documents", json=body)).json()
        run = asyncio.create_task(opened.runner.run(opened, receipt["job"]["id"]))
        await asyncio.sleep(delay)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        assert (await manuals.finish(receipt))["state"] == "done"
        document = await manuals.document(receipt["document"]["id"])
        assert (document["status"], document["version"]) == ("indexed", 1)
        chunks = await manuals.chunks(document["id"])
        assert [c["untrusted"]["text"] for c in chunks] == expected
    base = (await writer.http.get(f"/v1/knowledge-bases/{manuals.base}")).json()
    assert base["status"] == "active"
