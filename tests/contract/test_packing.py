"""Every file that the program reads beside its code is packed with it."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_data_file_of_the_program_is_packed() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = table["tool"]["setuptools"]["package-data"]["app"]
    folder = ROOT / "app"
    data = {
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and "__pycache__" not in path.parts
    }
    assert data, "the program reads some"
    assert {path for path in data if not any(path.match(p) for p in patterns)} == set()
