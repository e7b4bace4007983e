// name: lost(scope, at, most, reason) write one
// Episodes whose holder was not heard of again count one more attempt: they wait for the next, and
// after the last for a person. The cursor is locked first, so that no two count the same.
OPTIONAL MATCH (c:ConsolidationCursor {scope: $scope})
SET c.touched_at = $at
WITH c
CALL (c) {
  WITH c WHERE coalesce(c.lease_until, $at) <= $at
  MATCH (e:Passage {scope: $scope, consolidation_state: 'in_progress'})
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z') AND e.lease_until <= $at
  SET e.attempts = coalesce(e.attempts, 0) + 1, e.consolidation_error = $reason
  SET e.consolidation_state = CASE WHEN e.attempts >= $most THEN 'failed' ELSE 'raw' END
  REMOVE e.lease_until, e.leased_by
  RETURN sum(CASE e.consolidation_state WHEN 'failed' THEN 1 ELSE 0 END) AS failed
}
RETURN failed

// name: lease(scope, tenant, holder, at, until, limit) write many
// The next episodes of a scope that are due, for one holder at a time: the cursor is locked first.
// One that was tried before is taken alone, so that a text which ends its worker ends no others.
MERGE (c:ConsolidationCursor {scope: $scope})
ON CREATE SET c.tenant = $tenant, c.consolidated = 0, c.failed = 0, c.facts = 0, c.created_at = $at,
              c.lease_until = datetime('0001-01-02T00:00:00Z'), c.holder = ''
SET c.touched_at = $at, c.tenant = $tenant, c.created_at = coalesce(c.created_at, $at)
WITH c WHERE coalesce(c.lease_until, $at) <= $at OR c.holder = $holder // made by the fast path
SET c.holder = $holder, c.lease_until = $until
WITH c
CALL () { // in the order of the index, so that what waits is not read as a whole
  MATCH (e:Passage {scope: $scope, consolidation_state: 'raw'})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
  RETURN e ORDER BY e.consolidation_state, e.scope, e.ingested_at LIMIT $limit
}
WITH e ORDER BY e.ingested_at, e.id
WITH collect(e) AS due
UNWIND CASE WHEN coalesce(due[0].attempts, 0) > 0 THEN due[..1]
            ELSE [d IN due WHERE coalesce(d.attempts, 0) = 0] END AS e
SET e.consolidation_state = 'in_progress', e.lease_until = $until, e.leased_by = $holder
RETURN e {seen: e.lone IS NOT NULL OR EXISTS { (e)-[:MENTIONS|SUPPORTS]->() },
          .id, .scope, .tenant, .content, .title, .captured_at, .ingested_at, .speaker, .role, .language, .author, .origin, .work,
          .trust, .session, .expired_at, .attempts, .assertion,
          .link_targets, .lone,
          proposals: [(e)-[x:READ_BY]->(r:ModelReading) WHERE NOT coalesce(x.beside, false) |
                      r {.model, .answer, turn: x.turn}]} AS episode

// name: lease_episodes(ids, scope, holder, at, until) write many
// The same for given episodes, which the caller wants now.
UNWIND $ids AS id
MATCH (e:Passage {id: id, scope: $scope})
WHERE e.consolidation_state IN ['raw', 'failed', 'consolidated'] OR e.lease_until <= $at OR e.leased_by = $holder
SET e.consolidation_state = 'in_progress', e.lease_until = $until, e.leased_by = $holder
RETURN e {seen: e.lone IS NOT NULL OR EXISTS { (e)-[:MENTIONS|SUPPORTS]->() },
          .id, .scope, .tenant, .content, .title, .captured_at, .ingested_at, .speaker, .role, .language, .author, .origin, .work,
          .trust, .session, .expired_at, .attempts, .assertion,
          .link_targets, .lone,
          proposals: [(e)-[x:READ_BY]->(r:ModelReading) WHERE NOT coalesce(x.beside, false) |
                      r {.model, .answer, turn: x.turn}]} AS episode

// name: complete(ids, scope, holder, at, facts) write one
// Marks episodes as consolidated in the transaction that wrote what they yield; fewer rows than ids
// mean that the lease was lost.
MERGE (c:ConsolidationCursor {scope: $scope})
ON CREATE SET c.created_at = $at
SET c.touched_at = $at
WITH c
CALL () {
  UNWIND $ids AS id
  MATCH (e:Passage {id: id, scope: $scope})
  WHERE e.consolidation_state = 'in_progress' AND e.leased_by = $holder
  SET e.consolidation_state = 'consolidated', e.consolidated_at = $at
  REMOVE e.lease_until, e.leased_by, e.consolidation_error, e.attempts
  RETURN count(e) AS done, max(e.ingested_at) AS reached
}
SET c.consolidated = coalesce(c.consolidated, 0) + done, c.facts = coalesce(c.facts, 0) + $facts,
    c.reached_at = CASE WHEN c.reached_at IS NULL OR reached > c.reached_at THEN reached ELSE c.reached_at END,
    c.last_run_at = $at
RETURN done

// name: fail(id, scope, reason, most) write one
// One episode that could not be read: it waits for another attempt, and after the last for a person.
MATCH (e:Passage {id: $id, scope: $scope})
SET e.attempts = coalesce(e.attempts, 0) + 1, e.consolidation_error = $reason
SET e.consolidation_state = CASE WHEN e.attempts >= $most THEN 'failed' ELSE 'raw' END
REMOVE e.lease_until, e.leased_by
RETURN e.attempts AS attempts, e.consolidation_state AS state

// name: release(scope, holder) write none
// Lets the next holder begin.
MATCH (c:ConsolidationCursor {scope: $scope})
WHERE c.holder = $holder
SET c.lease_until = datetime('0001-01-02T00:00:00Z'), c.holder = ''

// name: renew(ids, scope, holder, until) write none
// A holder goes on: the scope's lease, where it has one, and that of its episodes.
OPTIONAL MATCH (c:ConsolidationCursor {scope: $scope})
WHERE c.holder = $holder
SET c.lease_until = $until
WITH count(c) AS cursors
UNWIND $ids AS id
MATCH (e:Passage {id: id, scope: $scope})
WHERE e.leased_by = $holder
SET e.lease_until = $until

// name: hand_back(scope, holder) write none
// Episodes that a holder has taken and not read wait again; it counts as no attempt.
MATCH (e:Passage {scope: $scope, consolidation_state: 'in_progress'})
WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z') AND e.leased_by = $holder
SET e.consolidation_state = 'raw'
REMOVE e.lease_until, e.leased_by

// name: waiting(spans, page) read many
// Scopes with passages in a state: those of the first so many of each span, in order, and whether
// the span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (e:Passage {consolidation_state: span.state})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.scope >= span.low AND e.scope < span.high
    AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  WITH e.scope AS key ORDER BY e.consolidation_state, e.scope LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: due_scopes(scopes, each) read many
// Which of some scopes, and of those with names of an older version to look through, have something
// to consolidate and nobody who works on it, of each tenant those that wait longest.
// unscoped: the worker serves every tenant
CALL () {
  UNWIND $scopes AS path
  RETURN path
  UNION
  MATCH (k:ConsolidationCursor)
  USING INDEX SEEK k:ConsolidationCursor(thin, scope)
  WHERE k.thin >= '' AND k.scope > ''
  RETURN k.scope AS path
}
MATCH (s:Scope {path: path})
CALL (s) {
  MATCH (e:Passage {scope: s.path, consolidation_state: 'raw'})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
  RETURN min(e.ingested_at) AS first
  UNION
  MATCH (e:Passage {scope: s.path, consolidation_state: 'in_progress'})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z') AND e.lease_until <= datetime.realtime()
  RETURN min(e.ingested_at) AS first
  UNION
  MATCH (k:ConsolidationCursor {scope: s.path})
  RETURN CASE WHEN k.thin IS NOT NULL THEN coalesce(k.created_at, k.touched_at) END AS first
}
WITH s, min(first) AS oldest
WHERE oldest IS NOT NULL
OPTIONAL MATCH (c:ConsolidationCursor {scope: s.path})
WITH s, c, oldest WHERE coalesce(c.holder, '') = '' OR c.lease_until <= datetime.realtime()
WITH s ORDER BY oldest
WITH s.tenant AS tenant, collect(s.path)[..$each] AS waiting
UNWIND waiting AS scope
RETURN scope, tenant

// name: status(scopes) read many
// How far each scope is.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (e:Passage {scope: scope})
  WHERE e.consolidation_state IN ['raw', 'in_progress', 'failed'] AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  RETURN sum(CASE e.consolidation_state WHEN 'raw' THEN 1 ELSE 0 END) AS raw,
         sum(CASE e.consolidation_state WHEN 'in_progress' THEN 1 ELSE 0 END) AS in_progress,
         sum(CASE e.consolidation_state WHEN 'failed' THEN 1 ELSE 0 END) AS failed,
         min(CASE e.consolidation_state WHEN 'raw' THEN e.ingested_at END) AS oldest
}
OPTIONAL MATCH (c:ConsolidationCursor {scope: scope})
RETURN scope, raw, in_progress, failed, oldest, coalesce(c.consolidated, 0) AS consolidated,
       coalesce(c.facts, 0) AS facts, c.reached_at AS reached_at, c.last_run_at AS last_run_at,
       CASE WHEN c.holder = c.restored_by AND c.lease_until > datetime.realtime()
            THEN {run: c.restored_by, until: c.lease_until} END AS restoring

// name: failures(scopes, limit) read many
// Episodes that could not be read, with the reason.
UNWIND $scopes AS scope
MATCH (e:Passage {scope: scope, consolidation_state: 'failed'})
WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
RETURN e.id AS id, scope, e.attempts AS attempts, e.consolidation_error AS reason LIMIT $limit

// name: reset(scope, states, limit) write one
// Takes episodes up again: failed ones, or all for a second pass.
UNWIND $states AS state
MATCH (e:Passage {scope: $scope, consolidation_state: state})
WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
WITH e LIMIT $limit
SET e.consolidation_state = 'raw', e.attempts = 0
RETURN count(e) AS found

// name: backlog() read one
// unscoped: a gauge of the whole installation
CALL () {
  MATCH (e:Passage {consolidation_state: 'raw'})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.scope > '' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS raw
}
CALL () {
  MATCH (e:Passage {consolidation_state: 'failed'})
  USING INDEX SEEK e:Passage(consolidation_state, scope, ingested_at)
  WHERE e.scope > '' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  RETURN count(e) AS failed
}
RETURN raw, failed

// name: facts_of(episode, scopes) read many
// The facts that an episode supports.
MATCH (e:Passage {id: $episode})-[:SUPPORTS]->(f:Fact)
WHERE e.scope IN $scopes AND f.scope = e.scope
RETURN DISTINCT f.id AS id ORDER BY id
