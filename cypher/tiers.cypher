// name: due(scopes, agent, session, ran_out, before, after, limit) read many
// Short-term entries that were read often enough and were not looked at of late; those that have run
// out by a moment alone, where one is given.
MATCH (m:ShortMemory {ready: true})
WHERE m.id > $after AND ($ran_out IS NULL OR m.expires_at <= $ran_out)
  AND (m.processed_at IS NULL OR m.processed_at <= $before)
  AND ($scopes IS NULL OR m.scope IN $scopes)
  AND ($agent IS NULL OR m.author = $agent) AND ($session IS NULL OR m.session = $session)
WITH m ORDER BY m.id LIMIT $limit
RETURN m {.*} AS entry ORDER BY m.id

// name: lock(id, scope, at, before) write optional
// One of them, for writing: whoever comes second reads what the first one wrote.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope = $scope
SET m.touched_at = $at
WITH m
WHERE m.ready AND (m.processed_at IS NULL OR m.processed_at <= $before)
RETURN m {.*} AS entry

// name: promoted(id, scope, at) write none
// It has run out: what it held is in long-term memory.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope = $scope
SET m.processed_at = $at, m.expires_at = $at, m.ready = null

// name: passed_over(id, scope, at) write none
// It was looked at and stays as it is.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope = $scope
SET m.processed_at = $at

// name: unindexed(context, scope, since, limit) read many
// Entries of a context that the vector index may not show yet as they are, the newest first.
MATCH (e:ContextEntry)
WHERE e.whole = $context AND e.id > '' AND e.scope = $scope AND e.status = 'active'
  AND (e.embedding IS NULL OR e.changed_at > $since)
WITH e ORDER BY e.changed_at DESC, e.id LIMIT $limit
RETURN e {.*} AS entry ORDER BY e.id

// name: figures(tenant, agent, scopes, at) read many
// How many short-term entries of each kind an agent has, and how many wait to be promoted.
MATCH (m:ShortMemory {tenant: $tenant, author: $agent})
WHERE m.scope IN $scopes AND m.expires_at > $at
RETURN m.kind AS kind, count(*) AS entries, sum(m.size) AS bytes,
       count(CASE WHEN m.ready THEN 1 END) AS ready ORDER BY kind

// name: kept(agent, scopes, scope, at, readers) read one
// How much an agent keeps for long in its leaf and home, and what it may read of the pools there.
CALL () {
  MATCH (c:PersistentContext)
  WHERE c.scope IN $scopes AND c.id > '' AND c.own AND c.owner = $agent AND c.status = 'active'
  MATCH (e:ContextEntry)
  WHERE e.whole = c.id AND e.id > '' AND e.scope = c.scope AND e.status = 'active'
  RETURN count(e) AS entries, count(e.promoted_from) AS promoted
}
CALL () {
  MATCH (p:MemoryPool)
  WHERE p.scope = $scope AND p.id > '' AND p.ends_at > $at
    AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
  RETURN count(p) AS pools, coalesce(sum(p.size), 0) AS bytes
}
RETURN entries, promoted, pools, bytes

// name: keys(ids, scopes) read many
// The keys of entries of contexts.
UNWIND $ids AS id
MATCH (e:ContextEntry {id: id})
WHERE e.scope IN $scopes
RETURN e.id AS id, e.key AS key

// name: facts(scopes, limit) read many
// Facts of contexts in use, the most important first.
MATCH (e:ContextEntry)
WHERE e.scope IN $scopes AND e.memory_type = 'factual' AND e.id > '' AND e.status = 'active'
  AND EXISTS { (e)-[:PART_OF]->(c:PersistentContext) WHERE c.scope = e.scope AND c.status = 'active' }
RETURN e {.*} AS entry ORDER BY coalesce(e.importance, 0.5) DESC, e.id LIMIT $limit

// name: entries(ids, scopes) read many
// Entries of contexts, by id.
UNWIND $ids AS id
MATCH (e:ContextEntry {id: id})
WHERE e.scope IN $scopes
RETURN e {.*} AS entry

// name: recent_entries(scopes, at, limit) read many
// The short-term entries of some scopes that were written last and have not run out, without their
// values: so many of each scope, and of all.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (m:ShortMemory)
  WHERE m.scope = scope AND m.id > '' AND m.expires_at > $at
  RETURN m ORDER BY m.updated_at DESC, m.id LIMIT $limit
}
WITH m ORDER BY m.updated_at DESC, m.id LIMIT $limit
RETURN m {.id, .scope, .author, .ttl, .count, .updated_at, .expires_at} AS entry
ORDER BY m.updated_at DESC, m.id

// name: large_pools(scopes, readers, at, most, limit) read one
// How many pools of some scopes somebody may read, the largest of each scope up to a number, and
// which of them have more bytes than so many.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (p:MemoryPool)
  WHERE p.scope = scope AND p.id > '' AND p.ends_at > $at
    AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
  RETURN p ORDER BY p.size DESC, p.id LIMIT $limit
}
WITH p ORDER BY p.id
RETURN count(p) AS pools, collect(CASE WHEN p.size > $most THEN p.id END) AS ids

// name: full_scopes(scopes, kind, most) read one
// How many scopes these are, and which of them hold so many nodes of one declared kind, or more.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (n:Declared)
  USING INDEX n:Declared(scope, kind, id)
  WHERE n.scope = scope AND n.kind = $kind AND n.id > ''
  RETURN count(n) AS held
}
WITH scope, held ORDER BY scope
RETURN count(scope) AS looked, collect(CASE WHEN held >= $most THEN scope END) AS full

// name: full_wholes(scopes, kind, part, status, most, limit) read one
// Of the newest nodes of one declared kind in some scopes, so many of each, which have so many
// parts of another, or more; of a status, if one is given.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (n:Declared)
  USING INDEX n:Declared(scope, kind, id)
  WHERE n.scope = scope AND n.kind = $kind AND n.id > ''
  RETURN n ORDER BY n.id DESC LIMIT $limit
}
WITH n, COUNT {
  MATCH (n)<-[:PART_OF]-(p:Declared)
  WHERE p.kind = $part AND p.scope = n.scope AND ($status IS NULL OR p.status = $status)
} AS held
ORDER BY n.id
RETURN count(n) AS looked, collect(CASE WHEN held >= $most THEN n.id END) AS full
