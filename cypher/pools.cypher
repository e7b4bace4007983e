// name: find(ids, scopes, at) read many
// Pools by id that have not ended.
UNWIND $ids AS id
MATCH (p:MemoryPool {id: id})
WHERE p.scope IN $scopes AND p.ends_at > $at
RETURN p {.*} AS pool

// name: lock(id, scope, at) write many
// One pool that has not ended, for writing: whoever comes second reads what the first one wrote.
MATCH (p:MemoryPool {id: $id})
WHERE p.scope = $scope AND p.ends_at > $at
SET p.touched_at = $at
WITH p WHERE p.id IS NOT NULL
RETURN p {.*} AS pool

// name: page(scopes, readers, type, lifetime, workflow, after, at, limit) read many
// Pools of some scopes that somebody may read, by id, without their data.
MATCH (p:MemoryPool)
WHERE p.scope IN $scopes AND p.id > $after AND p.ends_at > $at
  AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
  AND ($type IS NULL OR p.type = $type) AND ($lifetime IS NULL OR p.lifetime = $lifetime)
  AND ($workflow IS NULL OR p.workflow = $workflow)
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*, data: null, marks: null} AS pool, p.size AS size ORDER BY p.id

// name: newest(scopes, readers, at, limit, bytes) read many
// The pools of some scopes that somebody may read and that were changed last, with their data: the
// smallest of them, as far as they have so many bytes together, so that no large one hides others.
MATCH (p:MemoryPool)
WHERE p.scope IN $scopes AND p.id > '' AND p.ends_at > $at
  AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
WITH p ORDER BY p.changed_at DESC, p.id LIMIT $limit
WITH p ORDER BY p.size, p.changed_at DESC, p.id
WITH collect(p) AS found, collect(p.size) AS sizes
UNWIND range(0, size(found) - 1) AS place
WITH found[place] AS p, place, reduce(all = 0, x IN sizes[0..place + 1] | all + x) AS total
WHERE total <= $bytes
RETURN p {.*} AS pool ORDER BY place

// name: lock_scope(scope, at) write optional
// A scope for a new pool in it: how many there are, and nobody makes another meanwhile.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN COUNT { MATCH (p:MemoryPool) WHERE p.scope = $scope AND p.id > '' } AS pools

// name: counts(id, scope) read one
// What is kept beside a pool, and how often it was read.
MATCH (p:MemoryPool {id: $id})
WHERE p.scope = $scope
RETURN p.read_count AS reads, p.last_read_at AS last_read_at,
       COUNT { MATCH (v:PoolVersion) WHERE v.whole = $id AND v.version > 0 } AS versions,
       COUNT { MATCH (e:PoolEvent) WHERE e.whole = $id AND e.seq > 0 } AS events

// name: version(id, scope, version) read many
// The data that a pool had in one version.
MATCH (v:PoolVersion {whole: $id, version: $version})
WHERE v.scope = $scope
RETURN v {.*} AS version

// name: versions(id, scope) read many
// The former versions of a pool, newest first, without their data.
MATCH (v:PoolVersion {whole: $id})
WHERE v.version > 0 AND v.scope = $scope
RETURN v {.*, data: null, marks: null} AS version, v.size AS size ORDER BY v.version DESC

// name: prune(id, scope, keep, bytes, below) write none
// Former versions beyond so many, or beyond so many bytes together, and events up to a number.
CALL () {
  MATCH (v:PoolVersion {whole: $id})
  WHERE v.version > 0 AND v.scope = $scope
  WITH v ORDER BY v.version DESC
  WITH collect(v) AS found
  UNWIND range(0, size(found) - 1) AS place
  WITH found[place] AS v, place, reduce(all = 0, x IN found[0..place + 1] | all + x.size) AS total
  WHERE place >= $keep OR total > $bytes
  DETACH DELETE v
}
CALL () {
  MATCH (e:PoolEvent {whole: $id})
  WHERE e.seq <= $below AND e.scope = $scope
  DETACH DELETE e
}

// name: events(id, scope, after, limit) read many
// Events of a pool in the order in which they were written.
MATCH (e:PoolEvent {whole: $id})
WHERE e.scope = $scope AND e.seq > $after
RETURN e {.*} AS event ORDER BY e.seq LIMIT $limit

// name: parts(id, scope) read many
// Ids of a pool and of everything that goes with it.
MATCH (p:MemoryPool {id: $id})
WHERE p.scope = $scope
RETURN [p.id] + COLLECT { MATCH (part:Declared)-[:PART_OF]->(p) RETURN part.id } AS ids

// name: ended(id, scope, at) read many
// Ids of a pool that has ended and of its parts: upkeep has not been there yet.
MATCH (p:MemoryPool {id: $id})
WHERE p.scope = $scope AND p.ends_at <= $at
RETURN [p.id] + COLLECT { MATCH (part:Declared)-[:PART_OF]->(p) RETURN part.id } AS ids

// name: count_reads(rows) write none
// How often pools were read since it was written down last.
// unscoped: counted for pools that their readers saw
UNWIND $rows AS row
MATCH (p:MemoryPool {id: row.id})
SET p.read_count = coalesce(p.read_count, 0) + row.reads, p.last_read_at = row.at

// name: due(scopes, at, after, limit) read many
// Pools of some scopes, or of all, of which something has run out, by id.
MATCH (p:MemoryPool)
WHERE p.due_at <= $at AND p.id > $after AND ($scopes IS NULL OR p.scope IN $scopes)
RETURN p.id AS id, p.scope AS scope ORDER BY p.id LIMIT $limit

// name: old_events(scopes, before) read one
// How many events are older than a moment.
MATCH (e:PoolEvent)
WHERE e.time < $before AND ($scopes IS NULL OR e.scope IN $scopes)
RETURN count(e) AS events

// name: drop_events(scopes, before) batched one
// Events that are older than a moment go.
MATCH (e:PoolEvent)
WHERE e.time < $before AND ($scopes IS NULL OR e.scope IN $scopes)
CALL (e) { DETACH DELETE e } IN TRANSACTIONS OF 1000 ROWS
RETURN count(e) AS events

// name: rooms(scopes, readers, at, limit) read one
// Pools of some scopes that somebody may read and that have texts, those that were changed last.
MATCH (p:MemoryPool)
WHERE p.scope IN $scopes AND p.texts > 0 AND p.ends_at > $at
  AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
WITH p ORDER BY p.changed_at DESC, p.id LIMIT $limit
RETURN collect(p.id) AS ids

// name: texts(id, scope) read many
// What tells the texts of a pool apart, by their keys.
MATCH (t:PoolText {whole: $id})
WHERE t.scope = $scope
RETURN t.id AS id, t.key AS key, t.fingerprint AS fingerprint

// name: followed(id, scope, texts) write none
// How many texts a pool has, all of which follow from its data now; null where it has none.
MATCH (p:MemoryPool {id: $id})
WHERE p.scope = $scope
SET p.texts = $texts, p.texts_due = null

// name: unfollowed(after, limit) read many
// Pools whose texts are due, by id.
// unscoped: a schedule's, for every tenant
MATCH (p:MemoryPool)
WHERE p.texts_due = true AND p.id > $after
RETURN p.id AS id ORDER BY p.id LIMIT $limit

// name: tell(events) write none
// Audit events about pools.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
