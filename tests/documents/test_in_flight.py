"""Documents on their way while they, or their base, are asked for something else."""

from __future__ import annotations

from typing import Any

import pytest

from app.documents.orders import TAKE
from app.jobs.model import Job
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.documents.conftest import MakeShelf, Shelf
from tests.documents.test_routes import PARTS, TEXT

OLD, NEW = "The pump is blue.", "The pump is green."


async def hand_in(shelf: Shelf, name: str, text: str) -> dict[str, Any]:
    """A receipt of a text that no worker has looked at yet."""
    body = {"knowledge_base": shelf.base, "name": name, "text": text}
    answer = await shelf.who.http.post("/v1/documents", json=body)
    assert answer.status_code == 202, answer.text
    receipt: dict[str, Any] = answer.json()
    return receipt


async def begun(shelf: Shelf, job: str) -> Job:
    """The job as a worker has it that goes on working."""
    found = await shelf.opened.runner.jobs.get(job, [shelf.who.caller.home])
    assert found is not None
    return found


async def post(shelf: Shelf, path: str) -> tuple[int, dict[str, Any]]:
    answer = await shelf.who.http.post(path)
    return answer.status_code, answer.json()


async def base_of(shelf: Shelf) -> dict[str, Any]:
    shown: dict[str, Any] = (await shelf.who.http.get(f"/v1/knowledge-bases/{shelf.base}")).json()
    return shown


async def hits(shelf: Shelf, query: str) -> int:
    asked = {"query": query, "mode": "keyword", "kinds": ["chunk"]}
    return int((await shelf.who.http.post("/v1/search", json=asked)).json()["count"])


@pytest.mark.parametrize("before", [None, OLD], ids=["first", "second version"])
async def test_process_behind_an_upload_returns_its_job(
    writer: Principal, shelf: MakeShelf, before: str | None
) -> None:
    manuals = await shelf(writer)
    if before is not None:
        await manuals.add("p7", before)
    receipt = await hand_in(manuals, "p7", NEW)
    path = f"/v1/documents/{receipt['document']['id']}/process"
    status, again = await post(manuals, path)
    assert (status, again["job"]["id"]) == (202, receipt["job"]["id"]), again
    assert not again["unchanged"]
    await manuals.finish(receipt)
    chunks = await manuals.chunks(receipt["document"]["id"])
    assert [c["untrusted"]["text"] for c in chunks] == [NEW]


async def test_process_behind_a_job_that_was_stopped_reads_the_stored_text(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", OLD)
    stopped = await hand_in(manuals, "p7", NEW)
    await writer.http.post(f"/v1/jobs/{stopped['job']['id']}/cancel")
    status, again = await post(manuals, f"/v1/documents/{document['id']}/process")
    assert status == 202, again
    assert again["job"]["id"] != stopped["job"]["id"]
    assert (await manuals.finish(again))["state"] == "done"
    chunks = await manuals.chunks(document["id"])
    assert [c["untrusted"]["text"] for c in chunks] == [OLD]


async def test_a_document_that_ends_in_an_archived_base_is_found_once_it_is_resumed(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    path = f"/v1/knowledge-bases/{manuals.base}"
    receipt = await hand_in(manuals, "p7", TEXT)
    assert (await post(manuals, f"{path}/archive"))[0] == 200
    assert (await manuals.finish(receipt))["state"] == "done"
    assert await hits(manuals, "pump P7 1998") == 0
    assert (await post(manuals, f"{path}/resume"))[0] == 200
    assert await hits(manuals, "pump P7 1998") >= 1


async def test_a_base_that_is_archived_while_a_worker_cuts_hides_what_it_writes(
    writer: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(writer)
    receipt = await hand_in(manuals, "p7", TEXT)
    job = await begun(manuals, receipt["job"]["id"])

    async def meanwhile(progress: dict[str, Any]) -> None:
        if progress["step"] == "write":
            await post(manuals, f"/v1/knowledge-bases/{manuals.base}/archive")

    assert job.task == TAKE
    done = await opened.document_reader.run(job, meanwhile)
    assert done.result["state"] == "indexed"
    assert await hits(manuals, "pump P7 1998") == 0


async def test_a_document_in_the_archive_is_not_brought_back_by_process_or_resume(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", TEXT)
    path = f"/v1/documents/{document['id']}"
    assert (await post(manuals, f"{path}/archive"))[0] == 200
    status, refused = await post(manuals, f"{path}/process")
    assert (status, refused["code"]) == (409, "StateRefused")
    assert "restore" in refused["detail"]
    for step in ("archive", "resume"):
        assert (await post(manuals, f"/v1/knowledge-bases/{manuals.base}/{step}"))[0] == 200
    assert (await manuals.document(document["id"]))["status"] == "archived"
    assert await hits(manuals, "pump P7 1998") == 0


async def test_a_document_on_its_way_cannot_be_put_away_and_keeps_its_file(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    receipt = await hand_in(manuals, "p7", NEW)
    status, refused = await post(manuals, f"/v1/documents/{receipt['document']['id']}/archive")
    assert (status, refused["code"]) == (409, "StateRefused")
    assert receipt["job"]["id"] in refused["detail"]
    await manuals.finish(receipt)
    assert (await manuals.document(receipt["document"]["id"]))["status"] == "indexed"
    assert (await base_of(manuals))["status"] == "active"


@pytest.mark.parametrize("state", ["paused", "archived", "error", "active"])
@pytest.mark.parametrize("ended", ["cancelled", "dead", "gone"])
async def test_a_document_whose_job_ended_without_it_fails_however_its_base_stands(
    writer: Principal, shelf: MakeShelf, opened: Parts, state: str, ended: str
) -> None:
    manuals = await shelf(writer)
    receipt = await hand_in(manuals, "p7", NEW)
    path = f"/v1/documents/{receipt['document']['id']}"
    # The job of another document, or a person, brings the base there while this one waits.
    await opened.graph.raw(
        "MATCH (b:KnowledgeBase {id: $id}) SET b.status = $state", id=manuals.base, state=state
    )
    if ended == "cancelled":
        cancelled = await writer.http.post(f"/v1/jobs/{receipt['job']['id']}/cancel")
        assert cancelled.json()["state"] == "cancelled"
    if ended == "dead":
        await opened.graph.raw(
            "MATCH (j:Job {id: $id}) SET j.state = 'dead'", id=receipt["job"]["id"]
        )
    if ended == "gone":  # ended jobs are removed in time
        await opened.graph.raw("MATCH (j:Job {id: $id}) DETACH DELETE j", id=receipt["job"]["id"])
    await opened.document_reader.settle_left()
    document = (await writer.http.get(path)).json()
    assert document["status"] == "failed", document
    assert receipt["job"]["id"] in document["error"]
    assert (await base_of(manuals))["status"] == state
    assert (await post(manuals, f"{path}/archive"))[1]["status"] == "archived"


@pytest.mark.parametrize("what", ["document", "base"])
async def test_a_passage_that_is_shown_again_stays_in_the_archive_with_its_document(
    writer: Principal, shelf: MakeShelf, what: str
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", OLD)
    (chunk,) = await manuals.chunks(document["id"])
    path = f"/v1/documents/{document['id']}"
    if what == "base":
        path = f"/v1/knowledge-bases/{manuals.base}"
    back = {"document": "restore", "base": "resume"}[what]
    assert (await post(manuals, f"{path}/archive"))[0] == 200
    for verb in ("forget", "unforget"):
        status, told = await post(manuals, f"/v1/memories/{chunk['id']}/{verb}")
        assert (status, told["changed"]) == (200, True)
    assert await hits(manuals, "pump blue") == 0
    assert (await post(manuals, f"{path}/{back}"))[0] == 200
    assert await hits(manuals, "pump blue") == 1


@pytest.mark.parametrize("before", [None, OLD], ids=["never read", "read before"])
async def test_what_failed_comes_out_of_the_archive_as_it_went_in(
    writer: Principal, shelf: MakeShelf, before: str | None
) -> None:
    manuals = await shelf(writer)
    if before is not None:
        await manuals.add("p7.pdf", before)
    failed = await manuals.upload("p7.pdf", b"%PDF-1.4 and nothing")
    assert failed["status"] == "failed"
    found = await hits(manuals, "pump blue")
    path = f"/v1/documents/{failed['id']}"
    assert (await post(manuals, f"{path}/archive"))[1]["status"] == "archived"
    assert await hits(manuals, "pump blue") == 0
    restored = (await post(manuals, f"{path}/restore"))[1]
    assert (restored["status"], restored["error"]) == ("failed", failed["error"])
    assert await hits(manuals, "pump blue") == found == (before is not None)


async def test_an_upload_brings_an_archived_document_back_also_where_it_cannot_be_read(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7.pdf", OLD)
    assert (await post(manuals, f"/v1/documents/{document['id']}/archive"))[0] == 200
    failed = await manuals.upload("p7.pdf", b"%PDF-1.4 and nothing")
    assert (failed["id"], failed["status"]) == (document["id"], "failed")
    assert await hits(manuals, "pump blue") == 1


@pytest.mark.parametrize("text", [OLD, NEW], ids=["same words", "other words"])
async def test_what_is_handed_in_behind_a_deletion_is_another_document_and_stays(
    writer: Principal, shelf: MakeShelf, text: str
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", OLD)
    deletion = (await writer.http.delete(f"/v1/documents/{document['id']}")).json()
    assert await hits(manuals, "pump blue") == 0  # at once, whenever the job comes
    receipt = await hand_in(manuals, "p7", text)
    assert receipt["created"]
    assert receipt["document"]["id"] != document["id"]
    await manuals.finish(receipt)
    assert (await manuals.finish(deletion))["result"]["chunks"] == 1
    assert (await writer.http.get(f"/v1/documents/{document['id']}")).status_code == 404
    (chunk,) = await manuals.chunks(receipt["document"]["id"])
    assert chunk["untrusted"]["text"] == text
    assert await hits(manuals, "pump") == 1


async def test_a_document_on_its_way_that_is_deleted_is_not_read_any_more(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    receipt = await hand_in(manuals, "p7", NEW)
    path = f"/v1/documents/{receipt['document']['id']}"
    deletion = (await writer.http.delete(path)).json()
    assert (await base_of(manuals))["status"] == "active"  # nothing that it waits for
    assert (await manuals.finish(receipt))["result"] == {"state": "superseded"}
    assert (await manuals.finish(deletion))["state"] == "done"
    assert (await writer.http.get(path)).status_code == 404


async def test_a_deletion_is_taken_back_by_restore_unless_the_name_is_taken(
    writer: Principal, shelf: MakeShelf
) -> None:
    manuals = await shelf(writer)
    document = await manuals.add("p7", OLD)
    path = f"/v1/documents/{document['id']}"
    deletion = (await writer.http.delete(path)).json()
    assert (await post(manuals, f"{path}/restore"))[1]["status"] == "indexed"
    assert (await manuals.finish(deletion))["result"]["state"] == "restored"
    assert await hits(manuals, "pump blue") == 1
    assert (await hand_in(manuals, "p7", OLD))["unchanged"]
    await writer.http.delete(path)
    await manuals.finish(await hand_in(manuals, "p7", NEW))
    status, refused = await post(manuals, f"{path}/restore")
    assert (status, refused["code"]) == (409, "AlreadyExists"), refused
    assert refused["errors"][0]["field"] == "name"


async def test_a_base_that_is_being_deleted_takes_nothing_more_and_what_came_goes(
    admin: Principal, principal: MakePrincipal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(admin)
    for name in ("a", "b"):
        await manuals.add(name, "\n\n".join(PARTS[:3]))
    assert await hits(manuals, "pump steel oiled") == 2
    late = await hand_in(manuals, "late", NEW)
    job = (await admin.http.delete(f"/v1/knowledge-bases/{manuals.base}")).json()
    answers = []

    async def meanwhile(progress: dict[str, Any]) -> None:
        body = {"knowledge_base": manuals.base, "name": f"c{len(answers)}", "text": NEW}
        answers.append((await admin.http.post("/v1/documents", json=body)).status_code)
        assert await hits(manuals, "pump steel oiled") == 0  # nor is what is left of it found

    done = await opened.document_remover.drop_base(await begun(manuals, job["id"]), meanwhile)
    assert set(answers) == {409}
    assert (done.result["documents"], done.result["state"]) == (3, "deleted")
    assert (await admin.http.get(f"/v1/knowledge-bases/{manuals.base}")).status_code == 404
    assert (await manuals.finish(late))["result"] == {"state": "superseded"}


async def test_a_base_that_is_resumed_while_it_is_deleted_goes_with_what_came_meanwhile(
    admin: Principal, shelf: MakeShelf, opened: Parts
) -> None:
    manuals = await shelf(admin)
    await manuals.add("a", OLD)
    job = (await admin.http.delete(f"/v1/knowledge-bases/{manuals.base}")).json()

    async def meanwhile(progress: dict[str, Any]) -> None:
        if progress["documents"] == 1:
            await post(manuals, f"/v1/knowledge-bases/{manuals.base}/resume")
            await hand_in(manuals, "b", NEW)

    done = await opened.document_remover.drop_base(await begun(manuals, job["id"]), meanwhile)
    assert (done.result["documents"], done.result["state"]) == (2, "deleted")
    left = (await admin.http.get("/v1/documents")).json()["items"]
    assert left == []
