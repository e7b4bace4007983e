"""`loci api`: operations of the API as commands, asked over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from click.testing import Result
from typer.testing import CliRunner

from app.cli.api import value_of
from app.cli.main import cli
from app.errors import InvalidInput, LociError
from tests.cli.test_start import HEAVY, started, starts_quickly
from tests.clients.conftest import address
from tests.conftest import MakePrincipal, Principal

__all__ = ["address"]
Run = Callable[..., Awaitable[Result]]


@pytest_asyncio.fixture
async def run(address: str, writer: Principal, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LOCI_API_KEY", writer.key)
    monkeypatch.setenv("LOCI_API_URL", address)
    monkeypatch.setenv("COLUMNS", "240")

    async def run(*arguments: str, input: str | None = None) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["api", *arguments], input=input)

    return run


async def told(run: Run, *arguments: str) -> Any:
    done = await run(*arguments, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.output)


async def test_a_pool_is_made_filled_and_read(run: Run) -> None:
    made = await told(
        run, "pools", "create-pool", "--name", "Kiln", "--pool-id", "kiln", "--type", "shared",
        "--data", '{"heat": {"top": 1280}}', "--persist-across-executions",
    )  # fmt: skip
    assert (made["pool_id"], made["persist_across_executions"]) == ("kiln", True)
    body = '{"value": "Ada"}'
    await told(run, "pools", "write-pool-data", "kiln", "--path", "owner", "--request", body)
    read = await told(run, "pools", "read-pool-data", "kiln")
    assert read["untrusted"]["value"] == {"heat": {"top": 1280}, "owner": "Ada"}
    late = await run(
        "pools", "merge-pool-data", "kiln", "--request", '{"data": {"a": 1}}', "--if-match", "0"
    )
    assert isinstance(late.exception, LociError)
    listed = await run("pools", "list-pools")
    assert "Kiln" in listed.output, listed.output
    gone = await run("pools", "delete-pool", "kiln")
    assert gone.exit_code == 0, gone.exception
    assert "Kiln" not in (await run("pools", "list-pools")).output


async def test_what_an_agent_keeps_is_reached_by_commands(run: Run) -> None:
    """One of each slice that no command reached before."""
    value = ("working-memory", "put-working-value", "bake", "keys", "oven", "--request")
    await told(run, *value, '{"value": {"on": true}}')
    kept = await told(run, "working-memory", "get-working-value", "bake", "keys", "oven")
    assert kept["untrusted"]["value"] == {"on": True}
    short = await told(
        run, "short-term-memory", "create-short-memory", "--key", "flour", "--value", "rye",
        "--session", "s1", "--type", "plan",
    )  # fmt: skip
    again = await told(run, "short-term-memory", "get-short-memory", short["id"])
    assert again["untrusted"]["value"] == "rye"
    goal = await told(run, "autonomy", "create-goal", "--title", "Bake bread", "--priority", "high")
    ended = await told(run, "autonomy", "advance-goal", goal["id"], "--to", "completed")
    assert ended["state"] == "completed"
    item = await told(run, "work-items", "create-work-item", "--title", "Mill", "--tags", "rye",
                      "--tags", "flour")  # fmt: skip
    assert item["untrusted"]["tags"] == ["rye", "flour"]
    found = await told(run, "work-items", "list-work-items", "--tag", "flour")
    assert [one["id"] for one in found["items"]] == [item["id"]]
    trace = await told(run, "traces", "start-trace", "--task", "Bake", "--session", "s1")
    assert (await told(run, "traces", "get-trace", trace["id"]))["trace"]["id"] == trace["id"]
    context = await told(run, "contexts", "create-context", "--name", "Oven")
    assert (await told(run, "contexts", "get-context", context["id"]))["id"] == context["id"]


async def test_what_is_refused_names_its_field(run: Run) -> None:
    wrong = await run(
        "pools", "create-pool", "--name", "Kiln", "--type", "odd", "--scope", "x/y/z/w"
    )
    assert isinstance(wrong.exception, LociError)
    assert "type" in str(wrong.exception)
    none = await run("pools", "create-pool")
    assert "name is missing" in str(none.exception)
    for nothing in ("", ".", ".."):
        done = await run("pools", "get-pool", nothing)
        assert isinstance(done.exception, InvalidInput), nothing
        assert done.exception.field == "pool"
    unread = await run("pools", "create-pool", "--request", "{")
    assert "--request is no JSON" in str(unread.exception)
    nobody = await run("pools", "get-pool", "nope")
    assert isinstance(nobody.exception, LociError)
    assert (await run("pools", "nonsense")).exit_code == 2
    assert (await run("nonsense")).exit_code == 2
    assert (await run("pools", "get-pool")).exit_code == 2


async def test_a_body_comes_from_a_file_or_the_input(run: Run, tmp_path: Path) -> None:
    given = tmp_path / "goal.json"
    given.write_text('{"title": "Sow", "priority": "low"}', encoding="utf-8")
    make = ("autonomy", "create-goal", "--request")
    goal = await told(run, *make, f"@{given}", "--title", "Reap")
    assert (goal["untrusted"]["title"], goal["priority"]) == ("Reap", "low")
    said = await run(
        "autonomy", "create-goal", "--request", "-", "--json", input='{"title": "Sow"}'
    )
    assert json.loads(said.output)["untrusted"]["title"] == "Sow"
    bad = await run(*make, "[]", "--title", "Reap")
    assert "--request is no JSON object" in str(bad.exception)


async def test_nobody_reads_by_a_command_what_his_key_does_not_see(
    run: Run, principal: MakePrincipal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = await told(run, "autonomy", "create-goal", "--title", "Bake bread")
    stranger = await principal(f"{tenant}/elsewhere", name="stranger")
    monkeypatch.setenv("LOCI_API_KEY", stranger.key)
    done = await run("autonomy", "get-goal", goal["id"])
    assert isinstance(done.exception, LociError)
    assert "Bake bread" not in done.output


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        ("text", "5", "5"), ("integer", "5", 5), ("number", "0.5", 0.5), ("integer", "null", None),
        ("json", '{"a": 1}', {"a": 1}), ("any", "5", 5), ("any", "rye", "rye"),
        ("boolean", True, True),
    ],
)  # fmt: skip
def test_an_option_is_read_by_its_type(kind: str, given: Any, read: Any) -> None:
    assert value_of({"name": "left_over", "type": kind}, given) == read


@pytest.mark.parametrize(
    ("kind", "given"),
    [("integer", "0.5"), ("integer", "true"), ("number", "x"), ("number", '"x"'), ("json", "{")],
)
def test_an_option_of_another_type_is_refused_by_its_name(kind: str, given: str) -> None:
    with pytest.raises(InvalidInput, match="--left-over is "):
        value_of({"name": "left_over", "type": kind}, given)


@pytest.mark.parametrize("below", [(), ("pools",), ("pools", "create-pool")])
def test_its_help_comes_quickly(below: tuple[str, ...]) -> None:
    code, _, modules = started("api", *below, "--help")
    assert (code, modules & HEAVY) == ("0", set())
    assert starts_quickly("api", *below, "--help")
