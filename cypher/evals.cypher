// name: count_memories(scopes) read one
// How many memories the scopes hold, for a measurement.
MATCH (e:Episode)
WHERE e.scope IN $scopes AND e.captured_at > datetime('0001-01-02T00:00:00Z')
RETURN count(e) AS memories

// name: vectors_of(scope) read many
// Every vector of one scope, to compare the index with.
MATCH (e:Episode {scope: $scope})
WHERE e.captured_at > datetime('0001-01-02T00:00:00Z') AND e.embedding IS NOT NULL AND e.live
RETURN e.id AS id, e.embedding AS vector

// name: bare_capture(row) write none
// The plainest transaction that writes what one capture writes: what capture is compared with.
// unscoped: a measurement's own rows
MERGE (s:MemSession {id: $row.session.id})
ON CREATE SET s = $row.session
CREATE (e:Episode:Passage:Memory:Searchable)
SET e = $row.episode
CREATE (v:ProvenanceRecord)
SET v = $row.provenance
CREATE (a:AuditEvent)
SET a = $row.audit
CREATE (e)-[:IN_SESSION]->(s), (e)-[:HAS_PROVENANCE]->(v), (a)-[:AUDIT]->(e)

// name: bare_shared(sessions, tags, events) write none
// The shared nodes of a bare write, for comparison with an import.
// unscoped: a measurement in tenants of its own
UNWIND $sessions AS row
CREATE (s:MemSession)
SET s = row
WITH count(s) AS sessions
UNWIND $events AS row
CREATE (a:AuditEvent)
SET a = row
WITH count(a) AS events
UNWIND $tags AS row
CREATE (t:Tag)
SET t = row

// name: bare_episodes(rows) write none
// What an import writes of a batch, created without asking anything.
// unscoped: a measurement in tenants of its own
UNWIND $rows AS row
MATCH (s:MemSession {id: row.session})
MATCH (a:AuditEvent {id: row.event})
CREATE (e:Episode:Passage:Memory:Searchable)
SET e = row.episode
CREATE (v:ProvenanceRecord)
SET v = row.provenance
CREATE (e)-[:IN_SESSION]->(s)
CREATE (e)-[:HAS_PROVENANCE]->(v)
CREATE (a)-[:AUDIT]->(e)
WITH e, row
UNWIND row.tags AS tag
MATCH (t:Tag {id: tag})
CREATE (e)-[:TAGGED]->(t)

// name: open_beliefs(scope, subject, at) read one
// How many facts of one predicate a subject has, and how many of them are believed now.
MATCH (f:Fact {subject: $subject})
WHERE f.scope = $scope AND f.predicate = 'located_in'
OPTIONAL MATCH (f)-[a:ABOUT {standing: 'held'}]->(:Entity)
WHERE a.retracted_at > $at AND a.valid_from <= $at AND a.valid_to > $at
RETURN count(DISTINCT f) AS facts, count(a) AS held

// name: bare_keyword(q, scopes, limit) read many
// The text leg as anybody would write it.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
RETURN n.memory_id AS id, score

// name: bare_vector(v, scopes, kinds, limit) read many
// The vector leg as anybody would write it.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, score
