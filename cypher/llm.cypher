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

// name: waiting(spans, page) read many
// Scopes with passages in a state on their way to the model: those of the first so many of each
// span, in order, and whether the span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (e:Passage {model_state: span.state})
  USING INDEX SEEK e:Passage(model_state, scope, model_due_at)
  WHERE e.scope >= span.low AND e.scope < span.high
    AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
  WITH e.scope AS key ORDER BY e.model_state, e.scope LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: due_scopes(scopes, at, each) read many
// Which of some scopes have something for the model to read by now, of each tenant those that wait
// longest.
// unscoped: the worker serves every tenant
UNWIND $scopes AS path
MATCH (s:Scope {path: path})
CALL (s) {
  MATCH (e:Passage {scope: s.path, model_state: 'due'})
  WHERE e.model_due_at <= $at AND e.consolidation_state = 'consolidated'
  RETURN min(e.model_due_at) AS first
}
WITH s, first WHERE first IS NOT NULL
WITH s ORDER BY first
WITH s.tenant AS tenant, collect(s.path)[..$each] AS waiting
UNWIND waiting AS scope
RETURN scope, tenant

// name: take(scope, tenant, usage, day, holder, at, settled, until, most) write many
// The next turns of a scope for one holder: what is due of the session that waits longest, in the
// order of the session, at most `most`; they are due again at `until` if nothing comes of it. It must
// have been due at the moment `settled`, so that what is said soon after it is read with it. What is
// no turn of a session is taken alone, and so is what was tried before, so that a text which spoils
// every answer spoils no other's. The day's usage is locked first, so that no two holders take one.
MERGE (u:ModelUsage {id: $usage})
ON CREATE SET u.scope = $scope, u.tenant = $tenant, u.day = $day, u.tokens = 0, u.asked = 0,
              u.cached = 0, u.failed = 0, u.accepted = 0, u.dropped = 0
SET u.touched_at = $at
WITH u
CALL (u) {
  MATCH (e:Passage {scope: $scope, model_state: 'due'})
  WHERE e.model_due_at <= $settled AND e.consolidation_state = 'consolidated'
  RETURN e AS first ORDER BY e.model_due_at, e.id LIMIT 1
}
CALL (first) {
  WITH first WHERE NOT first:Episode OR coalesce(first.model_attempts, 0) > 1
  RETURN first AS e
  UNION
  WITH first WHERE first:Episode AND coalesce(first.model_attempts, 0) <= 1
  MATCH (e:Episode {session: first.session})
  WHERE e.scope = $scope AND e.captured_at IS NOT NULL AND e.model_state = 'due'
    AND e.model_due_at <= $at AND e.consolidation_state = 'consolidated'
    AND coalesce(e.model_attempts, 0) <= 1
  RETURN e ORDER BY e.captured_at, e.ingested_at, e.id LIMIT $most
}
SET e.model_due_at = $until, e.model_holder = $holder
RETURN e {.id, .scope, .tenant, .content, .captured_at, .ingested_at, .speaker, .role, .language,
          .expired_at, .session, .model_attempts, turn: e:Episode,
          had: COUNT { (e)-[b:READ_BY]->(:ModelReading) WHERE NOT coalesce(b.beside, false) }} AS episode
ORDER BY episode.captured_at, episode.ingested_at, episode.id

// name: before(session, scope, captured_at, ingested_at, id, limit) read many
// The turns of a session before one, the last first, as far as they are still there.
MATCH (p:Episode {session: $session})
WHERE p.captured_at <= $captured_at AND p.scope = $scope AND p.live AND CASE
  WHEN p.captured_at < $captured_at THEN true
  WHEN p.ingested_at <> $ingested_at THEN p.ingested_at < $ingested_at
  ELSE p.id < $id END
WITH p ORDER BY p.session DESC, p.captured_at DESC, p.ingested_at DESC, p.id DESC LIMIT $limit
RETURN p {.id, .content, .captured_at, .speaker, .role, .session} AS episode

// name: held_facts(episodes, scope, at, limit) read many
// What is held of the things that some turns mention, the newest first.
UNWIND $episodes AS id
MATCH (e:Passage {id: id})-[:MENTIONS]->(m:Entity)
WHERE e.scope = $scope
WITH DISTINCT m LIMIT 64
MATCH (f:Fact {subject: m.id})
WHERE f.scope = $scope AND f.status = 'active' AND f.expired_at > $at
WITH DISTINCT f ORDER BY f.captured_key DESC, f.id LIMIT $limit
RETURN f.id AS id, f.statement AS text

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
RETURN r.answer AS answer, r.model AS model, r.held AS held

// name: keep(turns, beside, scope, holder, reading, merge, at) write many
// What the model read of some turns, in place of what it read of them before; `merge` sends those
// named in it through consolidation again. Of a turn that another pass holds the answer is kept and
// the turn stays due; one that was forgotten meanwhile is left out. `beside` are turns, memories and
// facts that were shown with them: the answer may quote them, and leaves with any of them.
UNWIND $turns AS turn
MATCH (e:Passage {id: turn.id, scope: $scope})
SET e.model_holder = e.model_holder
WITH e, turn WHERE e.expired_at > $at
MERGE (r:ModelReading {id: $reading.id})
ON CREATE SET r = $reading
WITH e, turn, r
CALL (e, r) {
  MATCH (e)-[old:READ_BY]->(o:ModelReading)
  WHERE o.id <> r.id AND NOT coalesce(old.beside, false)
  DELETE old
  WITH DISTINCT o
  WHERE NOT EXISTS { MATCH (:Passage)-[b:READ_BY]->(o) WHERE NOT coalesce(b.beside, false) }
  DETACH DELETE o
}
MERGE (e)-[b:READ_BY]->(r)
SET b.turn = turn.label, b.beside = false
WITH e, r, e.model_holder = $holder AND e.model_state = 'due' AND e.consolidation_state = 'consolidated' AS ours
SET e.model_state = CASE WHEN ours THEN 'read' ELSE e.model_state END,
    e.consolidation_state = CASE WHEN ours AND e.id IN $merge THEN 'raw' ELSE e.consolidation_state END,
    e.model_due_at = CASE WHEN ours THEN null WHEN e.model_holder = $holder THEN $at ELSE e.model_due_at END,
    e.model_error = CASE WHEN ours THEN null ELSE e.model_error END,
    e.model_holder = CASE WHEN e.model_holder = $holder THEN null ELSE e.model_holder END
WITH r, collect([e.id, ours]) AS told
CALL (r) {
  UNWIND $beside AS shown
  CALL (shown) {
    MATCH (p:Passage {id: shown.id, scope: $scope}) RETURN p AS n
    UNION
    MATCH (m:Note {id: shown.id}) WHERE m.scope = $scope RETURN m AS n
    UNION
    MATCH (f:Fact {id: shown.id}) WHERE f.scope = $scope RETURN f AS n
  }
  MERGE (n)-[b:READ_BY]->(r)
  ON CREATE SET b.turn = shown.label, b.beside = true
  RETURN count(*) AS linked
}
UNWIND told AS one
RETURN one[0] AS id, one[1] AS read

// name: postpone(episodes, scope, holder, state, attempts, reason, due_at) write none
// Nothing came of it: the turns wait for another try, or for a person, with the reason.
UNWIND $episodes AS id
MATCH (e:Passage {id: id, scope: $scope})
WHERE e.model_holder = $holder
SET e.model_state = $state, e.model_attempts = $attempts, e.model_error = $reason, e.model_due_at = $due_at
REMOVE e.model_holder

// name: hand_back(episodes, scope, holder, at) write none
// Turns that are due at once for the next window.
UNWIND $episodes AS id
MATCH (e:Passage {id: id, scope: $scope})
WHERE e.model_holder = $holder
SET e.model_due_at = $at
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
CALL () {
  MATCH (e:Passage {model_state: 'due'})
  USING INDEX SEEK e:Passage(model_state, scope, model_due_at)
  WHERE e.scope > '' AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS due
}
CALL () {
  UNWIND ['failed', 'skipped'] AS state
  MATCH (e:Passage {model_state: state})
  USING INDEX SEEK e:Passage(model_state, scope, model_due_at)
  WHERE e.scope > '' AND e.model_due_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS failed
}
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

// name: drop_readings(episodes, facts, notes, at) write one
// What a model answered leaves with anything that it had before it, since it may quote that. What
// else it had read then, and what else a memory that goes rests on, waits for it anew.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $episodes AS id
  MATCH (n:Passage {id: id}) RETURN n
  UNION
  UNWIND $facts AS id
  MATCH (n:Fact {id: id}) RETURN n
  UNION
  UNWIND $notes AS id
  MATCH (n:Note {id: id}) RETURN n
}
OPTIONAL MATCH (n)-[:READ_BY]->(r:ModelReading)
OPTIONAL MATCH (n)-[:DERIVED_FROM]->(p:Passage)
WHERE n.namespace = 'memories'
WITH collect(DISTINCT r) AS gone, collect(DISTINCT p) AS rest
CALL (gone) {
  UNWIND gone AS r
  MATCH (o:Passage)-[b:READ_BY]->(r)
  WHERE NOT coalesce(b.beside, false)
  RETURN collect(DISTINCT o) AS read
}
CALL (read, rest) {
  UNWIND read + rest AS o
  WITH DISTINCT o WHERE NOT o.id IN $episodes AND o.model_state = 'read'
  SET o.model_state = 'due', o.model_due_at = $at, o.model_attempts = 0
  RETURN count(*) AS again
}
CALL (gone) {
  UNWIND gone AS r
  DETACH DELETE r
  RETURN count(*) AS readings
}
RETURN readings
