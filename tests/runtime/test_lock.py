from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.runtime.lock import LOCK_FILE, read_lock


def test_the_lock_names_the_versions_that_the_docs_promise() -> None:
    lock = read_lock()
    assert lock.neo4j_version == "2026.08.1"
    assert lock.gds_version == "2.26.0"
    assert any(jar.coordinates == "org.neo4j.client:neo4j-browser:5.24.0" for jar in lock.jars)


def test_every_jar_has_a_digest_and_a_name_of_its_own() -> None:
    lock = read_lock()
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in lock.jars)
    names = [(jar.folder, jar.name) for jar in lock.jars]
    assert len(set(names)) == len(names) > 300


def test_gds_lies_where_the_server_looks_for_procedures() -> None:
    for jar in read_lock().jars:
        assert (jar.folder == "plugins") == jar.coordinates.startswith("org.neo4j.gds:")


def test_the_lock_names_no_host_and_nothing_that_the_server_does_not_need() -> None:
    text = LOCK_FILE.read_text("ascii")
    assert "://" not in text
    assert not re.search(r"hadoop|parquet|snappy|:tests? |push-to-cloud", text)


def test_a_classifier_is_part_of_the_file_name(tmp_path: Path) -> None:
    lock = tmp_path / "small.lock"
    lock.write_text(f"a.b:c:1.0:linux {'0' * 64} 7 lib\n")
    (jar,) = read_lock(lock).jars
    assert jar.path == "a/b/c/1.0/c-1.0-linux.jar"
    assert jar.name == "a.b.c-1.0-linux.jar"


@pytest.mark.parametrize(
    "line", ["a:b:1 abc lib", "a:b:1 abc x lib", "a:b abc 1 lib", "a:b:1 x 1 bin"]
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    lock = tmp_path / "bad.lock"
    lock.write_text(line + "\n")
    with pytest.raises(ValueError, match=re.escape(line)):
        read_lock(lock)
