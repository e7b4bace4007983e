"""The embedded Neo4j: how it is started, and how we know that it is ready."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.errors import GraphUnavailable, PartFailed, StoreUnusable
from app.kernel.cypher import Q, Query
from app.kernel.driver import (
    AuthError,
    ConfigurationError,
    Driver,
    DriverError,
    GraphDatabase,
    Neo4jError,
    NotificationMinimumSeverity,
)
from app.runtime.config import GraphDoor
from app.runtime.java import Java
from app.runtime.neo4j_config import Neo4jSpec
from app.runtime.process import Command, last_line, tail

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
SCHEMES = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent")
# What the server's log says of a store that it cannot read.
BROKEN = ("corrupt", "StoreFailure", "UnderlyingStorageException", "unable to recover", "InvalidId")

# What the server says of a setting that it does not know, or whose value it cannot read. Ours are
# right, so it was given.
REFUSED = re.compile(
    r"No declared setting with name: (?P<unknown>[\w.-]*\w)"
    r"|Error evaluating value for setting '(?P<setting>[^']+)'\. (?P<why>[^\n]+)"
)
CONSOLE = 8192  # bytes of the console's end that are looked through for that


def command(spec: Neo4jSpec, java: Java, class_path: str) -> Command:
    """The server's command line; its settings lie in the home that `prepare` made."""
    vector = ["--add-modules", "jdk.incubator.vector"] if java.has_vector else []
    argv = [
        str(java.path),
        f"-Xms{spec.memory.heap_mb // 2}m",
        f"-Xmx{spec.memory.heap_mb}m",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        *vector,
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        "--enable-native-access=ALL-UNNAMED",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dfile.encoding=UTF-8",
        *spec.java_flags,
        "-cp",
        class_path,
        MAIN_CLASS,
        f"--home-dir={spec.home}",
        f"--config-dir={spec.home / 'conf'}",
    ]
    return Command(tuple(argv), spec.home / "logs" / "console.log")


def door_of(spec: Neo4jSpec, password: str) -> GraphDoor:
    return GraphDoor(f"bolt://127.0.0.1:{spec.bolt_port}", "neo4j", password)


def open_driver(door: GraphDoor) -> Driver:
    """A driver that gives up early; GraphUnavailable where the URI is none."""
    if not door.uri.startswith(SCHEMES):
        raise GraphUnavailable(
            f"NEO4J_URI {door.uri!r} is no address of a Neo4j: it starts with bolt:// or neo4j://."
        )
    try:
        return GraphDatabase.driver(
            door.uri,
            auth=(door.user, door.password),
            connection_timeout=5,
            max_transaction_retry_time=0,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
        )
    except (ConfigurationError, ValueError) as error:
        raise GraphUnavailable(
            f"NEO4J_URI {door.uri!r} is no address of a Neo4j: {error}"
        ) from error


def ask(door: GraphDoor, query: Query, database: str | None = None) -> list[dict[str, Any]]:
    """One reading query's rows; GraphUnavailable, with a sentence, where it gets no answer."""
    with open_driver(door) as driver:
        try:
            records, _, _ = driver.execute_query(query.text, database_=database or door.database)
        except AuthError as error:
            raise StoreUnusable(
                f"The Neo4j at {door.uri} refuses the password of user {door.user!r}: "
                "correct NEO4J_PASSWORD, or the password file of LOCI_HOME."
            ) from error
        except (Neo4jError, DriverError) as error:
            raise GraphUnavailable(f"The Neo4j at {door.uri} does not answer: {error}") from error
    return [record.data() for record in records]


def versions(door: GraphDoor) -> dict[str, str]:
    """`neo4j`, `edition` and `gds` version; `gds` is empty where the plugin is missing."""
    rows = ask(door, Q.runtime.list_components)
    kernel = next(row for row in rows if row["name"] == "Neo4j Kernel")
    has_gds = ask(door, Q.runtime.find_gds)
    gds = ask(door, Q.runtime.gds_version)[0]["version"] if has_gds else ""
    return {"neo4j": kernel["versions"][0], "edition": kernel["edition"], "gds": gds}


def wait_ready(door: GraphDoor, is_alive: Callable[[], bool], logs: Path, seconds: float) -> None:
    """Return once the database answers a query.

    Raises StoreUnusable for a refused password or a store that does not open, and PartFailed when
    the server ends or `seconds` pass.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            ask(door, Q.runtime.ping)
            return
        except GraphUnavailable as error:
            reason = error.detail
        _fail_if_stopped(is_alive(), logs)
        _fail_if_broken(door, logs)
        if time.monotonic() > deadline:
            raise PartFailed(f"Neo4j was not ready after {seconds:.0f} s ({reason}): see {logs}.")
        time.sleep(0.25)


def _fail_if_stopped(alive: bool, logs: Path) -> None:
    if alive:
        return
    said = last_line(logs / "console.log")
    if _is_broken(said):
        raise _broken(logs, said)
    if refused := REFUSED.search(tail(logs / "console.log", CONSOLE)):
        raise PartFailed(_refusal(refused))
    raise PartFailed(f"Neo4j ended during its start: {said or 'it said nothing'}. See {logs}.")


def _refusal(refused: re.Match[str]) -> str:
    if unknown := refused["unknown"]:
        return f"LOCI_RUNTIME__NEO4J names {unknown}, which is no setting of this Neo4j."
    return (
        f"LOCI_RUNTIME__NEO4J gives {refused['setting']} a value that this Neo4j refuses: "
        f"{refused['why'].strip().rstrip('.')}."
    )


def _fail_if_broken(door: GraphDoor, logs: Path) -> None:
    """The server runs on when its one database cannot be opened, and only says so if asked."""
    try:
        rows = ask(door, Q.runtime.list_databases, "system")
    except GraphUnavailable:
        return
    for row in rows:
        if row["name"] != "system" and row["statusMessage"]:
            raise _broken(logs, str(row["statusMessage"]))


def _broken(logs: Path, said: str) -> StoreUnusable:
    return StoreUnusable(
        f"The store in {logs.parent / 'data'} does not open ({said.rstrip('.')}): restore a backup "
        f"of that folder, or move it away and import an export. Details are in {logs}."
    )


def _is_broken(said: str) -> bool:
    return any(word.lower() in said.lower() for word in BROKEN)
