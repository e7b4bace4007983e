"""Every documented operation that writes to a thing, with the least body that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.rights import Item
from tests.security import addresses
from tests.security.asking import Call, Door
from tests.security.worlds import World

WORDS = {"string": "harbour", "integer": 1, "number": 0.5, "boolean": True}
MOMENT = "2030-01-01T00:00:00Z"

# Operations by which a stranger's refusal says little, for the owner is refused as well, and why.
BODY = "the least body is refused before anything is looked for"
OTHER = "it names a second thing, which is not there"
STATE = "nothing waits for it; `of_job` stops a job that runs"
RANK = "it takes an admin"
AGAIN = "what is out of sight is as deleted, and the owner is told who else speaks of it"
LISTED = {
    BODY: (
        "POST /v1/core-block-edits/{edit}/attest",
        "POST /v1/skills/{skill_id}/status",
        "POST /v1/skill-conflicts/{conflict_id}/status",
        "POST /v1/skill-proposals/{proposal_id}/status",
        "DELETE /v1/pools/{pool}/data",
    ),
    OTHER: (
        "POST /v1/work-items/{item}/links",
        "POST /v1/goals/{goal}/links",
        "POST /v1/traces/{trace}/links",
        "POST /v1/quarantine/{fact_id}/change",
        "POST /v1/quarantine/{fact_id}/keep-both",
        "POST /v1/pages/{page_id}/unlinked-mentions",
        "POST /v1/skills/{skill_id}/clone",
        "POST /v1/skills/{skill_id}/experiment",
        "POST /v1/skills/{skill_id}/links",
        "POST /v1/skills/{skill_id}/learnings",
        "POST /agent-memory/v1/entities/{entity}/merge",
        "DELETE /v1/pools/{pool}/grants/{agent}",
        "DELETE /v1/work-items/{item}/links/{memory}",
        "DELETE /v1/goals/{goal}/links/{memory}",
        "DELETE /v1/skills/{skill_id}/links/{kind}/{target}",
    ),
    STATE: (
        "POST /v1/jobs/{job_id}/cancel",
        "POST /v1/jobs/{job_id}/rerun",
    ),
    RANK: (
        "DELETE /v1/keys/{key_id}",
        "DELETE /agent-memory/v1/auth/api-keys/{key_id}",
    ),
    AGAIN: ("DELETE /agent-memory/v1/entities/{entity}",),
}
UNHEARD = {name: reason for reason, names in LISTED.items() for name in names}


def writes(world: World) -> Iterator[Door]:
    """Operations that name a thing by an id that the service gave; what deletes comes last."""
    every = addresses.operations(world.documented, reads=False)
    for template, method, operation in sorted(every, key=lambda one: one[1] == "DELETE"):
        things = addresses.things(world, template, operation)
        named = [one for one in things if addresses.secret(template, one)]
        if named:
            yield Door(f"{method} {template}", named, Writing(world, template, method, operation),
                       named=True)  # fmt: skip


class Writing:
    """Makes the call of one operation."""

    def __init__(self, world: World, template: str, method: str, operation: Any) -> None:
        self.world, self.template, self.method = world, template, method
        self.body = least_body(world.documented, operation)
        self.params = {one["name"]: None for one in addresses.parameters(operation, required=True)}

    def __call__(self, thing: Item) -> Call:
        params = {name: addresses.sent(self.world, name, thing) for name in self.params}
        path = addresses.address(self.world, self.template, thing)
        return Call(self.method, path, params, self.body, secret=True)


def least_body(document: dict[str, Any], operation: Any) -> Any:
    """The least body of an operation; None where it takes none, or a file."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return None
    return least(document, content["application/json"]["schema"])


def least(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """The least value of a schema."""
    if "$ref" in schema:
        return least(document, document["components"]["schemas"][schema["$ref"].split("/")[-1]])
    for one in ("anyOf", "oneOf", "allOf"):
        if one in schema:
            return least(document, schema[one][0])
    for one in ("const", "default"):
        if one in schema:
            return schema[one]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: least(document, fields[name]) for name in schema.get("required", ())}
    if kind == "array":
        return [least(document, schema["items"])] if schema.get("minItems") else []
    if schema.get("format") == "date-time":
        return MOMENT
    return WORDS[kind]
