// name: find(id, scopes) read many
// A context by id.
MATCH (c:PersistentContext {id: $id})
WHERE c.scope IN $scopes
RETURN c {.*} AS context

// name: lock(id, scopes, at) write many
// One context for writing: whoever comes second reads what the first one wrote.
MATCH (c:PersistentContext {id: $id})
WHERE c.scope IN $scopes
SET c.touched_at = $at
WITH c WHERE c.id IS NOT NULL
RETURN c {.*} AS context

// name: page(scopes, type, status, owner, after, limit) read many
// Contexts of some scopes, by id.
MATCH (c:PersistentContext)
WHERE c.scope IN $scopes AND c.id > $after AND ($type IS NULL OR c.type = $type)
  AND ($status IS NULL OR c.status = $status) AND ($owner IS NULL OR c.owner = $owner)
WITH c ORDER BY c.id LIMIT $limit
RETURN c {.*} AS context ORDER BY c.id

// name: own(scopes, owner) read many
// Contexts in which an agent keeps what it remembers of itself.
MATCH (c:PersistentContext)
WHERE c.scope IN $scopes AND c.id > '' AND c.own AND c.owner = $owner AND c.status = 'active'
RETURN c {.*} AS context ORDER BY c.id

// name: lock_scope(scope, at) write optional
// A scope for a new context in it: how many there are, and nobody makes another meanwhile.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN COUNT { MATCH (c:PersistentContext) WHERE c.scope = $scope AND c.id > '' } AS contexts

// name: entry(id, context, scope) read many
// An entry by id.
MATCH (e:ContextEntry {id: $id})
WHERE e.whole = $context AND e.scope = $scope
RETURN e {.*} AS entry

// name: lock_entries(ids, context, scope, at) write many
// Entries for writing.
UNWIND $ids AS id
MATCH (e:ContextEntry {id: id})
WHERE e.whole = $context AND e.scope = $scope
SET e.touched_at = $at
WITH e WHERE e.id IS NOT NULL
RETURN e {.*} AS entry

// name: lock_keys(slots, scope, at) write many
// The entries in use under some keys, for writing.
UNWIND $slots AS slot
MATCH (e:ContextEntry {slot: slot})
WHERE e.scope = $scope
SET e.touched_at = $at
WITH e WHERE e.id IS NOT NULL
RETURN e {.*} AS entry

// name: keyed(slots, scope) read many
// The entries in use under some keys.
UNWIND $slots AS slot
MATCH (e:ContextEntry {slot: slot})
WHERE e.scope = $scope
RETURN e {.*} AS entry

// name: entries(context, scope, status, type, memory, tag, after, limit) read many
// Entries of a context, by id.
MATCH (e:ContextEntry)
WHERE e.whole = $context AND e.id > $after AND e.scope = $scope
  AND ($status IS NULL OR e.status = $status) AND ($type IS NULL OR e.entry_type = $type)
  AND ($memory IS NULL OR e.memory_type = $memory) AND ($tag IS NULL OR $tag IN e.labels)
WITH e ORDER BY e.id LIMIT $limit
RETURN e {.*} AS entry ORDER BY e.id

// name: upkept(context, scope, facts, before, after, limit) read many
// Entries in use that were made before a moment, by id; with facts, which never fade, or without.
MATCH (e:ContextEntry)
WHERE e.whole = $context AND e.id > $after AND e.scope = $scope AND e.status = 'active'
  AND e.created_at <= $before AND ($facts OR e.memory_type <> 'factual')
WITH e ORDER BY e.id LIMIT $limit
RETURN e {.*} AS entry ORDER BY e.id

// name: count(context, scope) read one
// How many entries of a context are in use.
MATCH (e:ContextEntry)
WHERE e.whole = $context AND e.id > '' AND e.scope = $scope AND e.status = 'active'
RETURN count(e) AS entries

// name: weigh(rows, scope) write none
// Set what an entry weighs, which its indexes do not hold.
UNWIND $rows AS row
MATCH (e:ContextEntry {id: row.id})
WHERE e.scope = $scope
SET e += row

// name: touch(ids, context, scope, at) write none
// Count a reading of entries.
UNWIND $ids AS id
MATCH (e:ContextEntry {id: id})
WHERE e.whole = $context AND e.scope = $scope
SET e.access_count = e.access_count + 1, e.last_accessed_at = $at

// name: versions(entry, scope) read many
// The former contents of an entry, newest first.
MATCH (v:ContextEntryVersion {refers: $entry})
WHERE v.version > 0 AND v.scope = $scope
RETURN v {.*} AS version ORDER BY v.version DESC

// name: prune_versions(entries, scope, keep) write none
// Former contents of entries beyond so many of each.
UNWIND $entries AS entry
CALL (entry) {
  MATCH (v:ContextEntryVersion {refers: entry})
  WHERE v.version > 0 AND v.scope = $scope
  WITH v ORDER BY v.version DESC SKIP $keep
  DETACH DELETE v
}

// name: accesses(context, scope, limit) read many
// Who read a context, the latest first.
MATCH (a:ContextAccess)
WHERE a.whole = $context AND a.id > '' AND a.scope = $scope
WITH a ORDER BY a.id DESC LIMIT $limit
RETURN a {.*} AS access ORDER BY a.id DESC

// name: prune_accesses(context, scope, keep) write none
// Accesses beyond so many.
MATCH (a:ContextAccess)
WHERE a.whole = $context AND a.id > '' AND a.scope = $scope
WITH a ORDER BY a.id DESC SKIP $keep
DETACH DELETE a

// name: snapshots(context, scope) read many
// The snapshots of a context, by id, which is the order of their making.
MATCH (s:ContextSnapshot)
WHERE s.whole = $context AND s.id > '' AND s.scope = $scope
RETURN s {.*} AS snapshot ORDER BY s.id

// name: snapshot(id, context, scope) read many
// One snapshot of a context.
MATCH (s:ContextSnapshot)
WHERE s.whole = $context AND s.id = $id AND s.scope = $scope
RETURN s {.*} AS snapshot

// name: taken(snapshot, scope) read many
// The entries of a snapshot, in order.
MATCH (p:ContextSnapshotEntry)
WHERE p.snapshot_id = $snapshot AND p.place >= 0 AND p.scope = $scope
RETURN p {.*} AS place ORDER BY p.place

// name: every(scopes, after, limit) read many
// Contexts in use, of some scopes or of all, by id.
MATCH (c:PersistentContext)
WHERE c.id > $after AND c.status = 'active' AND ($scopes IS NULL OR c.scope IN $scopes)
WITH c ORDER BY c.id LIMIT $limit
RETURN c {.*} AS context ORDER BY c.id

// name: tell(events) write none
// Audit events about contexts.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event

// name: near(v, context, scope, limit) read many
// Entries of a context by how near they are to a vector; an entry and its windows are one.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope = $scope AND n.session = $context AND n.live = true
    AND n.kind = 'context_entry' LIMIT $limit) SCORE AS score
WITH n.memory_id AS id, max(score) AS score
MATCH (e:ContextEntry {id: id})
WHERE e.whole = $context AND e.scope = $scope AND e.status = 'active'
RETURN e {.*} AS entry, 2 * score - 1 AS cosine ORDER BY score DESC, id

// name: near_tagged(v, context, scope, tag, limit) read many
// The same among the entries of a tag, which is no filter of the vector index: computed exactly.
MATCH (e:ContextEntry)
WHERE e.whole = $context AND e.id > '' AND e.scope = $scope AND e.status = 'active'
  AND $tag IN e.labels
MATCH (n:Searchable {memory_id: e.id})
USING INDEX n:Searchable(memory_id)
WHERE n.scope = $scope AND n.live = true AND n.embedding IS NOT NULL
WITH e, max(vector.similarity.cosine(n.embedding, $v)) AS score
RETURN e {.*} AS entry, 2 * score - 1 AS cosine ORDER BY score DESC, e.id LIMIT $limit

// name: near_pairs(context, scope, after, near, limit) read many
// Experiences of a context by id, each with those that are nearest to it.
CYPHER 25
MATCH (m:ContextEntry)
WHERE m.whole = $context AND m.id > $after AND m.scope = $scope AND m.status = 'active'
  AND m.memory_type = 'experiential' AND m.embedding IS NOT NULL
WITH m ORDER BY m.id LIMIT $limit
CALL (m) {
  MATCH (n:Searchable)
  SEARCH n IN (VECTOR INDEX memory_vector FOR m.embedding
    WHERE n.scope = $scope AND n.session = $context AND n.live = true
      AND n.kind = 'context_entry' LIMIT $near) SCORE AS score
  WITH n, score WHERE n.memory_id <> m.id
  MATCH (e:ContextEntry {id: n.memory_id})
  WHERE e.whole = $context AND e.scope = $scope AND e.status = 'active'
    AND e.memory_type = 'experiential'
  WITH e, max(score) AS score
  RETURN collect({id: e.id, cosine: 2 * score - 1, language: e.language}) AS close
}
RETURN m.id AS id, m.language AS language, close ORDER BY id
