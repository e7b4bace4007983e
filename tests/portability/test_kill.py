"""kill -9 in the middle of an import: it goes on, nothing is missing, nothing is doubled."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest

from app.cli.transfer import store_of
from app.portability.kind import Selection
from app.portability.kinds import BY_NAME
from app.portability.service import Order, import_attended
from app.settings import read_settings
from app.wiring import Parts, parts
from tests.portability.conftest import held, untold
from tests.portability.packages import turns, write_package
from tests.support.server import Backend, EmbeddedPair

COUNT = 6_000
FOREIGN = 4_000  # memories of another program
TENANT = "killed"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pair() -> Iterator[EmbeddedPair]:
    """Servers that this test may kill."""
    with EmbeddedPair(java_flags=()) as made:
        yield made


@pytest.fixture(scope="module")
def servers(pair: EmbeddedPair) -> Backend:
    """Both servers, started once."""
    return pair.backend()


def environment(backend: Backend, home: Path) -> dict[str, str]:
    """What a `loci` command needs to find the servers."""
    return {
        **backend.environment,
        "LOCI_EMBEDDING__PROVIDER": "hash",
        "LOCI_EMBEDDING__ALLOW_TEST": "true",
        "LOCI_TELEMETRY__LOG_LEVEL": "error",
        "LOCI_HOME": str(home),
    }


def start_import(
    package: Path, env: dict[str, str], folder: Path, *further: str
) -> subprocess.Popen[bytes]:
    """`loci import` as a process of its own."""
    with (folder / "out.log").open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", "import", str(package), "--json", *further],
            cwd=ROOT,
            env={**os.environ, **env},
            stdout=out,
            stderr=out,
        )


async def stored(store: Parts, tenant: str = TENANT) -> int:
    """Episodes that are committed."""
    return (await held(store.graph, tenant)).get("Episode", 0)


async def wait_for(
    store: Parts, count: int, child: subprocess.Popen[bytes], tenant: str = TENANT
) -> int:
    """Until so many episodes are committed while the import still runs."""
    deadline = time.monotonic() + 200
    while (found := await stored(store, tenant)) < count:
        assert child.poll() is None, "the import ended too soon"
        assert time.monotonic() < deadline
        time.sleep(0.05)  # noqa: ASYNC251 - nothing else runs on this loop
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)  # four starts of a process and two of a server
async def test_an_import_survives_kill_9_of_itself_and_of_neo4j(
    pair: EmbeddedPair, servers: Backend, tmp_path: Path
) -> None:
    lines: list[Any] = turns(f"{TENANT}/dev", COUNT)
    lines[3] = "{broken"
    package = write_package(tmp_path / "p", episodes=lines)
    env = environment(servers, tmp_path / "home")

    async with parts(read_settings(env)) as store:
        child = start_import(package, env, tmp_path)
        await wait_for(store, 500, child)
        helpers = psutil.Process(child.pid).children(recursive=True)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        psutil.wait_procs(helpers, timeout=60)
        assert not [p for p in helpers if p.is_running()], "processes were left behind"
        before = await stored(store)
        assert before < COUNT - 1

        child = start_import(package, env, tmp_path)
        await wait_for(store, before + 500, child)
    pair.kill_graph()
    assert child.wait(timeout=120) == 1
    assert "names another Neo4j" in (tmp_path / "out.log").read_text()
    pair.start_graph()

    async with parts(read_settings(env)) as store:
        kept = await stored(store)
        assert before < kept < COUNT - 1
        result = await import_attended(store_of(store), Order(package), untold)
        tally = result["kinds"]["episode"]
        assert tally["rejected"] == 1
        assert sum(tally.values()) == COUNT
        assert tally["duplicates"] < COUNT // 2, "it did not go on from its mark"
        nodes = await held(store.graph, TENANT)
        assert nodes["Episode"] == nodes["ProvenanceRecord"] == COUNT - 1
        rows = await store.graph.raw(
            "MATCH (e:Episode {tenant: $tenant}) "
            "RETURN count(DISTINCT e.content) AS texts, "
            "min(COUNT { (e)-[:IN_SESSION]->() }) AS least, "
            "max(COUNT { (e)<-[:AUDIT]-() }) AS most, min(COUNT { (e)<-[:AUDIT]-() }) AS fewest",
            tenant=TENANT,
        )
        assert rows == [{"texts": COUNT - 1, "least": 1, "most": 1, "fewest": 1}]
    rejects = Path(result["rejects"]).read_bytes().splitlines()  # noqa: ASYNC240 - a small file
    assert [orjson.loads(line)["line"] for line in rejects] == [4]


def memories(path: Path) -> Path:
    """An export of mem0, one memory of which is refused, with fields that are not ours."""
    made: list[Any] = [
        {
            "id": f"m{number}",
            "memory": f"Sluice {number} was opened by hand.",
            "user_id": f"warden{number % 9}",
            "metadata": {"gate": {"number": number, "side": "left"}},
            "created_at": "2025-03-02T09:00:00Z",
        }
        for number in range(FOREIGN)
    ]
    made[7]["created_at"] = "soon"
    path.write_bytes(orjson.dumps(made))
    return path


def archive(path: Path) -> Path:
    """A folder of cognee's format with turns and facts, one turn of which is refused."""
    path.mkdir()
    (path / "manifest.json").write_text('{"cogx_version": "0.1"}')
    said = [
        {"role": "user" if n % 2 else "assistant", "content": f"Weir {n} holds.", "nr": n}
        for n in range(FOREIGN)
    ]
    said[7]["content"] = ""
    turned = [
        {"external_id": f"e{at}", "turns": said[at : at + 20], "created_at": "2025-03-02T09:00:00Z"}
        for at in range(0, FOREIGN, 20)
    ]
    facts = [
        {"external_id": f"f{n}", "fact_text": f"Weir {n} is of oak.", "created_at": "2025-03-02"}
        for n in range(50)
    ]
    for name, lines in (("episodes", turned), ("facts", facts)):
        (path / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return path


async def content_digest(store: Parts, scope: str) -> str:
    """A digest over all that an import made, as it is exported, but for ids made at random."""
    lines = []
    for name in ("session", "episode", "note"):
        async for record in BY_NAME[name].export(store.graph, Selection([scope])):
            record.get("provenance", {}).pop("id", None)
            lines.append(orjson.dumps(record, option=orjson.OPT_SORT_KEYS))
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


@pytest.mark.slow
@pytest.mark.timeout(900)  # two starts of a process
@pytest.mark.parametrize("make", [memories, archive])
async def test_a_killed_import_of_another_format_ends_with_the_same_digest(
    make: Callable[[Path], Path], servers: Backend, opened: Parts, tenant: str, tmp_path: Path
) -> None:
    path, scope = make(tmp_path / "export.json"), f"{tenant}/dev"
    env = environment(servers, tmp_path / "home")
    async with parts(read_settings(env)) as store:
        child = start_import(path, env, tmp_path, "--scope", scope)
        await wait_for(store, 300, child, tenant)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        time.sleep(0.5)  # noqa: ASYNC251 - what was sent before the kill is committed, or not
        before = await stored(store, tenant)
        assert 300 <= before < FOREIGN - 1

        result = await import_attended(store_of(store), Order(path, target=scope), untold)
        tally = result["kinds"]["episode"]
        assert (tally["rejected"], sum(tally.values())) == (1, FOREIGN)
        assert tally["duplicates"] < FOREIGN // 2, "it did not go on from its mark"
        undisturbed = await import_attended(store_of(opened), Order(path, target=scope), untold)
        assert undisturbed["kinds"]["episode"]["accepted"] == FOREIGN - 1
        assert result["lost"] == undisturbed["lost"]
        assert await content_digest(store, scope) == await content_digest(opened, scope)
