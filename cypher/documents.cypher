// name: create_base(base, audit) write one
// A knowledge base, or the one of that name in that scope; `created` tells which. The model of its
// vectors is that of the space which its scope, or the nearest above that chose one, is searched in.
// unscoped: the service has checked $base.scope against the caller
MERGE (b:KnowledgeBase {key: $base.key})
ON CREATE SET b = $base
WITH b, b.id = $base.id AS created
FOREACH (_ IN CASE WHEN created THEN [1] ELSE [] END |
  MERGE (a:AuditEvent {id: $audit.id}) SET a = $audit MERGE (a)-[:AUDIT]->(b))
RETURN b {.*,
  embedding: head(COLLECT {
    MATCH (:Scope {path: b.scope})-[:WITHIN*0..2]->(s:Scope) WHERE s.space > ''
    MATCH (v:VectorSpace {name: s.space})
    RETURN v {.model, .version} ORDER BY size(s.path) DESC LIMIT 1
  } + COLLECT { MATCH (v:VectorSpace {name: 'memory'}) RETURN v {.model, .version} })} AS base, created

// name: get_base(id, scopes) read optional
MATCH (b:KnowledgeBase {id: $id})
WHERE b.scope IN $scopes
RETURN b {.*,
  embedding: head(COLLECT {
    MATCH (:Scope {path: b.scope})-[:WITHIN*0..2]->(s:Scope) WHERE s.space > ''
    MATCH (v:VectorSpace {name: s.space})
    RETURN v {.model, .version} ORDER BY size(s.path) DESC LIMIT 1
  } + COLLECT { MATCH (v:VectorSpace {name: 'memory'}) RETURN v {.model, .version} })} AS base

// name: base_by_key(keys, scopes) read many
// Bases by their names in several scopes, the narrowest scope first.
UNWIND $keys AS key
MATCH (b:KnowledgeBase {key: key})
WHERE b.scope IN $scopes
RETURN b {.*} AS base ORDER BY size(b.scope) DESC, b.id

// name: list_bases(scopes, after, limit) read many
// Knowledge bases with their statistics.
MATCH (b:KnowledgeBase)
WHERE b.scope IN $scopes AND b.id > $after
WITH b ORDER BY b.id LIMIT $limit
CALL (b) {
  MATCH (d:Document {base: b.id}) WHERE d.id > ''
  RETURN collect([d.status, d.chunks, d.characters, d.tokens]) AS documents
}
RETURN b {.*,
  embedding: head(COLLECT {
    MATCH (:Scope {path: b.scope})-[:WITHIN*0..2]->(s:Scope) WHERE s.space > ''
    MATCH (v:VectorSpace {name: s.space})
    RETURN v {.model, .version} ORDER BY size(s.path) DESC LIMIT 1
  } + COLLECT { MATCH (v:VectorSpace {name: 'memory'}) RETURN v {.model, .version} })} AS base, documents
ORDER BY b.id

// name: statistics(id, scopes) read many
// What a base holds, by the state of its documents.
MATCH (d:Document {base: $id})
WHERE d.id > '' AND d.scope IN $scopes
RETURN d.status AS status, count(d) AS documents, sum(d.chunks) AS chunks,
       sum(d.characters) AS characters, sum(d.tokens) AS tokens, sum(d.size) AS bytes

// name: lock_base(id, at) write optional
// A base, locked, with how many of its documents have yet to end.
// unscoped: found by its own id, for a writer who has checked its scope
MATCH (b:KnowledgeBase {id: $id})
SET b.touched_at = $at
WITH b
RETURN b {.*} AS base, COUNT {
  MATCH (d:Document {base: b.id}) WHERE d.id > '' AND d.status IN ['pending', 'processing']
} AS waiting

// name: set_base(id, properties) write none
// unscoped: a base that the writer has locked
MATCH (b:KnowledgeBase {id: $id})
SET b += $properties

// name: tell_base(id, audit) write none
// unscoped: a base that the writer has locked
MATCH (b:KnowledgeBase {id: $id})
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(b)

// name: drop_base(id, audit) write optional
// A base without documents; nothing where there is one.
// unscoped: a base that the writer has locked
MATCH (b:KnowledgeBase {id: $id})
WHERE NOT EXISTS { MATCH (d:Document {base: b.id}) WHERE d.id > '' }
WITH b, b.id AS id
DETACH DELETE b
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit, a.target = id
RETURN id

// name: open(document, at) write optional
// The document of that name in that base, locked; a new one is made. Nothing without the base.
// unscoped: the service has checked $document.scope against the caller
MATCH (b:KnowledgeBase {id: $document.base})
MERGE (d:Document {key: $document.key})
ON CREATE SET d = $document, d.chunks = 0, d.characters = 0, d.tokens = 0, d.version = 0,
              d.ingested_at = $at
SET d.touched_at = $at
MERGE (d)-[:IN_BASE]->(b)
RETURN d {.*} AS document, d.id = $document.id AS created

// name: set_document(id, properties) write none
// unscoped: a document that the writer has locked
MATCH (d:Document {id: $id})
SET d += $properties

// name: tell_document(id, audit) write none
// unscoped: a document that the writer has locked
MATCH (d:Document {id: $id})
MERGE (a:AuditEvent {id: $audit.id})
ON CREATE SET a = $audit
MERGE (a)-[:AUDIT]->(d)

// name: lock_document(id, at) write optional
// unscoped: found by its own id, for a writer who has checked its scope
MATCH (d:Document {id: $id})
SET d.touched_at = $at
RETURN d {.*} AS document

// name: get_document(id, scopes) read optional
// A document with its base, and how many of its chunks wait for their vectors or to be read.
MATCH (d:Document {id: $id})
WHERE d.scope IN $scopes
OPTIONAL MATCH (d)-[:IN_BASE]->(b:KnowledgeBase)
CALL (d) {
  MATCH (c:Chunk {work: d.id}) WHERE c.number >= 0
  RETURN sum(CASE c.index_state WHEN 'pending' THEN 1 ELSE 0 END) AS unindexed,
         sum(CASE c.consolidation_state WHEN 'consolidated' THEN 0 ELSE 1 END) AS unread
}
RETURN d {.*} AS document, b {.id, .name, .status} AS base, unindexed, unread

// name: list_documents(base, scopes, status, after, limit) read many
// Documents of one base by id.
MATCH (d:Document {base: $base})
WHERE d.id > $after AND d.scope IN $scopes AND ($status IS NULL OR d.status = $status)
RETURN d {.*} AS document ORDER BY d.id LIMIT $limit

// name: list_all(scopes, status, after, limit) read many
// Documents of every base that is seen, by id.
MATCH (d:Document)
WHERE d.scope IN $scopes AND d.id > $after AND ($status IS NULL OR d.status = $status)
RETURN d {.*} AS document ORDER BY d.id LIMIT $limit

// name: documents_of(base, scopes) read many
// Ids of the documents of a base.
MATCH (d:Document {base: $base})
WHERE d.id > '' AND d.scope IN $scopes
RETURN d.id AS id, d.status AS status ORDER BY d.id

// name: drop_document(id, audit) write none
// A document whose chunks are gone.
// unscoped: a document that the writer has locked
MATCH (d:Document {id: $id})
DETACH DELETE d
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit, a.target = $id

// name: left(limit) read many
// Documents whose job ended without them: it was stopped, or every worker that ran it was lost, or
// it is removed by now. Their base may have been paused, put away or broken meanwhile, so that its
// state tells nothing.
// unscoped: upkeep of the whole installation
MATCH (d:Document)
WHERE d.status IN ['pending', 'processing']
OPTIONAL MATCH (j:Job {id: d.job})
WITH d, j
WHERE j IS NULL OR j.state IN ['dead', 'cancelled']
RETURN d.id AS id, d.job AS job, coalesce(j.state, 'gone') AS state, j.error AS error LIMIT $limit
