"""`loci up`, `down`, `status`, `doctor`: the embedded runtime from the command line."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from app.cli.console import Console
from app.cli.later import later
from app.errors import PartFailed

with later():
    from rich.logging import RichHandler
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from app.cli.limits import limits_check
    from app.embeddings.e5_files import is_complete
    from app.runtime import supervisor as supervising
    from app.runtime.commands import child_environment, own_commands
    from app.runtime.config import RuntimeConfig, make_folders, runtime_config
    from app.runtime.doctor import Check, examine
    from app.runtime.embedded import addresses, software
    from app.runtime.first_run import KeepGoing, done_mark, first_key, load_demo, wait_a_moment
    from app.runtime.logs import log_to_file
    from app.runtime.process import last_line
    from app.runtime.report import Status, graph_door, redis_url
    from app.runtime.report import status as ask_status
    from app.runtime.state import READY, read_state
    from app.runtime.supervisor import AlreadyRunning, Interrupted, Supervisor
    from app.settings import Settings, read_settings

console = Console()
log = logging.getLogger("loci.runtime")

DETACHED_SECONDS = 600.0
MARKS = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}

Detach = Annotated[bool, typer.Option("--detach", "-d", help="Return once everything is ready.")]
Upgrade = Annotated[
    bool, typer.Option("--upgrade-store", help="Open a store of an older Neo4j; not undoable.")
]
Empty = Annotated[
    bool, typer.Option("--empty", help="Load no demo: for a backup that is to be imported.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(cli: typer.Typer) -> None:
    """Add the four commands to the program."""
    for command in (up, down, status, doctor):
        cli.command()(command)


def up(detach: Detach = False, upgrade_store: Upgrade = False, empty: Empty = False) -> None:
    """Start Neo4j, Valkey, the API and a worker, and tend them until Ctrl-C."""
    settings = read_settings()
    config = runtime_config(settings)
    run = _run_detached if detach else _run_here
    try:
        run(config, upgrade_store, empty)
    except AlreadyRunning:
        console.print("Loci runs already:")
        _show_status(ask_status(config))
    except Interrupted:
        console.print("Stopped before everything was up.")


def down() -> None:
    """Stop everything that `loci up` started."""
    config = runtime_config(read_settings())
    console.print(supervising.stop(config))


def status(as_json: AsJson = False) -> None:
    """What runs, on which ports, in which version; exit code 1 unless all of it is ready."""
    found = ask_status(runtime_config(read_settings()))
    if as_json:
        console.print_json(data=found.to_json())
    else:
        _show_status(found)
    if not found.is_ready:
        raise typer.Exit(1)


def doctor(as_json: AsJson = False) -> None:
    """Look at everything a start needs; exit code 1 where something must be put right."""
    settings = read_settings()
    checks = []
    for check in examine(
        runtime_config(settings), (_model_check(settings), limits_check(settings))
    ):
        checks.append(check)
        if not as_json:
            console.print(f"{MARKS[check.level]:>4} [bold]{check.name}[/]: {check.says}")
    if as_json:
        console.print_json(data=[asdict(check) for check in checks])
    if any(check.level == "fail" for check in checks):
        raise typer.Exit(1)


def _run_here(config: RuntimeConfig, upgrade: bool, empty: bool) -> None:
    with DownloadBar() as bar:
        commands = own_commands(config)
        supervisor = Supervisor(config, commands, progress=bar, upgrade_store=upgrade)
        with log_to_file(config), _log_to_console(), supervisor.running():
            welcome(config, supervisor.tick, empty=empty)
            console.print("Press Ctrl-C, or run `loci down`, to stop.")
            supervisor.tend()
            console.print("Stopping …")


def _run_detached(config: RuntimeConfig, upgrade: bool, empty: bool) -> None:
    running = read_state(config)
    if running is not None and running.is_alive:
        raise AlreadyRunning
    make_folders(config)
    if config.graph is None:
        with DownloadBar() as bar:
            software(config, bar)
    child = _spawn_supervisor(config, upgrade)
    with console.status("Starting …") as spinner:
        _wait_detached(config, child, spinner.update)
    welcome(config, wait_a_moment, empty=empty)
    console.print("Run `loci down` to stop.")


def _spawn_supervisor(config: RuntimeConfig, upgrade: bool) -> subprocess.Popen[bytes]:
    flags = ["--upgrade-store"] if upgrade else []
    with (config.logs / "supervisor.out").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "app.runtime", *flags],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_detached(
    config: RuntimeConfig, child: subprocess.Popen[bytes], tell: Callable[[str], None]
) -> None:
    deadline = time.monotonic() + DETACHED_SECONDS
    while child.poll() is None:
        state = read_state(config)
        if state is not None and state.supervisor.pid == child.pid:
            if state.phase == READY:
                return
            tell(f"{state.phase}: {state.detail}")
        if time.monotonic() > deadline:
            raise PartFailed(
                f"Loci was not ready after {DETACHED_SECONDS:.0f} s: see {config.logs}."
            )
        time.sleep(0.2)
    raise PartFailed(last_line(config.logs / "supervisor.out") or f"See {config.logs}.")


def welcome(config: RuntimeConfig, keep_going: KeepGoing, *, empty: bool = False) -> None:
    """After readiness: where things are, the first key, the demo unless the store stays `empty`.

    A failure here stops nothing.
    """
    _show_addresses(config)
    mark = done_mark(config)
    if mark.exists():
        return
    environment = {
        **child_environment(config),
        **addresses(graph_door(config), redis_url(config)),
    }
    try:
        _first_steps(config, environment, keep_going, empty=empty)
        mark.touch()
    except PartFailed as error:
        console.print(f"[yellow]{error.detail}[/]")


def _first_steps(
    config: RuntimeConfig, environment: Mapping[str, str], keep_going: KeepGoing, *, empty: bool
) -> None:
    commands = own_commands(config)
    key = first_key((commands.bootstrap, environment), config.logs, keep_going)
    if key:
        console.print("\nAdmin key, shown this once:\n")
        console.print(f"    {key}\n", style="bold", soft_wrap=True, highlight=False)
    if commands.seed and not empty:
        console.print("Loads the demo, where the graph is empty …")
        load_demo((commands.seed, environment), config.logs, keep_going)


def _show_addresses(config: RuntimeConfig) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_row("API", config.api_url)
    table.add_row("API reference", f"{config.api_url}/schema")
    if config.graph is None:
        table.add_row("Neo4j Browser", config.browser_url)
        table.add_row("Bolt", f"bolt://127.0.0.1:{config.bolt_port}, user neo4j")
        table.add_row("its password", str(config.neo4j_password_file))
    table.add_row("Data and logs", str(config.home))
    console.print(table)


def _show_status(found: Status) -> None:
    table = Table("part", "state", "pid", "port", "up", "restarts", box=None)
    for part in found.parts:
        mark = MARKS["ok" if part.ready else "fail"]
        cells = (part.pid, part.port, _age(part.uptime), part.restarts)
        table.add_row(part.name, f"{mark} {part.detail}", *(_cell(cell) for cell in cells))
    console.print(table)
    console.print(f"Loci is {found.phase}{f': {found.detail}' if found.detail else ''}")
    console.print(f"Home: {found.home}")


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _age(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds / 60:.0f} min"


def _model_check(settings: Settings) -> Callable[[RuntimeConfig], Check]:
    def check_model(config: RuntimeConfig) -> Check:
        embedding = settings.embedding
        if embedding.provider != "e5":
            says = f"Embeddings come from {embedding.provider}."
            says += " No classifier was made for them: suspicious texts are not flagged."
            return Check("model", "ok", says)
        folder = config.model_cache or config.cache
        if any(is_complete(made) for made in folder.glob("e5-*")):
            return Check("model", "ok", f"The embedding model is converted, in {folder}.")
        return Check("model", "warn", "The embedding model is converted at the next start.")

    return check_model


class DownloadBar:
    """A progress bar that appears with the first byte, and not at all when nothing is fetched."""

    def __init__(self) -> None:
        columns = (TextColumn("Neo4j"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._bar = Progress(*columns, console=console)
        self._task = self._bar.add_task("jars", total=None)

    def __enter__(self) -> DownloadBar:
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` bytes are here."""
        self._bar.start()
        self._bar.update(self._task, completed=done, total=total)
        if done >= total:
            self._bar.stop()


@contextmanager
def _log_to_console() -> Iterator[None]:
    handler = RichHandler(
        console=console, show_time=False, show_level=False, show_path=False, markup=False
    )
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
