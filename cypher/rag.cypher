// name: in_bases(passages, bases, scopes) read many
// Which of these passages are of documents of these knowledge bases.
UNWIND $passages AS id
MATCH (p:Passage {id: id})-[:PART_OF]->(d:Document)
WHERE p.scope IN $scopes AND d.base IN $bases
RETURN p.id AS id

// name: named(aliases, scopes) read many
// Entities that bear one of some names, by their root.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN DISTINCT e.root AS root, size(a.key) AS length
ORDER BY length DESC, root

// name: near(vector, scopes, limit) read many
// The entities whose vectors are closest to a question's; the score is (1 + cosine) / 2.
CYPHER 25
MATCH (n:Entity)
SEARCH n IN (VECTOR INDEX entity_vector FOR $vector WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
WITH n, score WHERE n.expired_at > datetime.realtime()
RETURN n.root AS root, score ORDER BY score DESC, root

// name: mentioned(passages, scopes) read many
// What passages name, by root, with how often each is named in all.
UNWIND $passages AS id
MATCH (p:Passage {id: id})-[:MENTIONS]->(e:Entity)
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN DISTINCT id AS passage, e.root AS root, e.mention_count AS mentions

// name: hop(roots, scopes, at, fan) read many
// The next step from entities: held facts first, then what is mentioned with them most often.
UNWIND $roots AS root
MATCH (m:Entity {root: root})
WHERE m.scope IN $scopes
CALL (m) {
  MATCH (m)-[r:RELATES_TO]-(n:Entity)
  WHERE n.scope = m.scope AND r.live AND r.valid_from <= $at < r.valid_to
  RETURN n.root AS other, r.fact AS fact, r.predicate AS predicate, 1000000 AS weight
  ORDER BY fact LIMIT $fan
  UNION
  MATCH (m)-[c:COOCCURS]-(n:Entity)
  WHERE n.scope = m.scope
  RETURN n.root AS other, null AS fact, null AS predicate, c.count AS weight
  ORDER BY weight DESC, other LIMIT $fan
}
WITH root, other, fact, predicate, weight WHERE other <> root
RETURN root, other, fact, predicate, weight ORDER BY weight DESC, root, other, fact

// name: homes(roots, scopes) read many
// The finest community of each entity.
UNWIND $roots AS root
MATCH (e:Entity {id: root})
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
OPTIONAL MATCH (e)-[:IN_COMMUNITY]->(c:Community)
RETURN e.id AS root, e.canonical_name AS name, e.type AS type, c.id AS community, c.size AS size

// name: passages(roots, scopes, bases, vector, limit, fan) read many
// The passages that name most of some entities, with how close each is to a question.
UNWIND $roots AS root
MATCH (m:Entity {root: root})
WHERE m.scope IN $scopes
CALL (m) {
  MATCH (p:Passage)-[:MENTIONS]->(m)
  WHERE p.live AND ($bases IS NULL OR EXISTS { MATCH (p)-[:PART_OF]->(d:Document) WHERE d.base IN $bases })
  WITH DISTINCT p ORDER BY p.id LIMIT $fan
  RETURN p
}
WITH p, collect(DISTINCT root) AS roots ORDER BY size(roots) DESC, p.id LIMIT $limit
RETURN p.id AS id, p.kind AS kind, p.scope AS scope, p.title AS title, p.content AS content,
       p.captured_at AS captured_at, roots,
       [(p)-[:SUPPORTS]->(f:Fact) WHERE f.status <> 'active' AND f.expired_at > datetime.realtime() |
         f.statement] AS past,
       CASE WHEN p.embedding IS NULL THEN null
            ELSE vector.similarity.cosine(p.embedding, $vector) END AS closeness
