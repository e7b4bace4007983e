// name: due_scopes(limit) read many
// Scopes with passages whose names are not in the graph yet.
// unscoped: the worker serves every tenant
MATCH (p:Passage)
WHERE p.link_state IN ['pending', 'titled'] AND p.scope > ''
WITH p LIMIT $limit
RETURN DISTINCT p.scope AS scope, p.tenant AS tenant

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

// name: bump(scope, revision, linked) write none
// The number of the last change, after everything else of it.
MATCH (g:PassageGraph {scope: $scope})
SET g.revision = $revision, g.linked = g.linked + $linked

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
       p.triples AS triples

// name: save_names(scope, tenant, rows, revision) write many
// What passages are about, in place of what was held of it before; the keys that nobody went by.
// A name that nobody goes by any more keeps the passages that write it as a name, or are given it.
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
  WITH old
  MATCH (:Passage)-[m:REFERS_TO]->(old) WHERE NOT m.written AND NOT coalesce(m.given, false)
  DELETE m
}
WITH p, row
UNWIND row.names AS name
MERGE (t:Name {id: name.id})
ON CREATE SET t.scope = $scope, t.tenant = $tenant, t.key = name.key
SET t.revision = coalesce(t.revision, $revision)
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

// name: save_links(scope, tenant, rows, revision) write none
// Whom passages name. Only ever added to: a text does not change, and a name takes its edges along.
UNWIND $rows AS row
MATCH (p:Passage {id: row.id})
WHERE p.scope = $scope
SET p.link_state = 'linked', p.linked_rev = $revision
WITH p, row
UNWIND row.names AS name
MERGE (t:Name {id: name.id})
ON CREATE SET t.scope = $scope, t.tenant = $tenant, t.key = name.key
MERGE (p)-[r:REFERS_TO]->(t)
SET r.spans = name.spans, r.parts = name.parts,
    r.written = coalesce(r.written, false) OR name.written,
    r.given = coalesce(r.given, false) OR name.given

// name: revisions(scopes) read many
// How far the names of each scope are.
UNWIND $scopes AS scope
MATCH (g:PassageGraph {scope: scope})
RETURN g.scope AS scope, g.revision AS revision, g.dropped AS dropped, g.called_at AS called_at

// name: newly_called(limit) read many
// Scopes whose entities were named or joined since that was last noted.
// unscoped: the worker serves every tenant
MATCH (g:PassageGraph)
WHERE g.scope > ''
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
RETURN p.id AS id, p.live AS live,
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
