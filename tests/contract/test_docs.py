"""What the documents say is there, is there; what they show, works."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import shlex
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio
from litestar import Litestar
from neo4j import RoutingControl

from app import errors
from app.cli import reference
from app.cli.transfer import store_of
from app.kernel.clock import now
from app.kernel.graph import Tx
from app.kernel.vocab import PROPERTIES, Index, Label, Rel
from app.pages.linking import settle_pages
from app.portability.progress import Progress
from app.portability.service import Order, import_attended
from app.telemetry import metrics
from app.wiring import Parts
from tests.conftest import RUN, MakePrincipal, Principal

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
READ_TOGETHER = [ROOT / "README.md", *PAGES]
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
PLACE = re.compile(r"`((?:app|cypher|docs|tests|seed)/[A-Za-z0-9_./-]*\w)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
DECISION_LINES = 50
README_LINES = 60


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """(language, body) of each fenced block."""
    for match in FENCE.finditer(page):
        yield match[1], match[2]


# --- the reference pages ----------------------------------------------------------------------


def generator() -> ModuleType:
    """docs/generate.py, which is a script and no package."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["settings.md", "http.md", "cli.md", "../data-model.md"])
async def test_a_reference_page_holds_what_the_code_says(app: Litestar, name: str) -> None:
    page = text(f"docs/reference/{name}")
    wanted = reference.spliced(page, generator().tables(app)[name])
    assert page == wanted, "run `python docs/generate.py`"


async def test_a_page_without_marks_is_no_reference_page() -> None:
    with pytest.raises(ValueError, match="begin: generated"):
        reference.spliced("# A page\n", "| a |")


def leaves(error: type[errors.LociError]) -> Iterator[str]:
    yield error.__name__
    for below in error.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from leaves(below)


@pytest.mark.parametrize("code", sorted(set(leaves(errors.LociError))))
def test_every_error_is_in_its_page(code: str) -> None:
    assert re.search(rf"\b{code}\b", text("docs/reference/errors.md"))


@pytest.mark.parametrize("name", [str(word) for kind in (Label, Rel, Index) for word in kind])
def test_every_label_type_and_index_is_in_the_data_model(name: str) -> None:
    headings = re.compile(rf"^### .*\b{name}\b|`{name}`", re.M)
    assert headings.search(text("docs/data-model.md"))


def test_every_property_is_in_the_data_model() -> None:
    told = set(re.findall(r"`([a-z_0-9]+)`", text("docs/data-model.md")))
    # Names in maps that queries take or answer with, and no properties.
    assert sorted(PROPERTIES - told - {"home", "names", "other"}) == []


async def test_every_property_of_a_stored_node_is_in_the_data_model(
    opened: Parts, writer: Principal
) -> None:
    body = {
        "content": "Call +49 30 23125 456 about the pump.",
        "session": "s",
        "speaker": "Mia",
        "title": "Pump",
        "tags": ["pump"],
        "model_family": "none",
    }
    assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    found = await opened.graph.raw(
        "MATCH (n) WHERE n.tenant = $tenant OR n.scope STARTS WITH $tenant "
        "UNWIND keys(n) AS key RETURN collect(DISTINCT key) AS keys",
        tenant=writer.caller.tenant,
    )
    told = set(re.findall(r"`([a-z_0-9]+)`", text("docs/data-model.md")))
    assert found[0]["keys"]
    assert sorted(set(found[0]["keys"]) - told) == []


def test_every_metric_is_in_its_page() -> None:
    page = text("docs/operations/observability.md")
    families = [family.name for family in metrics.REGISTRY.collect()]
    assert families
    missing = [name for name in families if f"`{name}" not in page]
    assert missing == []


# --- the pages themselves ---------------------------------------------------------------------


def anchors(page: str) -> set[str]:
    """What GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", [pytest.param(p, id=named(p)) for p in READ_TOGETHER])
def test_links_between_documents_resolve(page: Path) -> None:
    own = page.read_text(encoding="utf-8")
    broken = []
    for link in LINK.findall(FENCE.sub("", own)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        known = anchors(target.read_text(encoding="utf-8")) if target.is_file() else set()
        if not target.exists() or (anchor and anchor not in known):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", [pytest.param(p, id=named(p)) for p in READ_TOGETHER])
def test_files_that_a_document_names_are_there(page: Path) -> None:
    found = PLACE.findall(page.read_text(encoding="utf-8"))
    assert [name for name in found if not (ROOT / name).exists()] == []


def test_every_page_is_reached_from_the_index() -> None:
    linked = {
        (DOCS / link.partition("#")[0]).resolve() for link in LINK.findall(text("docs/index.md"))
    }
    kept = [p for p in PAGES if p.parent != DOCS / "decisions" and p.name != "index.md"]
    assert [named(p) for p in kept if p not in linked] == []


def test_decisions_are_numbered_in_a_row() -> None:
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in DECISIONS])
def test_a_decision_is_short(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= DECISION_LINES


def test_the_readme_is_short() -> None:
    assert len(text("README.md").splitlines()) <= README_LINES


# --- the Browser guide ------------------------------------------------------------------------


@dataclass(frozen=True)
class Demo:
    """The demo, imported into a tenant of its own."""

    tenant: str
    parameters: dict[str, Any]


def retold(told: str, tenant: str) -> str:
    """A text of the documents with `tenant` in place of the tenant `demo`."""
    return re.sub(r"\bdemo\b", tenant, told)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def demo(opened: Parts, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Demo]:
    tenant = f"docs-{RUN}"
    rejects = tmp_path_factory.mktemp("demo") / "rejects.jsonl"

    async def tell(progress: Progress, size: int) -> None:
        """Nobody watches."""

    order = Order(ROOT / "seed" / "demo", tenant, rejects)
    result = await import_attended(store_of(opened), order, tell)
    assert result["rejects"] is None
    parameters = await evaluated(opened, retold(text("docs/guides/browser.md"), tenant))
    said = await opened.graph.raw(
        "MATCH (e:Episode)-[:IN_SESSION]->(s:MemSession {key: $session}) "
        "WHERE s.scope IN $scopes RETURN e.id AS id",
        session=parameters["session"],
        scopes=parameters["scopes"],
    )
    await opened.indexing.index([row["id"] for row in said])
    pages = await opened.graph.raw(
        "MATCH (p:Page {tenant: $tenant}) RETURN p.id AS id, p.scope AS scope", tenant=tenant
    )
    for page in pages:
        await opened.page_passages.bring(page["id"], page["scope"])
    for scope in parameters["scopes"]:
        await opened.consolidation.consolidate(scope)
    await opened.communities.refresh(f"{tenant}/product")

    async def resolve(tx: Tx) -> None:
        await settle_pages(tx, tenant, [page["id"] for page in pages], now())

    await opened.graph.write("docs.settle", resolve)
    yield Demo(tenant, parameters)


async def evaluated(opened: Parts, guide: str) -> dict[str, Any]:
    """The parameters that the guide tells the reader to set."""
    lines = re.findall(r"^:param (\w+) => (.+)$", guide, re.M)
    assert lines
    told = ", ".join(f"{value} AS {name}" for name, value in lines)
    return (await opened.graph.raw(f"RETURN {told}"))[0]


SAVED = [body for language, body in blocks(text("docs/guides/browser.md")) if language == "cypher"]


@pytest.mark.parametrize(
    "query", [pytest.param(q, id=q.splitlines()[0].removeprefix("// ")) for q in SAVED]
)
async def test_a_saved_query_finds_something_in_the_demo(
    opened: Parts, demo: Demo, query: str
) -> None:
    body = "\n".join(line for line in query.splitlines() if not line.startswith("//"))
    used = {name: demo.parameters[name] for name in set(re.findall(r"\$(\w+)", body))}
    found = await opened.graph.driver.execute_query(
        body,  # type: ignore[arg-type]
        used,
        routing_=RoutingControl.READ,
        database_=opened.settings.graph.database,
    )
    assert found.records
    assert not found.summary.counters.contains_updates


def test_the_style_file_names_what_there_is() -> None:
    told = text("docs/guides/loci.grass")
    rules = re.findall(
        r"^(node|relationship)(?:\.(\w+))? \{\n((?:  [a-z-]+: [^;\n]+;\n)+)\}$", told, re.M
    )
    assert len(rules) == told.count("{\n")
    labels = {name for kind, name, _ in rules if kind == "node" and name}
    assert {"Page", "Skill", "SkillConflict", "Community", "Fact", "Entity"} <= labels
    assert labels <= set(Label)
    assert {name for kind, name, _ in rules if kind == "relationship" and name} <= set(Rel)
    assert len(re.findall(r"^  color: #[0-9A-F]{6};$", told, re.M)) == len(rules)


async def test_what_the_style_file_shows_is_a_property_of_its_label(
    opened: Parts, demo: Demo
) -> None:
    shown = re.findall(
        r'^node\.(\w+) \{[^}]*caption: "\{(\w+)\}";', text("docs/guides/loci.grass"), re.M
    )
    for label, name in shown:
        (row,) = await opened.graph.raw(
            "CYPHER 25 MATCH (n:$($label)) WHERE n.tenant = $tenant OR n.scope STARTS WITH $tenant "
            "RETURN count(n) AS nodes, count(n[$name]) AS named",
            label=label, name=name, tenant=demo.tenant,
        )  # fmt: skip
        assert bool(row["named"]) == bool(row["nodes"]), label


# --- what the reader is told to type ----------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """One `curl` of a page, and the JSON that the page shows as its answer."""

    method: str
    url: str
    body: str | None
    headers: dict[str, str]
    shown: str | None


def calls(page: str) -> Iterator[Call]:
    """Every `curl` of a page's bash blocks, in order; other programs run in `test_guides`."""
    found = list(blocks(page))
    for place, (language, body) in enumerate(found):
        if language != "bash" or not body.startswith("curl "):
            continue
        after = found[place + 1] if place + 1 < len(found) else ("", "")
        commands = [c for c in re.split(r"\n(?=curl )", body.replace("\\\n", " ")) if c.strip()]
        for command in commands:
            yield call(command, after[1] if after[0] == "json" else None)


def call(command: str, shown: str | None) -> Call:
    words = shlex.split(command)
    assert words[:2] == ["curl", "-s"], command
    headers, body, url, method = {}, None, "", ""
    rest = iter(words[2:])
    for word in rest:
        if word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(rest)
        elif word == "-X":
            method = next(rest)
        else:
            assert not url, f"{word} is neither an option that is known nor the address"
            url = word
    return Call(method or ("POST" if body else "GET"), url, body, headers, shown)


def matches(shown: Any, answered: Any) -> bool:
    """Whether an answer holds what a page shows of it, whatever differs with each run."""
    if isinstance(shown, dict):
        return isinstance(answered, dict) and all(
            name in answered and (name in VOLATILE or matches(value, answered[name]))
            for name, value in shown.items()
        )
    if isinstance(shown, list):
        return all(any(matches(one, other) for other in answered) for one in shown)
    return bool(shown == answered)


VOLATILE = {
    "content_hash",
    "created_at",
    "episode_id",
    "id",
    "ingested_at",
    "legs",
    "score",
    "score_band",
}


async def perform(found: Call, who: Principal, episode: str) -> Any:
    """Send a call of the documents as `who`, in the tenant of `who`."""
    known = {"$LOCI_API_URL": "", "$LOCI_API_KEY": who.key, "$EPISODE_ID": episode}
    url, headers = retold(found.url, who.caller.tenant), dict(found.headers)
    for variable, value in known.items():
        url = url.replace(variable, value)
        headers = {name: told.replace(variable, value) for name, told in headers.items()}
    content = retold(found.body, who.caller.tenant) if found.body else None
    return await who.http.request(found.method, url, headers=headers, content=content)


async def index_until(done: asyncio.Event, opened: Parts, who: Principal) -> None:
    """What the worker does: embeds what the caller has captured."""
    while not done.is_set():
        await asyncio.sleep(0.2)
        listed = (await who.http.get("/v1/episodes", params={"limit": 500})).json()["items"]
        waiting = [item["id"] for item in listed if item["index_state"] == "pending"]
        if waiting:
            await opened.indexing.index(waiting)


TYPED = [
    "README.md",
    "docs/quickstart.md",
    "docs/guides/capture.md",
    "docs/guides/recall.md",
    "docs/guides/truth.md",
    "docs/guides/notes.md",
    "docs/guides/working-memory.md",
    "docs/guides/pages.md",
    "docs/guides/pools.md",
    "docs/guides/work-items.md",
    "docs/guides/autonomy.md",
    "docs/guides/traces.md",
    "docs/guides/learning.md",
    "docs/guides/tables.md",
    "docs/guides/conversations.md",
    "docs/guides/contexts.md",
    "docs/guides/skills.md",
    "docs/guides/graphql.md",
    "docs/guides/mcp.md",
]


@pytest.mark.parametrize("page", TYPED)
async def test_the_calls_of_a_page_work(opened: Parts, admin: Principal, page: str) -> None:
    listed = list(calls(text(page)))
    assert listed
    episode = ""
    done = asyncio.Event()
    worker = asyncio.create_task(index_until(done, opened, admin))
    try:
        for found in listed:
            answer = await perform(found, admin, episode)
            assert answer.is_success, f"{found.url}: {answer.text}"
            told = answer.json()
            if found.shown:
                shown = json.loads(retold(found.shown, admin.caller.tenant))
                assert matches(shown, told), f"{found.url}: {answer.text}"
            # Which of the hits comes first is sure only where the page shows it.
            if found.shown and told.get("hits"):
                episode = told["hits"][0]["source"].get("episode_id", episode)
    finally:
        done.set()
        await worker


async def test_an_answer_that_differs_from_the_page_is_noticed() -> None:
    shown = {"receipts": [{"index": 2, "status": "accepted", "id": "x"}], "accepted": 3}
    answered = {"receipts": [{"index": 2, "status": "accepted", "id": "y"}], "accepted": 3}
    assert matches(shown, answered)
    assert not matches(shown, {**answered, "accepted": 2})
    assert not matches(shown, {"accepted": 3})
    assert not matches(shown, {"receipts": [{"index": 2, "status": "refused", "id": "y"}]})


async def test_the_readme_shows_the_bundle_that_comes(
    admin: Principal, principal: MakePrincipal
) -> None:
    for found in calls(text("README.md")):
        answer = await perform(found, admin, "")
    shown = next(body for language, body in blocks(text("README.md")) if language == "text")
    alike = re.compile(r'(id|when)="[^"]*"')
    wanted = alike.sub(r"\1", retold(shown, admin.caller.tenant)).strip()
    assert alike.sub(r"\1", answer.json()["bundle"]) == wanted
