"""What is believed does not depend on the order in which it was handed in."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.kernel.caller import Caller
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.consolidation.conftest import Said, beliefs, joined, take_in, things

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


# Names that meet: with and without a type, cut short, of two things, in two spellings.
MEETING = [
    Said(50, "We use Mercedes.", TOMAS),
    Said(51, "Mercedes works at Brennmoor.", ILSE),
    Said(52, "Mercedes costs 300 euros.", TOMAS),
    Said(53, "Acme GmbH is in Berlin.", ILSE),
    Said(54, "Acme AG is in Zürich.", TOMAS),
    Said(55, "Acme ordered 20 sensors.", ILSE),
    Said(56, "Acme raised the order from 20 to 40 sensors.", ILSE),
    Said(57, "Verdelo Farms ordered 400 sensors.", ILSE),
    Said(58, "Verdelo raised the order from 400 to 650 sensors.", ILSE),
    Said(59, "Der Hauptsitz von Verdelo ist in Lyon.", TOMAS),
    Said(60, "Verdelo's headquarters are actually in Grenoble, not in Lyon.", TOMAS),
    Said(61, "Tannsee Werke ordered 10 sensors.", TOMAS),
    Said(62, "Tannsee Verlag ordered 20 sensors.", TOMAS),
    Said(63, "Der Hauptsitz von Tannsee ist in Kassel.", TOMAS),
    Said(64, "Zurich is our main market.", ILSE),
    Said(65, "Eisvogel costs 79 euros.", ILSE),
    Said(66, "Das Projekt Eisvogel ist abgeschlossen.", TOMAS),
    Said(67, "Actually, Eisvogel costs 89 euros, not 79 euros.", ILSE),
    Said(68, "Frau Weber works at Acme GmbH.", ILSE),
    Said(69, "Herr Weber works at Acme AG.", ILSE),
    Said(70, "Weber lives in Bern.", TOMAS),
]
EVERYTHING = [*TOLD, *MEETING]


@pytest.fixture
def orders() -> list[tuple[list[Said], int]]:
    """Orders of arrival with how many are consolidated at once; the first is as it was said."""
    rng = random.Random(2026)
    shuffled = [rng.sample(EVERYTHING, len(EVERYTHING)) for _ in range(3)]
    return [(EVERYTHING, 32), (EVERYTHING[::-1], 7), *zip(shuffled, (1, 96, 32), strict=True)]


async def test_neither_order_nor_size_of_a_batch_matters(
    opened: Parts, principal: MakePrincipal, tenant: str, orders: list[tuple[list[Said], int]]
) -> None:
    expected: list[list[tuple[Any, ...]]] = []
    for place, (told, batch) in enumerate(orders):
        callers: dict[str, Caller] = {}
        for name in ("one", "two"):
            callers[name] = (await principal(f"{tenant}o{place}/dev", name=name)).caller
        await take_in(opened, callers, told, batch)
        scope = callers["one"].home
        found = [await read(opened, scope) for read in (beliefs, things, joined)]
        expected = expected or found
        for one, other in zip(found, expected, strict=True):
            assert set(one) ^ set(other) == set(), (place, batch)
    facts, _, merges = expected
    assert {"active", "superseded"} <= {fact[4] for fact in facts}, "the case says something"
    assert len(facts) > 40
    rules = {merge[2]: merge[:2] for merge in merges}
    assert rules["short_name"] == ("verdelo farms/organization", "verdelo/unknown")
    assert {"same_name", "given_name"} <= set(rules)
    named = {end.partition("/")[0] for merge in merges for end in merge[:2]}
    assert named.isdisjoint({"mercedes", "acme", "tannsee", "weber"}), "these are open questions"
    held = {(f[0], f[2]) for f in facts if f[4] == "active"}
    assert ("verdelo farms", "grenoble") in held
    assert ("verdelo farms", "lyon") not in held
    orders_of = [f for f in facts if f[:2] == ("verdelo farms", "tally:order:sensor") and not f[3]]
    assert [f[4] for f in orders_of] == ["superseded", "active"]
