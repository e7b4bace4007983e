"""The rules for names, without a graph: who is one, and that nothing else enters into it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.entities.bearer import Bearer
from app.entities.clusters import Link, groups
from app.entities.given_name_rule import first_word
from app.entities.model import entity_id
from app.entities.names import UNKNOWN, family, read_name
from app.entities.ruling import Case, Tie, Verdict, judge, unsettled

SCOPE = "t/dev"


def bearer(name: str, kind: str = "person", *, speaks: bool = False) -> Bearer:
    """The entity that resolution makes of a name, its type and its marks."""
    read = read_name(name, kind)
    identifier = entity_id(SCOPE, family(kind), read.canonical, ",".join(sorted(read.marks)))
    return Bearer(
        identifier, identifier, read.canonical, frozenset(read.keys), name, kind, read.marks, speaks
    )


def named(name: str, kind: str, *others: str) -> Bearer:
    """An entity that a curator has given further names."""
    made = bearer(name, kind)
    return replace(made, keys=made.keys.union(*(read_name(n, kind).keys for n in others)))


def case_of(bearers: Sequence[Bearer], words: Iterable[str] | None = None) -> Case:
    """What the graph would show of a whole scope."""
    asked = {b.key.split()[0] for b in bearers} if words is None else set(words)
    whole = {w: [b for b in bearers if b.key.startswith(f"{w} ")] for w in asked}
    last = {b.key.split()[-1] for b in bearers if b.type == "person" and " " in b.key}
    return Case(SCOPE, bearers, whole, frozenset(last & asked))


def ruled(bearers: Sequence[Bearer], ties: Sequence[Tie] = ()) -> Verdict:
    return judge(case_of(bearers), {b.id: b.root for b in bearers}, ties)


def together(bearers: Sequence[Bearer], *ties: Tie) -> set[frozenset[str]]:
    """What is one, as sets of names with their types."""
    verdict = ruled(bearers, ties)
    standing = [t.link for t in ties if t.status == "accepted"]
    links = [*standing, *(link for link, _ in verdict.join)]
    told = {b.id: f"{b.name}/{b.type}" for b in bearers}
    found = groups([b.id for b in bearers], links)
    return {frozenset(told[i] for i in group) for group in found if len(group) > 1}


def tie(one: Bearer, other: Bearer, status: str, rule: str | None = None) -> Tie:
    left, right = sorted((one.id, other.id))
    return Tie(
        Link(left, right, 2 * int(left == other.id), 2 * int(right == other.id)), status, rule
    )


# --- the same name ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bearers",
    [
        [("Jenkins", UNKNOWN), ("Jenkins", "technology")],
        [("Acme", "organization"), ("Acme GmbH", "organization")],
        [("Acme", UNKNOWN), ("Acme", "group"), ("Acme GmbH", "organization")],
        [("Acme GmbH", UNKNOWN), ("Acme", "organization")],
        [("Zürich", "place"), ("Zurich", "place"), ("Zurich", UNKNOWN)],
        [("Node.js", "technology"), ("NodeJS", "product")],
        [("acme.de", "organization"), ("Acme", "organization")],
        [("Mr. Kim Lee", "person"), ("Kim Lee", "person"), ("Kim Lee", UNKNOWN)],
    ],
)
def test_where_there_is_no_choice_a_name_is_one_thing(bearers: list[tuple[str, str]]) -> None:
    found = together([bearer(*b) for b in bearers])
    assert found == {frozenset(f"{name}/{kind}" for name, kind in bearers)}


@pytest.mark.parametrize(
    "bearers",
    [
        [("Mercedes", "person"), ("Mercedes", "organization"), ("Mercedes", UNKNOWN)],
        [("Acme", "organization"), ("Acme GmbH", "organization"), ("Acme AG", "organization")],
        [("Acme", UNKNOWN), ("Acme GmbH", "organization"), ("Acme AG", "organization")],
        [("Frau Weber", "person"), ("Herr Weber", "person"), ("Weber", "person")],
        [("acme.de", "organization"), ("acme.ch", "organization"), ("Acme", UNKNOWN)],
        [("Acme GmbH", "organization"), ("Acme", "person"), ("Acme", UNKNOWN)],
        [("Rust", "technology"), ("Dust", UNKNOWN)],
    ],
)
def test_where_there_is_one_a_name_stands_for_itself(bearers: list[tuple[str, str]]) -> None:
    assert together([bearer(*b) for b in bearers]) == set()


def test_an_open_question_is_one_question() -> None:
    firms = [bearer("Acme GmbH", "organization"), bearer("Acme AG", "organization")]
    bare = [bearer("Acme", UNKNOWN), bearer("Acme", "organization")]
    assert together([*firms, *bare]) == {frozenset({"Acme/unknown", "Acme/organization"})}


def test_a_name_that_a_curator_gave_counts() -> None:
    tool = named("Hudson", "technology", "Jenkins")
    assert together([tool, bearer("Jenkins", UNKNOWN)]) == {
        frozenset({"Hudson/technology", "Jenkins/unknown"})
    }


def test_what_a_curator_made_one_leaves_no_choice() -> None:
    gmbh, ag = bearer("Acme GmbH", "organization"), bearer("Acme AG", "organization")
    bare = bearer("Acme", UNKNOWN)
    assert together([gmbh, ag, bare], tie(gmbh, ag, "accepted")) == {
        frozenset({"Acme GmbH/organization", "Acme AG/organization", "Acme/unknown"})
    }


def test_the_entity_that_says_most_stands_for_a_name() -> None:
    bearers = [bearer("Acme", UNKNOWN), bearer("Acme", "group"), bearer("Acme GmbH", "group")]
    moved = {row["id"]: row["root"] for row in ruled(bearers).moved}
    assert moved == dict.fromkeys((bearers[0].id, bearers[1].id), bearers[2].id)


# --- a given name alone -------------------------------------------------------------------------

SHORT, WHOLE = bearer("Silas"), bearer("Silas Okoro", speaks=True)
ONE = {frozenset({"Silas/person", "Silas Okoro/person"})}


def test_the_only_speaker_of_a_name_is_meant() -> None:
    assert together([SHORT, WHOLE]) == ONE
    bare = bearer("Silas", UNKNOWN)
    assert together([bare, WHOLE]) == {frozenset({"Silas/unknown", "Silas Okoro/person"})}
    assert together([SHORT, WHOLE, bare, bearer("Silas Okoro", UNKNOWN)]) == {
        frozenset({"Silas/person", "Silas/unknown", "Silas Okoro/person", "Silas Okoro/unknown"})
    }


@pytest.mark.parametrize(
    "bearers",
    [
        [SHORT, bearer("Silas Okoro")],
        [SHORT, WHOLE, bearer("Silas Brandt")],
        [SHORT, WHOLE, bearer("Silas Brandt", UNKNOWN)],
        [SHORT, WHOLE, bearer("Silas Brandt", speaks=True)],
        [SHORT],
        [WHOLE],
        [bearer("Silas", "place"), WHOLE],
        [bearer("Silas", UNKNOWN), bearer("Silas", "place"), SHORT, bearer("Silas Okoro")],
        [bearer("Frau Silas"), bearer("Herr Silas Okoro", speaks=True)],
        [bearer("Frau Maria"), bearer("Maria Kern")],
    ],
    ids=["silent", "two", "perhaps two", "two speakers", "alone", "whole", "a place", "a question",
         "marks", "title"],
)  # fmt: skip
def test_anything_else_stays_apart(bearers: list[Bearer]) -> None:
    assert together(bearers) == set()


def test_decisions_of_curators_stand() -> None:
    for status in ("rejected", "undone"):
        assert together([SHORT, WHOLE], tie(SHORT, WHOLE, status)) == set()
    assert together([SHORT, WHOLE], tie(SHORT, WHOLE, "undone", "given_name")) == ONE


def test_only_joins_of_a_rule_are_taken_back() -> None:
    other = bearer("Silas Brandt")
    joined = [replace(SHORT, root=WHOLE.id), WHOLE, other]
    own = ruled(joined, [tie(SHORT, WHOLE, "accepted", "given_name")])
    assert [(set(pair), rule) for pair, rule in own.part] == [({SHORT.id, WHOLE.id}, "given_name")]
    assert [row["id"] for row in own.moved] == [SHORT.id]
    curated = ruled(joined, [tie(SHORT, WHOLE, "accepted")])
    assert (curated.part, curated.moved) == ((), ())


def test_two_names_that_a_curator_made_one_are_one_person() -> None:
    longer = bearer("Silas M Okoro")
    assert len(next(iter(together([SHORT, WHOLE, longer], tie(WHOLE, longer, "accepted"))))) == 3


def test_the_first_word_of_a_name_is_that_of_its_key() -> None:
    assert first_word("Dr. Silas Okoro") == "silas"
    assert first_word("Okoro, Silas") == "silas"
    assert first_word("???") == ""


# --- a firm's name cut short --------------------------------------------------------------------

FIRM = bearer("Verdelo Farms", "organization")


@pytest.mark.parametrize("kind", [UNKNOWN, "person", "organization", "group"])
def test_the_first_word_of_a_firm_is_the_firm(kind: str) -> None:
    short = bearer("Verdelo", kind)
    assert together([short, FIRM]) == {frozenset({f"Verdelo/{kind}", "Verdelo Farms/organization"})}
    assert {row["root"] for row in ruled([short, FIRM]).moved} == {FIRM.id}


@pytest.mark.parametrize(
    "bearers",
    [
        [("Verdelo", UNKNOWN), ("Verdelo Farms", UNKNOWN)],
        [("Verdelo", UNKNOWN), ("Verdelo Farms", "organization"), ("Verdelo Labs", UNKNOWN)],
        [("Verdelo", UNKNOWN), ("Verdelo Farms", "organization"), ("Verdelo Werke", "group")],
        [("Verdelo", "place"), ("Verdelo Farms", "organization")],
        [("Verdelo", UNKNOWN), ("Verdelo Farms", "organization"), ("Verdelo Roche", "person")],
        [("Verdelo", UNKNOWN), ("Verdelo Farms", "organization"), ("Anna Verdelo", "person")],
        [("Verdelo", UNKNOWN), ("Frau Verdelo", "person"), ("Verdelo Farms", "organization")],
        [("Verdelo", UNKNOWN), ("Verdelo Pro", "product")],
        [("Verdelo", UNKNOWN), ("Verdelo Nord", "organization")],
        [("Weber", UNKNOWN), ("Weber Group", "organization")],
        [("Martin", "person"), ("Martin Verlag", "organization")],
        [("Hamburg", UNKNOWN), ("Hamburg Energie", "organization")],
    ],
)
def test_a_word_that_may_be_something_else_is_not(bearers: list[tuple[str, str]]) -> None:
    found = together([bearer(*b) for b in bearers])
    assert not any(len({name.split("/")[0] for name in names}) > 1 and any(
        name.startswith(f"{bearers[0][0]}/") for name in names) and any(
        name.split("/")[0].split()[-1] in {"Farms", "Group", "Verlag", "Energie", "Nord", "Pro"}
        for name in names) for names in found)  # fmt: skip


def test_a_firm_in_two_spellings_is_one_firm() -> None:
    bearers = [bearer("Verdelo", UNKNOWN), FIRM, bearer("Verdelo Farms", UNKNOWN)]
    assert len(next(iter(together(bearers)))) == 3
    gmbh = [bearer("Verdelo", UNKNOWN), FIRM, bearer("Verdelo Farms GmbH", "organization")]
    assert len(next(iter(together(gmbh)))) == 3


# --- no order -----------------------------------------------------------------------------------

POOL = [
    ("Silas", "person", False), ("Silas", UNKNOWN, False), ("Silas Okoro", "person", True),
    ("Silas Okoro", UNKNOWN, False), ("Silas Brandt", "person", False), ("Silas", "place", False),
    ("Verdelo", UNKNOWN, False), ("Verdelo", "person", False), ("Verdelo Farms", "organization",
    False), ("Verdelo Farms", UNKNOWN, False), ("Verdelo Verlag", "group", False),
    ("Anna Verdelo", "person", False), ("Acme", UNKNOWN, False), ("Acme", "organization", False),
    ("Acme GmbH", "organization", False), ("Acme AG", "organization", False),
    ("acme.de", "organization", False), ("Frau Weber", "person", False), ("Herr Weber", "person",
    False), ("Weber", UNKNOWN, False), ("Zürich", "place", False), ("Zurich", UNKNOWN, False),
    ("Rust", "technology", False), ("Rust", UNKNOWN, False), ("Rust", "place", False),
]  # fmt: skip
BEARERS = [bearer(name, kind, speaks=speaks) for name, kind, speaks in POOL]


class Store:
    """Entities that come in portions, with the ties that verdicts leave behind."""

    def __init__(self) -> None:
        self.bearers: dict[str, Bearer] = {}
        self.ties: dict[tuple[str, str], Tie] = {}

    def take(self, portion: Sequence[Bearer], touched: Collection[str] = ()) -> None:
        """Add some and follow the rules for what they touch, as the graph does."""
        self.bearers |= {b.id: b for b in portion}
        every = list(self.bearers.values())
        words = {w for b in portion for w in (b.key.split()[0], b.key.split()[-1])}
        keys = {key for b in portion for key in b.keys} | words | set(touched)
        near: set[str] = set()
        while len(near) < len(near := {b.id for b in every if b.keys & keys}):
            keys |= {key for b in every if b.id in near for key in b.keys}
        scope = case_of(every, words)
        case = unsettled(replace(scope, named=[b for b in every if b.id in near]))
        if case.named:
            homes = {b.root for b in [*case.named, *(b for w in case.whole.values() for b in w)]}
            members = {b.id: b.root for b in every if b.root in homes}
            ties = [tie for tie in self.ties.values() if tie.link.left in members]
            self._write(judge(case, members, ties))

    def _write(self, verdict: Verdict) -> None:
        for link, rule in verdict.join:
            self.ties[link.left, link.right] = Tie(link, "accepted", rule)
        for pair, rule in verdict.part:
            self.ties[pair] = Tie(self.ties[pair].link, "undone", rule)
        for row in verdict.moved:
            self.bearers[row["id"]] = replace(self.bearers[row["id"]], root=row["root"])

    @property
    def outcome(self) -> tuple[dict[str, str], dict[tuple[str, str], Tie]]:
        standing = {pair: t for pair, t in self.ties.items() if t.status == "accepted"}
        return {b.id: b.root for b in self.bearers.values()}, standing


def test_a_name_taken_away_parts_what_it_had_joined() -> None:
    store = Store()
    firm, short = bearer("Acme", "organization"), bearer("Acme Software", UNKNOWN)
    called = replace(firm, keys=firm.keys | short.keys)
    store.take([called, short])
    assert len(set(store.outcome[0].values())) == 1
    joined = store.bearers[firm.id]
    store.take([replace(joined, keys=firm.keys)], touched=joined.keys)
    assert len(set(store.outcome[0].values())) == 2


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(BEARERS), min_size=1, max_size=14, unique_by=lambda b: b.id),
    st.randoms(use_true_random=False),
    st.integers(1, 6),
)
def test_neither_order_nor_portions_matter(bearers: list[Bearer], rng: object, size: int) -> None:
    whole, piecemeal = Store(), Store()
    whole.take(bearers)
    shuffled = list(bearers)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    for start in range(0, len(shuffled), size):
        piecemeal.take(shuffled[start : start + size])
    assert piecemeal.outcome == whole.outcome
    piecemeal.take(shuffled)
    assert piecemeal.outcome == whole.outcome, "looking again changes nothing"
