from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from app.errors import PlatformUnsupported, QueueUnavailable, StoreUnusable
from app.runtime import valkey
from app.runtime.machine import free_port
from app.runtime.valkey import ask_version, url_of
from tests.support.server import EmbeddedPair

# Microseconds for each key. Between 1,024 of them the server answers what it answers then: a client
# needs some four of these gaps to come in and ask, so that there have to be many.
READ_SLOWLY = ("--key-load-delay", "200")
KEYS = 20_000


def test_kill_and_start_again_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    with EmbeddedPair(tmp_path) as pair:
        url = pair.start_queue()
        with Redis.from_url(url) as client:
            for number in range(100):
                client.rpush("jobs", number)
        pair.kill_queue()
        with pytest.raises(QueueUnavailable, match="does not answer"):
            ask_version(url)
        assert pair.start_queue() == url
        with Redis.from_url(url) as client:
            assert client.llen("jobs") == 100


def test_a_password_is_needed_and_kept_private(tmp_path: Path) -> None:
    with EmbeddedPair(tmp_path) as pair:
        url = pair.start_queue()
        assert ask_version(url).startswith("9.")
        port = int(url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(StoreUnusable, match="refuses the password: correct REDIS_URL"):
            ask_version(url_of("wrong", port))
        for name in ("valkey/valkey.conf", "secrets/valkey"):
            assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_broken_file_is_told_with_the_way_out(tmp_path: Path) -> None:
    with EmbeddedPair(tmp_path) as pair:
        url = pair.start_queue()
        with Redis.from_url(url) as client:
            client.set("a", "b" * 1000)
        pair.kill_queue()
        for file in (tmp_path / "valkey" / "appendonlydir").glob("*.incr.aof"):
            file.write_bytes(b"nonsense, not a command\r\n" * 50)
        with pytest.raises(StoreUnusable, match="move that folder away"):
            pair.start_queue()


@pytest.mark.one_python  # starts a server
def test_a_server_that_still_reads_its_files_is_not_ready(tmp_path: Path) -> None:
    with EmbeddedPair(tmp_path) as pair:
        url = pair.start_queue()
        with Redis.from_url(url) as client, client.pipeline() as many:
            for number in range(KEYS):
                many.set(f"key:{number}", "b" * 100)
            many.execute()
        pair.kill_queue()
        assert pair.queue is not None
        running = pair.queue.part
        running.command = replace(running.command, argv=(*running.command.argv, *READ_SLOWLY))
        running.start()
        assert pair.queue.wait() == url
        with Redis.from_url(url) as client:
            assert client.dbsize() == KEYS


def test_without_the_package_the_sentence_names_the_ways_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(valkey, "get_binary_path", None)
    with pytest.raises(PlatformUnsupported, match=r"REDIS_URL.*docker-compose\.yml"):
        valkey.binary()


def test_nothing_listening_is_unavailable() -> None:
    with pytest.raises(QueueUnavailable):
        ask_version(f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(QueueUnavailable):
        ask_version("nonsense")
