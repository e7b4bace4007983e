"""Links and prose as a Markdown parser sees them; names by the rule of seed 000."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.front_matter import FrontMatter, body_start, read
from app.pages.model import Change
from app.pages.naming import ascii_slug, name_key, own_slug, path_names, slug, title_key
from app.pages.prose import plain
from app.pages.record import followed
from app.pages.wikilink import alternatives, links, prefixed, scan


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Feature Development Guide", "feature-development-guide"),
        ("  Trimmed  ", "trimmed"),
        ("Wide   gaps\tand tabs", "wide-gaps-and-tabs"),
        ("Don't panic: 100% (v2.0)!", "dont-panic-100-v20"),
        ("snake_case", "snakecase"),
        ("A - B", "a---b"),
        ("Über uns", "ber-uns"),
        ("日本語", ""),
    ],
)
def test_a_slug_follows_the_rule(title: str, expected: str) -> None:
    assert ascii_slug(title) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Don't panic: 100% (v2.0)!", "dont-panic-100-v20"),
        ("Größe", "größe"),
        ("Große", "große"),
        ("Gro\u0308ße", "größe"),
        ("Раздел 1", "раздел-1"),
        ("Глава 1", "глава-1"),
        ("日本語、文書", "日本語文書"),
        ("हिन्दी पेज", "हिन्दी-पेज"),
        ("???", "6789abcd"),
    ],
)
def test_a_slug_keeps_the_letters_of_every_script(title: str, expected: str) -> None:
    assert slug(title, "0123456789abcd") == expected
    assert own_slug(title, "0123456789abcd") == f"{expected}-6789abcd"


@given(st.text(max_size=40))
def test_what_is_the_same_title_or_slug_meets_at_one_name(title: str) -> None:
    assert name_key(title) == name_key(f"  {title_key(title)} ")
    if ascii_slug(title_key(title)):
        assert name_key(title) == name_key(ascii_slug(title_key(title)))


def test_a_file_goes_by_every_end_of_its_path() -> None:
    assert path_names("guides/setup/First steps.md") == (
        "First steps",
        "setup/First steps",
        "guides/setup/First steps",
    )
    assert path_names(None) == ()


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see [[Title]] and [[Other|text]]", ["Title", "Other"]),
        ("[[ Title  | text ]]", ["Title"]),
        ("See [[abc-123]] and [[def-456]].", ["abc-123", "def-456"]),
        ("No links", []),
        ("Unclosed [[link", []),
        ("[[Title#Part]] ![[Embedded]]", ["Title#Part", "Embedded"]),
        ("[[]] [[ ]] [[|x]] [[open", []),
        ("[[over\nlines]]", []),
        ("`[[code]]` ``[[more `code`]]``", []),
        ("A claim.[^1]\n\n[^1]: [[Source]]\n[^a b]: [[Other]], page 3\n", ["Source", "Other"]),
        ("> [!note] On [[A]]\n> - [[B]]\n\n[x]: [[C]]\n", ["A", "B"]),
        ("```\n[[fence]]\n```\n\n    [[indented]]\n", []),
        ("<!-- [[comment]] -->\n\n<div>\n[[html]]\n</div>\n", []),
        ("---\ntitle: '[[front]]'\n---\n[[body]]", ["body"]),
        (r"\[[escaped]] and \[\[both]]", []),
        ("> [[quoted]]\n> - [[listed]]\n\n# [[head]] #\n", ["quoted", "listed", "head"]),
        ("| a | b |\n|---|---|\n| [[Cell\\|text]] | [[Next]] |\n", ["Cell", "Next"]),
        ("[label [[Within]] more](https://example.org)", ["Within"]),
        ("[[a[b]] [[c]d]]", []),
        ("*[[Emphasised]]* **[[Strong|x]]**", ["Emphasised", "Strong"]),
    ],
)
def test_links_are_what_a_parser_sees(text: str, targets: list[str]) -> None:
    found = links(text)
    assert [link.target for link in found] == targets
    for link in found:
        assert text[link.start : link.end].replace(r"\|", "|") == link.raw


PIECES = st.sampled_from(
    ["[[A]]", "[[B|b]]", "`[[C]]`", "words", "\n\n", "\n", "> ", "- ", "| x |", "```\n", "**", "# "]
)


@given(st.lists(PIECES, max_size=25).map(" ".join))
def test_every_place_is_that_of_the_link(text: str) -> None:
    found = scan(text)
    for link in found.links:
        assert link.start < 0 or text[link.start : link.end].replace(r"\|", "|") == link.raw
    for start, end in found.prose:
        assert 0 <= start < end <= len(text)
        assert "[[A]]" not in text[start:end]


def test_a_target_may_be_a_heading_a_file_or_of_another_kind() -> None:
    assert alternatives("C# Guide") == ("C# Guide", "C")
    assert alternatives("notes/a.md#Part") == ("notes/a.md#Part", "notes/a.md", "notes/a")
    assert alternatives("../b/c#x")[-1] == "b/c"
    assert alternatives("./a.md")[-1] == alternatives("/a.md")[-1] == "a"
    assert alternatives(".hidden") == (".hidden",)
    assert alternatives("../") == ("../",)
    assert prefixed("agent: Scout") == (("agent", "Scout"),)
    assert prefixed("Entity:Acme GmbH#x") == (("entity", "Acme GmbH#x"), ("entity", "Acme GmbH"))
    assert prefixed("entity:C#") == (("entity", "C#"), ("entity", "C"))
    assert prefixed("https://example.org") == ()
    assert prefixed("agent:") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no block", FrontMatter()),
        (
            "---\ntitle: One\naliases: [Uno, Eins]\ntags:\n- A\n- '#b'\n---\nbody",
            FrontMatter("One", ("Uno", "Eins"), ("a", "b")),
        ),
        ("---\nalias: Uno\ntags: a, b c\n---\n", FrontMatter(None, ("Uno",), ("a", "b", "c"))),
        ("---\ntitle: 7\n...\nbody", FrontMatter("7")),
        ('---\ntitle: "a\\0\\ud800b"\naliases: ["\\ud800"]\n---\n', FrontMatter("a b", ())),
        ("---\ntitle: [broken\n---\n", FrontMatter()),
        ("---\na: &x 1\nb: *x\ntitle: t\n---\n", FrontMatter()),
        ("---\ntitle: {a: 1}\ntags: {a: 1}\n---\n", FrontMatter()),
        (
            "---\ntitle: 2026-11-22\naliases: [2026-11, 3.10, yes, ~]\ntags: 2026\n---\n",
            FrontMatter("2026-11-22", ("2026-11", "3.10", "yes"), ("2026",)),
        ),
        (
            "---\ntitle: 010\naliases: 12:30\ntags: [1_0, No, null]\n---\n",
            FrontMatter("010", ("12:30",), ("1_0", "no")),
        ),
        ("---\ntitle: R &D << 'x'\nalias: ~\ntags:\n---\n", FrontMatter("R &D << 'x'")),
        ("---\ntitle: &t One\naliases: !!python/name:os.system\n---\n", FrontMatter("One", ())),
        ("---\n" + "[" * 5000 + "\n---\n", FrontMatter()),
        ("---\nnever closed", FrontMatter()),
    ],
)
def test_front_matter_says_what_it_can(text: str, expected: FrontMatter) -> None:
    assert read(text) == expected


def stored_as(content: str, **more: Any) -> dict[str, Any]:
    return {"content": content, "title": "T", "aliases": [], "tags": [], **more}


@pytest.mark.parametrize(
    ("before", "after", "change", "expected"),
    [
        ("aliases: [A]\ntags: [t]", "tags: [t]", Change(), Change(aliases=())),
        ("tags: [t]", "tags:", Change(), Change(tags=())),
        ("tags: [t]", "tags: [u]", Change(tags=("x",)), Change(tags=("x",))),
        ("title: A", "tags: [t]", Change(), Change(tags=("t",))),
        ("title: A", "title: B", Change(), Change(title="B")),
        ("title: A\ntags: t", "tags: t\ntitle: A", Change(), Change()),
    ],
)
def test_a_page_follows_its_front_matter(
    before: str, after: str, change: Change, expected: Change
) -> None:
    stored = stored_as(f"---\n{before}\n---\nText.")
    assert followed(stored, change, f"---\n{after}\n---\nText.") == expected


def test_front_matter_ends_where_the_text_begins() -> None:
    assert body_start("---\na: 1\n---\nbody") == len("---\na: 1\n---\n")
    assert body_start("--- \nbody") == 0
    assert body_start("text\n---\n") == 0


def test_prose_is_the_text_without_its_markup() -> None:
    page = (
        "---\ntitle: x\n---\n# About [[Acme GmbH|Acme]]\n\nIt *hired* [[Anna]] &amp; `Bob`.\n\n"
        "- one\n- two ![[Map]]\n\n| a | b |\n|---|---|\n| c | [[D\\|d]] |\n\n```\ncode\n```\n"
        "<!-- hidden -->\n"
    )
    found = plain(page)
    assert found.text == (
        "About Acme\n\nIt hired Anna & Bob.\n- one\n- two Map\na | b\nc | d\n\ncode"
    )
    assert [(h.start, h.level, h.title) for h in found.headings] == [(0, 1, "About Acme")]
