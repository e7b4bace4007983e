"""Named queries: Cypher lives in `cypher/*.cypher`, and its header is a contract.

A header reads ``// name: verb_noun(param, param) read many`` and is followed by comment lines
that document the query, then by one statement. The mode is `read`, `write` or `batched`
(`CALL … IN TRANSACTIONS`, which cannot run inside a managed transaction); the arity is `many`,
`one`, `optional` or `none`. Two optional lines excuse a query from a check, with the reason:
``// unscoped: why`` and ``// allow: CartesianProduct why``.

Loading fails, naming file and query, on a malformed header, on a name used twice, and where the
declared parameters are not the ones that the statement uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

HEADER = re.compile(
    r"// name: (?P<name>[a-z_0-9]+)\((?P<params>[a-z_0-9, ]*)\)"
    r" (?P<mode>read|write|batched) (?P<arity>many|one|optional|none)$"
)
# Strings, quoted names and comments may hold a dollar sign that is no parameter.
NOT_CODE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.S)
PARAMETER = re.compile(r"\$([A-Za-z_][A-Za-z_0-9]*)")
# What a vector space has of its own. An index can be no parameter, so a query over another space
# is a text of its own: these names with the suffix of the space.
SPACE_NAMES = re.compile(r"\b(memory_vector|embedding|embed_hash)\b")
SUFFIX = re.compile(r"(_[a-z])?\Z")


class CypherContractError(Exception):
    """A file under `cypher/` breaks the contract of its headers."""


@dataclass(frozen=True, slots=True)
class Query:
    """One named statement; `key` (`file.name`) is its name in logs and `SHOW TRANSACTIONS`."""

    key: str
    text: str
    doc: str
    params: frozenset[str]
    mode: str
    arity: str
    unscoped: str | None
    allowed: frozenset[str]

    def check(self, given: dict[str, Any]) -> None:
        """Raise TypeError, before any network, where arguments and contract differ."""
        if given.keys() != self.params:
            missing, extra = self.params - given.keys(), given.keys() - self.params
            raise TypeError(f"{self.key}: missing {sorted(missing)}, unknown {sorted(extra)}")


def spaced(text: str, suffix: str) -> str:
    """A statement over the vector space whose names end in `suffix`; raises ValueError."""
    if not SUFFIX.match(suffix):
        raise ValueError(f"{suffix!r} is no suffix of a vector space")
    return SPACE_NAMES.sub(rf"\1{suffix}", text)


@cache
def in_space(query: Query, suffix: str) -> Query:
    """The same query over another vector space; raises ValueError."""
    return replace(query, key=f"{query.key}{suffix}", text=spaced(query.text, suffix))


@cache
def over(query: Query, label: str, place: str, key: str) -> Query:
    """A query over `Passage` by `n.scope` and `n.id`, over another label by other properties.

    A label that is a parameter is scanned, never sought in an index.
    """
    text = query.text.replace("(n:Passage)", f"(n:{label})")
    text = re.sub(r"\bn\.(scope|id)\b", lambda m: f"n.{place if m[1] == 'scope' else key}", text)
    return replace(query, key=f"{query.key}_{label}", text=text)


class Namespace:
    """The queries of one file, as attributes."""

    def __init__(self, name: str, queries: dict[str, Query]) -> None:
        self._name = name
        self._queries = queries

    def __getattr__(self, name: str) -> Query:
        try:
            return self._queries[name]
        except KeyError:
            raise AttributeError(f"no query {self._name}.{name}") from None

    def __iter__(self) -> Iterator[Query]:
        return iter(self._queries.values())


class Library:
    """Every namespace, as attributes: `Q.episodes.capture`."""

    def __init__(self, namespaces: dict[str, Namespace]) -> None:
        self._namespaces = namespaces

    def __getattr__(self, name: str) -> Namespace:
        try:
            return self._namespaces[name]
        except KeyError:
            raise AttributeError(f"no file cypher/{name}.cypher") from None

    def __iter__(self) -> Iterator[Query]:
        for namespace in self._namespaces.values():
            yield from namespace


def parse(namespace: str, text: str) -> dict[str, Query]:
    """The queries of one file's text by name; raises CypherContractError."""
    found: dict[str, Query] = {}
    for block in re.split(r"^(?=// name:)", text, flags=re.M)[1:]:
        query = _query(namespace, block)
        name = query.key.rpartition(".")[2]
        if name in found:
            raise CypherContractError(f"{query.key} is defined twice")
        found[name] = query
    return found


def _query(namespace: str, block: str) -> Query:
    first, _, rest = block.partition("\n")
    match = HEADER.match(first.rstrip())
    if match is None:
        raise CypherContractError(f"cypher/{namespace}: malformed header {first!r}")
    key = f"{namespace}.{match['name']}"
    comments, body = _split(rest)
    declared = frozenset(p.strip() for p in match["params"].split(",") if p.strip())
    used = frozenset(PARAMETER.findall(NOT_CODE.sub(" ", body)))
    if declared != used:
        raise CypherContractError(f"{key}: declares {sorted(declared)}, uses {sorted(used)}")
    return Query(
        key=key,
        text=f"// {key}\n{body}",
        doc=" ".join(c for c in comments if not c.startswith(("unscoped:", "allow:"))),
        params=declared,
        mode=match["mode"],
        arity=match["arity"],
        unscoped=_excuse(comments, "unscoped:"),
        allowed=frozenset(c.split()[1] for c in comments if c.startswith("allow:")),
    )


def _split(rest: str) -> tuple[list[str], str]:
    lines = rest.splitlines()
    comments: list[str] = []
    while lines and lines[0].startswith("//"):
        comments.append(lines.pop(0)[2:].strip())
    return comments, "\n".join(lines).strip().rstrip(";")


def _excuse(comments: list[str], prefix: str) -> str | None:
    return next((c.removeprefix(prefix).strip() for c in comments if c.startswith(prefix)), None)


def sources() -> Iterator[tuple[str, str]]:
    """(namespace, text) of each query file; the schema's own folder is not among them."""
    folder: Traversable = files("cypher")
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".cypher"):
            yield entry.name.removesuffix(".cypher"), entry.read_text(encoding="utf-8")


@cache
def load() -> Library:
    """Load and check every query file."""
    return Library({name: Namespace(name, parse(name, text)) for name, text in sources()})


Q = load()
