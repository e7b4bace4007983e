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
CREATE (e:Episode:Memory:Searchable)
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
