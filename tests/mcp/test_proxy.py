"""The proxy of the guide, for clients that send no header: nginx itself, where it is installed."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.conftest import REVISIONS, World

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "mcp.md"
SECRET = "5f0c9b1e7a"
SECONDS = 60.0
AROUND = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error;
events {{}}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fast; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    access_log {folder}/access;
    {server}
}}
"""


def free() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number: int = taken.getsockname()[1]
        return number


def configured(folder: Path, listens: int, port: int, key: str) -> Path:
    """The guide's lines without TLS, for this machine's ports."""
    found = re.search(r"```nginx\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    server = re.sub(r"^ *ssl_.*\n", "", found[1], flags=re.M)
    for guide, here in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{listens};"),
        ("127.0.0.1:8484", f"127.0.0.1:{port}"),
        ("loci_…", key),
        ("PATH", SECRET),
    ):
        assert server.count(guide) == 1
        server = server.replace(guide, here)
    file = folder / "nginx.conf"
    file.write_text(AROUND.format(folder=folder, server=server), encoding="utf-8")
    return file


@pytest_asyncio.fixture(loop_scope="session")
async def proxied(port: int, world: World, tmp_path: Path) -> AsyncIterator[str]:
    """The address of the proxy."""
    nginx = shutil.which("nginx")
    if nginx is None:
        absent = pytest.fail if os.environ.get("TESTS_NEED_PROXY") else pytest.skip
        absent("nginx is not installed")
    listens = free()
    file = configured(tmp_path, listens, port, world.reader.key)
    running = await asyncio.create_subprocess_exec(
        nginx, "-p", str(tmp_path), "-e", str(tmp_path / "error"), "-c", str(file)
    )
    try:
        await answers(listens, running)
        yield f"http://127.0.0.1:{listens}"
    finally:
        if running.returncode is None:
            running.terminate()
        await running.wait()


async def answers(port: int, running: asyncio.subprocess.Process) -> None:
    """Wait until a port answers."""
    for _ in range(int(SECONDS / 0.05)):
        assert running.returncode is None, "nginx has ended"
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        await asyncio.sleep(0.05)
    raise AssertionError(f"nginx does not answer after {SECONDS:.0f} s")


async def test_a_client_without_a_key_comes_in_by_the_path_alone(
    proxied: str, world: World, tmp_path: Path
) -> None:
    for mode, revision in REVISIONS.items():
        door = streamable_http_client(f"{proxied}/{SECRET}/mcp?tools=episodes")
        async with Client(door, mode=mode) as client:
            assert client.protocol_version == revision
            assert "read_memory" in {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search", {"query": "greenhouse door"})
            assert found.structured_content["hits"][0]["id"] == world.episode
    uri = f"loci://page/{world.page}"
    door = streamable_http_client(f"{proxied}/{SECRET}/mcp")
    async with (
        asyncio.timeout(SECONDS),
        Client(door, mode="auto") as client,
        client.listen(resource_subscriptions=[uri]) as told,  # the answer is not held back
    ):
        assert told.honored.resource_subscriptions == [uri]
    async with httpx.AsyncClient(base_url=proxied) as http:
        for path in ("/mcp", "/v1/status", f"/{SECRET}", f"/{SECRET}/mcp/", f"/{SECRET}/v1/status"):
            assert (await http.get(path)).status_code == 404
    assert f"{SECRET}/mcp?tools" not in (tmp_path / "access").read_text(encoding="utf-8")
