"""A file of another program as a package: read once, written as lines beside where each came from.

The same file makes the same package, byte for byte, so that an import that was killed goes on
where it was.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NoReturn

import orjson

from app.errors import InvalidInput
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.portability.foreign.files import items_of
from app.portability.foreign.formats import check_users, recognised
from app.portability.foreign.model import FILE, Format, Probe, Reading, of_file
from app.portability.foreign.tables import mapping_of
from app.portability.foreign.values import is_set
from app.portability.kind import Reject
from app.portability.kinds import BY_NAME, KINDS
from app.portability.package import Manifest, Package, PackedFile

WIDTH = 8  # bytes of a place
UNWRITABLE = b'"what no line can hold"'  # a text that is no Unicode, a number beyond 64 bits


@dataclass(frozen=True, slots=True)
class Foreign:
    """What to read: the file, where it goes, and how, as far as the caller says that; `at` is the
    moment of what has none of its own, by default when the file was changed last. `users` sends
    what is of a user to the leaf of that user."""

    path: Path
    scope: str | None
    format: str | None = None
    mapping: Path | None = None
    at: datetime | None = None
    users: bool = False


@contextmanager
def converted(order: Foreign, spool: Path | None = None) -> Iterator[Package]:
    """The package of a file, below `spool` for as long as it is open.

    Raises InvalidInput naming what is wrong: the scope that is missing, the format, or the place
    in the file at which it breaks off; TooLarge for a value of it.
    """
    mapping = mapping_of(order.mapping) if order.mapping else {}
    chosen, found = recognised(order.path, order.format, mapped=bool(mapping))
    if order.scope is None:
        raise InvalidInput(f"name the scope to which {chosen.name} goes", field="scope")
    target = parse_scope(order.scope)
    if order.users and target.leaf is not None:
        raise InvalidInput(f"{target} has no leaves of users below it", field="users")
    if order.users:
        check_users(chosen)
    at = order.at or datetime.fromtimestamp(int(found.path.stat().st_mtime), UTC)
    reading = Reading(chosen.name, str(target), at.isoformat(), mapping, apart=order.users)
    with tempfile.TemporaryDirectory(prefix="loci-import-", dir=spool) as made:
        folder = Path(made)
        kinds = _write(chosen, found, reading, folder)
        if reading.apart and not reading.users:
            _without_users(chosen, order.path)
        files = [PackedFile(folder / k.file, k) for k in KINDS if k.name in kinds]
        called = chosen.names(found.path) if chosen.names else [found.path.name]
        yield Package(
            Manifest(format="loci", version=1),
            files,
            _fingerprint(found.path, reading),
            order.path,
            where=Places(folder, called, chosen).of,
            told=_told(reading),
            names=reading.leaves,
        )


def _without_users(chosen: Format, path: Path) -> NoReturn:
    raise InvalidInput(
        f"nothing in {path.name} says whose it is, so that users cannot be kept apart: "
        f"{chosen.name} names a user by {chosen.user}",
        field="users",
    )


def _told(reading: Reading) -> dict[str, Any]:
    users = {"users": len(reading.users)} if reading.users else {}
    named = {"apart": True, "shared": reading.shared} if users and reading.apart else {}
    return {
        "format": reading.format,
        "items": reading.items,
        "lost": dict(reading.lost),
        **users,
        **named,
    }


def _write(chosen: Format, found: Probe, reading: Reading, folder: Path) -> set[str]:
    """Write the lines; returns the kinds that there are."""

    def items() -> Iterator[tuple[int, str | None, Any]]:
        return chosen.items(found.path) if chosen.items else items_of(found)

    if chosen.learn is not None:
        for _, name, item in items():
            if _tells(chosen, name, item):
                reading.names[of_file(str(name))] = str(item)
            elif isinstance(item, dict) and (_is_listed(chosen, name) or name in chosen.about):
                chosen.learn(reading, name, item)
    with ExitStack() as stack:
        out = _Out(folder, stack)
        for place, name, item in items():
            if not _is_listed(chosen, name):
                reading.lose(*_unread(chosen, name, item))
                continue
            reading.items += 1
            if isinstance(item, str) and name is not None and name in chosen.texts:
                item = {chosen.texts[name]: item}
            if not isinstance(item, dict):
                out.add(chosen.kind, item, place)
                continue
            own = [
                out.add(kind, record, place) for kind, record in chosen.read(reading, name, item)
            ]
            reading.shared += reading.scope in own
        return out.kinds


def _unread(chosen: Format, name: str | None, item: Any) -> list[str]:
    """What is not kept of a member that holds no items."""
    if isinstance(item, dict) and name is not None and name in chosen.about:
        taken = chosen.about[name]
        return [f"{name}.{field}" for field, v in item.items() if field not in taken and is_set(v)]
    return [] if item in (None, "", 0) or _tells(chosen, name, item) else [str(name)]


def _tells(chosen: Format, name: str | None, item: Any) -> bool:
    plain = isinstance(item, str | int | float) and not isinstance(item, bool)
    return plain and name in chosen.tells


def _is_listed(chosen: Format, name: str | None) -> bool:
    return not chosen.lists or name in chosen.lists


class _Out:
    """The files of a package in the making, each with the places that its lines come from."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._open: dict[str, tuple[IO[bytes], IO[bytes]]] = {}

    @property
    def kinds(self) -> set[str]:
        return set(self._open)

    def add(self, kind: str, record: Any, place: int) -> str | None:
        """Write one line; returns the scope that it goes to."""
        if kind not in self._open:
            path = self._folder / BY_NAME[kind].file
            opened = (path.open("wb"), _places(path).open("wb"))
            for one in opened:
                self._stack.enter_context(one)
            self._open[kind] = opened
        lines, places = self._open[kind]
        lines.write(_line(record) + b"\n")
        places.write(place.to_bytes(WIDTH, "big"))
        return record.get("scope") if isinstance(record, dict) else None


def _places(path: Path) -> Path:
    return path.with_suffix(".places")


def _line(record: Any) -> bytes:
    try:
        return orjson.dumps(record)
    except (TypeError, orjson.JSONEncodeError):
        return UNWRITABLE


def _fingerprint(path: Path, reading: Reading) -> str:
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    marks = [f"{f} {f.stat().st_size} {f.stat().st_mtime_ns}" for f in files]
    mapped = [f"{name}={value}" for name, value in sorted(reading.mapping.items())]
    mapped += ["users"] if reading.apart else []
    return digest("foreign", reading.format, reading.scope, str(path.resolve()), *mapped, *marks)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the lines of a converted package come from."""

    folder: Path
    names: list[str]
    format: Format

    def of(self, reject: Reject) -> Reject:
        """A reject as of the file that was read: its item, and its name of the field."""
        with _places(self.folder / reject.file).open("rb") as source:
            source.seek((reject.line - 1) * WIDTH)
            number, place = divmod(int.from_bytes(source.read(WIDTH), "big"), FILE)
        known = self.format.fields.get(reject.field or "", reject.field)
        detail = reject.detail
        if known != reject.field and detail.startswith(reject.field or " "):
            detail = f"{known}{detail.removeprefix(reject.field or '')}"
        return replace(reject, file=self.names[number], line=place, field=known, detail=detail)
