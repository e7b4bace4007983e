"""Notes as flat files: one folder for each scope, one file for each namespace, one line a note.

The files follow from the graph alone: each run writes what is held now, removes what a run before
it has written and nothing stands for any more, and reads none of them back. A list in the base
folder names what belongs to the mirror; nothing else there is touched.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from app.errors import Conflict, InvalidInput
from app.kernel.scope import parse_scope

LIST = ".loci-mirror.json"  # which files of a folder are the mirror's, each with its scope
GLOBAL = "global"  # the folder of a tenant's own notes
TAKEN = re.compile(r"global\Z|(?:user|agent|team)-")
PATH = re.compile(r"(?:~?[a-z0-9][\w.-]*/){1,2}[a-z-]+\.txt\Z")
FOLDER, FILE = 0o700, 0o600

Files = Mapping[str, str]  # texts by path below the base


@dataclass(frozen=True, slots=True)
class Mirrored:
    """How many files were written, stayed as they were, and were removed."""

    written: int
    unchanged: int
    removed: int


def folder_of(scope: str) -> str:
    """Return the folder of a scope: `global` for the tenant, the name of a workspace, and
    `user-mia` for the leaf `user:mia`, within its workspace where it has one. A workspace that is
    called as another folder is has a tilde before its name."""
    path = parse_scope(scope)
    parts = []
    if path.workspace:
        parts.append(f"~{path.workspace}" if TAKEN.match(path.workspace) else path.workspace)
    if path.leaf:
        parts.append(path.leaf.replace(":", "-", 1))
    return str(PurePosixPath(*parts)) if parts else GLOBAL


def text_of(notes: Iterable[tuple[str, str, str]]) -> str:
    """Return the lines of a file: notes by moment, id and text, in that order, each on one line."""
    lines = [" ".join(text.split()) for _, _, text in sorted(notes)]
    return "".join(f"{line}\n" for line in lines)


def mirror(base: Path, root: str, files: Mapping[str, Files]) -> Mirrored:
    """Make the base folder tell what `files` do of the scopes from `root` down.

    `files` holds texts by scope and name. Raises Conflict (`folder`) for a folder that holds
    other things or another tenant's mirror, InvalidInput (`folder`) for a link in it.
    """
    tenant = root.partition("/")[0]
    known = _known(base, tenant)
    wanted = {
        f"{folder_of(scope)}/{name}": (scope, text)
        for scope, texts in files.items()
        for name, text in texts.items()
    }
    gone = [path for path, scope in known.items() if _below(scope, root) and path not in wanted]
    listed = known | {path: scope for path, (scope, _) in wanted.items()}
    _write(base / LIST, _list(tenant, listed))  # first, so that a run that dies leaves no orphan
    written = sum(_written(base, path, text) for path, (_, text) in wanted.items())
    for path in gone:
        _remove(base, path)
    _write(base / LIST, _list(tenant, {p: s for p, s in listed.items() if p not in gone}))
    return Mirrored(written, len(wanted) - written, len(gone))


def mirrors(base: Path, root: str) -> bool:
    """Return whether a folder has files of the scopes from `root` down; raises as `mirror` does.
    Nothing is made."""
    if not (base / LIST).is_file():
        return False
    return any(_below(scope, root) for scope in _listed(base, root.partition("/")[0]).values())


def _known(base: Path, tenant: str) -> dict[str, str]:
    """Which files of a base folder are the mirror's; it is made where it is missing."""
    _make(base)
    if not (base / LIST).is_file():
        if any(base.iterdir()):
            raise Conflict(f"{base} holds other things and no mirror", field="folder")
        return {}
    return _listed(base, tenant)


def _listed(base: Path, tenant: str) -> dict[str, str]:
    """The files of a mirror by what its list says, each with its scope."""
    listed = base / LIST
    said = json.loads(listed.read_text("utf-8"))
    if said["tenant"] != tenant:
        raise Conflict(f"{base} mirrors the tenant {said['tenant']}", field="folder")
    files = {str(path): str(scope) for path, scope in said["files"].items()}
    if not all(PATH.match(path) and ".." not in path.split("/") for path in files):
        raise Conflict(f"{listed} names files that no mirror has", field="folder")
    return files


def _list(tenant: str, files: Mapping[str, str]) -> str:
    return json.dumps({"tenant": tenant, "files": files}, indent=1, sort_keys=True) + "\n"


def _below(scope: str, root: str) -> bool:
    return scope == root or scope.startswith(f"{root}/")


def _written(base: Path, path: str, text: str) -> bool:
    """Write a file of the mirror, unless it says the same; whether it was written."""
    place = base
    for part in PurePosixPath(path).parent.parts:
        place /= part
        _make(place)
    return _write(base / path, text)


def _make(folder: Path) -> None:
    """Make a folder that only its owner enters, or make one so that is there."""
    if folder.is_symlink():
        raise InvalidInput(f"{folder} is a link", field="folder")
    folder.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != FOLDER:
        folder.chmod(FOLDER)


def _write(file: Path, text: str) -> bool:
    data = text.encode()
    if file.is_symlink():
        raise InvalidInput(f"{file} is a link", field="folder")
    if file.is_file() and file.read_bytes() == data:
        return False
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(beside, flags, FILE), "wb") as out:
        out.write(data)
    beside.replace(file)
    return True


def _remove(base: Path, path: str) -> None:
    """Remove a file of the mirror, and the folders that are empty without it."""
    (base / path).unlink(missing_ok=True)
    for parent in _parents(path):
        folder = base / parent
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()


def _parents(path: str) -> Sequence[str]:
    return [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
