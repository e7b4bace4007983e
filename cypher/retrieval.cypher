// name: waiting_scopes(spans, page) read many
// Scopes with passages whose names are not in the graph yet: those of the first so many of each
// span, in order, and whether the span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (p:Passage {link_state: span.state})
  USING INDEX SEEK p:Passage(link_state, scope)
  WHERE p.scope >= span.low AND p.scope < span.high
  WITH p.scope AS key ORDER BY p.link_state, p.scope LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: count_waiting() read one
// unscoped: a gauge of the whole installation
MATCH (p:Passage)
WHERE p.link_state IN ['pending', 'titled'] AND p.scope > ''
RETURN count(p) AS waiting

// name: lock(scope, tenant, at) write one
// One writer of a scope's names at a time; every change has a number.
MERGE (g:PassageGraph {scope: $scope})
ON CREATE SET g.tenant = $tenant, g.revision = 0, g.dropped = 0, g.linked = 0, g.created_at = $at
SET g.touched_at = $at, g.tenant = $tenant
RETURN g.revision AS revision, g.linked AS linked

// name: bump(scope, revision, linked, compares) write none
// The number of the last change, after everything else of it. Where names are not compared, those
// that were written are looked for when they are again.
MATCH (g:PassageGraph {scope: $scope})
SET g.revision = $revision, g.linked = g.linked + $linked,
    g.alike_rev = CASE WHEN $compares THEN g.alike_rev END,
    g.unbegun = CASE WHEN NOT $compares OR g.alike_rev IS NULL THEN true END

// name: unnamed(scope, limit) read many
// Passages of which it is not known yet what they are about.
MATCH (p:Passage {link_state: 'pending', scope: $scope})
WITH p LIMIT $limit
RETURN p.id AS id, p.title AS title, p.speaker AS speaker, p.role AS role, p.number AS number,
       p.aliases AS aliases, p.heading_path AS headings, left(p.content, 400) AS opening

// name: unlinked(scope, limit) read many
// Passages of which it is not known yet whom they name.
MATCH (p:Passage {link_state: 'titled', scope: $scope})
WITH p LIMIT $limit
RETURN p.id AS id, p.title AS title, p.speaker AS speaker, p.language AS language, p.content AS content,
       p.triples AS triples, p.link_targets AS targets, p.linked_rev IS NOT NULL AS again

// name: save_names(scope, tenant, rows, revision, state) write many
// What passages are about, in place of what was held of it before; the keys that nobody went by.
// A name that nobody goes by any more keeps the passages that write it as a name, or are given it.
// `state` is that of names that are new to be compared; who came or ceased to go by one, and what
// stood for that, is compared again.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
WHERE p.scope = $scope
SET p.link_state = 'titled'
WITH p, row
CALL (p, row) {
  MATCH (p)-[r:GOES_BY]->(old:Name)
  WHERE NOT old.id IN [name IN row.names | name.id]
  DELETE r
  WITH DISTINCT old
  WHERE NOT EXISTS { (:Passage)-[:GOES_BY]->(old) }
  REMOVE old.revision
  SET old.alike_state = CASE WHEN old.alike_state IS NOT NULL THEN 'pending' END
  WITH old
  CALL (old) {
    MATCH (f:Name)-[s:SYNONYM]->(old)
    SET f.alike_state = 'pending'
    DELETE s
  }
  WITH old
  MATCH (:Passage)-[m:REFERS_TO]->(old) WHERE NOT m.written AND NOT coalesce(m.given, false)
  DELETE m
}
WITH p, row
UNWIND row.names AS name
MERGE (t:Name {id: name.id})
ON CREATE SET t.scope = $scope, t.tenant = $tenant, t.key = name.key
SET t.alike_state = CASE WHEN t.revision IS NOT NULL THEN t.alike_state
                         WHEN t.alike_state IS NOT NULL THEN 'pending' ELSE $state END
WITH p, t, name
SET t.revision = coalesce(t.revision, $revision)
WITH p, t, name
MERGE (p)-[r:GOES_BY]->(t)
SET r.how = name.how
WITH DISTINCT t
WHERE t.revision = $revision
RETURN t.id AS id, t.key AS key

// name: known_names(scope, ids) read many
// Which of these names somebody goes by.
UNWIND $ids AS id
MATCH (t:Name {id: id})
WHERE t.scope = $scope AND t.revision IS NOT NULL
RETURN t.key AS key

// name: names_since(scope, after) read one
// The names that somebody goes by since a revision, as one column.
MATCH (t:Name)
WHERE t.scope = $scope AND t.revision > $after
RETURN collect(t.key) AS keys

// name: with_words(scope, names, skip, limit) read many
// Passages with all the words of new names, to be looked at word by word.
UNWIND $names AS name
CALL db.index.fulltext.queryNodes('memory_text', name.q, {skip: $skip, limit: $limit}) YIELD node AS p
WHERE p.scope = $scope AND p:Passage
WITH p, collect(name.key) AS keys
RETURN p.id AS id, p.link_state AS state, p.content AS content, keys

// name: forget_links(scope, rows) write none
// What passages that are linked anew name no more: their words stay, and may link elsewhere now.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})-[r:REFERS_TO]->(t:Name)
WHERE p.scope = $scope AND NOT t.id IN [name IN row.names | name.id]
DELETE r
WITH DISTINCT t
WHERE NOT EXISTS { (:Passage)-[:GOES_BY|REFERS_TO]->(t) }
DETACH DELETE t

// name: save_links(scope, tenant, rows, revision, state) write none
// Whom passages name. A name takes its edges along.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
WHERE p.scope = $scope
SET p.link_state = 'linked', p.linked_rev = $revision
WITH p, row
UNWIND row.names AS name
MERGE (t:Name {id: name.id})
ON CREATE SET t.scope = $scope, t.tenant = $tenant, t.key = name.key, t.alike_state = $state
MERGE (p)-[r:REFERS_TO]->(t)
SET r.spans = name.spans, r.parts = name.parts,
    r.written = coalesce(r.written, false) OR name.written,
    r.given = coalesce(r.given, false) OR name.given

// name: revisions(scopes) read one
// How far the names of each scope are, in one row: every search asks it of all its scopes.
UNWIND $scopes AS scope
MATCH (g:PassageGraph {scope: scope})
RETURN collect([g.scope, g.revision, g.dropped, g.called_at, coalesce(g.alike_rev, 0)]) AS found

// name: revised(scopes) read one
// The same of all scopes together: sums that change with each of them, which only grow. A thousand
// rows that say what was known take longer to read than to find.
UNWIND $scopes AS scope
MATCH (g:PassageGraph {scope: scope})
RETURN [count(g), sum(g.revision), sum(g.revision * g.revision), sum(g.dropped),
        sum(coalesce(g.called_at.epochMillis, 0)), sum(coalesce(g.alike_rev, 0))] AS sums

// name: every_scope() read many
// Scopes with a graph of names.
// unscoped: the worker serves every tenant
MATCH (g:PassageGraph)
WHERE g.scope > ''
RETURN g.scope AS scope

// name: newly_called(scopes, limit) read many
// Of some scopes those whose entities were named or joined since that was last noted.
// unscoped: the worker serves every tenant
UNWIND $scopes AS scope
MATCH (g:PassageGraph {scope: scope})
CALL (g) {
  MATCH (e:Entity)
  WHERE e.scope = g.scope AND e.touched_at > coalesce(g.called_at, datetime('0001-01-02T00:00:00Z'))
    AND (size(e.keys) > 1 OR EXISTS { (e)-[:SAME_AS]-() })
  RETURN max(e.touched_at) AS at
}
WITH g, at WHERE at IS NOT NULL
RETURN g.scope AS scope, at LIMIT $limit

// name: note_called(rows) write none
// Tells every process to look at the names of a scope's entities again.
// unscoped: the worker serves every tenant
UNWIND $rows AS row
MATCH (g:PassageGraph {scope: row.scope})
SET g.called_at = row.at

// name: called_since(scope, after, upto) read many
// Entities with several names, or merged, that were written to between two moments.
MATCH (e:Entity)
WHERE e.scope = $scope AND e.touched_at > $after AND e.touched_at <= $upto
  AND (size(e.keys) > 1 OR EXISTS { (e)-[:SAME_AS]-() })
RETURN e.id AS id, e.root AS root, e.type AS type, e.aliases AS aliases

// name: linked_since(scope, after, upto) read many
// What changed between two revisions, of passages that are about something or name somebody.
MATCH (p:Passage)
WHERE p.scope = $scope AND p.linked_rev > $after AND p.linked_rev <= $upto
  AND (NOT p.live OR EXISTS { (p)-[:GOES_BY|REFERS_TO]->(:Name) })
RETURN p.id AS id, p.live AS live, p.work AS work, p.number AS number,
       [(p)-[r:GOES_BY]->(t:Name) | [t.key, r.how]] AS about,
       [(p)-[r:REFERS_TO]->(t:Name) | [t.key, t.revision IS NOT NULL, r.spans,
         coalesce(r.parts, []), r.written, coalesce(r.given, false)]] AS names

// name: drop_names(passages, at) write one
// The names that only passages that go went by or wrote. It goes before they do.
// unscoped: whoever takes passages out has checked them
UNWIND $passages AS id
MATCH (p:Passage {id: id})
WITH collect(DISTINCT p) AS gone, collect(DISTINCT p.scope) AS scopes
CALL (scopes) {
  UNWIND scopes AS scope
  MATCH (g:PassageGraph {scope: scope})
  SET g.revision = g.revision + 1, g.dropped = g.revision + 1, g.touched_at = $at
}
CALL (gone) {
  UNWIND gone AS p
  MATCH (p)-[:GOES_BY]->(t:Name)
  WITH DISTINCT t, gone
  WHERE NOT EXISTS { MATCH (o:Passage)-[:GOES_BY]->(t) WHERE NOT o IN gone }
  REMOVE t.revision
  SET t.alike_state = CASE WHEN t.alike_state IS NOT NULL THEN 'pending' END
  WITH t
  CALL (t) {
    MATCH (f:Name)-[s:SYNONYM]->(t)
    SET f.alike_state = 'pending'
    DELETE s
  }
  WITH t
  MATCH (:Passage)-[m:REFERS_TO]->(t) WHERE NOT m.written AND NOT coalesce(m.given, false)
  DELETE m
}
CALL (gone) {
  UNWIND gone AS p
  MATCH (p)-[:GOES_BY|REFERS_TO]->(t:Name)
  WITH DISTINCT t, gone
  WHERE NOT EXISTS { MATCH (o:Passage)-[:GOES_BY|REFERS_TO]->(t) WHERE NOT o IN gone }
  DETACH DELETE t
  RETURN count(*) AS names
}
RETURN names

// name: terms_of(id, scopes) read optional
// The analysed words of a passage, and of what it is about.
MATCH (p:Passage {id: $id})
WHERE p.scope IN $scopes
RETURN p.terms + ' ' + p.about_terms AS terms

// name: admit(ids, scopes, kinds, roles, sessions, tags, since, until) read many
// Which of these passages are held now and satisfy the filters of a search.
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.scope IN $scopes AND p.live AND p.kind IN $kinds
  AND ($roles IS NULL OR p.role IN $roles)
  AND ($sessions IS NULL OR p.session IN $sessions)
  AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN p.tags))
  AND p.captured_at >= $since AND p.captured_at <= $until
RETURN p.id AS id

// name: unbegun(limit) read many
// Scopes in which names were written while nobody compared them.
// unscoped: the worker serves every tenant
MATCH (g:PassageGraph)
USING INDEX SEEK g:PassageGraph(unbegun, scope)
WHERE g.unbegun = true AND g.scope > ''
RETURN g.scope AS scope LIMIT $limit

// name: begin(scope) batched one
// Lets the names of a scope that were never compared wait for that, in steps.
MATCH (p:Passage)
WHERE p.scope = $scope AND p.linked_rev > 0
CALL (p) {
  MATCH (p)-[:GOES_BY|REFERS_TO]->(t:Name)
  WHERE t.alike_state IS NULL
  SET t.alike_state = 'pending'
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS passages

// name: begun(scope) write none
MATCH (g:PassageGraph {scope: $scope})
SET g.alike_rev = coalesce(g.alike_rev, 0)
REMOVE g.unbegun

// name: uncompared(spans, page) read many
// Scopes with names that wait to be compared: those of the first so many of each span, in order, and
// whether the span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (t:Name {alike_state: span.state})
  USING INDEX SEEK t:Name(alike_state, scope)
  WHERE t.scope >= span.low AND t.scope < span.high
  WITH t.scope AS key ORDER BY t.alike_state, t.scope LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: voiceless(scope, limit) read many
// Names that wait for a vector, or to be looked at again.
MATCH (t:Name {alike_state: 'pending', scope: $scope})
WITH t LIMIT $limit
RETURN t.id AS id, t.key AS key, t.embed_hash AS hash

// name: save_vectors(rows, scope) write none
// Vectors of names, where they are new, and whether somebody goes by each: the index filters by it.
UNWIND $rows AS row
MATCH (t:Name {id: row.id})
WHERE t.scope = $scope
SET t.embedding = coalesce(row.vector, t.embedding), t.embed_hash = row.hash,
    t.owned = t.revision IS NOT NULL, t.alike_state = 'placed'

// name: placed(scope, owned, limit) read many
// Names with vectors that are to be compared.
MATCH (t:Name {alike_state: 'placed', scope: $scope})
WHERE t.owned = $owned
WITH t LIMIT $limit
RETURN t.id AS id, t.key AS key

// name: any_compared(scope) read one
// Whether a name that nobody goes by was compared before.
RETURN EXISTS { MATCH (t:Name {alike_state: 'done', scope: $scope}) } AS found

// name: near_names(ids, scope, owned, limit) read many
// The names of one scope that are closest to each of some: as id, key and cosine.
CYPHER 25
UNWIND $ids AS id
MATCH (t:Name {id: id})
WHERE t.scope = $scope AND t.embedding IS NOT NULL
CALL (t) {
  MATCH (n:Name)
  SEARCH n IN (VECTOR INDEX name_vector FOR t.embedding
    WHERE n.scope = $scope AND n.owned = $owned LIMIT $limit) SCORE AS score
  WITH n, score WHERE (n.revision IS NOT NULL) = $owned
  RETURN collect([n.id, n.key, 2 * score - 1]) AS near
}
RETURN id, near

// name: wake(scope, owned, near) write none
// Names that somebody goes by stand for themselves; those near them are compared again.
UNWIND $owned + $near AS id
MATCH (t:Name {id: id})
WHERE t.scope = $scope
CALL (t) {
  WITH t WHERE t.owned
  MATCH (t)-[s:SYNONYM]->(:Name)
  DELETE s
}
SET t.alike_state = CASE WHEN t.owned THEN 'known' WHEN t.alike_state = 'done' THEN 'placed'
                         ELSE t.alike_state END

// name: save_synonyms(rows, scope) write none
// What names that nobody goes by may stand for, in place of what they did before.
UNWIND $rows AS row
MATCH (f:Name {id: row.id})
WHERE f.scope = $scope
SET f.alike_state = 'done'
WITH f, row
CALL (f, row) {
  MATCH (f)-[s:SYNONYM]->(o:Name)
  WHERE NOT o.id IN [name IN row.near | name.id]
  DELETE s
  RETURN count(*) AS gone
}
CALL (f, row) {
  UNWIND row.near AS name
  MATCH (o:Name {id: name.id})
  WHERE o.scope = $scope
  MERGE (f)-[s:SYNONYM]->(o)
  SET s.scope = $scope, s.score = name.cosine
  RETURN count(*) AS made
}
WITH sum(gone) + sum(made) AS changed WHERE changed > 0
MATCH (g:PassageGraph {scope: $scope})
SET g.alike_rev = coalesce(g.alike_rev, 0) + 1
REMOVE g.unbegun

// name: synonyms(scope) read one
// What names of a scope may stand for, as one column.
MATCH (f:Name)-[s:SYNONYM]->(o:Name)
WHERE s.scope = $scope AND f.revision IS NULL AND o.revision IS NOT NULL
RETURN collect([f.key, o.key]) AS pairs

// name: forget_name_vectors() batched one
// Takes every vector of a name out, with what followed from it, in steps: they come from a model
// that is no longer used.
// unscoped: an operator's command over the whole installation
MATCH (t:Name) WHERE t.embedding IS NOT NULL OR t.embed_hash IS NOT NULL
CALL (t) {
  REMOVE t.embedding, t.embed_hash
  SET t.alike_state = 'pending'
  WITH t
  MATCH (t)-[s:SYNONYM]->(:Name)
  DELETE s
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS cleared
