"""Every task that a worker knows, and every schedule: one page, no discovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from app.access.seal import seal_tenant
from app.communities.tasks import COMMUNITIES, run_communities
from app.consolidation.tasks import CONSOLIDATE, run_consolidation
from app.contexts.tasks import FADE, ROT_OF_CONTEXTS, fade_contexts, rot_contexts
from app.conversations.tasks import JUDGE, JUDGE_ALL, SORT, judge_agent, judge_all, sort_answers
from app.documents.orders import DELETE, DROP_BASE, TAKE
from app.documents.tasks import (
    SETTLE,
    delete_document,
    drop_base,
    settle_documents,
    take_document,
)
from app.entities.repair import REPAIR, run_repair
from app.escalations.tasks import ESCALATE, check_escalations
from app.facts.tasks import REKEY, RESETTLE, rekey_facts, resettle_facts
from app.goals.tasks import STALE_GOALS, check_goals
from app.interventions.tasks import SUGGEST, suggest_policies
from app.jobs.model import Job, Outcome, Report, Schedule, TaskFunction
from app.jobs.spool import spool_of
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.learning.tasks import (
    COLLECT_LOG,
    END_IDLE,
    FIND_INTENTS,
    FOLLOW_TURNS,
    collect_learning,
    end_idle_segments,
    find_intents,
    follow_turns,
)
from app.lifecycle.condensing import CONDENSE, run_condensing
from app.lifecycle.tasks import (
    CHECK,
    DELETE_SCOPE,
    DUPLICATES,
    ERASE,
    FINISH,
    LEARNINGS,
    PROMOTE,
    REFRESH,
    REWORD,
    ROT,
    SWEEP,
    TRUST,
    archive_learnings,
    consider_promotions,
    detect_rot,
    fade_trust,
    finish_erasures,
    propose_duplicates,
    refresh_facts,
    reword_facts,
    run_check,
    run_deletion,
    run_erasure,
    run_sweep,
)
from app.notes.tasks import DRIFT, JOIN, check_drift, join_notes
from app.observations.tasks import CLEAN, COLLECT, clean_observations, collect_observations
from app.pages.tasks import RELINK, run_relink
from app.pools.tasks import RETENTION, TEXTS, follow_pools, retain_pools
from app.portability.jobs import EXPORT, IMPORT, run_export, run_import
from app.reembedding.tasks import CLEAR, FILL, MEND, clear_space, fill_space, mend_spaces
from app.settings import Settings
from app.shortterm.tasks import EXPIRE_ENTRIES, expire_entries
from app.skills.tasks import (
    DECAY,
    EMBED,
    EXPIRE,
    GAPS,
    SCAN,
    decay_stale,
    detect_gaps,
    embed_skills,
    expire_proposals,
    scan_conflicts,
)
from app.snapshots.tasks import (
    DAYS,
    DUE_DAYS,
    SNAPSHOTS,
    make_days,
    make_due_days,
    take_snapshots,
)
from app.tables.tasks import LINK as LINK_ROWS
from app.tables.tasks import RELINK as RELINK_ROWS
from app.tables.tasks import link_anew, link_waiting
from app.tiers.tasks import PROMOTE_OFTEN_READ, promote_often_read
from app.webhooks.tasks import EXPIRE_DELIVERIES, expire_deliveries
from app.working.tasks import EXPIRE_COPIES, expire_copies

# What the operator may run dry. Others do what is seen at once in their own listing or receipt.
DRY_RUNS = frozenset(
    {
        EXPIRE_COPIES, EXPIRE_ENTRIES, PROMOTE_OFTEN_READ, END_IDLE, FOLLOW_TURNS, FIND_INTENTS,
        COLLECT_LOG, RELINK_ROWS, SNAPSHOTS, RETENTION, FADE, ROT_OF_CONTEXTS, STALE_GOALS, DRIFT,
        ESCALATE, SUGGEST, CLEAN, COLLECT, SORT, JOIN, DAYS,
        DUE_DAYS,
    }
)  # fmt: skip
JOBS_KEPT = timedelta(days=30)
EVENTS_KEPT = timedelta(days=1)


async def seal_audit(parts: Any, job: Job, report: Report) -> Outcome:
    """Chain the audit events of every tenant that has new ones."""
    sealed: dict[str, int] = {}
    while tenants := await parts.access_rows.tenants_with_unsealed(list(sealed)):
        for tenant in tenants:
            sealed[tenant] = await seal_tenant(parts.access_rows, tenant)
            await report({"tenants": len(sealed)})
    return Outcome({"sealed": sum(sealed.values()), "tenants": len(sealed)})


async def purge(parts: Any, job: Job, report: Report) -> Outcome:
    """Drop what ran out: idempotency records, files of imports and exports, jobs a month old."""
    records = await parts.graph.rows(Q.idempotency.expire, at=now())
    await report({"idempotency": records[0]["removed"]})
    jobs = await parts.jobs.purge(now() - JOBS_KEPT)
    # What a worker that was away for days has yet to import is no leftover.
    waiting = [i for task in (IMPORT, TAKE, CHECK) for i in await parts.jobs.unfinished(task)]
    files = spool_of(parts.settings).expire(waiting)
    usage = await parts.model_reader.rows.expire_usage()
    told = (await parts.graph.one(Q.events.expire, before=now() - EVENTS_KEPT))["removed"]
    kept = timedelta(days=parts.settings.search.questions_kept_days)
    asked = await parts.analytics.sweep(now() - kept)
    removed = {"idempotency": records[0]["removed"], "jobs": jobs, "spooled": files, "usage": usage}
    removed["events"] = told
    return Outcome(removed | asked)


async def retry_refused(parts: Any, job: Job, report: Report) -> Outcome:
    """Offer the embedding model again what it refused; the next indexing pass takes it up."""
    return Outcome({"waiting": await parts.index_rows.retry_failed()})


TASKS: Mapping[str, TaskFunction] = {
    "audit.seal": seal_audit,
    "upkeep.purge": purge,
    "indexing.retry": retry_refused,
    CONSOLIDATE: run_consolidation,
    TAKE: take_document,
    DELETE: delete_document,
    DROP_BASE: drop_base,
    SETTLE: settle_documents,
    REKEY: rekey_facts,
    RESETTLE: resettle_facts,
    REPAIR: run_repair,
    CONDENSE: run_condensing,
    ERASE: run_erasure,
    DELETE_SCOPE: run_deletion,
    CHECK: run_check,
    FINISH: finish_erasures,
    SWEEP: run_sweep,
    REFRESH: refresh_facts,
    REWORD: reword_facts,
    PROMOTE: consider_promotions,
    TRUST: fade_trust,
    LEARNINGS: archive_learnings,
    ROT: detect_rot,
    DUPLICATES: propose_duplicates,
    COMMUNITIES: run_communities,
    RELINK: run_relink,
    RETENTION: retain_pools,
    TEXTS: follow_pools,
    LINK_ROWS: link_waiting,
    RELINK_ROWS: link_anew,
    FADE: fade_contexts,
    ROT_OF_CONTEXTS: rot_contexts,
    SCAN: scan_conflicts,
    DECAY: decay_stale,
    EMBED: embed_skills,
    GAPS: detect_gaps,
    EXPIRE: expire_proposals,
    IMPORT: run_import,
    EXPORT: run_export,
    FILL: fill_space,
    CLEAR: clear_space,
    MEND: mend_spaces,
    EXPIRE_COPIES: expire_copies,
    EXPIRE_ENTRIES: expire_entries,
    PROMOTE_OFTEN_READ: promote_often_read,
    EXPIRE_DELIVERIES: expire_deliveries,
    STALE_GOALS: check_goals,
    DRIFT: check_drift,
    ESCALATE: check_escalations,
    COLLECT: collect_observations,
    END_IDLE: end_idle_segments,
    FIND_INTENTS: find_intents,
    COLLECT_LOG: collect_learning,
    FOLLOW_TURNS: follow_turns,
    CLEAN: clean_observations,
    SUGGEST: suggest_policies,
    SNAPSHOTS: take_snapshots,
    DAYS: make_days,
    DUE_DAYS: make_due_days,
    JUDGE: judge_agent,
    JUDGE_ALL: judge_all,
    SORT: sort_answers,
    JOIN: join_notes,
}

# What may hold a lane of the worker for long; an import is light where its file is small.
HEAVY = frozenset(
    {IMPORT, EXPORT, CHECK, COMMUNITIES, FILL, MEND, REPAIR, DUPLICATES, RELINK, RELINK_ROWS}
)

SCHEDULES = [
    Schedule("audit.seal", "*/5 * * * *", "audit.seal", "Chains new audit events."),
    Schedule("lifecycle.finish", "*/5 * * * *", FINISH, "Finishes erasures that were cut short."),
    Schedule("documents.settle", "*/5 * * * *", SETTLE, "Fails documents whose job was lost."),
    Schedule("facts.refresh", "*/5 * * * *", REFRESH, "Ends facts whose time has run out."),
    Schedule("facts.resettle", "*/5 * * * *", RESETTLE, "Settles facts anew after an upgrade."),
    Schedule("facts.reword", "*/10 * * * *", REWORD, "Tells facts anew after an upgrade."),
    Schedule("lifecycle.promote", "30 4 * * *", PROMOTE, "Promotes where a scope's rules say so."),
    Schedule("lifecycle.sweep", "0 4 * * *", SWEEP, "Forgets where a scope's rules say so."),
    Schedule("lifecycle.trust", "0 2 * * *", TRUST, "Lets the trust in idle agents fade."),
    Schedule("lifecycle.learnings", "45 3 * * *", LEARNINGS, "Hides learnings that faded."),
    Schedule("lifecycle.rot", "0 4 * * *", ROT, "Hides notes that went stale."),
    Schedule("lifecycle.duplicates", "0 4 * * *", DUPLICATES, "Counts what is said twice."),
    Schedule("skills.scan", "15 4 * * *", SCAN, "Looks for conflicts among skills."),
    Schedule("skills.decay", "0 5 * * 0", DECAY, "Lowers skills that nobody uses."),
    Schedule("skills.embed", "10 5 * * 0", EMBED, "Gives skills without a vector one."),
    Schedule("skills.gaps", "0 3 1 * *", GAPS, "Proposes skills that are missing."),
    Schedule("skills.expire", "5 * * * *", EXPIRE, "Expires proposals left unreviewed."),
    Schedule("pools.retention", "30 3 * * *", RETENTION, "Takes out of pools what ran out."),
    Schedule("pools.texts", "*/5 * * * *", TEXTS, "Lets search find what pools say."),
    Schedule("tables.link", "*/5 * * * *", LINK_ROWS, "Links rows that a package brought."),
    Schedule("tables.relink", "40 4 * * *", RELINK_ROWS, "Links rows to what became known."),
    Schedule("contexts.fade", "50 3 * * *", FADE, "Lets entries of contexts fade."),
    Schedule("contexts.rot", "5 4 * * *", ROT_OF_CONTEXTS, "Archives entries gone stale."),
    Schedule("upkeep.purge", "30 3 * * *", "upkeep.purge", "Drops what ran out."),
    Schedule("working.expire", "25 * * * *", EXPIRE_COPIES, "Removes copies of working memory."),
    Schedule("shortterm.expire", "35 * * * *", EXPIRE_ENTRIES, "Removes entries that ran out."),
    Schedule("tiers.promote", "0 4 * * *", PROMOTE_OFTEN_READ, "Keeps what was read often."),
    Schedule("webhooks.expire", "55 3 * * *", EXPIRE_DELIVERIES, "Drops old deliveries."),
    Schedule("entities.repair", "45 4 * * *", REPAIR, "Proposes merges of entities."),
    Schedule("notes.join", "*/30 * * * *", JOIN, "Joins notes of agents that are idle."),
    Schedule("notes.condense", "15 5 * * *", CONDENSE, "Looks at every condensed note again."),
    Schedule("communities.refresh", "*/10 * * * *", COMMUNITIES, "Regroups what was written."),
    Schedule("pages.relink", "20 * * * *", RELINK, "Resolves links to what is no page again."),
    Schedule("embedding.mend", "*/5 * * * *", MEND, "Fills gaps of further vector spaces."),
    Schedule("blocks.drift", "20 4 * * *", DRIFT, "Compares what is said with core blocks."),
    Schedule("goals.check", "40 */6 * * *", STALE_GOALS, "Looks for goals without progress."),
    Schedule("escalations.check", "*/15 * * * *", ESCALATE, "Raises what is past its time."),
    Schedule("observations.collect", "*/30 * * * *", COLLECT, "Asks Loci's own sensors."),
    Schedule("observations.cleanup", "50 3 * * *", CLEAN, "Deletes observations that are over."),
    Schedule("interventions.suggest", "0 6 * * 1", SUGGEST, "Suggests policies out of reviews."),
    Schedule("learning.follow", "* * * * *", FOLLOW_TURNS, "Follows turns with tasks."),
    Schedule("learning.end_idle", "*/10 * * * *", END_IDLE, "Ends tasks gone silent."),
    Schedule("learning.intents", "35 4 * * *", FIND_INTENTS, "Finds what tasks are after."),
    Schedule("learning.collect", "45 * * * *", COLLECT_LOG, "Tells what was learnt."),
    Schedule("snapshots.take", "30 5 * * *", SNAPSHOTS, "Takes a snapshot of every scope."),
    Schedule("snapshots.days", "20 0 * * *", DAYS, "Makes the pages of the last days."),
    Schedule("snapshots.due", "*/5 * * * *", DUE_DAYS, "Makes pages of days that lost a text."),
    Schedule("indexing.retry", "0 4 * * 0", "indexing.retry", "Offers refused texts once more."),
    Schedule("conversations.sort", "* * * * *", SORT, "Sorts answers into the namespaces."),
    Schedule("conversations.judge", "*/5 * * * *", JUDGE_ALL, "Judges what left its buffer."),
]


def schedules(settings: Settings) -> list[Schedule]:
    """Return every schedule, at the times of the settings where these name any."""
    named = {"conversations.judge": settings.conversations.cron}
    return [replace(one, cron=named.get(one.name, one.cron)) for one in SCHEDULES]
