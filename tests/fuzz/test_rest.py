"""Every REST operation under generated inputs, good and bad: no server error, and every answer has
the form that the OpenAPI document gives it.

The inputs are the same in every run. Ids of a path are tried made up and real.
"""

from __future__ import annotations

import asyncio
import warnings
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from litestar import Litestar
from schemathesis import Case, GenerationMode, openapi
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.fuzz.sending import CHECKS, Send, sender
from tests.skills.test_skills import post

FEW = {
    "derandomize": True,
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
    names = {parameter.name for parameter in operation.path_parameters}
    real = {name: known[name] for name in names & known.keys()} or None
    return [
        Attempt(GenerationMode.POSITIVE, 2, real),
        Attempt(GenerationMode.NEGATIVE, 1, real),
        *([Attempt(GenerationMode.POSITIVE, 1)] if real else []),
    ]


def tried(operation: APIOperation, send: Send, known: dict[str, str]) -> list[str]:
    """What went wrong, once for each kind of failure."""
    failures: dict[str, str] = {}
    for attempt in attempts(operation, known):

        @settings(max_examples=attempt.examples, **FEW)  # type: ignore[arg-type]
        @given(operation.as_strategy(attempt.mode, path_parameters=attempt.path))
        def run(case: Case) -> None:
            answer = send(case)
            try:
                case.validate_response(answer, checks=CHECKS)
            except FailureGroup as group:
                for each in group.exceptions:
                    kind = f"{operation.label}: {type(each).__name__}"
                    failures.setdefault(kind, f"{kind} {group}")

        run()
    return list(failures.values())


def fuzz(document: dict[str, Any], send: Send, known: dict[str, str]) -> tuple[int, list[str]]:
    """How many operations were tried, and everything that went wrong; what deletes comes last."""
    schema = openapi.from_dict(document)
    operations = [found.ok() for found in schema.get_all_operations()]
    ordered = sorted(operations, key=lambda o: (o.method.upper() == "DELETE", o.label))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generator's own
        failures = [failure for each in ordered for failure in tried(each, send, known)]
    return len(ordered), failures


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_no_operation_breaks_and_every_answer_has_its_form(
    app: Litestar, principal: MakePrincipal, tenant: str
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

    count, failures = await asyncio.to_thread(fuzz, document, watched, known)
    assert count > 200
    assert refused == []  # the key lives to the end: else nothing would be tried after its end
    assert (await admin.http.get("/v1/status")).status_code == httpx.codes.OK
    assert not failures, f"{len(failures)} failures\n\n" + "\n\n".join(failures)
