"""The types for TypeScript are those of the OpenAPI document, and a compiler takes them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from litestar import Litestar

FOLDER = Path(__file__).parents[2] / "clients/typescript"


def generator() -> ModuleType:
    """clients/typescript/generate.py, which is a script and no package."""
    spec = importlib.util.spec_from_file_location("types_generate", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_types_are_up_to_date(app: Litestar) -> None:
    made = generator()
    told = await made.document(app)
    types = (FOLDER / "loci.d.ts").read_text(encoding="utf-8")
    assert types.partition("\n")[0] == made.first_line(told), "run `make types`"
    ids = [one["operationId"] for item in told["paths"].values() for one in item.values()]
    assert len(ids) > 100
    body = types[types.index("export interface operations {") :]
    assert [each for each in ids if f"\n    {each}: {{" not in body] == []
    assert [n for n in told["components"]["schemas"] if f"\n        {n}: " not in types] == []


def test_a_compiler_takes_the_types() -> None:
    own = FOLDER / "node_modules/.bin/tsc"
    tsc = str(own) if own.exists() else shutil.which("tsc")
    if tsc is None:
        reason = "there is no tsc: `npm ci` in clients/typescript installs it"
        if os.environ.get("TESTS_NEED_TSC"):
            pytest.fail(f"{reason}, and TESTS_NEED_TSC is set")
        pytest.skip(reason)
    done = subprocess.run(
        [tsc, "--noEmit"], cwd=FOLDER, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout
