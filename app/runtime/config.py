"""What the runtime is told: folders, ports, memory, and the parts that run elsewhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import HomeUnusable
from app.settings import Settings


@dataclass(frozen=True)
class GraphDoor:
    """How to reach a Neo4j, ours or another."""

    uri: str
    user: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None


@dataclass(frozen=True)
class RuntimeConfig:
    """Everything `loci up` needs; `graph` and `redis_url` are set where those parts are given."""

    home: Path
    cache: Path
    api_host: str = "127.0.0.1"
    api_port: int = 8484
    bolt_port: int = 7687
    browser_port: int = 7474
    valkey_port: int = 6379
    heap_mb: int | None = None
    pagecache_mb: int | None = None
    neo4j: Mapping[str, str] = field(default_factory=dict)
    graph: GraphDoor | None = None
    redis_url: str | None = field(default=None, repr=False)
    maven_url: str | None = None
    model_cache: Path | None = None

    @property
    def neo4j_home(self) -> Path:
        return self.home / "neo4j"

    @property
    def valkey_home(self) -> Path:
        return self.home / "valkey"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def run(self) -> Path:
        """Lock and state of the supervisor."""
        return self.home / "run"

    @property
    def neo4j_password_file(self) -> Path:
        return self.home / "secrets" / "neo4j"

    @property
    def valkey_password_file(self) -> Path:
        return self.home / "secrets" / "valkey"

    @property
    def api_url(self) -> str:
        """The API as seen from this machine, whatever address it listens on."""
        host = "127.0.0.1" if self.api_host in {"0.0.0.0", "::", ""} else self.api_host
        return f"http://{host}:{self.api_port}"

    @property
    def browser_url(self) -> str:
        return f"http://127.0.0.1:{self.browser_port}/browser/"


def runtime_config(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> RuntimeConfig:
    """The runtime's view of the settings; a part whose address was given is not started."""
    env = os.environ if environment is None else environment
    runtime = settings.runtime
    return RuntimeConfig(
        home=runtime.home.expanduser().absolute(),
        cache=runtime.cache.expanduser().absolute(),
        api_host=settings.api.host,
        api_port=settings.api.port,
        bolt_port=runtime.bolt_port,
        browser_port=runtime.browser_port,
        valkey_port=runtime.valkey_port,
        heap_mb=runtime.heap_mb,
        pagecache_mb=runtime.pagecache_mb,
        neo4j=runtime.neo4j,
        graph=_given_graph(settings),
        redis_url=settings.redis.url if "url" in settings.redis.model_fields_set else None,
        maven_url=env.get("LOCI_MAVEN_URL") or None,
        model_cache=settings.embedding.cache or runtime.cache.expanduser().absolute() / "models",
    )


def _given_graph(settings: Settings) -> GraphDoor | None:
    graph = settings.graph
    if "uri" not in graph.model_fields_set:
        return None
    return GraphDoor(graph.uri, graph.user, graph.password, graph.database)


def make_folders(config: RuntimeConfig) -> None:
    """Make the home's folders, readable by the owner only; HomeUnusable where that fails."""
    for folder in (config.home, config.logs, config.run, config.home / "secrets"):
        make_folder(folder, "LOCI_HOME")


def make_folder(folder: Path, setting: str) -> None:
    """Make one private folder and try that it takes a file; `setting` is named if not."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise HomeUnusable(
            f"Cannot write to {folder} ({error.strerror}): give it to this user, "
            f"or point {setting} to another folder."
        ) from error
