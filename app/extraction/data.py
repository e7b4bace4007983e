"""The word lists and the registry's rows, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def lexicon() -> dict[str, Any]:
    """Words by what they do in a sentence."""
    return _read("lexicon.toml")


@cache
def predicate_rows() -> dict[str, dict[str, Any]]:
    """The predicates that come with the program, by name."""
    return _read("predicates.toml")


@cache
def words(section: str, name: str) -> frozenset[str]:
    """A list of words of the lexicon."""
    return frozenset(lexicon()[section][name].split())


@cache
def pairs(section: str, name: str) -> dict[str, str]:
    """A list of `word=meaning` of the lexicon; a hyphen in a word stands for a space."""
    found: dict[str, str] = {}
    last = ""
    for item in lexicon()[section][name].split():
        key, equals, value = item.partition("=")
        if equals:
            last = key.replace("-", " ")
            found[last] = value
        else:
            found[last] += " " + item
    return found


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("app.extraction") / name).read_text(encoding="utf-8"))
