"""What a walk leaves of the order of the legs: chosen on all sets but one.

What is chosen on the others is shown on the set that was left out, beside what the legs have there
without a walk. Each set is asked in one process, on what `python -m bench passages` stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from app.search.mode import Mode
from app.search.model import Filters, SearchRequest
from app.search.service import SearchService
from app.search.walking import FREE, Keeping
from app.wiring import Parts
from bench.floors import HALVES, half_of
from bench.recall import Corpus, Question, recall_at
from bench.walks import ids_of

# From the simplest: how many of the first passages keep near the top, and by how much worse what
# passes a near one may not answer.
KEEPING = {"0": FREE, "2": Keeping(2, None), "5": Keeping(5, None)} | {
    f"2, worse by {worse}": Keeping(2, worse) for worse in (0.05, 0.1, 0.2)
}
CUTS = (2, 5)
LOSS = 1.0  # points; an order that has so many less than the legs alone costs something

Recall = dict[str, dict[int, float]]  # 0 to 1, by question and cut
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """Recall of each question of one set: by the legs alone, and by what was kept."""

    legs: Recall
    walked: Mapping[str, Recall]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the other sets chose for one, and its recall in percent by way, cut and half."""

    kept: str
    recall: Mapping[str, float]


async def ask(opened: Parts, corpus: Corpus, scope: str, tell: Tell) -> Answered:
    """Ask each question by the legs alone, and with a walk for each that may be kept."""
    ids = await ids_of(opened, scope)
    made = replace(opened.searches.made, shares=None, shown=None)
    services = {name: SearchService(replace(made, keeping=kept)) for name, kept in KEEPING.items()}
    legs: Recall = {}
    walked: dict[str, Recall] = {name: {} for name in KEEPING}
    for question in corpus.questions:
        known = replace(question, gold=frozenset(ids.get(name, name) for name in question.gold))
        legs[question.id] = await _found(services["0"], known, scope, Mode.HYBRID)
        for name, service in services.items():
            walked[name][question.id] = await _found(service, known, scope, Mode.AUTO)
    tell(f"{corpus.name}: {len(legs)} questions are asked")
    return Answered(legs, walked)


async def _found(
    service: SearchService, question: Question, scope: str, mode: Mode
) -> dict[int, float]:
    filters = Filters(scopes=[scope], kinds=["episode"])
    request = SearchRequest(question.text, filters, mode, limit=max(CUTS), counted=False)
    order = [hit.id for hit in (await service.search(request)).hits]
    return {cut: recall_at(order, question.gold, cut) for cut in CUTS}


def mean(recall: Recall, cut: int, part: str | None = None) -> float:
    """Return the mean recall in percent, of all questions or of one half of them."""
    chosen = [found[cut] for id, found in recall.items() if part in (None, half_of(id))]
    return 100 * fmean(chosen) if chosen else 0.0


def chosen(sets: Sequence[Answered]) -> str:
    """Return what is kept where recall, at both cuts, is the best mean over these sets; of equal
    ones the simplest."""
    return max(KEEPING, key=lambda name: _over(sets, name))


def _over(sets: Sequence[Answered], name: str) -> float:
    return fmean(mean(answered.walked[name], cut) for answered in sets for cut in CUTS)


def left_out(sets: Mapping[str, Answered]) -> dict[str, LeftOut]:
    """Return for each set what was chosen on the others, and recall with it and by the legs alone,
    of all questions and of each half."""
    told = {}
    for name, answered in sets.items():
        kept = chosen([other for each, other in sets.items() if each != name])
        row: dict[str, float] = {}
        for part in (None, *HALVES):
            for cut in CUTS:
                said = f"R@{cut}" + (f" {part}" if part else "")
                row[f"legs {said}"] = mean(answered.legs, cut, part)
                row[f"auto {said}"] = mean(answered.walked[kept], cut, part)
        told[name] = LeftOut(kept, row)
    return told


def costs(told: Mapping[str, LeftOut]) -> list[str]:
    """Return a sentence for each set on which the walk loses a point or more of the legs'."""
    return [
        f"{name}: R@{cut} is {row.recall[f'auto R@{cut}']:.1f} with a walk, "
        f"{row.recall[f'legs R@{cut}']:.1f} by the legs alone"
        for name, row in told.items()
        for cut in CUTS
        if row.recall[f"auto R@{cut}"] <= row.recall[f"legs R@{cut}"] - LOSS
    ]
