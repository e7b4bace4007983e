// name: due(limit) read many
// Scopes in which entities were written since the last pass over their communities.
// unscoped: the worker serves every tenant
MATCH (k:ConsolidationCursor)
OPTIONAL MATCH (c:CommunityCursor {scope: k.scope})
WITH k.scope AS scope, coalesce(c.reached_at, datetime('0001-01-02T00:00:00Z')) AS since
WHERE EXISTS { MATCH (e:Entity {scope: scope}) WHERE e.touched_at > since }
RETURN scope ORDER BY scope LIMIT $limit

// name: take(scope, tenant, holder, at, until) write optional
// The scope for one holder, unless another has it and its lease still runs.
MERGE (c:CommunityCursor {scope: $scope})
ON CREATE SET c.tenant = $tenant, c.created_at = $at
SET c.touched_at = $at
WITH c WHERE c.holder IS NULL OR c.holder = $holder OR c.lease_until <= $at
SET c.holder = $holder, c.lease_until = $until
RETURN c.reached_at AS reached_at, c.whole_at AS whole_at, coalesce(c.entities, 0) AS entities,
       coalesce(c.moved, 0) AS moved

// name: finish(scope, holder, state) write optional
// How far the pass came; gives the scope back.
MATCH (c:CommunityCursor {scope: $scope, holder: $holder})
SET c += $state
REMOVE c.holder, c.lease_until
RETURN c.scope AS scope

// name: give_back(scope, holder, error) write none
// A pass that failed leaves everything as it was, and why.
MATCH (c:CommunityCursor {scope: $scope, holder: $holder})
SET c.error = $error
REMOVE c.holder, c.lease_until

// name: cursors(scopes) read many
// How far the communities of scopes are.
MATCH (c:CommunityCursor)
WHERE c.scope IN $scopes
RETURN c {.scope, .reached_at, .whole_at, .entities, .moved, .error} AS cursor
ORDER BY c.scope

// name: count_entities(scope) read one
// How many entities stand for themselves.
MATCH (e:Entity {scope: $scope})
WHERE e.root = e.id
RETURN count(e) AS entities

// name: touched(scope, since) read one
// Roots of the entities that were written since a moment.
MATCH (e:Entity {scope: $scope})
WHERE e.touched_at > $since
RETURN collect(DISTINCT e.root) AS roots

// name: links(scope, after, at, limit) read many
// Entities in the order of their ids, with what held facts relate each to, by root.
MATCH (e:Entity {scope: $scope})
WHERE e.id > $after
WITH e ORDER BY e.scope, e.id LIMIT $limit
CALL (e) {
  MATCH (e)-[r:RELATES_TO]->(n:Entity)
  WHERE r.live AND r.valid_from <= $at < r.valid_to
  RETURN collect(n.root) AS related
}
RETURN e.id AS id, e.root AS root, e.expired_at > $at AS held, related
ORDER BY id

// name: links_of(scope, roots, at) read many
// The same of some clusters.
UNWIND $roots AS root
MATCH (e:Entity {root: root})
WHERE e.scope = $scope
CALL (e) {
  MATCH (e)-[r:RELATES_TO]->(n:Entity)
  WHERE r.live AND r.valid_from <= $at < r.valid_to
  RETURN collect(n.root) AS related
}
RETURN e.id AS id, e.root AS root, e.expired_at > $at AS held, related
ORDER BY id

// name: together(scope, after, most, limit) read many
// Passages that are shown in the order of their ids, with the entities that each mentions and their
// roots, the first `most` by id.
MATCH (p:Passage)
WHERE p.scope = $scope AND p.id > $after AND p.live
WITH p ORDER BY p.scope, p.id LIMIT $limit
RETURN p.id AS id, COLLECT {
  MATCH (p)-[:MENTIONS]->(e:Entity)
  WITH DISTINCT e ORDER BY e.id LIMIT $most
  RETURN [e.id, e.root] } AS named
ORDER BY id

// name: together_of(scope, roots, most) read many
// The same of the passages that mention some clusters.
UNWIND $roots AS root
MATCH (e:Entity {root: root})<-[:MENTIONS]-(p:Passage)
WHERE e.scope = $scope AND p.live
WITH DISTINCT p
RETURN p.id AS id, COLLECT {
  MATCH (p)-[:MENTIONS]->(e:Entity)
  WITH DISTINCT e ORDER BY e.id LIMIT $most
  RETURN [e.id, e.root] } AS named
ORDER BY id

// name: renew(scope, holder, until) write optional
// Holds a scope longer, before slow work; nothing where another has it.
MATCH (c:CommunityCursor {scope: $scope, holder: $holder})
SET c.lease_until = $until
RETURN c.scope AS scope

// name: leaves_of(scope, roots) read one
// The finest communities that some entities are in.
UNWIND $roots AS id
MATCH (e:Entity {id: id})-[:IN_COMMUNITY]->(c:Community)
WHERE c.scope = $scope
RETURN collect(DISTINCT c.id) AS ids

// name: damaged(scope, at) read one
// Communities that something went from: a member, a part, or what their summaries cite.
MATCH (c:Community {scope: $scope})
WHERE c.size >= 0
  AND (c.inner <> COUNT { (e:Entity)-[:IN_COMMUNITY]->(c) WHERE e.root = e.id AND e.expired_at > $at }
                  + COUNT { (:Community)-[:IN_COMMUNITY]->(c) }
   OR c.cited <> COUNT { (c)-[:CITES]->(x:Passage) WHERE x.live }
                 + COUNT { (c)-[:CITES]->(x:Fact) WHERE x.status = 'active' AND x.expired_at > $at })
RETURN collect(c.id) AS ids

// name: every(scope) read one
// The ids of a scope's communities.
MATCH (c:Community {scope: $scope})
WHERE c.size >= 0
RETURN collect(c.id) AS ids

// name: stored(scope, ids) read many
// Communities as they are kept.
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.scope = $scope
RETURN c.id AS id, c.level AS level, c.size AS size,
       COLLECT { MATCH (c)-[:IN_COMMUNITY]->(p:Community) RETURN p.id }[0] AS parent,
       COLLECT { MATCH (x:Entity|Community)-[:IN_COMMUNITY]->(c) RETURN x.id ORDER BY x.id } AS inner,
       COLLECT { MATCH (c)-[r:CENTRAL]->(e:Entity) RETURN [e.id, r.score] ORDER BY r.place } AS central,
       COLLECT { MATCH (c)-[r:CITES]->(f:Fact) RETURN f.id ORDER BY r.place } AS facts,
       COLLECT { MATCH (c)-[r:CITES]->(p:Passage) RETURN [p.id, r.start, r.end] ORDER BY r.place }
         AS sentences

// name: save_leaves(scope, tenant, holder, until, at, rows) write many
// Finest communities with their members, each of which leaves where it was before.
MATCH (k:CommunityCursor {scope: $scope, holder: $holder})
SET k.lease_until = $until
WITH k
UNWIND $rows AS row
MERGE (c:Community {id: row.id})
ON CREATE SET c.scope = $scope, c.tenant = $tenant, c.cited = 0, c.ingested_at = $at
SET c.level = 0, c.size = row.size, c.inner = size(row.inner), c.regrouped_at = $at
WITH c, row
CALL (c) {
  MATCH (:Entity|Community)-[old:IN_COMMUNITY]->(c)
  DELETE old
}
CALL (c, row) {
  UNWIND row.inner AS id
  MATCH (e:Entity {id: id})
  WHERE e.scope = $scope
  CALL (e) {
    MATCH (e)-[old:IN_COMMUNITY]->(:Community)
    DELETE old
  }
  CREATE (e)-[:IN_COMMUNITY]->(c)
}
RETURN c.id AS id

// name: save_nests(scope, tenant, holder, until, at, rows) write many
// Communities of communities with their parts; `size` counts entities.
MATCH (k:CommunityCursor {scope: $scope, holder: $holder})
SET k.lease_until = $until
WITH k
UNWIND $rows AS row
MERGE (c:Community {id: row.id})
ON CREATE SET c.scope = $scope, c.tenant = $tenant, c.cited = 0, c.ingested_at = $at
SET c.level = row.level, c.size = row.size, c.inner = size(row.inner), c.regrouped_at = $at
WITH c, row
CALL (c) {
  MATCH (:Entity|Community)-[old:IN_COMMUNITY]->(c)
  DELETE old
}
CALL (c, row) {
  UNWIND row.inner AS id
  MATCH (x:Community {id: id})
  WHERE x.scope = $scope
  CALL (x) {
    MATCH (x)-[old:IN_COMMUNITY]->(:Community)
    DELETE old
  }
  CREATE (x)-[:IN_COMMUNITY]->(c)
}
RETURN c.id AS id

// name: remove(scope, holder, until, ids) write many
// Communities that no longer are.
MATCH (k:CommunityCursor {scope: $scope, holder: $holder})
SET k.lease_until = $until
WITH k
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.scope = $scope
DETACH DELETE c
RETURN id

// name: describe(scope, holder, until, at, rows) write many
// What summaries show, in place of what they showed before.
MATCH (k:CommunityCursor {scope: $scope, holder: $holder})
SET k.lease_until = $until
WITH k
UNWIND $rows AS row
MATCH (c:Community {id: row.id})
WHERE c.scope = $scope
CALL (c) {
  MATCH (c)-[old:CENTRAL|CITES]->()
  DELETE old
}
CALL (c, row) {
  UNWIND row.central AS one
  MATCH (e:Entity {id: one.id})
  WHERE e.scope = $scope
  CREATE (c)-[:CENTRAL {place: one.place, score: one.score}]->(e)
}
CALL (c, row) {
  UNWIND row.facts AS one
  MATCH (f:Fact {id: one.id})
  WHERE f.scope = $scope
  CREATE (c)-[:CITES {place: one.place}]->(f)
}
CALL (c, row) {
  UNWIND row.sentences AS one
  MATCH (p:Passage {id: one.id})
  WHERE p.scope = $scope
  CREATE (c)-[:CITES {place: one.place, start: one.start, end: one.end}]->(p)
}
SET c.cited = COUNT { (c)-[:CITES]->() }, c.told_at = $at
REMOVE c.words, c.words_key, c.worded_by, c.words_error, c.words_due_at
RETURN c.id AS id

// name: facts(roots, scope, at, limit) read many
// What is held of clusters now, the best attested first.
UNWIND $roots AS root
CALL (root) {
  MATCH (m:Entity {root: root})
  WHERE m.scope = $scope
  MATCH (f:Fact {subject: m.id})
  WHERE f.status = 'active' AND f.expired_at > $at AND EXISTS {
    MATCH (f)-[a:ABOUT]->(:Entity)
    WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
      AND a.valid_from <= $at < a.valid_to }
  RETURN f ORDER BY f.evidence DESC, f.id LIMIT $limit
}
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN root, f.id AS id, o.root AS object, f.confidence AS confidence

// name: texts(rows, scope, limit, fan) read many
// For some sets of clusters the passages that name most of each, with the places of the names.
UNWIND $rows AS row
CALL (row) {
  UNWIND row.roots AS root
  MATCH (m:Entity {root: root})
  WHERE m.scope = $scope
  CALL (m) {
    MATCH (p:Passage)-[:MENTIONS]->(m)
    WHERE p.live
    WITH DISTINCT p ORDER BY p.id LIMIT $fan
    RETURN p
  }
  WITH p, count(DISTINCT root) AS named ORDER BY named DESC, p.id LIMIT $limit
  RETURN p
}
RETURN row.id AS community, p.id AS id, p.content AS content,
       [(p)-[x:MENTIONS]->(e:Entity) WHERE e.root IN row.roots | [x.start, e.root]] AS named,
       [(p)-[s:SUPPORTS]->(f:Fact)
        WHERE f.status <> 'active' OR f.expired_at <= datetime.realtime() | [s.start, s.end]] AS lapsed

// name: read(ids, scopes, at) read many
// Communities with what their summaries show now: names, facts that are held, and passages whose
// cited words make no claim that has lapsed.
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.scope IN $scopes
RETURN c {.id, .scope, .level, .size, .inner, .cited, .told_at, .words, .words_key, .worded_by,
          .words_error} AS community,
       COLLECT { MATCH (c)-[:IN_COMMUNITY]->(p:Community) RETURN p.id }[0] AS parent,
       COLLECT { MATCH (c)-[r:CENTRAL]->(e:Entity) WHERE e.expired_at > $at
                 RETURN e {.id, .type, name: e.canonical_name, score: r.score} ORDER BY r.place }
         AS central,
       COLLECT { MATCH (c)-[r:CITES]->(f:Fact)
                 WHERE f.status = 'active' AND f.expired_at > $at AND EXISTS {
                   MATCH (f)-[a:ABOUT]->(:Entity)
                   WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z')
                     AND a.standing = 'held' AND a.valid_from <= $at < a.valid_to }
                 RETURN f {.id, .statement, .language, .confidence, .trust, .subject, .object_id,
                           newer: COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
                             WHERE n.scope IN $scopes AND n.expired_at > $at
                               AND m.retracted_at > $at AND b.standing = 'held'
                               AND b.retracted_at > $at AND b.valid_from <= $at < b.valid_to
                             RETURN {fact: n.id, statement: n.statement, since: b.valid_from,
                                     precision: b.from_precision}
                             ORDER BY b.valid_from DESC, n.id LIMIT 5 }} ORDER BY r.place }
         AS facts,
       COLLECT { MATCH (c)-[r:CITES]->(p:Passage)
                 WHERE p.live AND NOT EXISTS {
                   MATCH (p)-[s:SUPPORTS]->(f:Fact)
                   WHERE s.start < r.end AND s.end > r.start
                     AND (f.status <> 'active' OR f.expired_at <= $at) }
                 RETURN p {.id, .kind, .content, .title, .captured_at, .work, first: p.start,
                           start: r.start, end: r.end}
                 ORDER BY r.place } AS sentences

// name: list_communities(scopes, level, parent, skip, limit) read many
// Communities, the largest first: the outermost ones, those of a level, or the parts of one.
MATCH (c:Community)
WHERE c.scope IN $scopes AND c.size >= 0 AND ($level IS NULL OR c.level = $level)
  AND ($parent IS NULL OR EXISTS { (c)-[:IN_COMMUNITY]->(:Community {id: $parent}) })
  AND ($level IS NOT NULL OR $parent IS NOT NULL OR NOT EXISTS { (c)-[:IN_COMMUNITY]->(:Community) })
RETURN c.id AS id ORDER BY c.size DESC, c.id SKIP $skip LIMIT $limit

// name: members(id, scopes, skip, limit) read many
// The entities in a community, however deep.
MATCH (c:Community {id: $id})
WHERE c.scope IN $scopes
MATCH (e:Entity)-[:IN_COMMUNITY*1..8]->(c)
WHERE e.expired_at > datetime.realtime()
RETURN e {.id, .type, .mention_count, name: e.canonical_name} AS entity
ORDER BY e.mention_count DESC, e.id SKIP $skip LIMIT $limit

// name: unworded(scope, at, limit) read many
// Communities that wait for a model's words, the largest first, and those of which something at
// the heart was written since they got them.
MATCH (c:Community {scope: $scope})
WHERE c.size >= 0 AND c.cited > 0
  AND ((c.words IS NULL AND (c.words_due_at IS NULL OR c.words_due_at <= $at))
    OR (c.words IS NOT NULL AND EXISTS {
          MATCH (c)-[:CENTRAL]->(e:Entity) WHERE e.touched_at > c.worded_at }))
RETURN c.id AS id ORDER BY c.size DESC, id LIMIT $limit

// name: wordless(at, limit) read many
// Scopes with communities that wait for a model's words.
// unscoped: the worker serves every tenant
MATCH (k:CommunityCursor)
WHERE EXISTS {
  MATCH (c:Community {scope: k.scope})
  WHERE c.size >= 0 AND c.cited > 0 AND c.words IS NULL
    AND (c.words_due_at IS NULL OR c.words_due_at <= $at) }
RETURN k.scope AS scope ORDER BY scope LIMIT $limit

// name: word(id, scope, told_at, words, at) write optional
// A model's words, where all that the summary cited when they were made is still there and held.
// The first clause locks: an erasure that is under way has gone or has yet to take them.
MATCH (c:Community {id: $id})
WHERE c.scope = $scope
SET c.worded_at = $at
WITH c
WHERE c.told_at = $told_at
  AND c.cited = COUNT { (c)-[:CITES]->(x:Passage) WHERE x.live }
                + COUNT { (c)-[:CITES]->(x:Fact) WHERE x.status = 'active' AND x.expired_at > $at }
SET c += $words
REMOVE c.words_error, c.words_due_at
RETURN c.id AS id

// name: still_worded(id, scope, at) write none
MATCH (c:Community {id: $id})
WHERE c.scope = $scope
SET c.worded_at = $at

// name: refuse_words(id, scope, reason, due_at) write none
// Why there are no words, and when to ask again.
MATCH (c:Community {id: $id})
WHERE c.scope = $scope
SET c.words_error = $reason, c.words_due_at = $due_at
REMOVE c.words, c.words_key, c.worded_by

// name: unword(scope) write none
// A scope's words go, and with them why there are none.
MATCH (c:Community {scope: $scope})
WHERE c.size >= 0 AND (c.words IS NOT NULL OR c.words_error IS NOT NULL)
REMOVE c.words, c.words_key, c.worded_by, c.words_error, c.words_due_at

// name: drop_words(passages, facts, at) write none
// The words of every community that cites something that goes, or is told in other words now.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $passages AS id
  MATCH (c:Community)-[:CITES]->(:Passage {id: id})
  RETURN c
  UNION
  UNWIND $facts AS id
  MATCH (c:Community)-[:CITES]->(:Fact {id: id})
  RETURN c
}
SET c.worded_at = $at
REMOVE c.words, c.words_key, c.worded_by
