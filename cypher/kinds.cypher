// name: restore(rows) write many
// Declared nodes that are new, each with its edge to what it is a part of; the lines of those.
// unscoped: the caller has checked the scope of each row
CYPHER 25
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS { MATCH (:Declared {id: row.id}) }
OPTIONAL MATCH (whole:Declared {id: row.properties.whole})
WITH row, whole
WHERE row.properties.whole IS NULL OR whole.scope = row.scope
CREATE (n:Declared)
SET n = row.properties, n:$(row.labels)
FOREACH (_ IN CASE WHEN whole IS NULL THEN [] ELSE [1] END | CREATE (n)-[:PART_OF]->(whole))
RETURN row.line AS line

// name: present(ids) read many
// Those of some ids that a declared node has.
// unscoped: asked by an import, which has checked each path
UNWIND $ids AS id
MATCH (n:Declared {id: id})
RETURN n.id AS id

// name: twins(rows) read many
// Those of some ids that something in the scope of the same row has: a declared node, or one that
// such nodes refer to.
// unscoped: asked by an import, which has checked each path
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Declared {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Passage {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Note {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Fact {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Entity {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Page {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
  UNION
  MATCH (n:Skill {id: row.id}) WHERE n.scope = row.scope RETURN n.id AS id
}
RETURN id, row.scope AS scope

// name: ids_in(scope) read one
// The ids of all declared nodes of a scope, and of all there that such nodes refer to.
CALL () {
  MATCH (n:Declared) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Passage) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Note) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Fact) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Entity) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Page) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
  UNION
  MATCH (n:Skill) WHERE n.scope = $scope AND n.id > '' RETURN n.id AS id
}
RETURN collect(id) AS ids

// name: page(scope, kind, after, limit) read many
// The nodes of one declared kind in a scope, by id.
MATCH (n:Declared)
WHERE n.scope = $scope AND n.kind = $kind AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS row ORDER BY n.id

// name: find(id, scopes) read optional
// A declared node by id, as far as its scope is one of some; a text of a pool is none by itself, since
// it would come back from what the pool says.
MATCH (n:Declared {id: $id})
WHERE n.scope IN $scopes AND n.kind <> 'pool_text'
RETURN n.id AS id, n.kind AS kind, n.scope AS scope

// name: concerning(scope, author, session, names, fields, after, limit) read many
// Declared nodes of a scope that somebody wrote, owns or is granted, that may go with a session, or
// whose texts may name a person. What was promoted says itself out of which session it was. A page is
// read in the order of the index, up to its last node: all pages together read each node once.
MATCH (n:Declared)
USING INDEX SEEK n:Declared(scope, id)
WHERE n.scope = $scope AND n.id > $after
  AND ($author IN n.people OR n.session = $session
       OR ($session IS NOT NULL AND n.promoted_from IS NOT NULL)
       OR any(name IN $names WHERE any(field IN $fields WHERE any(text IN
              CASE WHEN n[field] IS :: LIST<STRING NOT NULL> NOT NULL THEN n[field]
                   ELSE [coalesce(toStringOrNull(n[field]), '')] END
              WHERE toLower(text) CONTAINS toLower(name)))))
RETURN n {.*} AS row ORDER BY n.scope, n.id LIMIT $limit

// name: with_parts(ids) read many
// Declared nodes by id, each with its parts.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (n:Declared {id: id})
RETURN n.id AS id, n.kind AS kind, n.scope AS scope,
       COLLECT { MATCH (part:Declared)-[:PART_OF]->(n) RETURN part.id } AS parts

// name: lock(ids, at) write many
// Declared nodes, written first: whoever changes one of them meanwhile waits.
// unscoped: the caller has checked the scope of each
UNWIND $ids AS id
MATCH (n:Declared {id: id})
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS row

// name: change(rows) write none
// Set the properties of declared nodes; null removes one. What search finds waits for its vector
// again; where its text is another, the former vectors go at once.
// unscoped: the caller holds the lock of each
UNWIND $rows AS row
MATCH (n:Declared {id: row.id})
WITH n, row, n.index_rev AS rev, n.memory_id IS NOT NULL AND n.content <> row.content AS reworded
SET n += row, n.index_rev = coalesce(rev + 1, row.index_rev)
WITH n, reworded, [(n)<-[:WINDOW_OF]-(w:Window) | w] AS windows
WHERE reworded
REMOVE n.embedding, n.embed_hash, n.embedding_b, n.embed_hash_b, n.embedding_c, n.embed_hash_c
FOREACH (w IN windows | DETACH DELETE w)

// name: drop(ids) write many
// Take declared nodes out; how many of each kind that were. An entity that stands for one of them
// goes along, unless something else needs it.
// unscoped: the caller holds the lock of each, or of what it is a part of
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WITH n, n.kind AS kind, n.entity AS entity, [(n)<-[:WINDOW_OF]-(w:Window) | w] AS windows
FOREACH (w IN windows | DETACH DELETE w)
DETACH DELETE n
WITH kind, count(*) AS removed, collect(entity) AS entities
CALL (entities) {
  UNWIND entities AS entity
  MATCH (e:Entity {id: entity})
  WHERE NOT EXISTS { (:Passage)-[:MENTIONS]->(e) } AND NOT EXISTS { (e)-[:SAME_AS]-() }
    AND NOT EXISTS { MATCH (:Fact {subject: e.id}) } AND NOT EXISTS { MATCH (:Fact {object_id: e.id}) }
  OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
  WHERE NOT EXISTS { MATCH (a)-[:NAMES]->(o:Entity) WHERE o <> e }
  WITH collect(DISTINCT e) AS gone, collect(DISTINCT a) AS names
  FOREACH (a IN names | DETACH DELETE a)
  FOREACH (e IN gone | DETACH DELETE e)
}
RETURN kind, removed

// name: referring(ids, at) write many
// Declared nodes that refer to one of some nodes, written first.
// unscoped: what they refer to is gone, wherever they lie
UNWIND $ids AS id
MATCH (n:Declared {refers: id})
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS row

// name: merging(ids, scopes, at) write many
// Entries of some scopes that took in one of some nodes, written first.
UNWIND $scopes AS scope
MATCH (n:Declared {scope: scope, kind: 'context_entry'})
WHERE n.id > '' AND any(one IN n.merged WHERE one IN $ids)
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS row

// name: drop_referring(scopes) write one
// Declared nodes that refer to what lies in some scopes, which go.
MATCH (n:Declared)
WHERE n.memory_scope IN $scopes
WITH n, [(n)<-[:WINDOW_OF]-(w:Window) | w] AS windows
FOREACH (w IN windows | DETACH DELETE w)
DETACH DELETE n
RETURN count(*) AS references

// name: stray_parts(tenant, below, limit) read many
// Parts whose whole is not there, or lies in another scope.
MATCH (n:Declared)
WHERE n.whole IS NOT NULL AND ($tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below)
  AND NOT EXISTS { (n)-[:PART_OF]->(w:Declared) WHERE w.id = n.whole AND w.scope = n.scope }
RETURN n.id AS id LIMIT $limit

// name: lost(tenant, below, limit) read many
// Declared nodes of a scope that is not there.
MATCH (n:Declared)
WHERE ($tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below)
  AND NOT EXISTS { (s:Scope) WHERE s.path = n.scope }
RETURN n.id AS id LIMIT $limit

// name: hydrate(ids, scopes, as_of, known_at, alive, readers) read one
// What a hit shows of values that search finds, as far as they were current and known at the moments;
// of a pool, as far as somebody may read it.
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WHERE n.scope IN $scopes AND n.memory_id IS NOT NULL AND n.expired_key > $alive
  AND n.ingested_at <= $known_at AND n.captured_at <= $as_of AND n.current_until > $as_of
  AND (n.kind <> 'pool_text' OR EXISTS {
    (n)-[:PART_OF]->(p:MemoryPool)
    WHERE p.ends_at > datetime.realtime()
      AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
  })
RETURN collect(n {.id, .kind, .scope, .content, .title, .tags, .captured_key, .ingested_key,
                  .expired_key, .windows, .terms, .about_terms, .language, .flags}) AS memories
