"""What a later text does to what an earlier one said, over HTTP: near misses, updates, stories.

A file holds rows `{id, lang, kind, texts: [{text, at, speaker?}], ...}`. The texts of a row are
captured in order into a scope of its own. What is held before the last one is compared with what is
held after it. A near miss must end nothing; an update should end something, or at least tell a
possible change. Rows are split by a hash of their id, so that one half can be looked at while rules
are made and the other not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from app.errors import LociError
from app.evals.client import ApiClient
from app.evals.jsonl import rows
from bench.floors import HALVES, half_of

BATCH = 64  # captures of one request
WAITS = 40  # times that a batch is handed in again until all of it is consolidated
PAGE = 200  # facts of one page

Tell = Callable[[str], None]


class Said(BaseModel):
    """One text of a row."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str
    at: str
    speaker: str | None = None


class Case(BaseModel):
    """One row of a file; what else it says is for readers."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    lang: str
    kind: str
    texts: tuple[Said, ...]
    note: str = ""

    @property
    def half(self) -> str:
        """`seen` or `unseen`, by the parity of a hash of the id."""
        return "seen" if half_of(self.id) == HALVES[0] else "unseen"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the facts of all texts but the last: statements, by what happened to them."""

    case: Case
    read: tuple[str, ...]
    ended: tuple[str, ...]
    possible: tuple[str, ...]
    held: tuple[str, ...]

    def as_row(self) -> dict[str, Any]:
        """The outcome as JSON, for a reader."""
        return {
            "id": self.case.id,
            "half": self.case.half,
            "texts": [said.text for said in self.case.texts],
            "read": self.read,
            "ended": self.ended,
            "possible_change": self.possible,
            "held_after": self.held,
            "note": self.case.note,
        }


def load(path: Path) -> list[Case]:
    """Read the rows of a file."""
    return [Case.model_validate(row) for row in rows(path)]


async def measure(client: ApiClient, root: str, cases: Sequence[Case], tell: Tell) -> list[Outcome]:
    """Capture every row below `root` and compare what is held before and after its last text."""
    for case in cases:
        await client.call("POST", "/v1/scopes", {"scope": _scope(root, case)})
    for step in range(max(len(case.texts) for case in cases) - 1):
        part = [(c, c.texts[step]) for c in cases if len(c.texts) > step + 1]
        await _capture(client, root, part)
    before = {case.id: await _held(client, _scope(root, case)) for case in cases}
    tell(f"first texts: {len(cases)}, with a fact: {sum(map(bool, before.values()))}")
    await _capture(client, root, [(c, c.texts[-1]) for c in cases])
    return [await _outcome(client, root, case, before[case.id]) for case in cases]


def table(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    """Count the outcomes by kind, language and half; shares are of all rows, in percent."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        case = outcome.case
        for lang in (case.lang, "all"):
            groups.setdefault((case.kind, lang, case.half), []).append(outcome)
    return [
        {
            "kind": kind,
            "lang": lang,
            "half": half,
            "rows": len(found),
            "read": sum(bool(o.read) for o in found),
            "ended": sum(bool(o.ended) for o in found),
            "ended_percent": _percent(sum(bool(o.ended) for o in found), len(found)),
            "told": sum(bool(o.ended or o.possible) for o in found),
            "told_percent": _percent(sum(bool(o.ended or o.possible) for o in found), len(found)),
        }
        for (kind, lang, half), found in sorted(groups.items())
    ]


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _scope(root: str, case: Case) -> str:
    return f"{root}/{case.id.lower()}"


async def _capture(client: ApiClient, root: str, part: Sequence[tuple[Case, Said]]) -> None:
    """Capture one text of each row, and wait until what it says is consolidated."""
    for start in range(0, len(part), BATCH):
        body = {"episodes": [_episode(root, *pair) for pair in part[start : start + BATCH]]}
        answer = await client.call("POST", "/v1/episodes:batch?wait=consolidated", body)
        for _ in range(WAITS):
            if all(r["consolidated"] or r["id"] is None for r in answer["receipts"]):
                break
            await asyncio.sleep(0.25)
            answer = await client.call("POST", "/v1/episodes:batch?wait=consolidated", body)
        else:
            raise LociError("what was captured is not consolidated: is a worker running?")


def _episode(root: str, case: Case, said: Said) -> dict[str, Any]:
    episode: dict[str, Any] = {
        "content": said.text,
        "session": case.id,
        "scope": _scope(root, case),
        "captured_at": said.at,
    }
    if said.speaker:
        episode["speaker"] = said.speaker
    return episode


async def _held(client: ApiClient, scope: str) -> dict[str, Mapping[str, Any]]:
    """Every fact of a scope that is believed, by id: what is denied is one too."""
    page = await client.call("GET", f"/v1/facts?scope={scope}&limit={PAGE}")
    return {fact["id"]: fact for fact in page["items"]}


async def _outcome(
    client: ApiClient, root: str, case: Case, before: Mapping[str, Mapping[str, Any]]
) -> Outcome:
    ended, possible = [], []
    for identity, fact in before.items():
        now = await client.call("GET", f"/v1/facts/{identity}")
        statement = str(fact["untrusted"]["statement"])
        if _open(fact) and not _open(now):
            ended.append(statement)
        elif now.get("possible_changes"):
            possible.append(statement)
    after = await _held(client, _scope(root, case))
    return Outcome(
        case=case,
        read=tuple(str(f["untrusted"]["statement"]) for f in before.values()),
        ended=tuple(ended),
        possible=tuple(possible),
        held=tuple(str(f["untrusted"]["statement"]) for f in after.values()),
    )


def _open(fact: Mapping[str, Any]) -> bool:
    """Whether a fact is believed without an end."""
    return any(
        interval["valid_to"] is None
        and interval["retracted_at"] is None
        and interval["standing"] == "held"
        for interval in fact["intervals"]
    )
