// name: put_block(block, audit) write one
// One core block of a scope and kind; what it held before is kept by the audit's hash alone.
// unscoped: the service has checked $block.scope against the caller
MERGE (b:CoreBlock {id: $block.id})
ON CREATE SET b = $block, b.version = 0
SET b.content = $block.content, b.content_hash = $block.content_hash, b.author = $block.author,
    b.updated_at = $block.updated_at, b.expired_at = $block.expired_at, b.version = b.version + 1
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(b)
RETURN b {.*} AS block

// name: list_blocks(scopes) read many
// Core blocks of scopes, the widest scope first.
MATCH (b:CoreBlock)
WHERE b.scope IN $scopes AND b.kind >= '' AND b.expired_at > datetime()
RETURN b {.*} AS block ORDER BY size(split(b.scope, '/')), b.scope, b.kind

// name: create_pattern(pattern, audit) write one
// One pattern of failure.
// unscoped: the service has checked $pattern.scope against the caller
MERGE (p:BadPattern {id: $pattern.id})
ON CREATE SET p = $pattern, p.count = 0
SET p.count = coalesce(p.count, 0) + 1, p.touched_at = $pattern.touched_at
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(p)
RETURN p {.*} AS pattern

// name: list_patterns(scopes, after, limit) read many
// Patterns of failure by id.
MATCH (p:BadPattern)
WHERE p.scope IN $scopes AND p.id > $after AND p.expired_at > datetime()
RETURN p {.*} AS pattern ORDER BY p.id LIMIT $limit

// name: block_of(scope, kind) read many
// The core block of a kind in a scope.
MATCH (b:CoreBlock)
WHERE b.scope = $scope AND b.kind = $kind AND b.expired_at > datetime()
RETURN b {.*} AS block

// name: protection(scope, kind) read many
// The protection of that block.
MATCH (n:BlockProtection {scope: $scope, block_kind: $kind})
RETURN n {.*} AS protection

// name: edits(ids, scopes) read many
// Edits of core blocks by id.
UNWIND $ids AS id
MATCH (n:BlockEdit {id: id})
WHERE n.scope IN $scopes
RETURN n {.*} AS edit

// name: edits_of(scope, kind, after, limit) read many
// Edits of a core block by id.
MATCH (n:BlockEdit {scope: $scope, block_kind: $kind})
WHERE n.id > $after
RETURN n {.*} AS edit ORDER BY n.id LIMIT $limit

// name: apply(id, scope, content, at) write none
// What an edit that was attested makes of a core block.
MATCH (b:CoreBlock {id: $id})
WHERE b.scope = $scope
SET b += $content, b.updated_at = $at, b.version = b.version + 1

// name: restore(rows) write many
// Core blocks of scopes that have none of the kind.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:CoreBlock {id: row.id}) }
CREATE (b:CoreBlock)
SET b = row.properties
RETURN row.line AS line

// name: restore_patterns(rows) write many
// Patterns of failure that are new.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:BadPattern {id: row.id}) }
CREATE (p:BadPattern)
SET p = row.properties
RETURN row.line AS line

// name: export(scopes, after, limit) read many
// Core blocks of one scope by kind.
MATCH (b:CoreBlock)
WHERE b.scope IN $scopes AND b.kind > $after
WITH b ORDER BY b.kind LIMIT $limit
RETURN b {.*} AS node
ORDER BY b.kind

// name: export_patterns(scopes, after, limit) read many
MATCH (p:BadPattern)
WHERE p.scope IN $scopes AND p.id > $after
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*} AS node
ORDER BY p.id

// name: baselines(id, scope) read many
// The baseline of that block.
MATCH (n:Declared {id: $id})
WHERE n.scope = $scope AND n.kind = 'block_baseline'
RETURN n {.*} AS baseline

// name: scopes_after(after, limit) read many
// Scopes by path.
// unscoped: asked by a schedule for every tenant
MATCH (s:Scope)
WHERE s.path > $after
RETURN s.path AS path ORDER BY s.path LIMIT $limit

// name: every_baseline(scopes) read many
// Baselines of some scopes; each has one of each kind of block at most.
MATCH (n:Declared)
USING INDEX n:Declared(scope, kind, id)
WHERE n.scope IN $scopes AND n.kind = 'block_baseline' AND n.id > ''
RETURN n {.*} AS baseline ORDER BY n.scope, n.id

// name: lately(scope, vectors, since, until, limit) read many
// How near the newest episodes of a scope are to a text, by that of its windows that is the nearest.
MATCH (n:Passage)
USING INDEX n:Passage(scope, captured_at)
WHERE n.scope = $scope AND n.captured_at >= $since AND n.captured_at <= $until
  AND n:Episode AND n.expired_at > datetime() AND n.embedding IS NOT NULL
WITH n ORDER BY n.captured_at DESC, n.id LIMIT $limit
UNWIND $vectors AS v
WITH n, max(vector.similarity.cosine(n.embedding, v)) AS nearest
RETURN 2 * nearest - 1 AS cosine, n.language AS language
ORDER BY n.captured_at DESC, n.id

// name: words_of(scopes) read many
// The core blocks of some scopes, with their words.
MATCH (b:CoreBlock)
WHERE b.scope IN $scopes AND b.kind >= '' AND b.expired_at > datetime.realtime()
RETURN b.scope AS scope, b.content AS content, b.content_hash AS content_hash ORDER BY b.scope, b.kind

// name: learnt_near(ids, scope, vectors, since, least) read many
// How near some facts and notes of a scope that are trusted and were learnt since a moment are to a
// text, by those of their windows that are the nearest.
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id}) USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope = $scope AND m.kind IN ['fact', 'note', 'memory', 'condensed']
  AND m.trust >= $least AND m.ingested_at > $since
MATCH (n:Searchable {memory_id: id}) USING INDEX n:Searchable(memory_id)
WHERE n.scope = $scope AND n.embedding IS NOT NULL
UNWIND $vectors AS v
RETURN id, m.language AS language, 2 * max(vector.similarity.cosine(n.embedding, v)) - 1 AS cosine
