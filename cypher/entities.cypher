// name: known(aliases, scope) read many
// The bearers of each name, with what they are mentioned with where a name has several.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})
WHERE a.scope = $scope
CALL (a) {
  MATCH (a)-[:NAMES]->(e:Entity)
  WHERE e.scope = a.scope
  WITH e ORDER BY e.id LIMIT 50
  RETURN collect(e) AS bearers
}
UNWIND bearers AS e
CALL (e, bearers) {
  WITH e WHERE size(bearers) > 1
  MATCH (e)-[:COOCCURS]-(n:Entity)
  WHERE n.scope = e.scope
  WITH n LIMIT 100
  RETURN collect(n.root) AS companions
}
RETURN a.key AS key, e.id AS id, e.root AS root, e.type AS type, e.canonical_key AS canonical_key,
       e.keys AS keys, e.aliases AS aliases, e.marks AS marks, companions

// name: upsert(rows) write many
// Writes and locks entities, in the order of their ids, then their names. What is there is added
// to, never replaced: two writers that mint one name meet in one node, in either order.
// unscoped: each id and each alias covers its scope
UNWIND $rows AS row
WITH row ORDER BY row.id
MERGE (e:Entity {id: row.id})
ON CREATE SET e = row.entity, e:Memory
SET e.touched_at = row.at
WITH collect({row: row, e: e}) AS pairs
CALL (pairs) {
  UNWIND pairs AS pair
  WITH pair.row AS row, pair.e AS e
  WITH row, e,
       [t IN ['person', 'organization', 'group', 'place', 'event', 'incident', 'project',
              'product', 'technology', 'artifact', 'concept', 'decision', 'lesson', 'source',
              'unknown']
        WHERE t IN [e.type, row.entity.type]][0] AS type
  WHERE any(n IN row.entity.aliases WHERE NOT n IN e.aliases)
     OR any(k IN row.entity.keys WHERE NOT k IN e.keys)
     OR any(m IN row.entity.marks WHERE NOT m IN e.marks)
     OR type <> e.type
  CALL (row, e) {
    UNWIND e.aliases + row.entity.aliases AS n
    WITH DISTINCT n ORDER BY n
    RETURN collect(n)[..100] AS aliases
  }
  CALL (row, e) {
    UNWIND e.keys + row.entity.keys AS k
    WITH DISTINCT k ORDER BY k
    RETURN collect(k)[..200] AS keys
  }
  CALL (row, e) {
    UNWIND e.marks + row.entity.marks AS m
    WITH DISTINCT m ORDER BY m
    RETURN collect(m)[..20] AS marks
  }
  SET e.aliases = aliases, e.keys = keys, e.marks = marks,
      e.type = CASE WHEN 'type' IN e.curated THEN e.type ELSE type END,
      e.canonical_name = reduce(best = row.entity.canonical_name, n IN aliases |
        CASE WHEN size(n) > size(best) OR (size(n) = size(best) AND n < best)
             THEN n ELSE best END)
}
CALL (pairs) {
  UNWIND pairs AS pair
  WITH pair.e AS e, pair.row AS row WHERE e.type = 'concept' OR e:Concept
    OR e.type IN ['decision', 'incident', 'lesson', 'source']
  FOREACH (_ IN CASE WHEN e.type = 'concept' THEN [1] ELSE [] END | SET e:Concept)
  FOREACH (_ IN CASE WHEN e.type = 'decision' THEN [1] ELSE [] END | SET e:Decision)
  FOREACH (_ IN CASE WHEN e.type = 'incident' THEN [1] ELSE [] END | SET e:Incident)
  FOREACH (_ IN CASE WHEN e.type = 'lesson' THEN [1] ELSE [] END | SET e:Lesson)
  FOREACH (_ IN CASE WHEN e.type = 'source' THEN [1] ELSE [] END | SET e:Source)
  FOREACH (_ IN CASE WHEN e:Concept AND e.type <> 'concept' THEN [1] ELSE [] END |
    REMOVE e:Concept)
}
CALL (pairs) {
  UNWIND pairs AS pair
  UNWIND pair.row.names AS name
  WITH pair.e AS e, name ORDER BY name.id
  MERGE (a:Alias {id: name.id})
  ON CREATE SET a.scope = e.scope, a.key = name.key
  MERGE (a)-[:NAMES]->(e)
}
UNWIND pairs AS pair
WITH DISTINCT pair.e AS e
RETURN e.id AS id, e.root AS root, e.type AS type, e.marks AS marks,
       e.canonical_name AS canonical_name
ORDER BY id

// name: link_mentions(rows) write none
// What an episode mentions, and which things are mentioned together: COOCCURS counts the episodes
// that mention both, so an episode counts a pair only when it has not mentioned both before. Of
// an episode that mentions more, the first 24 entities by id make pairs.
// unscoped: $rows come from episodes that were read in their scope; no edge leaves it
UNWIND $rows AS row
MATCH (ep:Episode {id: row.episode})
CALL (ep) {
  OPTIONAL MATCH (ep)-[:MENTIONS]->(old:Entity)
  WITH DISTINCT old.id AS id ORDER BY id
  RETURN collect(id) AS had
}
CALL (ep, row) {
  UNWIND row.mentions AS m
  MATCH (e:Entity {id: m.entity})
  WHERE e.scope = ep.scope
  MERGE (ep)-[r:MENTIONS {start: m.start, end: m.end}]->(e)
  ON CREATE SET r.name = m.name
  WITH DISTINCT e
  SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }
  RETURN collect(e.id) AS added
}
CALL (had, added) {
  UNWIND had + added AS id
  WITH DISTINCT id ORDER BY id
  RETURN collect(id)[..24] AS all
}
CALL (had, all) {
  UNWIND all AS left
  UNWIND all AS right
  WITH left, right WHERE left < right AND NOT (left IN had AND right IN had)
  MATCH (a:Entity {id: left})
  MATCH (b:Entity {id: right})
  MERGE (a)-[c:COOCCURS]->(b)
  ON CREATE SET c.count = 1
  ON MATCH SET c.count = c.count + 1
}

// name: unlink_mentions(episodes) write many
// Takes back what `link_mentions` wrote for episodes that go; returns the entities concerned.
// unscoped: asked for episodes that were read in their scope
UNWIND $episodes AS episode
MATCH (ep:Episode {id: episode})-[m:MENTIONS]->(e:Entity)
WITH ep, collect(m) AS edges, collect(DISTINCT e) AS found
CALL (found) {
  UNWIND found AS e
  WITH e ORDER BY e.id
  RETURN collect(e.id)[..24] AS all
}
CALL (all) {
  UNWIND all AS left
  UNWIND all AS right
  WITH left, right WHERE left < right
  MATCH (:Entity {id: left})-[c:COOCCURS]->(:Entity {id: right})
  SET c.count = c.count - 1
  WITH c WHERE c.count < 1
  DELETE c
}
FOREACH (m IN edges | DELETE m)
WITH found
UNWIND found AS e
WITH DISTINCT e
SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }
RETURN e.id AS id, e.mention_count AS mention_count
ORDER BY id

// name: relate(rows) write none
// Typed edges between entities, one for each interval of a fact whose object is an entity; a row
// with an id that is there replaces the interval.
// unscoped: both ends must be of one scope
UNWIND $rows AS row
WITH row ORDER BY row.source, row.target, row.edge.id
MATCH (a:Entity {id: row.source})
MATCH (b:Entity {id: row.target})
WHERE a.scope = b.scope
MERGE (a)-[r:RELATES_TO {id: row.edge.id}]->(b)
SET r = row.edge

// name: group_name(paths) read optional
// What "we" is called in a scope: the name of its workspace, else of its tenant.
// unscoped: $paths are the scope's own path and those above it
MATCH (s:Scope)
WHERE s.path IN $paths AND s.kind IN ['workspace', 'tenant']
RETURN s.name AS name
ORDER BY size(s.path) DESC LIMIT 1

// name: near(session, scope, limit) read many
// Roots of what the latest episodes of a session mention.
MATCH (ep:Episode {session: $session})
WHERE ep.scope = $scope
WITH ep ORDER BY ep.captured_at DESC LIMIT $limit
MATCH (ep)-[:MENTIONS]->(e:Entity)
WHERE e.scope = ep.scope
RETURN DISTINCT e.root AS root
ORDER BY root

// name: digest_entities(scope) read many
// Everything of a scope's entities that counts, in the order of their ids: what was touched when
// does not.
MATCH (e:Entity)
WHERE e.scope = $scope
CALL (e) {
  OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
  WITH a.key AS key ORDER BY key
  RETURN collect(key) AS names
}
CALL (e) {
  OPTIONAL MATCH (e)-[c:COOCCURS]->(n:Entity)
  WITH n.id AS other, c.count AS count ORDER BY other
  RETURN collect([other, count]) AS company
}
CALL (e) {
  OPTIONAL MATCH (ep:Episode)-[m:MENTIONS]->(e)
  WITH ep.id AS episode, m.start AS start, m.end AS end ORDER BY episode, start
  RETURN collect([episode, start, end]) AS mentions
}
CALL (e) {
  OPTIONAL MATCH (e)-[r:RELATES_TO]->(n:Entity)
  WITH n.id AS other, r.id AS edge, r.retracted_at AS retracted ORDER BY edge
  RETURN collect([other, edge, toString(retracted)]) AS relations
}
RETURN e {.id, .root, .canonical_name, .canonical_key, .type, .aliases, .keys, .marks, .attributes,
          .curated, .mention_count, .importance, .trust, .is_pinned, .ingested_at, .expired_at}
         AS entity, labels(e) AS labels, names, company, mentions, relations
ORDER BY e.id
