"""The few lines that each program needs are what Loci answers to."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from app.mcp.asking import PATH
from loci_client.place import DEFAULT_URL

GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/mcp.md"
BLOCKS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE.read_text(), re.S)]
ADDRESS = f"{DEFAULT_URL}{PATH}"


def servers(block: dict[str, Any]) -> dict[str, Any]:
    """What a program's file calls by `loci`."""
    found: dict[str, Any] = block.get("mcpServers") or block["servers"]
    return found


def test_each_program_has_one_entry() -> None:
    assert [list(servers(block)) for block in BLOCKS] == [["loci"]] * 3


@pytest.mark.parametrize("block", [block for block in BLOCKS if "url" in servers(block)["loci"]])
def test_an_entry_with_an_address_sends_the_key_that_the_program_asks_for(
    block: dict[str, Any],
) -> None:
    entry = servers(block)["loci"]
    assert entry["url"] == ADDRESS
    (scheme, key) = entry["headers"]["Authorization"].split(" ", 1)
    assert scheme == "Bearer"
    asked = {f"${{input:{one['id']}}}" for one in block.get("inputs", ())}
    assert key in asked or key == "${env:LOCI_API_KEY}"


def test_the_line_of_claude_code_names_the_address_and_sends_the_key() -> None:
    (line,) = re.findall(r"```text\n(claude .*)\n```", GUIDE.read_text())
    assert shlex.split(line) == [
        "claude", "mcp", "add", "--transport", "http", "loci", ADDRESS,
        "--header", "Authorization: Bearer loci_…",
    ]  # fmt: skip


def test_each_program_that_is_named_has_its_lines() -> None:
    """In the order of the page; what takes an address alone has the proxy below, and what only
    signs in by OAuth is told that it is not served."""
    page = GUIDE.read_text()
    clients = page[page.index("## Clients") : page.index("## Tools")]
    found = [clients.index(name) for name in ("Claude Code:", "Cursor, in", "VS Code, in",
             "Claude Desktop starts", "ChatGPT takes", "claude.ai takes", "```nginx")]  # fmt: skip
    assert found == sorted(found)
    assert "OAuth" in clients[clients.index("not served") - 80 :]
    assert "claude.ai" not in clients[clients.index("```nginx") :]


def test_the_entry_that_starts_a_program_names_the_command_and_what_it_reads() -> None:
    (entry,) = [e for block in BLOCKS if "command" in (e := servers(block)["loci"])]
    assert (Path(entry["command"]).name, entry["args"]) == ("loci", ["mcp"])
    assert set(entry["env"]) == {"LOCI_API_KEY", "LOCI_API_URL"}
    assert ADDRESS.startswith(entry["env"]["LOCI_API_URL"])
