"""Files that a Neo4j home needs before its first start: configuration, password, store mark."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.errors import StoreUnusable
from app.runtime.machine import Memory
from app.runtime.passwords import read_or_create, write_private

HASH_ROUNDS = 1024
STORE_MARK = "loci-store.json"
CHECKPOINT_SECONDS = 60


@dataclass(frozen=True)
class Neo4jSpec:
    """One embedded server: where it lives, where it listens (on 127.0.0.1), what it may use.

    `upgrade` lets a store of an older server be opened, which cannot be undone. `java_flags` go
    to the virtual machine after our own, `further` settings to the server after ours.
    `checkpoint_seconds` is how long an index made anew may be known to the transaction log alone.
    """

    home: Path
    plugins: Path
    password_file: Path
    version: str
    bolt_port: int
    http_port: int
    memory: Memory
    upgrade: bool = False
    java_flags: tuple[str, ...] = ()
    checkpoint_seconds: int = CHECKPOINT_SECONDS
    further: Mapping[str, str] = field(default_factory=dict)


def settings_of(spec: Neo4jSpec) -> dict[str, str]:
    """The server's settings. No query is logged: queries carry what people said."""
    listen = {
        f"server.{door}.{kind}_address": f"127.0.0.1:{port}"
        for door, port in (("bolt", spec.bolt_port), ("http", spec.http_port))
        for kind in ("listen", "advertised")
    }
    return {
        **listen,
        "server.default_listen_address": "127.0.0.1",
        "server.directories.plugins": str(spec.plugins),
        "server.memory.heap.initial_size": f"{spec.memory.heap_mb // 2}m",
        "server.memory.heap.max_size": f"{spec.memory.heap_mb}m",
        "server.memory.pagecache.size": f"{spec.memory.pagecache_mb}m",
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.rotation.retention_policy": "1 days 512M",
        "db.tx_log.preallocate": "false",
        # A server killed before its first checkpoint builds every index anew: the default is 15
        # minutes.
        "db.checkpoint.interval.time": f"{spec.checkpoint_seconds}s",
        "db.logs.query.enabled": "OFF",
        # While an import lets the statistics change, a plan that is older than this is made anew
        # in a reader's time: a tenth of a second for the larger queries. The default is 10 s.
        "dbms.cypher.min_replan_interval": "60s",
        # There are more than a thousand statements, some of them planned for several types of
        # parameters: the default of 1,000 plans would have some made anew in turns.
        "server.memory.query_cache.per_db_cache_num_entries": "4000",
        # A statement is planned once, not once for each size of the lists that it is given: those
        # plans are alike here, where every list is unwound into seeks, and planning is most of what
        # a new installation's first minutes cost.
        "internal.cypher.use_parameter_size": "false",
        # By which the watch tells a query that works on from one that waits for its client.
        "db.track_query_cpu_time": "true",
        "dbms.security.auth_enabled": "true",
        "dbms.security.procedures.unrestricted": "gds.*",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        # Nothing is sent, announced or fetched from outside.
        "dbms.usage_report.enabled": "false",
        "dbms.fleet_manager.enabled": "false",
        "server.fleet_discovery.enabled": "false",
        "client.allow_telemetry": "false",
        "server.http.x_forward.enabled": "false",
        # After its last connection the server would idle for ten seconds before it ends.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
        **spec.further,
    }


def prepare(spec: Neo4jSpec) -> str:
    """Make the home fit for a start and return the password of user `neo4j`.

    Raises StoreUnusable for a store of another version, or one whose password was lost.
    """
    for name in ("conf", "data", "logs", "run", "import"):
        (spec.home / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    is_new = not (spec.home / "data" / "databases").exists()
    if not is_new:
        check_store(spec)
    password = read_or_create(spec.password_file)
    lines = [f"{name}={value}" for name, value in sorted(settings_of(spec).items())]
    (spec.home / "conf" / "neo4j.conf").write_text("\n".join(lines) + "\n", "utf-8")
    if is_new:
        write_private(spec.home / "data" / "dbms" / "auth.ini", initial_user(password))
        mark_store(spec)
    return password


def initial_user(password: str) -> str:
    """The line from which a new server takes its first user, as its admin tool writes it:
    `user:SHA-256,digest,salt,rounds:flags` over salt then password, hashed again to the round.
    """
    salt = secrets.token_bytes(32)
    digest = salt + password.encode()
    for _ in range(HASH_ROUNDS):
        digest = hashlib.sha256(digest).digest()
    return f"neo4j:SHA-256,{digest.hex()},{salt.hex()},{HASH_ROUNDS}:\n"


def mark_store(spec: Neo4jSpec) -> None:
    """Write down which server made, or last upgraded, the store."""
    (spec.home / STORE_MARK).write_text(json.dumps({"neo4j": spec.version}) + "\n", "utf-8")


def store_version(home: Path) -> str | None:
    """The version of the server that last wrote the store; None without a readable mark."""
    try:
        return str(json.loads((home / STORE_MARK).read_text("utf-8"))["neo4j"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def check_store(spec: Neo4jSpec) -> None:
    """StoreUnusable where the existing store is not one that this server may open."""
    found = store_version(spec.home)
    if found is None:
        raise StoreUnusable(
            f"{spec.home} holds a store without {STORE_MARK}, so it is not known which Neo4j "
            "made it: move it away, or point LOCI_HOME to another folder."
        )
    if _numbers(found) > _numbers(spec.version):
        raise StoreUnusable(
            f"The store in {spec.home} was written by Neo4j {found}, and this Loci brings "
            f"{spec.version}: upgrade Loci, or point LOCI_HOME to another folder."
        )
    if _numbers(found) < _numbers(spec.version) and not spec.upgrade:
        raise StoreUnusable(
            f"The store in {spec.home} was written by the older Neo4j {found}, and this Loci "
            f"brings {spec.version}: copy that folder as a backup, then run "
            "`loci up --upgrade-store`, which cannot be undone."
        )
    if not spec.password_file.exists():
        raise StoreUnusable(
            f"The store in {spec.home} has a password, but {spec.password_file} is missing: "
            "restore that file, or point LOCI_HOME to another folder."
        )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
