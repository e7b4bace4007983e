// name: mark_due(episodes, at) write none
// Episodes that rules have read for the first time wait for the model from now on; what a client
// stated itself and what was forgotten does not.
// unscoped: episodes that the caller leases
UNWIND $episodes AS id
MATCH (e:Passage {id: id})
WHERE e.model_state IS NULL AND e.assertion IS NULL AND e.expired_at > $at
SET e.model_state = 'due', e.model_due_at = $at, e.model_attempts = 0

// name: ask_again(scope, at, limit) write one
// Every consolidated episode of a scope waits for the model once more; kept answers cost nothing.
MATCH (e:Passage {scope: $scope, consolidation_state: 'consolidated'})
WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z') AND e.assertion IS NULL AND e.expired_at > $at
WITH e LIMIT $limit
SET e.model_state = 'due', e.model_due_at = $at, e.model_attempts = 0
REMOVE e.model_error, e.model_holder
RETURN count(e) AS found

// name: due_scopes(at, limit) read many
// Scopes with something for the model to read, those that wait longest first.
// unscoped: the worker serves every tenant
MATCH (s:Scope)
CALL (s) {
  MATCH (e:Passage {scope: s.path, model_state: 'due'})
  WHERE e.model_due_at <= $at AND e.consolidation_state = 'consolidated'
  RETURN min(e.model_due_at) AS first
}
WITH s, first WHERE first IS NOT NULL
RETURN s.path AS scope, s.tenant AS tenant ORDER BY first LIMIT $limit

// name: take(scope, tenant, usage, day, holder, at, until) write optional
// The next episode of a scope for one holder; it is due again at `until` if nothing comes of it.
// The day's usage is locked first, so that two holders never take the same one.
MERGE (u:ModelUsage {id: $usage})
ON CREATE SET u.scope = $scope, u.tenant = $tenant, u.day = $day, u.tokens = 0, u.asked = 0,
              u.cached = 0, u.failed = 0, u.accepted = 0, u.dropped = 0
SET u.touched_at = $at
WITH u
CALL (u) {
  MATCH (e:Passage {scope: $scope, model_state: 'due'})
  WHERE e.model_due_at <= $at AND e.consolidation_state = 'consolidated'
  RETURN e ORDER BY e.model_due_at, e.id LIMIT 1
}
SET e.model_due_at = $until, e.model_holder = $holder
RETURN e {.id, .scope, .tenant, .content, .captured_at, .speaker, .role, .language, .expired_at,
          .model_attempts, had: COUNT { (e)-[:READ_BY]->(:ModelReading) }} AS episode

// name: reserve(usage, tokens, budget, at) write optional
// Sets tokens of a day's budget aside; no row where they would be more than is left.
// unscoped: the usage of one scope, which `take` made
MATCH (u:ModelUsage {id: $usage})
SET u.touched_at = $at
WITH u WHERE u.tokens + $tokens <= $budget
SET u.tokens = u.tokens + $tokens
RETURN u.tokens AS tokens

// name: reserve_in(scope, tenant, usage, day, tokens, budget, at) write optional
// The same for a question that is about no single episode, and may be the first of the day.
MERGE (u:ModelUsage {id: $usage})
ON CREATE SET u.scope = $scope, u.tenant = $tenant, u.day = $day, u.tokens = 0, u.asked = 0,
              u.cached = 0, u.failed = 0, u.accepted = 0, u.dropped = 0
SET u.touched_at = $at
WITH u WHERE u.scope = $scope AND u.tokens + $tokens <= $budget
SET u.tokens = u.tokens + $tokens
RETURN u.tokens AS tokens

// name: count_usage(usage, tokens, counts) write none
// What a question came to: tokens beside those set aside (mostly given back), and counts.
// unscoped: the usage of one scope, which `take` made
MATCH (u:ModelUsage {id: $usage})
SET u.tokens = u.tokens + $tokens, u.asked = u.asked + $counts.asked,
    u.cached = u.cached + $counts.cached, u.failed = u.failed + $counts.failed,
    u.accepted = u.accepted + $counts.accepted, u.dropped = u.dropped + $counts.dropped

// name: kept_answer(id, scope) read optional
// An answer that was given before to the same question about the same text in this scope.
MATCH (r:ModelReading {id: $id})
WHERE r.scope = $scope
RETURN r.answer AS answer, r.model AS model

// name: keep(episode, scope, holder, reading, merge, at) write optional
// What the model read of an episode, in place of what it read before; `merge` sends the episode
// through consolidation again. An episode that another pass holds keeps the answer and stays due.
MATCH (e:Passage {id: $episode, scope: $scope})
SET e.model_holder = e.model_holder
WITH e WHERE e.expired_at > $at
MERGE (r:ModelReading {id: $reading.id})
ON CREATE SET r = $reading
WITH e, r
CALL (e, r) {
  MATCH (e)-[old:READ_BY]->(o:ModelReading)
  WHERE o.id <> r.id
  DELETE old
  WITH DISTINCT o
  WHERE NOT EXISTS { (:Passage)-[:READ_BY]->(o) }
  DETACH DELETE o
}
MERGE (e)-[:READ_BY]->(r)
WITH e, e.model_holder = $holder AND e.model_state = 'due' AND e.consolidation_state = 'consolidated' AS ours
SET e.model_state = CASE WHEN ours THEN 'read' ELSE e.model_state END,
    e.consolidation_state = CASE WHEN ours AND $merge THEN 'raw' ELSE e.consolidation_state END,
    e.model_due_at = CASE WHEN ours THEN null WHEN e.model_holder = $holder THEN $at ELSE e.model_due_at END,
    e.model_error = CASE WHEN ours THEN null ELSE e.model_error END,
    e.model_holder = CASE WHEN e.model_holder = $holder THEN null ELSE e.model_holder END
RETURN ours AS read

// name: postpone(episode, scope, holder, state, attempts, reason, due_at) write none
// Nothing came of it: the episode waits for another try, or for a person, with the reason.
MATCH (e:Passage {id: $episode, scope: $scope})
WHERE e.model_holder = $holder
SET e.model_state = $state, e.model_attempts = $attempts, e.model_error = $reason, e.model_due_at = $due_at
REMOVE e.model_holder

// name: status(scopes, day) read many
// What the model has yet to read in each scope, and what it was asked on a day.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (e:Passage {scope: scope})
  WHERE e.model_state IN ['due', 'failed', 'skipped']
    AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
  RETURN sum(CASE e.model_state WHEN 'due' THEN 1 ELSE 0 END) AS due,
         sum(CASE e.model_state WHEN 'failed' THEN 1 ELSE 0 END) AS failed,
         sum(CASE e.model_state WHEN 'skipped' THEN 1 ELSE 0 END) AS skipped,
         sum(CASE WHEN e.model_error = 'budget' THEN 1 ELSE 0 END) AS waiting
}
OPTIONAL MATCH (u:ModelUsage {day: $day, scope: scope})
RETURN scope, due, failed, skipped, waiting, u {.tokens, .asked, .cached, .accepted, .dropped} AS usage,
       coalesce(u.failed, 0) AS failures

// name: troubles(scopes, limit) read many
// Episodes that the model could not be asked about, with the reason.
UNWIND $scopes AS scope
MATCH (e:Passage {scope: scope})
WHERE e.model_state IN ['due', 'failed', 'skipped'] AND e.model_error IS NOT NULL
  AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
RETURN e.id AS id, scope, e.model_state AS state, e.model_attempts AS attempts, e.model_error AS reason,
       e.model_due_at AS due_at
ORDER BY id LIMIT $limit

// name: backlog(day) read one
// unscoped: a gauge of the whole installation
MATCH (s:Scope)
CALL (s) {
  MATCH (e:Passage {scope: s.path, model_state: 'due'})
  WHERE e.model_due_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS due
}
CALL (s) {
  MATCH (e:Passage {scope: s.path})
  WHERE e.model_state IN ['failed', 'skipped'] AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS failed
}
WITH sum(due) AS due, sum(failed) AS failed
OPTIONAL MATCH (u:ModelUsage {day: $day})
RETURN due, failed, coalesce(sum(u.tokens), 0) AS tokens, coalesce(sum(u.accepted), 0) AS accepted,
       coalesce(sum(u.dropped), 0) AS dropped

// name: expire_usage(before) write one
// Days that nobody asks about any more.
// unscoped: upkeep of the whole installation
MATCH (u:ModelUsage)
WHERE u.day < $before
DELETE u
RETURN count(u) AS removed

// name: drop_readings(episodes) write one
// What a model read of texts that go, save what was read of the same text elsewhere in the scope.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $episodes AS id
MATCH (:Passage {id: id})-[:READ_BY]->(r:ModelReading)
WITH DISTINCT r
WHERE NOT EXISTS { MATCH (o:Passage)-[:READ_BY]->(r) WHERE NOT o.id IN $episodes }
DETACH DELETE r
RETURN count(*) AS readings
