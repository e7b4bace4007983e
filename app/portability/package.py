"""A package on disk: a folder of JSONL files with a manifest, or an archive of one."""

from __future__ import annotations

import hashlib
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, StringConstraints, ValidationError

from app.errors import InvalidInput, NotFound
from app.kernel.ids import digest
from app.kernel.sentences import of_value
from app.kernel.wire import Moment, ShortText, WireModel
from app.portability.archive import Limits, is_archive, unpack
from app.portability.kind import Kind, Reject
from app.portability.kinds import BY_FILE, BY_NAME, KINDS

MANIFEST = "manifest.json"
PACKS = "manifest.toml"
BLOCK = 1 << 20

Hash = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class FileEntry(WireModel):
    """One file of a package; number of lines and hash are checked where they are given."""

    path: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
    kind: str
    records: Annotated[int, Field(ge=0)] | None = None
    sha256: Hash | None = None


class VectorModel(WireModel):
    """Which model made the vectors of a package."""

    model: ShortText
    version: ShortText
    dimension: Annotated[int, Field(ge=1, le=8192)]


class Manifest(WireModel):
    """What a package says of itself."""

    format: Literal["loci"]
    version: Literal[1]
    created_at: Moment | None = None
    tenants: tuple[ShortText, ...] = ()
    vectors: VectorModel | None = None
    files: tuple[FileEntry, ...] = ()
    digest: Hash | None = None
    audit: Hash | None = None


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One JSONL file and its kind."""

    path: Path
    kind: Kind

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True, slots=True)
class Package:
    """An opened package: its files in the order in which they are imported."""

    manifest: Manifest
    files: list[PackedFile]
    fingerprint: str
    origin: Path
    where: Callable[[Reject], Reject] | None = None  # a reject as of the file that it comes from
    told: dict[str, Any] | None = None  # of what came from another program
    names: Mapping[str, str] = field(default_factory=dict)  # of scopes that it may make, by path

    @property
    def is_placed(self) -> bool:
        """Whether its records name the scope already to which they go."""
        return self.told is not None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.path.stat().st_size for file in self.files)

    @property
    def has_derived(self) -> bool:
        """Whether what was made of the episodes comes along."""
        return any(file.kind.name == "cursor" for file in self.files)

    @property
    def has_audit(self) -> bool:
        """Whether audit events come along, so that a restore is whole."""
        return any(file.kind.name == "audit" for file in self.files)


@contextmanager
def open_package(
    path: Path, limits: Limits | None = None, spool: Path | None = None
) -> Iterator[Package]:
    """A package as a folder; an archive is unpacked below `spool` for as long as it is open.

    Raises NotFound for a missing path, InvalidInput naming file or field of what is wrong,
    TooLarge for an archive beyond `limits`.
    """
    if not path.exists():
        raise NotFound(f"there is no package {path}", field="path")
    if path.is_dir():
        yield _read(path, path)
    elif is_archive(path):
        with tempfile.TemporaryDirectory(prefix="loci-import-", dir=spool) as made:
            unpack(path, Path(made), limits or Limits())
            yield _read(Path(made), path)
    elif path.name in BY_FILE:
        yield Package(
            Manifest(format="loci", version=1),
            [PackedFile(path, BY_FILE[path.name])],
            _fingerprint(path, [path]),
            path,
        )
    else:
        raise InvalidInput(
            f"{path.name} is no folder, no archive (.zip, .tar.gz, .tar.zst) and no file named "
            f"as one of {', '.join(BY_FILE)}",
            field="path",
        )


def is_package(path: Path) -> bool:
    """Whether a path is read as a package of ours: an archive, a file named as one of a kind, or
    a folder with such files, or with a manifest that is not another program's."""
    if not path.is_dir():
        return is_archive(path) or path.name in BY_FILE
    if (path / MANIFEST).is_file():
        return b'"cogx_version"' not in (path / MANIFEST).read_bytes()[:BLOCK]
    return any((path / name).is_file() for name in BY_FILE)


def packs(path: Path) -> list[Path]:
    """The packages that a path stands for: those of its manifest.toml, else the path itself.

    Raises NotFound (`path`) where there is none, InvalidInput for a manifest.toml that lists none.
    """
    if not path.exists():
        raise NotFound(f"there is no package {path}", field="path")
    listing = path / PACKS
    if not listing.is_file():
        return [path]
    try:
        found = tomllib.loads(listing.read_text("utf-8"))["packs"]
        folders = [path / str(pack["path"]) for pack in found]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InvalidInput(f"{listing} lists no [[packs]] with a path", field="path") from error
    for folder in folders:
        if not folder.resolve().is_relative_to(path.resolve()) or not folder.is_dir():
            raise InvalidInput(f"{listing} names {folder.name}, which is not there", field="path")
    return folders


def _read(folder: Path, origin: Path) -> Package:
    manifest = _manifest(folder)
    if manifest.files:
        files = [_listed(folder, entry) for entry in manifest.files]
    else:
        files = [PackedFile(folder / k.file, k) for k in KINDS if (folder / k.file).is_file()]
    if not files:
        raise InvalidInput(f"{origin} holds none of {', '.join(BY_FILE)}", field="path")
    order = {kind.name: place for place, kind in enumerate(KINDS)}
    files.sort(key=lambda file: (order[file.kind.name], file.name))
    marked = [origin] if origin.is_file() else [file.path for file in files]
    return Package(manifest, files, _fingerprint(origin, marked), origin)


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        return Manifest(format="loci", version=1)
    try:
        return Manifest.model_validate(orjson.loads(path.read_bytes()))
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{MANIFEST} is no JSON", field=MANIFEST) from error
    except ValidationError as error:
        wrong = of_value(error.errors()[0])
        raise InvalidInput(f"{MANIFEST}: {wrong.detail}", field=wrong.field) from error


def _listed(folder: Path, entry: FileEntry) -> PackedFile:
    path = folder / entry.path
    if entry.kind not in BY_NAME:
        known = ", ".join(BY_NAME)
        raise InvalidInput(f"{entry.path} holds {entry.kind!r}; known: {known}", field="kind")
    if not path.is_file() or path.is_symlink():
        raise InvalidInput(f"the manifest names {entry.path}, which is not there", field="files")
    _check(path, entry)
    return PackedFile(path, BY_NAME[entry.kind])


def _check(path: Path, entry: FileEntry) -> None:
    """InvalidInput where a file is not the one that the manifest describes."""
    if entry.sha256 is None and entry.records is None:
        return
    hashed, lines, last = hashlib.sha256(), 0, b"\n"
    with path.open("rb") as source:
        while block := source.read(BLOCK):
            hashed.update(block)
            lines += block.count(b"\n")
            last = block[-1:]
    lines += last != b"\n"
    if entry.sha256 is not None and hashed.hexdigest() != entry.sha256:
        raise InvalidInput(f"{entry.path} is not the file that the manifest names", field="sha256")
    if entry.records is not None and lines != entry.records:
        raise InvalidInput(
            f"{entry.path} has {lines} lines, the manifest says {entry.records}", field="records"
        )


def _fingerprint(origin: Path, files: list[Path]) -> str:
    """What tells one package from another, and from itself after a change."""
    marks = [f"{f.name} {f.stat().st_size} {f.stat().st_mtime_ns}" for f in files]
    return digest("package", str(origin.resolve()), *marks)
