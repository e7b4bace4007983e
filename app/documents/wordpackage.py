"""The parts of a Word file: what its zip holds, and how they name each other (ECMA-376 part 2).

Only the parts that hold words are read, so that a picture that is missing costs nobody a text, and
both vocabularies of the format, the transitional and the strict one, are known by local names.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from lxml import etree

from app.errors import FileBroken, FileEncrypted, FileTooLarge

MOST_PARTS = 5000
ENCRYPTED = 0x1  # a flag of a zip entry
USUAL = "word/document.xml"
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, etree.XMLSyntaxError)

Node = Any  # lxml's elements


class Package:
    """The parts of one file, by name and by what they are to each other.

    Raises FileBroken, FileEncrypted, and FileTooLarge where the parts say that they come to more
    than `unpacked` bytes: no part yields more than it says.
    """

    def __init__(self, data: bytes, unpacked: int) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise FileBroken("the Word file is no zip file") from error
        entries = self._zip.infolist()
        if any(entry.flag_bits & ENCRYPTED for entry in entries):
            raise FileEncrypted("the Word file is encrypted")
        size = sum(entry.file_size for entry in entries)
        if len(entries) > MOST_PARTS or size > unpacked:
            raise FileTooLarge(f"the Word file unpacks to {size:,} bytes in {len(entries):,} parts")
        self._entries = {_plain(entry.filename): entry for entry in entries}
        self.main = self._main()

    def root(self, name: str) -> Node | None:
        """The root of a part, None where there is no such part; FileBroken where it is damaged."""
        entry = self._entries.get(_plain(name))
        if entry is None:
            return None
        try:
            return etree.fromstring(self._zip.read(entry), _parser())
        except DAMAGE as error:
            raise FileBroken(
                "the Word file cannot be read: a part of its text is damaged"
            ) from error

    def spare(self, name: str) -> Node | None:
        """The root of a part that a text can be read without; None where it is damaged, too."""
        try:
            return self.root(name)
        except FileBroken:
            return None

    def related(self, part: str, kind: str) -> Iterator[str]:
        """The names of the parts that a part calls its `kind`: `footnotes`, `header`."""
        folder, name = posixpath.split(part)
        found = self.spare(posixpath.join(folder, "_rels", f"{name}.rels"))
        for row in () if found is None else found:
            if row.get("TargetMode") != "External" and row.get("Type", "").endswith(f"/{kind}"):
                target = row.get("Target", "").replace("\\", "/")
                yield posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")

    def _main(self) -> str:
        named = next(self.related("", "officeDocument"), USUAL)
        for name in (named, USUAL):
            if _plain(name) in self._entries:
                return name
        raise FileBroken("the zip file holds no Word document")


def local(node: Node) -> str:
    """An element's name without its namespace; empty for what is no element."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def child(node: Node | None, *path: str) -> Node | None:
    """The first child of a name, and of that the first child of the next name."""
    for name in path:
        node = (
            next((inner for inner in node if local(inner) == name), None)
            if node is not None
            else None
        )
    return node


def value(node: Node | None, name: str = "val") -> str | None:
    """An attribute by its name without its namespace."""
    if node is None:
        return None
    return next((text for key, text in node.items() if key.rpartition("}")[2] == name), None)


def switched_on(node: Node | None) -> bool:
    """Whether a property that is either on or off is on."""
    return node is not None and value(node) not in ("0", "false", "off")


def _plain(name: str) -> str:
    """Names of parts do not tell cases apart; some writers know no slash."""
    return name.replace("\\", "/").lstrip("/").lower()


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
