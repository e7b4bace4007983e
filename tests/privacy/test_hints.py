"""A hint that something is said in the place of an earlier memory: seen, labelled, ends nothing."""

from __future__ import annotations

from typing import Any

import pytest

from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pools.test_packages import allow, erase

URL = "/v1/episodes"
OLD = "The archive of the choir is kept by Ilvy in the vestry."
NEW = "The archive of the choir is kept in the town hall these days."


async def captured(who: Principal, text: str, **more: Any) -> dict[str, Any]:
    answer = await who.http.post(URL, json={"content": text, "session": "choir", **more})
    assert answer.status_code == 201, answer.text
    receipt: dict[str, Any] = answer.json()
    return receipt


async def found(who: Principal, **more: Any) -> list[dict[str, Any]]:
    body = {"query": "archive of the choir", "mode": "keyword", "kinds": ["episode"], **more}
    answer = await who.http.post("/v1/search", json=body)
    assert answer.status_code in (200, 201), answer.text
    hits: list[dict[str, Any]] = answer.json()["hits"]
    return hits


async def test_the_older_text_stands_below_the_newer_and_says_so(
    principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="ilvy-a")
    old = await captured(who, OLD, captured_at="2026-01-05T10:00:00Z")
    new = await captured(
        who, NEW, supersedes=old["id"], captured_at="2026-03-05T10:00:00Z", session="later"
    )
    assert new["supersedes"] == old["id"]
    hits = await found(who)
    assert [hit["id"] for hit in hits] == [new["id"], old["id"]]
    assert [hit["superseded_by"] for hit in hits] == [[], [new["id"]]]
    bundle = (
        await who.http.post(
            "/v1/search",
            json={"query": "archive of the choir", "mode": "keyword", "form": "bundle"},
        )
    ).json()["bundle"]
    assert f'superseded-by="{new["id"]}"' in bundle
    shown = (await who.http.get(f"{URL}/{old['id']}")).json()
    assert (shown["superseded_by"], shown["supersedes"]) == ([new["id"]], None)
    assert shown["untrusted"]["content"] == OLD  # nothing is ended or changed
    before = await found(who, as_of="2026-02-01T00:00:00Z")
    assert [(hit["id"], hit["superseded_by"]) for hit in before] == [(old["id"], [])]


async def test_of_three_the_oldest_comes_last(principal: MakePrincipal, tenant: str) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="ilvy-b")
    ids: list[str] = []
    for day, text in enumerate((OLD, NEW, "The archive of the choir burnt down."), start=1):
        more = {"supersedes": ids[-1]} if ids else {}
        at = f"2026-02-0{day}T10:00:00Z"
        ids.append((await captured(who, text, captured_at=at, session=f"d{day}", **more))["id"])
    assert [hit["id"] for hit in await found(who)] == ids[::-1]


async def test_what_is_missing_foreign_or_read_only_gives_one_answer(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/a", name="ilvy-c")
    stranger = await principal(f"{tenant}/b", name="ilvy-d")
    reader = await principal(f"{tenant}/a", role=Role.READER, name="ilvy-e")
    foreign = await captured(stranger, OLD)
    answers = []
    for named in ("nothing-of-this-name", foreign["id"]):
        body = {"content": NEW, "session": "s", "supersedes": named}
        answer = await who.http.post(URL, json=body)
        told = answer.json()
        answers.append((answer.status_code, told["code"], told["errors"][0]["field"]))
        assert named in told["detail"]
    assert answers == [(404, "NotFound", "supersedes")] * 2
    listed = (await who.http.get(URL)).json()["items"]
    assert listed == []
    assert (await reader.http.get(URL)).json()["items"] == []


async def test_a_repeat_drops_the_hint_and_a_lower_word_does_not_count(
    principal: MakePrincipal, tenant: str
) -> None:
    user = await principal(f"{tenant}/dev", kind="user", name="ilvy-f")
    agent = await principal(f"{tenant}/dev", name="ilvy-g")
    old = await captured(user, OLD)
    lower = await captured(agent, NEW, role="assistant", supersedes=old["id"])
    assert lower["supersedes"] is None
    again = await user.http.post(
        URL, json={"content": OLD, "session": "choir", "supersedes": lower["id"]}
    )
    assert (again.status_code, again.json()["supersedes"]) == (200, None)
    shown = (await user.http.get(f"{URL}/{old['id']}")).json()
    assert (shown["supersedes"], shown["superseded_by"]) == (None, [])


async def test_a_hint_makes_a_possible_change_and_ends_no_fact(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(f"{tenant}/dev", kind="user", name="ilvy-h", role=Role.CURATOR)
    old = await captured(who, "Ravenna Osk works at Tidewater.", captured_at="2026-01-05T10:00:00Z")
    await opened.consolidation.consolidate(f"{tenant}/dev")
    (fact,) = (await who.http.get("/v1/facts")).json()["items"]
    assert fact["possible_changes"] == []
    new = await captured(
        who, "The desk by the window is free.",
        captured_at="2026-03-05T10:00:00Z", supersedes=old["id"], session="elsewhere",
    )  # fmt: skip
    await opened.consolidation.consolidate(f"{tenant}/dev")
    shown = (await who.http.get(f"/v1/facts/{fact['id']}")).json()
    assert shown["intervals"][0]["valid_to"] is None
    assert [one["passage"] for one in shown["possible_changes"]] == [new["id"]]
    before = {"as_of": "2026-02-01T00:00:00Z"}
    earlier = (await who.http.get(f"/v1/facts/{fact['id']}", params=before)).json()
    assert earlier["possible_changes"] == []
    waiting = (await who.http.get("/v1/quarantine/texts")).json()["items"]
    assert [one["id"] for one in waiting] == [fact["id"]]
    decided = await who.http.post(
        f"/v1/quarantine/{new['id']}/change", json={"older": fact["id"], "verdict": "both"}
    )
    assert decided.status_code in (200, 201), decided.text
    shown = (await who.http.get(f"/v1/facts/{fact['id']}")).json()
    assert shown["possible_changes"] == []


async def test_erasing_what_was_said_later_leaves_nothing_of_the_hint(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(tenant, kind="user", name="ilvy-i", role=Role.ADMIN)
    await allow(who, tenant)
    old = await captured(who, OLD)
    new = await captured(who, NEW, supersedes=old["id"], session="later")
    newer = await captured(who, f"{NEW} Really.", supersedes=new["id"], session="last")
    await erase(opened, who, memory=new["id"])
    row = await opened.graph.raw(
        "MATCH (e:Episode {id: $id}) RETURN e.supersedes AS named", id=newer["id"]
    )
    assert row[0]["named"] is None
    shown = (await who.http.get(f"{URL}/{old['id']}")).json()
    assert shown["superseded_by"] == []


@pytest.mark.parametrize("bad", ["", 7, "x" * 300])
async def test_a_bad_hint_names_the_field(writer: Principal, bad: Any) -> None:
    body = {"content": NEW, "session": "s", "supersedes": bad}
    answer = await writer.http.post(URL, json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "supersedes"


async def test_who_does_not_see_the_newer_text_sees_no_hint(
    principal: MakePrincipal, tenant: str
) -> None:
    near = await principal(f"{tenant}/a", kind="user", name="ilvy-k")
    await principal(f"{tenant}/b", kind="user", name="ilvy-l")
    wide = await principal(tenant, kind="user", name="ilvy-m", subtree=True)
    old = await captured(near, OLD)
    new = await captured(wide, NEW, supersedes=old["id"], scope=f"{tenant}/b")
    assert new["supersedes"] == old["id"]
    told = []
    for who in (near, wide):
        shown = (await who.http.get(f"{URL}/{old['id']}")).json()
        hits = {hit["id"]: hit["superseded_by"] for hit in await found(who)}
        told.append((shown["superseded_by"], hits[old["id"]]))
    assert told == [([], []), ([new["id"]], [new["id"]])]
