"""What the code is made of: lines, sizes, untyped rows and who imports whom, by slice.

Counted over the syntax trees, so that a figure can be held against the one before.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

UNTYPED = re.compile(r"\b(?:Any|Row)\b")
ASPECTS = ("portability", "lifecycle", "graphql")  # what works on every kind
# Query files that carry another name than the slice that asks them.
OWNERS = {
    "work": "workitems",
    "erasure": "lifecycle",
    "scope_deletion": "lifecycle",
    "duplicates": "lifecycle",
    "restoring": "portability",
    "kinds": "indexing",
    "skill_packages": "portability",
    "chunks": "documents",
    "memories": "indexing",
    "knowledge": "skills",
    "condensed": "notes",
    "blocks": "notes",
    "likeness": "indexing",
    "idempotency": "access",
    "sentences": "indexing",
    "health": "telemetry",
    "autonomy": "autonomy",
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(slots=True)
class Slice:
    """What one folder under `app/` holds; every count is of lines unless it says otherwise."""

    code: int = 0
    tests: int = 0
    cypher: int = 0
    modules: list[int] = field(default_factory=list)  # lines of each
    functions: list[int] = field(default_factory=list)  # lines of each
    untyped: int = 0  # times that `Any` or `Row` is named
    imports: set[str] = field(default_factory=set)  # other slices
    asks: Counter[str] = field(default_factory=Counter)  # statements by the file that they are in


def measure(root: Path) -> dict[str, Slice]:
    """Return what each slice of a checkout holds, by name."""
    found: dict[str, Slice] = {}
    for name, path in _modules(root / "app"):
        _count(found.setdefault(name, Slice()), name, path.read_text(encoding="utf-8"))
    for name, path in _modules(root / "tests"):
        if name in found:
            found[name].tests += _lines(path)
    for path in (root / "cypher").glob("*.cypher"):
        owner = OWNERS.get(path.stem, path.stem)
        if owner in found:
            found[owner].cypher += _lines(path)
    return found


def foreign(found: Mapping[str, Slice]) -> Counter[tuple[str, str]]:
    """Return how many statements a slice asks of another one's file, by both names."""
    told: Counter[tuple[str, str]] = Counter()
    for name, one in found.items():
        for file, count in one.asks.items():
            owner = OWNERS.get(file, file)
            if owner != name and owner in found:
                told[name, file] += count
    return told


def spread(sizes: Iterable[int]) -> tuple[int, int]:
    """Return the median and the ninetieth percentile of some sizes, 0 where there are none."""
    known = list(sizes)
    if len(known) < 2:
        return (known[0], known[0]) if known else (0, 0)
    return round(median(known)), round(quantiles(known, n=10)[8])


def whole(found: Mapping[str, Slice]) -> dict[str, object]:
    """Return the figures of the whole house."""
    code = sum(one.code for one in found.values())
    tests = sum(one.tests for one in found.values())
    modules = spread(size for one in found.values() for size in one.modules)
    functions = spread(size for one in found.values() for size in one.functions)
    return {
        "lines of app": code,
        "lines of Cypher": sum(one.cypher for one in found.values()),
        "lines of tests in slices": tests,
        "tests : code": round(tests / code, 2),
        "modules, median / p90": modules,
        "functions, median / p90": functions,
        "Any and Row": sum(one.untyped for one in found.values()),
        "slices imported by aspects": {
            name: len(found[name].imports) for name in ASPECTS if name in found
        },
        "statements of other slices": sum(foreign(found).values()),
    }


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).parts[0].removesuffix(".py"), path


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _count(one: Slice, name: str, text: str) -> None:
    size = text.count("\n")
    one.code += size
    one.modules.append(size)
    one.untyped += len(UNTYPED.findall(text))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, FUNCTIONS):
            one.functions.append((node.end_lineno or node.lineno) - node.lineno + 1)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app."):
            other = str(node.module).split(".")[1]
            one.imports |= {other} - {name}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            base = node.value
            if isinstance(base.value, ast.Name) and base.value.id == "Q":
                one.asks[base.attr] += 1
