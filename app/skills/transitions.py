"""What may follow what: the life of a skill, of a conflict and of a proposal, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from app.errors import StateRefused
from app.skills.vocabulary import ConflictStatus, ProposalStatus, Status

SKILL: Mapping[Status, frozenset[Status]] = {
    Status.DRAFT: frozenset([Status.ACTIVE, Status.ARCHIVED]),
    Status.ACTIVE: frozenset([Status.DEPRECATED]),
    Status.DEPRECATED: frozenset([Status.ACTIVE, Status.ARCHIVED]),
    Status.ARCHIVED: frozenset(),
}

CONFLICT: Mapping[ConflictStatus, frozenset[ConflictStatus]] = {
    ConflictStatus.DETECTED: frozenset(
        [ConflictStatus.ACKNOWLEDGED, ConflictStatus.RESOLVED, ConflictStatus.DISMISSED]
    ),
    ConflictStatus.ACKNOWLEDGED: frozenset([ConflictStatus.RESOLVED, ConflictStatus.DISMISSED]),
    ConflictStatus.RESOLVED: frozenset(),  # only a scan opens it again, after its pause
    ConflictStatus.DISMISSED: frozenset(),
}

PROPOSAL: Mapping[ProposalStatus, frozenset[ProposalStatus]] = {
    ProposalStatus.RESEARCH: frozenset([ProposalStatus.DRAFT, ProposalStatus.REJECTED]),
    ProposalStatus.DRAFT: frozenset([ProposalStatus.SUBMITTED, ProposalStatus.REJECTED]),
    ProposalStatus.SUBMITTED: frozenset(
        [
            ProposalStatus.UNDER_REVIEW,
            ProposalStatus.APPROVED,
            ProposalStatus.REJECTED,
            ProposalStatus.EXPIRED,
        ]
    ),
    ProposalStatus.UNDER_REVIEW: frozenset(
        [ProposalStatus.APPROVED, ProposalStatus.REJECTED, ProposalStatus.EXPIRED]
    ),
    ProposalStatus.APPROVED: frozenset([ProposalStatus.CREATED, ProposalStatus.REJECTED]),
    ProposalStatus.CREATED: frozenset(),
    ProposalStatus.REJECTED: frozenset(),
    ProposalStatus.EXPIRED: frozenset(),
}

State = TypeVar("State", bound=StrEnum)


def step(table: Mapping[State, frozenset[State]], now: State, then: State) -> State:
    """`then`; StateRefused (field `status`), naming what may follow, where the table forbids it."""
    if then not in table[now]:
        allowed = ", ".join(sorted(table[now])) or "nothing"
        raise StateRefused(f"after {now} comes {allowed}, not {then}", field="status")
    return then
