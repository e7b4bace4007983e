"""Archives that are broken, hostile or too large change nothing and say why."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from app.errors import InvalidInput, TooLarge
from app.portability.archive import Limits, pack, unpack
from app.portability.package import open_package, packs
from tests.portability.packages import turns, write_package


def tar_with(path: Path, *members: tarfile.TarInfo) -> Path:
    """A .tar.gz of members that hold as many zeros as they say."""
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(bytes(member.size)))
    return path


def member(name: str, size: int = 3) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tar.zst", ".tgz"])
def test_what_is_packed_is_unpacked(tmp_path: Path, suffix: str) -> None:
    folder = write_package(tmp_path / "p", {"tenants": ["acme"]}, episodes=turns("acme", 3))
    pack(folder, tmp_path / f"p{suffix}")
    (tmp_path / "out").mkdir()
    unpack(tmp_path / f"p{suffix}", tmp_path / "out", Limits())
    for file in folder.iterdir():
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()
    with open_package(tmp_path / f"p{suffix}") as package:
        assert [file.name for file in package.files] == ["episodes.jsonl"]
        assert package.manifest.tenants == ("acme",)


@pytest.mark.parametrize(
    "made",
    [
        [member("../episodes.jsonl")],
        [member("/etc/episodes.jsonl")],
        [link("episodes.jsonl", "/etc/passwd")],
        [member("a/episodes.jsonl"), member("b/episodes.jsonl")],
    ],
)
def test_a_hostile_archive_is_refused(tmp_path: Path, made: list[tarfile.TarInfo]) -> None:
    archive = tar_with(tmp_path / "p.tar.gz", *made)
    (tmp_path / "out").mkdir()
    with pytest.raises(InvalidInput) as error:
        unpack(archive, tmp_path / "out", Limits())
    assert error.value.field == "path"
    assert not (tmp_path / "episodes.jsonl").exists()


def test_a_zip_bomb_is_stopped_at_the_limit(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("episodes.jsonl", bytes(50 << 20))
    (tmp_path / "out").mkdir()
    with pytest.raises(TooLarge, match="unpacks to more"):
        unpack(tmp_path / "bomb.zip", tmp_path / "out", Limits(size=5 << 20))
    assert sum(f.stat().st_size for f in (tmp_path / "out").iterdir()) <= 5 << 20


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    archive = tar_with(tmp_path / "p.tar.gz", *[member(f"f{n}.jsonl", 0) for n in range(20)])
    (tmp_path / "out").mkdir()
    with pytest.raises(TooLarge, match="more than 10 files"):
        unpack(archive, tmp_path / "out", Limits(files=10))


def test_the_folder_of_another_program_may_have_many_files(tmp_path: Path) -> None:
    archive = tar_with(tmp_path / "p.tar.gz", *[member(f"p/f{n}.md", 1) for n in range(1_100)])
    (tmp_path / "out").mkdir()
    unpack(archive, tmp_path / "out", Limits(), tree=True)
    assert len(list((tmp_path / "out" / "p").iterdir())) == 1_100
    (tmp_path / "few").mkdir()
    with pytest.raises(TooLarge, match="more than 1000 files"):
        unpack(archive, tmp_path / "few", Limits())
    with pytest.raises(TooLarge, match="more than 10 files"):
        unpack(archive, tmp_path / "few", Limits(tree=10), tree=True)


def test_many_small_files_count_by_what_they_take_of_the_disk(tmp_path: Path) -> None:
    archive = tar_with(tmp_path / "p.tar.gz", *[member(f"p/f{n}.md", 1) for n in range(300)])
    (tmp_path / "out").mkdir()
    with pytest.raises(TooLarge, match="unpacks to more"):
        unpack(archive, tmp_path / "out", Limits(size=1 << 20), tree=True)
    assert len(list((tmp_path / "out" / "p").iterdir())) <= 257


@pytest.mark.parametrize("name", ["p.zip", "p.tar.gz", "p.tar.zst"])
@pytest.mark.parametrize("cut", [False, True])
def test_a_broken_archive_is_named(tmp_path: Path, name: str, cut: bool) -> None:
    broken = tmp_path / name
    if cut:
        folder = write_package(tmp_path / "p", episodes=turns("acme", 2000))
        pack(folder, broken)
        broken.write_bytes(broken.read_bytes()[: broken.stat().st_size // 2])
    else:
        broken.write_bytes(b"this is no archive at all")
    (tmp_path / "out").mkdir()
    with pytest.raises(InvalidInput, match=name):
        unpack(broken, tmp_path / "out", Limits())


def test_a_manifest_that_does_not_fit_its_files_is_refused(tmp_path: Path) -> None:
    entry = {"path": "episodes.jsonl", "kind": "episode"}
    for wrong, field in (
        ({**entry, "records": 7}, "records"),
        ({**entry, "sha256": "0" * 64}, "sha256"),
        ({**entry, "kind": "poem"}, "kind"),
        ({**entry, "path": "missing.jsonl"}, "files"),
        ({**entry, "path": "../x.jsonl"}, "files.0.path"),
    ):
        folder = write_package(tmp_path / field, {"files": [wrong]}, episodes=turns("acme", 3))
        with pytest.raises(InvalidInput) as error, open_package(folder):
            pass
        assert error.value.field == field


def test_other_formats_and_empty_folders_are_refused(tmp_path: Path) -> None:
    newer = write_package(tmp_path / "n", {"version": 2}, episodes=turns("acme", 1))
    with pytest.raises(InvalidInput, match="version"), open_package(newer):
        pass
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="holds none of"), open_package(tmp_path / "empty"):
        pass
    (tmp_path / "x.csv").write_text("a,b")
    with pytest.raises(InvalidInput, match=r"x\.csv"), open_package(tmp_path / "x.csv"):
        pass


def test_a_list_of_packs_names_folders_inside_it(tmp_path: Path) -> None:
    write_package(tmp_path / "one", episodes=turns("acme", 1))
    (tmp_path / "manifest.toml").write_text('[[packs]]\nname = "one"\npath = "one"\n')
    assert packs(tmp_path) == [tmp_path / "one"]
    for wrong in ('[[packs]]\npath = "two"\n', '[[packs]]\npath = ".."\n', "nothing = 1\n", "]"):
        (tmp_path / "manifest.toml").write_text(wrong)
        with pytest.raises(InvalidInput) as error:
            packs(tmp_path)
        assert error.value.field == "path"
