"""Quality and speed, measured on data that lies beside the project."""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.access.service import operator
from app.cli.console import Console
from app.cli.keys import all_scopes, mint
from app.cli.local import local_settings
from app.cli.transfer import store_of
from app.embeddings.provider import build_embedder
from app.errors import InvalidInput
from app.evals.client import ApiClient
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.scopes.rules import ScopeRules
from app.wiring import Parts, embedding_config, parts
from bench import (
    beliefs,
    bulk,
    calibration,
    communities,
    contradictions,
    currency,
    demo,
    documents,
    entities,
    extraction,
    importing,
    locomo,
    longmemeval,
    observed,
    pages,
    passages,
    rate,
    reading,
    reembedding,
    sanitize,
    similarity,
    skills,
    suspicion,
)
from bench.places import BENCH, SEED, URL, AsJson, Bench, Url
from bench.recall import Corpus
from bench.recall import table as recall_table
from bench.retrieval import MODES, Run, evaluate
from bench.speed import Wire, capture_speed, search_speed, summary, vector_recall

console = Console()
progress = Console(stderr=True)

RATE_STEPS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
CONTRADICTIONS = Path("seed/contradictions/de.jsonl")
TOPICS = Path("tests/similarity/topics.jsonl")


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command("locomo")(eval_locomo)
    group.command("longmemeval")(eval_longmemeval)
    group.command("demo")(eval_demo)
    group.command("beliefs")(eval_beliefs)
    group.command("sanitize")(eval_sanitize)
    group.command("injection")(eval_injection)
    group.command("extraction")(eval_extraction)
    group.command("entities")(eval_entities)
    group.command("contradictions")(eval_contradictions)
    group.command("similarity")(eval_similarity)
    group.command("calibration")(eval_calibration)
    group.command("updates")(eval_updates)
    group.command("stale")(eval_stale)
    group.command("search-speed")(eval_search_speed)
    group.command("reading-speed")(eval_reading_speed)
    group.command("capture-speed")(eval_capture_speed)
    group.command("import")(eval_import)
    group.command("package")(eval_package)
    group.command("skills")(eval_skills)
    group.command("documents")(eval_documents)
    group.command("pages")(eval_pages)
    group.command("communities")(eval_communities)
    group.command("reembedding")(eval_reembedding)


def eval_locomo(
    bench: Bench = BENCH,
    url: Url = URL,
    observations: Annotated[
        bool, typer.Option(help="Ask again once what a model wrote was read as its answers.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="A conversation; all if unset.")] = None,
    as_json: AsJson = False,
) -> None:
    """Evidence recall on LoCoMo: each conversation in a scope of its own."""
    corpora = [c for c in locomo.load(bench / "locomo") if not only or c.name in only]
    if observations:
        _show_speed(_observed(bench / "locomo", corpora, url), as_json)
        return
    _show(_measure(corpora, "locomo", locomo.CUTS, url), as_json)


def eval_longmemeval(
    bench: Bench = BENCH,
    url: Url = URL,
    haystack: Annotated[bool, typer.Option(help="Add two complete haystacks.")] = False,
    as_json: AsJson = False,
) -> None:
    """Turn recall on the pooled evidence of LongMemEval."""
    corpus = longmemeval.load(bench / "longmemeval_pool", haystack=haystack)
    scope = "longmemeval-haystack" if haystack else "longmemeval"
    _show(_measure([corpus], scope, longmemeval.CUTS, url), as_json)


def eval_demo(
    seed: Annotated[Path, typer.Option(help="Folder of the demo seed.")] = SEED,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Recall on the demo seed, whose questions are in English and German."""
    _show(_measure([demo.load(seed)], "demo", demo.CUTS, url), as_json)


def eval_sanitize(bench: Bench = BENCH, as_json: AsJson = False) -> None:
    """What the sanitising step finds, cuts and leaves alone, and how fast; needs no server."""
    _show_speed(sanitize.evaluate(bench), as_json)


def eval_injection(
    bench: Bench = BENCH,
    write: Annotated[
        bool, typer.Option("--write", help="Learn from everything; write the shipped numbers.")
    ] = False,
    vectors: Annotated[
        Path | None, typer.Option(help="A folder to keep vectors in between runs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Attacks and harmless texts flagged by patterns, by the classifier, and by either: each source
    judged by what was learnt from the others. Needs no server."""
    models = embedding_config(local_settings()).cache_dir
    found = suspicion.read(bench, models, vectors)
    told = suspicion.table(found, suspicion.Crossed(found).judged())
    if write:
        suspicion.write(found)
    if as_json:
        console.print_json(json.dumps(told))
        return
    columns = ("kind", "source", "half", "of", "patterns", "classifier", "together")
    shown = Table(*columns)
    for row in told:
        shown.add_row(*(str(row[column]) for column in columns))
    console.print(shown)


def eval_contradictions(
    bench: Bench = BENCH,
    german: Annotated[Path, typer.Option(help="The German pairs.")] = CONTRADICTIONS,
    as_json: AsJson = False,
) -> None:
    """Contradictions found and wrongly found between two texts; needs no server."""
    _show_speed(contradictions.evaluate(bench, german), as_json)


def eval_entities(
    bench: Bench = BENCH,
    vectors: Annotated[bool, typer.Option(help="The distance of vectors instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Whether two records describe one thing: precision and recall; needs no server."""
    if not vectors:
        _show_speed(entities.evaluate(bench), as_json)
        return

    async def run() -> dict[str, Any]:
        embedder = await asyncio.to_thread(build_embedder, embedding_config(local_settings()))
        try:
            return await entities.neighbours(bench, embedder)
        finally:
            await embedder.aclose()

    _show_speed(asyncio.run(run()), as_json)


def eval_similarity(
    bench: Bench = BENCH,
    german: Annotated[Path, typer.Option(help="The German pairs.")] = CONTRADICTIONS,
    topics: Annotated[Path, typer.Option(help="Skills, learnings and questions.")] = TOPICS,
    as_json: AsJson = False,
) -> None:
    """What the configured model's cosines mean, beside human scores and contradictions, and the
    scales that follow from them, by halves."""

    async def run() -> dict[str, Any]:
        embedder = await asyncio.to_thread(build_embedder, embedding_config(local_settings()))
        try:
            return await similarity.evaluate(embedder, bench, german, topics)
        finally:
            await embedder.aclose()

    _show_speed(asyncio.run(run()), as_json)


def eval_calibration(bench: Bench = BENCH, as_json: AsJson = False) -> None:
    """From which cosine on a text is likely to answer; needs no server."""

    async def run() -> dict[str, Any]:
        embedder = await asyncio.to_thread(build_embedder, embedding_config(local_settings()))
        try:
            return await calibration.evaluate(embedder, bench)
        finally:
            await embedder.aclose()

    _show_speed(asyncio.run(run()), as_json)


def eval_extraction(
    bench: Bench = BENCH,
    seed: Annotated[Path, typer.Option(help="Folder of the demo seed.")] = SEED,
    as_json: AsJson = False,
) -> None:
    """Names and statements found by rules: precision, recall and speed; needs no server."""
    _show_speed(extraction.evaluate(bench, seed), as_json)


def eval_beliefs(
    part: Annotated[str, typer.Argument(help="timelines, races, updates or rate.", metavar="PART")],
    bench: Bench = BENCH,
    seed: Annotated[Path, typer.Option(help="Folder of the demo seed.")] = SEED,
    count: Annotated[int, typer.Option(help="How many races, or episodes.")] = 1000,
    embed: Annotated[bool, typer.Option(help="For rate: make vectors meanwhile.")] = False,
    grown: Annotated[
        str | None, typer.Option(help="For rate: only hold this scope, grown before, beside a new.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Whether beliefs come out right, and the rate of consolidation; works on the graph itself."""

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            if part == "updates":
                reader = await opened.keys.resolve(await _admin(opened, "demo"))
                return await beliefs.updates(opened, reader, seed / "gold")
            place = grown or f"eval-{part}-{secrets.token_hex(4)}"
            caller = await opened.keys.resolve(await _admin(opened, place))
            if part == "timelines":
                return await beliefs.timeline_answers(opened, caller, beliefs.timelines(bench))
            if part == "races":
                return await beliefs.races(opened, caller, count)
            if part == "rate":
                steps = [step for step in RATE_STEPS if step < count] + [count]

                async def enter(scope: str) -> Caller:
                    return await opened.keys.resolve(await _admin(opened, scope))

                course = rate.Course(steps, enter, embed, progress.print)
                if grown:
                    return await rate.again(opened, caller, bench, course)
                return await rate.rate(opened, caller, bench, course)
            raise InvalidInput("part is timelines, races, updates or rate", field="part")

    _show_speed(asyncio.run(run()), as_json)


def eval_skills(
    sizes: Annotated[
        str, typer.Option(help="At how many skills a scan is timed, growing, with commas.")
    ] = "2500,5000,10000",
    still: Annotated[
        float,
        typer.Option(min=0, help="Seconds of even searches after which the index has settled."),
    ] = 180.0,
    as_json: AsJson = False,
) -> None:
    """Discovery, walks and scans over generated skills; works on the graph itself."""

    async def run() -> dict[str, Any]:
        plan = skills.Plan(skills.sizes_of(sizes), still)
        async with parts(local_settings()) as opened:
            place = f"eval-skills-{secrets.token_hex(4)}"
            caller = await opened.keys.resolve(await _admin(opened, place))
            return await skills.measure(opened, caller, plan)

    _show_speed(asyncio.run(run()), as_json)


def eval_communities(
    count: Annotated[int, typer.Option(min=100, help="How many entities.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Leiden and summaries over a generated graph, and after an edit; works on the graph itself."""

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            place = f"eval-communities-{secrets.token_hex(4)}"
            return asdict(await communities.measure(opened.graph, place, count))

    _show_speed(asyncio.run(run()), as_json)


def eval_pages(
    count: Annotated[int, typer.Option(min=10, help="How many pages.")] = 10_000,
    links: Annotated[int, typer.Option(min=1, max=100, help="Links of each.")] = 10,
    samples: Annotated[int, typer.Option(min=10, help="How often each read is timed.")] = 100,
    bench: Bench = BENCH,
    as_json: AsJson = False,
) -> None:
    """Links at size: extraction, re-extraction, backlinks, mentions; works on the graph itself."""
    corpus = bench / "2wiki"
    real = passages.load(corpus).records if corpus.is_dir() else ()
    size = pages.Size(count, links, samples)

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            place = f"eval-pages-{secrets.token_hex(4)}"
            caller = await opened.keys.resolve(await _admin(opened, place))
            made = await asyncio.to_thread(pages.texts, size, real)
            course = pages.Course(made, progress.print)
            return await pages.grow(opened, caller, size, course)

    _show_speed(asyncio.run(run()), as_json)


def eval_reembedding(
    scope: Annotated[str, typer.Option(help="A scope with memories, searched by the first model.")],
    model: Annotated[str, typer.Option(help="A further model of the settings.")],
    bench: Bench = BENCH,
    rate: Annotated[float, typer.Option(min=0.1, max=100, help="Searches a second.")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Another model for a scope under a stream of searches: failures, rate, switch and rollback."""
    asked = [q.text for corpus in locomo.load(bench / "locomo") for q in corpus.questions]

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            tenant = scope.partition("/")[0]
            caller = operator(tenant, await all_scopes(opened, tenant))
            course = reembedding.Course(scope, model, asked[:400], rate)
            return await reembedding.measure(opened, caller, course)

    _show_speed(asyncio.run(run()), as_json)


async def _admin(opened: Parts, scope: str) -> str:
    """A key that sees and writes everything in a scope and below."""
    minted = await mint(opened, scope, kind="user", name="eval", role=Role.ADMIN, subtree=True)
    return minted.text


def eval_updates(
    bench: Bench = BENCH,
    seed: Annotated[Path, typer.Option(help="Folder of the demo seed.")] = SEED,
    url: Url = URL,
    as_json: AsJson = False,
) -> None:
    """Whether the newest statement of an update stands first, and the old one is no fact."""

    async def run() -> dict[str, Any]:
        folder = bench / "longmemeval_pool"
        names = ["eval/updates-longmemeval", "eval/updates-company"]
        pairs, talk = await _clients(names, url)
        await _members_revise(names[1])
        try:
            return {
                "longmemeval": await currency.longmemeval_updates(*pairs, folder, progress.print),
                "demo": await currency.demo_updates(*talk, seed, progress.print),
            }
        finally:
            await pairs[0].close()
            await talk[0].close()

    _show_speed(asyncio.run(run()), as_json)


def eval_stale(bench: Bench = BENCH, url: Url = URL, as_json: AsJson = False) -> None:
    """Whether a search over facts gives any that does not hold now: LoCoMo's questions."""

    async def run() -> dict[str, Any]:
        corpora = locomo.load(bench / "locomo")
        opened = await _clients([f"eval/stale-{c.name.lower()}" for c in corpora], url)
        told: dict[str, Any] = {}
        for (client, scope), corpus in zip(opened, corpora, strict=True):
            told[corpus.name] = await currency.stale_facts(client, scope, corpus, progress.print)
            await client.close()
        names = {name for row in told.values() for name in row}
        told["overall"] = {n: sum(row.get(n, 0) for row in told.values()) for n in sorted(names)}
        return told

    _show_speed(asyncio.run(run()), as_json)


def eval_search_speed(
    scope: Annotated[list[str], typer.Option(help="Scopes to search, or a tenant's below it.")],
    bench: Bench = BENCH,
    url: Url = URL,
    questions: Annotated[int, typer.Option(min=50, max=450, help="Of each part.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Hybrid search over HTTP beside its two bare queries, and what the vector index misses."""
    asked = [q.text for corpus in locomo.load(bench / "locomo") for q in corpus.questions]

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            scopes = await _below(opened, scope)
            wire = Wire(url, await _reader(opened, scope[0]))
            # Other questions for either part: the API remembers the vectors of those it had.
            first, second = asked[:questions], asked[questions : 2 * questions]
            try:
                speed = await search_speed(opened, wire, scopes[:3], first)
                wide = await search_speed(opened, wire, scopes, second)
            finally:
                wire.close()
            recall = await vector_recall(opened.graph, scopes, samples=20)
        return {"three_scopes": summary(speed), "all_scopes": summary(wide), "recall@10": recall}

    _show_speed(asyncio.run(run()), as_json)


def eval_reading_speed(
    bench: Bench = BENCH,
    url: Url = URL,
    texts: Annotated[int, typer.Option(min=1000, help="Spread over the scopes.")] = 3000,
    again: Annotated[
        str, typer.Option(help="A tenant that the command has built, asked once more.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Search by the claims of its facts (1, 100, 1,000), also where three scopes tell them
    differently, and by scopes (1, 300, 1,000; by name, and without by who sees just these), in
    turns.

    Builds a tenant of its own with consolidated facts, which takes half an hour.
    """
    corpora = locomo.load(bench / "locomo")
    told = [r.text for corpus in corpora for r in corpus.records][:texts]
    asked = [q.text for corpus in corpora for q in corpus.questions][:120]

    async def run() -> dict[str, Any]:
        root = again or f"eval-reading-{now():%m%d%H%M%S}"
        async with parts(local_settings()) as opened:
            if again:
                await reading.check_built(opened, root, asked)
            client = ApiClient(url, await _admin(opened, root))
            wire = Wire(url, await _reader(opened, root))
            try:
                by_claims = reading.told_claims(root)
                if not again:
                    by_claims = await reading.tell_claims(opened, client, root, told)
                claims = await reading.in_turns(opened, wire, by_claims)
                disputed = {}
                for way, turns in (("one after the other", False), ("in turns", True)):
                    places = reading.told_disputed(root, turns)
                    if not again:
                        places = await reading.tell_disputed(opened, client, root, told, turns)
                    disputed[way] = await reading.in_turns(opened, wire, places)
                by_scopes = reading.told_scopes(root, asked)
                if not again:
                    by_scopes = await reading.tell_scopes(opened, client, root, told, asked)
                wire.close()
                wire = Wire(url, await _reader(opened, root))
                scopes = await reading.in_turns(opened, wire, by_scopes)
                whole = await _without_names(opened, url, by_scopes)
            finally:
                wire.close()
                await client.close()
        return {
            **{f"{size} claims": found for size, found in claims.items()},
            **{
                f"{size} claims in each of 3 scopes, {way}": found
                for way, sizes in disputed.items()
                for size, found in sizes.items()
            },
            **{f"{size} scopes": found for size, found in scopes.items()},
            **{f"{size} scopes, none named": found for size, found in whole.items()},
        }

    _show_speed(asyncio.run(run()), as_json)


async def _without_names(
    opened: Parts, url: str, places: Sequence[reading.Place]
) -> dict[str, Any]:
    """The same places, each asked by a key of its workspace that names no scopes."""
    wires = [Wire(url, await _reader(opened, place.scopes[0])) for place in places]
    try:
        return await reading.in_turns(
            opened,
            wires[0],
            [replace(place, whole=wire) for place, wire in zip(places, wires, strict=True)],
        )
    finally:
        for wire in wires:
            wire.close()


def eval_capture_speed(
    bench: Bench = BENCH,
    url: Url = URL,
    captures: Annotated[int, typer.Option(min=50)] = 400,
    as_json: AsJson = False,
) -> None:
    """Capture over HTTP beside the bare transaction, with one client and with sixteen."""
    texts = [r.text for corpus in locomo.load(bench / "locomo") for r in corpus.records][:captures]

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            key = await _key(opened, "eval/capture-speed")
            caller = await opened.keys.resolve(key)
            client = ApiClient(url, key)
            try:
                return {
                    f"{clients} clients": summary(
                        await capture_speed(opened, client, caller, texts, clients)
                    )
                    for clients in (1, 16)
                }
            finally:
                await client.close()

    _show_speed(asyncio.run(run()), as_json)


def eval_import(
    package: Annotated[Path, typer.Argument(help="A package with vectors.")],
    episodes: Annotated[int, typer.Option(min=100, help="Episodes of each turn.")] = 1500,
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each side.")] = 8,
    whole: Annotated[bool, typer.Option(help="All of it once, sanitising included.")] = False,
    deferred: Annotated[bool, typer.Option(help="The same, indexes made afterwards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import beside a bare UNWIND that writes the same nodes and edges, in alternating turns."""

    async def run() -> dict[str, Any]:
        async with parts(local_settings()) as opened:
            store = store_of(opened)
            if deferred:
                return await importing.measure_deferred(store, package)
            if whole:
                return await importing.measure_whole(store, package)
            return await importing.measure(store, package, episodes, rounds)

    _show_speed({"import": asyncio.run(run())}, as_json)


def eval_documents(
    paths: Annotated[list[Path], typer.Argument(help="Folders, files, jars.", exists=True)],
    most: Annotated[int, typer.Option(help="Most files of one kind.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Read files of this machine as uploads are read: how many, how fast, and why not the rest."""
    with tempfile.TemporaryDirectory(prefix="loci-documents-") as folder:
        results = asyncio.run(documents.evaluate(paths, most, Path(folder)))
    _show_speed(results, as_json)


def eval_package(
    folder: Annotated[Path, typer.Argument(help="Where the package is written.")],
    bench: Bench = BENCH,
    episodes: Annotated[int, typer.Option(min=1000)] = 100_000,
    scopes: Annotated[int, typer.Option(min=1)] = 50,
) -> None:
    """Make a package of real text with variation and vectors, for measurements at size."""

    async def run() -> None:
        settings = local_settings()
        embedder = await asyncio.to_thread(build_embedder, embedding_config(settings))
        try:
            await bulk.make_package(bench, folder, embedder, bulk.Size(episodes, scopes))
        finally:
            await embedder.aclose()

    asyncio.run(run())


async def _clients(scopes: Sequence[str], url: str) -> list[tuple[ApiClient, str]]:
    """For each scope a client with a key of an agent that is at home there."""
    async with parts(local_settings()) as opened:
        return [(ApiClient(url, await _key(opened, scope)), scope) for scope in scopes]


async def _members_revise(scope: str) -> None:
    """Set the rule that the demo has: who works there may correct a colleague."""
    async with parts(local_settings()) as opened:
        caller = operator(scope.partition("/")[0], [scope])
        await opened.scopes.set_rules(caller, scope, ScopeRules(members_revise=True))


async def _below(opened: Parts, named: list[str]) -> list[str]:
    """The named scopes, and for a tenant every scope below it."""
    found = []
    for name in named:
        known = await all_scopes(opened, name.partition("/")[0])
        found += [s for s in known if s == name or s.startswith(f"{name}/")]
    return found


async def _reader(opened: Parts, scope: str) -> str:
    """A key that reads a scope and everything below it."""
    minted = await mint(
        opened, scope, kind="user", name="eval-reader", role=Role.READER, subtree=True
    )
    return minted.text


def _show_speed(results: dict[str, Any], as_json: bool) -> None:
    if as_json:
        console.print_json(json.dumps(results, default=asdict))
        return
    for name, values in results.items():
        console.print(f"[bold]{name}[/] {values if not isinstance(values, dict) else ''}")
        for field, value in values.items() if isinstance(values, dict) else ():
            console.print(f"  {field}: {value}")


def _observed(bench: Path, corpora: Sequence[Corpus], url: str) -> dict[str, Any]:
    """Recall with and without memories, over all conversations and over each."""

    async def run() -> list[observed.Compared]:
        done = []
        async with parts(local_settings()) as opened:
            for corpus in corpora:
                scope = f"eval/observed-{corpus.name.lower()}"
                client = ApiClient(url, await _key(opened, scope))
                try:
                    folder = bench / corpus.name
                    told = await observed.compare(opened, client, scope, corpus, folder)
                finally:
                    await client.close()
                progress.print(f"{corpus.name}: {told.row()}")
                done.append(told)
        return done

    return observed.pooled(asyncio.run(run()))


def _measure(corpora: Sequence[Corpus], group: str, cuts: Sequence[int], url: str) -> list[Run]:
    async def run() -> list[Run]:
        async with parts(local_settings()) as opened:
            scopes = [f"eval/{group}-{corpus.name.lower()}" for corpus in corpora]
            keys = [await _key(opened, scope) for scope in scopes]
        done = []
        for scope, key, corpus in zip(scopes, keys, corpora, strict=True):
            client = ApiClient(url, key)
            try:
                done.append(await evaluate(client, scope, corpus, cuts, progress.print))
            finally:
                await client.close()
        return done

    return asyncio.run(run())


async def _key(opened: Parts, scope: str) -> str:
    """A key of an agent that is at home in the scope, and has its name."""
    name = scope.rpartition("/")[2].replace("_", "-")
    return (await mint(opened, scope, kind="agent", name=name, role=Role.WRITER)).text


def _show(runs: list[Run], as_json: bool) -> None:
    merged = pooled(runs)
    if as_json:
        told = {"runs": [asdict(run) for run in runs], "pooled": merged}
        console.print_json(json.dumps(told, default=sorted))  # gold is a set
        return
    for mode in MODES:
        console.print(_table(mode, merged[mode]))
    records = sum(run.records for run in runs)
    console.print(
        f"{records} records; captured in {sum(r.capture_seconds for r in runs):.1f} s, "
        f"indexed {sum(r.index_seconds for r in runs):.1f} s later, "
        f"asked in {sum(r.ask_seconds for r in runs):.1f} s"
    )


def pooled(runs: Sequence[Run]) -> dict[str, dict[str, dict[str, float]]]:
    """Means over all questions of all runs, by mode and category."""
    return {
        mode: _rows([row for run in runs for row in run.answers[mode]], runs[0].cuts)
        for mode in MODES
    }


def _rows(answers: list[Any], cuts: Sequence[int]) -> dict[str, dict[str, float]]:
    return dict(recall_table(answers, cuts))


def _table(mode: str, rows: dict[str, dict[str, float]]) -> Table:
    columns = list(next(iter(rows.values())))
    shown = Table("category", *columns, title=mode)
    for category, row in rows.items():
        shown.add_row(
            category, *(f"{row[c]:.0f}" if c == "n" else f"{row[c]:.1f}" for c in columns)
        )
    return shown
