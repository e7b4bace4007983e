"""Patterns are ones that every supported Python reads alike.

Possessive quantifiers and atomic groups are of Python 3.11, and those before 3.11.5 match them
wrongly: a text that holds what is looked for has none of it.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.contract.statements import modules

pytestmark = pytest.mark.one_python  # judges the patterns as they are written

# Imports all of it and prints every pattern that is compiled meanwhile, and what is in the caches
# of functions that make patterns at their first call. What only tests bring is not there.
LISTING = """
import importlib, json, pkgutil, re, sys
from re import _parser
sys.modules["aiohttp"] = None
seen, parse = [], _parser.parse
def noted(source, *rest, **more):
    seen.append(source) if isinstance(source, str) else None
    return parse(source, *rest, **more)
_parser.parse = noted
import app
for found in pkgutil.walk_packages(app.__path__, "app."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
from app.sanitize.proof import prove_detectors
prove_detectors()
print(json.dumps(seen))
"""
UNEVEN = {codes.POSSESSIVE_REPEAT, codes.ATOMIC_GROUP}


def test_a_possessive_quantifier_is_seen() -> None:
    for pattern in (r"(?:a|(\d{1,3}+)b)", r"(?>a)", r"x(?=a++)"):
        assert _is_uneven(pattern)
    assert not _is_uneven(r"[*+]\++a+(?=b{1,3})")


def test_no_pattern_that_is_compiled_at_import_is_uneven() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},  # the client lies beside
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) > 300
    assert [pattern for pattern in found if _is_uneven(pattern)] == []


def test_no_pattern_in_a_function_is_uneven() -> None:
    texts = [
        node.value
        for _, tree in modules()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _names_re(call.func)
        for node in ast.walk(call)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert len(texts) > 300
    assert [text for text in texts if _is_uneven(text)] == []


def _names_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _is_uneven(pattern: str) -> bool:
    try:
        return _holds(parser.parse(pattern))
    except re.error:
        return False  # a piece of a pattern that is put together when it runs


def _holds(tree: Any) -> bool:
    if isinstance(tree, parser.SubPattern | list | tuple):
        return any(_holds(part) for part in tree)
    return any(tree is code for code in UNEVEN)
