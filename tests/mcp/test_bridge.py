"""`loci mcp`: the same over standard input and output, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import httpx
import pytest
from litestar import Litestar
from mcp import Client, MCPError, StdioServerParameters

from app.mcp.bridge import HEADERS, asked
from app.mcp.service import TOOLS
from tests.mcp.conftest import REVISIONS, World, text_of

COMMAND = ("-m", "app.cli.main", "mcp")


def program(port: int, key: str) -> StdioServerParameters:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LOCI_API_KEY": key,
        "LOCI_API_URL": f"http://127.0.0.1:{port}",
    }
    return StdioServerParameters(command=sys.executable, args=list(COMMAND), env=environment)


@pytest.mark.parametrize("mode", REVISIONS)
async def test_a_program_speaks_for_one_key(port: int, world: World, mode: str) -> None:
    async with Client(program(port, world.reader.key), mode=mode) as client:
        assert client.protocol_version == REVISIONS[mode]
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {name for name, tool in TOOLS.items() if tool.reads}
        found = await client.call_tool("search", {"query": "greenhouse door"})
        assert found.structured_content["hits"][0]["id"] == world.episode
        wrong = await client.call_tool("search", {"qery": "x"})
        assert wrong.is_error
        assert "query" in text_of(wrong)
        assert len((await client.list_resource_templates()).resource_templates) == 4
        read = await client.read_resource(f"loci://page/{world.page}")
        assert "crane" in read.contents[0].text  # type: ignore[union-attr]
        assert len((await client.list_prompts()).prompts) == 3
        with pytest.raises(MCPError, match="there is no memory"):
            await client.read_resource("loci://memory/none")


async def test_a_key_that_is_no_longer_one_is_told(app: Litestar) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci", headers=HEADERS
    ) as http:
        with pytest.raises(MCPError, match="send the API key") as told:
            await asked(http, "tools/list", {})
    assert told.value.data == {"code": "Unauthenticated"}


async def test_an_api_that_is_away_is_told() -> None:
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as http:
        with pytest.raises(MCPError, match="no Loci answers at"):
            await asked(http, "tools/list", {})


@pytest.mark.parametrize(
    ("key", "url", "said"),
    [
        ("loci_0123456789ab_" + "x" * 43, "http://127.0.0.1:1", "nothing answers"),
        ("schlüssel", "http://127.0.0.1:1", "this is no key"),
    ],
)
def test_what_cannot_begin_is_a_sentence(key: str, url: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, *COMMAND],
        env={**os.environ, "LOCI_API_KEY": key, "LOCI_API_URL": url},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert said in done.stderr
