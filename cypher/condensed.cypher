// name: every_scope() read many
// Scopes that were consolidated.
// unscoped: the worker serves every tenant
MATCH (c:ConsolidationCursor)
WHERE c.scope > ''
RETURN c.scope AS scope

// name: due(scopes) read many
// Of some scopes those in which entities were written since the last pass.
// unscoped: the worker serves every tenant
UNWIND $scopes AS path
MATCH (c:ConsolidationCursor {scope: path})
CALL (c) {
  MATCH (e:Entity {scope: c.scope})
  WHERE e.touched_at > coalesce(c.condensed_at, datetime('0001-01-02T00:00:00Z'))
  RETURN true AS found LIMIT 1
}
RETURN c.scope AS scope, split(c.scope, '/')[0] AS tenant ORDER BY scope

// name: cursor(scope) read optional
// How far the pass over a scope is.
MATCH (c:ConsolidationCursor {scope: $scope})
RETURN c.condensed_at AS condensed_at, coalesce(c.condense_all, false) AS condense_all

// name: set_cursor(scope, at, all) write none
// The pass has come so far; `all` leaves word that what was passed over is to be looked at.
MATCH (c:ConsolidationCursor {scope: $scope})
SET c.condensed_at = $at, c.condense_all = $all

// name: touched(scope, since, limit, fewest) read many
// Roots of the entities that were written next after a moment, and the moment that this reaches:
// what was written at one moment is taken together. `due` are those whose facts may make a note
// (`fewest`, of whatever standing), or that have one. The indexes are named since a plan that was made
// while the store was nearly empty scanned every entity for each root: half a minute for one text.
CALL () {
  MATCH (e:Entity {scope: $scope})
  WHERE e.touched_at > $since
  WITH e.touched_at AS at ORDER BY at LIMIT $limit
  RETURN max(at) AS reached
}
MATCH (e:Entity {scope: $scope})
WHERE e.touched_at > $since AND e.touched_at <= reached
WITH e.root AS root, collect(e.id) AS members, max(reached) AS reached
RETURN root, members, reached,
       COUNT {
         MATCH (m:Entity {root: root}) USING INDEX m:Entity(root)
         WHERE m.scope = $scope
         MATCH (f:Fact {subject: m.id}) USING INDEX f:Fact(subject)
         RETURN f LIMIT $fewest
       } = $fewest
       OR EXISTS {
         UNWIND members + root AS subject
         MATCH (n:Note {subject: subject})
         WHERE n.scope = $scope AND n.namespace = 'derived'
       } AS due
ORDER BY root

// name: every(scope, after, limit, fewest) read many
// Every root of a scope, in the order of their ids; `due` as above.
MATCH (e:Entity {scope: $scope})
WHERE e.id > $after
WITH e ORDER BY e.scope, e.id LIMIT $limit
WITH e.id AS id, e.root AS root
RETURN id, root,
       COUNT {
         MATCH (m:Entity {root: root}) USING INDEX m:Entity(root)
         WHERE m.scope = $scope
         MATCH (f:Fact {subject: m.id}) USING INDEX f:Fact(subject)
         RETURN f LIMIT $fewest
       } = $fewest
       OR EXISTS {
         UNWIND [id, root] AS subject
         MATCH (n:Note {subject: subject})
         WHERE n.scope = $scope AND n.namespace = 'derived'
       } AS due
ORDER BY id

// name: lock(roots, scope) write many
// Locks clusters of entities as belief and erasure do, and changes nothing of them.
UNWIND $roots AS root
MATCH (e:Entity {root: root})
WHERE e.scope = $scope
WITH DISTINCT e ORDER BY e.id
SET e.root = e.root
RETURN e.id AS id, e.root AS root

// name: material(roots, scope, at, limit) read many
// What is held of clusters now, with the interval that covers the moment.
UNWIND $roots AS root
CALL (root) {
  MATCH (m:Entity {root: root})
  WHERE m.scope = $scope
  MATCH (f:Fact {subject: m.id})
  WHERE f.status = 'active' AND f.expired_at > $at
  WITH f ORDER BY f.id LIMIT $limit
  MATCH (f)-[a:ABOUT]->(:Entity)
  WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
    AND a.valid_from <= $at < a.valid_to
  RETURN f, max(a.valid_from) AS valid_from, min(a.valid_to) AS valid_to
}
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN root, o.root AS object, valid_from, valid_to,
       f {.id, .statement, .language, .predicate, .confidence, .trust} AS fact
ORDER BY root, f.id

// name: stored(subjects, scope) read many
// The notes about entities by cluster: those that are held, and the number of the last.
UNWIND $subjects AS subject
MATCH (n:Note {subject: subject})
WHERE n.scope = $scope AND n.namespace = 'derived'
WITH subject, n.cluster AS cluster, n ORDER BY n.id
RETURN subject, cluster, max(n.version) AS version,
       [m IN collect(n {.id, .content, .standing}) WHERE m.standing = 'held' | [m.id, m.content]] AS held
ORDER BY subject, cluster

// name: create(rows, scope) write none
// Notes with their facts and audit events.
UNWIND $rows AS row
MERGE (n:Note {id: row.id})
SET n = row.properties, n.scope = $scope, n:Memory:Searchable
MERGE (a:AuditEvent {id: row.audit.id})
SET a = row.audit
MERGE (a)-[:AUDIT]->(n)
WITH n, row
UNWIND row.facts AS fact
MATCH (f:Fact {id: fact})
MERGE (n)-[:DERIVED_FROM]->(f)

// name: end(rows, scope, at) write none
// Notes that others took the place of, or that there is no ground for any more: from then on as far
// as we knew, and in the world from the moment since when the later one holds.
UNWIND $rows AS row
MATCH (old:Note {id: row.id})
WHERE old.scope = $scope
SET old.standing = 'superseded', old.reason = row.reason, old.live = false,
    old.facets = [facet IN old.facets WHERE facet <> 'live'],
    old.superseded_at = CASE WHEN old.superseded_at > $at THEN $at ELSE old.superseded_at END,
    old.valid_to = CASE WHEN row.valid_to >= old.valid_to THEN old.valid_to
                        WHEN row.valid_to < old.valid_from THEN old.valid_from
                        ELSE row.valid_to END
WITH old, row WHERE row.by IS NOT NULL
MATCH (new:Note {id: row.by})
MERGE (old)-[s:SUPERSEDED_BY]->(new)
SET s.reason = row.reason, s.recorded_at = $at

// name: close(facts, at) write none
// Notes whose facts have just changed end where one of those no longer holds, in the transaction
// that changed it; one that never held leaves them no time at all.
// unscoped: facts of the keys that were settled, and a note lies in the scope of its facts
UNWIND $facts AS id
MATCH (:Fact {id: id})<-[:DERIVED_FROM]-(n:Note)
WHERE n.namespace = 'derived'
WITH DISTINCT n
CALL (n) {
  MATCH (n)-[:DERIVED_FROM]->(f:Fact)
  OPTIONAL MATCH (f)-[a:ABOUT]->(:Entity)
  WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
    AND a.valid_from <= n.valid_from < a.valid_to
  WITH n, f, min(a.valid_to) AS until
  RETURN min(coalesce(until, n.valid_from)) AS until
}
WITH n, until WHERE until < n.valid_to
SET n.valid_to = until, n.live = false, n.facets = [facet IN n.facets WHERE facet <> 'live'],
    n.reason = CASE n.standing WHEN 'held' THEN 'a fact of it changed' ELSE n.reason END,
    n.standing = 'superseded',
    n.superseded_at = CASE WHEN n.superseded_at > $at THEN $at ELSE n.superseded_at END

// name: unfounded(ids, scopes) write many
// Of imported notes those that say what their facts do not say, or not at their time: they leave.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.namespace = 'derived'
WITH n, id, COLLECT { MATCH (n)-[:DERIVED_FROM]->(f:Fact) RETURN f.statement } AS said
WHERE n.subject IS NULL OR n.cluster IS NULL OR n.cited IS NULL OR size(said) <> n.cited
   OR any(line IN split(n.content, '\n') WHERE NOT line IN said)
   OR n.standing = 'held' AND EXISTS {
        MATCH (n)-[:DERIVED_FROM]->(f:Fact)
        WHERE NOT EXISTS {
          MATCH (f)-[a:ABOUT]->(:Entity)
          WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
            AND a.valid_from <= n.valid_from AND n.valid_to <= a.valid_to } }
DETACH DELETE n
RETURN id

// name: baseless(tenant, below, limit) read many
// Condensed notes that are held and say what is not: a line that no fact says, or a fact that is
// not held when the note holds.
MATCH (n:Note)
WHERE ($tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below)
  AND n.namespace = 'derived'
WITH n, COLLECT { MATCH (n)-[:DERIVED_FROM]->(f:Fact) RETURN f.statement } AS said
WHERE size(said) <> n.cited OR any(line IN split(n.content, '\n') WHERE NOT line IN said)
   OR n.standing = 'held' AND EXISTS {
        MATCH (n)-[:DERIVED_FROM]->(f:Fact)
        WHERE NOT EXISTS {
          MATCH (f)-[a:ABOUT]->(:Entity)
          WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
            AND a.valid_from <= n.valid_from AND n.valid_to <= a.valid_to } }
RETURN n.id AS id LIMIT $limit
