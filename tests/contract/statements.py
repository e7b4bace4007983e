"""What the contract tests read out of Cypher text and Python source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.kernel.cypher import NOT_CODE
from app.kernel.migrate import migrations

APP = Path(__file__).resolve().parents[2] / "app"
NAMED = re.compile(r"[:|]([A-Z]\w+)")
MERGED = re.compile(r"MERGE \((\w*)(?::(\w+))?(?: \{([^}]*)\})?\)")
UNIQUE = re.compile(r"FOR \(n:(\w+)\) REQUIRE n\.(\w+) IS UNIQUE")
INDEXES = re.compile(r"queryNodes\('(\w+)'|VECTOR INDEX (\w+)")


def code(text: str) -> str:
    """A statement without strings, quoted names and comments."""
    return NOT_CODE.sub(" ", text)


def names(text: str) -> tuple[set[str], set[str]]:
    """(labels, relationship types) of a statement: a type is in capitals throughout."""
    found = set(NAMED.findall(code(text)))
    types = {name for name in found if name.isupper()}
    return found - types, types


def indexes(text: str) -> set[str]:
    """Names of the search indexes that a statement asks."""
    return {first or second for first, second in INDEXES.findall(text)}


def merged_nodes(text: str) -> set[tuple[str, tuple[str, ...]]]:
    """(label, keys) of every node that a statement merges by its keys."""
    found = set()
    for _, label, keys in MERGED.findall(code(text)):
        if label:
            found.add((label, tuple(k.partition(":")[0].strip() for k in keys.split(","))))
    return found


def unique_keys() -> set[tuple[str, tuple[str, ...]]]:
    """(label, keys) behind each uniqueness constraint of the schema."""
    statements = (s for m in migrations() for s in m.statements)
    return {(m[1], (m[2],)) for s in statements if (m := UNIQUE.search(s))}


@dataclass(frozen=True)
class Use:
    """One place in app/ where a query is passed to a call; `open` where `**` hides its keywords."""

    key: str
    keywords: frozenset[str]
    open: bool
    where: str


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    """Every module of app/, and of the measurements beside it, parsed once."""
    return [
        (path.relative_to(folder), ast.parse(path.read_text(encoding="utf-8")))
        for folder in (APP, APP.parent / "bench")
        for path in sorted(folder.rglob("*.py"))
    ]


def written_over(node: ast.AST) -> ast.expr | None:
    """What `over(Q.file.name, …)` is given: the same query, over another label."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "over":
        return node.args[0] if node.args else None
    return None


def query_name(node: ast.AST) -> str | None:
    """`file.name` of an expression `Q.file.name`, written over another label or not."""
    if rewritten := written_over(node):
        return query_name(rewritten)
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "Q"
    ):
        return f"{node.value.attr}.{node.attr}"
    return None


def uses() -> Iterator[Use]:
    """Every call in app/ that is given a query."""
    for path, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or written_over(node):
                continue
            for argument in node.args:
                if key := query_name(argument):
                    given = frozenset(k.arg for k in node.keywords if k.arg)
                    hidden = any(k.arg is None for k in node.keywords)
                    yield Use(key, given, hidden, f"{path}:{node.lineno}")


def mentioned() -> set[str]:
    """Every `file.name` that app/ mentions, passed to a call or not."""
    return {key for _, tree in modules() for n in ast.walk(tree) if (key := query_name(n))}
