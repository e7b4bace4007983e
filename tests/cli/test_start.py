"""The program `loci` as it starts: quickly, and with errors that are sentences."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
import typer

from app.cli.main import COMMANDS, cli

HEAVY = {"neo4j", "numpy", "litestar", "onnxruntime", "openai", "scipy", "structlog"}
# What the API alone speaks, or who has a model: a second of processor time to import.
OF_THE_API = {"openai", "aiohttp", "mcp", "graphql", "graphdatascience"}
CPU_SECONDS = 0.4  # of a start; 0.17 was measured, and two seconds before modules were left alone
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


def started(*arguments: str, **environment: str) -> tuple[str, float, set[str]]:
    """Exit code, seconds of processor time and modules of a start."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, *arguments], capture_output=True, text=True, check=True
    )
    code, seconds, *modules = done.stderr.splitlines()[-1].split()
    return code, float(seconds), set(modules)


@pytest.mark.parametrize("arguments", [("--help",), ("nonsense",), ("search", "--help")])
def test_what_a_command_does_not_need_is_not_imported(arguments: tuple[str, ...]) -> None:
    quickest = min(started(*arguments)[1] for _ in range(4))
    assert started(*arguments)[2] & HEAVY == set()
    assert quickest < CPU_SECONDS


@pytest.mark.parametrize("name", ["facts", "ask", "keys", "import"])
def test_a_command_with_the_services_leaves_the_protocols_alone(name: str) -> None:
    assert started(name, "--help")[2] & OF_THE_API == set()


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
