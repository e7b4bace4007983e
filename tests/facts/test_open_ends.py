"""Ends that leave open what ended: the one fact of the subject that fits ends."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.extraction.model import ANYTHING, Mode
from app.facts.claim import Claim, Reviews
from app.facts.open_ends import ANY, Keyed, Near, OpenEnd, settle_subject
from app.facts.together import joined_groups
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import beliefs
from tests.facts.constructed import Told, believe
from tests.facts.test_belief import AGENT, MANY, ONE, OTHER, USER, claim, day, held
from tests.facts.test_possible_changes import changes, facts, pairs

FITS = frozenset(("lives_in", "member_of"))


def keyed(predicate: str, *claims: Claim) -> Keyed:
    return Keyed(predicate, list(claims), ONE if predicate == "lives_in" else MANY, Reviews())


def over(n: int, value: str = ANY, **more: object) -> OpenEnd:
    told = replace(claim("any", day(n), mode=Mode.END), fact="over", id=f"over{n}", **more)
    return OpenEnd(told, FITS, value)


def test_the_one_that_fits_ends_and_the_end_stands() -> None:
    keys = {"k": keyed("lives_in", claim("york", day(1))), "m": keyed("uses", claim("go", day(1)))}
    found = settle_subject(keys, [over(5)], Reviews())
    assert held(found["k"], day(3)) == {"york"}
    assert held(found["k"], day(9)) == {"over"}
    assert held(found["m"], day(9)) == {"go"}
    assert held(found[""], day(9)) == {"over"}


def test_several_that_fit_are_possible_changes() -> None:
    keys = {
        "k": keyed("lives_in", claim("york", day(1))),
        "m": keyed("member_of", claim("choir", day(2))),
    }
    found = settle_subject(keys, [over(5)], Reviews())
    assert held(found["k"], day(9)) == {"york"}
    assert held(found["m"], day(9)) == {"choir"}
    assert found[""].possible == {("york", "over"), ("choir", "over")}
    fresh = {name: keyed(key.predicate, *key.claims) for name, key in keys.items()}
    chosen = settle_subject(fresh, [over(5)], Reviews(changed=[("choir", "over")]))
    assert held(chosen["k"], day(9)) == {"york"}
    assert held(chosen["m"], day(9)) == {"over"}


def test_what_is_named_has_to_be_what_is_held() -> None:
    keys = {"k": keyed("lives_in", claim("york", day(1)))}
    found = settle_subject(keys, [over(5, "leeds")], Reviews())
    assert held(found["k"], day(9)) == {"york"}
    assert held(found[""], day(9)) == {"over"}
    assert not found[""].possible


def test_an_end_of_anything_ends_no_predicate_that_is_known() -> None:
    keys = {
        "k": keyed("allergic_to", claim("peanuts", day(1))),
        "m": keyed("nibble", claim("peanuts", day(1))),
        "a": keyed("attribute:cto", claim("peanuts", day(1))),
    }
    found = settle_subject(keys, [replace(over(5, "peanuts"), fits=frozenset("*"))], Reviews())
    assert held(found["k"], day(9)) == {"peanuts"}
    keys = {name: keyed(key.predicate, *key.claims) for name, key in keys.items() if name != "a"}
    found = settle_subject(keys, [replace(over(5, "peanuts"), fits=frozenset("*"))], Reviews())
    assert held(found["k"], day(9)) == {"peanuts"}
    assert held(found["m"], day(9)) == {"over"}


def spoken(*words: str) -> dict[str, frozenset[tuple[str, ...]]]:
    """The words of the fact `york`."""
    return {"york": frozenset((word,) for word in words)}


@pytest.mark.parametrize(
    ("near", "fits", "words", "ends"),
    [
        ([Near("k")], "lives_in", [], True),
        ([Near("k", as_value=True)], "lives_in", [], False),
        ([Near("k", as_value=True)], "~lives_in", [], True),
        ([Near("k", in_part=True)], "lives_in", [], False),  # part of a name and nothing named
        ([Near("k", in_part=True)], "lives_in", ["tower"], True),
        ([Near("k")], "lives_in", ["tower"], True),
        ([Near("k")], "lives_in", ["tower", "garden"], False),
        ([Near("other")], "lives_in", [], False),
    ],
)
def test_it_ends_what_it_is_about(
    near: list[Near], fits: str, words: list[str], ends: bool
) -> None:
    told = keyed("lives_in", claim("york", day(1)))
    told.words = spoken("tower", "york", "ilse")
    named = frozenset((word,) for word in words)
    value = "what is named" if words else ANY
    end = replace(over(5, value), fits=frozenset([fits]), near=frozenset(near), words=named)
    found = settle_subject({"k": told}, [end], Reviews())
    assert held(found["k"], day(9)) == ({"over"} if ends else {"york"})


def test_few_words_of_a_long_fact_are_not_enough() -> None:
    long = keyed("lives_in", claim("york", day(1)))
    long.words = spoken("tower", *(f"word{n}" for n in range(10)))
    end = replace(over(5, "named"), words=frozenset([("tower",)]))
    found = settle_subject({"k": long}, [end], Reviews())
    assert held(found["k"], day(9)) == {"york"}


def test_of_whom_it_tells_comes_before_of_whom_it_is_the_value() -> None:
    keys = {
        "k": keyed("lives_in", claim("york", day(1))),
        "m": keyed("member_of", claim("choir", day(1))),
    }
    near = frozenset([Near("k"), Near("m", as_value=True)])
    end = replace(over(5), fits=frozenset(["lives_in", "~member_of"]), near=near)
    found = settle_subject(keys, [end], Reviews())
    assert held(found["k"], day(9)) == {"over"}
    assert held(found["m"], day(9)) == {"choir"}


def test_ends_that_share_a_key_are_settled_together() -> None:
    near = {"a": [Near("1"), Near("2")], "b": [Near("2", as_value=True)], "c": [Near("3")], "d": []}
    assert joined_groups(near) == [["1", "2", "a", "b"], ["3", "c"], ["d"]]


def test_what_begins_later_is_not_ended() -> None:
    found = settle_subject({"k": keyed("lives_in", claim("york", day(7)))}, [over(5)], Reviews())
    assert held(found["k"], day(9)) == {"york"}


def test_who_may_not_revise_ends_nothing() -> None:
    for by in (OTHER, AGENT):
        keys = {"k": keyed("lives_in", claim("york", day(1)))}
        found = settle_subject(keys, [over(5, authority=by)], Reviews())
        assert held(found["k"], day(9)) == {"york"}
        assert held(found[""], day(9)) == set()


def test_an_end_that_waits_ends_what_fits_once_it_is_accepted() -> None:
    for by in (OTHER, AGENT):
        told = (claim("york", day(1)), claim("leeds", day(7)))
        reviews = Reviews(accepted=["over"], decided={"over": day(10)})
        alone = settle_subject(
            {"k": keyed("lives_in", *told[:1])}, [over(5, authority=by)], reviews
        )
        assert [held(alone["k"], day(n)) for n in (3, 9)] == [{"york"}, {"over"}]
        later = settle_subject({"k": keyed("lives_in", *told)}, [over(5, authority=by)], reviews)
        assert [held(later["k"], day(n)) for n in (3, 9)] == [{"york"}, {"over", "leeds"}]


def test_an_end_of_which_words_were_not_read_may_have_ended_it() -> None:
    found = settle_subject(
        {"k": keyed("lives_in", claim("york", day(1)))}, [over(5, partial=True)], Reviews()
    )
    assert held(found["k"], day(9)) == {"york", "over"}
    assert found[""].possible == {("york", "over")}


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["lives_in", "member_of"]),
            st.sampled_from("ab"),
            st.integers(1, 20),
            st.sampled_from([USER, USER, OTHER]),
            st.booleans(),
        ),
        max_size=6,
    ),
    st.lists(st.integers(1, 20), min_size=1, max_size=3, unique=True),
    st.randoms(use_true_random=False),
)
def test_order_does_not_matter(
    told: list[tuple[str, str, int, object, bool]], ends: list[int], chance: random.Random
) -> None:
    def keys(order: list[tuple[str, str, int, object, bool]]) -> dict[str, Keyed]:
        found: dict[str, Keyed] = {}
        for predicate, value, n, by, partial in order:
            name = predicate if predicate == "lives_in" else f"{predicate} {value}"
            made = claim(value, day(n), by=by, partial=partial)  # type: ignore[arg-type]
            made = replace(made, fact=f"{predicate} {made.fact}", id=f"{predicate} {made.id}")
            found.setdefault(name, keyed(predicate)).claims.append(made)
        return found

    mixed, after = told[:], [over(n) for n in ends]
    chance.shuffle(mixed)
    first = settle_subject(keys(told), after, Reviews())
    assert settle_subject(keys(mixed), after[::-1], Reviews()) == first


OUT = {"fits": ("lives_in",), "object": ANYTHING}
HOME = Told(0, "Ilse Harmsen", "lives_in", "Bremen")
MOVED_OUT = Told(5, "Ilse Harmsen", "lives_in", "home", Mode.END, more=OUT)


async def test_it_ends_in_the_graph_in_whatever_order_it_is_told(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    other = Told(2, "Ilse Harmsen", "uses", "Rust")
    found = []
    for case, order in enumerate(itertools.permutations([HOME, MOVED_OUT, other])):
        who = await principal(f"{tenant}/case{case}", name=f"w{case}", role=Role.WRITER)
        await believe(opened, {"one": who.caller}, order, batch=1 + case % 3)
        shown = await facts(who)
        assert "Ilse Harmsen lives in Bremen" not in shown
        assert "Ilse Harmsen uses Rust" in shown
        found.append(await beliefs(opened, who.caller.home))
    assert all(one == found[0] for one in found)


async def test_several_wait_for_a_curator(
    opened: Parts, writer: Principal, admin: Principal
) -> None:
    choir = Told(1, "Ilse Harmsen", "member_of", "Choir North")
    both = replace(MOVED_OUT, more={**OUT, "fits": ("lives_in", "member_of")})
    await believe(opened, {"one": writer.caller}, [HOME, choir, both])
    assert len(await pairs(opened, writer.caller.home)) == 2
    (waiting,) = await changes(writer)
    home = next(f for f in waiting["older"] if f["predicate"] == "lives_in")
    door = f"/v1/quarantine/{waiting['newer']['id']}/change"
    done = await admin.http.post(door, json={"older": home["id"], "verdict": "changed"})
    assert done.status_code == 200, done.text
    shown = await facts(writer)
    assert "Ilse Harmsen lives in Bremen" not in shown
    assert any(f["predicate"] == "member_of" for f in shown.values())
    assert await changes(writer) == []
    undone = await admin.http.post(f"/v1/quarantine/{waiting['newer']['id']}/undo")
    assert undone.status_code == 200, undone.text
    assert "Ilse Harmsen lives in Bremen" in await facts(writer)


async def test_erasing_the_end_brings_back_what_it_ended(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    home = writer.caller.home
    admin = await principal(home, role=Role.ADMIN, name="admin", kind="user")
    rules = {"params": {"scope": home}, "json": {"erasure": True}}
    assert (await admin.http.put("/v1/scopes/rules", **rules)).is_success
    ids = await believe(opened, {"one": writer.caller}, [HOME, MOVED_OUT])
    assert "Ilse Harmsen lives in Bremen" not in await facts(writer)
    erased = await admin.http.post("/v1/erasures", json={"memory": ids[1]})
    assert erased.is_success, erased.text
    assert list(await facts(writer)) == ["Ilse Harmsen lives in Bremen"]


async def test_values_of_two_qualifications_stand_side_by_side(
    opened: Parts, writer: Principal
) -> None:
    budget = Told(0, "Heron", "budget", "20,000 euros", entity=False, kind="project")
    later = Told(5, "Heron", "budget", "30,000 euros", entity=False, kind="project",
                 more={"qualifier": "year:2027"})  # fmt: skip
    again = replace(later, hour=9, value="35,000 euros")
    await believe(opened, {"one": writer.caller}, [budget, later, again])
    shown = sorted(await facts(writer))
    assert len(shown) == 2
    assert "20,000 euros" in shown[0]
    assert "35,000 euros" in shown[1]
    assert shown[1].endswith("(2027)")
