"""What is left of an entity's names when texts that used them are gone: pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.entities.model import alias_id
from app.entities.names import FAMILIES, read_name
from app.entities.resolve import display_name
from app.errors import InvalidInput
from app.kernel.graph import Row

NAMELESS = "?"  # an entity whose every name went, and that a fact is still about


def renamed(rest: Row, gone: Iterable[str]) -> Row | None:
    """The row of `lifecycle.rename` for one entity, None where it keeps all its names.

    `rest` is a row of `lifecycle.entity_rest`; `gone` are the names that the erased texts used for
    it, their speakers included. A name that another text uses as well stays.
    """
    entity = rest["entity"]
    kept_texts, kept_keys, kept_marks = _readings((*rest["names"], *rest["speakers"]))
    lost_texts, lost_keys, lost_marks = _readings(gone)
    aliases = [a for a in entity["aliases"] if a in kept_texts or a not in lost_texts]
    keys = [k for k in entity["keys"] if k in kept_keys or k not in lost_keys]
    marks = [m for m in entity["marks"] if m in kept_marks or m not in lost_marks]
    if len(aliases) == len(entity["aliases"]) and len(keys) == len(entity["keys"]):
        return None
    properties: dict[str, Any] = {
        "aliases": aliases,
        "keys": keys,
        "marks": marks,
        "canonical_name": display_name(aliases) or NAMELESS,
    }
    if entity["canonical_key"] not in keys:
        properties["canonical_key"] = keys[0] if keys else NAMELESS
    lost = [key for key in entity["keys"] if key not in keys]
    return {
        "id": entity["id"],
        "properties": properties,
        "gone": sorted(alias_id(entity["scope"], key) for key in lost),
    }


def _readings(names: Iterable[str]) -> tuple[set[str], set[str], set[str]]:
    """Texts, keys and marks of some names, under every type that they may have been read under."""
    texts: set[str] = set()
    keys: set[str] = set()
    marks: set[str] = set()
    for name in set(names):
        for kind in (*FAMILIES, "unknown"):
            try:
                read = read_name(name, kind)
            except InvalidInput:
                continue  # "I" and the like are no names
            texts.add(read.text)
            keys.update(read.keys)
            marks.update(read.marks)
    return texts, keys, marks
