"""Archives of a package: .zip, .tar.gz, .tar.zst, unpacked within limits and packed by suffix."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

import zstandard

from app.errors import InvalidInput, TooLarge

SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar.zst")
CHUNK = 1 << 20
GIB = 1 << 30
BLOCK = 4096  # bytes of the disk that the smallest file takes
DEEPEST = 32  # folders within one another
BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
    EOFError,
    gzip.BadGzipFile,
    RuntimeError,  # what zipfile says of an encrypted member, or a compression it lacks
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may unpack to: bytes on the disk in all, and files.

    A package has a file a kind; the folder of another program, a `tree`, one for each page.
    """

    size: int = 256 * GIB
    files: int = 1000
    tree: int = 1_000_000


def is_archive(path: Path) -> bool:
    """Whether the name ends as an archive's does."""
    return path.name.lower().endswith(SUFFIXES)


def unpack(archive: Path, folder: Path, limits: Limits, *, tree: bool = False) -> None:
    """Unpack the files of a package into `folder`, without the folders they lie in; with `tree`,
    which another program's archive needs, in them.

    Raises TooLarge beyond the limits, InvalidInput (field `path`) for a broken archive or one that
    holds links or names outside itself.
    """
    try:
        _Unpacking(folder, limits, tree=tree).all_of(archive)
    except BROKEN as error:
        raise InvalidInput(
            f"{archive.name} is broken, or no archive of a kind that is read", field="path"
        ) from error


class _Unpacking:
    def __init__(self, folder: Path, limits: Limits, *, tree: bool) -> None:
        self._folder = folder
        self._tree = tree
        self._limits = limits
        self._size = 0
        self._names: set[str] = set()

    def all_of(self, archive: Path) -> None:
        if archive.name.lower().endswith(".zip"):
            self._zip(archive)
        else:
            self._tar(archive)

    def _zip(self, archive: Path) -> None:
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                if info.is_dir():
                    continue
                with opened.open(info) as source:
                    self._take(info.filename, source)

    def _tar(self, archive: Path) -> None:
        with _tar_stream(archive) as stream, tarfile.open(fileobj=stream, mode="r|") as opened:
            for member in opened:
                if member.isdir():
                    continue
                source = opened.extractfile(member) if member.isfile() else None
                if source is None:
                    raise InvalidInput("the archive holds a link or a device", field="path")
                self._take(member.name, source)

    def _take(self, name: str, source: IO[bytes]) -> None:
        target = self._folder / self._plain(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            while block := source.read(CHUNK):
                self._count(len(block))
                out.write(block)
            self._count(max(BLOCK - out.tell(), 0))

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limits.size:
            raise TooLarge(f"the archive unpacks to more than {self._limits.size} bytes")

    def _plain(self, name: str) -> str:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or not path.name:
            raise InvalidInput("the archive holds a name outside itself", field="path")
        own = str(path) if self._tree else path.name
        if own in self._names or len(path.parts) > DEEPEST:
            wrong = "twice" if own in self._names else "too deep"
            raise InvalidInput(f"the archive holds {path.name} {wrong}", field="path")
        self._names.add(own)
        most = self._limits.tree if self._tree else self._limits.files
        if len(self._names) > most:
            raise TooLarge(f"the archive holds more than {most} files")
        return own


@contextmanager
def _tar_stream(archive: Path) -> Iterator[IO[bytes]]:
    with archive.open("rb") as raw:
        if archive.name.lower().endswith(".zst"):
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(raw) as stream:
                yield stream
        else:
            with gzip.GzipFile(fileobj=raw) as stream:
                yield cast(IO[bytes], stream)


def pack(folder: Path, archive: Path) -> None:
    """Pack the files of `folder`, the manifest first; InvalidInput for an unknown suffix."""
    names = sorted(p.name for p in folder.iterdir() if p.is_file())
    names.sort(key=lambda name: name != "manifest.json")
    partial = archive.with_name(f"{archive.name}.partial")
    lower = archive.name.lower()
    if lower.endswith(".zip"):
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as out:
            for name in names:
                out.write(folder / name, name)
    elif lower.endswith(".zst"):
        with (
            partial.open("wb") as raw,
            zstandard.ZstdCompressor(level=3).stream_writer(raw) as stream,
            tarfile.open(fileobj=stream, mode="w|") as tar,
        ):
            _add(tar, folder, names)
    elif lower.endswith((".tar.gz", ".tgz")):
        with tarfile.open(partial, "w:gz", compresslevel=6) as tar:
            _add(tar, folder, names)
    else:
        raise InvalidInput(f"an archive ends in {', '.join(SUFFIXES)}", field="path")
    partial.replace(archive)


def _add(tar: tarfile.TarFile, folder: Path, names: list[str]) -> None:
    for name in names:
        tar.add(folder / name, name)
