"""What is claimed often costs in proportion to its claims, also where they contradict others."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from app.extraction.model import Mode
from app.facts.belief import settle
from app.facts.claim import Authority, Claim, Rules, Tier

START = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = 8  # four times the claims may take so many times as long: of a square it would be sixteen


def said_in_turns(count: int, tiers: tuple[Tier, ...]) -> list[Claim]:
    """Three values of one predicate, each said again and again by a speaker of its own."""
    return [
        Claim(
            f"c{place:06}",
            f"f{place % 3}",
            f"v{place % 3}",
            Mode.ASSERT,
            START + timedelta(minutes=place),
            Authority(tiers[place % len(tiers)], f"p{place % 3}", 0.8),
        )
        for place in range(count)
    ]


def seconds(claims: list[Claim]) -> float:
    """The least processor time of three settlements."""
    taken = []
    for _ in range(3):
        begun = time.process_time()
        settle(claims, Rules(functional=True))
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.parametrize(
    "tiers",
    [
        (Tier.TOOL,),
        (Tier.USER,),
        (Tier.TOOL, Tier.USER),
        (Tier.AGENT, Tier.TOOL, Tier.USER),
        (Tier.AGENT, Tier.TOOL, Tier.QUOTED, Tier.USER),
    ],
    ids=lambda tiers: "+".join(tier.name.lower() for tier in tiers),
)
def test_settling_is_linear_in_the_claims(tiers: tuple[Tier, ...]) -> None:
    few, many = said_in_turns(1000, tiers), said_in_turns(4000, tiers)
    assert seconds(many) < TIMES * seconds(few)
