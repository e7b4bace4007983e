// name: keyword(q, scopes, limit) read one
// The text leg, as columns: a hundred rows cost more to send than to find. The scope is a required clause of $q, inside the index; the predicate here is a
// second wall.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled

// name: vector_live(v, scopes, kinds, limit) read one
// The vector leg over what is held now.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled

// name: vector_filtered(v, scopes, kinds, roles, since, until, known_at, limit) read one
// The vector leg with every filter: roles, event time, and what was known at a moment.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.kind IN $kinds AND n.role IN $roles
    AND n.captured_at >= $since AND n.captured_at <= $until
    AND n.ingested_at <= $known_at AND n.expired_at > $known_at LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled

// name: vector_in_sessions(v, scopes, sessions, kinds, roles, since, until, known_at, limit) read one
// The same inside given sessions.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.session IN $sessions AND n.kind IN $kinds AND n.role IN $roles
    AND n.captured_at >= $since AND n.captured_at <= $until
    AND n.ingested_at <= $known_at AND n.expired_at > $known_at LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled

// name: vector_tagged(v, scopes, tags, wanted, sessions, kinds, roles, since, until, known_at, limit) read one
// The vector leg among tagged memories: a list cannot be a filter of the vector index, so their
// similarity is computed exactly, over what the tags name.
MATCH (t:Tag)
WHERE t.id IN $tags AND t.scope IN $scopes
MATCH (n:Searchable)-[:TAGGED]->(t)
WHERE n.scope IN $scopes AND n.kind IN $kinds AND n.role IN $roles
  AND n.captured_at >= $since AND n.captured_at <= $until
  AND n.ingested_at <= $known_at AND n.expired_at > $known_at
  AND ($sessions IS NULL OR n.session IN $sessions)
  AND n.embedding IS NOT NULL
WITH n, count(DISTINCT t.name) AS matched
WHERE matched = $wanted
WITH n, vector.similarity.cosine(n.embedding, $v) AS score
ORDER BY score DESC LIMIT $limit
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled

// name: hydrate(ids, scopes) read one
// What a hit shows, in one row for the same reason. Its times come as the tokens of the index: the driver
// takes a tenth of a millisecond to read one moment.
UNWIND $ids AS id
MATCH (e:Episode {id: id})
WHERE e.scope IN $scopes
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
RETURN collect(e {.id, .kind, .scope, .content, .role, .speaker, .title, .tags, .captured_key,
                  .ingested_key, .expired_key, .author, .content_hash, .origin, .windows,
                  session_id: s.id, session_key: s.key}) AS memories

// name: vectors(ids, scopes) read many
// Vectors of candidates, for diversity.
UNWIND $ids AS id
MATCH (e:Episode {id: id})
WHERE e.scope IN $scopes AND e.embedding IS NOT NULL
RETURN e.id AS id, e.embedding AS vector

// name: window_spans(ids, scopes) read many
// Where the windows of long texts lie.
UNWIND $ids AS id
MATCH (w:Window {id: id})
WHERE w.scope IN $scopes
RETURN w.id AS id, w.memory_id AS memory_id, w.start AS start, w.end AS end
