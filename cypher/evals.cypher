// name: count_memories(scopes) read one
// How many memories the scopes hold, for a measurement.
MATCH (e:Episode)
WHERE e.scope IN $scopes AND e.captured_at > datetime('0001-01-02T00:00:00Z')
RETURN count(e) AS memories

// name: latest_said(scope) read one
// When the last episode of a scope was said.
MATCH (e:Episode {scope: $scope})
WHERE e.captured_at > datetime('0001-01-02T00:00:00Z')
RETURN max(e.captured_at) AS at

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

// name: bare_entities(rows, scope, at, forever) write none
// Entities of a generated graph.
UNWIND $rows AS row
CREATE (e:Entity:Memory)
SET e = row, e.scope = $scope, e.tenant = $scope, e.ingested_at = $at, e.touched_at = $at,
    e.expired_at = $forever, e.mention_count = 0

// name: bare_passages(rows, scope, at, forever) write none
// Passages of a generated graph that were read: what they name, and what they say of it.
UNWIND $rows AS row
CREATE (p:Passage {id: row.id})
SET p.scope = $scope, p.tenant = $scope, p.content = row.content, p.live = true, p.kind = 'chunk',
    p.captured_at = $at, p.ingested_at = $at, p.expired_at = $forever,
    p.consolidation_state = 'consolidated', p.index_state = 'done', p.link_state = 'linked'
WITH p, row
CALL (p, row) {
  UNWIND row.mentions AS m
  MATCH (e:Entity {id: m.entity})
  CREATE (p)-[:MENTIONS {start: m.start, end: m.end}]->(e)
}
CALL (p, row) {
  UNWIND row.facts AS f
  MATCH (s:Entity {id: f.subject})
  MATCH (o:Entity {id: f.object})
  CREATE (x:Fact:Memory {id: f.id})
  SET x.scope = $scope, x.tenant = $scope, x.subject = f.subject, x.object_id = f.object,
      x.statement = f.statement, x.predicate = 'related_to', x.status = 'active', x.confidence = 0.8,
      x.evidence = 1, x.trust = 0.5, x.expired_at = $forever, x.ingested_at = $at
  CREATE (p)-[:SUPPORTS {start: 0, end: f.end}]->(x)
  CREATE (x)-[:ABOUT {valid_from: $at, valid_to: $forever, recorded_at: $at, retracted_at: $forever,
                      standing: 'held'}]->(s)
  CREATE (s)-[:RELATES_TO {fact: f.id, predicate: 'related_to', live: true, valid_from: $at,
                           valid_to: $forever}]->(o)
}

// name: drop_passages(ids) write none
// Passages of a generated graph with what only they say.
// unscoped: a measurement in a tenant of its own
UNWIND $ids AS id
MATCH (p:Passage {id: id})
CALL (p) {
  MATCH (p)-[:SUPPORTS]->(f:Fact)
  CALL (f) {
    MATCH (:Entity {id: f.subject})-[r:RELATES_TO {fact: f.id}]->(:Entity)
    DELETE r
  }
  DETACH DELETE f
}
DETACH DELETE p

// name: touch(ids, at) write none
// What consolidation leaves on the entities that it wrote to.
// unscoped: a measurement in a tenant of its own
UNWIND $ids AS id
MATCH (e:Entity {id: id})
SET e.touched_at = $at

// name: graph_cpu() read one
// CPU time of the server's process since its start.
// unscoped: a measurement of the server, not of what it holds
CALL dbms.queryJmx('java.lang:type=OperatingSystem') YIELD attributes
RETURN attributes.ProcessCpuTime.value AS nanoseconds

// name: passages_of(scope) read many
// What a scope's records and documents are, passage by passage.
MATCH (e:Passage {scope: $scope})
WHERE e.author > '' AND e.live
RETURN e.id AS id ORDER BY e.ingested_at, e.id

// name: built(scope) read one
// What was made of the passages of a scope; of names, those that somebody goes by.
RETURN COUNT { MATCH (n:Name {scope: $scope}) WHERE n.revision >= 0 } AS names,
       COUNT { MATCH (n:Entity {scope: $scope}) WHERE n.id > '' } AS entities,
       COUNT { MATCH (n:Fact {scope: $scope}) WHERE n.id > '' } AS facts

// name: model_calls(scope) read one
// How often the language model was asked for a scope, today and before.
MATCH (u:ModelUsage)
WHERE u.day > '' AND u.scope = $scope
RETURN coalesce(sum(u.asked), 0) AS asked

// name: episodes_of(scope) read many
// The episodes of a scope, to embed what is embedded of each alone.
MATCH (e:Episode {scope: $scope})
WHERE e.captured_at > datetime('0001-01-02T00:00:00Z') AND e.live
RETURN e.id AS id
ORDER BY e.captured_at, e.id

// name: page_links(scope) read one
// Edges between the pages of a scope.
MATCH (p:Page)-[r:REFERENCES]->()
WHERE p.scope = $scope
RETURN count(r) AS links

// name: ids_by_session(scope) read many
// The ids of a scope's episodes beside their sessions' names, for a data set of which each text is
// a session.
MATCH (e:Episode {scope: $scope})
WHERE e.captured_at > datetime('0001-01-02T00:00:00Z')
MATCH (e)-[:IN_SESSION]->(s:MemSession)
RETURN s.key AS session, e.id AS id

// name: count_as_read(scope) write none
// The passages of a scope as if somebody had looked for facts in them.
MATCH (e:Episode {scope: $scope})
WHERE e.captured_at > datetime('0001-01-02T00:00:00Z') AND e.consolidation_state = 'raw'
SET e.consolidation_state = 'consolidated'

// name: told_often(scope, claims) read one
// How many facts of a scope at least so many claims state.
MATCH (f:Fact)
WHERE f.scope = $scope AND f.status = 'active' AND f.evidence >= $claims
RETURN count(f) AS facts

// name: store_counts() read one
// How many nodes of each label and relationships of each type the store counts.
// unscoped: a measurement of the whole store
CALL db.stats.retrieve('GRAPH COUNTS') YIELD data
RETURN data.nodes AS nodes, data.relationships AS relationships

// name: records(count) read many
// So many rows like those of a search.
// unscoped: rows made of nothing
UNWIND range(1, $count) AS i
RETURN 'a1b2c3d4e5f60718293a4b5c6d7e8f90' AS id, i / 3.0 AS score, {kind: 'episode', place: i} AS of
