"""Point 2 at every door: no text that comes in leaves a hidden character in the graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from litestar import Litestar

from app.kernel.caller import Role
from app.portability.exporter import export_package
from app.portability.service import selection
from app.sanitize.hidden import hidden
from app.wiring import Parts
from bench.isolation import ids_of
from tests.agentmemory.conftest import bridged
from tests.conftest import MakePrincipal, Principal
from tests.portability.conftest import Import, load
from tests.security.doorways import Valid, beside, changes, client, doors, good
from tests.security.looking import hidden_in
from tests.security.test_mutations import places, valid_requests

__all__ = ["bridged", "load"]
UNSEEN = "\u202e\u2066\u200b\u00ad\ufe01\U000e0001" + "".join(chr(0xE0000 + ord(c)) for c in "zq")


def more_requests(tenant: str) -> Iterator[Valid]:
    """Doors and fields beside those of `valid_requests`."""
    texts = {"aliases": ["Mitten"], "tags": ["wool"], "path": "craft/hats", "title": "Hats"}
    yield Valid("POST", "/v1/pages", {"content": "Of [[Gloves]].", **texts})
    yield Valid("POST", "/v1/notes", {"content": "Wash cold.", "title": "Wool", "tags": ["wool"]})
    steps = {"preconditions": ["wool"], "postconditions": ["hat"], "tags": ["wool"]}
    params = {"size": {"type": "string", "description": "of a head"}}
    about = {"name": "Sew", "description": "How to sew.", "body": "Stitch.", "category": "design"}
    yield Valid("POST", "/v1/skills", {**about, **steps, "params": params})
    yield Valid("POST", "/v1/skill-proposals", {**about, "name": "Weave", "params": params})
    yield Valid("PUT", "/v1/core-blocks/persona", {"content": "You knit."})
    yield Valid("POST", "/v1/bad-patterns", {"content": "Washing hot.", "reason": "It shrank."})
    yield Valid("POST", "/v1/knowledge-bases", {"name": "Silk", "description": "Of silk."})
    said = {"text": "Ada knits.", "speaker": "Bo", "session": "t", "origin": "chat"}
    yield Valid("POST", "/v1/facts:remember", said)
    about_bo = {"name": "bo", "kind": "agent", "model_family": "x"}
    yield Valid("POST", "/v1/principals", {**about_bo, "home": tenant})
    yield Valid("POST", "/v1/documents", {"knowledge_base": "Silk", "name": "b.md", "text": "b"})
    for change, given in (
        ("captureEpisode", {"content": "Bo sews.", "session": "g", "speaker": "Bo"}),
        ("writeNote", {"content": "Dry flat.", "title": "Dry", "tags": ["dry"]}),
        ("writePage", {"title": "Scarves", "content": "Of wool.", "aliases": ["Shawls"]}),
        ("rememberFact", {"text": "Bo lives in Ulm.", "speaker": "Bo"}),
    ):
        kind = change.removeprefix("capture").removeprefix("write").removeprefix("rememberFact")
        input_ = f"{kind or 'Remember'}Input"
        query = f"mutation M($i: {input_}!) {{ {change}(input: $i) {{ __typename }} }}"
        yield Valid("POST", "/graphql", {"query": query, "variables": {"i": given}})


def infected(body: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The body as often as it has texts and keys, each time with one that hides something."""
    for at in places(body):
        if not at or at == ("query",):
            continue
        for named in (False, True):
            copy = json.loads(json.dumps(body))
            inside = copy
            for key in at[:-1]:
                inside = inside[key]
            last = at[-1]
            if named and isinstance(last, str) and len(at) > 1:
                inside[last[:1] + UNSEEN + last[1:]] = inside.pop(last)
                yield (*at, "its name"), copy
            elif not named and isinstance(inside[last], str):
                inside[last] = inside[last][:1] + UNSEEN + inside[last][1:]
                yield at, copy


async def test_no_door_stores_what_nobody_sees(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(tenant, role=Role.ADMIN, name="m", kind="user")
    accepted: set[str] = set()
    for valid in [*valid_requests(), *more_requests(tenant)]:
        for at, body in [*infected(valid.body), ((), valid.body)]:
            answer = await who.http.request(valid.method, valid.path, json=body)
            assert answer.status_code < 500, (valid, at, answer.text)
            good = answer.is_success and not (answer.json() or {}).get("errors")
            assert good or at or answer.status_code == 409, (valid, answer.text)
            if good:
                accepted.add(f"{valid.path}{at}")
            made = answer.json().get("id") if good and valid.method == "POST" else None
            if made and valid.path in ("/v1/notes", "/v1/pages", "/v1/skills"):
                fields = {k: v for k, v in valid.body.items() if k not in ("scope", "namespace")}
                for _, change in infected(fields):
                    again = await who.http.patch(f"{valid.path}/{made}", json=change)
                    assert again.status_code < 500, again.text
    assert len(accepted) > 50, accepted
    await opened.consolidation.consolidate(tenant)
    listed = (await who.http.get("/v1/entities", params={"scope": tenant})).json()["items"]
    attributes = {"size": "big", "of": ["a", "b"], "in": {"town": "Ulm"}}
    for _, change in infected({"attributes": attributes, "aliases": [listed[0]["name"], "Addy"]}):
        answer = await who.http.patch(f"/v1/entities/{listed[0]['id']}", json=change)
        assert answer.status_code < 500, answer.text
    await opened.indexing.drain()
    assert await hidden_in(opened, tenant) == {}


def paths(valid: Valid) -> Iterator[Valid]:
    """The request as it is, and with a word of the client's in its path that hides something."""
    yield valid
    words = [part for part in valid.path.split("/") if re.fullmatch(r"k[a-z]{12}k", part)]
    for word in words:
        path = valid.path.replace(word, quote(word[:1] + UNSEEN + word[1:]))
        yield Valid(valid.method, path, valid.body)


async def in_valkey(opened: Parts, tenant: str) -> dict[str, str]:
    """Names in Valkey that belong to a tenant and hide something, themselves or in what they hold.

    Bytes that are no text are looked at as far as they are.
    """
    pool: Any = await opened.queue.pool()
    seen: dict[str, str] = {}
    reads = {
        b"string": pool.get, b"hash": pool.hgetall, b"set": pool.smembers,
        b"list": lambda key: pool.lrange(key, 0, -1),
        b"zset": lambda key: pool.zrange(key, 0, -1),
    }  # fmt: skip
    async for key in pool.scan_iter(match=f"*{tenant}*"):
        held = await reads[await pool.type(key)](key)
        text = "".join(part.decode("utf-8", "replace") for part in flat([key, held]))
        if hidden(text) or "\\u200b" in text:
            seen[key.decode()] = ascii(text)[:200]
    return seen


def flat(value: Any) -> Iterator[bytes]:
    """All bytes of what a key holds."""
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        yield from flat([*value, *value.values()])
    elif isinstance(value, list | set | tuple):
        for each in value:
            yield from flat(each)


async def test_no_door_of_agent_memory_keeps_what_nobody_sees(
    opened: Parts, bridged: Litestar, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(tenant, role=Role.ADMIN, name="k", kind="user")
    accepted: set[str] = set()
    async with client(bridged, who) as http:

        async def send(valid: Valid, at: tuple[Any, ...]) -> httpx.Response:
            answer = await http.request(valid.method, valid.path, json=valid.body)
            assert answer.status_code < 500, (valid, at, answer.text)
            if good(answer):
                accepted.add(f"{valid.path}{at}")
            return answer

        for valid, _ in doors(who, tenant):
            for one in paths(valid):
                for at, body in infected(one.body):
                    await send(Valid(one.method, one.path, body), at)
        for valid, told in doors(who, tenant, words=1):
            answer = await send(valid, ())
            assert good(answer), (valid, answer.text)
            ids = ids_of(told, answer.json() if answer.content else {})
            for change in changes(ids):
                for at, body in infected(change.body):
                    await send(Valid(change.method, change.path, body), at)
        for valid in beside(tenant):
            answer = await send(valid, ())
            assert good(answer), (valid, answer.text)
            for at, body in infected(valid.body):
                await send(Valid(valid.method, valid.path, body), at)
        assert len(accepted) > 50, accepted
        assert "working" in str(await names_in_valkey(opened, tenant)), "nothing lies in Valkey"
        assert await in_valkey(opened, tenant) == {}
        await opened.indexing.drain()
        assert await hidden_in(opened, tenant) == {}


async def names_in_valkey(opened: Parts, tenant: str) -> list[bytes]:
    """The names that belong to a tenant."""
    pool = await opened.queue.pool()
    return [key async for key in pool.scan_iter(match=f"*{tenant}*")]


def packaged(line: str, turn: int, tenant: str) -> str:
    """A line of a package with one text, or one name in what is free, that hides something."""
    record = json.loads(line)
    changed = [body for at, body in infected({"r": record}) if _is_free(record, at[1:], tenant)]
    return json.dumps(changed[turn % len(changed)]["r"]) if changed else line


def _is_free(record: Any, at: tuple[Any, ...], tenant: str) -> bool:
    """Whether no id, moment, hash, scope or word of a list stands there."""
    for key in at:
        if key == "its name":
            return bool({"params", "metadata", "attributes"} & set(at[:-2]))
        record = record[key]
    return record != tenant and not re.fullmatch(
        r"[0-9a-f:-]{16,}|\d{4}-.*|[a-z_]{2,12}|\S*[/:]\S*", str(record)
    )


async def test_no_line_of_a_package_brings_in_what_nobody_sees(
    opened: Parts, admin: Principal, tenant: str, tmp_path: Path, load: Import
) -> None:
    for valid in [*valid_requests(), *more_requests(tenant)]:
        await admin.http.request(valid.method, valid.path, json=valid.body)
    await opened.consolidation.consolidate(tenant)
    await export_package(opened.graph, tmp_path / "a", await selection(opened.graph, tenant))
    accepted = 0
    for turn in range(4):
        target = f"{tenant}-new/w{turn}"
        folder = tmp_path / f"{turn}"
        folder.mkdir()
        for path in (tmp_path / "a").glob("*.jsonl"):
            old = path.read_text(encoding="utf-8").splitlines()
            new = [packaged(line, turn * 3 + at, tenant) for at, line in enumerate(old)]
            (folder / path.name).write_text("\n".join(new) + "\n", encoding="utf-8")
        report = await load(folder, target=target)
        accepted += sum(kind["accepted"] for kind in report["kinds"].values())
    assert accepted > 40
    assert await hidden_in(opened, f"{tenant}-new") == {}
