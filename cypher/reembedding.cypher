// name: tenant_scopes(tenant) read many
// The scopes of a tenant, with what they chose.
MATCH (s:Scope {tenant: $tenant})
RETURN s.path AS path, s.space AS space, s.spaces_beside AS beside, s.space_state AS state
ORDER BY path

// name: known_spaces() read many
// unscoped: the vector spaces of the installation
MATCH (v:VectorSpace)
RETURN v.name AS name, v.model AS model, v.version AS version, v.dimension AS dimension,
       v.setting AS setting
ORDER BY name

// name: spaces_in_use() read many
// unscoped: which vector spaces any scope still needs
MATCH (s:Scope)
WHERE s.space > ''
UNWIND [s.space] + s.spaces_beside AS name
RETURN DISTINCT name

// name: take_space(name, setting, model, version, dimension, at) write one
// A vector space for a further model; whoever came first keeps it.
// unscoped: one vector space of the installation
MERGE (v:VectorSpace {name: $name})
ON CREATE SET v.setting = $setting, v.model = $model, v.version = $version,
              v.dimension = $dimension, v.created_at = $at
RETURN v.setting AS setting, v.model AS model, v.version AS version, v.dimension AS dimension

// name: lock_scope(scope, at) write optional
// What a scope chose, locked for the rest of the transaction.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN s.space AS space, s.spaces_beside AS beside, s.space_state AS state

// name: choose(scope, space, beside, state, audit) write one
// What a scope is searched in and what is filled beside it.
MATCH (s:Scope {path: $scope})
SET s.space = $space, s.spaces_beside = $beside, s.space_state = $state
CREATE (a:AuditEvent)-[:AUDIT]->(s)
SET a = $audit
RETURN s.path AS path

// name: await_space(scopes) batched one
// Everything that lacks a vector in a space waits for the indexing pass; what waits already, or
// was refused by the model, stays as it is.
MATCH (e:Memory)
WHERE e.index_state = 'done' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  AND e.scope IN $scopes AND e.embed_hash IS NULL
CALL (e) { SET e.index_state = 'pending' } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS waiting

// name: missing(scopes, held) read one
// How many memories of the scopes there are that have a vector in a space, that lack one, and that
// a model refused. What waits for its first vector gets one in every space at once and is not
// missing; `held` names the hash of the space that is searched.
CALL () {
  MATCH (e:Memory)
  WHERE e.index_state = 'done' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
    AND e.scope IN $scopes
  RETURN count(e.embed_hash) AS done, count(*) - count(e.embed_hash) AS lacking
}
CALL () {
  MATCH (e:Memory)
  WHERE e.index_state = 'pending' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
    AND e.scope IN $scopes
  RETURN count(e.embed_hash) AS changed,
         count(CASE WHEN e.embed_hash IS NULL AND e[$held] IS NOT NULL THEN 1 END) AS waiting
}
CALL () {
  MATCH (e:Memory)
  WHERE e.index_state = 'failed' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
    AND e.scope IN $scopes
  RETURN count(*) AS failed
}
RETURN done + changed AS done, lacking + waiting AS lacking, failed

// name: clear_space(scopes, first, beyond) batched one
// Takes the vectors of a space out of some scopes, in steps, with the windows that only it has.
MATCH (n:Searchable)
WHERE n.embed_hash > '' AND n.scope IN $scopes
CALL (n) {
  REMOVE n.embedding, n.embed_hash
  WITH n WHERE n:Window AND $first <= n.place < $beyond
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS cleared

// name: drop_space(name) write none
// unscoped: one vector space of the installation, which no scope chose
MATCH (v:VectorSpace {name: $name})
DELETE v

// name: nearest(v, scopes, limit) read one
// The memories nearest to a vector, in one space.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids

// name: sample_questions(scopes, limit) read one
// What to compare two spaces by: questions that were put to a search and kept in words, those of
// conversations, and what texts are called; each the latest first.
CALL () {
  MATCH (q:RagQuery)
  WHERE q.scope IN $scopes AND q.asked_at > datetime('0001-01-02T00:00:00Z') AND q.words IS NOT NULL
  WITH q ORDER BY q.asked_at DESC LIMIT $limit
  RETURN collect(q.words) AS recorded
}
CALL () {
  MATCH (e:Episode)
  WHERE e.scope IN $scopes AND e.captured_at > datetime('0001-01-02T00:00:00Z') AND e.live
    AND e.content ENDS WITH '?' AND size(e.content) <= 300
  WITH e ORDER BY e.captured_at DESC LIMIT $limit
  RETURN collect(e.content) AS said
}
CALL () {
  MATCH (p:Passage)
  WHERE p.scope IN $scopes AND p.linked_rev > 0 AND p.live AND p.title <> ''
  WITH DISTINCT p.title AS title LIMIT $limit
  RETURN collect(title) AS titles
}
RETURN recorded, said, titles
