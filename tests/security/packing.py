"""Bodies that are streamed, in and out: exports, imports and uploads, by anybody."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import zstandard

from tests.security.asking import Call
from tests.security.trying import refused, whole, wrong_with
from tests.security.worlds import OK, Person, World, leaks

INTRUDER = "zqintrudermf"  # what is streamed to where its caller may not write


async def streamed(world: World, rng: random.Random) -> list[str]:
    """What went wrong with one body of somebody's."""
    return await rng.choice((exported, imported, uploaded))(world, rng.choice(world.callers), rng)


async def exported(world: World, who: Person, rng: random.Random) -> list[str]:
    """An export of some scopes, fetched by its owner and by somebody else."""
    scopes = [place.path for place in rng.sample(world.places, rng.randint(1, 2))]
    call = Call("POST", "/v1/exports", body={"scopes": scopes})
    asked = await who.http.post(call.path, json=call.body)
    wrong = wrong_with(world, who, call, asked)
    if asked.status_code not in OK:
        return wrong
    if not all(who.sees(scope) for scope in scopes):
        wrong.append(f"an export of {scopes} for {who.id}")
    job = asked.json()["id"]
    wrong += packed_wrongly(world, who, scopes, await package(world, who, job))
    other = rng.choice([one for one in world.people if one is not who])
    return wrong + await refused(world, other, Call("GET", f"/v1/exports/{job}", secret=True))


async def package(world: World, who: Person, job: str) -> str:
    """The head and every file of an export that somebody asked for, as text."""
    assert await world.opened.runner.run(world.opened, job) == "done"
    packed = b""
    async with who.http.stream("GET", f"/v1/exports/{job}") as answer:
        head = str(answer.headers.multi_items())
        async for part in answer.aiter_bytes(1000):
            packed += part
    return head + archive_text(packed)


def archive_text(packed: bytes) -> str:
    """Every file of a package as text."""
    with (
        zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as stream,
        tarfile.open(fileobj=io.BytesIO(stream.read())) as archive,
    ):
        parts = [archive.extractfile(member) for member in archive.getmembers()]
        return "\n".join(part.read().decode("utf-8", "replace") for part in parts if part)


def packed_wrongly(world: World, who: Person, scopes: list[str], text: str) -> list[str]:
    """What a package tells that its reader may not have, admins having all of their scopes; and
    scopes of which it tells nothing."""
    kept = {one.marker for one in world.things if who.role == "admin" and who.sees(one.scope)}
    folded = text.casefold()
    wrong = [f"no word of {one} in its package" for one in scopes
             if world.place(one).token not in folded]  # fmt: skip
    return wrong + [
        f"{told} in a package for {who.id}"
        for needle, told in world.needles(who)
        if needle not in kept and needle in folded
    ]


async def imported(world: World, who: Person, rng: random.Random) -> list[str]:
    """Lines for scopes out of sight, some with the id of what is there, streamed in pieces."""
    hidden = world.hidden(who)
    if not hidden:
        return []
    records = [_record(rng, place.path, place.ids["episode"])
               for place in rng.sample(hidden, min(3, len(hidden)))]  # fmt: skip
    # The job tells its tenant which lines it has left out, with the scopes that they named.
    world.named |= {(who.tenant, place.path.split("/")[0]) for place in hidden}
    into = rng.choice(hidden).path if rng.random() < 0.3 else None
    params = {"scope": into} if into else {}
    call = Call("POST", "/v1/imports", params, {"of": records})
    answer = await who.http.post(
        call.path, params=params, content=_pieces(records),
        headers={"content-type": "application/x-ndjson"},
    )  # fmt: skip
    told = whole(answer)
    if answer.status_code in OK:
        if into:
            return [f"an import into {into} by {who.id}"]
        told += await _ended(world, who, answer)
    return [f"{one} in an import's answers" for one in leaks(world, who, call.asked, told)]


async def _ended(world: World, who: Person, answer: httpx.Response) -> str:
    job = answer.json()["id"]
    await world.opened.runner.run(world.opened, job)
    return whole(await who.http.get(f"/v1/jobs/{job}"))


def _record(rng: random.Random, scope: str, known: list[str]) -> dict[str, Any]:
    record = {
        "scope": scope, "session": "s", "role": "user", "content": f"{INTRUDER} was here.",
        "captured_at": "2026-03-02T09:00:00Z",
    }  # fmt: skip
    return record | ({"id": rng.choice(known)} if rng.random() < 0.5 else {})


async def _pieces(records: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    body = b"".join(orjson.dumps(record) + b"\n" for record in records)
    for at in range(0, len(body), 97):
        yield body[at : at + 97]


async def uploaded(world: World, who: Person, rng: random.Random) -> list[str]:
    """A file for a knowledge base out of sight."""
    hidden = world.hidden(who)
    if not hidden:
        return []
    base = rng.choice(rng.choice(hidden).ids["base"])
    answer = await who.http.post(
        "/v1/documents:upload",
        data={"knowledge_base": base},
        files={"file": ("note.txt", f"{INTRUDER} was here.".encode(), "text/plain")},
    )
    call = Call("POST", "/v1/documents:upload", body={"base": base})
    wrong = wrong_with(world, who, call, answer)
    if answer.status_code in OK and any(r.get("document") for r in answer.json()["receipts"]):
        wrong.append(f"an upload into {base} by {who.id}: {answer.text}")
    return wrong


async def intruders(world: World) -> list[str]:
    """What of the streams lies where its caller may not write, as the admins of all see it."""
    found = []
    for boss in (who for who in world.callers if who.name == "boss"):
        for path in ("/v1/episodes", "/v1/documents"):
            shown = await boss.http.get(path, params={"limit": 200})
            found += [path for _ in range(shown.text.count(INTRUDER))]
    return found
