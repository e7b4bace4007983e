"""`loci page` over a real graph."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.errors import NotFound
from tests.conftest import Command, Principal

Invoke = Callable[..., Awaitable[str]]


@pytest.fixture
def loci(command: Command) -> Invoke:
    """What `loci page` prints; it must succeed."""

    async def invoke(*arguments: str) -> str:
        result = await command("page", *arguments)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    return invoke


async def test_pages_from_the_command_line(writer: Principal, loci: Invoke, tmp_path: Path) -> None:
    scope, vault = writer.caller.home, tmp_path / "vault"
    (vault / "sub").mkdir(parents=True)
    (vault / "One.md").write_text("To [[Two]] and [[Three]].\n")
    (vault / "sub" / "Two.md").write_text("One is named here. Mail ada@example.org.\n")
    told = await loci("import", str(vault), scope)
    assert "stored 2, changed 0, unchanged 0" in told
    assert "changed sub/Two.md: email 1" in told
    (vault / "Three.md").write_text("Alone no more.\n")
    receipt = json.loads(await loci("add", scope, str(vault / "Three.md"), "--json"))
    assert receipt["title"] == "Three"
    listed = json.loads(await loci("list", scope, "--json"))
    ids = {page["title"]: page["id"] for page in listed}
    assert set(ids) == {"One", "Two", "Three"}
    links = await loci("links", scope, ids["One"])
    assert "links to: Three, Two" in links
    assert "named by: Two" in links
    assert "To [[Two]]" in await loci("show", scope, ids["One"])
    assert json.loads(await loci("orphans", scope, "--json")) == []
    assert "3 files" in await loci("export", str(tmp_path / "out"), scope)
    assert (tmp_path / "out" / "One.md").read_bytes() == (vault / "One.md").read_bytes()
    (vault / "sub" / "Two.md").rename(vault / "Two.md")
    (vault / "One.md").unlink()
    told = await loci("import", "--whole", str(vault), scope)
    assert "stored 1, changed 0, unchanged 1" in told
    assert ("moved sub/Two.md to Two.md" in told, "removed One.md" in told) == (True, True)


async def test_a_scope_that_is_not_there_is_told(writer: Principal, command: Command) -> None:
    for name in ("list", "orphans"):
        result = await command("page", name, f"{writer.caller.home}-none")
        assert isinstance(result.exception, NotFound)
