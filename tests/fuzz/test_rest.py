"""Every REST operation under generated inputs, good and bad: no server error, and every answer has
the form that the OpenAPI document gives it.

The inputs of the first pass are the same in every run, those of a second, smaller one are drawn
with the seed `TESTS_DRAWN`. Ids of a path are tried made up and real.
"""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from litestar import Litestar
from schemathesis import Case, GenerationMode, openapi
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.fuzz.sending import CHECKS, Send, sender
from tests.skills.test_skills import post
from tests.support.seeds import SEED

FEW = {
    "database": None,
    "deadline": None,
    "phases": [Phase.generate],
    "suppress_health_check": list(HealthCheck),
}


@dataclass(frozen=True)
class Attempt:
    """How many inputs of which kind an operation gets, and the ids of its path (None: made up)."""

    mode: GenerationMode
    examples: int
    path: dict[str, str] | None = None


async def things(who: Principal, victim: Principal) -> dict[str, str]:
    """One real id for each name of a path parameter that can have one.

    Of principals and keys it is another's than the one that asks, which must not end itself.
    """
    episode = (await post(who, "/v1/episodes", content="Ada lives in Ulm.", session="s"))["id"]
    note = (await post(who, "/v1/notes", content="Wear gloves.", namespace="learnings"))["id"]
    page = (await post(who, "/v1/pages", title="Gloves", content="See [[Hats]]."))["id"]
    skill = (await post(who, "/v1/skills", name="Knit", category="design", body="Loop."))["id"]
    proposal = (await post(who, "/v1/skill-proposals", name="Sew", category="design"))["id"]
    base = (await post(who, "/v1/knowledge-bases", name="Wool"))["id"]
    return {
        "episode_id": episode,
        "memory_id": episode,
        "note_id": note,
        "page_id": page,
        "node_id": page,
        "skill_id": skill,
        "proposal_id": proposal,
        "base_id": base,
        "version": "1.0.0",
        "kind": "identity",
        "task": "sum",
        "agent": victim.caller.principal,
        "principal": victim.caller.principal,
        "key_id": victim.caller.key,
        "name": "works_for",
    }


def attempts(operation: APIOperation, known: dict[str, str]) -> list[Attempt]:
    """What to try: ids of the path are made up, and most often real where there are some."""
    real = found(operation, known)
    return [
        Attempt(GenerationMode.POSITIVE, 2, real),
        Attempt(GenerationMode.NEGATIVE, 1, real),
        *([Attempt(GenerationMode.POSITIVE, 1)] if real else []),
    ]


def found(operation: APIOperation, known: dict[str, str]) -> dict[str, str] | None:
    """The real ids of an operation's path, if there are any."""
    names = {parameter.name for parameter in operation.path_parameters}
    return {name: known[name] for name in names & known.keys()} or None


def again(operation: APIOperation, known: dict[str, str]) -> list[Attempt]:
    """What to try with another seed."""
    real = found(operation, known)
    return [Attempt(mode, 1, real) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)]


def tried(
    operation: APIOperation, send: Send, known: dict[str, str], drawn: int | None
) -> list[str]:
    """What went wrong, once for each kind of failure; the same inputs in every run without a
    seed."""
    failures: dict[str, str] = {}
    for attempt in (attempts if drawn is None else again)(operation, known):

        @settings(max_examples=attempt.examples, derandomize=drawn is None, **FEW)  # type: ignore[arg-type]
        @given(operation.as_strategy(attempt.mode, path_parameters=attempt.path))
        def run(case: Case) -> None:
            answer = send(case)
            try:
                case.validate_response(answer, checks=CHECKS)
            except FailureGroup as group:
                for each in group.exceptions:
                    kind = f"{operation.label}: {type(each).__name__}"
                    failures.setdefault(kind, f"{kind} {group}")

        (run if drawn is None else seed(drawn)(run))()
    return list(failures.values())


def fuzz(
    document: dict[str, Any], send: Send, known: dict[str, str], drawn: int | None
) -> tuple[int, list[str]]:
    """How many operations were tried, and everything that went wrong; what deletes comes last."""
    schema = openapi.from_dict(document)
    operations = [found.ok() for found in schema.get_all_operations()]
    ordered = sorted(operations, key=lambda o: (o.method.upper() == "DELETE", o.label))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generator's own
        failures = [failure for each in ordered for failure in tried(each, send, known, drawn)]
    return len(ordered), failures


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("drawn", [None, SEED], ids=["the same", "drawn anew"])
async def test_no_operation_breaks_and_every_answer_has_its_form(
    app: Litestar, principal: MakePrincipal, tenant: str, drawn: int | None
) -> None:
    admin = await principal(tenant, role=Role.ADMIN, name="fuzz", kind="user")
    document = (await admin.http.get("/schema/openapi.json")).json()
    victim = await principal(f"{tenant}/victim", name="victim")
    known = await things(admin, victim)
    send = sender(app, admin.key, asyncio.get_running_loop())
    refused: list[str] = []

    def watched(case: Case) -> httpx.Response:
        answer = send(case)
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            refused.append(f"{case.method} {case.path}")
        return answer

    count, failures = await asyncio.to_thread(fuzz, document, watched, known, drawn)
    assert count > 200
    assert refused == []  # the key lives to the end: else nothing would be tried after its end
    assert (await admin.http.get("/v1/status")).status_code == httpx.codes.OK
    told = f"{len(failures)} failures, TESTS_DRAWN={drawn}\n\n" + "\n\n".join(failures)
    assert not failures, told
