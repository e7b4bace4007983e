// name: find(ids, kind, scopes) read many
// Declared nodes of one kind by id.
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WHERE n.kind = $kind AND n.scope IN $scopes
RETURN n {.*} AS value

// name: lock(ids, kind, scopes, at) write many
// The same for writing: whoever comes second reads what the first one wrote,
// and nothing where that one has deleted it.
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WHERE n.kind = $kind AND n.scope IN $scopes
SET n.touched_at = $at
WITH id, n WHERE n.id = id
RETURN n {.*} AS value

// name: lock_scope(scope, at) write optional
// A scope for something new in it: it is not deleted meanwhile, and nobody else adds to it.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN s.path AS path

// name: tell(events) write none
// Audit events about goals, escalations, observations and suggestions.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event

// name: goals(scopes, state, owner, priority, parent, idle, after, limit) read many
// Goals of some scopes, by id.
MATCH (n:Goal)
WHERE n.scope IN $scopes AND n.id > $after
  AND ($state IS NULL OR n.state = $state) AND ($owner IS NULL OR n.owner = $owner)
  AND ($priority IS NULL OR n.priority = $priority)
  AND ($parent IS NULL OR n.parent_id = $parent) AND ($idle IS NULL OR n.idle_since <= $idle)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS goal ORDER BY n.id

// name: idle_goals(scopes, before, after, limit) read many
// Active goals of some scopes, or of all, without progress since a moment, by id.
MATCH (n:Goal)
WHERE n.idle_since <= $before AND n.id > $after AND ($scopes IS NULL OR n.scope IN $scopes)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS goal ORDER BY n.id

// name: lock_linked(id, scopes, at) write optional
// A work item or memory for a link to it: an erasure waits for the link, and takes it too.
CALL () {
  MATCH (n:WorkItem {id: $id}) RETURN n, 'work_item' AS kind
  UNION
  MATCH (n:Passage {id: $id}) WHERE n:Episode RETURN n, 'episode' AS kind
  UNION
  MATCH (n:Note {id: $id}) RETURN n, 'note' AS kind
  UNION
  MATCH (n:Fact {id: $id}) RETURN n, 'fact' AS kind
  UNION
  MATCH (n:Page {id: $id}) RETURN n, 'page' AS kind
}
WITH n, kind
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n, kind WHERE n.id IS NOT NULL
RETURN n.id AS id, kind, n.scope AS scope

// name: links(id, scope, scopes) read many
// Links of a goal to what is there and visible.
MATCH (l:GoalLink)
WHERE l.whole = $id AND l.scope = $scope AND l.id > ''
CALL (l) {
  MATCH (n:WorkItem {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Passage {id: l.refers}) WHERE n:Episode RETURN n.scope AS place
  UNION
  MATCH (n:Note {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Fact {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Page {id: l.refers}) RETURN n.scope AS place
}
WITH l, place
WHERE place IN $scopes
RETURN l {.*} AS link ORDER BY l.linked_at, l.id

// name: escalations(scopes, state, resolver, level, before, after, limit) read many
// Escalations of some scopes, by id.
MATCH (n:Escalation)
WHERE n.scope IN $scopes AND n.id > $after
  AND ($state IS NULL OR n.state = $state) AND ($resolver IS NULL OR n.resolver = $resolver)
  AND ($level IS NULL OR n.level >= $level) AND ($before IS NULL OR n.due_at <= $before)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS escalation ORDER BY n.id

// name: overdue(scopes, at, after, limit) read many
// Escalations of some scopes, or of all, whose level is to be raised by now, by id.
MATCH (n:Escalation)
WHERE n.pending_at <= $at AND n.id > $after AND ($scopes IS NULL OR n.scope IN $scopes)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS escalation ORDER BY n.id

// name: observations(scopes, sensor, processed, at, after, limit) read many
// Observations of some scopes that have not expired, by id.
MATCH (n:Observation)
WHERE n.scope IN $scopes AND n.id > $after AND n.expires_at > $at
  AND ($sensor IS NULL OR n.sensor = $sensor)
  AND ($processed IS NULL OR $processed = (n.processed_at IS NOT NULL))
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS observation ORDER BY n.id

// name: count_observations(scope) read one
// How many observations a scope has.
MATCH (n:Observation)
WHERE n.scope = $scope AND n.id > ''
RETURN count(n) AS observations

// name: spent(scopes, at, before, after, limit) read many
// Observations of some scopes, or of all, that have expired or were processed before a moment, by
// id.
CALL () {
  MATCH (n:Observation) WHERE n.expires_at <= $at RETURN n
  UNION
  MATCH (n:Observation) WHERE n.processed_at <= $before RETURN n
}
WITH n
WHERE n.id > $after AND ($scopes IS NULL OR n.scope IN $scopes)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS observation ORDER BY n.id

// name: last_sensed(scope, sensors) read many
// The last observation of each of Loci's own sensors in a scope.
UNWIND $sensors AS sensor
MATCH (n:Observation)
WHERE n.scope = $scope AND n.sensor = sensor AND n.number > 0
WITH sensor, n ORDER BY n.number DESC
WITH sensor, head(collect(n)) AS n
RETURN n {.*} AS observation

// name: sense(scope, at, idle) read many
// What waits in a scope for somebody: how many of each.
RETURN
  COUNT {
    MATCH (f:Fact)
    WHERE f.scope = $scope AND f.status = 'quarantined' AND f.expired_at > $at
      AND EXISTS { (f)-[a:ABOUT]->(:Entity) WHERE a.retracted_at > $at
                   AND a.standing = 'quarantined' AND a.reason <> 'rejected' }
  } AS facts,
  COUNT {
    MATCH (n:Note) WHERE n.scope = $scope AND n.standing = 'quarantined' AND n.expired_at > $at
  } AS notes,
  COUNT {
    MATCH (f:Fact) WHERE f.scope = $scope AND f.may_change = true AND f.id > ''
      AND f.expired_at > $at
  } AS changes,
  COUNT { MATCH (g:Goal) WHERE g.scope = $scope AND g.idle_since <= $idle } AS goals,
  COUNT { MATCH (e:Escalation) WHERE e.scope = $scope AND e.state <> 'resolved' AND e.id > ''
            AND e.due_at <= $at } AS escalations,
  COUNT {
    MATCH (j:Job) WHERE j.state = 'dead' AND j.scope = $scope AND size(coalesce(j.marks, [])) = 0
  } AS jobs

// name: decided(scope, since, until) read many
// How reviews of a scope were decided within some time, by what was reviewed; what was taken back
// and what a rule decided does not count.
CALL () {
  MATCH (v:Review)
  WHERE v.scope = $scope AND $since < v.at AND v.at <= $until AND v.undone_at IS NULL
    AND v.other IS NULL AND v.verdict IN ['accept', 'reject']
  RETURN 'quarantine' AS subject, v.verdict = 'accept' AS yes
  UNION ALL
  MATCH (v:Review)
  WHERE v.scope = $scope AND $since < v.at AND v.at <= $until AND v.undone_at IS NULL
    AND v.verdict IN ['changed', 'both']
  RETURN 'possible_change' AS subject, v.verdict = 'changed' AS yes
  UNION ALL
  MATCH (m:MergeRecord)
  WHERE m.scope = $scope AND $since < m.decided_at AND m.decided_at <= $until
    AND m.rule IS NULL AND m.decided_by IS NOT NULL AND m.status IN ['accepted', 'rejected']
  RETURN 'merge' AS subject, m.status = 'accepted' AS yes
  UNION ALL
  MATCH (p:SkillProposal)
  WHERE p.scope = $scope AND $since < p.decided_at AND p.decided_at <= $until
    AND p.status IN ['approved', 'created', 'rejected']
  RETURN 'skill_proposal' AS subject, p.status <> 'rejected' AS yes
}
RETURN subject, count(CASE WHEN yes THEN 1 END) AS accepted,
       count(CASE WHEN NOT yes THEN 1 END) AS rejected
ORDER BY subject

// name: interventions(scopes, state, subject, after, limit) read many
// Suggestions of some scopes, by id.
MATCH (n:InterventionPolicy)
WHERE n.scope IN $scopes AND n.id > $after
  AND ($state IS NULL OR n.state = $state) AND ($subject IS NULL OR n.subject = $subject)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS suggestion ORDER BY n.id

// name: standing_suggestions(scope, since) read many
// Suggestions of a scope that wait for a decision, or had one since a moment.
MATCH (n:InterventionPolicy)
WHERE n.scope = $scope AND n.id > '' AND (n.state = 'open' OR n.decided_at > $since)
RETURN n {.*} AS suggestion ORDER BY n.id
