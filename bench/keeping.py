"""How many of the best passages a walk leaves near the top: chosen on all sets but one.

What is chosen on the others is shown on the set that was left out, beside what the legs have there
without a walk. Each set is asked in one process, on what `python -m bench passages` stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from app.search.model import Filters, Mode, SearchRequest
from app.search.service import SearchService
from app.wiring import Parts
from bench.floors import HALVES, half_of
from bench.recall import Corpus, Question, recall_at
from bench.walks import ids_of

KEEPING = (0, 1, 2, 3, 5)
CUTS = (2, 5)
LOSS = 1.0  # points; an order that has so many less than the legs alone costs something

Recall = dict[str, dict[int, float]]  # 0 to 1, by question and cut
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """Recall of each question of one set: by the legs alone, and by how many were kept."""

    legs: Recall
    walked: Mapping[int, Recall]


async def ask(opened: Parts, corpus: Corpus, scope: str, tell: Tell) -> Answered:
    """Ask each question by the legs alone, and with a walk for each number that may be kept."""
    ids = await ids_of(opened, scope)
    made = replace(opened.searches.made, shares=None, shown=None)
    services = {count: SearchService(replace(made, keeping=count)) for count in KEEPING}
    legs: Recall = {}
    walked: dict[int, Recall] = {count: {} for count in KEEPING}
    for question in corpus.questions:
        known = replace(question, gold=frozenset(ids.get(name, name) for name in question.gold))
        legs[question.id] = await _found(services[0], known, scope, Mode.HYBRID)
        for count, service in services.items():
            walked[count][question.id] = await _found(service, known, scope, Mode.AUTO)
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


def chosen(sets: Sequence[Answered]) -> int:
    """Return the number kept whose recall, at both cuts, is the best mean over these sets."""
    return max(KEEPING, key=lambda count: (_over(sets, count), -count))


def _over(sets: Sequence[Answered], count: int) -> float:
    return fmean(mean(answered.walked[count], cut) for answered in sets for cut in CUTS)


def left_out(sets: Mapping[str, Answered]) -> dict[str, dict[str, float]]:
    """Return for each set what was chosen on the others, and recall with it and by the legs alone,
    in percent, of all questions and of each half."""
    told = {}
    for name, answered in sets.items():
        count = chosen([other for each, other in sets.items() if each != name])
        row: dict[str, float] = {"kept": count}
        for part in (None, *HALVES):
            for cut in CUTS:
                said = f"R@{cut}" + (f" {part}" if part else "")
                row[f"legs {said}"] = mean(answered.legs, cut, part)
                row[f"auto {said}"] = mean(answered.walked[count], cut, part)
        told[name] = row
    return told


def costs(told: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return a sentence for each set on which the walk loses a point or more of the legs'."""
    return [
        f"{name}: R@{cut} is {row[f'auto R@{cut}']:.1f} with a walk, "
        f"{row[f'legs R@{cut}']:.1f} by the legs alone"
        for name, row in told.items()
        for cut in CUTS
        if row[f"auto R@{cut}"] <= row[f"legs R@{cut}"] - LOSS
    ]
