"""A run against the one before: what has become worse by more than is tolerated. Pure but for I/O
of one file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from app.errors import InvalidInput
from app.evals.own_questions import Measured, Scores
from app.kernel.clock import now

VERSION = 1


class LastRun(BaseModel):
    """What a run leaves beside the questions: values of each question by mode, from 0 to 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    at: str
    cuts: list[int]
    scores: dict[str, dict[str, Scores]]


@dataclass(frozen=True, slots=True)
class Change:
    """A mean in percent, before and now, over the questions that both runs asked."""

    mode: str
    metric: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """Points that were won; less than 0 where some were lost."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Verdict:
    """What changed, and which of it is a regression; `common` are the questions of both runs."""

    common: int
    changes: tuple[Change, ...]
    regressions: tuple[Change, ...]


def compared(last: LastRun, run: Measured, tolerance: float) -> Verdict:
    """Each value of both runs over the questions of both; `tolerance` in points of percent.

    Modes and cuts that only one of them has are not compared.
    """
    before = Measured(last.scores, {})
    keys = [key for key in run.scores if key in last.scores]
    if not keys:
        return Verdict(0, (), ())
    old, new = _shared(before, keys), _shared(run, keys)
    changes = tuple(
        Change(mode, metric, old[mode][metric], value)
        for mode, values in new.items()
        if mode in old
        for metric, value in values.items()
        if metric in old[mode]
    )
    worse = tuple(one for one in changes if one.difference < -tolerance - 1e-9)
    return Verdict(len(keys), changes, worse)


def _shared(run: Measured, keys: Sequence[str]) -> dict[str, Scores]:
    """Means of the modes and values that every one of some questions has."""
    modes = [mode for mode in run.scores[keys[0]] if all(mode in run.scores[k] for k in keys)]
    named = {mode: [run.scores[key][mode].keys() for key in keys] for mode in modes}
    held = {mode: set(of[0]).intersection(*of) for mode, of in named.items()}
    kept = {
        key: {
            mode: {name: value for name, value in run.scores[key][mode].items() if name in names}
            for mode, names in held.items()
        }
        for key in keys
    }
    return Measured(kept, {}).means()


def read_last(path: Path) -> LastRun | None:
    """The last run; None where there is none. Raises InvalidInput (`last`) for another file."""
    if not path.exists():
        return None
    try:
        last = LastRun.model_validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        raise InvalidInput(f"{path} is no run of this command", field="last") from error
    if last.version != VERSION:
        raise InvalidInput(f"{path} is of version {last.version}, not {VERSION}", field="last")
    return last


def write_last(path: Path, run: Measured, cuts: Sequence[int]) -> None:
    """Keep a run for the next one to be held against; the file is whole or the former one."""
    told: dict[str, Any] = {
        "version": VERSION,
        "at": now().isoformat(),
        "cuts": list(cuts),
        "scores": run.scores,
    }
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
    beside.replace(path)
