"""One word goes everywhere that a text can go, and after its erasure it is nowhere."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import secrets
import types
from pathlib import Path
from typing import Any

import pytest

import app as package
from app.cli.transfer import store_of
from app.embeddings.measured import Measured
from app.entities.likeness import near
from app.jobs.spool import spool_of
from app.lifecycle.caches import MODULES
from app.portability.package import open_package
from app.portability.service import Order, import_attended
from app.wiring import Parts
from tests.conftest import Principal
from tests.lifecycle.conftest import Switch, checked, strings_of
from tests.portability.conftest import untold
from tests.portability.packages import write_package

LONG = "The kettle in the kitchen whistles at noon and nobody minds. " * 60


async def keys_and_values(opened: Parts) -> str:
    """Everything that the queue's server holds, as one text."""
    pool = await opened.queue.pool()
    found = []
    async for key in pool.scan_iter("*"):
        kind = (await pool.type(key)).decode()
        read = {
            "string": lambda k: pool.get(k),
            "zset": lambda k: pool.zrange(k, 0, -1),
            "hash": lambda k: pool.hgetall(k),
            "list": lambda k: pool.lrange(k, 0, -1),
            "set": lambda k: pool.smembers(k),
        }.get(kind)
        found.append(f"{key!r} {await read(key) if read else ''}")
    return "\n".join(found).casefold()


def bytes_below(folder: Path, word: str) -> list[str]:
    """Files below a folder that hold a word, archives by their unpacked content."""
    found = []
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        if path.name.endswith(".tar.zst"):
            with open_package(path) as opened:
                texts = b"".join(file.path.read_bytes() for file in opened.files)
        else:
            texts = path.read_bytes()
        if word.encode() in texts.lower():
            found.append(str(path))
    return found


def cached(word: str) -> list[str]:
    """Modules of ours with a bounded cache that holds a word in a key or a value."""
    found = []
    for module in MODULES:
        for thing in vars(module).values():
            if hasattr(thing, "cache_info") and word in repr(gc.get_referents(thing)).casefold():
                found.append(module.__name__)
    return found


async def exported(opened: Parts, admin: Principal, tenant: str) -> str:
    answer = await admin.http.post("/v1/exports", json={"scopes": [tenant]})
    job: str = answer.json()["id"]
    assert await opened.runner.run(opened, job) == "done"
    return job


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_an_erased_word_is_nowhere(
    opened: Parts,
    admin: Principal,
    tenant: str,
    switch: Switch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    word = "zyx" + "".join(secrets.choice("abdeklmnorst") for _ in range(9))
    name = word.capitalize()
    await switch(tenant, erasure=True)
    spool = spool_of(opened.settings).folder

    async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        answer = await admin.http.post(path, json=body, headers=headers)
        assert answer.status_code < 300, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def turn(content: str, **more: Any) -> dict[str, Any]:
        return {"scope": tenant, "session": "talk", "role": "user", "content": content, **more}

    # Capture, read, index, search, remember, review, export, import: every way a word can go.
    # The speaker, the tags and the title hold it too.
    kept = await post("/v1/episodes", turn("Ada Berger lives in Bremen."))
    first = await post(
        "/v1/episodes",
        turn(
            f"Ada {name} lives in {name}stadt. Ada Berger works for {name} GmbH.",
            speaker=f"Ole {name}",
            tags=[word],
            title=f"About {word}",
        ),
    )
    long = await post("/v1/episodes", turn(f"{LONG} {word} {LONG}", session="long"))
    await post("/v1/episodes", turn("Yes, she said so last Friday."))
    told = await post("/v1/facts:remember", {"text": f"Ada Berger likes {name}.", "scope": tenant})
    await opened.consolidation.consolidate(tenant)
    await opened.indexing.drain()
    found = await post("/v1/search", {"query": f"What of {word}?", "scopes": [tenant]})
    assert any(word in str(hit).casefold() for hit in found["hits"])
    await exported(opened, admin, tenant)
    folder = write_package(
        tmp_path / "p",
        episodes=[
            {
                "scope": tenant,
                "session": "brought",
                "role": "user",
                "id": f"import-{word[3:]}",
                "content": f"Pia Kranich knows {name}.",
            },
            '{"scope": "broken ' + word,
        ],
    )
    order = Order(folder, rejects=tmp_path / "rejects.jsonl")
    await import_attended(store_of(opened), order, untold)
    await opened.consolidation.consolidate(tenant)
    await opened.condensing.condense_all(tenant)
    await near(opened.graph, Measured(opened.embedder, 2.0), tenant)
    await opened.indexing.drain()
    places = await strings_of(opened, word)
    assert {"Episode.content", "Episode.context_terms", "Fact.statement"} <= set(places), places
    assert {"Entity.aliases", "Alias.key", "Tag.name", "MENTIONS.name"} <= set(places), places
    assert {"IdempotencyRecord.body", "Note.content"} <= set(places), places
    assert bytes_below(spool, word)

    episodes = [first["id"], long["id"], told["episode"], f"import-{word[3:]}"]
    receipts = [await post("/v1/erasures", {"memory": episode}) for episode in episodes]

    assert await strings_of(opened, word) == []
    assert bytes_below(spool, word) == []
    assert (tmp_path / "rejects.jsonl").read_bytes().count(word.encode()) == 0
    assert word not in await keys_and_values(opened)
    assert cached(word) == []
    out = capfd.readouterr()
    ours = [r.getMessage() for r in caplog.records if not r.name.startswith("httpx")]
    assert word not in "\n".join([*ours, out.out, out.err]).casefold()
    for receipt in receipts:
        proof = await checked(opened, admin, receipt["receipt"], word)
        assert proof["clean"], proof

    await opened.condensing.condense_all(tenant)
    assert await strings_of(opened, word) == []
    held = (
        "MATCH (e:Entity {tenant: $t}) WHERE e.embedding IS NOT NULL RETURN e.canonical_name AS n"
    )
    kept_vectors = await opened.graph.raw(held, t=tenant)
    assert "Ada Berger" not in {row["n"] for row in kept_vectors}, "it was made of the word as well"

    # What is left works: it is indexed anew, and a new export does not hold the word.
    await opened.indexing.drain()
    assert await strings_of(opened, word) == []
    again = await post("/v1/search", {"query": f"Where does Ada live, {word}?", "scopes": [tenant]})
    assert kept["id"] in str(again)
    assert word not in str(again["hits"]).casefold()
    await exported(opened, admin, tenant)
    assert bytes_below(spool, word) == []

    # The old package does not bring it back, unless somebody says so.
    result = await import_attended(store_of(opened), Order(folder, fresh=True), untold)
    assert result["kinds"]["episode"] == {"accepted": 0, "duplicates": 0, "rejected": 2}
    assert await strings_of(opened, word) == []
    order = Order(folder, fresh=True, revive=True)
    result = await import_attended(store_of(opened), order, untold)
    assert result["kinds"]["episode"]["accepted"] == 1


def test_every_bounded_cache_of_texts_is_emptied() -> None:
    # Of policies and of paths of scopes, which are no texts.
    paths = {"app.facts.predicates", "app.scopes.service", "app.search.reach"}
    beside = {"app.portability.kind", *paths}
    known = {module.__name__ for module in MODULES} | beside
    for found in pkgutil.walk_packages(package.__path__, "app."):
        if (
            found.name.startswith(("app.cli", "app.evals", "app.runtime"))
            or "__main__" in found.name
        ):
            continue
        module: types.ModuleType = importlib.import_module(found.name)
        for thing in vars(module).values():
            if hasattr(thing, "cache_parameters") and thing.__module__ == found.name:
                size = thing.cache_parameters()["maxsize"]
                assert (size or 1) <= 1 or found.name in known, f"{found.name}: {thing}"
