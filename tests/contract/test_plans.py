"""What the server says of every query, and that hot paths begin at an index, on the real schema."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase, ResultSummary
from neo4j.exceptions import Neo4jError

from app.kernel.cypher import Q, Query
from app.settings import Settings
from app.wiring import Parts
from tests.contract import statements

SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "UnionNodeByLabelsScan",
    "IntersectionNodeByLabelsScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedAllRelationshipsScan",
    "UndirectedAllRelationshipsScan",
    "DynamicLabelNodeLookup",
}
# What reads a label of the whole store, or a type of relationship: most of it for `loci verify`, a
# schedule or the operator, or where there is one node for each scope, but some for a request of
# one tenant, such as the preview of a deleted scope. The list only becomes shorter.
# The planner follows what is stored: this is what it does in an empty store, with elements by their
# ids and relationships of many types at that, and in one of 60,000 episodes.
SCANNING = {
    "access": "any_admin_key",
    "communities": "due wordless",
    "condensed": "baseless",
    "consolidation": "backlog",
    "entities": "places",
    "erasure": "stray_parts unled_skills",
    "evals": "page_links",
    "facts": "predicates",
    "health": "consolidated",
    "indexing": "forget_vectors await_vectors",
    "jobs": "list_schedules",
    "kinds": "lost",
    "knowledge": "pages_of",
    "lifecycle": "sweepable_episodes agents_at_home overlapping_intervals "
    "crossing_edges holders unsupported_facts stale_mirrors orphan_relations stray_entities "
    "miscounted_mentions "
    "empty_aliases stray_windows stray_provenance broken_roots attested cursors",
    "likeness": "drop_all",
    "llm": "backlog expire_usage",
    "portability": "is_empty known_policies every_path export_sessions",
    "rag": "named_in_bases",
    "reembedding": "known_spaces",
    "restoring": "export_predicates",
    "retrieval": "forget_name_vectors",
    "schema": "versions",
    "skill_packages": "export_proposals links",
    "skills": "skill_scopes",
}
HOT = [
    *Q.graphql,
    Q.portability.known_episodes,
    Q.portability.succeeding,
    Q.portability.forgotten,
    Q.portability.export_short_memories,
    Q.portability.save_short_memories,
    Q.portability.used_short_memory,
    Q.portability.export_working_copies,
    Q.portability.save_working_copies,
    Q.portability.used_working_copies,
    Q.portability.weigh_short_memories,
    Q.portability.weigh_working_copies,
    Q.pages.known,
    Q.restoring.known_notes,
    Q.restoring.revise_notes,
    Q.consolidation.lost,
    Q.consolidation.lease,
    Q.consolidation.waiting,
    Q.consolidation.due_scopes,
    Q.access.resolve_key,
    Q.access.write_audit,
    Q.access.audit_history,
    Q.access.unsealed_events,
    Q.access.chain_page,
    Q.entities.known,
    Q.entities.touched_scopes,
    Q.entities.thin,
    Q.entities.upsert,
    Q.entities.link_mentions,
    Q.entities.unlink_mentions,
    Q.entities.get_entity,
    Q.entities.bearers,
    Q.entities.list_entities,
    Q.entities.list_prefix,
    Q.entities.hop,
    Q.entities.list_merges,
    Q.entities.lock_merge,
    Q.entities.cluster,
    Q.entities.namesakes,
    Q.entities.candidates,
    Q.entities.company,
    Q.entities.digest_entities,
    Q.lifecycle.promotions_of,
    Q.scope_deletion.crossing,
    Q.scope_deletion.drop_names,
    Q.scope_deletion.held,
    Q.scope_deletion.drop,
    Q.knowledge.count_nodes,
    Q.knowledge.count_edges,
    Q.skills.agents,
    Q.chunks.lock,
    Q.chunks.stored,
    Q.chunks.texts,
    Q.chunks.page,
    Q.chunks.add,
    Q.chunks.change,
    Q.chunks.show,
    Q.documents.create_base,
    Q.documents.get_base,
    Q.documents.base_by_key,
    Q.documents.list_bases,
    Q.documents.statistics,
    Q.documents.lock_base,
    Q.documents.open,
    Q.documents.lock_document,
    Q.documents.get_document,
    Q.documents.list_documents,
    Q.documents.list_all,
    Q.documents.documents_of,
    Q.documents.left,
    Q.episodes.capture,
    Q.episodes.get_episodes,
    Q.episodes.list_episodes,
    Q.episodes.list_session_episodes,
    Q.episodes.get_session,
    Q.episodes.list_sessions,
    Q.episodes.states,
    Q.episodes.public_key,
    Q.health.census,
    Q.idempotency.claim,
    Q.idempotency.complete,
    Q.idempotency.expire,
    Q.llm.waiting,
    Q.llm.due_scopes,
    Q.llm.take,
    Q.llm.reserve,
    Q.llm.keep,
    Q.llm.kept_answer,
    Q.llm.postpone,
    Q.llm.status,
    Q.llm.troubles,
    Q.llm.ask_again,
    Q.llm.drop_readings,
    Q.llm.mark_due,
    Q.indexing.waiting_tenants,
    Q.indexing.oldest_pending,
    Q.indexing.newest_pending,
    Q.indexing.count_pending,
    Q.indexing.neighbourhood,
    Q.indexing.texts,
    Q.indexing.known_vectors,
    Q.indexing.store_entries,
    Q.indexing.store_windows,
    Q.indexing.drop_windows,
    Q.jobs.claim,
    Q.jobs.renew,
    Q.jobs.progress,
    Q.jobs.finish,
    Q.jobs.due,
    Q.jobs.list_jobs,
    Q.jobs.get,
    Q.notes.candidates,
    Q.notes.get,
    Q.notes.page,
    Q.notes.versions,
    Q.notes.similar,
    Q.notes.end,
    Q.notes.ended_by,
    Q.notes.turn_shelves,
    Q.notes.hold_again,
    Q.notes.stay_ended,
    Q.notes.against,
    Q.notes.lock_original,
    Q.notes.copy_of,
    Q.notes.change,
    Q.pages.lock_names,
    Q.pages.lock_pages,
    Q.pages.settling,
    Q.pages.save,
    Q.pages.bear,
    Q.pages.link,
    Q.pages.affected,
    Q.pages.sources,
    Q.pages.bearers,
    Q.pages.named_entities,
    Q.pages.refer,
    Q.pages.get,
    Q.pages.at_path,
    Q.pages.list_pages,
    Q.pages.backlinks,
    Q.pages.outgoing,
    Q.pages.around,
    Q.pages.orphans,
    Q.pages.contents,
    Q.pages.page_vectors,
    Q.pages.like,
    Q.pages.to_cut,
    Q.pages.waiting_tenants,
    Q.pages.due,
    Q.likeness.describe,
    Q.likeness.store,
    Q.likeness.near,
    Q.communities.touched,
    Q.communities.links,
    Q.communities.links_of,
    Q.communities.leaves_of,
    Q.communities.damaged,
    Q.communities.stored,
    Q.communities.save_leaves,
    Q.communities.save_nests,
    Q.communities.describe,
    Q.communities.facts,
    Q.communities.texts,
    Q.communities.read,
    Q.communities.list_communities,
    Q.communities.members,
    Q.condensed.every_scope,
    Q.condensed.due,
    Q.condensed.touched,
    Q.condensed.every,
    Q.condensed.lock,
    Q.condensed.material,
    Q.condensed.stored,
    Q.condensed.create,
    Q.condensed.end,
    Q.condensed.close,
    Q.blocks.list_blocks,
    Q.blocks.baselines,
    Q.blocks.scopes_after,
    Q.blocks.every_baseline,
    Q.blocks.lately,
    Q.blocks.list_patterns,
    Q.retrieval.waiting_scopes,
    Q.retrieval.every_scope,
    Q.retrieval.newly_called,
    Q.retrieval.unbegun,
    Q.retrieval.count_waiting,
    Q.retrieval.unnamed,
    Q.retrieval.unlinked,
    Q.retrieval.save_names,
    Q.retrieval.known_names,
    Q.retrieval.names_since,
    Q.retrieval.save_links,
    Q.retrieval.revisions,
    Q.retrieval.linked_since,
    Q.retrieval.drop_names,
    Q.retrieval.admit,
    Q.retrieval.begin,
    Q.retrieval.uncompared,
    Q.retrieval.voiceless,
    Q.retrieval.save_vectors,
    Q.retrieval.placed,
    Q.retrieval.any_compared,
    Q.retrieval.near_names,
    Q.retrieval.wake,
    Q.retrieval.save_synonyms,
    Q.retrieval.synonyms,
    Q.scopes.policies,
    Q.scopes.list_scopes,
    Q.rag.in_bases,
    Q.rag.named_in_bases,
    Q.rag.communities_of_bases,
    Q.rag.texts,
    Q.rag.named,
    Q.rag.near,
    Q.rag.mentioned,
    Q.rag.hop,
    Q.rag.homes,
    Q.rag.passages,
    Q.search.hydrate,
    Q.sentences.of_entities,
    Q.search.vectors,
    Q.search.bases,
    Q.search.window_spans,
    Q.search.vector_tagged,
    Q.search.vector_live,
    Q.search.vector_filtered,
    Q.search.vector_in_sessions,
    Q.skills.get,
    Q.skills.by_key,
    Q.skills.page,
    Q.skills.read_many,
    Q.skills.versions,
    Q.skills.around,
    Q.skills.holders,
    Q.skills.usages,
    Q.skills.outcomes,
    Q.skills.seen,
    Q.skills.needs,
    Q.skills.conflicts,
    Q.skills.get_conflict,
    Q.skills.proposals,
    Q.skills.proposals_due,
    Q.skills.idle_skills,
    Q.skills.learnings,
    Q.skills.kinds,
    Q.skills.learning,
    Q.skills.learnings_by_id,
    Q.lifecycle.memories_by,
    Q.lifecycle.live_of,
    Q.lifecycle.hold_documents,
    Q.lifecycle.count_readings,
    Q.shortterm.newest,
    Q.erasure.versions_by,
    Q.erasure.page_versions_by,
    Q.erasure.about,
    Q.facts.kept,
    Q.kinds.restore,
    Q.kinds.present,
    Q.kinds.twins,
    Q.kinds.ids_in,
    Q.kinds.page,
    Q.kinds.find,
    Q.kinds.concerning,
    Q.kinds.with_parts,
    Q.kinds.lock,
    Q.kinds.change,
    Q.kinds.drop,
    Q.kinds.referring,
    Q.kinds.merging,
    Q.kinds.drop_referring,
    Q.autonomy.find,
    Q.autonomy.lock,
    Q.autonomy.lock_scope,
    Q.scopes.every,
    Q.autonomy.goals,
    Q.autonomy.idle_goals,
    Q.autonomy.lock_linked,
    Q.autonomy.links,
    Q.autonomy.escalations,
    Q.autonomy.overdue,
    Q.autonomy.observations,
    Q.autonomy.count_observations,
    Q.autonomy.spent,
    Q.autonomy.last_sensed,
    Q.autonomy.sense,
    Q.autonomy.decided,
    Q.autonomy.interventions,
    Q.autonomy.standing_suggestions,
    Q.snapshots.statistics,
    Q.snapshots.skills,
    Q.snapshots.notes,
    Q.snapshots.facts,
    Q.snapshots.stored,
    Q.snapshots.drop_all,
    Q.snapshots.days,
    Q.snapshots.held_day,
    Q.snapshots.begin_day,
    Q.snapshots.due_days,
    Q.snapshots.spoken,
    Q.snapshots.said_on,
    Q.joining.unjoined,
    Q.joining.held,
    Q.joining.spoke,
    Q.joining.join,
    Q.notes.of_turn,
    Q.ratings.lock,
    Q.ratings.held,
    Q.ratings.of_note,
    Q.conversations.unsorted,
    Q.conversations.unsorted_scopes,
    Q.conversations.hold_sorting,
    Q.portability.held_working_copies,
    Q.portability.hold_working_copies,
    Q.portability.drop_working_copies,
    Q.working.drop_copies,
    Q.conversations.said_around,
    Q.conversations.hold,
    Q.conversations.find,
    Q.conversations.buffered,
    Q.conversations.known,
    Q.conversations.said_in_buffer,
    Q.conversations.said_lately,
    Q.conversations.figures,
    Q.conversations.page,
    Q.conversations.agents,
    Q.conversations.waiting_in,
    Q.conversations.waiting,
    Q.conversations.judged,
    Q.conversations.claim,
    Q.conversations.ours,
    Q.conversations.release,
    Q.conversations.anything,
    Q.work.find,
    Q.work.lock,
    Q.work.below,
    Q.work.page,
    Q.work.lock_memory,
    Q.work.links,
    Q.work.parts,
    Q.work.scope_is_there,
    Q.traces.find,
    Q.traces.lock,
    Q.traces.page,
    Q.traces.touching,
    Q.traces.steps,
    Q.traces.calls,
    Q.traces.first_steps,
    Q.traces.first_calls,
    Q.traces.lock_touched,
    Q.traces.links,
    Q.traces.near,
    Q.traces.among,
    Q.traces.statistics,
    Q.traces.statistics_of,
    Q.traces.scope_is_there,
    Q.learning.segments,
    Q.learning.idle,
    Q.learning.trace_calls,
    Q.learning.said,
    Q.learning.spread,
    Q.learning.lock_used,
    Q.learning.uses,
    Q.learning.outcomes,
    Q.learning.near,
    Q.learning.unclassified,
    Q.learning.intents_of,
    Q.learning.intents,
    Q.learning.of_intent,
    Q.learning.entries,
    Q.learning.batch_scopes,
    Q.learning.of_batch,
    Q.learning.in_force,
    Q.learning.last_version,
    Q.learning.changes,
    Q.learning.skill_versions,
    Q.learning.updates,
    Q.transcripts.hold,
    Q.transcripts.find,
    Q.transcripts.page,
    Q.transcripts.messages,
    Q.transcripts.every_message,
    Q.transcripts.readings,
    Q.transcripts.of_episodes,
    Q.transcripts.by_id,
    Q.transcripts.mentioning,
    Q.transcripts.stated,
    Q.transcripts.derived,
    Q.transcripts.preferences,
    Q.agentmemory.step,
    Q.agentmemory.parts,
    Q.agentmemory.entities,
    Q.agentmemory.spoken_of,
    Q.agentmemory.stated_by,
    Q.tables.find,
    Q.tables.relink_scopes,
    Q.tables.lock,
    Q.tables.page,
    Q.tables.lock_scope,
    Q.tables.rows_now,
    Q.tables.rows_at,
    Q.tables.versions,
    Q.tables.lock_rows,
    Q.tables.size,
    Q.tables.prune,
    Q.tables.parts,
    Q.tables.bearers,
    Q.tables.link,
    Q.tables.link_table,
    Q.tables.unlink,
    Q.tables.unlinked,
    Q.tables.rows_after,
    Q.tables.lock_linked,
    Q.tables.hints,
    Q.tables.recent,
    Q.tables.columns_of,
    Q.contexts.every,
    Q.contexts.entries,
    Q.contexts.upkept,
    Q.contexts.count,
    Q.contexts.lock_entries,
    Q.tiers.due,
    Q.tiers.lock,
    Q.tiers.promoted,
    Q.tiers.passed_over,
    Q.tiers.unindexed,
    Q.tiers.figures,
    Q.tiers.kept,
    Q.tiers.keys,
    Q.tiers.facts,
    Q.tiers.entries,
    Q.tiers.recent_entries,
    Q.tiers.large_pools,
    Q.search.named_in,
    Q.pools.find,
    Q.pools.lock,
    Q.pools.page,
    Q.pools.newest,
    Q.pools.lock_scope,
    Q.pools.counts,
    Q.pools.version,
    Q.pools.versions,
    Q.pools.prune,
    Q.pools.events,
    Q.pools.parts,
    Q.pools.ended,
    Q.pools.count_reads,
    Q.pools.due,
    Q.pools.old_events,
    Q.knowledge.nodes,
    Q.knowledge.hop,
]
# How plans begin at an index; MERGE on a unique key has an operator of its own.
ENTRIES = (
    "NodeIndexSeek",
    "NodeUniqueIndexSeek",
    "NodeVectorIndexSearch",
    "MergeUniqueNode",
    "DirectedRelationshipIndexSeek",
)


# Pages of which each begins where the one before ended.
IN_ORDER = [
    Q.kinds.concerning,
    Q.scopes.every,
    Q.consolidation.waiting,
    Q.llm.waiting,
    Q.retrieval.waiting_scopes,
    Q.retrieval.uncompared,
    Q.pages.waiting_tenants,
    Q.indexing.waiting_tenants,
]
# Kinds of a query by the mode that its header tells.
MODES = {"read": {"r"}, "write": {"w", "rw"}, "batched": {"w", "rw"}}
# The statuses that a contract cannot have: unknown label, type, property; deprecated features;
# disconnected patterns. 01N60 (a parameter is missing) is what EXPLAIN without parameters says.
UNKNOWN = {"01N50", "01N51", "01N52"}
CARTESIAN = {"03N90"}
Planned = dict[str, ResultSummary]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(opened: Parts, settings: Settings) -> AsyncIterator[AsyncDriver]:
    """A driver that lets notifications through; the migration has told the store every name."""
    given = settings.graph
    driver = AsyncGraphDatabase.driver(given.uri, auth=(given.user, given.password))
    yield driver
    await driver.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def planned(server: AsyncDriver) -> Planned:
    """What the server says of each query, by its key; each is planned once."""
    return {query.key: await explained(server, query.text) for query in Q}


async def explained(server: AsyncDriver, text: str) -> ResultSummary:
    asked = text.replace("CYPHER 25", "", 1)
    cypher = "CYPHER 25 EXPLAIN" if asked != text else "EXPLAIN"
    async with server.session() as session:
        try:
            return await (await session.run(f"{cypher} {asked}")).consume()  # type: ignore[arg-type]
        except Neo4jError as error:
            raise AssertionError(f"{error}: {text}") from error


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", []):
        yield from operators(child)


def named(summary: ResultSummary) -> list[str]:
    """The operators of a plan."""
    assert summary.plan is not None
    return list(operators(summary.plan))


def complaints(summary: ResultSummary, allowed: frozenset[str]) -> list[str]:
    wrong = []
    for status in summary.gql_status_objects:
        kind = str(status.raw_classification)
        cartesian = status.gql_status in CARTESIAN and "CartesianProduct" not in allowed
        deprecated = kind == "DEPRECATION" and "FeatureDeprecation" not in allowed
        if status.gql_status in UNKNOWN or cartesian or deprecated:
            wrong.append(f"{status.gql_status} {status.status_description}")
    return wrong


@pytest.mark.timeout(900)  # every query is planned, on however busy a machine
async def test_the_server_plans_every_query_without_complaint(planned: Planned) -> None:
    assert len(planned) == len(list(Q)) > 700
    wrong = {}
    for query in Q:
        summary = planned[query.key]
        found = complaints(summary, query.allowed)
        is_command = re.search(r"^(?:SHOW|CALL dbms)", statements.code(query.text).strip())
        if not is_command and summary.query_type not in MODES[query.mode]:
            found.append(f"is {summary.query_type}, and says {query.mode}")
        if found:
            wrong[query.key] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MATCH (n:Epissode) RETURN n", "01N50"),
        ("MATCH (:Episode)-[r:IN_SESION]->() RETURN r", "01N51"),
        ("MATCH (n:Episode) RETURN n.contnt", "01N52"),
        ("MATCH (a:Episode), (b:Scope) RETURN a, b", "03N90"),
        ("MATCH (n:Episode) RETURN id(n)", "01N0"),
    ],
)
async def test_the_check_would_find_it(server: AsyncDriver, text: str, said: str) -> None:
    found = complaints(await explained(server, text), frozenset())
    assert found
    assert found[0].startswith(said)


async def test_hot_queries_seek(planned: Planned) -> None:
    wrong = {}
    for query in HOT:
        found = named(planned[query.key])
        enters = any(name.startswith(ENTRIES) for name in found)
        if not enters or not SCANS.isdisjoint(found):
            wrong[query.key] = found
    assert wrong == {}


@pytest.mark.parametrize("query", IN_ORDER, ids=lambda query: query.key)
async def test_a_page_is_read_in_the_order_of_its_index(server: AsyncDriver, query: Query) -> None:
    """No page reads and sorts what lies behind it."""
    found = named(await explained(server, query.text))
    assert not {"Sort", "Top", "PartialSort", "PartialTop", "Eager"} & {*found}, found


@pytest.mark.slow
@pytest.mark.skipif(
    "LOCI_PLANS" not in os.environ,
    reason="what other tests have stored decides the planner's choice: LOCI_PLANS=1 asks, alone",
)
async def test_no_other_query_reads_a_whole_label(planned: Planned) -> None:
    known = {f"{file}.{name}" for file, names in SCANNING.items() for name in names.split()}
    found = {q.key for q in Q if not SCANS.isdisjoint(named(planned[q.key]))}
    # The planner may choose otherwise in an empty store, so the list is no lower bound.
    assert found <= known, found - known
    assert {q.key for q in Q} >= known


def test_no_page_is_counted_off_without_an_order() -> None:
    skipping = [q for q in Q if re.search(r"\bSKIP\b", statements.code(q.text))]
    for query in skipping:
        for clause in re.split(r"\bSKIP\b", statements.code(query.text))[:-1]:
            last = re.split(r"\b(?:RETURN|WITH)\b", clause)[-1]
            assert "ORDER BY" in last, f"{query.key} skips rows that stand in no order"
    assert skipping


async def test_a_scan_would_be_found(server: AsyncDriver) -> None:
    found = named(await explained(server, "MATCH (n:Episode) WHERE n.content = $x RETURN n"))
    assert not SCANS.isdisjoint(found)
