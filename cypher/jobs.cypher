// name: create(job) write one
// A job is a node first and a queue entry second; the same id again finds the job that is there.
// unscoped: $job carries tenant and scope
MERGE (j:Job {id: $job.id})
ON CREATE SET j = $job
RETURN j {.*} AS job

// name: claim(id, at, lease) write optional
// The first statement writes, so one worker gets the job; one whose lease ran out is taken over.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.touched_at = $at
WITH j WHERE (j.state = 'queued' AND j.not_before <= $at)
          OR (j.state = 'running' AND j.lease_until < $at)
SET j.state = 'running', j.lease_until = $lease, j.attempts = j.attempts + 1,
    j.started_at = coalesce(j.started_at, $at)
RETURN j {.*} AS job

// name: renew(id, attempt, at, lease) write optional
// The worker lives. Nothing where another one has taken the job over.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.touched_at = $at
WITH j WHERE j.state = 'running' AND j.attempts = $attempt
SET j.lease_until = $lease
RETURN j.state AS state

// name: progress(id, attempt, at, lease, progress) write optional
// Notes progress and renews the lease; tells whether the job was asked to stop. Nothing where
// another worker has taken the job over.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.touched_at = $at
WITH j WHERE j.state = 'running' AND j.attempts = $attempt
SET j.progress = $progress, j.lease_until = $lease
RETURN coalesce(j.cancel_requested, false) AS cancelled

// name: finish(id, attempt, state, at, not_before, result, items, error, told) write optional
// Nothing where another worker has taken the job over; without an attempt, whoever has it. What the
// job touches beyond its scope is not told to all who see that.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.touched_at = $at
WITH j WHERE $attempt IS NULL OR (j.state = 'running' AND j.attempts = $attempt)
SET j.state = $state, j.not_before = $not_before, j.error = $error, j.lease_until = null,
    j.finished_at = CASE WHEN $state IN ['done', 'dead', 'cancelled'] THEN $at ELSE null END,
    j.result = coalesce($result, j.result), j.items = coalesce($items, j.items)
FOREACH (_ IN CASE WHEN $told IS NULL OR coalesce(j.marks, []) <> [] THEN [] ELSE [1] END |
  MERGE (e:FeedEvent {id: $told.id}) SET e = $told)
RETURN j.state AS state

// name: hand_back(id, attempt, at) write optional
// An attempt that was broken off from outside does not count.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.touched_at = $at
WITH j WHERE j.state = 'running' AND j.attempts = $attempt
SET j.state = 'queued', j.attempts = j.attempts - 1, j.not_before = $at, j.lease_until = null
RETURN j.state AS state

// name: request_cancel(id, tenant, scopes, stops, at, audit, told) write optional
// A queued job ends at once, which is told as any other end; a running one at its next step.
MATCH (j:Job {id: $id, tenant: $tenant})
WHERE j.scope IN $scopes AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)
  AND (coalesce(j.stops, 'writer ' + j.scope) IN $stops OR '*' IN $stops)
SET j.touched_at = $at
WITH j, j.state = 'queued' AS ends WHERE j.state IN ['queued', 'running']
SET j.cancel_requested = true,
    j.finished_at = CASE WHEN ends THEN $at ELSE j.finished_at END,
    j.state = CASE WHEN ends THEN 'cancelled' ELSE j.state END
CREATE (a:AuditEvent)-[:AUDIT]->(j)
SET a = $audit, a.scope = j.scope
FOREACH (_ IN CASE WHEN ends AND $told IS NOT NULL AND coalesce(j.marks, []) = [] THEN [1] ELSE [] END |
  MERGE (e:FeedEvent {id: $told.id})
  SET e = $told, e.scope = j.scope, e.payload = '{"task":"' + j.task + '"}')
RETURN j {.*} AS job

// name: rerun(id, tenant, scopes, stops, at, audit) write optional
// A dead or cancelled job gets its attempts back.
MATCH (j:Job {id: $id, tenant: $tenant})
WHERE j.scope IN $scopes AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)
  AND (coalesce(j.stops, 'writer ' + j.scope) IN $stops OR '*' IN $stops)
  AND j.state IN ['dead', 'cancelled']
SET j.state = 'queued', j.attempts = 0, j.not_before = $at, j.error = null, j.finished_at = null,
    j.cancel_requested = false
CREATE (a:AuditEvent)-[:AUDIT]->(j)
SET a = $audit, a.scope = j.scope
RETURN j {.*} AS job

// name: get(id, scopes) read optional
MATCH (j:Job {id: $id})
WHERE j.scope IN $scopes AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)
RETURN j {.*} AS job

// name: list_jobs(scopes, state, after, limit) read many
// Newest first: ids are in the order of their making.
MATCH (j:Job)
WHERE j.id < $after AND ($state IS NULL OR j.state = $state)
  AND j.scope IN $scopes AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)
RETURN j {.*} AS job ORDER BY j.id DESC LIMIT $limit

// name: due(at, each) read many
// Jobs that should run, of each tenant those that wait longest: a lost queue costs no job.
// unscoped: the worker serves every tenant
MATCH (j:Job)
WHERE j.state IN ['queued', 'running']
WITH j WHERE (j.state = 'queued' AND j.not_before <= $at)
          OR (j.state = 'running' AND j.lease_until < $at)
WITH j ORDER BY j.created_at
WITH j.tenant AS tenant, collect(j)[..$each] AS waiting
UNWIND waiting AS j
RETURN j {.*} AS job ORDER BY j.created_at

// name: unfinished(task) read many
// Jobs that have yet to end.
// unscoped: upkeep of the whole installation
MATCH (j:Job)
WHERE j.state IN ['queued', 'running'] AND j.task = $task
RETURN j.id AS id

// name: count_by_state(scopes) read many
// Those that are shown to some marks, or all: a gauge of the whole installation.
MATCH (j:Job)
WHERE j.state IN ['queued', 'running', 'dead']
  AND ($scopes IS NULL OR (j.scope IN $scopes
    AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)))
RETURN j.state AS state, count(j) AS jobs

// name: open_schedules(rows, at) write none
// Schedules that are seen for the first time: the next due time is their first.
// unscoped: schedules belong to the installation
UNWIND $rows AS row
MERGE (s:Schedule {name: row.name})
ON CREATE SET s.last_due_at = row.due, s.created_at = $at

// name: close_schedule(name, due) write none
// The due time was submitted; written after the job, so that a crash in between submits it again
// under the same job id.
// unscoped: schedules belong to the installation
MATCH (s:Schedule {name: $name})
SET s.last_due_at = $due

// name: schedule_ran(name, at, outcome) write none
// unscoped: schedules belong to the installation
MATCH (s:Schedule {name: $name})
SET s.last_run_at = $at, s.last_outcome = $outcome

// name: list_schedules() read many
// unscoped: schedules belong to the installation
MATCH (s:Schedule)
RETURN s.name AS name, s.last_due_at AS last_due_at, s.last_run_at AS last_run_at,
       s.last_outcome AS last_outcome
ORDER BY s.name

// name: purge(before) batched one
// Jobs that ended well long ago; dead letters stay.
// unscoped: upkeep of the whole installation
MATCH (j:Job) WHERE j.state IN ['done', 'cancelled'] AND j.finished_at < $before
CALL (j) { DETACH DELETE j } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed
