// name: known(ids, scope) read one
// Entities by id, those that are there.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope = $scope
RETURN collect({id: e.id, root: e.root, type: e.type, canonical_key: e.canonical_key,
                keys: e.keys, aliases: e.aliases, marks: e.marks}) AS rows

// name: touched_scopes(since) read many
// Scopes in which entities were written after a moment. The index is named, since one that begins
// with the scope would be read whole.
// unscoped: the worker serves every tenant
MATCH (e:Entity) USING INDEX e:Entity(touched_at, scope)
WHERE e.touched_at > $since AND e.scope > ''
RETURN DISTINCT e.scope AS scope

// name: upsert(rows, at) write one
// Writes and locks entities, in the order of their ids, then their names. What is there is added
// to, never replaced: two writers that mint one name meet in one node, in either order. A row
// without `entity` has nothing to add: its node is locked, and missing in the answer where it is
// gone.
// unscoped: each id and each alias covers its scope
UNWIND $rows AS row
WITH row ORDER BY row.id
CALL (row) {
  WITH row WHERE row.entity IS NOT NULL
  MERGE (e:Entity {id: row.id})
  ON CREATE SET e = row.entity, e.ingested_at = $at,
                e.expired_at = datetime('9999-12-31T00:00:00Z'), e:Memory
  RETURN e
  UNION
  WITH row WHERE row.entity IS NULL
  MATCH (e:Entity {id: row.id})
  RETURN e
}
SET e.touched_at = $at
WITH collect({row: row, e: e}) AS every
WITH every, [pair IN every WHERE pair.row.entity IS NOT NULL] AS pairs
CALL (pairs) {
  UNWIND pairs AS pair
  WITH pair.row AS row, pair.e AS e
  WITH row, e,
       [t IN ['person', 'organization', 'group', 'place', 'event', 'incident', 'project',
              'product', 'technology', 'artifact', 'concept', 'decision', 'lesson', 'source',
              'collection', 'unknown']
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
RETURN [pair IN every | [pair.row.id, pair.e.root]] AS roots

// name: link_mentions(rows) write none
// What passages mention; what they mention already stays.
// unscoped: $rows come from passages that were read in their scope; no edge leaves it
UNWIND $rows AS row
MATCH (ep:Passage {id: row.episode})
UNWIND row.mentions AS m
MATCH (e:Entity {id: m.entity})
WHERE e.scope = ep.scope
MERGE (ep)-[r:MENTIONS {start: m.start, end: m.end}]->(e)
ON CREATE SET r.name = m.name
WITH collect(DISTINCT e) AS found // all are there before any is counted
UNWIND found AS e
SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }

// name: add_mentions(rows) write none
// The same for passages that do not mention these things yet, each mention given once.
// unscoped: $rows come from passages that were read in their scope; no edge leaves it
UNWIND $rows AS row
MATCH (ep:Passage {id: row.episode})
UNWIND row.mentions AS m
MATCH (e:Entity {id: m.entity})
WHERE e.scope = ep.scope
CREATE (ep)-[r:MENTIONS {start: m.start, end: m.end, name: m.name}]->(e)
WITH collect(DISTINCT e) AS found // all are there before any is counted
UNWIND found AS e
SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }

// name: unlink_mentions(episodes) write many
// Takes back what `link_mentions` wrote for passages that go; returns the entities concerned.
// unscoped: asked for passages that were read in their scope
UNWIND $episodes AS episode
MATCH (ep:Passage {id: episode})-[m:MENTIONS]->(e:Entity)
WITH collect(m) AS edges, collect(DISTINCT e) AS found
FOREACH (m IN edges | DELETE m)
WITH found // all are gone before any is counted
UNWIND found AS e
SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }
RETURN e.id AS id, e.mention_count AS mention_count
ORDER BY id

// name: hold_names(scope, at) write none
// Locks the names of a scope: whether one is that of a thing is decided by one writer at a time.
MERGE (c:ConsolidationCursor {scope: $scope})
ON CREATE SET c.created_at = $at
SET c.touched_at = $at

// name: hold_names_of(scopes, at) write none
// The same of the scopes that an erasure reaches, in the order of their paths.
UNWIND $scopes AS scope
WITH scope ORDER BY scope
MATCH (c:ConsolidationCursor {scope: scope})
SET c.touched_at = $at

// name: borne(scope, keys) read many
// Which of some keys are those of things.
UNWIND $keys AS key
MATCH (e:Entity {scope: $scope, canonical_key: key})
RETURN DISTINCT key

// name: waiting(scope, words, passages) read many
// Other passages in which a name waits under one of some tokens: digests, with blanks between.
CALL db.index.fulltext.queryNodes('passage_lone', $words) YIELD node AS p
WHERE p.scope = $scope AND NOT p.id IN $passages
RETURN p.id AS id, p.lone AS lone

// name: waiting_after(scope, words, limit) read many
// What waits in passages of which a name begins with a word: its token is quoted in `asked`.
UNWIND $words AS one
CALL (one) {
  CALL db.index.fulltext.queryNodes('passage_lone', one.asked, {limit: $limit}) YIELD node AS p
  WHERE p.scope = $scope
  RETURN p.lone AS lone
}
RETURN one.word AS word, lone

// name: keep_lone(rows) write none
// What passages have waiting, in place of what they had.
// unscoped: $rows come from passages that were read in their scope
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
SET p.lone = row.lone, p.lone_tokens = row.tokens

// name: sources(scope, keys) read many
// What stands for some names, with two passages at most that mention it, and whether it has another
// reason to be: a fact, or a curator's word.
UNWIND $keys AS key
MATCH (e:Entity {scope: $scope, canonical_key: key})
RETURN e {.id, .scope, .root, .type, .canonical_name, .canonical_key, .keys, .aliases, .marks} AS entity,
       COLLECT { MATCH (p:Passage)-[:MENTIONS]->(e) RETURN DISTINCT p.id LIMIT 2 } AS passages,
       size(e.curated) > 0 OR e.is_pinned OR e.attributes <> '{}'
         OR EXISTS { MATCH (:Fact {subject: e.id}) } OR EXISTS { MATCH (:Fact {object_id: e.id}) }
         OR EXISTS { MATCH (e)-[s:SAME_AS]-(:Entity)
                     WHERE s.status IN ['accepted', 'rejected', 'undone'] AND s.rule IS NULL }
         AS held,
       EXISTS { (e)-[:SAME_AS]-(:Entity) } AS joined
ORDER BY e.id

// name: places_of(ids, scope) read many
// The passages that mention some things, with where, and with what waits there.
UNWIND $ids AS id
MATCH (e:Entity {id: id})<-[m:MENTIONS]-(p:Passage)
WHERE e.scope = $scope
WITH p, collect({entity: id, start: m.start, end: m.end, name: m.name}) AS mentions
RETURN p.id AS id, p.title AS title, p.speaker AS speaker, p.link_targets AS links, p.lone AS lone,
       mentions
ORDER BY id

// name: drop_lone(ids, scope) write none
// Things that are names of one passage again, with names that nothing else bears.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope = $scope
OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
WHERE NOT EXISTS { MATCH (a)-[:NAMES]->(o:Entity) WHERE NOT o.id IN $ids }
WITH collect(DISTINCT e) AS gone, collect(DISTINCT a) AS names
FOREACH (a IN names | DETACH DELETE a)
FOREACH (e IN gone | DETACH DELETE e)

// name: unlink_others(rows) write many
// What passages mention no more now that they were read again; returns the names concerned.
// unscoped: $rows come from passages that were read in their scope
UNWIND $rows AS row
MATCH (p:Passage {id: row.episode})-[m:MENTIONS]->(e:Entity)
WHERE NOT any(n IN row.mentions WHERE n.entity = e.id AND n.start = m.start AND n.end = m.end)
WITH collect(m) AS edges, collect(DISTINCT e) AS found
FOREACH (m IN edges | DELETE m)
WITH found // all are gone before any is counted
UNWIND found AS e
SET e.mention_count = COUNT { (e)<-[:MENTIONS]-() }
RETURN DISTINCT e.canonical_key AS key

// name: drop_unneeded(scope, keys) write none
// Things under some keys that nothing mentions, says anything of, has decided on or is joined to.
UNWIND $keys AS key
MATCH (e:Entity {scope: $scope, canonical_key: key})
WHERE NOT EXISTS { (e)<-[:MENTIONS]-() } AND size(e.curated) = 0 AND NOT e.is_pinned
  AND e.attributes = '{}' AND NOT EXISTS { (e)-[:SAME_AS]-(:Entity) }
  AND NOT EXISTS { MATCH (:Fact {subject: e.id}) } AND NOT EXISTS { MATCH (:Fact {object_id: e.id}) }
  AND NOT EXISTS { MATCH (:DataTable {entity: e.id}) }
OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
WHERE NOT EXISTS { MATCH (a)-[:NAMES]->(o:Entity) WHERE o <> e }
WITH collect(DISTINCT e) AS gone, collect(DISTINCT a) AS names
FOREACH (a IN names | DETACH DELETE a)
FOREACH (e IN gone | DETACH DELETE e)

// name: thin(scope, at) write optional
// How far the names of a scope are looked through that an older version made things of; locks them.
// The index is named, since that of `thin` would be read whole.
MATCH (c:ConsolidationCursor {scope: $scope}) USING INDEX c:ConsolidationCursor(scope)
WHERE c.thin IS NOT NULL
SET c.touched_at = $at
RETURN c.thin AS after

// name: next_keys(scope, after, limit) read many
// The next names of things, in their order.
MATCH (e:Entity)
WHERE e.scope = $scope AND e.canonical_key > $after
RETURN DISTINCT e.canonical_key AS key ORDER BY key LIMIT $limit

// name: thinned(scope, after) write none
// How far that is now; nothing where it is done.
MATCH (c:ConsolidationCursor {scope: $scope})
SET c.thin = $after

// name: digest_entities(scope) read many
// Everything of a scope's entities that counts, in the order of their ids: what was touched when
// does not.
MATCH (e:Entity)
WHERE e.scope = $scope AND e.id > ''
CALL (e) {
  OPTIONAL MATCH (a:Alias)-[:NAMES]->(e)
  WITH a.key AS key ORDER BY key
  RETURN collect(key) AS names
}
CALL (e) {
  OPTIONAL MATCH (ep:Passage)-[m:MENTIONS]->(e)
  WITH ep.id AS episode, m.start AS start, m.end AS end ORDER BY episode, start
  RETURN collect([episode, start, end]) AS mentions
}
CALL (e) {
  OPTIONAL MATCH (e)-[r:RELATES_TO]->(n:Entity)
  WITH n, r ORDER BY r.fact, n.id
  RETURN collect([n.id, r.fact, r.predicate, toString(r.valid_from), toString(r.valid_to), r.live])
         AS relations
}
RETURN e {.id, .root, .canonical_name, .canonical_key, .type, .aliases, .keys, .marks, .attributes,
          .curated, .mention_count, .importance, .trust, .is_pinned, .ingested_at, .expired_at}
         AS entity, labels(e) AS labels, names, mentions, relations
ORDER BY e.id

// name: get_entity(id, scopes, known_at) read optional
// The cluster of an entity, by the id of any of its members.
MATCH (e:Entity {id: $id})
WHERE e.scope IN $scopes
MATCH (r:Entity {id: e.root})
WHERE r.scope IN $scopes AND r.expired_at > datetime.realtime() AND r.ingested_at <= $known_at
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN r {.*, embedding: null} AS entity, labels(r) AS labels, members

// name: bearers(aliases, scopes, type, known_at, after, limit) read many
// Entities that bear one of some names, a cluster once.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE e.scope IN $scopes
WITH DISTINCT e.root AS root
MATCH (r:Entity {id: root})
WHERE r.scope IN $scopes AND r.id > $after AND r.expired_at > datetime.realtime()
  AND r.ingested_at <= $known_at AND ($type IS NULL OR r.type = $type)
WITH r ORDER BY r.id LIMIT $limit
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN r {.*, embedding: null} AS entity, labels(r) AS labels, members
ORDER BY r.id

// name: list_entities(scopes, type, known_at, after, limit) read many
// Entities in the order of their ids, a cluster once.
MATCH (r:Entity)
WHERE r.scope IN $scopes AND r.id > $after AND r.root = r.id
  AND r.expired_at > datetime.realtime() AND r.ingested_at <= $known_at
  AND ($type IS NULL OR r.type = $type)
WITH r ORDER BY r.id LIMIT $limit
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN r {.*, embedding: null} AS entity, labels(r) AS labels, members
ORDER BY r.id

// name: list_prefix(scopes, prefix, type, known_at, after, limit) read many
// Entities whose canonical name begins so, a cluster once.
MATCH (e:Entity)
WHERE e.scope IN $scopes AND e.canonical_key STARTS WITH $prefix
WITH DISTINCT e.root AS root
MATCH (r:Entity {id: root})
WHERE r.scope IN $scopes AND r.id > $after AND r.expired_at > datetime.realtime()
  AND r.ingested_at <= $known_at AND ($type IS NULL OR r.type = $type)
WITH r ORDER BY r.id LIMIT $limit
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN r {.*, embedding: null} AS entity, labels(r) AS labels, members
ORDER BY r.id

// name: hop(roots, scopes, as_of, known_at, fan) read many
// The neighbours of some clusters: what the newest 2,000 passages that were known then mention beside
// them, most often first, and what held facts relate them to at both moments; at most `fan` of each
// kind from each member.
UNWIND $roots AS root
MATCH (m:Entity {root: root})
WHERE m.scope IN $scopes
CALL (m) {
  MATCH (p:Passage)-[:MENTIONS]->(m)
  WHERE p.live AND p.ingested_at <= $known_at
  WITH DISTINCT m, p ORDER BY p.captured_at DESC, p.id LIMIT 2000
  MATCH (p)-[:MENTIONS]->(n:Entity)
  WHERE n.scope = m.scope AND n <> m
  RETURN n, 'COOCCURS' AS kind, count(DISTINCT p) AS count, null AS predicate, null AS fact,
         true AS outgoing
  ORDER BY count DESC, n.id LIMIT $fan
  UNION ALL
  MATCH (m)-[r:RELATES_TO]-(n:Entity)
  WHERE n.scope = m.scope AND EXISTS {
    MATCH (f:Fact {id: r.fact})-[a:ABOUT]->(:Entity)
    WHERE f.expired_at > datetime.realtime() AND a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
      AND a.standing = 'held'
  }
  RETURN n, 'RELATES_TO' AS kind, 1 AS count, r.predicate AS predicate, r.fact AS fact,
         startNode(r) = m AS outgoing
  ORDER BY fact LIMIT $fan
}
WITH root, n.root AS other, kind, predicate, fact, outgoing, sum(count) AS count
WHERE other <> root
MATCH (t:Entity {id: other})
WHERE t.scope IN $scopes AND t.expired_at > datetime.realtime() AND t.ingested_at <= $known_at
RETURN root, other, kind, predicate, fact, outgoing, count,
       t {.id, .scope, .canonical_name, .type, .mention_count} AS entity
ORDER BY root, count DESC, other, fact

// name: lock_entity(id, scopes, at) write optional
// The root of an entity's cluster, locked for a change.
MATCH (e:Entity {id: $id})
WHERE e.scope IN $scopes
MATCH (r:Entity {id: e.root})
WHERE r.scope IN $scopes AND r.expired_at > datetime.realtime()
SET r.touched_at = $at
RETURN r {.*, embedding: null} AS entity

// name: edit(id, scope, properties, names, audit) write one
// What a curator sets: properties, kind, and the names that it goes by from now on; a name that
// nobody goes by any more is gone.
MATCH (e:Entity {id: $id})
WHERE e.scope = $scope
SET e += $properties
FOREACH (_ IN CASE WHEN e.type = 'concept' THEN [1] ELSE [] END | SET e:Concept)
FOREACH (_ IN CASE WHEN e.type = 'decision' THEN [1] ELSE [] END | SET e:Decision)
FOREACH (_ IN CASE WHEN e.type = 'incident' THEN [1] ELSE [] END | SET e:Incident)
FOREACH (_ IN CASE WHEN e.type = 'lesson' THEN [1] ELSE [] END | SET e:Lesson)
FOREACH (_ IN CASE WHEN e.type = 'source' THEN [1] ELSE [] END | SET e:Source)
FOREACH (_ IN CASE WHEN e.type <> 'concept' THEN [1] ELSE [] END | REMOVE e:Concept)
FOREACH (_ IN CASE WHEN e.type <> 'decision' THEN [1] ELSE [] END | REMOVE e:Decision)
FOREACH (_ IN CASE WHEN e.type <> 'incident' THEN [1] ELSE [] END | REMOVE e:Incident)
FOREACH (_ IN CASE WHEN e.type <> 'lesson' THEN [1] ELSE [] END | REMOVE e:Lesson)
FOREACH (_ IN CASE WHEN e.type <> 'source' THEN [1] ELSE [] END | REMOVE e:Source)
WITH e
CALL (e) {
  MATCH (a:Alias)-[n:NAMES]->(e)
  WHERE NOT a.id IN [name IN $names | name.id]
  DELETE n
  WITH DISTINCT a
  WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) }
  DETACH DELETE a
}
CALL (e) {
  UNWIND $names AS name
  MERGE (a:Alias {id: name.id})
  ON CREATE SET a.scope = e.scope, a.key = name.key
  MERGE (a)-[:NAMES]->(e)
}
MERGE (v:AuditEvent {id: $audit.id})
SET v = $audit
MERGE (v)-[:AUDIT]->(e)
RETURN e {.*, embedding: null} AS entity, labels(e) AS labels

// name: propose(rows) write many
// Proposals that two entities are one. A pair has one edge and one record; where there is one
// already, only a proposal made by hand (`again`) opens it anew, and only once it was decided.
// unscoped: both ends must be of the record's scope
UNWIND $rows AS row
WITH row ORDER BY row.record.id
MATCH (a:Entity {id: row.record.left})
MATCH (b:Entity {id: row.record.right})
WHERE a.scope = b.scope AND a.scope = row.record.scope AND a.root <> b.root
MERGE (m:MergeRecord {id: row.record.id})
ON CREATE SET m = row.record
SET m.touched_at = row.record.proposed_at
MERGE (a)-[s:SAME_AS]->(b)
ON CREATE SET s = row.edge
MERGE (m)-[:MERGES]->(a)
MERGE (m)-[:MERGES]->(b)
WITH row, m, s, s.proposed_at = row.edge.proposed_at AS made,
     row.again AND s.status IN ['rejected', 'undone'] AS reopened
FOREACH (_ IN CASE WHEN reopened THEN [1] ELSE [] END | SET s = row.edge, m = row.record)
FOREACH (_ IN CASE WHEN made OR reopened THEN [1] ELSE [] END |
  MERGE (v:AuditEvent {id: row.audit.id}) SET v = row.audit MERGE (v)-[:AUDIT]->(m))
RETURN m.id AS id, s.status AS status, made OR reopened AS made

// name: list_merges(ids, scopes, status, after, limit) read many
// Proposals and decisions by id, with both sides; `ids` takes those alone.
MATCH (m:MergeRecord)
WHERE m.scope IN $scopes AND m.id > $after AND ($ids IS NULL OR m.id IN $ids)
  AND ($status IS NULL OR m.status = $status)
WITH m ORDER BY m.id LIMIT $limit
MATCH (a:Entity {id: m.left})
MATCH (b:Entity {id: m.right})
RETURN m {.*} AS record,
       a {.id, .canonical_name, .type, .mention_count, .root} AS left,
       b {.id, .canonical_name, .type, .mention_count, .root} AS right

// name: lock_merge(id, scopes, at) write optional
// A record with both ends. Writing the scope makes decisions of one scope wait for each other.
MATCH (m:MergeRecord {id: $id})
WHERE m.scope IN $scopes
MATCH (s:Scope {path: m.scope})
SET s.touched_at = $at
WITH m
MATCH (a:Entity {id: m.left})
MATCH (b:Entity {id: m.right})
RETURN m {.*} AS record, a {.id, .root, .mention_count} AS left, b {.id, .root, .mention_count} AS right

// name: cluster(roots, scope, at) write many
// The members of some clusters, locked, with what was decided about them, by id.
MATCH (e:Entity)
WHERE e.root IN $roots AND e.scope = $scope
WITH e ORDER BY e.id LIMIT 1000
SET e.touched_at = $at
WITH e
CALL (e) {
  OPTIONAL MATCH (e)-[s:SAME_AS]->(o:Entity)
  WHERE s.status IN ['accepted', 'rejected', 'undone']
  WITH o, s WHERE o IS NOT NULL
  WITH o, s ORDER BY o.id
  RETURN collect({right: o.id, status: s.status, left_count: s.left_count,
                  right_count: s.right_count, decided_by: s.decided_by, rule: s.rule}) AS edges
}
RETURN e.id AS id, e.root AS root, edges
ORDER BY id

// name: decide(id, scope, edge, record, roots, audit) write one
// A decision: on the edge, in the ledger, and as the roots that follow from it.
MATCH (m:MergeRecord {id: $id})
WHERE m.scope = $scope
MATCH (:Entity {id: m.left})-[s:SAME_AS]->(:Entity {id: m.right})
SET s += $edge, m += $record
WITH m
CALL (*) {
  UNWIND $roots AS row
  WITH row ORDER BY row.id
  MATCH (e:Entity {id: row.id})
  SET e.root = row.root
}
MERGE (v:AuditEvent {id: $audit.id})
SET v = $audit
MERGE (v)-[:AUDIT]->(m)
RETURN m {.*} AS record

// name: namesakes(scope, aliases, words, few, limit, at) write one
// What the rules for names look at; decisions of one scope wait for each other from here on.
// `named` are all entities that share a way of being written with a name asked for, in one or more
// steps; `whole` those whose name begins with a word that somebody or something bears alone.
// `closed` are words for which no rule can change anything, and which are not read: of the first
// `few` names that begin so some are persons and two are two for good (nobody touched either), and
// who bears the word alone is joined to nothing of another name.
// `speaking` tells of which of them episodes of the scope are, by the speaker's name or by that of
// a principal.
OPTIONAL MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
WITH count(s) AS locked
CALL () {
  UNWIND $aliases AS alias
  MATCH (a:Alias {id: alias})
  WHERE a.scope = $scope
  CALL (a) {
    MATCH (a)-[:NAMES*1..7]-(e:Entity)
    WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
    WITH DISTINCT e ORDER BY e.id LIMIT $limit
    RETURN e
  }
  WITH DISTINCT e
  RETURN collect(e) AS named
}
CALL (named) {
  UNWIND $words AS word
  MATCH (one:Entity {scope: $scope, canonical_key: word})
  WHERE one.type IN ['person', 'organization', 'group', 'unknown']
    AND one.expired_at > datetime.realtime()
  WITH named, word, collect(one) AS alone
  CALL (named, word, alone) {
    MATCH (e:Entity)
    WHERE e.scope = $scope AND e.canonical_key STARTS WITH word + ' '
      AND e.type IN ['person', 'unknown'] AND e.expired_at > datetime.realtime()
    WITH e LIMIT $few
    WITH collect(e.type) AS types,
         collect(DISTINCT CASE WHEN NOT e IN named THEN e.root END) AS roots
    RETURN size(roots) > 1 AND 'person' IN types
      AND all(b IN alone WHERE b.root IN [a IN alone | a.id]) AS apart
  }
  RETURN collect(CASE WHEN apart AND NOT any(b IN alone WHERE EXISTS {
    MATCH (b)-[:SAME_AS {status: 'accepted'}]-(o:Entity)
    WHERE o.canonical_key <> word
  }) THEN word END) AS closed, collect(word) AS borne
}
CALL (closed, borne) {
  UNWIND [word IN borne WHERE NOT word IN closed] AS word
  CALL (word) {
    MATCH (e:Entity)
    WHERE e.scope = $scope AND e.canonical_key STARTS WITH word + ' '
      AND e.type IN ['person', 'organization', 'group', 'unknown']
      AND e.expired_at > datetime.realtime()
    RETURN e ORDER BY e.scope, e.canonical_key LIMIT $limit
  }
  RETURN collect({word: word, e: e, entity: e {.id, .root, .canonical_key, .canonical_name, .type, .keys,
                                               .marks}}) AS whole
}
CALL (named, whole) {
  UNWIND [n IN named WHERE n.canonical_key IN [w IN whole | w.word]] + [w IN whole | w.e] AS e
  WITH DISTINCT e WHERE e.type = 'person'
  UNWIND e.aliases AS name
  WITH e, name
  WHERE EXISTS { MATCH (:Episode {scope: $scope, speaker: name}) }
    OR EXISTS { MATCH (:Passage {scope: $scope, author: 'user:' + e.tenant + ':' + name}) }
  RETURN collect(DISTINCT e.id) AS speaking
}
RETURN [n IN named | n {.id, .root, .canonical_key, .canonical_name, .type, .keys, .marks}] AS named,
       [w IN whole | w {.word, .entity}] AS whole, closed, speaking

// name: surnames(scope, words) read many
// Words that are last names of persons there; asked for the few that may be a firm's short name.
UNWIND $words AS word
MATCH (e:Entity)
USING TEXT INDEX e:Entity(canonical_key)
WHERE e.scope = $scope AND e.canonical_key ENDS WITH ' ' + word AND e.type = 'person'
  AND e.expired_at > datetime.realtime()
RETURN DISTINCT word

// name: follow_rules(rows, roots) write one
// What the rules decide about pairs: on the edge, in the ledger, and as the roots that follow.
// unscoped: both ends lie in the record's scope, whose lock the caller holds
CALL () {
  UNWIND $rows AS row
  MATCH (a:Entity {id: row.record.left})
  MATCH (b:Entity {id: row.record.right})
  MERGE (m:MergeRecord {id: row.record.id})
  ON CREATE SET m = row.record
  SET m += row.decided
  MERGE (a)-[s:SAME_AS]->(b)
  ON CREATE SET s = row.edge
  SET s += row.decided
  MERGE (m)-[:MERGES]->(a)
  MERGE (m)-[:MERGES]->(b)
  MERGE (v:AuditEvent {id: row.audit.id})
  SET v = row.audit
  MERGE (v)-[:AUDIT]->(m)
  RETURN count(*) AS decided
}
CALL () {
  UNWIND $roots AS row
  WITH row ORDER BY row.id
  MATCH (e:Entity {id: row.id})
  SET e.root = row.root
}
RETURN decided

// name: roots(ids) read many
// unscoped: asked inside the transaction that has written these entities
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN e.id AS id, e.root AS root

// name: place(id, scopes) read optional
// Where an entity lives.
MATCH (e:Entity {id: $id})
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN e.scope AS scope, e.root AS root

// name: places() read many
// Every scope that has entities.
// unscoped: the repair job of the whole installation
MATCH (s:Scope)
WHERE EXISTS { MATCH (e:Entity) WHERE e.scope = s.path AND e.id > '' }
RETURN s.path AS scope
ORDER BY scope

// name: candidates(scope, after, limit) read many
// The entities of a scope as the repair job compares them, by id.
MATCH (e:Entity)
WHERE e.scope = $scope AND e.id > $after AND e.expired_at > datetime.realtime()
RETURN e {.id, .root, .canonical_name, .canonical_key, .type, .keys, .marks, .attributes} AS entity
ORDER BY e.scope, e.id LIMIT $limit

// name: company(pairs, scope) read many
// What two entities share: things mentioned with both in the newest 500 passages of each, where one
// that is mentioned everywhere weighs little, and facts that relate both to the same thing.
UNWIND $pairs AS pair
MATCH (a:Entity {id: pair[0]})
MATCH (b:Entity {id: pair[1]})
WHERE a.scope = $scope AND b.scope = $scope
CALL (a, b) {
  CALL (a, b) {
    MATCH (p:Passage)-[:MENTIONS]->(a)
    WITH DISTINCT b, p ORDER BY p.captured_at DESC, p.id LIMIT 500
    MATCH (p)-[:MENTIONS]->(n:Entity)
    WITH DISTINCT n LIMIT 2000
    RETURN collect(n) AS mine
  }
  MATCH (p:Passage)-[:MENTIONS]->(b)
  WITH DISTINCT a, b, mine, p ORDER BY p.captured_at DESC, p.id LIMIT 500
  MATCH (p)-[:MENTIONS]->(n:Entity)
  WHERE n <> a AND n <> b AND n IN mine
  WITH DISTINCT n
  RETURN count(n) AS shared, sum(1.0 / log(2.0 + n.mention_count)) AS weight
}
CALL (a, b) {
  MATCH (a)-[one:RELATES_TO]->(n:Entity)
  WITH b, n, one LIMIT 500
  MATCH (b)-[other:RELATES_TO]->(n)
  WHERE other.predicate = one.predicate
  RETURN count(DISTINCT [n.id, one.predicate]) AS facts
}
RETURN a.id AS left, b.id AS right, shared, weight, facts

// name: scope_of(ids) read one
// The scope of entities of one cluster.
// unscoped: asked inside the transaction of a decision about them
MATCH (e:Entity)
WHERE e.id IN $ids
RETURN DISTINCT e.scope AS scope
