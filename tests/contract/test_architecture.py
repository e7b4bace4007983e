"""What each module keeps to: order of slices, declared roles, no prints, no lost errors."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from app.kernel.caller import PUBLIC, Role
from tests.contract.statements import APP, modules

pytestmark = pytest.mark.one_python  # reads what stands in files

ROOT = APP.parent
# The process edges: a request, a message of MCP, a job, a command, and the supervisor's end.
# Consolidation reads texts one by one: what one of them breaks is its own failed state. The tail of
# a tenant's events is a task of its own: one look that fails may not end what listeners are told.
EDGES = {
    "consolidation/apart.py",
    "events/service.py",
    "jobs/runner.py",
    "mcp/service.py",
    "cli/main.py",
    "runtime/supervisor.py",
    "runtime/__main__.py",
}
FORBIDDEN_NAMES = {"utils.py", "helpers.py", "base.py", "common.py", "manager.py"}


def test_the_slices_keep_their_order() -> None:
    script = "from importlinter.cli import lint_imports_command as c; c()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--no-cache", "--no-logo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_handler_says_who_may_call_it(app: Litestar) -> None:
    silent = []
    for route in app.routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            requires = handler.opt.get("requires")
            ours = handler.fn.__module__.startswith("app.") or "schema" in route.path
            if "OPTIONS" in handler.http_methods and not ours:
                continue
            if requires != PUBLIC and not isinstance(requires, Role):
                silent.append(f"{sorted(handler.http_methods)} {route.path}")
    assert silent == []


def test_every_writing_route_asks_for_more_than_a_reader(app: Litestar) -> None:
    asking = {"/v1/rag/ask", "/v1/rag/retrieve", "/v1/rag/context", "/v1/traces/similar"}
    seeds_own = {"/api/v1/ai/rag/query", "/api/v1/ai/rag/search"}  # POST beside GET, as documented
    # Each field of Mutation and each tool asks for its own role (tests/graphql, tests/mcp).
    by_field = {"/graphql", "/mcp"}
    one = {
        "/v1/tables/{table:str}/query",
        "/v1/contexts/{context:str}/search",
        "/v1/conversations/{conversation:str}/recall",
        "/v1/tiers/search",
        "/v1/tiers/context",
    }
    # The protocol of others searches by POST; what it refuses writes nothing.
    rest, bridge = "/agent-memory/v1", "/agent-memory/bridge"
    searching = {f"{rest}/entities/search", f"{rest}/conversations/{{talk:str}}/search"}
    refusing = {f"{rest}/query", f"{rest}/auth/refresh", f"{bridge}/cypher_query"}
    nothing = {f"{bridge}/setup", f"{bridge}/teardown"}
    of_others = searching | refusing | nothing
    reads = (
        "get_",
        "list_",
        "search_",
        "explain_",
    )  # how methods of the bridge begin that only read
    # Who reads says what they think of it; that changes nothing but their own rating.
    one.add("/v1/notes/{note_id:str}/rating")
    reading_posts = of_others | {"/v1/search", "/v1/exports"} | asking | seeds_own | by_field | one
    weak = []
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                writes = handler.http_methods & {"POST", "PUT", "PATCH", "DELETE"}
                method = route.path.removeprefix(f"{bridge}/")
                if writes and route.path not in reading_posts and not method.startswith(reads):
                    requires = handler.opt.get("requires")
                    if not isinstance(requires, Role) or requires < Role.WRITER:
                        weak.append(route.path)
    assert weak == []


@pytest.mark.parametrize("folder", [APP, ROOT / "tests"])
def test_no_module_is_named_after_nothing(folder: Path) -> None:
    assert [p for p in folder.rglob("*.py") if p.name in FORBIDDEN_NAMES] == []


LISTS = (("extraction", "rules"), ("portability", "foreign"))


def test_no_module_lies_deeper_than_its_slice() -> None:
    # The rules of extraction and foreign formats are lists of modules, one a kind of statement or
    # a program.
    deeper = [p for p, _ in modules() if len(p.parts) > 2]
    assert [str(p) for p in deeper if p.parts[:2] not in LISTS] == []


def test_nothing_prints() -> None:
    found = []
    for path, tree in modules():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "print"
            ):
                found.append(f"{path}:{node.lineno}")
    assert found == []


def test_broad_excepts_stand_at_process_edges_only() -> None:
    found = []
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node) and not _reraises(node):
                found.append(str(path))
    assert set(found) <= EDGES


def _is_broad(node: ast.ExceptHandler) -> bool:
    named = node.type
    return named is None or (
        isinstance(named, ast.Name) and named.id in {"Exception", "BaseException"}
    )


def _reraises(node: ast.ExceptHandler) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_imports_stand_at_the_top() -> None:
    # The command line starts quickly by importing what a command needs when it runs.
    late = []
    for path, tree in modules():
        if path.parts[0] in {"cli", "evals"} or path.name == "__main__.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = [n for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom))]
                late.extend(f"{path}:{n.lineno}" for n in inner)
    assert late == []
