"""The program `loci`: every command, listed by hand.

Commands print for people, or one JSON value with `--json`. An error of ours, or of the disk, is a
sentence on standard error and exit code 1.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from app.cli import later
from app.cli.console import Console
from app.errors import GraphUnavailable, LociError

errors = Console(stderr=True)
NO_GRAPH = (
    "`loci status` tells what runs here, and `loci up` starts it; NEO4J_URI with NEO4J_USER and "
    "NEO4J_PASSWORD names another Neo4j."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: the module of `app.cli` that has it, and what the list of commands says of it."""

    module: str
    help: str


COMMANDS = {
    "up": Entry("serve", "Start Neo4j, Valkey, the API and a worker, and tend them until Ctrl-C."),
    "down": Entry("serve", "Stop everything that `loci up` started."),
    "status": Entry(
        "serve",
        "What runs, on which ports, in which version; exit code 1 unless all of it is ready.",
    ),
    "doctor": Entry(
        "serve", "Look at everything a start needs; exit code 1 where something must be put right."
    ),
    "consolidate": Entry("beliefs", "Read episodes that wait, and settle what follows from them."),
    "facts": Entry(
        "beliefs", "The facts of a scope, or about an entity in it, that were held at both moments."
    ),
    "communities": Entry(
        "communities", "What belongs together in a scope, the largest first, with a line of each."
    ),
    "ask": Entry(
        "communities", "Answer a question from one scope, each sentence with its sources."
    ),
    "erase": Entry(
        "lifecycle",
        "Erase for good, with all that was made from it, where the scope's rules allow erasure.",
    ),
    "erased": Entry(
        "lifecycle",
        "Look whether anything in the tenant holds what an erasure took; exit code 1 if it does.",
    ),
    "verify": Entry(
        "lifecycle",
        "Look whether everything holds that must hold of the derived graph; exit code 1 if not.",
    ),
    "import": Entry(
        "transfer",
        "Import a package; what is there already stays, a bad record does not stop the rest.",
    ),
    "export": Entry(
        "transfer",
        "Export everything, or one scope with all below it; API keys are secrets and stay.",
    ),
    "digest": Entry(
        "transfer",
        "One hash over everything that an export would hold, vectors aside, and one over its "
        "audit.",
    ),
    "snapshot": Entry(
        "snapshots", "Skills, learnings, knowledge and statistics of a scope as Markdown."
    ),
    "mirror": Entry(
        "mirror",
        "Write the held notes of a scope, and of those below it, to files that only you may read.",
    ),
    "search": Entry("search", "Ask the API and show what is recalled."),
    "api": Entry(
        "api", "Every operation of the API, by its group; `--help` below a name tells its options."
    ),
    "slot": Entry("slots", "The memories that an agent has loaded."),
    "memory": Entry("memory", "Memories that were written down, and their upkeep."),
    "knowledge": Entry("memory", "Knowledge that was written down."),
    "mcp": Entry(
        "mcp", "Speak the Model Context Protocol on standard input and output, for one key."
    ),
    "reembed": Entry(
        "reembedding",
        "Drop all vectors and make them anew with the model of the settings; text search goes on.",
    ),
    "keys": Entry("key_commands", "API keys."),
    "agents": Entry(
        "key_commands",
        "The agents and users of a tenant, with the trust in each agent where upkeep has set it.",
    ),
    "scope": Entry("scopes", "The scopes of a tenant, and their deletion."),
    "schedules": Entry("schedules", "What runs by itself, for every tenant."),
    "entity": Entry("entities", "Entities and their merges."),
    "embedding": Entry("embedding", "The embedding model of a scope."),
    "quarantine": Entry("beliefs", "Facts that wait for a decision."),
    "kb": Entry("documents", "Knowledge bases."),
    "document": Entry("documents", "Documents."),
    "skill": Entry("skills", "Skills, their conflicts and proposals."),
    "page": Entry("pages", "Pages and their links."),
    "table": Entry("data_tables", "Data tables and their rows."),
    "eval": Entry(
        "evals", "Your own questions: how well they are answered, and whether that became worse."
    ),
}


class Commands(TyperGroup):
    """The commands; a module is imported once its command is called.

    All of them together take half a second of processor time, and what works for them two.
    """

    # The library brings its own copy of click's types under a private name.
    def list_commands(self, ctx: Any) -> list[str]:
        """Every command, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command itself where it is loaded, else its name and what is said of it."""
        entry = COMMANDS.get(cmd_name)
        if entry is None or cmd_name in self.commands:
            return self.commands.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.help)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called, loaded."""
        if args and args[0] in COMMANDS:
            self.load(COMMANDS[args[0]].module)
        return super().resolve_command(ctx, args)

    def load(self, module: str) -> None:
        """Add the commands of a module."""
        made = typer.Typer(callback=root)
        with later.uncollected():
            import_module(f"app.cli.{module}").register(made)
        group: Any = typer.main.get_command(made)
        for command in group.commands.values():
            later.need(command)
        self.commands.update(group.commands)

    def load_all(self) -> dict[str, Any]:
        """Every command by name, all of them loaded."""
        for entry in COMMANDS.values():
            self.load(entry.module)
        return {name: self.commands[name] for name in COMMANDS}


def root() -> None:
    """Loci: a knowledge and memory service for AI agents, in one Neo4j graph."""


cli = typer.Typer(
    cls=Commands,
    callback=root,
    help=root.__doc__,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def run() -> None:
    """Entry point of the program."""
    later.postpone()
    answered(cli)


def answered(program: typer.Typer) -> None:
    """Run a program; what goes wrong is said on standard error, with exit code 1."""
    try:
        program()
    except GraphUnavailable as error:
        fail(f"{error.detail}\n{NO_GRAPH}")
    except LociError as error:
        fail(error.detail)
    except UnicodeDecodeError:
        fail("a file or input that was given is not UTF-8 text")
    except OSError as error:
        named = f": {error.filename}" if error.filename else ""
        fail(f"{error.strerror or error}{named}")


def fail(says: str) -> NoReturn:
    """Say on standard error what is wrong, word for word, and end with exit code 1."""
    errors.print(f"[red]error[/]: {escape(says)}", highlight=False, soft_wrap=True)
    sys.exit(1)


if __name__ == "__main__":
    run()
