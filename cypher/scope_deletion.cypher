// name: places(path, below) read many
// A scope with all that lies below it.
// unscoped: the service has checked that the caller governs $path
MATCH (s:Scope)
WHERE s.path = $path OR s.path STARTS WITH $below
RETURN s.path AS path ORDER BY path

// name: held(places, scopes, labels) read many
// How many nodes of some labels lie in some scopes; `kernel.cypher.over` names the index's label,
// place and key.
UNWIND $places AS place
MATCH (n:Passage) WHERE n.scope = place AND n.id > ''
WITH n AS node, [l IN labels(n) WHERE l IN $labels][0] AS label
WHERE label IS NOT NULL AND node.scope IN $scopes
RETURN label, count(*) AS count

// name: residents(scopes) read many
// Principals that are at home in some scopes, with how many keys they have.
MATCH (s:Scope)<-[:HOME]-(p:Principal)
WHERE s.path IN $scopes
RETURN p.id AS id, COUNT { (:ApiKey)-[:KEY_OF]->(p) } AS keys ORDER BY id

// name: crossing(scopes) read many
// Memories of some scopes that something in another scope was made from, stands on or links to.
UNWIND $scopes AS place
CALL (place) {
  MATCH (n:Passage {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Note {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Entity {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Fact {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Skill {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Page {scope: place}) WHERE n.id > '' RETURN n
  UNION ALL
  MATCH (n:Declared {scope: place}) WHERE n.id > '' AND n:Memory RETURN n
}
WITH DISTINCT n
WHERE EXISTS { (n)-[:!AUDIT]-(x) WHERE NOT x.scope IN $scopes }
RETURN n.id AS id ORDER BY id

// name: shut(scopes) write one
// Whoever is at home in some scopes goes with his keys, and nobody is a guest there any more.
MATCH (s:Scope) WHERE s.path IN $scopes
SET s.touched_at = datetime.realtime()
WITH collect(s) AS shut
CALL (shut) {
  UNWIND shut AS s
  MATCH (:Principal)-[r:GRANTED|MEMBER_OF]->(s)
  DELETE r
  RETURN count(*) AS grants
}
CALL (shut) {
  UNWIND shut AS s
  MATCH (s)<-[:HOME]-(:Principal)<-[:KEY_OF]-(k:ApiKey)
  DETACH DELETE k
  RETURN count(*) AS keys
}
CALL (shut) {
  UNWIND shut AS s
  MATCH (s)<-[:HOME]-(p:Principal)
  DETACH DELETE p
  RETURN count(*) AS principals
}
RETURN grants, keys, principals

// name: drop(places, scopes, labels) batched many
// Everything of some labels that lies in some scopes, found as `held` does; an audit event that
// waits for its seal keeps the id of what it is about.
UNWIND $places AS place
MATCH (n:Passage) WHERE n.scope = place AND n.id > ''
WITH n AS node, [l IN labels(n) WHERE l IN $labels][0] AS label
WHERE label IS NOT NULL AND node.scope IN $scopes
CALL (node) {
  OPTIONAL MATCH (node)<-[:AUDIT]-(a:AuditEvent {unsealed: true})
  FOREACH (_ IN CASE WHEN a IS NULL THEN [] ELSE [1] END |
    SET a.target = coalesce(node.id, node.path))
  DETACH DELETE node
} IN TRANSACTIONS OF 1000 ROWS
RETURN label, count(*) AS count

// name: drop_questions(tenant, scopes) write one
// Questions that were put to some scopes, or whose kept words showed what lies there.
MATCH (q:RagQuery {tenant: $tenant})
WHERE any(s IN q.scopes WHERE s IN $scopes)
   OR any(id IN coalesce(q.shown, [])
          WHERE EXISTS { MATCH (m:Searchable {memory_id: id}) WHERE m.scope IN $scopes })
CALL (q) {
  OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q)
  DETACH DELETE h
}
DETACH DELETE q
RETURN count(*) AS questions

// name: drop_names(tenant) write one
// Names that no page bears and no link uses any more.
// unscoped: a name belongs to a whole tenant
MATCH (n:LinkName {tenant: $tenant})
WHERE n.id > '' AND NOT EXISTS { (n)--() }
DELETE n
RETURN count(*) AS names

// name: drop_scopes(scopes) write one
// The scopes themselves.
MATCH (s:Scope) WHERE s.path IN $scopes
DETACH DELETE s
RETURN count(*) AS scopes

// name: drop_records(tenant) write one
// What a whole tenant keeps beside its scopes: answers, and jobs.
// unscoped: a whole tenant, by the operator
CALL () {
  MATCH (r:IdempotencyRecord {tenant: $tenant})
  DELETE r
  RETURN count(*) AS answers
}
CALL () {
  MATCH (j:Job {tenant: $tenant})
  DETACH DELETE j
  RETURN count(*) AS jobs
}
RETURN answers, jobs

// name: tally(id, counts, at) write none
// How much has gone so far.
// unscoped: found by the receipt's own id
MATCH (r:ErasureReceipt {id: $id})
SET r.counts = $counts, r.touched_at = $at
