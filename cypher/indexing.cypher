// name: waiting_tenants(spans, page) read many
// Tenants with memories in a state: those of the first so many of each span, in order, and whether
// the span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (e:Memory {index_state: span.state})
  USING INDEX SEEK e:Memory(index_state, tenant, ingested_at)
  WHERE e.tenant >= span.low AND e.tenant < span.high
    AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
  WITH e.tenant AS key ORDER BY e.index_state, e.tenant LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: oldest_pending(tenants, each) read one
// Memories that wait for their vectors, of each of some tenants the oldest first. In one row, here and
// below: a batch's rows one by one cost the driver as much as the database's work.
// unscoped: the worker serves every tenant
UNWIND $tenants AS tenant
CALL (tenant) {
  MATCH (e:Memory {tenant: tenant, index_state: 'pending'})
  USING INDEX SEEK e:Memory(index_state, tenant, ingested_at)
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
  WITH e ORDER BY e.index_state, e.tenant, e.ingested_at LIMIT $each
  RETURN collect(e.id) AS ids
}
WITH ids WHERE ids <> []
RETURN collect(ids) AS waiting

// name: newest_pending(tenants, each) read one
// The other end: what was said just now does not wait behind a long import.
// unscoped: the worker serves every tenant
UNWIND $tenants AS tenant
CALL (tenant) {
  MATCH (e:Memory {tenant: tenant, index_state: 'pending'})
  USING INDEX SEEK e:Memory(index_state, tenant, ingested_at)
  WHERE e.ingested_at > datetime('0001-01-02T00:00:00Z')
  WITH e ORDER BY e.index_state DESC, e.tenant DESC, e.ingested_at DESC LIMIT $each
  RETURN collect(e.id) AS ids
}
WITH ids WHERE ids <> []
RETURN collect(ids) AS waiting

// name: count_pending() read one
// unscoped: a gauge of the whole installation
MATCH (e:Memory)
WHERE e.index_state = 'pending' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
RETURN count(e) AS pending

// name: count_failed() read one
// unscoped: a gauge of the whole installation
MATCH (e:Memory)
WHERE e.index_state = 'failed' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
RETURN count(e) AS failed

// name: neighbourhood(ids, reach) read one
// Each episode with the ones said around it in its session, in order; those are indexed anew as
// well, since what is indexed of an episode depends on its neighbours. Both sides are read in the
// order of the index, so that a long session costs no more than a short one; CASE, since of an OR
// the planner makes a union of seeks over the whole session.
// unscoped: a session lies in one scope, and the worker serves every tenant
UNWIND $ids AS id
MATCH (e:Passage {id: id})
CALL (e) {
  MATCH (p:Episode {session: e.session})
  WHERE p.captured_at <= e.captured_at AND p.live AND CASE
    WHEN p.captured_at < e.captured_at THEN true
    WHEN p.ingested_at <> e.ingested_at THEN p.ingested_at < e.ingested_at
    ELSE p.id < e.id END
  WITH p ORDER BY p.session DESC, p.captured_at DESC, p.ingested_at DESC, p.id DESC LIMIT $reach
  RETURN collect(p.id) AS before
}
CALL (e) {
  MATCH (p:Episode {session: e.session})
  WHERE p.captured_at >= e.captured_at AND p.live AND CASE
    WHEN p.captured_at > e.captured_at THEN true
    WHEN p.ingested_at <> e.ingested_at THEN p.ingested_at > e.ingested_at
    ELSE p.id > e.id END
  WITH p ORDER BY p.session, p.captured_at, p.ingested_at, p.id LIMIT $reach
  RETURN collect(p.id) AS after
}
RETURN collect({id: e.id, before: before, after: after}) AS found

// name: texts(ids) read one
// What the index is made from. A memory's own id is its `memory_id`, whatever kind it is of; its
// windows share it, and are no memories.
// unscoped: the worker serves every tenant
UNWIND $ids AS id
MATCH (e:Searchable {memory_id: id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
RETURN collect(e {.id, .tenant, .scope, .kind, .content, .speaker, .title, .language, .terms,
                  .flags, .judged_by, .judged_hash, .repeats_due, rev: e.index_rev,
                  hashes: [e.embed_hash, e.embed_hash_b, e.embed_hash_c]}) AS found

// name: known_vectors(hashes) read many
// Vectors that the same text of the same model already has in the same tenant.
// unscoped: each hash covers its tenant
UNWIND $hashes AS hash
CALL (hash) {
  MATCH (n:Searchable {embed_hash: hash})
  WHERE n.embedding IS NOT NULL
  RETURN n.embedding AS vector LIMIT 1
}
RETURN hash, vector

// name: near_episodes(ids, near) read many
// Of captured episodes that have a vector, what is next to each in its own scope; the filter is
// inside the index. A memory that is met by several windows counts by the nearest.
// unscoped: the worker serves every tenant; each is held against its own scope
CYPHER 25
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e:Episode AND e.repeats_due AND e.live AND e.embedding IS NOT NULL
CALL (e) {
  MATCH (n:Searchable)
  SEARCH n IN (VECTOR INDEX memory_vector FOR e.embedding
    WHERE n.scope = e.scope AND n.live = true AND n.kind IN ['episode', 'note'] LIMIT $near) SCORE AS score
  WITH n.memory_id AS memory, max(score) AS score
  WHERE memory <> e.id
  MATCH (o:Searchable {memory_id: memory}) USING INDEX o:Searchable(memory_id)
  WHERE o:Memory AND o.scope = e.scope
  RETURN collect(o {.id, .kind, .content, .language, .terms, .tenant, .ingested_at, cosine: 2 * score - 1}) AS near
}
RETURN e {.id, .kind, .content, .language, .terms, .tenant, .ingested_at} AS episode, near

// name: flag_repeats(rows) write none
// What episodes nearly repeat, if anything; what was found first stays.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (e:Passage {id: row.id})
WHERE e:Episode
SET e.near_duplicate = coalesce(e.near_duplicate, row.other)
REMOVE e.repeats_due

// name: store_vectors(rows) write none
// Vectors of one batch, in one vector space.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (e:Searchable {memory_id: row.id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
SET e.embed_hash = row.hash, e.embedding = row.vector

// name: store_entries(rows) write none
// Context of one batch, once its vectors are there, and what its texts look like; a memory that
// changed meanwhile stays pending, and is judged by its new text then. The page of a day is made
// anew, also one that is being made for the first time, where a text of it is trusted no longer, or
// is again.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (e:Searchable {memory_id: row.id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
WITH row, e, e:Episode AND
  (size(coalesce(e.flags, [])) = 0) <> (size(coalesce(row.flags, [])) = 0) AS turns
SET e.context_terms = row.context_terms, e.windows = row.windows,
    e.flags = row.flags, e.judged_by = row.judged_by, e.judged_hash = row.judged_hash,
    e.index_state = CASE WHEN e.index_rev = row.rev THEN 'done' ELSE e.index_state END
WITH e WHERE turns
MATCH (s:Scope {path: e.scope})
SET s.touched_at = datetime.realtime()
WITH e
MATCH (d:DayPage)
WHERE d.scope = e.scope AND d.day = toString(date(e.captured_at))
SET d.due = true

// name: store_windows(rows) write none
// Further windows of long texts; each mirrors its memory's facets, and the memory is the hit.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (e:Searchable {memory_id: row.memory_id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
MERGE (w:Window {id: row.id})
SET w = row.properties, w:Searchable, w.embedding = row.vector, w.embed_hash = row.hash, w.id = row.id, w.memory_id = e.id, w.scope = e.scope,
    w.tenant = e.tenant, w.kind = e.kind, w.title = e.title, w.session = e.session, w.role = e.role, w.live = e.live,
    w.captured_at = e.captured_at, w.ingested_at = e.ingested_at, w.expired_at = e.expired_at,
    w.captured_key = e.captured_key, w.ingested_key = e.ingested_key,
    w.expired_key = e.expired_key, w.facets = e.facets
MERGE (w)-[:WINDOW_OF]->(e)

// name: drop_windows(rows) write none
// Windows of a vector space beyond the number that a text now has there: places from `place` on,
// up to where those of the next space begin.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (e:Searchable {memory_id: row.id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
MATCH (e)<-[:WINDOW_OF]-(w:Window) WHERE row.place <= w.place < row.end
DETACH DELETE w

// name: mark_failed(ids, reason) write none
// Texts that the model refuses; they stay searchable by keyword.
// unscoped: the worker serves every tenant
UNWIND $ids AS id
MATCH (e:Searchable {memory_id: id}) USING INDEX e:Searchable(memory_id) WHERE e:Memory
SET e.index_state = 'failed', e.index_error = $reason

// name: retry_failed() write one
// Texts that the model refused wait for it again.
// unscoped: upkeep of the whole installation
MATCH (e:Memory)
WHERE e.index_state = 'failed' AND e.ingested_at > datetime('0001-01-02T00:00:00Z')
SET e.index_state = 'pending'
REMOVE e.index_error
RETURN count(e) AS found

// name: save_space(name, model, version, dimension, at) write one
// unscoped: one vector space of the installation
MERGE (v:VectorSpace {name: $name})
ON CREATE SET v.model = $model, v.version = $version, v.dimension = $dimension, v.created_at = $at
RETURN v.model AS model, v.version AS version, v.dimension AS dimension

// name: forget_vectors() batched one
// Takes every vector out, in steps: they come from a model that is no longer used.
// unscoped: an operator's command over the whole installation
MATCH (n:Searchable) WHERE n.embedding IS NOT NULL OR n.embed_hash IS NOT NULL
CALL (n) { REMOVE n.embedding, n.embed_hash } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS cleared

// name: await_vectors() batched one
// Every memory that can be found waits for its vector again.
// unscoped: an operator's command over the whole installation
MATCH (e:Searchable) WHERE e:Memory AND e.index_state <> 'pending'
CALL (e) { SET e.index_state = 'pending' } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS pending

// name: forget_space(name) write none
// unscoped: one vector space of the installation
MATCH (v:VectorSpace {name: $name})
DELETE v

// name: space_uses() read many
// Scopes that chose a vector space for themselves and for what is below them.
// unscoped: which model a scope is searched with; its searches are scoped
MATCH (s:Scope)
WHERE s.space > ''
RETURN s.path AS path, s.space AS space, s.spaces_beside AS beside,
       COLLECT { MATCH (v:VectorSpace) WHERE v.name IN [s.space] + s.spaces_beside
                   AND v.setting IS NOT NULL
                 RETURN [v.name, v.setting] } AS models
