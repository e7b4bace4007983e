"""Files to text: headings, tables and paragraphs kept; what is broken refused with a reason."""

from __future__ import annotations

import pytest

from app.documents.markup import parse_html, parse_markdown
from app.documents.media import Media, media_of
from app.documents.model import Parsed
from app.documents.parsing import Limits, parse
from app.documents.pdf import paragraphs, without_margins
from app.errors import FileBroken, FileEncrypted, FileTooLarge, LociError, UnsupportedMediaType
from tests.documents.files import locked, outlined, pdf, typeset, word, word_bomb, zipped

LIMIT = 100_000
LIMITS = Limits(pages=100)

HTML = """<!doctype html><html><head><title>Pump  manual</title><style>p {color: red}</style>
</head><body><nav>Home | Contact</nav><h1>Pumps &amp; valves</h1>
<p>A <b>pump</b> moves<br>water.<script>alert(1)</script></p>
<ul><li>First</li><li>Second<p>with more</p></li></ul>
<h3>Table</h3><table><tr><th>Part</th><th>Price</th></tr><tr><td>Seal</td><td>5 €</td></tr>
<tr><td></td><td> </td></tr></table>
<pre>x = 1
  y = 2</pre>Loose text<footer>imprint</footer></body></html>"""


def test_html_becomes_blocks_with_headings() -> None:
    parsed = parse_html(HTML.encode(), LIMIT)
    assert parsed.title == "Pump manual"
    assert parsed.text == (
        "Pumps & valves\n\nA pump moves\nwater.\n- First\n- Second\n\nwith more\n\nTable\n"
        "Part | Price\nSeal | 5 €\n\nx = 1\n  y = 2\n\nLoose text"
    )
    assert [(h.level, h.title) for h in parsed.headings] == [(1, "Pumps & valves"), (3, "Table")]
    _headings_stand_in(parsed)


def _headings_stand_in(parsed: Parsed) -> None:
    for heading in parsed.headings:
        assert parsed.text[heading.start :].startswith(heading.title)


def test_html_of_an_old_code_page_is_read_by_what_it_says() -> None:
    page = '<meta charset="iso-8859-1"><p>Straße</p>'.encode("iso-8859-1")
    assert parse_html(page, LIMIT).text == "Straße"


def test_a_page_that_is_nothing_but_navigation_keeps_it() -> None:
    assert parse_html(b"<nav><p>Home</p></nav>", LIMIT).text == "Home"


def test_the_main_part_of_a_page_is_taken_alone() -> None:
    body = "The pump runs day and night. " * 20
    page = f"<p>Buy now!</p><main><h2>Pump</h2><p>{body}</p></main><p>Cookies</p>"
    assert parse_html(page.encode(), LIMIT).text == f"Pump\n\n{body.strip()}"


def test_a_page_that_is_nested_too_deeply_is_refused_not_cut_short() -> None:
    assert parse_html(b"<div>" * 2000 + b"deep", LIMIT).text == "deep"
    with pytest.raises(FileBroken, match="nested"):
        parse_html(b"<div>" * 3000 + b"deep", LIMIT)


def test_markdown_loses_its_markup_and_keeps_its_headings() -> None:
    text = (
        "---\ntitle: The manual\n---\n# Pumps\n\nA **pump** [moves](https://a.org) `water`.\n\n"
        "## Parts\n\n| Part | Price |\n| --- | --- |\n| Seal | 5 |\n\n```\n# no heading\n```\n"
    )
    parsed = parse_markdown(text, LIMIT)
    assert parsed.title == "The manual"
    assert parsed.text == (
        "Pumps\n\nA pump moves water.\n\nParts\nPart | Price\nSeal | 5\n\n# no heading"
    )
    assert [(h.level, h.title) for h in parsed.headings] == [(1, "Pumps"), (2, "Parts")]
    _headings_stand_in(parsed)


def test_the_first_heading_names_a_markdown_file_without_a_title() -> None:
    assert parse_markdown("intro\n\n# Pumps\n", LIMIT).title == "Pumps"


@pytest.mark.parametrize("text", ["<!--", "<![CDATA[", "</div>", "<!-- nothing -->"])
def test_markdown_that_holds_no_text_is_empty(text: str) -> None:
    assert parse_markdown(text, LIMIT).text == ""


def test_a_pdf_is_read_in_the_order_of_its_pages() -> None:
    pages = [["The pump was built in 1998."], ["The valve (a spare) came later."]]
    parsed = parse(pdf(pages), Media.PDF, LIMITS)
    assert parsed.text == "The pump was built in 1998.\n\nThe valve (a spare) came later."
    assert (parsed.pages, parsed.pages_without_text) == (2, 0)


def test_pages_of_a_pdf_that_give_no_text_are_counted() -> None:
    pages = [["The pump was built in 1998."], [], ["The valve came later."], []]
    parsed = parse(pdf(pages), Media.PDF, LIMITS)
    assert (parsed.pages, parsed.pages_without_text) == (4, 2)


def test_the_outline_of_a_pdf_gives_its_headings() -> None:
    pages = [["Intro", "It begins."], ["Some end of it.", "Care", "Oil it."]]
    parsed = parse(outlined(pages, [("Intro", 0), ("Care", 1)]), Media.PDF, LIMITS)
    assert parsed.title == "The outlined one"
    assert [h.title for h in parsed.headings] == ["Intro", "Care"]
    _headings_stand_in(parsed)


BODY = [
    ("The pump of the first building was looked at by the technical team, which found", 10, False),
    ("that it had to be replaced before winter. It weighs 12 kg and was built in 1998.", 10, False),
]


def test_the_type_of_a_pdf_gives_its_headings() -> None:
    pages = [
        [("Kestrel Manual", 20, True), ("The Care of Pumps", 14, True), *BODY,
         ("Oil and Grease", 10, True), *BODY],
        [("The Care of Valves and of the Pipes That Lead", 14, True),
         ("to Them", 14, True), *BODY],
    ]  # fmt: skip
    parsed = parse(typeset(pages), Media.PDF, LIMITS)
    assert [(h.level, h.title) for h in parsed.headings] == [
        (1, "Kestrel Manual"),
        (2, "The Care of Pumps"),
        (3, "Oil and Grease"),
        (2, "The Care of Valves and of the Pipes That Lead to Them"),
    ]
    body = " ".join(line for line, _, _ in BODY)
    assert parsed.text.split("\n\n")[2:5] == [body, "Oil and Grease", body]
    _headings_stand_in(parsed)


@pytest.mark.parametrize(
    "line",
    [
        ("This line is large, but it is a sentence of the text.", 14, False),
        ("and goes on in a larger type", 14, False),
        ("Contents ........ 12", 14, False),
        ("1998", 14, True),
        ("Nothing sets it apart", 10, False),
        ("A line that is hardly larger", 11, False),
    ],
)
def test_what_is_no_heading_of_a_pdf(line: tuple[str, int, bool]) -> None:
    parsed = parse(typeset([[*BODY, line, *BODY]]), Media.PDF, LIMITS)
    assert parsed.headings == ()


def test_bold_lines_of_a_bold_text_and_a_bold_table_are_no_headings() -> None:
    bold = [(text, size, True) for text, size, _ in BODY]
    assert parse(typeset([[*bold, *bold]]), Media.PDF, LIMITS).headings == ()
    table = [("Part and price", 10, True), ("Pump and twelve euros", 10, True)]
    parsed = parse(typeset([[*BODY, *table, *BODY, *BODY]]), Media.PDF, LIMITS)
    assert "Part and price" not in [h.title for h in parsed.headings]


def test_a_title_of_the_outline_is_no_part_of_the_sentence_below_it() -> None:
    lines = ["The care of the pump as it is done in winter by the whole technical team of it"]
    pages = [
        [lines[0], "Oil it with a brush that is as wide as the pump, and wipe off what drips."]
    ]
    parsed = parse(outlined(pages, [(lines[0], 0)]), Media.PDF, LIMITS)
    assert parsed.text.split("\n\n")[0] == lines[0]


def test_lines_of_a_pdf_are_joined_to_paragraphs() -> None:
    lines = [
        "The pump of the first building was looked at by the inter-",
        "national team, which found that it had to be replaced before",
        "winter.",
        "- a first point",
        "- a second one",
    ]
    assert list(paragraphs(lines)) == [
        "The pump of the first building was looked at by the international team, which found that "
        "it had to be replaced before winter.",
        "- a first point",
        "- a second one",
    ]


def test_lines_at_the_edge_of_most_pages_are_no_text() -> None:
    sheets = [["Annual report", f"Text of page {n * n}.", f"Page {n} of 9"] for n in range(9)]
    assert without_margins(sheets) == [[f"Text of page {n * n}."] for n in range(9)]


def test_a_word_file_gives_title_headings_lists_and_tables() -> None:
    data = word(
        "Manual", [("Pumps", ["A pump moves water.", "It is blue."]), ("Valves", ["Shut."])]
    )
    parsed = parse(data, Media.DOCX, LIMITS)
    assert parsed.title == "Manual"
    assert parsed.text == (
        "Manual\n\nPumps\n\nA pump moves water.\n\nIt is blue.\n\nValves\n\nShut."
    )
    assert [h.title for h in parsed.headings] == ["Manual", "Pumps", "Valves"]
    _headings_stand_in(parsed)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("Straße\r\nzwei".encode(), "Straße\nzwei"),
        ("Straße".encode("utf-16"), "Straße"),
        ("Straße".encode("cp1252"), "Straße"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"a  \n\n\n\n\nb\f", "a\n\nb"),
    ],
)
def test_plain_text_is_decoded_and_tidied(data: bytes, expected: str) -> None:
    assert parse(data, Media.TEXT, LIMITS).text == expected


@pytest.mark.parametrize(
    ("data", "media", "error", "reason"),
    [
        (pdf([["x"]]), Media.DOCX, FileBroken, "not a Word file"),
        (pdf([["x"]]), Media.TEXT, FileBroken, "binary"),
        (b"plain", Media.PDF, FileBroken, "not a PDF"),
        (b"a\x00b", Media.MARKDOWN, FileBroken, "binary"),
        (b"%PDF-1.7 and nothing else", Media.PDF, FileBroken, "cannot be read"),
        (pdf([["x"]])[:200], Media.PDF, FileBroken, "cannot be read|no text"),
        (pdf([[]]), Media.PDF, FileBroken, "no text"),
        (locked([["x"]]), Media.PDF, FileEncrypted, "password"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"x" * 99, Media.DOCX, FileEncrypted, "old Word"),
        (zipped({"a.txt": b"x"}), Media.DOCX, FileBroken, "no Word document"),
        (zipped({"word/document.xml": b"<a>"}), Media.DOCX, FileBroken, "cannot be read"),
        (word("x", [("y", ["z"])])[:500], Media.DOCX, FileBroken, "no zip"),
        (word_bomb(3_000_000), Media.DOCX, FileTooLarge, "unpacks"),
        (pdf([["x"]] * 101), Media.PDF, FileTooLarge, "101 pages"),
        (b"x" * 5001, Media.TEXT, FileTooLarge, "characters"),
        (b"   \n ", Media.TEXT, FileBroken, "no text"),
        (b"<html></html>", Media.HTML, FileBroken, "no text"),
        (b"", Media.HTML, FileBroken, "no HTML"),
        (b"<p>" + b"x" * 5001, Media.HTML, FileTooLarge, "characters"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(
    data: bytes, media: Media, error: type[LociError], reason: str
) -> None:
    small = Limits(pages=100, characters=5000, unpacked=2_000_000)
    with pytest.raises(error, match=reason):
        parse(data, media, small)


@pytest.mark.parametrize(
    ("told", "name", "media"),
    [
        ("text/html; charset=utf-8", "", Media.HTML),
        ("application/octet-stream", "a.PDF", Media.PDF),
        ("text/plain", "notes.md", Media.MARKDOWN),
        ("", "a.docx", Media.DOCX),
        ("application/vnd.ms-word.document.macroEnabled.12", "a.docm", Media.DOCX),
        ("application/xhtml+xml", "x", Media.HTML),
    ],
)
def test_the_kind_of_a_file_follows_from_what_it_says(told: str, name: str, media: Media) -> None:
    assert media_of(told, name) is media


def test_other_kinds_of_files_are_not_taken() -> None:
    with pytest.raises(UnsupportedMediaType) as refused:
        media_of("image/png", "a.png")
    assert refused.value.field == "file"
