// name: places(path, below) read many
// A scope with all that lies below it.
// unscoped: the service has checked that the caller governs $path
MATCH (s:Scope)
WHERE s.path = $path OR s.path STARTS WITH $below
RETURN s.path AS path ORDER BY path

// name: held(label, scopes) read one
// How many nodes of one label lie in some scopes.
CYPHER 25
MATCH (n:$($label))
WHERE n.scope IN $scopes
RETURN count(n) AS held

// name: residents(scopes) read many
// Principals that are at home in some scopes, with how many keys they have.
MATCH (s:Scope)<-[:HOME]-(p:Principal)
WHERE s.path IN $scopes
RETURN p.id AS id, COUNT { (:ApiKey)-[:KEY_OF]->(p) } AS keys ORDER BY id

// name: crossing(scopes) read many
// Memories of some scopes that something in another scope was made from, stands on or links to.
CALL () {
  MATCH (n:Memory) WHERE n.scope IN $scopes RETURN n
  UNION
  MATCH (n:Page) WHERE n.scope IN $scopes RETURN n
}
WITH n
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

// name: drop(label, scopes) batched one
// Everything of one label that lies in some scopes; an audit event that waits for its seal keeps
// the id of what it is about.
CYPHER 25
MATCH (n:$($label))
WHERE n.scope IN $scopes
CALL (n) {
  OPTIONAL MATCH (n)<-[:AUDIT]-(a:AuditEvent {unsealed: true})
  FOREACH (_ IN CASE WHEN a IS NULL THEN [] ELSE [1] END | SET a.target = coalesce(n.id, n.path))
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(n) AS removed

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
WHERE NOT EXISTS { (n)--() }
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
