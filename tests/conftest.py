"""What tests share: a real graph and queue, the parts over them, scopes of one's own, a client.

Every test works in a tenant of its own, so tests are isolated the way tenants are.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from click.testing import Result
from litestar import Litestar
from typer.testing import CliRunner
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from app.asgi import create_app, fill_state
from app.cli.keys import mint
from app.cli.main import cli
from app.embeddings import e5_files
from app.embeddings.e5 import E5Embedder, E5Model
from app.kernel.caller import Caller, Role
from app.settings import Settings, read_settings
from app.wiring import Parts, parts
from tests.support.server import Backend, start_backend
from tests.support.serving import Served

COUNTER = itertools.count(1)
RUN = secrets.token_hex(3)
BY_FILE = {"tests/contract", "tests/scenarios", "tests/security"}
# What reads every node of a store, be it to find a word that was erased: a second on one that is
# nearly empty, and twenty on one that thousands of tests have filled.
LOOKS = re.compile(
    r"^from (?:app\.lifecycle\.invariants|tests\.lifecycle\.conftest|tests\.security\.looking) "
    r"import (?:\([^)]*|[^\n]*)\b(?:broken|checked|strings_of|hidden_in)\b",
    re.M,
)


@cache
def looks_through(path: Path) -> bool:
    """Whether a file's tests look through the whole store, or erase as those do."""
    looks = LOOKS.search(path.read_text(encoding="utf-8"))
    return looks is not None or path.parent.name == "lifecycle"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the pages first, whose readers have a store that nothing else has filled (what is rare in
    it decides which of two words counts for more), then what looks through the whole store while
    that is small, then files with slow tests: one that begins last keeps a single process at
    work."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def place(item: pytest.Item) -> tuple[bool, bool, bool]:
        pages = item.path.name == "test_docs.py"
        return not pages, not looks_through(item.path), item.path not in slow

    items.sort(key=place)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFolder:
    """Share the tests out by folder."""
    return ByFolder(config, log)


class ByFolder(LoadFileScheduling):  # type: ignore[misc]
    """Gives a folder of tests to one process, since each database plans every statement itself, a
    tenth of a second each, and a slice's statements are those of its folder. Folders that ask all
    slices, or start servers of their own, are shared out by file. What looks through the whole
    store goes to one process, whatever its folder: it is small there, and erasures, which all of
    it asks for, are planned once."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::", 1)[0]
        if looks_through(self.config.rootpath / path):
            return "what looks through the store"
        folder = path.rpartition("/")[0]
        return path if folder in BY_FILE else folder


@pytest.fixture(scope="session")
def backend() -> Iterator[Backend]:
    """Neo4j and Valkey for the whole session."""
    with start_backend() as started:
        yield started


@pytest.fixture(scope="session")
def settings(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings over the session's servers, with the quick embedder that only tests may use."""
    environment = {
        "NEO4J_URI": backend.neo4j_uri,
        "NEO4J_USER": backend.neo4j_user,
        "NEO4J_PASSWORD": backend.neo4j_password,
        "REDIS_URL": backend.redis_url,
        "LOCI_REDIS__QUEUE": f"loci-test-{RUN}",
        "LOCI_EMBEDDING__PROVIDER": os.environ.get("LOCI_EMBEDDING__PROVIDER", "hash"),
        "LOCI_EMBEDDING__ALLOW_TEST": "true",
        "LOCI_EMBEDDING__FURTHER": '{"wide": {"provider": "hash", "dimension": 96}}',
        "LOCI_API__KEY_CACHE_SECONDS": "0",
        "LOCI_API__IMPORT_DIR": str(tmp_path_factory.mktemp("imports")),
        "LOCI_API__EVENT_SECONDS": "1",  # who reads every route waits for the end of a stream
        "LOCI_SEARCH__GRAPH_WAIT_MS": "20000",
        "LOCI_WEBHOOKS__ALLOW": "127.0.0.0/8",
        "LOCI_TELEMETRY__LOG_LEVEL": "error",
    }
    return read_settings(environment)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def opened(settings: Settings) -> AsyncIterator[Parts]:
    """The parts of one process."""
    async with parts(settings) as assembled:
        yield assembled


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def app(opened: Parts) -> Litestar:
    """The application over the session's parts; its lifespan is the fixture's."""
    made = create_app(opened.settings)
    fill_state(made, opened)
    return made


@dataclass(frozen=True)
class Principal:
    """A caller with its key and an HTTP client that carries it."""

    key: str
    caller: Caller
    http: httpx.AsyncClient


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test uses."""
    return f"t{RUN}-{next(COUNTER)}"


MakePrincipal = Callable[..., Awaitable[Principal]]


@pytest_asyncio.fixture(loop_scope="session")
async def principal(opened: Parts, app: Litestar) -> AsyncIterator[MakePrincipal]:
    """Makes principals: `await principal("acme/dev", role=Role.WRITER, name="scout")`."""
    clients: list[httpx.AsyncClient] = []

    async def make(
        scope: str,
        role: Role = Role.WRITER,
        name: str = "scout",
        kind: str = "agent",
        subtree: bool | None = None,
    ) -> Principal:
        minted = await mint(opened, scope, kind=kind, name=name, role=role, subtree=subtree)
        caller = replace(await opened.keys.resolve(minted.text), request="test")
        client = httpx.AsyncClient(
            transport=Served(app),
            base_url="http://loci",
            headers={"Authorization": f"Bearer {minted.text}"},
        )
        clients.append(client)
        return Principal(minted.text, caller, client)

    yield make
    for client in clients:
        await client.aclose()


@pytest_asyncio.fixture(loop_scope="session")
async def admin(principal: MakePrincipal, tenant: str) -> Principal:
    """An administrator of a fresh tenant, of everything below it too."""
    return await principal(tenant, role=Role.ADMIN, name="admin", kind="user")


@pytest_asyncio.fixture(loop_scope="session")
async def writer(principal: MakePrincipal, tenant: str) -> Principal:
    """An agent that writes to `tenant/dev`."""
    return await principal(f"{tenant}/dev")


@pytest_asyncio.fixture(loop_scope="session")
async def drain(opened: Parts) -> Callable[[], Awaitable[int]]:
    """Runs the indexing pass until nothing waits."""
    return opened.indexing.drain


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversion of the model that ships, made by this run."""
    return e5_files.ensure_model(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def e5_model(model_folder: Path) -> E5Model:
    """The model that ships."""
    return E5Model(model_folder)


@pytest_asyncio.fixture(loop_scope="session")
async def e5(e5_model: E5Model) -> AsyncIterator[E5Embedder]:
    """The same as services use it."""
    embedder = E5Embedder(e5_model, threads=1)
    yield embedder
    await embedder.aclose()


Command = Callable[..., Awaitable[Result]]


@pytest.fixture
def command(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command in a thread, since commands have event loops of their own."""
    for name, value in backend.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LOCI_EMBEDDING__PROVIDER", "hash")
    monkeypatch.setenv("LOCI_EMBEDDING__ALLOW_TEST", "true")
    monkeypatch.setenv("LOCI_TELEMETRY__LOG_LEVEL", "error")
    monkeypatch.setenv("COLUMNS", "240")

    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, list(arguments))

    return run
