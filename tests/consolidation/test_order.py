"""What is believed does not depend on the order in which it was handed in."""

from __future__ import annotations

import random

import pytest

from app.kernel.caller import Caller
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.consolidation.conftest import Said, beliefs, roots, take_in

ILSE, TOMAS, SILAS = "Ilse Harmsen", "Tomas Bielik", "Silas Okoro"
TOLD = [
    Said(1, "I live in Bremen.", ILSE),
    Said(2, "Our warehouse is in Hamburg.", ILSE),
    Said(3, "The Moosling costs 79 euros.", ILSE),
    Said(4, "Silas is in the on-call rota.", TOMAS),
    Said(5, "And I'm Silas Okoro, project management. I speak English and Igbo.", SILAS, "two"),
    Said(6, "Unser CI läuft auf Jenkins.", TOMAS),
    Said(7, "Ich wohne in Kassel.", TOMAS),
    Said(8, "The Moosling measures soil moisture.", ILSE),
    Said(9, "Marta Quist arbeitet bei Vestrand Plastics.", TOMAS),
    Said(10, "The Moosling also measures soil temperature.", TOMAS, "two"),
    Said(30, "I moved from Bremen to Oldenburg on May 1.", ILSE),
    Said(31, "Actually, the Moosling costs 89 euros, not 79 euros.", ILSE),
    Said(32, "I'm no longer in the on-call rota.", SILAS, "two"),
    Said(33, "Jenkins runs on Debian.", TOMAS),
    Said(34, "We do not use Jira.", TOMAS),
    Said(35, "Ich bin von Kassel nach Göttingen umgezogen.", TOMAS),
    Said(36, "Silas lives in Kiel.", TOMAS),
    Said(37, "I live in Emden.", SILAS, "two"),
    Said(38, "Redmine replaces Jira.", ILSE, "two"),
    Said(39, "Marta Quist works at Brennmoor since 2026-02-01.", ILSE),
    Said(40, "The Moosling costs 99 euros from 2026-06-01.", ILSE),
    Said(41, "Die Miete für das Lager beträgt 4.200 Euro im Monat.", ILSE),
    Said(42, "Our warehouse is in Bremerhaven.", None, "two", "assistant"),
    Said(43, "The deadline is 2026-04-15.", ILSE),
    Said(44, "The deadline is 2026-05-15, not 2026-04-15.", ILSE),
    Said(45, "I no longer drink coffee.", ILSE),
    Said(46, "I drink coffee.", ILSE, "two"),
]


@pytest.fixture
async def orders() -> list[tuple[list[Said], int]]:
    """Orders of arrival with how many are consolidated at once; the first is as it was said."""
    rng = random.Random(2026)
    shuffled = [rng.sample(TOLD, len(TOLD)) for _ in range(4)]
    return [(TOLD, 32), (TOLD[::-1], 1), *zip(shuffled, (5, 32, 1, 9), strict=True)]


async def test_facts_are_the_same_in_every_order(
    opened: Parts, principal: MakePrincipal, tenant: str, orders: list[tuple[list[Said], int]]
) -> None:
    expected = None
    for place, (told, batch) in enumerate(orders):
        callers: dict[str, Caller] = {}
        for name in ("one", "two"):
            callers[name] = (await principal(f"{tenant}o{place}/dev", name=name)).caller
        await take_in(opened, callers, told, batch)
        scope = callers["one"].home
        found = (await beliefs(opened, scope), await roots(opened, scope))
        expected = expected or found
        assert found[1] == expected[1]
        assert set(found[0]) ^ set(expected[0]) == set()
    assert expected is not None
    statuses = {fact[4] for fact in expected[0]}
    assert {"active", "superseded"} <= statuses, "the case says something"
    assert len(expected[0]) > 20
