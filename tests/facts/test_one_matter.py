"""Later texts that tell of a change in other words: by what they state, which ends nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from app.embeddings.calibration import E5_SMALL, Kinds
from app.embeddings.e5 import E5Model
from app.embeddings.model import Role as Read
from app.facts.later import changing, held_words, read
from app.facts.one_matter import NEAR, Stated, changed_by, telling
from app.kernel.caller import Role
from app.kernel.graph import query_log
from app.search.model import Filters, SearchRequest
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import START, Said, query, take_in
from tests.facts.spoken import spoken

Drain = Callable[[], Awaitable[int]]
OPENS = Said(0, "The clinic opens at eight.", session="a")
STARTS = Said(30, "Surgery hours start at nine from Monday.", session="a")
ASKED = "When does the clinic open, surgery hours?"
ELSEWHERE = Said(30, STARTS.text, session="b")

RELATED = [
    ("en", None, OPENS.text, STARTS.text),
    ("en", "Nora Whitfield", "Nora Whitfield drinks espresso.", "I quit coffee."),
    ("en", None, "Ilse lives in Bremen.", "Ilse has moved to a flat in Oldenburg."),
    ("de", None, "Die Praxis öffnet um acht.", "Die Sprechstunde beginnt jetzt um neun."),
    ("de", None, "Jonas fährt mit dem Rad zur Arbeit.", "Jonas nimmt jetzt die Bahn ins Büro."),
]
UNRELATED = [
    ("en", None, OPENS.text, "The lift is broken again."),
    ("en", None, "Our choir rehearses in the parish hall.", "The invoice goes to Leeds now."),
    ("en", None, "The backups run on the old server.", "Karl switched to a new bank."),
    ("de", None, "Die Praxis öffnet um acht.", "Der Aufzug ist wieder kaputt."),
    ("de", None, "Opa nimmt Ramipril.", "Die Firma wechselt jetzt den Stromanbieter."),
]


def nearest(model: E5Model, language: str, speaker: str | None, old: str, new: str) -> float:
    """How likely the nearest statements of two texts are about one matter."""
    before = [sentence for sentence, _ in spoken(old, language)]
    after = [sentence for sentence, _ in spoken(new, language, speaker)]
    assert before, old
    assert after, new
    vectors = np.asarray([model.vector(one, Read.DOCUMENT) for one in [*before, *after]])
    cosines = vectors[: len(before)] @ vectors[len(before) :].T
    return E5_SMALL.similarity(float(cosines.max()), Kinds.MATTER, (language, language))


@pytest.mark.parametrize(("language", "speaker", "old", "new"), RELATED)
def test_what_is_about_one_matter_is_near(
    e5_model: E5Model, language: str, speaker: str | None, old: str, new: str
) -> None:
    assert telling(read(new, language, speaker or ""))
    assert nearest(e5_model, language, speaker, old, new) >= NEAR


@pytest.mark.parametrize(("language", "speaker", "old", "new"), UNRELATED)
def test_what_is_about_something_else_is_not(
    e5_model: E5Model, language: str, speaker: str | None, old: str, new: str
) -> None:
    assert telling(read(new, language, speaker or "")), "a word of change alone tells nothing"
    assert nearest(e5_model, language, speaker, old, new) < NEAR


def test_the_statement_stands_in_the_sentence_with_the_word_of_change() -> None:
    text = "Tea is fine. I quit coffee."
    pieces = telling(read(text, "en", ""))
    assert [text[p.start : p.end] for p in pieces] == ["I quit coffee."]
    assert changed_by(pieces, [Stated(0, 11, 0.99)]) is None
    assert changed_by(pieces, [Stated(15, 26, NEAR - 0.01)]) is None
    assert changed_by(pieces, [Stated(15, 26, NEAR)]) == (13, 27)


def test_a_text_about_more_than_one_thing_tells_nothing() -> None:
    assert telling(read("I quit coffee. " + "Tea is fine. " * 3, "en", ""))
    assert telling(read("I quit coffee. " + "Tea is fine. " * 4, "en", "")) == []


def test_what_is_dated_before_a_fact_began_is_known() -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    dated = Stated(0, 1, 1.0, over=day)
    assert dated.is_before(day)
    assert not dated.is_before(day.replace(year=2025))
    assert not dated.is_before(None)
    assert not Stated(0, 1, 1.0).is_before(day)


def test_its_words_alone_would_not_tell_it() -> None:
    ((sentence, one),) = spoken(OPENS.text, "en")
    held = held_words(one.subject.name, one.predicate, "eight", sentence)
    assert changing(held, read(STARTS.text, "en", "")) is None


async def draw_near(opened: Parts, scope: str, *, near: bool = True) -> None:
    """Give what the texts state one vector, or two that are far apart; the model that tests run
    with knows words alone."""
    await query(
        opened.graph,
        "MATCH (f:Fact {scope: $s}) WHERE f.statement CONTAINS 'opens' "
        "MATCH (n:Fact {scope: $s}) WHERE n.statement CONTAINS 'Surgery' AND f <> n "
        "SET n.embedding = CASE WHEN $near THEN f.embedding "
        "                       ELSE [x IN toFloatList(f.embedding) | -x] END",
        s=scope, near=near,
    )  # fmt: skip


async def fact(reader: Principal, **params: Any) -> dict[str, Any]:
    answer = await reader.http.get("/v1/facts", params=params)
    assert answer.status_code == 200, answer.text
    (found,) = (f for f in answer.json()["items"] if "opens" in f["untrusted"]["statement"])
    return dict(found)


async def told(reader: Principal, **params: Any) -> list[str]:
    return [
        one["untrusted"]["statement"] for one in (await fact(reader, **params))["possible_changes"]
    ]


@pytest.mark.parametrize("order", [[OPENS, STARTS], [STARTS, OPENS]])
async def test_it_is_told_in_whatever_order_they_came(
    opened: Parts, writer: Principal, drain: Drain, order: list[Said]
) -> None:
    await take_in(opened, {"one": writer.caller}, order, batch=1)
    assert await told(writer) == [], "nothing has a vector yet"
    await drain()
    await draw_near(opened, writer.caller.home)
    assert await told(writer) == [STARTS.text]
    assert (await fact(writer))["status"] == "active", "nothing ends"
    await draw_near(opened, writer.caller.home, near=False)
    assert await told(writer) == []


async def test_both_clocks_count(opened: Parts, writer: Principal, drain: Drain) -> None:
    await take_in(opened, {"one": writer.caller}, [OPENS])
    known = (await fact(writer))["intervals"][0]["recorded_at"]
    await take_in(opened, {"one": writer.caller}, [STARTS])
    await drain()
    await draw_near(opened, writer.caller.home)
    assert await told(writer) == [STARTS.text]
    assert await told(writer, as_of=START.replace(hour=20).isoformat()) == []
    assert await told(writer, known_at=known) == []


async def test_an_erased_text_is_told_no_more(
    opened: Parts, writer: Principal, admin: Principal, drain: Drain
) -> None:
    await take_in(opened, {"one": writer.caller}, [OPENS, STARTS])
    await drain()
    await draw_near(opened, writer.caller.home)
    (later,) = (await fact(writer))["possible_changes"]
    gone = await writer.http.post(f"/v1/memories/{later['passage']}/forget")
    assert gone.status_code < 300, gone.text
    assert await told(writer) == []


async def test_hits_of_one_search_tell_it_of_each_other(
    opened: Parts, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    """Of another session, by no word of the fact: the search has both at hand, and a curator may
    decide on what it tells."""
    curator = await principal(f"{tenant}/dev", role=Role.CURATOR, name="curator", kind="user")
    await take_in(opened, {"one": curator.caller}, [OPENS, ELSEWHERE])
    await drain()
    await draw_near(opened, curator.caller.home)
    assert await told(curator) == []
    request = SearchRequest(
        "When does the clinic open, surgery hours?", Filters([curator.caller.home])
    )
    asked: list[tuple[str, float]] = []
    token = query_log.set(asked)
    try:
        found = await opened.searches.search(request)
    finally:
        query_log.reset(token)
    assert [name for name, _ in asked].count("facts.stated_near") == 1
    (changed,) = (h for h in found.hits if h.memory["content"] == "The clinic opens at eight")
    ((newer,),) = (change.newer for change in changed.changes)
    assert newer.words == STARTS.text
    older = (await fact(curator))["id"]
    answer = await curator.http.post(
        f"/v1/quarantine/{newer.passage}/change", json={"older": older, "verdict": "both"}
    )
    assert answer.status_code == 200, answer.text
    again = await opened.searches.search(request)
    assert not any(hit.changes for hit in again.hits)


async def test_a_search_asks_nothing_where_no_text_speaks_of_a_change(
    opened: Parts, writer: Principal, drain: Drain
) -> None:
    plain = Said(30, "Surgery hours are at nine.", session="a")
    await take_in(opened, {"one": writer.caller}, [OPENS, plain])
    await drain()
    asked: list[tuple[str, float]] = []
    token = query_log.set(asked)
    try:
        await opened.searches.search(
            SearchRequest("When does the clinic open?", Filters([writer.caller.home]))
        )
    finally:
        query_log.reset(token)
    assert "facts.stated_near" not in [name for name, _ in asked]


async def test_a_text_of_another_scope_is_never_told(
    opened: Parts, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    one = await principal(f"{tenant}/one", name="one")
    two = await principal(f"{tenant}/two", name="two")
    both = await principal(tenant, name="all", role=Role.ADMIN)
    await take_in(opened, {"one": one.caller}, [OPENS])
    await take_in(opened, {"one": two.caller}, [ELSEWHERE])
    await drain()
    vector = (
        "MATCH (f:Fact) WHERE f.scope STARTS WITH $s SET f.embedding = [x IN range(1, 384) | 1.0]"
    )
    await query(opened.graph, vector, s=tenant)
    request = SearchRequest(
        "When does the clinic open, surgery hours?", Filters(both.caller.visible)
    )
    hits = (await opened.searches.search(request)).hits
    assert {hit.memory["scope"] for hit in hits} == {one.caller.home, two.caller.home}
    assert not any(hit.changes for hit in hits)
