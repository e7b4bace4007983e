"""Word files as other hands write them: what is text today is read, once, and nothing else."""

from __future__ import annotations

import io

import docx
import pytest

from app.documents.media import Media
from app.documents.model import Parsed
from app.documents.parsing import Limits, parse
from app.errors import FileBroken
from tests.documents.files import STRICT, word_of, zipped

BARE = b"<document><body><p><r><t>Read me</t></r></p></body></document>"


def read(body: str, **parts: str) -> Parsed:
    return parse(word_of(body, **parts), Media.DOCX, Limits())


def p(*runs: str, style: str = "", more: str = "") -> str:
    """A paragraph of runs, or of XML that is given as such."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    inner = "".join(run if run.startswith("<") else r(run) for run in runs)
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{inner}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(key: str, name: str, more: str = "") -> str:
    return f'<w:style w:styleId="{key}"><w:name w:val="{name}"/>{more}</w:style>'


def row(*cells: str, more: str = "") -> str:
    inner = "".join(f"<w:tc>{cell if cell.startswith('<') else p(cell)}</w:tc>" for cell in cells)
    return f"<w:tr><w:trPr>{more}</w:trPr>{inner}</w:tr>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("Kept", "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"), "Kept"),
        (p("It is ", "<w:ins>" + r("new") + "</w:ins>", "."), "It is new."),
        (p("<w:moveFrom>" + r("Old place") + "</w:moveFrom>") + p("Here"), "Here"),
        (p("<w:moveTo>" + r("New place") + "</w:moveTo>"), "New place"),
        (p("Seen", r("hidden", "<w:vanish/>")), "Seen"),
        (p("Seen", r(" too", '<w:vanish w:val="0"/>')), "Seen too"),
        (p('<w:fldSimple w:instr="DATE">' + r("1998") + "</w:fldSimple>"), "1998"),
        (p("a", "<w:r><w:instrText>PAGEREF x</w:instrText></w:r>", "b"), "ab"),
        (p("<w:smartTag>" + r("Bremen") + "</w:smartTag>"), "Bremen"),
        (p("a", "<w:r><w:noBreakHyphen/><w:tab/><w:br/></w:r>", "b"), "a-\t\nb"),
        (p("<w:r><w:ruby><w:rt>" + r("kan") + "</w:rt></w:ruby></w:r>", "漢"), "漢"),
        (p("<w:oMath><w:r><w:t>E=mc</w:t></w:r></w:oMath>"), "E=mc"),
    ],
)
def test_a_paragraph_is_what_a_reader_of_today_sees(body: str, text: str) -> None:
    assert read(body).text == text


def test_headings_are_known_by_outline_name_and_what_a_style_is_based_on() -> None:
    styles = (
        style("berschrift2", "heading 2")
        + style("Kapitel", "Kapitel", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + style("Eigen", "Firma Kapitel", '<w:basedOn w:val="Kapitel"/>')
        + style("Titre3", "Titre 3")
        + style("Titel", "Title")
        + style("Ring", "Ring", '<w:basedOn w:val="Ring"/>')
        + style("Inhalt", "TOC Heading", '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
    )
    body = (
        p("Handbuch", style="Titel")
        + p("Eins", style="Eigen")
        + p("Zwei", style="berschrift2")
        + p("Trois", style="Titre3")
        + p("Vier", more='<w:outlineLvl w:val="3"/>')
        + p("Text", style="Eigen", more='<w:outlineLvl w:val="9"/>')
        + p("Kreis", style="Ring")
        + p("Six", style="Heading6")
    )
    found = [(h.level, h.title) for h in read(body, styles=styles).headings]
    expected = [(0, "Handbuch"), (1, "Eins"), (2, "Zwei"), (3, "Trois"), (4, "Vier")]
    assert found == [*expected, (6, "Six")]  # of a style that the file does not describe


def test_a_table_of_contents_repeats_nothing() -> None:
    styles = style("Verzeichnis1", "toc 1") + style("h", "heading 1")
    body = p("Pumps\t3", style="Verzeichnis1") + p("Pumps", style="h")
    assert read(body, styles=styles).text == "Pumps"


def test_items_are_known_by_numbering_of_their_own_or_of_their_style() -> None:
    numbered = '<w:numPr><w:numId w:val="4"/></w:numPr>'
    styles = style("Punkt", "Punkt", f"<w:pPr>{numbered}</w:pPr>") + style("b", "List Bullet 2")
    body = (
        p("First", more=numbered)
        + p("Second", style="Punkt")
        + p("Third", style="b")
        + p("none", style="Punkt", more='<w:numPr><w:numId w:val="0"/></w:numPr>')
        + p("", more=numbered)
    )
    assert read(body, styles=styles).text == "- First\n- Second\n- Third\n\nnone"


def test_tables_are_read_row_by_row_and_frames_as_what_they_frame() -> None:
    wrapped = f"<w:sdt>{p('5 €')}</w:sdt>"
    nested = f"<w:tbl>{row('deep', 'er')}</w:tbl>"
    table = (
        row("Part", "Price")
        + f"<w:sdt><w:sdtContent>{row('Seal', wrapped)}</w:sdtContent></w:sdt>"
        + row("gone", "too", more="<w:del/>")
        + row("", "")
        + row(p("Valve") + p("(spare)"), nested)
    )
    frame = row(p("Care", style="Heading1") + p("Oil it."))
    parsed = read(f"<w:tbl>{table}</w:tbl><w:tbl>{frame}</w:tbl>")
    assert parsed.text == "Part | Price\nSeal | 5 €\nValve (spare) | deep er\n\nCare\n\nOil it."
    assert [h.title for h in parsed.headings] == ["Care"]


def test_forms_keep_what_was_filled_in_and_lose_their_prompts() -> None:
    prompt = "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    filled = f"<w:sdt><w:sdtContent>{p('Ada')}</w:sdtContent></w:sdt>"
    body = filled + prompt.format(p("Click here")) + p("on ", prompt.format(r("a date")), "time")
    assert read(body).text == "Ada\n\non time"


def test_boxes_are_read_once_after_what_they_hang_on() -> None:
    box = f"<w:txbxContent>{p('In a box')}</w:txbxContent>"
    drawn = (
        f"<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert read(p("Before", drawn, " it") + p("After")).text == "Before it\n\nIn a box\n\nAfter"
    old = f"<w:r><w:pict><v:textbox>{box}</v:textbox></w:pict></w:r>"
    assert read(f"<w:tbl>{row(p('a', old), 'b')}</w:tbl>").text == "a | b\n\nIn a box"


def test_a_note_stands_once_after_what_refers_to_it() -> None:
    mark = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    notes = (
        f'<w:footnote w:id="0">{p("rule")}</w:footnote>'
        f'<w:footnote w:id="2">{p("See there", mark)}</w:footnote>'
    )
    assert read(p("Claim", mark, ".") + p("End"), footnotes=notes).text == (
        "Claim.\n\nSee there\n\nEnd"
    )


def test_the_edges_of_pages_are_told_once_without_their_numbers() -> None:
    numbered = p("Page ", '<w:fldSimple w:instr=" PAGE ">' + r("3") + "</w:fldSimple>")
    edge = p("ACME") + numbered
    parsed = read(p("Pumps", style="Heading1"), header=edge, footer=edge + p("Bremen"))
    assert parsed.text == "ACME\nBremen\n\nPumps"
    assert [h.start for h in parsed.headings] == [13]


@pytest.mark.parametrize(
    "data",
    [
        word_of(p("Read me"), main="word/document2.xml"),
        word_of(p("Read me"), w=STRICT),
        word_of(p("Read me"), styles="<broken"),
        word_of(f"<!-- c --><w:customXml>{p('Read me')}</w:customXml>"),
        zipped({"WORD\\Document.xml": BARE}),
    ],
    ids=["main part elsewhere", "strict", "styles damaged", "wrapped", "names of another system"],
)
def test_odd_files_are_read(data: bytes) -> None:
    assert parse(data, Media.DOCX, Limits()).text == "Read me"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (word_of("<w:p>"), "a part of its text is damaged"),
        (word_of(p("x"), footnotes="<w:footnote>"), "a part of its text is damaged"),
        (zipped({"word/document.xml": b"<document/>"}), "no body"),
        (word_of("<w:p>" * 9000 + "</w:p>" * 9000), "damaged"),
        (word_of(p(r("only hidden", "<w:vanish/>"))), "no text"),
    ],
)
def test_what_is_damaged_is_refused_not_read_in_part(data: bytes, reason: str) -> None:
    with pytest.raises(FileBroken, match=reason):
        parse(data, Media.DOCX, Limits())


def test_what_a_library_writes_is_read_as_it_was_meant() -> None:
    made = docx.Document()
    made.add_heading("Pumps", 1)
    made.add_paragraph("Oil", style="List Number")
    made.add_paragraph("Seals", style="List Bullet")
    table = made.add_table(rows=2, cols=2)
    for place, cell in enumerate(cell for line in table.rows for cell in line.cells):
        cell.text = f"cell {place}"
    made.sections[0].header.paragraphs[0].text = "ACME"
    out = io.BytesIO()
    made.save(out)
    parsed = parse(out.getvalue(), Media.DOCX, Limits())
    assert parsed.text == ("ACME\n\nPumps\n- Oil\n- Seals\ncell 0 | cell 1\ncell 2 | cell 3")
    assert [(h.level, h.title) for h in parsed.headings] == [(1, "Pumps")]
