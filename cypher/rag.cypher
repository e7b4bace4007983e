// name: in_bases(sources, bases, scopes) read many
// Which of these passages and facts are of documents of these knowledge bases: a fact is where one
// of their passages states it.
UNWIND $sources AS id
CALL (id) {
  MATCH (p:Passage {id: id})-[:PART_OF]->(d:Document)
  WHERE p.scope IN $scopes AND d.base IN $bases
  RETURN id AS source
  UNION
  MATCH (f:Fact {id: id})<-[:SUPPORTS]-(p:Passage)-[:PART_OF]->(d:Document)
  WHERE p.scope IN $scopes AND p.live AND d.base IN $bases
  RETURN id AS source
}
RETURN source AS id

// name: named_in_bases(roots, bases, scopes) read many
// Which of these entities the passages of some knowledge bases name.
UNWIND $roots AS root
MATCH (m:Entity {root: root})
WHERE m.scope IN $scopes AND EXISTS {
  MATCH (m)<-[:MENTIONS]-(p:Passage)-[:PART_OF]->(d:Document) WHERE p.live AND d.base IN $bases }
RETURN DISTINCT root

// name: communities_of_bases(bases, scopes, limit) read many
// Communities whose summaries rest on passages of some knowledge bases, or on facts that these
// state, the most lines first; those inside another one of them are left out.
UNWIND $bases AS base
MATCH (b:KnowledgeBase {id: base})
WHERE b.scope IN $scopes
MATCH (b)<-[:IN_BASE]-(d:Document)<-[:PART_OF]-(p:Passage)
WHERE p.live
CALL (p) {
  MATCH (p)<-[:CITES]-(c:Community) RETURN c, p.id AS line
  UNION
  MATCH (p)-[:SUPPORTS]->(f:Fact)<-[:CITES]-(c:Community) RETURN c, f.id AS line
}
WITH c, count(DISTINCT line) AS lines WHERE c.scope IN $scopes
WITH collect({community: c, lines: lines}) AS found, collect(c) AS known
UNWIND found AS one
WITH one.community AS c, one.lines AS lines, known
WHERE NOT EXISTS { MATCH (c)-[:IN_COMMUNITY*1..8]->(outer:Community) WHERE outer IN known }
RETURN c.id AS id ORDER BY lines DESC, c.size DESC, id LIMIT $limit

// name: named(aliases, scopes) read many
// Entities that bear one of some names, by their root.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN DISTINCT e.root AS root, size(a.key) AS length
ORDER BY length DESC, root

// name: near(vector, scopes, limit) read many
// The entities whose vectors are closest to a question's.
CYPHER 25
MATCH (n:Entity)
SEARCH n IN (VECTOR INDEX entity_vector FOR $vector WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
WITH n, score WHERE n.expired_at > datetime.realtime()
RETURN n.root AS root, 2 * score - 1 AS cosine ORDER BY cosine DESC, root

// name: mentioned(passages, scopes) read many
// What passages name, by root, with how often each is named in all.
UNWIND $passages AS id
MATCH (p:Passage {id: id})-[:MENTIONS]->(e:Entity)
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN DISTINCT id AS passage, e.root AS root, e.mention_count AS mentions

// name: hop(roots, scopes, at, fan) read many
// The next step from entities: held facts first, then what their newest 2,000 passages that are not
// hidden mention beside them most often.
UNWIND $roots AS root
MATCH (m:Entity {root: root})
WHERE m.scope IN $scopes
CALL (m) {
  MATCH (m)-[r:RELATES_TO]-(n:Entity)
  WHERE n.scope = m.scope AND r.live AND r.valid_from <= $at < r.valid_to
  RETURN n.root AS other, r.fact AS fact, r.predicate AS predicate, 1000000 AS weight
  ORDER BY fact LIMIT $fan
  UNION
  MATCH (p:Passage)-[:MENTIONS]->(m)
  WHERE p.live
  WITH DISTINCT m, p ORDER BY p.captured_at DESC, p.id LIMIT 2000
  MATCH (p)-[:MENTIONS]->(n:Entity)
  WHERE n.scope = m.scope AND n <> m
  WITH n, count(DISTINCT p) AS weight
  RETURN n.root AS other, null AS fact, null AS predicate, weight
  ORDER BY weight DESC, other LIMIT $fan
}
WITH root, other, fact, predicate, weight WHERE other <> root
RETURN root, other, fact, predicate, weight ORDER BY weight DESC, root, other, fact

// name: homes(roots, scopes) read many
// The finest community of each entity, and whether it has data in tables.
UNWIND $roots AS root
MATCH (e:Entity {id: root})
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
OPTIONAL MATCH (e)-[:IN_COMMUNITY]->(c:Community)
RETURN e.id AS root, e.canonical_name AS name, e.type AS type, c.id AS community, c.size AS size,
       EXISTS { MATCH (m:Entity {root: root}) WHERE m.scope = e.scope AND EXISTS { (m)-[:HAS_DATA_IN]->() } }
         AS has_data

// name: passages(roots, scopes, bases, limit, fan) read many
// The passages that name most of some entities.
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
RETURN p.id AS id, roots

// name: texts(ids, scopes, reader) read many
// Passages with what they say is so and is not held any more; neither what is in a buffer of the
// reader nor what was discarded.
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.scope IN $scopes AND p.live
  AND NOT EXISTS {
    MATCH (m:ConversationMessage {refers: p.id})
    WHERE m.verdict = 'discard'
       OR (m.state = 'buffered' AND m.agent = $reader
           AND EXISTS { (m)-[:PART_OF]->(c:Conversation) WHERE c.open_until > datetime.realtime() })
  }
RETURN p.id AS id, p.kind AS kind, p.scope AS scope, p.title AS title, p.content AS content,
       p.captured_at AS captured_at, p.work AS work, p.start AS first, p.language AS language,
       p.flags AS flags,
       [(p)-[u:SUPPORTS]->(f:Fact)
         WHERE f.status <> 'active' AND f.expired_at > datetime.realtime()
           AND u.until IS NULL AND (u.ongoing OR u.since IS NOT NULL)
           AND NOT u.mode IN ['end', 'deny'] |
         f.statement] AS past,
       [(p)-[u:SUPPORTS]->(f:Fact)
         WHERE f.status = 'active' AND u.until IS NULL AND (u.ongoing OR u.since IS NOT NULL)
           AND NOT u.mode IN ['end', 'deny'] |
         f.id] AS stated
