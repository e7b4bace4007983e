"""Every file that the program reads beside its code is packed with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
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


def test_the_client_is_a_package_of_its_own(tmp_path: Path) -> None:
    """It is built, installed and imported beside nothing of ours but what it asks for."""
    source, wheels, place = (tmp_path / name for name in ("source", "wheels", "place"))
    shutil.copytree(
        ROOT / "clients" / "python", source, ignore=shutil.ignore_patterns("*.egg-info")
    )
    build = "import sys; from setuptools.build_meta import build_wheel as b; b(sys.argv[1])"
    run([sys.executable, "-c", build, str(wheels)], source)
    (wheel,) = wheels.glob("loci_client-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = packed.read(metadata).decode()
    modules = {f"loci_client/{path.name}" for path in (source / "loci_client").glob("*.py")}
    assert modules | {"loci_client/py.typed"} <= names
    asked = re.findall(r"^Requires-Dist: (\w+)(?!.*extra ==)", told, re.MULTILINE)
    assert asked == ["httpx"]
    run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(place)], tmp_path)
    check = "import loci_client, sys; print(loci_client.__file__); print('app' in sys.modules)"
    where, ours = run([sys.executable, "-c", check], place).split()
    assert Path(where).is_relative_to(place)
    assert ours == "False"


def run(command: list[str], folder: Path) -> str:
    """What a command prints that is run in a folder, without our own code on its path."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
