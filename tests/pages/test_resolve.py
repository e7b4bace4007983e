"""Which page a link means, as a table; texts after a rename; mentions in prose."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.indexing.analysis import analyse
from app.pages import mentions
from app.pages.diff import unified
from app.pages.excerpt import around_link, excerpt
from app.pages.naming import ascii_slug, name_key
from app.pages.resolve import Bearer, Known, Source, names, settle, wanted
from app.pages.rewriting import link_to, linkable, linked, rewritten
from app.pages.wikilink import links

T = datetime(2026, 1, 1, tzinfo=UTC)


def page(identifier: str, title: str, scope: str = "t/dev", **more: Any) -> Bearer:
    age = more.pop("age", 0)
    made = {
        "kind": "page",
        "slug": ascii_slug(title),
        "created_at": T + timedelta(days=age),
        **more,
    }
    return Bearer(identifier, scope, title=title, **made)


def known(*pages: Bearer) -> Known:
    found: dict[str, list[Bearer]] = {}
    for one in pages:
        for key in {name_key(name) for name in names(one)}:
            found.setdefault(key, []).append(one)
    return Known(found)


def targets(text: str, *pages: Bearer, scope: str = "t/dev") -> list[str]:
    source = Source("source", scope, wanted(links(text)))
    return [edge.target for edge in settle(source, known(*pages)).edges]


A = page("a", "Feature Guide")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Feature Guide]]", ["a"]),
        ("[[ Feature Guide |the guide]]", ["a"]),
        ("[[FEATURE guide]]", ["a"]),
        ("[[feature-guide]]", ["a"]),
        ("[[Feature, Guide!]]", ["a"]),
        ("[[Feature Guide#Part]]", ["a"]),
        ("[[Feature]]", []),
        ("[[featureguide]]", []),
        ("[[#Part]]", []),
    ],
)
def test_title_and_slug(text: str, expected: list[str]) -> None:
    assert targets(text, A) == expected


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([page("p", "X"), page("k", "X", kind="article")], "p"),
        ([page("w", "X", "t"), page("k", "X", kind="article")], "k"),
        ([page("w", "X", "t"), page("k", "X", "t", kind="article")], "k"),
        ([page("t", "X", "t"), page("d", "X", "t/dev")], "d"),
        ([page("by-slug", "x!"), page("by-title", "X", age=9)], "by-title"),
        ([page("alias", "Y", aliases=("X",)), page("slugged", "x!", age=9)], "slugged"),
        ([page("former", "Y", formers=("X",)), page("alias", "Z", aliases=("X",), age=9)], "alias"),
        ([page("file", "Y", path="a/X.md"), page("former", "Z", formers=("X",))], "file"),
        ([page("younger", "X", age=1), page("older", "X")], "older"),
        ([page("foreign", "X", "t/other"), page("user", "X", "t/dev/user:ann")], None),
    ],
)
def test_the_order_of_what_is_meant(pages: list[Bearer], expected: str | None) -> None:
    for given in (pages, pages[::-1]):
        assert targets("[[X]]", *given) == ([expected] if expected else [])


def test_a_leaf_sees_what_lies_above_it() -> None:
    above = [page("t", "X", "t"), page("d", "X", "t/dev")]
    assert targets("[[X]]", *above, scope="t/dev/agent:scout") == ["d"]


def test_two_ways_of_writing_a_link_are_one_edge() -> None:
    text = "[[Feature Guide]] [[feature-guide|x]] [[Feature Guide]] [[feature guide#Part]]"
    source = Source("source", "t/dev", wanted(links(text)))
    (edge,) = settle(source, known(A)).edges
    assert edge.texts == (
        "[[Feature Guide]]",
        "[[feature-guide|x]]",
        "[[feature guide#Part]]",
    )
    assert edge.headings == ("Part",)


def test_a_link_to_oneself_is_neither_an_edge_nor_pending() -> None:
    source = Source("a", "t/dev", wanted(links("[[Feature Guide]] [[Nowhere]]")))
    found = settle(source, known(A))
    assert (found.edges, found.pending) == ((), ("Nowhere",))


def test_a_title_with_a_hash_comes_before_a_heading() -> None:
    assert targets("[[C# Guide]]", page("c", "C"), page("cs", "C# Guide")) == ["cs"]
    assert targets("[[C# Guide]]", page("c", "C")) == ["c"]


def test_an_id_names_its_page() -> None:
    assert targets("[[abc-123]]", page("abc-123", "Feature Guide")) == ["abc-123"]


@pytest.mark.parametrize(
    ("link", "titles", "meant"),
    [
        ("Раздел 1", ["Глава 1"], None),
        ("第1節", ["第1章"], None),
        ("Bar", ["Bär"], None),
        ("br", ["Bär"], "Bär"),
        ("Bär!", ["Bär"], "Bär"),
        ("ber-uns", ["Über uns"], "Über uns"),
        ("Ber uns", ["Über uns"], None),
        ("a/b", ["AB"], None),
        ("ab", ["A/B"], "A/B"),
        ("A/B", ["A/B"], "A/B"),
    ],
)
def test_letters_that_a_slug_has_no_place_for_tell_names_apart(
    link: str, titles: list[str], meant: str | None
) -> None:
    assert targets(f"[[{link}]]", *(page(t, t) for t in titles)) == ([meant] if meant else [])
    formers = [page("renamed", "Other", formers=tuple(titles))]
    assert targets(f"[[{link}]]", *formers) == (["renamed"] if meant else [])


@pytest.mark.parametrize(
    "link", ["b/File", "/b/File", "../b/File", "../../a/b/File.md#x", "./File"]
)
def test_a_path_from_where_a_file_lies_is_the_path(link: str) -> None:
    pages = [page("meant", "Other", path="a/b/File.md"), page("not", "bFile")]
    assert targets(f"[[{link}]]", *pages) == ["meant"]


def test_wildcards_are_letters() -> None:
    assert targets("[[100% done]] [[a_c]]", page("p", "100 percent done"), page("q", "abc")) == []
    assert targets("[[100% done]]", page("p", "100% done")) == ["p"]


def test_what_is_no_page_is_found_by_its_kind() -> None:
    source = Source("s", "t/dev", wanted(links("[[entity:Acme]] [[agent:scout]] [[skill:x]]")))
    others = {
        ("entity", "Acme", "t/dev"): "near",
        ("entity", "Acme", "t"): "far",
        ("agent", "scout", "t"): "agent:t:scout",
    }
    found = settle(source, Known({}, others))
    assert [edge.target for edge in found.edges] == ["near", "agent:t:scout"]
    assert found.pending == ("skill:x",)


@pytest.mark.parametrize(
    ("text", "target", "part"),
    [
        ("[[entity:C#]]", "sharp", ()),
        ("[[entity:C]]", "letter", ()),
        ("[[entity:C#History]]", "letter", ("History",)),
        ("[[skill:C# build]]", "build", ()),
        ("[[C# Guide]]", "guide", ()),
        ("[[C# Guide#Part]]", "c", ("Guide#Part",)),
    ],
)
def test_a_name_is_tried_whole_before_its_heading(
    text: str, target: str, part: tuple[str, ...]
) -> None:
    others = {("entity", "C#", "t"): "sharp", ("entity", "C", "t"): "letter"}
    others |= {("skill", "C# build", "t"): "build", ("skill", "C", "t"): "wrong"}
    pages = known(page("guide", "C# Guide"), page("c", "C")).pages
    source = Source("s", "t/dev", wanted(links(text)))
    (edge,) = settle(source, Known(pages, others)).edges
    assert (edge.target, edge.headings) == (target, part)


def row(title: str, **more: Any) -> dict[str, Any]:
    return {"id": "p1", "title": title, "slug": ascii_slug(title), "formers": [], **more}


def test_a_rename_rewrites_what_names_the_former_titles() -> None:
    text = (
        "[[Old]] [[old|shown]] [[OLD#Part|x]] [[Older]] `[[Old]]` [[Other]]\n\n"
        "| a |\n|---|\n| [[Old\\|y]] |\n"
    )
    raws = frozenset(link.raw for link in links(text))
    after = rewritten(text, raws, row("Old", formers=["Older"]), row("New one"))
    assert after == (
        "[[New one]] [[New one|shown]] [[New one#Part|x]] [[New one]] `[[Old]]` [[Other]]\n\n"
        "| a |\n|---|\n| [[New one\\|y]] |\n"
    )
    assert rewritten(text, frozenset(), row("Old"), row("New")) == text


def test_a_rename_leaves_names_that_only_a_slug_makes_alike() -> None:
    text = "[[Глава 1]] [[Раздел 1]]"
    raws = frozenset(link.raw for link in links(text))
    assert rewritten(text, raws, row("Глава 1"), row("Neu")) == "[[Neu]] [[Раздел 1]]"


def test_a_title_that_breaks_links_is_named_by_its_slug() -> None:
    assert linkable(row("Plain")) == "Plain"
    assert linkable(row("A [draft] | b#c")) == "a-draft-bc"
    assert linkable(row("|#|")) == "p1"
    assert link_to("Plain", "Plain") == "[[Plain]]"
    assert link_to("Plain", "plain\n words") == "[[Plain|plain words]]"


def test_mentions_in_a_table_become_links_and_leave_it_a_table() -> None:
    text = "The FG.\n\n| FG | of [[X\\|x]] |\n|---|---|\n| see FG | b |\n| FG |\n"
    made = linked(text, mentions.find(text, ["FG"]), "Feature Guide")
    assert made == (
        "The [[Feature Guide|FG]].\n\n| [[Feature Guide\\|FG]] | of [[X\\|x]] |\n|---|---|\n"
        "| see [[Feature Guide\\|FG]] | b |\n| [[Feature Guide\\|FG]] |\n"
    )
    assert [(link.target, link.text) for link in links(made)] == [
        ("Feature Guide", "FG"),
        ("Feature Guide", "FG"),
        ("X", "x"),
        ("Feature Guide", "FG"),
        ("Feature Guide", "FG"),
    ]


def test_a_rename_of_a_title_with_a_hash_takes_all_of_it() -> None:
    text = "[[C# Guide]] [[c# guide|it]] [[C# Guide#Part]]"
    raws = frozenset(link.raw for link in links(text))
    after = rewritten(text, raws, row("C# Guide"), row("Sharp"))
    assert after == "[[Sharp]] [[Sharp|it]] [[C# Guide#Part]]"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the Feature Guide says", ["Feature Guide"]),
        ("the feature\nguide says, FG too", ["feature\nguide", "FG"]),
        ("Feature Guides, AFG, FG_1", []),
        ("[[Feature Guide]] and [[x|Feature Guide]]", []),
        ("`Feature Guide` [Feature Guide](u) <b>FG</b>", ["FG"]),
        ("```\nFeature Guide\n```\n", []),
        ("---\ntitle: Feature Guide\n---\n", []),
        ("# Feature Guide\n\n- FG: yes", ["Feature Guide", "FG"]),
        ("(FG)", ["FG"]),
    ],
)
def test_mentions_are_literal_and_stand_in_prose(text: str, found: list[str]) -> None:
    spans = mentions.find(text, ["Feature Guide", "FG"])
    assert [text[start:end] for start, end in spans] == found


def test_a_name_is_no_pattern() -> None:
    assert list(mentions.find("abc axc a.c C++ c", ["a.c"])) == [(8, 11)]
    assert list(mentions.find("C++ is not C", ["C++"])) == [(0, 3)]
    assert list(mentions.find("100 percent, 100% done", ["100% done"])) == [(13, 22)]
    assert list(mentions.find("anything", ["", "  "])) == []


def test_the_text_query_asks_for_the_name_as_it_is_indexed() -> None:
    asked = mentions.query(['Guides "to" \\Erde'], ["t/dev"], None)
    assert asked is not None
    for language in ("en", "de"):
        assert f'terms:"{" ".join(analyse("Guides to Erde", language))}"~3' in asked
    assert '+scope:("t/dev")^0' in asked
    assert mentions.query(["++"], ["t"]) is None
    names = [f"name {n}" for n in range(65)]
    assert [name for some in mentions.together(names) for name in some] == names


def test_an_excerpt_is_one_line_of_whole_words() -> None:
    text = "word " * 40 + "the [[Target|link]] here" + " tail" * 40
    shown = around_link(text, ["[[Target|link]]"])
    assert shown.startswith("… word")
    assert shown.endswith("tail …")
    assert "[[Target|link]]" in shown
    assert len(shown) < 230
    assert around_link("| [[A\\|b]] |", ["[[A|b]]"]) == "| [[A\\|b]] |"
    assert around_link("gone", ["[[A]]"]) == ""
    assert excerpt("short", 0, 5) == "short"


def test_a_diff_is_bounded() -> None:
    assert unified("a\nb\n", "a\nc\n", ("1", "2")).splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "+c",
    ]
    assert unified("same", "same", ("1", "2")) == ""
    long = "".join(f"{n}\n" for n in range(3000))
    changed = long.replace("1500\n", "other\n")
    told = unified(long, changed, ("1", "2"))
    assert told.splitlines()[2:] == ["@@ -1501,1 +1501,1 @@", "-1500", "+other"]
    assert "\\ No newline" in unified("a\nb", "a\nc", ("1", "2"))
