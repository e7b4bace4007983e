"""`loci mirror`: notes as files that follow from the graph, and nothing else in the folder."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from app.access.service import operator
from app.cli.keys import all_scopes
from app.cli.mirroring import LIST, Mirrored, folder_of, mirror, mirrors, text_of
from app.errors import Conflict, InvalidInput
from app.wiring import Parts
from tests.conftest import Command, Principal
from tests.lifecycle.conftest import Switch, switch
from tests.lifecycle.test_scope_deletion import delete
from tests.pools.test_packages import allow, erase

__all__ = ["switch"]


@pytest.mark.parametrize(
    ("scope", "folder"),
    [
        ("demo", "global"),
        ("demo/product", "product"),
        ("demo/user:mia", "user-mia"),
        ("demo/product/agent:pilot", "product/agent-pilot"),
        ("demo/global", "~global"),
        ("demo/user-mia", "~user-mia"),
        ("demo/globals", "globals"),
    ],
)
def test_each_scope_has_a_folder_of_its_own(scope: str, folder: str) -> None:
    assert folder_of(scope) == folder


def test_a_note_is_a_line() -> None:
    notes = [("2026-02", "b", "Two\nlines."), ("2026-01", "c", "First."), ("2026-02", "a", "Then.")]
    assert text_of(notes) == "First.\nThen.\nTwo lines.\n"


def tree(base: Path) -> dict[str, str]:
    """The files below a folder, without the list."""
    files = (one for one in base.rglob("*") if one.is_file() and one.name != LIST)
    return {str(one.relative_to(base)): one.read_text("utf-8") for one in files}


def test_a_mirror_is_made_and_follows(tmp_path: Path) -> None:
    base = tmp_path / "deep" / "mirror"
    files = {"t": {"knowledge.txt": "A.\n"}, "t/dev": {"methods.txt": "B.\n"}}
    assert mirror(base, "t", files) == Mirrored(2, 0, 0)
    assert tree(base) == {"global/knowledge.txt": "A.\n", "dev/methods.txt": "B.\n"}
    assert mirror(base, "t", files) == Mirrored(0, 2, 0)
    # One scope alone is brought up, and the others stay.
    assert mirror(base, "t/dev", {"t/dev": {}}) == Mirrored(0, 0, 1)
    assert tree(base) == {"global/knowledge.txt": "A.\n"}
    assert not (base / "dev").exists()
    modes = {stat.S_IMODE(one.stat().st_mode) for one in (base, base / "global")}
    assert modes == {0o700}
    assert stat.S_IMODE((base / "global" / "knowledge.txt").stat().st_mode) == 0o600


def test_what_is_not_the_mirrors_is_left_alone(tmp_path: Path) -> None:
    base, other = tmp_path / "mirror", tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(Conflict, match="other things"):
        mirror(other, "t", {"t": {"knowledge.txt": "A.\n"}})
    assert tree(other) == {"mine.txt": "mine"}
    mirror(base, "t", {"t": {"knowledge.txt": "A.\n"}})
    (base / "global" / "mine.txt").write_text("mine")
    mirror(base, "t", {"t": {}})
    assert tree(base) == {"global/mine.txt": "mine"}
    with pytest.raises(Conflict, match="tenant t"):
        mirror(base, "u", {"u": {}})


def test_a_name_with_two_dots_is_no_way_up(tmp_path: Path) -> None:
    base, files = tmp_path / "mirror", {"t/v1..2": {"methods.txt": "B.\n"}}
    assert mirror(base, "t", files).written == 1
    assert mirror(base, "t", files).unchanged == 1


def test_a_link_leads_nowhere(tmp_path: Path) -> None:
    base, away = tmp_path / "mirror", tmp_path / "away"
    away.mkdir()
    mirror(base, "t", {"t": {"knowledge.txt": "A.\n"}})
    (base / "dev").symlink_to(away)
    with pytest.raises(InvalidInput, match="link"):
        mirror(base, "t", {"t/dev": {"methods.txt": "B.\n"}})
    assert list(away.iterdir()) == []
    listed = base / LIST
    listed.write_text(json.dumps({"tenant": "t", "files": {"../away/x.txt": "t"}}))
    (away / "x.txt").write_text("x")
    with pytest.raises(Conflict, match="no mirror"):
        mirror(base, "t", {"t": {}})
    assert (away / "x.txt").is_file()


async def write(who: Principal, content: str, namespace: str, scope: str) -> str:
    """Write a note; its id."""
    body = {"content": content, "namespace": namespace, "scope": scope}
    answer = await who.http.post("/v1/notes", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_the_notes_of_scopes_are_files(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    command: Command,
    tmp_path: Path,
) -> None:
    base, dev = tmp_path / "mirror", f"{tenant}/dev"
    await write(admin, "The yard opens at nine.", "knowledge", tenant)
    await write(writer, "Write to mia@example.org\nbefore you come.", "methods", dev)
    gone = await write(writer, "The gate is half painted.", "project-state", dev)
    done = await command("mirror", str(base), "--scope", tenant)
    assert (done.exit_code, "3 files written" in done.stdout) == (0, True), done.output
    found = tree(base)
    assert found["global/knowledge.txt"] == "The yard opens at nine.\n"
    assert found["dev/project-state.txt"] == "The gate is half painted.\n"
    assert len(found["dev/methods.txt"].splitlines()) == 1
    again = await command("mirror", str(base), "--scope", tenant)
    assert "0 files written, 3 unchanged, 0 removed" in again.stdout
    assert (await writer.http.delete(f"/v1/notes/{gone}")).status_code in (200, 204)
    again = await command("mirror", str(base), "--scope", dev)
    assert "1 removed" in again.stdout
    assert sorted(tree(base)) == ["dev/methods.txt", "global/knowledge.txt"]
    missing = await command("mirror", str(base), "--scope", f"{tenant}/none")
    assert missing.exit_code == 1


def test_a_folder_tells_of_which_scopes_it_has_files(tmp_path: Path) -> None:
    base = tmp_path / "mirror"
    assert not mirrors(base, "t")
    assert not base.exists(), "asking makes nothing"
    mirror(base, "t", {"t/dev": {"knowledge.txt": "A.\n"}})
    assert [mirrors(base, scope) for scope in ("t", "t/dev", "t/de", "t/ops")] == [
        True, True, False, False,
    ]  # fmt: skip
    with pytest.raises(Conflict, match="tenant t"):
        mirrors(base, "u")


async def test_the_mirror_of_a_scope_that_was_deleted_is_cleared(
    opened: Parts, admin: Principal, tenant: str, command: Command, switch: Switch, tmp_path: Path
) -> None:
    await switch(tenant, erasure=True)
    base, dev, ops = tmp_path / "mirror", f"{tenant}/dev", f"{tenant}/ops"
    await write(admin, "The yard opens at nine.", "knowledge", tenant)
    for scope in (dev, ops):
        made = await admin.http.post("/v1/scopes", json={"scope": scope})
        assert made.status_code == 201, made.text
        await write(admin, "The kiln of Sorvik is hot.", "knowledge", scope)
    await command("mirror", str(base), "--scope", tenant)
    assert len(tree(base)) == 3
    await delete(opened, admin, dev)
    done = await command("mirror", str(base), "--scope", dev)
    assert (done.exit_code, "1 removed" in done.stdout) == (0, True), done.output
    assert sorted(tree(base)) == ["global/knowledge.txt", "ops/knowledge.txt"]
    again = await command("mirror", str(base), "--scope", dev)
    assert again.exit_code == 1, "there is neither such a scope nor such a file"
    caller = operator(tenant, await all_scopes(opened, tenant))
    await opened.deletion.carry_out(await opened.deletion.order(caller, tenant))
    done = await command("mirror", str(base), "--scope", tenant)
    assert (done.exit_code, "2 removed" in done.stdout) == (0, True), done.output
    assert tree(base) == {}


async def test_a_run_after_an_erasure_removes_what_was_erased(
    opened: Parts,
    admin: Principal,
    writer: Principal,
    tenant: str,
    command: Command,
    tmp_path: Path,
) -> None:
    await allow(admin, tenant)
    base, dev = tmp_path / "mirror", f"{tenant}/dev"
    note = await write(writer, "The kiln of Sorvik is hot.", "knowledge", dev)
    await command("mirror", str(base), "--scope", tenant)
    assert "Sorvik" in tree(base)["dev/knowledge.txt"]
    await erase(opened, admin, memory=note)
    done = await command("mirror", str(base), "--scope", tenant)
    assert done.exit_code == 0, done.output
    assert tree(base) == {}
    assert "Sorvik" not in (base / LIST).read_text("utf-8")
