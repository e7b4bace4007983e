"""Pages of days: extracts of what was said, the same for the same texts, gone with an erasure."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.snapshots.days import SHOWN, Said, bounds, chosen, rendered_day
from app.snapshots.diary import DiaryService
from app.wiring import Parts
from tests.autonomy.conftest import make, told
from tests.conftest import MakePrincipal, Principal
from tests.conversations.conftest import append, clear, judge, message
from tests.lifecycle.conftest import checked, strings_of
from tests.pools.test_packages import allow, erase

URL = "/v1/snapshots/days"
DAY = date(2026, 3, 2)
TEXTS = (
    "The new pump arrives at pier seven on Friday. Thanks!",
    "ok",
    "Pier seven is closed until the new pump is fitted.",
    "Where does the crane stand?",
    "The crane stands in yard four and waits for the pump. Good luck!",
    "The new pump arrives on Friday at pier seven.",
)


def said(*texts: str, speaker: str = "Mia") -> list[Said]:
    """Texts of a day, a minute apart."""
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return [Said(start + timedelta(minutes=n), speaker, "s", t) for n, t in enumerate(texts)]


def test_a_page_is_made_of_its_sentences() -> None:
    page = rendered_day("acme/dev", DAY, said(*TEXTS))
    assert page == (
        "# 2026-03-02 in acme/dev\n\n6 texts in 1 session.\n\n"
        "- 09:00 Mia: The new pump arrives at pier seven on Friday.\n"
        "- 09:02 Mia: Pier seven is closed until the new pump is fitted.\n"
        "- 09:04 Mia: The crane stands in yard four and waits for the pump.\n"
    )


def test_the_order_in_which_texts_come_does_not_show() -> None:
    texts = said(*TEXTS, *(f"Barrel {n} stands in yard {n} behind the crane." for n in range(40)))
    page = rendered_day("acme/dev", DAY, texts)
    for seed in range(5):
        shuffled = texts[:]
        random.Random(seed).shuffle(shuffled)
        assert rendered_day("acme/dev", DAY, shuffled) == page
    assert len(chosen(texts)) <= SHOWN


@pytest.mark.parametrize("texts", [(), ("ok", "danke"), ("?" * 90,), ("x" * 5000,)])
def test_of_nothing_there_is_nothing_to_tell(texts: tuple[str, ...]) -> None:
    assert rendered_day("acme/dev", DAY, said(*texts)).endswith("Nothing of it states anything.\n")


def test_a_text_begins_no_heading() -> None:
    page = rendered_day(
        "a/b", DAY, said("It says\n# of the pump that it is red.", speaker="M\n# x")
    )
    assert [line for line in page.splitlines() if line.startswith("#")] == ["# 2026-03-02 in a/b"]


def test_a_day_is_one_of_utc() -> None:
    assert bounds(DAY) == (
        datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC),
    )  # fmt: skip


async def tell(who: Principal, day: date, *texts: str) -> list[str]:
    """Capture texts of a day; their ids."""
    start = datetime.combine(day, datetime.min.time(), UTC) + timedelta(hours=9)
    ids = []
    for n, text in enumerate(texts):
        at = (start + timedelta(minutes=n)).isoformat()
        done = await make(who, "episodes", content=text, session="day", captured_at=at)
        ids.append(done["id"])
    return ids


async def pages(who: Principal, **query: Any) -> list[Any]:
    """The pages that are listed."""
    items: list[Any] = (await told(await who.http.get(URL, params=query)))["items"]
    return items


async def test_a_page_is_stored_where_it_differs(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    await tell(writer, DAY, *TEXTS)
    body: dict[str, Any] = {"day": str(DAY)}
    dry = await make(curator, "snapshots/days", status=200, **body)
    assert (dry["changed"], dry["version"], await pages(writer)) == (True, 1, [])
    done = await asyncio.gather(*(opened.diary.make(scope, DAY) for _ in range(3)))
    assert sum(changed for _, changed in done) == 1
    (first,) = await pages(writer, day=str(DAY))
    assert (first["day"], first["version"]) == ("2026-03-02", 1)
    assert "The new pump arrives at pier seven" in first["untrusted"]["markdown"]
    again = await make(curator, "snapshots/days", status=200, dry_run=False, **body)
    assert (again["changed"], again["version"]) == (False, 1)
    assert await pages(writer) == [first], "no change, no new version"
    await tell(writer, DAY, "The pump of pier seven was paid by Gesine Poll in cash.")
    again = await make(curator, "snapshots/days", status=200, dry_run=False, **body)
    assert (again["changed"], again["version"]) == (True, 2)
    (second,) = await pages(writer)
    assert "Gesine Poll" in second["untrusted"]["markdown"]
    empty = await make(curator, "snapshots/days", status=200, dry_run=False, day="2026-03-09")
    assert (empty["changed"], empty["version"]) == (False, None)


async def test_the_schedule_makes_the_last_days(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope, today = f"{tenant}/dev", now().date()
    yesterday = today - timedelta(days=1)
    ids = await tell(writer, yesterday, *TEXTS[:3])
    await tell(writer, today - timedelta(days=2), *TEXTS[4:])
    await tell(writer, today - timedelta(days=30), *TEXTS)
    dry = await opened.diary.make_all([scope], dry_run=True)
    assert (dry["changed"], await pages(writer)) == (2, [])
    job = await opened.runner.submit("snapshots.days", tenant=tenant, scope=scope, args={})
    assert await opened.runner.run(opened, job.id) == "done"
    found = [page["day"] for page in await pages(writer)]
    assert found == [str(yesterday), str(today - timedelta(days=2))]
    first = await told(await writer.http.get(URL, params={"limit": 1}))
    assert first["next"] == str(yesterday)
    rest = await pages(writer, before=first["next"])
    assert [page["day"] for page in rest] == found[1:]
    for one in ids:
        answer = await writer.http.post(f"/v1/memories/{one}/forget", json={})
        assert answer.status_code in (200, 204), answer.text
    assert (await opened.diary.make_all([scope]))["changed"] == 1
    assert [page["day"] for page in await pages(writer)] == found[1:], "nothing of it is left"


async def test_an_erasure_takes_the_pages_and_nobody_else_sees_them(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await allow(admin, tenant)
    scope, word = f"{tenant}/dev", f"kiln{tenant.replace('-', 'x')}"
    (episode,) = await tell(writer, DAY, f"The {word} of the yard is hot and heavy.")
    await opened.diary.make(scope, DAY)
    assert word in (await pages(writer))[0]["untrusted"]["markdown"]
    other = await principal(f"{tenant}/ops", name="other")
    assert (await other.http.get(URL, params={"scope": scope})).status_code == 404
    refused = await other.http.post(URL, json={"day": str(DAY), "scope": scope})
    assert refused.status_code in (403, 404)
    receipt = await erase(opened, admin, memory=episode)
    assert await strings_of(opened, word) == []
    assert await pages(writer) == []
    assert (await checked(opened, admin, receipt, word))["clean"]


async def test_what_is_forgotten_leaves_the_page_of_its_day_however_old(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope, old = f"{tenant}/dev", now().date() - timedelta(days=400)
    gone, kept = await tell(writer, old, TEXTS[0], TEXTS[2])
    await tell(writer, old - timedelta(days=1), TEXTS[4])
    for day in (old, old - timedelta(days=1)):
        await opened.diary.make(scope, day)
    first, other = await pages(writer)
    answer = await writer.http.post(f"/v1/memories/{gone}/forget", json={})
    assert answer.status_code in (200, 204), answer.text
    assert await pages(writer) == [other], "it is shown to nobody from then on"
    place = f"{scope} {old}"
    dry = (await opened.diary.make_due(dry_run=True))["places"]
    assert [one for one in dry if one.startswith(scope)] == [place]
    job = await opened.runner.submit("snapshots.due_days", tenant=tenant, scope=scope, args={})
    assert await opened.runner.run(opened, job.id) == "done"
    again, same = await pages(writer)
    assert same == other, "the page of another day is left alone"
    assert (again["day"], again["version"]) == (first["day"], 2)
    assert "arrives" not in again["untrusted"]["markdown"]
    assert "is closed" in again["untrusted"]["markdown"]
    answer = await writer.http.post(f"/v1/memories/{gone}/unforget", json={})
    assert answer.status_code in (200, 204), answer.text
    await opened.diary.make_due()
    back = (await pages(writer))[0]["untrusted"]["markdown"]
    assert back == first["untrusted"]["markdown"]
    for each in (gone, kept):
        await writer.http.post(f"/v1/memories/{each}/forget", json={})
    await opened.diary.make_due()
    assert await pages(writer) == [other], "nothing of that day is left"


async def test_after_an_erasure_the_page_of_an_old_day_tells_of_what_is_left(
    opened: Parts, admin: Principal, writer: Principal, tenant: str
) -> None:
    await allow(admin, tenant)
    scope, old = f"{tenant}/dev", now().date() - timedelta(days=400)
    gone, _ = await tell(writer, old, TEXTS[0], TEXTS[2])
    await opened.diary.make(scope, old)
    await erase(opened, admin, memory=gone)
    assert await pages(writer) == []
    rows = await opened.graph.raw(
        "MATCH (n:DayPage {scope: $s}) RETURN n.text AS text, n.day AS day", s=scope
    )
    assert rows == [{"text": "", "day": str(old)}], "not a word stays until then"
    await opened.diary.make_due()
    (page,) = await pages(writer)
    assert "arrives" not in page["untrusted"]["markdown"]
    assert "is closed" in page["untrusted"]["markdown"]
    again = await opened.diary.make_due()
    assert not [one for one in again["places"] if one.startswith(scope)]


async def test_what_is_forgotten_while_a_page_is_made_first_leaves_it(
    opened: Parts, writer: Principal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = f"{tenant}/dev"
    gone, _ = await tell(writer, DAY, TEXTS[0], TEXTS[2])
    url = f"/v1/memories/{gone}/forget"
    forgetting = meanwhile(monkeypatch, lambda: writer.http.post(url, json={}))
    await opened.diary.make(scope, DAY)
    answer = await forgetting[0]
    assert answer.status_code in (200, 204), answer.text
    assert await pages(writer) == [], "it is shown to nobody"
    await opened.diary.make_due()
    (page,) = await pages(writer)
    assert "arrives" not in page["untrusted"]["markdown"]
    assert "is closed" in page["untrusted"]["markdown"]


def meanwhile(
    monkeypatch: pytest.MonkeyPatch, begin: Callable[[], Coroutine[Any, Any, Any]]
) -> list[asyncio.Task[Any]]:
    """Have something begun once the texts of a page are read, which is stored a second later; the
    task of that."""
    made, begun = DiaryService._made, []

    async def slow(self: DiaryService, *given: Any) -> Any:
        page = await made(self, *given)
        if not begun:
            begun.append(asyncio.create_task(begin()))
            await asyncio.wait(begun, timeout=1.0)
        return page

    monkeypatch.setattr(DiaryService, "_made", slow)
    return begun


@pytest.mark.parametrize("first", [True, False])
async def test_what_is_discarded_leaves_the_page_of_its_day(
    opened: Parts, writer: Principal, tenant: str, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    old = datetime.combine(now().date() - timedelta(days=40), datetime.min.time(), UTC)
    said = ["The crane stands in yard 4.", "ok", "danke dir"]
    await append(writer, "talk", *(message(text, at=old.isoformat()) for text in said))
    await clear(writer, "talk")
    (own,) = await opened.graph.raw(
        "MATCH (m:ConversationMessage {tenant: $tenant}) RETURN DISTINCT m.scope AS scope",
        tenant=tenant,
    )
    scope = own["scope"]
    judging = meanwhile(monkeypatch, lambda: judge(opened, writer)) if first else []
    await opened.diary.make(scope, old.date())
    await (judging[0] if first else judge(opened, writer))
    assert await pages(writer, scope=scope) == [], "it is shown to nobody until it is made anew"
    await opened.diary.make_due()
    (page,) = await pages(writer, scope=scope)
    assert "\n1 text in 1 session.\n" in page["untrusted"]["markdown"]


async def test_what_is_not_trusted_any_more_leaves_the_page_of_its_day(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    doubtful, _ = await tell(writer, DAY, TEXTS[0], TEXTS[2])
    await opened.diary.make(scope, DAY)
    (before,) = await pages(writer)

    async def judged(flags: list[str]) -> None:
        rows = await opened.graph.raw(
            "MATCH (e:Passage {id: $id}) RETURN e.id AS id, e.context_terms AS context_terms, "
            "e.windows AS windows, e.judged_by AS judged_by, e.judged_hash AS judged_hash, "
            "e.index_rev AS rev",
            id=doubtful,
        )
        await opened.graph.rows(Q.indexing.store_entries, rows=[{**rows[0], "flags": flags}])

    await judged([])
    assert await pages(writer) == [before], "nothing has changed"
    await judged(["suspect"])
    assert await pages(writer) == []
    await opened.diary.make_due()
    (page,) = await pages(writer)
    assert "arrives" not in page["untrusted"]["markdown"]
    await judged([])
    await opened.diary.make_due()
    assert (await pages(writer))[0]["untrusted"] == before["untrusted"]


async def test_bad_input_names_its_field(writer: Principal, admin: Principal) -> None:
    answer = await writer.http.get(URL, params={"day": "March"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "day")
    answer = await admin.http.post(URL, json={"day": "March"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "day")
