"""Skills and learnings over HTTP with the model that ships, in English and German."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.skills.test_skills import get, post, skill

DEMO = [json.loads(line) for line in Path("seed/demo/skills.jsonl").read_text("utf-8").splitlines()]
Drain = Callable[[], Awaitable[int]]


@pytest.fixture
async def demo(principal: MakePrincipal, tenant: str, drain: Drain) -> Principal:
    """A curator of the demo's skills, all in one scope."""
    curator = await principal(f"{tenant}/ops", Role.CURATOR, name="curator")
    for stored in DEMO:
        active = next(each for each in stored["versions"] if each["is_active"])
        fields = ("body", "preconditions", "postconditions")
        await skill(
            curator,
            stored["name"],
            description=stored["description"],
            category=stored["category"],
            **{field: active[field] for field in fields if field in active},
        )
    await drain()
    return curator


async def discovered(who: Principal, task: str) -> list[str]:
    found = await get(who, "/v1/skills/discover", description=task)
    assert found["mode"] == "hybrid"
    return [hit["untrusted"]["name"] for hit in found["items"]]


async def test_skills_are_found_for_what_they_are_for_and_no_other_task(demo: Principal) -> None:
    for task in ("bake a chocolate cake", "einen Schokoladenkuchen backen", "capital of France"):
        assert await discovered(demo, task) == [], task
    renew = "Renew the broker certificate"
    assert (await discovered(demo, "the certificate of the broker runs out"))[0] == renew
    assert (await discovered(demo, "Das Zertifikat des Brokers erneuern"))[0] == renew
    manual = "Handbuch übersetzen"
    assert (await discovered(demo, "translate the manual"))[0] == manual
    assert (await discovered(demo, "Das Handbuch ins Englische übertragen"))[0] == manual


async def test_the_demo_has_no_conflict_that_is_none(demo: Principal) -> None:
    await post(demo, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    named = {
        item["id"]: item["untrusted"]["name"] for item in (await get(demo, "/v1/skills"))["items"]
    }
    found = (await get(demo, "/v1/skill-conflicts"))["items"]
    # One is the other in German.
    assert [{named[each] for each in conflict["skills"]} for conflict in found] == [
        {"Störung eingrenzen", "Triage an alert"}
    ]
    assert [conflict["finding"] for conflict in found] == ["overlapping"]


LEARNT = (
    "After a cold night the gateway needs twenty minutes before it answers.",
    "Never rotate a token while a job runs: the job fails and tells nobody.",
    "Ein Sensor im Kühlraum meldet sich erst nach vierzig Minuten wieder.",
)


async def test_learnings_answer_questions_about_them_and_no_others(
    demo: Principal, drain: Drain
) -> None:
    for text in LEARNT:
        await post(demo, "/v1/notes", content=text, namespace="learnings")
    await drain()

    async def asked(question: str) -> tuple[str, list[str]]:
        told = await get(demo, "/v1/learnings", query=question)
        return told["mode"], [item["untrusted"]["content"] for item in told["items"]]

    for question in ("capital of France", "Hauptstadt von Frankreich", "Who won the cup final?"):
        assert await asked(question) == ("none", []), question
    for question, place in (
        ("How long does the gateway take after a cold night?", 0),
        ("What happens when a token is rotated during a job?", 1),
        ("Wann meldet sich ein Sensor im Kühlraum wieder?", 2),
        ("Wie lange braucht das Gateway nach einer kalten Nacht?", 0),
    ):
        mode, found = await asked(question)
        assert mode.startswith("semantic"), question
        assert found[0] == LEARNT[place], question


OPPOSED = [
    (
        "Deployments must not be done on Friday.",
        "Deployments are to be done on Friday.",
    ),
    (
        "Am Freitag darf nicht ausgeliefert werden.",
        "Am Freitag soll ausgeliefert werden.",
    ),
    ("It is forbidden to publish on Fridays.", "It is usual to publish on Fridays."),
    ("Freitags ist das Veröffentlichen verboten.", "Freitags ist das Veröffentlichen erlaubt."),
]
ABOUT = {
    "en": "Bring a new version to the customers. Freeze the branch, write the changelog, tag and "
    "build, then roll out to ten percent of them and to all.",
    "de": "Eine neue Version zu den Kunden bringen. Den Zweig einfrieren, das Änderungsprotokoll "
    "schreiben, markieren und bauen, dann an zehn Prozent und an alle ausrollen.",
}


@pytest.mark.parametrize(("one", "other"), OPPOSED)
async def test_what_contradicts_is_never_merged(
    one: str, other: str, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    curator = await principal(f"{tenant}/ops", Role.CURATOR, name="curator")
    about = ABOUT["de" if "reitag" in one else "en"]
    made = [
        await skill(curator, f"Release {n}", description=about, body=text)
        for n, text in (("alpha", one), ("beta", other))
    ]
    await drain()
    await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    actions = (await post(curator, "/v1/skill-repairs", 200, dry_run=False))["actions"]
    assert [action for action in actions if action["action"] == "merged"] == []
    assert {(await get(curator, f"/v1/skills/{each}"))["status"] for each in made} == {"active"}


NAMES = {
    "en": ("Publish a version", "Publishing a version"),
    "de": ("Version veröffentlichen", "Eine Version veröffentlichen"),
}


@pytest.mark.parametrize("language", ABOUT)
async def test_what_says_the_same_is_merged(
    language: str, principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    curator = await principal(f"{tenant}/ops", Role.CURATOR, name="curator")
    made = [await skill(curator, name, description=ABOUT[language]) for name in NAMES[language]]
    await drain()
    await post(curator, "/v1/skill-chores/conflict-scan", 200, dry_run=False)
    actions: list[dict[str, Any]] = (await post(curator, "/v1/skill-repairs", 200, dry_run=False))[
        "actions"
    ]
    assert [action["action"] for action in actions] == ["merged"]
    states = {(await get(curator, f"/v1/skills/{each}"))["status"] for each in made}
    assert states == {"active", "deprecated"}
