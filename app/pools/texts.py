"""What search finds of a pool: the words under each key, and of each bulletin. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from app.kernel.ids import new_id
from app.pools.data import BULLETIN, Path, packed
from app.pools.model import Pool, PoolText

MOST = 1000  # texts of one pool: those under the first keys of it
LONGEST = 10_000  # characters of one text


class Held(NamedTuple):
    """A text that is stored: its id, and what tells whether it still follows."""

    id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What makes the stored texts of a pool those that follow from it."""

    new: list[PoolText]
    changed: list[PoolText]
    gone: list[str]
    left: int


class _Written(NamedTuple):
    at: datetime
    by: tuple[str, ...]


def difference(pool: Pool, held: Mapping[str, Held]) -> Difference:
    """Return what is to be done where these texts are stored, by their keys."""
    wanted = {text.key: text for text in texts_of(pool)}
    new = [text for key, text in wanted.items() if key not in held]
    changed = [
        text.model_copy(update={"id": held[key].id})
        for key, text in wanted.items()
        if key in held and held[key].fingerprint != text.fingerprint
    ]
    gone = [one.id for key, one in held.items() if key not in wanted]
    return Difference(new, changed, gone, len(wanted))


def texts_of(pool: Pool) -> list[PoolText]:
    """Return the texts of a pool, each under the key that it stands at: none of a value in which
    no letter stands. The ids are new."""
    written = _written(pool)
    found: list[PoolText] = []
    for path, value in _heads(pool.data):
        if len(found) == MOST:
            break
        content = words_of(value)
        if content:
            at, by = _joined(written.get(path[:1]), written.get(path), pool.created_at)
            found.append(
                PoolText(
                    id=new_id(),
                    scope=pool.scope,
                    pool=pool.id,
                    pool_id=pool.pool_id,
                    key=".".join(path),
                    content=content,
                    written_at=at,
                    writers=by or ((pool.owner,) if pool.owner else ()),
                )
            )
    return found


def words_of(value: Any) -> str:
    """Return a value as it is read for its words: a text as it is, of anything else one line for
    each of its values, with the names that lead there. Empty where no text has a letter."""
    lines: list[str] = []
    left = LONGEST
    says = False
    for path, leaf in _leaves(value, ()):
        said = leaf.strip() if isinstance(leaf, str) else packed(leaf).decode()
        if leaf is None or not said:
            continue
        says = says or (isinstance(leaf, str) and any(map(str.isalpha, said)))
        line = f"{' '.join(path)}: {said}" if path else said
        lines.append(line[:left])
        left -= len(line) + 1
        if left <= 0:
            break
    return "\n".join(lines).strip() if says else ""


def _heads(data: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the values at the top, of bulletins each by itself."""
    for name, value in data.items():
        if name == BULLETIN and isinstance(value, dict):
            for agent, bulletin in value.items():
                yield (name, agent), bulletin
        else:
            yield (name,), value


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    else:
        yield path, value


def _joined(above: _Written | None, own: _Written | None, since: datetime) -> _Written:
    """What marks at and below a key say, with one above all bulletins; `since` where none does."""
    marks = [mark for mark in (above, own) if mark is not None]
    by = dict.fromkeys(who for mark in marks for who in mark.by)
    return _Written(max((mark.at for mark in marks), default=since), tuple(by))


def _written(pool: Pool) -> dict[Path, _Written]:
    """Return when somebody wrote last at each key or below, and who did; bulletins each by
    itself, and what was written above all of them by itself too."""
    found: dict[Path, _Written] = {}
    for mark in pool.marks:
        head = mark.path[: 2 if mark.path[0] == BULLETIN else 1]
        known = found.get(head, _Written(mark.at, ()))
        by = known.by if mark.by in known.by else (*known.by, mark.by)
        found[head] = _Written(max(known.at, mark.at), by)
    return found
