"""Slots by every door beside their routes: tools, commands, GraphQL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import slots as commands
from app.cli.main import cli
from app.kernel.caller import Role
from app.mcp.service import PROFILES, TOOLS
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak, connect, port, speak
from tests.tiers.test_slots import load, notes, slots

__all__ = ["connect", "port", "speak"]
ADDRESS = "/mcp?tools=slots"


@pytest.mark.parametrize("speak", ["auto", "legacy"], indirect=True)
async def test_tools_load_use_and_free_slots(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    (one,) = await notes(writer, 1)
    listed, results = await speak(
        writer, ADDRESS,
        ("slot_load", {"memory": one, "relevance": 0.9}),
        ("slot_list", {}),
        ("slot_use", {"memory": one, "characters": 5}),
        ("slot_unload", {"memory": one}),
        ("slot_use", {"memory": one}),
        ("slot_load", {"memory": "none"}),
        ("slot_clear", {}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["slots"].keys()
    loaded, whole, used, freed, gone, none, cleared = results
    assert loaded.structured_content["slot"]["relevance"] == 0.9
    assert whole.structured_content["items"][0]["memory"] == one
    assert "Otter 0 is fed" in whole.content[0].text
    assert used.structured_content["untrusted"]["text"] == "Otter"
    assert freed.structured_content == {"memory": one}
    assert gone.structured_content["code"] == "NotFound"
    assert none.structured_content["code"] == "NotFound"
    assert cleared.structured_content == {"removed": 0}
    await load(writer, one, 0.5)
    peer = await principal(f"{tenant}/dev", name="peer", role=Role.ADMIN)
    _, (nothing, refused) = await speak(
        peer, ADDRESS, ("slot_list", {}), ("slot_use", {"memory": one})
    )
    assert {item["memory"] for item in nothing.structured_content["items"]} == {None}
    assert refused.structured_content["code"] == "NotFound"
    reader = await principal(f"{tenant}/dev", name="reads", role=Role.READER)
    tools, _ = await speak(reader, ADDRESS)
    assert {"slot_list", "slot_use"} <= tools
    assert "slot_load" not in tools


async def test_commands_load_use_and_free_slots(
    writer: Principal, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCI_API_KEY", writer.key)
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setenv("LOCI_API_URL", f"http://127.0.0.1:{port}")

    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["slot", *arguments])

    one, two = await notes(writer, 2)
    assert (await run("load", one, "--relevance", "0.9")).output.strip() == "slot 0"
    loaded = await run("load", two, "--json")
    assert '"index": 1' in loaded.output, loaded.output
    shown = (await run("list")).output
    assert "Otter 1 is fed at 1." in shown, shown
    assert one in shown, shown
    assert '"size": 8' in (await run("list", "--json")).output
    assert (await run("use", two)).output == "Otter 1 is fed at 1.\n"
    for nothing in ("", ".", ".."):
        refused = await run("unload", nothing)
        assert refused.exit_code == 1
        assert "memory" in str(refused.exception)
    assert (await run("use", two)).output == "Otter 1 is fed at 1.\n"
    assert (await run("unload", two)).output == "freed\n"
    gone = await run("use", two)
    assert gone.exit_code == 1
    assert "loaded memory" in str(gone.exception)
    assert (await run("clear")).output == "1 freed\n"
    monkeypatch.setattr(commands, "SECONDS", 1.0)
    monkeypatch.setenv("LOCI_API_URL", "http://127.0.0.1:9")
    assert "nothing answers" in str((await run("list")).exception)


async def test_graphql_lists_what_the_route_lists(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    async def asked(who: Principal, given: str = "") -> Any:
        below = (
            "{ scope size eviction untrusted { text } items { index memory kind relevance loadedAt "
            "usedAt untrusted { text } } }"
        )
        answer = await who.http.post("/graphql", json={"query": f"{{ slots{given} {below} }}"})
        return answer.json()

    (one,) = await notes(writer, 1)
    await load(writer, one, 0.7)
    route, told = await slots(writer), (await asked(writer))["data"]["slots"]
    assert told["untrusted"] == route["untrusted"]
    assert (told["scope"], told["size"], told["eviction"]) == (writer.caller.home, 8, "relevance")
    first, second = told["items"][:2]
    of_route = route["items"][0]
    assert (first["memory"], first["relevance"], first["usedAt"]) == (one, 0.7, of_route["used_at"])
    assert first["untrusted"] == of_route["untrusted"]
    assert (second["memory"], second["untrusted"]["text"]) == (None, None)
    short = (await asked(writer, "(characters: 5)"))["data"]["slots"]
    assert short["items"][0]["untrusted"]["text"] == "Otter"
    wrong = (await asked(writer, "(characters: 0)"))["errors"][0]["extensions"]
    assert (wrong["code"], wrong["field"]) == ("InvalidInput", "characters")
    peer = await principal(f"{tenant}/dev", name="peer", role=Role.ADMIN)
    assert {item["memory"] for item in (await asked(peer))["data"]["slots"]["items"]} == {None}
    abroad = await principal(f"{tenant}/ops", name="abroad")
    hidden = await asked(abroad, f'(scope: "{tenant}/dev")')
    assert hidden["errors"][0]["extensions"]["code"] == "NotFound"
