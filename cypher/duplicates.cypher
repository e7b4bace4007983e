// name: notes(scope, after, near, limit) read many
// Held notes by id, each with the closest of its namespace whose id is greater.
CYPHER 25
MATCH (m:Note {scope: $scope})
WHERE m.id > $after AND m.standing = 'held' AND m.kind IN ['note', 'memory'] AND m.embedding IS NOT NULL
  AND m.expired_at > datetime('9999-12-30T00:00:00Z')
WITH m ORDER BY m.scope, m.id LIMIT $limit
CALL (m) {
  MATCH (n:Searchable)
  SEARCH n IN (VECTOR INDEX memory_vector FOR m.embedding
    WHERE n.scope = $scope AND n.live = true AND n.kind IN ['note', 'memory'] LIMIT $near) SCORE AS score
  WITH n, score WHERE n.memory_id > m.id
  MATCH (o:Note {id: n.memory_id})
  WHERE o.namespace = m.namespace AND o.standing = 'held' AND o.scope = $scope
    AND o.expired_at > datetime('9999-12-30T00:00:00Z')
  WITH o, max(score) AS score ORDER BY o.id
  RETURN collect({id: o.id, text: o.content, language: o.language, cosine: 2 * score - 1}) AS close
}
RETURN m.id AS id, m.content AS text, m.language AS language, close ORDER BY id

// name: facts(scope, after, near, limit) read many
// The same of facts that are held: those that say the same predicate of one thing.
CYPHER 25
MATCH (m:Fact {scope: $scope, status: 'active'})
WHERE m.id > $after AND m.live AND NOT m.negated AND m.embedding IS NOT NULL
WITH m ORDER BY m.id LIMIT $limit
MATCH (s:Entity {id: m.subject})
CALL (m, s) {
  MATCH (n:Searchable)
  SEARCH n IN (VECTOR INDEX memory_vector FOR m.embedding
    WHERE n.scope = $scope AND n.live = true AND n.kind = 'fact' LIMIT $near) SCORE AS score
  WITH n, score WHERE n.memory_id > m.id
  MATCH (o:Fact {id: n.memory_id})
  WHERE o.predicate = m.predicate AND o.live AND NOT o.negated AND o.scope = $scope
  MATCH (t:Entity {id: o.subject})
  WHERE t.root = s.root
  WITH o, max(score) AS score ORDER BY o.id
  RETURN collect({id: o.id, text: o.statement, language: o.language, cosine: 2 * score - 1}) AS close
}
RETURN m.id AS id, m.statement AS text, m.language AS language, close ORDER BY id
