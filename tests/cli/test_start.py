"""The program `loci` as it starts: quickly, and with errors that are sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import typer

from app.cli import operation_list
from app.cli.main import COMMANDS, cli

# What works for commands, and takes from a tenth of a second to two of processor time to import.
HEAVY = {
    "arq", "asyncio", "filelock", "httpx", "litestar", "msgspec", "neo4j", "numpy", "onnxruntime",
    "openai", "orjson", "pandas", "pydantic_settings", "redis", "scipy", "structlog",
}  # fmt: skip
# Modules outside `app.cli` that a command may need for its help: values that its options take.
FOR_HELP = {
    "app", "app.cli", "app.errors", "app.kernel", "app.kernel.scope", "app.search",
    "app.search.mode", "app.skills", "app.skills.vocabulary", "app.skills.walk",
}  # fmt: skip
# What the API alone speaks, or who has a model: a second of processor time to import.
OF_THE_API = {"openai", "aiohttp", "mcp", "graphql", "graphdatascience"}
CPU_SECONDS = 0.4  # of a start, on a machine without other work
TRIES = 8
# What each start with arguments takes, whatever is ours. Other work slows both: beside some a start
# may take so many times this.
LIBRARIES = "import typer.rich_utils, typer._adapters, time; print(time.process_time())"
TIMES = 1.8
ASK = """
import sys, time
sys.argv = ["loci", *sys.argv[1:]]
from app.cli.main import run
try:
    run()
except SystemExit as end:
    code = end.code
print(code, time.process_time(), *sorted(set(sys.modules)), file=sys.stderr)
"""
ASK_ALL = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from app.cli.main import run

def called(*arguments):
    sys.argv = ["loci", *arguments]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            run()
        except SystemExit as end:
            return end.code

known = set()
for arguments in json.load(sys.stdin):
    code = called(*arguments)
    brought = sorted(set(sys.modules) - known)
    known.update(brought)
    print(json.dumps([arguments, code, brought]))
"""
NOWHERE = {"NEO4J_URI": "bolt://127.0.0.1:1"}


def started(*arguments: str, **environment: str) -> tuple[str, float, set[str]]:
    """Exit code, seconds of processor time and modules of a start."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    code, seconds, *modules = done.stderr.splitlines()[-1].split()
    return code, float(seconds), set(modules)


def starts_quickly(*arguments: str) -> bool:
    """Whether a start takes less than 0.4 seconds of processor time, or, where other work slows
    the processor, no more than belongs to that."""
    starts, libraries = [], []
    for _ in range(TRIES):
        starts.append(started(*arguments)[1])
        if min(starts) < CPU_SECONDS:
            return True
        done = subprocess.run(
            [sys.executable, "-c", LIBRARIES], capture_output=True, text=True, check=True
        )
        libraries.append(float(done.stdout))
        if min(starts) < TIMES * min(libraries):
            return True
    return False


def paths(command: Any, *names: str) -> Iterator[tuple[str, ...]]:
    """Each command by the words that call it, and each group."""
    yield names
    for name, below in getattr(command, "commands", {}).items():
        yield from paths(below, *names, name)


def every_command() -> list[tuple[str, ...]]:
    """All commands and groups, of the API's operations one group after the other."""
    root: Any = typer.main.get_command(cli)
    named = [path for name, command in root.load_all().items() for path in paths(command, name)]
    return [(), *named, *(("api", group) for group in operation_list.read())]


def is_for_help(module: str) -> bool:
    """Whether the help of a command may import a module."""
    if module.split(".")[0] == "app":
        return module in FOR_HELP or module.removeprefix("app.cli.") in {
            "console", "later", "main", "mirroring", "operation_list", "places", "tables",
            *(entry.module for entry in COMMANDS.values()),
        }  # fmt: skip
    return module.split(".")[0] not in HEAVY


@pytest.mark.parametrize(
    "arguments", [("--help",), ("nonsense",), ("search", "--help"), ("verify", "--help")]
)
def test_a_command_starts_quickly(arguments: tuple[str, ...]) -> None:
    assert starts_quickly(*arguments)


def started_in_turn(
    commands: Iterable[tuple[str, ...]], **environment: str
) -> list[tuple[str, int, list[str]]]:
    """What was called, its exit code and the modules that it brought, in one process."""
    done = subprocess.run(
        [sys.executable, "-c", ASK_ALL],
        input=json.dumps(list(commands)),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return [(" ".join(arguments), code, brought) for arguments, code, brought in told]


def test_help_and_refusals_of_every_command_import_nothing_that_works_for_it() -> None:
    asked = [(*names, end) for names in every_command() for end in ("--help", "--nonsense")]
    told = started_in_turn(asked)
    assert len(told) == len(asked) > 2 * len(COMMANDS)
    assert {(called.split(" ")[-1], code) for called, code, _ in told} == {
        ("--help", 0),
        ("--nonsense", 2),
    }
    heavy = {
        called: [name for name in brought if not is_for_help(name)] for called, _, brought in told
    }
    assert {called: names for called, names in heavy.items() if names} == {}


def test_commands_with_the_services_leave_the_protocols_alone() -> None:
    asked = [("facts", "demo"), ("ask", "demo", "Who?"), ("keys", "list", "demo"), ("digest",)]
    told = started_in_turn(asked, **NOWHERE)
    assert [code for _, code, _ in told] == [1, 1, 1, 1]
    brought = {name for _, _, names in told for name in names}
    assert "neo4j" in brought
    assert brought & OF_THE_API == set()


def test_a_command_that_looks_at_a_folder_alone_imports_nothing_more() -> None:
    code, _, modules = started("scope", "here")
    assert code == "0"
    assert {module for module in modules if not is_for_help(module)} == set()


def test_the_list_says_what_each_command_says_of_itself() -> None:
    root: Any = typer.main.get_command(cli)
    loaded = root.load_all()
    assert list(loaded) == list(COMMANDS)
    said = {name: command.get_short_help_str(limit=300) for name, command in loaded.items()}
    assert said == {name: entry.help for name, entry in COMMANDS.items()}


def test_each_module_brings_the_commands_that_the_list_names_it_for() -> None:
    for name, entry in COMMANDS.items():
        root: Any = typer.main.get_command(cli)
        root.load(entry.module)
        assert name in root.commands, entry.module
        assert root.commands.keys() <= COMMANDS.keys()


def digest(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command that needs the database, in an empty home."""
    return subprocess.run(
        [sys.executable, "-m", "app.cli.main", "digest"],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("environment", "begins", "said"),
    [
        ({"LOCI_NONSENSE": "1"}, "", "there is no setting LOCI_NONSENSE"),
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, "no Neo4j answers at 127.0.0.1:1 (", "NEO4J_URI"),
    ],
)
def test_an_error_is_a_sentence_without_a_class(
    environment: dict[str, str], begins: str, said: str
) -> None:
    done = digest(environment)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {begins}")
    assert said in done.stderr
    assert not {"InvalidInput", "GraphUnavailable", "Traceback"} & set(done.stderr.split())


def test_a_host_without_an_address_fails_at_once() -> None:
    begun = time.monotonic()
    done = digest({"NEO4J_URI": "bolt://nowhere.invalid"})
    assert done.returncode == 1
    assert "names nowhere.invalid, a host that has no address" in done.stderr
    assert time.monotonic() - begun < 25, "the driver alone looks for thirty seconds"
