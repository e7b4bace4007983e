"""Files for tests, made by the libraries that make such files, or by hand where they would not."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import docx
from pypdf import PdfReader, PdfWriter

DOCUMENT = "word/document.xml"


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with these lines on its pages (Latin letters only)."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for place, lines in enumerate(pages):
        drawn = " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
        stream = f"BT /F1 11 Tf 13 TL 50 780 Td {drawn} ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * place} 0 R >>"
        )
        size = len(stream.encode("cp1252"))
        objects.append(f"<< /Length {size} >>\nstream\n{stream}\nendstream")
    return _assembled(objects)


def typeset(pages: Sequence[Sequence[tuple[str, int, bool]]]) -> bytes:
    """A PDF of lines with their size in points and whether they are bold."""
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    fonts = [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
        for name in ("Helvetica", "Helvetica-Bold")
    ]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        *fonts,
    ]
    for place, lines in enumerate(pages):
        drawn, top = [], 800.0
        for text, size, bold in lines:
            top -= size * (1.2 if size < 12 and not bold else 2.2)
            font = "F2" if bold else "F1"
            drawn.append(f"BT /{font} {size} Tf 50 {top:.1f} Td ({_escaped(text)}) Tj ET")
        stream = "\n".join(drawn)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources "
            f"<< /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {6 + 2 * place} 0 R >>"
        )
        size_ = len(stream.encode("cp1252"))
        objects.append(f"<< /Length {size_} >>\nstream\n{stream}\nendstream")
    return _assembled(objects)


def _assembled(objects: Sequence[str]) -> bytes:
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252"))
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    for place in places:
        out.write(f"{place:010d} 00000 n \n".encode())
    out.write(
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    )
    return out.getvalue()


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def outlined(pages: Sequence[Sequence[str]], titles: Sequence[tuple[str, int]]) -> bytes:
    """The same with an outline: titles with their pages, counted from 0."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(pages))))
    for title, place in titles:
        writer.add_outline_item(title=title, page_number=place)
    writer.add_metadata({"/Title": "The outlined one"})
    return _written(writer)


def locked(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF that asks for a password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(pages))))
    writer.encrypt("let me in", algorithm="AES-256")
    return _written(writer)


def _written(writer: PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word(title: str, sections: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """A Word file with a title, and sections with their paragraphs."""
    made = docx.Document()
    made.core_properties.title = title
    made.add_heading(title, 0)
    for heading, paragraphs in sections:
        made.add_heading(heading, 1)
        for paragraph in paragraphs:
            made.add_paragraph(paragraph)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def word_of(body: str, *, main: str = DOCUMENT, w: str = W, **parts: str) -> bytes:
    """A Word file of this XML, as other programs might write it; `parts` are what `styles`,
    `footnotes`, `header` hold, and are named by the document."""
    told = f'xmlns:w="{w}" xmlns:mc="{MC}" xmlns:v="urn:schemas-microsoft-com:vml"'
    roots = {"header": "hdr", "footer": "ftr"}
    files = {
        "_rels/.rels": _relations({"officeDocument": f"/{main}"}),
        main: f"<w:document {told}><w:body>{body}</w:body></w:document>",
        f"word/_rels/{main.removeprefix('word/')}.rels": _relations(
            {kind: f"{kind}.xml" for kind in parts} | {"image": "media/lost.png"}
        ),
    }
    for kind, inner in parts.items():
        root = roots.get(kind, kind)
        files[f"word/{kind}.xml"] = f"<w:{root} {told}>{inner}</w:{root}>"
    return zipped({name: text.encode() for name, text in files.items()})


def _relations(targets: dict[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets.items())
    )
    place = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{place}">{rows}</Relationships>'


def zipped(parts: dict[str, bytes]) -> bytes:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return out.getvalue()


def word_bomb(size: int) -> bytes:
    """A Word file whose text unpacks to `size` bytes of nothing, and says so."""
    return zipped({DOCUMENT: b"<a>" + b" " * size + b"</a>"})


def word_of_entities() -> bytes:
    """A Word file whose few lines of XML stand for billions of characters."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    xml = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{levels}]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>&l9;</w:t></w:r></w:p></w:body></w:document>"
    )
    parts = {}
    with zipfile.ZipFile(io.BytesIO(word("x", [("y", ["z"])]))) as packed:
        parts = {entry.filename: packed.read(entry) for entry in packed.infolist()}
    return zipped({**parts, DOCUMENT: xml.encode()})
