"""A page's facts follow its text; mentions and likeness by what its passages hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from app.embeddings.calibration import calibration
from app.errors import Conflict, InvalidInput, NotFound
from app.jobs.lanes import Due, Lanes
from app.kernel.caller import Role
from app.kernel.graph import Row
from app.pages import due, passages
from app.pages.model import Change, Draft
from app.pages.neighbours import Own
from app.pages.passages import rows_of
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pages.conftest import Write, rows

Drain = Callable[[], Awaitable[int]]
LEADS = "Anna Weber leads the project Vega."
BASED = "Acme GmbH is based in Zurich."


async def held(opened: Parts, scope: str) -> set[str]:
    await opened.consolidation.consolidate(scope)
    found = await rows(
        opened,
        "MATCH (f:Fact {scope: $scope}) WHERE f.status = 'active' RETURN f.statement AS said",
        scope=scope,
    )
    return {row["said"] for row in found}


async def chunks(opened: Parts, page: str) -> dict[str, str]:
    found = await rows(
        opened,
        "MATCH (c:Chunk)-[:PART_OF]->(:Page {id: $id}) RETURN c.content AS text, c.id AS id",
        id=page,
    )
    return {row["text"]: row["id"] for row in found}


async def test_facts_follow_the_text_of_a_page(
    opened: Parts, writer: Principal, write: Write
) -> None:
    scope = writer.caller.home
    page = await write(writer, "Vega", f"# People\n\n{LEADS}\n\n# Places\n\n{BASED}\n")
    both = await held(opened, scope)
    assert any("Anna Weber" in said for said in both)
    assert any("Zurich" in said for said in both)
    await opened.pages.change(writer.caller, page.id, Change(content=f"# Places\n\n{BASED}\n"))
    left = await held(opened, scope)
    assert not any("Anna Weber" in said for said in left)
    assert any("Zurich" in said for said in left)
    await opened.pages.delete(writer.caller, page.id)
    assert await held(opened, scope) == set()
    assert await chunks(opened, page.id) == {}
    await opened.pages.restore(writer.caller, page.id)
    assert await held(opened, scope) == left


async def test_words_that_stay_keep_their_passage(
    opened: Parts, writer: Principal, write: Write
) -> None:
    long = "\n\n".join(f"# Part {n}\n\n" + f"Sentence {n} says a thing. " * 40 for n in range(4))
    page = await write(writer, "Long", f"---\ntags: [a]\n---\n{long}")
    before = await chunks(opened, page.id)
    changed = long.replace("Sentence 2", "Phrase 2")
    await opened.pages.change(writer.caller, page.id, Change(content=changed))
    after = await chunks(opened, page.id)
    same = {text for text in before if "Sentence 2" not in text and "Part 2" not in text}
    assert len(same) >= 4
    assert all(after[text] == before[text] for text in same)
    assert any("Phrase 2" in text for text in after)


async def test_whose_words_a_passage_is_stays_with_it(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Log", f"# One\n\n{LEADS * 30}\n\n# Two\n\n{BASED * 30}\n")
    row = (await opened.pages.read(writer.caller, page.id))["page"]
    stored = set((await chunks(opened, page.id)).values())
    mine = {r["chunk"]["id"] for r in rows_of({**row, "updated_by": "user:t:ann"}, stored)}
    assert mine == stored
    fresh = [r["chunk"] for r in rows_of({**row, "updated_by": "user:t:ann"}, set())]
    assert {c["role"] for c in fresh} == {"user"}
    assert {c["title"] for c in fresh} == {"Log"}


async def test_what_a_crash_leaves_is_cut_by_the_sweep(
    opened: Parts, writer: Principal, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*_: Any) -> None:
        raise ConnectionError("killed")

    monkeypatch.setattr(type(opened.page_passages), "bring", killed)
    with pytest.raises(ConnectionError):
        await write(writer, "Vega", LEADS)
    monkeypatch.undo()
    assert await opened.due_pages.waiting()
    await opened.due_pages.sweep()
    (row,) = await opened.page_reads.named([writer.caller.home], writer.caller.tenant, "Vega")
    assert list(await chunks(opened, row["id"])) == [LEADS]
    assert row["links"] is None


async def test_a_page_that_is_stored_is_not_refused_for_its_passages(
    opened: Parts, writer: Principal, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes a page that many write is told what became of the page."""
    page = await write(writer, "Vega", LEADS)
    monkeypatch.setattr(passages, "_TRIES", 0)
    with pytest.raises(Conflict):
        await opened.page_passages.bring(page.id, page.scope)
    answer = await writer.http.patch(f"/v1/pages/{page.id}", json={"content": "Anew."})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert list(await chunks(opened, page.id)) == [LEADS]
    monkeypatch.undo()
    await opened.due_pages.sweep()
    assert list(await chunks(opened, page.id)) == ["Anew."]


async def test_pages_written_together_are_linked_and_cut_by_the_sweep(
    opened: Parts, writer: Principal, write: Write
) -> None:
    waiting = await write(writer, "Waiting", "It links to [[Orion]] and to [[Nowhere]].")
    assert waiting.pending == ("Orion", "Nowhere")
    drafts = [
        Draft("It was seen from [[Lyra]], as [[Waiting]] says.", title="Orion"),
        Draft("[[Orion]] and a second one: [[Orion|the hunter]].", title="Lyra"),
    ]
    orion, lyra = await opened.pages.write_many(writer.caller, drafts, settle=False)
    assert (orion.links, lyra.links) == (0, 0)
    await opened.due_pages.sweep()
    counts = {
        receipt.id: (await opened.pages.read(writer.caller, receipt.id))
        for receipt in (waiting, orion, lyra)
    }
    assert [counts[r.id]["references"] for r in (waiting, orion, lyra)] == [1, 2, 1]
    assert [counts[r.id]["backlinks"] for r in (waiting, orion, lyra)] == [1, 2, 1]
    assert counts[waiting.id]["page"]["pending"] == ["Nowhere"]
    assert {counts[r.id]["page"]["passage_state"] for r in (waiting, orion, lyra)} == {"done"}
    assert list(await chunks(opened, orion.id)) == ["It was seen from Lyra, as Waiting says."]
    await opened.due_pages.sweep()  # and again: nothing waits
    assert list(await chunks(opened, orion.id)) == ["It was seen from Lyra, as Waiting says."]


async def test_a_tenant_with_many_pages_holds_up_no_other(
    opened: Parts, principal: MakePrincipal, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page of a second tenant waits for no more than a turn or two of the first one's."""
    monkeypatch.setattr(due, "_TAKEN", 10)
    neighbour = await principal(f"{writer.caller.tenant}-beside", role=Role.WRITER)
    many = [Draft(f"Star {n} is bright.", title=f"Star {n}") for n in range(60)]
    await opened.pages.write_many(writer.caller, many, settle=False)
    one = [Draft("A lone page.", title="Lone")]
    (lone,) = await opened.pages.write_many(neighbour.caller, one, settle=False)
    served: list[str] = []

    async def turn(one: Due) -> bool:
        served.append(one.tenant)
        return await opened.due_pages.turn(one) > 0

    await Lanes("pages", 1, opened.due_pages.due, turn).serve()
    mine, its = writer.caller.tenant, neighbour.caller.tenant
    assert served.count(mine) >= 6
    assert mine in served[served.index(its) + 1 :], "the lone page came before the end of the many"
    assert served[: served.index(its)].count(mine) <= 1
    found = await opened.pages.read(neighbour.caller, lone.id)
    assert found["page"]["passage_state"] == "done"


async def test_one_that_cannot_be_cut_with_others_holds_none_of_them_up(
    opened: Parts, writer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = due.rows_of

    def refused(page: Row, stored: set[str]) -> list[Row]:
        if page["title"] == "Broken":
            raise InvalidInput("no cutting of this one")
        return cut(page, stored)

    monkeypatch.setattr(due, "rows_of", refused)
    monkeypatch.setattr(passages, "rows_of", refused)
    drafts = [Draft("Whole.", title="Whole"), Draft("Broken.", title="Broken")]
    whole, broken = await opened.pages.write_many(writer.caller, drafts, settle=False)
    await opened.due_pages.sweep()
    states = {
        receipt.id: (await opened.pages.read(writer.caller, receipt.id))["page"]["passage_state"]
        for receipt in (whole, broken)
    }
    assert states == {whole.id: "done", broken.id: "failed"}


async def unlinked(opened: Parts, who: Principal, page: str) -> list[str]:
    return [m.title for m in await opened.page_neighbours.unlinked(who.caller, page)]


async def test_unlinked_mentions(opened: Parts, writer: Principal, write: Write) -> None:
    page = await write(writer, "Feature Guide", "About the Feature Guide.", aliases=("FGuide",))
    await write(writer, "Plain", "Read the feature guide first.")
    await write(writer, "By alias", "FGuide is short.")
    await write(writer, "Linked", "See [[Feature Guide|the guide]], the Feature Guide.")
    await write(writer, "Code", "`Feature Guide` only.")
    await write(writer, "Longer", "Feature Guides are others.")
    assert await unlinked(opened, writer, page.id) == ["By alias", "Plain"]


async def test_a_mention_becomes_a_link_in_one_step(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "Feature Guide", aliases=("FGuide",))
    text = "The Feature Guide, `FGuide` and fguide.\n"
    source = await write(writer, "Plain", text)
    done = await opened.page_neighbours.link(writer.caller, page.id, source.id)
    assert (done.version, done.links) == (2, 1)
    read = (await opened.pages.read(writer.caller, source.id))["page"]
    assert read["content"] == "The [[Feature Guide]], `FGuide` and [[Feature Guide|fguide]].\n"
    assert await unlinked(opened, writer, page.id) == []
    with pytest.raises(Conflict):
        await opened.page_neighbours.link(writer.caller, page.id, source.id)
    with pytest.raises(NotFound):
        await opened.page_neighbours.link(writer.caller, page.id, "nowhere")


async def test_mentions_are_the_newest_and_titles_are_literal(
    opened: Parts, writer: Principal, write: Write
) -> None:
    page = await write(writer, "100% done_x")
    for number in range(3):
        await write(writer, f"Hit {number}", "It is 100% done_x today.")
    await write(writer, "Miss", "It is 100 percent done x today.")
    found = await unlinked(opened, writer, page.id)
    assert found == ["Hit 2", "Hit 1", "Hit 0"]
    some = await opened.page_neighbours.unlinked(writer.caller, page.id, limit=2)
    assert [mention.title for mention in some] == found[:2]


async def test_related_pages(opened: Parts, writer: Principal, write: Write, drain: Drain) -> None:
    page = await write(writer, "Kettle", "The kettle in the kitchen whistles at noon.")
    assert await opened.page_neighbours.related(writer.caller, page.id) == []
    near = await write(writer, "Stove", "The kettle in the kitchen whistles at night.")
    await write(writer, "Tax", "A ledger of quarterly taxes and audits.")
    await drain()
    found = await opened.page_neighbours.related(writer.caller, page.id)
    assert found[0].page["id"] == near.id
    assert [r.similarity for r in found] == sorted((r.similarity for r in found), reverse=True)
    assert all(0 <= r.similarity <= 1 for r in found)
    assert await opened.page_neighbours.reembed(writer.caller, page.id) == 1
    assert await opened.page_neighbours.related(writer.caller, page.id, 1) == found[:1]


@pytest.mark.parametrize(
    ("languages", "cosine", "length", "similarity"),
    [
        (("en", "en"), 0.75, 1.0, 0.0),  # as near as unrelated texts are
        (("de", "de"), 0.81, 1.0, 0.0),
        (("en", "de"), 0.755, 1.0, 0.0),
        (("en", "en"), 0.948, 1.0, 0.7),
        (("de", "de"), 0.953, 1.0, 0.7),
        # A mean of several passages is shorter than they are, and so nearer to anything.
        (("en", "en"), 0.75 / 0.9, 0.9, 0.0),
        (("en", "en"), 0.948 / 0.95, 0.95, 0.7),
    ],
)
def test_the_similarity_of_related_pages_is_calibrated(
    languages: tuple[str, str], cosine: float, length: float, similarity: float
) -> None:
    own = Own(calibration("multilingual-e5-small"), languages[0], length)
    assert own.similarity((1 + cosine) / 2, languages[1]) == pytest.approx(similarity, abs=1e-6)


async def test_lists_end_where_the_seed_ends_them(
    opened: Parts, writer: Principal, write: Write, drain: Drain
) -> None:
    page = await write(writer, "Copper kettle", "The copper kettle whistles at noon.")
    drafts = [
        Draft(f"The copper kettle of house {n} whistles.", title=f"House {n}") for n in range(52)
    ]
    await opened.pages.write_many(writer.caller, drafts, settle=False)
    await opened.due_pages.sweep()
    await drain()
    assert len(await unlinked(opened, writer, page.id)) == 20
    caller, near = writer.caller, opened.page_neighbours
    for given, most in (((), 10), ((200,), 50)):
        found = await near.related(caller, page.id, *given)
        assert len({r.page["id"] for r in found} - {page.id}) == len(found) == most


async def test_a_link_makes_a_thing_of_what_one_text_alone_names(
    opened: Parts, writer: Principal, write: Write
) -> None:
    """Without a link the same name waits in its text; without the page it does again."""
    scope = writer.caller.home
    await write(writer, "Walk", "We saw Tarn Hollow at dusk.")
    page = await write(writer, "Boat", "We saw [[entity:Mirabel Quay]] at dusk.")
    await opened.consolidation.consolidate(scope)
    assert await names(opened, scope) == {"Mirabel Quay"}
    await opened.consolidation._parts.rows.reset(scope, ["consolidated"])
    await opened.consolidation.consolidate(scope)
    assert await names(opened, scope) == {"Mirabel Quay"}
    await opened.pages.change(
        writer.caller, page.id, Change(content="We saw Mirabel Quay at dusk, and it rained.")
    )
    await opened.consolidation.consolidate(scope)
    assert "Tarn Hollow" not in await names(opened, scope)


async def names(opened: Parts, scope: str) -> set[str]:
    """The things of a scope that have a name of two words."""
    found = await rows(
        opened,
        "MATCH (e:Entity {scope: $scope}) RETURN e.canonical_name AS name",
        scope=scope,
    )
    return {row["name"] for row in found if " " in row["name"]}
