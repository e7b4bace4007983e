// name: held(hashes, turns, scope, at) read many
// Held memories that are one of these sentences, or rest on one of these turns.
CALL () {
  UNWIND $hashes AS hash
  MATCH (n:Note {scope: $scope, content_hash: hash})
  RETURN n
  UNION
  UNWIND $turns AS turn
  MATCH (p:Passage {id: turn})<-[:DERIVED_FROM]-(n:Note)
  RETURN n
}
WITH DISTINCT n
WHERE n.scope = $scope AND n.namespace = 'memories' AND n.standing = 'held' AND n.expired_at > $at
RETURN n.id AS id, n.content AS text, n.language AS language, n.content_hash AS hash,
       COLLECT { MATCH (n)-[:DERIVED_FROM]->(p:Passage) RETURN p.id ORDER BY p.id } AS turns
ORDER BY id

// name: create(rows, scope) write none
// Memories with the turns they rest on and their audit events. One whose turn has gone meanwhile is
// not made.
UNWIND $rows AS row
WITH row WHERE COUNT { MATCH (p:Passage {scope: $scope}) WHERE p.id IN row.turns } = size(row.turns)
MERGE (n:Note {id: row.id})
SET n = row.properties, n.scope = $scope, n:Memory:Searchable
MERGE (a:AuditEvent {id: row.audit.id})
SET a = row.audit
MERGE (a)-[:AUDIT]->(n)
WITH n, row
UNWIND row.turns AS turn
MATCH (p:Passage {id: turn})
MERGE (n)-[:DERIVED_FROM]->(p)

// name: rest_on(rows, scope) write none
// Memories that further turns say as well.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
WHERE n.scope = $scope AND n.namespace = 'memories'
UNWIND row.turns AS turn
MATCH (p:Passage {id: turn})
WHERE p.scope = $scope
MERGE (n)-[:DERIVED_FROM]->(p)
WITH DISTINCT n
SET n.cited = COUNT { (n)-[:DERIVED_FROM]->(:Passage) }

// name: end(ids, scope, reason, at) write none
// Memories that a new reading of their turns no longer finds: they stay readable for the past.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope = $scope AND n.namespace = 'memories' AND n.standing = 'held'
SET n.standing = 'superseded', n.reason = $reason, n.live = false, n.superseded_at = $at,
    n.valid_to = n.valid_from, n.facets = [facet IN n.facets WHERE facet <> 'live']

// name: change(rows, scope, at) write none
// Possible changes: the older memory names the newer one, and both stand.
UNWIND $rows AS row
MATCH (old:Note {id: row.old})
WHERE old.scope = $scope AND old.namespace = 'memories' AND old.standing = 'held'
MATCH (new:Note {id: row.new})
WHERE new.valid_from > old.valid_from AND new.namespace = 'memories'
MERGE (old)-[c:CONTRADICTS]->(new)
ON CREATE SET c.reason = row.reason, c.recorded_at = $at

// name: overtake(ids, scope, at) write many
// A memory takes the place of an older one where belief has done so with a fact that both rest on
// and that was wholly read: the older one holds until the newer fact began.
UNWIND $ids AS id
MATCH (new:Note {id: id})
WHERE new.scope = $scope
MATCH (old:Note)-[:CONTRADICTS]->(new)
WHERE old.scope = $scope AND old.namespace = 'memories' AND old.standing = 'held'
MATCH (old)-[:DERIVED_FROM]->(:Passage)-[s:SUPPORTS]->(f:Fact)-[x:SUPERSEDED_BY]->(g:Fact)
      <-[t:SUPPORTS]-(:Passage)<-[:DERIVED_FROM]-(new)
WHERE x.retracted_at > $at AND s.model IS NULL AND t.model IS NULL
MATCH (g)-[a:ABOUT]->(:Entity)
WHERE a.retracted_at > $at AND a.standing = 'held'
WITH old, new, min(a.valid_from) AS since
SET old.standing = 'superseded', old.live = false,
    old.valid_to = CASE WHEN since < old.valid_from THEN old.valid_from ELSE since END,
    old.superseded_at = $at, old.reason = 'a fact of it changed',
    old.facets = [facet IN old.facets WHERE facet <> 'live']
MERGE (old)-[s:SUPERSEDED_BY]->(new)
SET s.reason = old.reason, s.recorded_at = $at
RETURN DISTINCT old.id AS id

// name: like(ids, scope, at) read many
// Held memories by id.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope = $scope AND n.namespace = 'memories' AND n.standing = 'held' AND n.expired_at > $at
RETURN n.id AS id, n.content AS text
