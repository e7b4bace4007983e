from __future__ import annotations

from pathlib import Path

from app.runtime.passwords import read_existing, read_or_create, write_private


def test_made_once_and_readable_by_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "neo4j"
    password = read_or_create(path)
    assert len(password) >= 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert read_or_create(path) == password
    assert read_or_create(tmp_path / "other") != password


def test_a_file_opened_to_others_is_closed_again(tmp_path: Path) -> None:
    path = tmp_path / "neo4j"
    path.write_text("known\n")
    path.chmod(0o644)
    assert read_or_create(path) == "known"
    assert path.stat().st_mode & 0o777 == 0o600


def test_replacing_leaves_no_draft(tmp_path: Path) -> None:
    write_private(tmp_path / "f", "one")
    write_private(tmp_path / "f", "two")
    assert read_existing(tmp_path / "f") == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert read_existing(tmp_path / "missing") == ""
