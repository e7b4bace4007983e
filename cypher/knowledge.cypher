// name: near_entities(v, scopes, limit) read many
// Entities nearest to a vector.
CYPHER 25
MATCH (e:Entity)
SEARCH e IN (VECTOR INDEX entity_vector FOR $v WHERE e.scope IN $scopes LIMIT $limit) SCORE AS score
WITH e, score WHERE e.expired_at > datetime.realtime()
RETURN e.root AS id, 2 * max(score) - 1 AS cosine

// name: named_entities(aliases, scopes) read many
// Entities by their aliases.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE a.scope IN $scopes AND e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN DISTINCT e.root AS id ORDER BY id

// name: named_pages(names, scopes) read many
// Pages by the names that they go by.
UNWIND $names AS name
MATCH (n:LinkName {id: name})<-[:BEARS]-(p:Page)
WHERE p.scope IN $scopes AND p.live
RETURN DISTINCT p.id AS id ORDER BY id

// name: pages_of(ids, scopes) read many
// The pages that passages are cut from.
UNWIND $ids AS id
MATCH (c:Chunk {id: id})-[:PART_OF]->(p:Page)
WHERE p.scope IN $scopes AND p.live
RETURN c.id AS chunk, p.id AS page

// name: nodes(ids, scopes, tenant, degrees) read many
// Nodes of the knowledge graph by id, as they are shown; edges are counted up to $degrees. Entities
// that were merged are one node, under the id of their root.
UNWIND $ids AS id
CALL (id) {
  MATCH (e:Entity {id: id}) MATCH (n:Entity {id: e.root}) RETURN n, 'entity' AS kind
  UNION ALL
  MATCH (n:Skill {id: id}) RETURN n, 'skill' AS kind
  UNION ALL
  MATCH (n:Page {id: id}) RETURN n, 'page' AS kind
  UNION ALL
  MATCH (n:Principal {id: id, tenant: $tenant})-[:HOME]->(h:Scope)
  WHERE h.path IN $scopes
  RETURN n, 'agent' AS kind
}
WITH DISTINCT n, kind
WHERE kind = 'agent' OR (n.scope IN $scopes AND n.expired_at > datetime.realtime())
CALL (n, kind) {
  WITH n, kind WHERE kind <> 'entity'
  RETURN n AS member
  UNION ALL
  WITH n, kind WHERE kind = 'entity'
  MATCH (member:Entity {root: n.id}) WHERE member.scope = n.scope
  RETURN member
}
WITH n, kind, collect(member) AS members
RETURN n.id AS id, kind, n.scope AS scope, coalesce(n.canonical_name, n.title, n.name) AS name,
       coalesce(n.type, n.category, n.kind) AS type, coalesce(n.confidence, 1.0) AS confidence,
       reduce(sum = 0, m IN members | sum + coalesce(m.mention_count, m.usage_count, 0)) AS mentions,
       size(COLLECT {
         UNWIND members AS own
         MATCH (own)-[r:RELATES_TO|REFERENCES|REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CONCERNS|HAS_SKILL|CLONED_FROM]-(m)
         WHERE coalesce(r.live, true) AND coalesce(m.root, m.id) <> n.id
           AND (m.scope IN $scopes AND m.expired_at > datetime.realtime()
                OR m:Principal AND EXISTS { MATCH (m)-[:HOME]->(h:Scope) WHERE h.path IN $scopes })
         WITH DISTINCT coalesce(m.root, m.id) AS other, type(r) AS how, r.predicate AS predicate,
              startNode(r) = own AS outgoing
         RETURN 1 AS edge LIMIT $degrees }) AS degree

// name: hop(ids, relation, scopes, tenant, limit) read many
// The edges at nodes, each as it points; a relation is a type of edge or a predicate. What begins
// or ends outside the scopes is no edge here; what was merged has its edges together.
UNWIND $ids AS id
CALL (id) {
  MATCH (e:Entity {id: id})
  MATCH (n:Entity {root: e.root}) WHERE n.scope = e.scope
  RETURN n
  UNION ALL
  MATCH (n:Skill {id: id}) RETURN n
  UNION ALL
  MATCH (n:Page {id: id}) RETURN n
  UNION ALL
  MATCH (n:Principal {id: id, tenant: $tenant}) RETURN n
}
MATCH (n)-[r:RELATES_TO|REFERENCES|REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CONCERNS|HAS_SKILL|CLONED_FROM]-(m)
WHERE (n:Principal OR n.scope IN $scopes)
  AND (m.scope IN $scopes AND m.expired_at > datetime.realtime()
       OR m:Principal AND EXISTS { MATCH (m)-[:HOME]->(h:Scope) WHERE h.path IN $scopes })
  AND coalesce(r.live, true)
  AND ($relation IS NULL OR toLower(type(r)) = $relation OR r.predicate = $relation)
WITH DISTINCT r
WITH coalesce(startNode(r).root, startNode(r).id) AS source,
     coalesce(endNode(r).root, endNode(r).id) AS target, toLower(type(r)) AS type,
     r.predicate AS predicate, coalesce(r.weight, 1.0) * coalesce(r.confidence, 1.0) AS strength
WHERE source <> target
WITH source, target, type, predicate, max(strength) AS strength LIMIT $limit
RETURN source, target, type, predicate, strength
ORDER BY source, target, type

// name: count_nodes(scopes) read many
// How many nodes of each kind there are; what was merged counts once. By a seek in each scope: a
// scan would read what other tenants have.
CALL () {
  UNWIND $scopes AS scope
  MATCH (n:Entity {scope: scope})
  WHERE n.id > '' AND n.root = n.id AND n.expired_at > datetime.realtime()
  RETURN 'entity' AS kind, count(n) AS found
  UNION ALL
  UNWIND $scopes AS scope
  MATCH (n:Skill {scope: scope})
  WHERE n.id > '' AND n.expired_at > datetime.realtime()
  RETURN 'skill' AS kind, count(n) AS found
  UNION ALL
  UNWIND $scopes AS scope
  MATCH (n:Page {scope: scope})
  WHERE n.id > '' AND n.expired_at > datetime.realtime()
  RETURN 'page' AS kind, count(n) AS found
}
RETURN kind, found

// name: count_edges(scopes, relation) read many
// How many edges of each relation there are inside the scopes, between nodes as they are merged.
CALL () {
  UNWIND $scopes AS scope
  MATCH (n:Entity {scope: scope}) WHERE n.id > '' RETURN n
  UNION ALL
  UNWIND $scopes AS scope
  MATCH (n:Skill {scope: scope}) WHERE n.id > '' RETURN n
  UNION ALL
  UNWIND $scopes AS scope
  MATCH (n:Page {scope: scope}) WHERE n.id > '' RETURN n
}
MATCH (n)-[r:RELATES_TO|REFERENCES|REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CONCERNS|CLONED_FROM]->(m)
WHERE m.scope IN $scopes AND coalesce(r.live, true)
  AND ($relation IS NULL OR toLower(type(r)) = $relation OR r.predicate = $relation)
WITH DISTINCT toLower(type(r)) AS type, r.predicate AS predicate, coalesce(n.root, n.id) AS source,
     coalesce(m.root, m.id) AS target
WHERE source <> target
RETURN type, predicate, count(*) AS found
ORDER BY found DESC, type, predicate
