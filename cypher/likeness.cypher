// name: describe(scope, after, facts, limit) read many
// Entities by id with what is held of each, the best attested first, and the hash of the text that
// their vector was made from.
MATCH (e:Entity {scope: $scope})
WHERE e.id > $after AND e.expired_at > datetime.realtime()
WITH e ORDER BY e.id LIMIT $limit
RETURN e.id AS id, e.canonical_name AS name, e.type AS type, e.embed_hash AS hash,
       COLLECT {
         MATCH (f:Fact {subject: e.id})
         WHERE f.status = 'active' AND NOT f.negated AND f.expired_at > datetime.realtime()
         WITH f ORDER BY f.evidence DESC, f.id LIMIT $facts
         RETURN f.predicate + ' ' + f.object_text } AS facts
ORDER BY id

// name: store(rows, scope) write none
// Vectors of entities, with the hash of what each was made from.
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.scope = $scope
SET e.embedding = row.vector, e.embed_hash = row.hash

// name: near(id, scope, limit) read many
// The entities of one scope that are closest to one of them; the score is (1 + cosine) / 2.
CYPHER 25
MATCH (e:Entity {id: $id})
WHERE e.scope = $scope AND e.embedding IS NOT NULL
MATCH (n:Entity)
SEARCH n IN (VECTOR INDEX entity_vector FOR e.embedding
  WHERE n.scope = $scope AND n.type = e.type LIMIT $limit) SCORE AS score
WITH e, n, score WHERE n.id <> e.id
RETURN n.id AS id, score ORDER BY score DESC, id

// name: drop(ids) write none
// Vectors that may have been made of words that are gone.
// unscoped: entities of an erasure's closure, in its scopes
UNWIND $ids AS id
MATCH (e:Entity {id: id})
REMOVE e.embedding, e.embed_hash

// name: drop_all() batched one
// Takes every vector of an entity out, in steps: they come from a model that is no longer used.
// unscoped: an operator's command over the whole installation
MATCH (e:Entity) WHERE e.embedding IS NOT NULL OR e.embed_hash IS NOT NULL
CALL (e) { REMOVE e.embedding, e.embed_hash } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS cleared
