"""Other programs' exports over HTTP: in a form or as they are, looked at first, broken off."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.jobs.spool import spool_of
from app.kernel.caller import Role
from app.kernel.leaf import leaf_of
from app.portability.kind import Selection
from app.portability.kinds import BY_NAME
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.portability.foreign.reading import EXPORTS, became
from tests.portability.test_routes import Finish, finish

__all__ = ["finish"]
MAPPING = EXPORTS / "diary.mapping.json"
# The file, its media type where it comes as it is, and the format where the content tells none.
FILES = [
    ("mem0.json", "application/json", None),
    ("mem0-points.jsonl", "", None),
    ("mem0-points.jsonl", "application/x-ndjson", "mem0"),
    ("graphiti.json", "application/json", None),
    ("zep.json", "", None),
    ("letta.af", "", None),
    ("langgraph.json", "application/json", None),
    ("cogx", "application/zip", "cogx"),
    ("okf", "application/zip", "okf"),
    ("messages.jsonl", "", None),
    ("chatgpt.json", "", None),
    ("claude.json", "application/json", None),
    ("chatgpt-parts", "application/zip", "chatgpt"),
    ("claude-export", "application/zip", "claude"),
    ("table.csv", "text/csv", None),
    ("diary.jsonl", "", "jsonl"),
]


def packed(folder: Path) -> bytes:
    """A folder as an archive, with its folders."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                out.write(path, str(path.relative_to(folder.parent)))
    return made.getvalue()


async def sent(who: Principal, name: str, media: str, **query: Any) -> httpx.Response:
    """The file as a request: its bytes as they are, or in a form."""
    path = EXPORTS / name
    body = packed(path) if path.is_dir() else path.read_bytes()
    asked = {key: value for key, value in query.items() if value is not None}
    if media:
        headers = {"content-type": media}
        return await who.http.post("/v1/imports", params=asked, content=body, headers=headers)
    files = {"file": (name, body, "application/octet-stream")}
    return await who.http.post("/v1/imports", params=asked, files=files)


async def test_a_folder_of_more_than_a_thousand_files_comes_over_http(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        for number in range(1_100):
            out.writestr(f"bundle/{number}.md", f"---\ntype: Note\n---\n\nHive {number}.\n")
    asked = {"scope": f"{tenant}/dev", "format": "okf", "dry_run": "true"}
    headers = {"content-type": "application/zip"}
    answer = await admin.http.post(
        "/v1/imports", params=asked, content=made.getvalue(), headers=headers
    )
    job = await finish(admin, answer)
    assert job["state"] == "done", job
    assert job["result"]["kinds"]["page"]["accepted"] == 1_100


@pytest.mark.parametrize(("name", "media", "form"), FILES)
async def test_every_format_comes_over_http(
    admin: Principal, finish: Finish, tenant: str, name: str, media: str, form: str | None
) -> None:
    mapped = MAPPING.read_text() if form == "jsonl" else None
    how = {"scope": f"{tenant}/dev", "format": form, "mapping": mapped}
    lines, told = became(EXPORTS / name, form, MAPPING if mapped else None)
    wanted = {kind: len(records) for kind, records in lines.items()}
    look = await finish(admin, await sent(admin, name, media, **how, dry_run="true"))
    assert (look["state"], look["result"]["dry_run"]) == ("done", True), look
    assert (look["result"]["format"], look["result"]["lost"]) == (told["format"], told["lost"])
    seen = {kind: tally["accepted"] for kind, tally in look["result"]["kinds"].items()}
    refused = {kind: tally["rejected"] for kind, tally in look["result"]["kinds"].items()}
    assert {kind: seen[kind] + refused[kind] for kind in seen} == wanted
    assert sum(seen.values()) > 1
    assert (await admin.http.get("/v1/episodes")).json()["items"] == [], "nothing is written"
    done = await finish(admin, await sent(admin, name, media, **how))
    assert done["state"] == "done", done
    kinds = done["result"]["kinds"]
    assert {k: v["accepted"] + v["duplicates"] for k, v in kinds.items()} == seen
    assert {k: v["rejected"] for k, v in kinds.items()} == refused
    assert [item["line"] for item in done["items"]] == [
        item["line"] for item in look["result"]["rejects"]
    ]
    again = await finish(admin, await sent(admin, name, media, **how))
    assert {v["accepted"] for v in again["result"]["kinds"].values()} == {0}


@pytest.mark.parametrize(
    ("query", "media", "body", "status", "field"),
    [
        ({"format": "odd"}, "application/json", b'[{"memory": "x"}]', 422, "format"),
        ({}, "application/json", b'[{"surprise": "x"}]', 422, "path"),
        ({"format": "mem0", "scope": ""}, "application/json", b'[{"memory": "x"}]', 422, "scope"),
        ({"scope": "No Scope"}, "application/json", b'[{"memory": "x"}]', 422, "scope"),
        ({"scope": "elsewhere/dev"}, "application/json", b'[{"memory": "x"}]', 404, "scope"),
        ({"mapping": "{"}, "text/csv", b"a,b\n1,2\n", 422, "mapping"),
        ({"mapping": '{"content": "a", "odd": "b"}'}, "text/csv", b"a,b\n1,2\n", 422, "mapping"),
        ({"mapping": '{"id": "a"}'}, "text/csv", b"a,b\n1,2\n", 422, "mapping"),
        ({"dry_run": "perhaps"}, "application/json", b'[{"memory": "x"}]', 422, "dry_run"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_field(
    opened: Parts, admin: Principal, tenant: str, query: dict[str, str], media: str, body: bytes,
    status: int, field: str,
) -> None:  # fmt: skip
    asked = {"scope": tenant, **query}
    asked = {name: value for name, value in asked.items() if value}
    before = set(spool_of(opened.settings).folder.glob("*"))
    answer = await admin.http.post(
        "/v1/imports", params=asked, content=body, headers={"content-type": media}
    )
    assert answer.status_code == status, answer.text
    assert answer.json()["errors"][0]["field"] == field, answer.text
    assert set(spool_of(opened.settings).folder.glob("*")) == before, "no file is left"


async def test_only_an_admin_of_the_scope_imports(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    lead = await principal(f"{tenant}/ops", role=Role.ADMIN, name="lead", kind="user")
    where = {"scope": f"{tenant}/dev"}
    for who, status in ((writer, 403), (lead, 404)):
        answer = await sent(who, "mem0.json", "application/json", **where)
        assert answer.status_code == status, answer.text


async def test_a_dry_run_refuses_what_the_import_would(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    record = {"session": "s", "role": "user", "content": "A word."}
    lines = [record | {"scope": f"{tenant}/dev"}, record | {"scope": "elsewhere/dev"}, {}]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    look, done = [
        await finish(
            admin,
            await admin.http.post(
                "/v1/imports",
                params={"dry_run": dry},
                content=body,
                headers={"content-type": "application/x-ndjson"},
            ),
        )
        for dry in ("true", "false")
    ]
    assert look["result"]["kinds"] == {"episode": {"accepted": 1, "duplicates": 0, "rejected": 2}}
    assert done["result"]["kinds"]["episode"]["rejected"] == 2
    assert sorted(row["line"] for row in look["result"]["rejects"]) == [2, 3]


async def test_a_later_export_and_users_over_http(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    async def told(items: list[dict[str, str]], **how: str) -> dict[str, Any]:
        asked = {"scope": f"{tenant}/dev", **how}
        answer = await admin.http.post("/v1/imports", params=asked, json=items)
        return await finish(admin, answer)

    first = {"id": "a", "memory": "Adalinde rows.", "user_id": "adalinde"}
    other = {"id": "b", "memory": "Bolko rows.", "user_id": "bolko"}
    result = (await told([first, other]))["result"]
    assert (result["users"], result["kinds"]["episode"]["accepted"]) == (2, 2)
    later = [{**first, "memory": "Adalinde sails.", "updated_at": "2125-06-01T00:00:00Z"},
             {**other, "memory": "Bolko sails."}]  # fmt: skip
    look = await told(later, dry_run="true")
    wanted = {"accepted": 0, "duplicates": 0, "rejected": 0, "updated": 1, "changed": 1}
    assert look["result"]["kinds"]["episode"] == wanted
    done = await told(later)
    assert done["result"]["kinds"]["episode"] == wanted
    assert [(row["line"], row["reason"]) for row in done["items"]] == [(2, "Changed")]

    assert (await told([first, other], users="true"))["result"]["apart"] is True
    asked = {"scope": f"{tenant}/dev/user:bolko"}
    (own,) = (await admin.http.get("/v1/episodes", params=asked)).json()["items"]
    assert own["untrusted"]["content"] == "Bolko rows."
    leaf = {"scope": f"{tenant}/dev/user:bolko", "users": "true"}
    refused = await admin.http.post("/v1/imports", params=leaf, json=[first])
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "users")


async def test_users_are_kept_apart_or_it_is_refused_over_http(
    admin: Principal, finish: Finish, tenant: str
) -> None:
    """Of any format: nobody's memories go to others without a word."""
    asked = {"scope": f"{tenant}/dev", "users": "true"}
    items = [{"uuid": n, "fact": f"{n} rows.", "group_id": n} for n in ("Ada", "bolko", "x@y.org")]
    answer = await admin.http.post("/v1/imports", params=asked, json=items)
    result = (await finish(admin, answer))["result"]
    assert (result["apart"], result["users"], result["kinds"]["note"]["accepted"]) == (True, 3, 3)
    listed = (await admin.http.get("/v1/scopes")).json()["items"]
    names = {one["scope"].rpartition("/user:")[2]: one["name"] for one in listed}
    assert names[leaf_of("Ada")] == "Ada"
    for user in ("Ada", "bolko", "x@y.org"):
        where = {"scope": f"{tenant}/dev/user:{leaf_of(user)}"}
        (note,) = (await admin.http.get("/v1/notes", params=where)).json()["items"]
        assert note["untrusted"]["content"].endswith("rows.")
    for name in ("letta.af", "chatgpt.json"):
        refused = await sent(admin, name, "", **asked)
        assert refused.status_code == 422, refused.text
        assert refused.json()["errors"][0]["field"] == "users"
    for form in ("okf", "letta"):
        refused = await sent(admin, "okf", "application/zip", **asked, format=form)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "users")
    lines = b'{"session": "s", "role": "user", "content": "A word."}'
    media = {"content-type": "application/x-ndjson"}
    refused = await admin.http.post("/v1/imports", params=asked, content=lines, headers=media)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "users")
    nobody = [{"uuid": "f", "fact": "Somebody rows."}]
    for dry in ("true", "false"):
        how = {**asked, "dry_run": dry}
        job = await finish(admin, await admin.http.post("/v1/imports", params=how, json=nobody))
        assert job["state"] == "dead"
        assert "graphiti names a user by group_id" in job["error"]
    notes = (await admin.http.get("/v1/notes", params={"scope": f"{tenant}/dev"})).json()["items"]
    assert all("Somebody" not in note["untrusted"]["content"] for note in notes)


COUNT = 1500


async def content_digest(opened: Parts, tenant: str) -> str:
    """A digest over all episodes as they are exported, but for what names the tenant."""
    lines = []
    kind = BY_NAME["episode"]
    async for record in kind.export(opened.graph, Selection([f"{tenant}/dev"])):
        record.get("provenance", {}).pop("id", None)
        record.pop("id", None)
        record.pop("stats", None)
        lines.append(json.dumps(kind.counted(record), sort_keys=True, default=str))
    text = "\n".join(sorted(lines)).replace(f"{tenant}/", "TENANT/").replace(f":{tenant}:", ":T:")
    assert len(lines) == COUNT - 1
    return hashlib.sha256(text.encode()).hexdigest()


async def test_an_import_that_was_broken_off_goes_on_to_the_same(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    memories: list[dict[str, Any]] = [
        {"id": f"m{n}", "memory": f"The mill wheel turned {n} times.", "user_id": f"miller{n % 9}"}
        for n in range(COUNT)
    ]
    memories[7]["memory"] = 7
    body = json.dumps(memories).encode()
    headers = {"content-type": "application/json"}
    other = await principal(f"{tenant}z", role=Role.ADMIN, name="admin", kind="user")
    jobs = []
    for who, place in ((admin, tenant), (other, f"{tenant}z")):
        answer = await who.http.post(
            "/v1/imports", params={"scope": f"{place}/dev"}, content=body, headers=headers
        )
        assert answer.status_code == 202, answer.text
        jobs.append(answer.json()["id"])
    moment = (await admin.http.get(f"/v1/jobs/{jobs[0]}")).json()["created_at"]
    await opened.graph.raw(
        "UNWIND $ids AS id MATCH (j:Job {id: id}) SET j.created_at = datetime($at)",
        ids=jobs,
        at=moment,
    )
    breaks = 0
    for least in (1, 400, 900):
        running = asyncio.create_task(opened.runner.run(opened, jobs[0]))
        async with asyncio.timeout(120):
            while not running.done() and await stored(opened, tenant) < least:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        breaks += running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert breaks, "it was broken off at least once"
    for who, job in ((admin, jobs[0]), (other, jobs[1])):
        await opened.runner.run(opened, job)
        told = (await who.http.get(f"/v1/jobs/{job}")).json()
        assert told["state"] == "done", told
        tally = told["result"]["kinds"]["episode"]
        assert tally["accepted"] + tally["duplicates"] == COUNT - 1
        assert [(row["file"], row["line"], row["field"]) for row in told["items"]] == [
            ("upload.json", 8, "memory")
        ]
    assert await content_digest(opened, tenant) == await content_digest(opened, f"{tenant}z")


async def stored(opened: Parts, tenant: str) -> int:
    """How many episodes a tenant has."""
    (row,) = await opened.graph.raw(
        "RETURN COUNT { (:Episode {tenant: $tenant}) } AS there", tenant=tenant
    )
    return int(row["there"])
