"""The settings of a command: those of the environment, and what `loci up` runs on this machine."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from app.errors import GraphUnavailable
from app.runtime.config import runtime_config
from app.runtime.report import graph_door, redis_url
from app.settings import Settings, read_settings

BOLT = 7687  # where a Neo4j is asked whose URI names no port
PATIENCE = 5.0  # seconds for each address of a host to take a connection, as the driver waits too


def local_settings() -> Settings:
    """The settings; where they name no Neo4j or no Valkey, those that the home's `loci up` runs.

    Their ports are those of the settings, their passwords lie in the home. Unless a level is set,
    errors alone are logged: a command says itself what came of it. Raises InvalidInput as
    `read_settings` does, and GraphUnavailable at once for a Neo4j whose host has no address, or
    where nothing listens.
    """
    settings = read_settings()
    if "log_level" not in settings.telemetry.model_fields_set:
        quiet = settings.telemetry.model_copy(update={"log_level": "error"})
        settings = settings.model_copy(update={"telemetry": quiet})
    config = runtime_config(settings)
    if config.graph is None:
        door = graph_door(config)
        found = {"uri": door.uri, "user": door.user, "password": door.password}
        given = settings.graph.model_fields_set
        update = {name: value for name, value in found.items() if name not in given}
        settings = settings.model_copy(update={"graph": settings.graph.model_copy(update=update)})
    if config.redis_url is None:
        queue = settings.redis.model_copy(update={"url": redis_url(config)})
        settings = settings.model_copy(update={"redis": queue})
    _need_listener(settings.graph.uri)
    return settings


def _need_listener(uri: str) -> None:
    """Somebody waits for a command: the driver would try again for half a minute."""
    try:
        parts = urlsplit(uri)
        where = (parts.hostname or "", parts.port or BOLT)
    except ValueError:
        return  # who opens the driver says what is wrong with it
    try:
        socket.create_connection(where, PATIENCE).close()
    except socket.gaierror:
        said = f"NEO4J_URI names {where[0]}, a host that has no address"
        raise GraphUnavailable(said) from None
    except OSError as error:
        raise GraphUnavailable(
            f"no Neo4j answers at {where[0]}:{where[1]} ({error.strerror or error})"
        ) from None
