"""Looks at everything that a start needs or that may have gone wrong: `loci doctor`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from app.errors import LociError
from app.kernel.cypher import Q
from app.runtime import neo4j, valkey
from app.runtime.config import GraphDoor, RuntimeConfig, make_folder
from app.runtime.embedded import memory_of, need_platform
from app.runtime.jars import JarCache
from app.runtime.java import find_java
from app.runtime.lock import read_lock
from app.runtime.machine import MIN_HOME_MB, free_mb, holder_of, is_free, machine_mb
from app.runtime.neo4j_config import store_version
from app.runtime.report import graph_door, redis_url
from app.runtime.state import read_state
from app.runtime.supervisor import ports_of, why_not_ready

Level = Literal["ok", "warn", "fail"]
LOW_DISK_MB = 5 * 1024
LEAST_MEMORY_MB = 3 * 1024
EVERYWHERE = ("0.0.0.0", "::", "")
HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Check:
    """One thing looked at; `says` is a sentence, and for a failure what to do."""

    name: str
    level: Level
    says: str


Inspect = Callable[[RuntimeConfig], Check]


def examine(config: RuntimeConfig, more: tuple[Inspect, ...] = ()) -> Iterator[Check]:
    """Every check, in an order in which the first failure explains later ones."""
    for inspect in (*CHECKS, *more):
        try:
            yield inspect(config)
        except LociError as error:
            yield Check(inspect.__name__.removeprefix("check_"), "fail", error.detail)


def check_python(config: RuntimeConfig) -> Check:
    found = platform.python_version()
    return Check("python", "ok", f"Python {found} on {platform.platform(terse=True)}.")


def check_java(config: RuntimeConfig) -> Check:
    if config.graph is not None:
        return Check("java", "ok", "Not needed: NEO4J_URI is set.")
    need_platform()
    java = find_java()
    simd = "with" if java.has_vector else "without"
    return Check("java", "ok", f"Java {java.version} at {java.path}, {simd} SIMD for vectors.")


def check_home(config: RuntimeConfig) -> Check:
    make_folder(config.home, "LOCI_HOME")
    return Check("home", "ok", f"{config.home} can be written.")


def check_disk(config: RuntimeConfig) -> Check:
    free = free_mb(config.home)
    says = f"{free} MiB are free where {config.home} lies"
    if free < MIN_HOME_MB:
        return Check("disk", "fail", f"{says}: free some, or move LOCI_HOME to another disk.")
    level: Level = "warn" if free < LOW_DISK_MB else "ok"
    return Check("disk", level, f"{says}.")


def check_memory(config: RuntimeConfig) -> Check:
    total, share = machine_mb(), memory_of(config)
    says = f"{total} MiB; Neo4j takes {share.heap_mb} heap and {share.pagecache_mb} page cache"
    if total < LEAST_MEMORY_MB or share.heap_mb + share.pagecache_mb > total * 3 // 4:
        return Check("memory", "warn", f"{says}: little is left for API, worker and model.")
    return Check("memory", "ok", f"{says}.")


def check_ports(config: RuntimeConfig) -> Check:
    state = read_state(config)
    if state is not None and state.is_alive:
        return Check("ports", "ok", f"In use by the running Loci: {_listed(dict(state.ports))}.")
    taken = {name: port for name, port in ports_of(config).items() if not is_free(port)}
    if not taken:
        return Check("ports", "ok", f"Free: {_listed(ports_of(config))}.")
    holders = ", ".join(f"{port} by {holder_of(port) or 'an unknown'}" for port in taken.values())
    return Check(
        "ports",
        "fail",
        f"Taken: {holders}. Stop those programs, or set LOCI_PORT, LOCI_BOLT_PORT, "
        "LOCI_HTTP_PORT or LOCI_VALKEY_PORT.",
    )


def _listed(ports: dict[str, int]) -> str:
    return ", ".join(f"{name} {port}" for name, port in ports.items())


def check_jars(config: RuntimeConfig) -> Check:
    """Reads every jar: the one check that would notice a damaged disk."""
    if config.graph is not None:
        return Check("jars", "ok", "Not needed: NEO4J_URI is set.")
    jars = JarCache.under(config.cache, read_lock())
    if not jars.is_complete():
        return Check("jars", "warn", f"{len(jars.missing())} are fetched by the next `loci up`.")
    damaged = jars.damaged()
    if damaged:
        return Check(
            "jars",
            "fail",
            f"{len(damaged)} jars are damaged, the first is {damaged[0].name}: "
            f"delete {jars.folder}, and `loci up` fetches them again.",
        )
    return Check("jars", "ok", f"All {len(jars.lock.jars)} are whole, in {jars.folder}.")


def check_store(config: RuntimeConfig) -> Check:
    if config.graph is not None:
        return Check("store", "ok", "Kept by the Neo4j of NEO4J_URI.")
    ours = read_lock().neo4j_version
    if not (config.neo4j_home / "data" / "databases").exists():
        return Check("store", "ok", "None yet; `loci up` makes one.")
    found = store_version(config.neo4j_home)
    if found != ours:
        return Check(
            "store",
            "fail",
            f"The store in {config.neo4j_home} was written by Neo4j {found or '(unknown)'}, and "
            f"this Loci brings {ours}: see `loci up` for the way on.",
        )
    return Check("store", "ok", f"Written by Neo4j {found}.")


def check_neo4j(config: RuntimeConfig) -> Check:
    if _is_stopped(config):
        return Check("neo4j", "warn", "Not running; `loci up` starts it.")
    found = neo4j.versions(graph_door(config))
    return Check("neo4j", "ok", f"Neo4j {found['neo4j']} {found['edition']} answers.")


def check_gds(config: RuntimeConfig) -> Check:
    if _is_stopped(config):
        return Check("gds", "warn", "Not looked at: Neo4j is not running.")
    found = neo4j.versions(graph_door(config))["gds"]
    if not found:
        return Check("gds", "fail", "The Graph Data Science plugin is missing: install it.")
    return Check("gds", "ok", f"Graph Data Science {found}.")


def check_indexes(config: RuntimeConfig) -> Check:
    if _is_stopped(config):
        return Check("indexes", "warn", "Not looked at: Neo4j is not running.")
    rows = neo4j.ask(graph_door(config), Q.runtime.list_indexes)
    failed = [row["name"] for row in rows if row["state"] == "FAILED"]
    building = [row["name"] for row in rows if row["state"] == "POPULATING"]
    if failed:
        return Check("indexes", "fail", f"Failed: {', '.join(failed)}. Drop and remake them.")
    if building:
        return Check("indexes", "warn", f"Still being built: {', '.join(building)}.")
    return Check("indexes", "ok", f"All {len(rows)} are online.")


def check_valkey(config: RuntimeConfig) -> Check:
    if config.redis_url is None and is_free(config.valkey_port):
        valkey.binary()
        return Check("valkey", "warn", "Not running; `loci up` starts it.")
    return Check("valkey", "ok", f"Valkey {valkey.ask_version(redis_url(config))} answers.")


def check_api(config: RuntimeConfig) -> Check:
    if is_free(config.api_port):
        return Check("api", "warn", "Not running; `loci up` starts it.")
    reason = why_not_ready(config)
    if reason:
        return Check("api", "fail", f"{config.api_url} is not ready: {reason}.")
    return Check("api", "ok", f"{config.api_url} is ready.")


def check_doors(config: RuntimeConfig) -> Check:
    """Who can reach the API, and whether what goes to Neo4j and Valkey can be read on the way."""
    open_to_all = config.api_host in EVERYWHERE
    clear = config.graph is not None and _is_clear(config.graph.uri, ("bolt", "neo4j"))
    queue = config.redis_url is not None and _is_clear(config.redis_url, ("redis", "valkey"))
    says = [
        f"The API listens on all addresses ({config.api_host}): put a proxy with TLS before it."
        if open_to_all
        else f"The API listens on {config.api_host}.",
        "Bolt to Neo4j is not encrypted, and it is on another host: use neo4j+s:// or bolt+s://."
        if clear
        else "",
        "What goes to Valkey is not encrypted, and it is on another host: use rediss://."
        if queue
        else "",
    ]
    level: Level = "warn" if open_to_all or clear or queue else "ok"
    return Check("doors", level, " ".join(filter(None, says)))


def _is_clear(uri: str, schemes: tuple[str, ...]) -> bool:
    parts = urlsplit(uri)
    return parts.scheme in schemes and (parts.hostname or "") not in HERE


def _is_stopped(config: RuntimeConfig) -> bool:
    door: GraphDoor | None = config.graph
    return door is None and is_free(config.bolt_port)


CHECKS: tuple[Inspect, ...] = (
    check_python,
    check_java,
    check_home,
    check_disk,
    check_memory,
    check_ports,
    check_jars,
    check_store,
    check_neo4j,
    check_gds,
    check_indexes,
    check_valkey,
    check_api,
    check_doors,
)
