"""Statements that a test makes itself, written to the graph as those that rules read are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.consolidation.apart import Apart
from app.consolidation.derive import Reading
from app.consolidation.service import ConsolidationService
from app.extraction.model import Extracted, Mention, Mode, Span, Statement
from app.extraction.predicates import Registry
from app.kernel.caller import Caller
from app.kernel.graph import Row
from app.values.model import Value
from app.values.parse import parse_value
from app.wiring import Parts
from tests.consolidation.conftest import Said, capture


@dataclass(frozen=True)
class Told:
    """One statement of one text, said some hours after the start."""

    hour: int
    subject: str
    predicate: str
    value: str
    mode: Mode = Mode.ASSERT
    rest: str = ""
    entity: bool = True
    more: Mapping[str, Any] = field(default_factory=dict)
    by: str = "one"
    kind: str = "person"

    @property
    def text(self) -> str:
        """What the episode holds; distinct for distinct statements."""
        words = (self.subject, self.predicate, self.value, self.mode.value, self.rest)
        extra = " ".join(f"{k} {v}" for k, v in self.more.items())
        return " ".join(w for w in (*words, extra, f"at {self.hour}") if w)

    @property
    def statement(self) -> Statement:
        """What is read in it."""
        span = Span(0, len(self.text))
        value: Mention | Value | None
        if self.entity:
            value = Mention(self.value, "unknown", span)
        else:
            value = parse_value(self.value, "en")
        assert value is not None
        made = Statement(
            subject=Mention(self.subject, self.kind, span),
            predicate=self.predicate,
            object=value,
            mode=self.mode,
            span=span,
            text=self.text,
            confidence=0.8,
            rule="constructed",
            rest=self.rest,
        )
        return replace(made, **self.more)


class Constructed(Apart):
    """Reads in each text what the test says that it states."""

    def __init__(self, told: Sequence[Told]) -> None:
        super().__init__()
        self.told = {one.text: one.statement for one in told}

    async def read(
        self, episodes: Sequence[Row], registry: Registry, hold: Callable[[], Awaitable[None]]
    ) -> list[Reading | Exception]:
        """The statement of each episode."""
        return [Reading(e, Extracted((), (self.told[e["content"]],))) for e in episodes]


async def believe(
    opened: Parts, callers: dict[str, Caller], told: Sequence[Told], batch: int = 32
) -> list[str]:
    """Capture what is told in this order and consolidate after each portion; ids of episodes."""
    scope = next(iter(callers.values())).home
    service = ConsolidationService(opened.consolidation._parts, batch)
    service.reader = Constructed(told)
    ids = []
    for start in range(0, len(told), batch):
        for one in told[start : start + batch]:
            said = Said(one.hour, one.text, None, one.by)
            ids.append(await capture(opened, callers[one.by], said))
        tally = await service.consolidate(scope)
        assert tally.failed == 0
    return ids
