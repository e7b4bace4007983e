// name: lock_names(ids, tenant, at) write none
// Takes the lock of every name that a change touches, in the order given: whoever bears a name and
// whoever links to it meet here, so that neither misses the other.
UNWIND $ids AS id
MERGE (n:LinkName {id: id})
ON CREATE SET n.tenant = $tenant
SET n.touched_at = $at

// name: drop_names(since, before, limit) write one
// Names that no page goes by or links to, of those touched between two moments. Each is locked
// before it is looked at again: whoever takes it meanwhile waits, and then makes it anew.
// unscoped: upkeep of the whole installation; a name is a digest
MATCH (n:LinkName)
WHERE n.touched_at > $since AND n.touched_at < $before AND NOT EXISTS { (n)--() }
WITH n ORDER BY n.id LIMIT $limit
SET n.tenant = n.tenant
WITH n WHERE NOT EXISTS { (n)--() }
DELETE n
RETURN count(*) AS dropped

// name: lock_pages(ids, tenant, at) write many
// Takes the locks of pages, in the order given; what they hold is read after that.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.tenant = $tenant
SET p.touched_at = $at
RETURN p.id AS id, p.version AS version, p.live AS live

// name: settling(ids, tenant, at) write none
// Takes the locks of pages, in the order given, whose links the same transaction settles: they wait
// for that no longer, and what they hold is read after that.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.tenant = $tenant
SET p.touched_at = $at,
    p.passage_state = CASE p.passage_state WHEN 'unlinked' THEN 'done' WHEN 'due' THEN 'uncut'
                      ELSE p.passage_state END

// name: slugs(rows) read many
// The page of each scope that has a slug: the live one that it belongs to, else the oldest of those
// that were deleted with it.
// unscoped: the service has checked $rows[].scope against the caller
UNWIND $rows AS row
MATCH (p:Page {scope: row.scope, slug: row.slug})
WITH row.scope AS scope, row.slug AS slug, p
ORDER BY coalesce(p.live_slug = p.slug, false), p.ingested_at DESC, p.id DESC
RETURN scope, slug, collect(p.id)[-1] AS id

// name: save(rows) write many
// Pages as they are from now on, each with its audit event and, where there was one, its former
// text.
// unscoped: the service has checked $rows[].page.scope against the caller
UNWIND $rows AS row
MERGE (p:Page {id: row.page.id})
SET p = row.page
SET p.live_slug = CASE WHEN row.page.live THEN row.page.slug END
FOREACH (_ IN CASE WHEN row.page.kind = 'article' THEN [1] ELSE [] END | SET p:Article)
FOREACH (former IN CASE WHEN row.former IS NULL THEN [] ELSE [row.former] END |
  MERGE (v:PageVersion {id: former.id}) SET v = former
  MERGE (v)-[:VERSION_OF]->(p))
MERGE (a:AuditEvent {id: row.audit.id})
SET a = row.audit
MERGE (a)-[:AUDIT]->(p)
RETURN p.id AS id

// name: bear(rows) write none
// What pages go by: exactly the names given.
// unscoped: the names of pages that the same transaction has written
UNWIND $rows AS row
MATCH (p:Page {id: row.id})
CALL (p, row) {
  MATCH (p)-[b:BEARS]->(n:LinkName)
  WHERE NOT n.id IN row.bears
  DELETE b
}
CALL (p, row) {
  UNWIND row.bears AS name
  MATCH (n:LinkName {id: name})
  MERGE (p)-[:BEARS]->(n)
}

// name: link(rows) write none
// What pages link to, by name: exactly the names given, whoever bears them.
// unscoped: the links of pages that the same transaction has written
UNWIND $rows AS row
MATCH (p:Page {id: row.id})
CALL (p, row) {
  MATCH (p)-[l:LINKS]->(n:LinkName)
  WHERE NOT n.id IN row.names
  DELETE l
}
CALL (p, row) {
  UNWIND row.names AS name
  MATCH (n:LinkName {id: name})
  MERGE (p)-[:LINKS]->(n)
}

// name: affected(rows, tenant) read many
// Pages that link to a name that changed hands, in the page's scope and below it.
UNWIND $rows AS row
MATCH (n:LinkName {id: row.name})<-[:LINKS]-(s:Page)
WHERE s.tenant = $tenant AND s.live AND (s.scope = row.scope OR s.scope STARTS WITH row.scope + '/')
RETURN DISTINCT s.id AS id ORDER BY id

// name: unlink(rows, tenant) write none
// Pages that link to a name that changed hands wait for their links to be settled.
UNWIND $rows AS row
MATCH (n:LinkName {id: row.name})<-[:LINKS]-(s:Page)
WHERE s.tenant = $tenant AND s.live AND (s.scope = row.scope OR s.scope STARTS WITH row.scope + '/')
WITH DISTINCT s ORDER BY s.id
SET s.passage_state = CASE s.passage_state WHEN 'done' THEN 'unlinked' WHEN 'unlinked' THEN 'unlinked'
                      ELSE 'due' END

// name: relink(after, limit) write many
// Pages with links that are no pages' and may mean something else by now wait for their links to be
// settled, by id: what they name may have come, been merged or renamed, lost its role, or gone. So
// do pages that still share a slug.
// unscoped: upkeep of the whole installation
MATCH (p:Page)
WHERE p.id > $after AND p.live
  AND (p.live_slug <> p.slug
       OR any(target IN p.pending WHERE target CONTAINS ':')
       OR EXISTS { (p)-[:REFERENCES]->(e:Entity) WHERE e.root <> e.id OR e.expired_at <= datetime() }
       OR EXISTS { (p)-[:REFERENCES]->(a:Principal)
                   WHERE NOT EXISTS {
                     (a)-[g:HOME|GRANTED|MEMBER_OF]->(s:Scope)
                     WHERE p.scope = s.path OR p.scope STARTS WITH s.path + '/'
                        OR (type(g) = 'HOME' AND s.kind = 'agent'
                            AND (p.scope + '/') STARTS WITH (split(s.path, '/agent:')[0] + '/')) } }
       OR EXISTS { (p)-[r:REFERENCES]->(s:Skill)
                   WHERE any(text IN r.texts WHERE NOT
                     toLower(trim(split(split(split(text, ']')[0], '|')[0], ':')[1]))
                     IN [toLower(s.name), s.slug]) })
WITH p ORDER BY p.id LIMIT $limit
SET p.passage_state = CASE p.passage_state WHEN 'done' THEN 'unlinked' WHEN 'unlinked' THEN 'unlinked'
                      ELSE 'due' END
RETURN p.id AS id ORDER BY id

// name: sources(ids, tenant) read many
// What the links of pages are resolved from, and what they came to before.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.tenant = $tenant
RETURN p.id AS id, p.scope AS scope, CASE WHEN p.live THEN p.links ELSE '[]' END AS links,
       p.pending AS pending, [(p)-[r:REFERENCES]->(t) | [t.id, r.texts, r.headings]] AS edges

// name: bearers(names, scopes) read many
// Live pages that go by these names.
UNWIND $names AS name
MATCH (n:LinkName {id: name})<-[:BEARS]-(p:Page)
WHERE p.scope IN $scopes AND p.live
RETURN name, p {.id, .scope, .kind, .title, .slug, .aliases, .formers, .path, .ingested_at} AS page

// name: named_entities(aliases, scopes) read many
// Entities by name, each as the root of its cluster; the one that is spoken of most comes first.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE a.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN a.id AS alias, a.scope AS scope, e.root AS target
ORDER BY coalesce(e.mention_count, 0) DESC, e.id

// name: named_principals(ids, tenant, scopes) read many
// Principals by id, with each of the scopes in which they are at home or have a role. Whoever is at
// home in a scope of its own is at home in the workspace around it.
UNWIND $ids AS id
MATCH (p:Principal {id: id})-[g:HOME|GRANTED|MEMBER_OF]->(s:Scope)
WHERE p.tenant = $tenant
WITH p.id AS id, CASE WHEN type(g) = 'HOME' AND s.kind = 'agent'
                 THEN split(s.path, '/agent:')[0]
                 ELSE s.path END AS scope
WHERE scope IN $scopes
RETURN DISTINCT id, scope

// name: named_skills(names, slugs, scopes) read many
// Skills by name or slug.
MATCH (s:Skill)
WHERE s.scope IN $scopes AND s.id > '' AND (toLower(s.name) IN $names OR s.slug IN $slugs)
  AND s.expired_at > datetime.realtime()
RETURN s.id AS id, s.scope AS scope, s.name AS name, s.slug AS slug ORDER BY s.ingested_at, s.id

// name: refer(rows) write one
// What differs of the references of pages: edges that are new or written otherwise, edges that are
// gone, and the targets that nothing bears yet.
// unscoped: each target was found within what the page's scope sees
UNWIND $rows AS row
MATCH (s:Page {id: row.id})
SET s.pending = row.pending
WITH s, row
CALL (s, row) {
  UNWIND row.gone AS gone
  MATCH (s)-[r:REFERENCES]->(t)
  WHERE t.id = gone
  DELETE r
}
CALL (s, row) {
  UNWIND row.edges AS e
  CALL (e) {
    MATCH (t:Page {id: e.target}) RETURN t
    UNION
    MATCH (t:Entity {id: e.target}) RETURN t
    UNION
    MATCH (t:Principal {id: e.target}) RETURN t
    UNION
    MATCH (t:Skill {id: e.target}) RETURN t
  }
  MERGE (s)-[r:REFERENCES]->(t)
  SET r.texts = e.texts, r.headings = e.headings, r.weight = e.weight, r.confidence = e.confidence
  RETURN count(r) AS edges
}
RETURN sum(edges) AS edges

// name: get(ids, scopes) read many
// Pages by id, deleted ones too.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes
RETURN p {.*} AS page,
       COUNT { (p)<-[:REFERENCES]-(s:Page) WHERE s.scope IN $scopes } AS backlinks,
       COUNT { (p)-[:REFERENCES]->() } AS references

// name: at_path(scope, path) read optional
// The page of a file, live ones first.
MATCH (p:Page {scope: $scope, path: $path})
RETURN p.id AS id, p.live AS live, p.content_hash AS content_hash, p.crlf AS crlf, p.bom AS bom
ORDER BY p.live DESC, p.ingested_at, p.id LIMIT 1

// name: files(scope, after, limit) read many
// Where the files of one scope lie, by id, with the hash of each text.
MATCH (p:Page)
WHERE p.scope = $scope AND p.id > $after AND p.live
WITH p ORDER BY p.scope, p.id LIMIT $limit
RETURN p {.id, .title, .path, .content_hash} AS page

// name: list_pages(scopes, kind, tag, after, limit) read many
// Pages by id, without their texts.
MATCH (p:Page)
WHERE p.scope IN $scopes AND p.id > $after AND p.live
  AND ($kind IS NULL OR p.kind = $kind) AND ($tag IS NULL OR $tag IN p.tags)
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*, content: null, links: null} AS page

// name: texts(scope, after, limit) read many
// The files of one scope, by id.
MATCH (p:Page)
WHERE p.scope = $scope AND p.id > $after AND p.live
WITH p ORDER BY p.scope, p.id LIMIT $limit
RETURN p {.id, .title, .slug, .path, .content, .crlf, .bom} AS page

// name: by_name(names, scopes, kind, tag, after, limit) read many
// Pages that go by any of these names, by id.
UNWIND $names AS name
MATCH (n:LinkName {id: name})<-[:BEARS]-(p:Page)
WHERE p.scope IN $scopes AND p.id > $after AND p.live
  AND ($kind IS NULL OR p.kind = $kind) AND ($tag IS NULL OR $tag IN p.tags)
WITH DISTINCT p ORDER BY p.id LIMIT $limit
RETURN p {.*, content: null, links: null} AS page

// name: versions(id, scopes) read many
// The texts that a page had before, newest first.
MATCH (p:Page {id: $id})
WHERE p.scope IN $scopes
MATCH (v:PageVersion)-[:VERSION_OF]->(p)
RETURN v {.*} AS version ORDER BY v.version DESC

// name: one_version(id, version, scopes) read optional
MATCH (v:PageVersion {id: $version})-[:VERSION_OF]->(p:Page {id: $id})
WHERE p.scope IN $scopes
RETURN v {.*} AS version

// name: backlinks(id, scopes, after_at, after_id, limit) read many
// Pages that link to this node, newest first.
MATCH (p:Page {id: $id})<-[r:REFERENCES]-(s:Page)
WHERE s.scope IN $scopes AND s.live
  AND (s.updated_at < $after_at OR (s.updated_at = $after_at AND s.id > $after_id))
WITH s, r ORDER BY s.updated_at DESC, s.id LIMIT $limit
RETURN s {.id, .scope, .title, .slug, .kind, .content, .updated_at} AS page,
       r.texts AS texts, r.headings AS headings

// name: naming(ids, scopes, after_at, after_id, limit) read many
// Pages that link to any of these nodes, which are no pages, newest first.
UNWIND $ids AS id
CALL (id) {
  MATCH (t:Entity {id: id}) WHERE t.scope IN $scopes RETURN t
  UNION
  MATCH (t:Skill {id: id}) WHERE t.scope IN $scopes RETURN t
}
MATCH (t)<-[r:REFERENCES]-(s:Page)
WHERE s.scope IN $scopes AND s.live
  AND (s.updated_at < $after_at OR (s.updated_at = $after_at AND s.id > $after_id))
WITH s, collect(r) AS links ORDER BY s.updated_at DESC, s.id LIMIT $limit
RETURN s {.id, .scope, .title, .slug, .kind, .content, .updated_at} AS page,
       reduce(all = [], r IN links | all + r.texts) AS texts,
       reduce(all = [], r IN links | all + r.headings) AS headings

// name: linked_skill(id, scopes) read optional
// A skill that pages may link to.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN s.id AS id

// name: outgoing(id, scopes) read many
// What a page links to, as far as it is visible; a merged entity stands as its root.
MATCH (p:Page {id: $id})-[r:REFERENCES]->(t)
WHERE p.scope IN $scopes AND coalesce(t.scope IN $scopes, t:Principal)
RETURN t.id AS id, labels(t) AS labels, coalesce(t.title, t.canonical_name, t.name) AS title,
       t.slug AS slug, t.kind AS kind, r.texts AS texts, r.headings AS headings
ORDER BY title, id

// name: around(ids, scopes, limit) read many
// One step of the link graph, in both directions.
UNWIND $ids AS id
MATCH (p:Page {id: id})
CALL (p) {
  MATCH (p)-[:REFERENCES]->(t) RETURN p.id AS source, t.id AS target, t AS other
  UNION
  MATCH (p)<-[:REFERENCES]-(t:Page) RETURN t.id AS source, p.id AS target, t AS other
}
WITH source, target, other
WHERE coalesce(other.scope IN $scopes, other:Principal)
RETURN DISTINCT source, target, other.id AS id, labels(other) AS labels,
       coalesce(other.title, other.canonical_name, other.name) AS title, other.slug AS slug,
       other.kind AS kind, other.scope AS scope
ORDER BY id, source, target LIMIT $limit

// name: orphans(scopes, seen, after, limit) read many
// Pages that nothing visible links to and that link to nothing, by id.
MATCH (p:Page)
WHERE p.scope IN $scopes AND p.id > $after AND p.live
  AND NOT EXISTS { (p)-[:REFERENCES]->() }
  AND NOT EXISTS { (p)<-[:REFERENCES]-(s:Page) WHERE s.scope IN $seen }
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*, content: null, links: null} AS page

// name: waiting(scopes, after, limit) read many
// Pages with links that nothing bears yet, by id.
MATCH (p:Page)
WHERE p.scope IN $scopes AND p.id > $after AND p.live AND size(p.pending) > 0
WITH p ORDER BY p.id LIMIT $limit
RETURN p.id AS id, p.title AS title, p.slug AS slug, p.scope AS scope, p.pending AS pending

// name: linking(id, scopes, tenant) read many
// Whole pages that link to this one.
MATCH (p:Page {id: $id})<-[r:REFERENCES]-(s:Page)
WHERE p.tenant = $tenant AND s.scope IN $scopes AND s.live
RETURN s {.*} AS page, r.texts AS texts ORDER BY s.id

// name: naming_chunks(q, page, scopes, limit) read one
// Pages with a chunk that the text index finds and no link to this page, newest first; `hits` is how
// many chunks were found before that. The scope is a required clause of $q as well.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS c
WITH collect(c) AS found
RETURN size(found) AS hits, COLLECT {
  UNWIND found AS c
  MATCH (c)-[:PART_OF]->(s:Page)
  WHERE s.scope IN $scopes AND s.live AND s.id <> $page
    AND NOT EXISTS { (s)-[:REFERENCES]->(:Page {id: $page}) }
  WITH DISTINCT s
  RETURN {id: s.id, updated_at: s.updated_at} ORDER BY s.updated_at DESC, s.id
} AS pages

// name: contents(ids, scopes) read many
// The texts of pages by id.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes AND p.live
RETURN p {.id, .title, .slug, .kind, .scope, .content, .updated_at} AS page

// name: page_vectors(id, scopes, limit) read many
// Vectors of what a page says, from its beginning.
MATCH (p:Page {id: $id})<-[:PART_OF]-(c:Chunk)
WHERE p.scope IN $scopes AND c.live AND c.embedding IS NOT NULL
RETURN c.embedding AS vector, coalesce(c.language, 'en') AS language ORDER BY c.start LIMIT $limit

// name: like(v, id, scopes, limit) read many
// Pages by the chunk of each language that is nearest to a vector; its score is (1 + cosine) / 2.
CYPHER 25
MATCH (c:Searchable)
SEARCH c IN (VECTOR INDEX memory_vector FOR $v
  WHERE c.scope IN $scopes AND c.live = true AND c.kind = 'chunk' LIMIT $limit) SCORE AS score
MATCH (c)-[:PART_OF]->(p:Page)
WHERE p.id <> $id AND p.live
WITH p, coalesce(c.language, 'en') AS language, max(score) AS score
RETURN p {.id, .title, .slug, .kind} AS page, language, score ORDER BY score DESC, p.id

// name: chunk_ids(id, scopes) read many
// The passages of a page.
MATCH (p:Page {id: $id})<-[:PART_OF]-(c:Chunk)
WHERE p.scope IN $scopes AND c.live
RETURN c.id AS id ORDER BY id

// name: await_vector(ids, scopes) write one
// Passages wait for their vectors again, also where the text has not changed.
UNWIND $ids AS id
MATCH (c:Passage {id: id})
WHERE c.scope IN $scopes
SET c.index_state = 'pending', c.index_rev = c.index_rev + 1
REMOVE c.embed_hash
RETURN count(c) AS chunks

// name: to_cut(id, scope) read optional
// A page with the ids of the passages that it has.
MATCH (p:Page {id: $id})
WHERE p.scope = $scope
RETURN p {.*} AS page, COLLECT { MATCH (p)<-[:PART_OF]-(c:Chunk) RETURN c.id } AS chunks

// name: many_to_cut(ids) read many
// Pages with the ids of the passages that they have.
// unscoped: the worker serves every tenant
UNWIND $ids AS id
MATCH (p:Page {id: id})
RETURN p {.*} AS page, COLLECT { MATCH (p)<-[:PART_OF]-(c:Chunk) RETURN c.id } AS chunks

// name: doubled(ids) read many
// Live pages that share a slug with another one: an older version gave it to both.
// unscoped: the worker serves every tenant
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.live AND p.live_slug <> p.slug
RETURN p {.*} AS page ORDER BY id

// name: give_slugs(rows) write none
// Slugs for pages that shared theirs.
// unscoped: pages that the same transaction has locked and read
UNWIND $rows AS row
MATCH (p:Page {id: row.id})
SET p.slug = row.slug, p.live_slug = row.slug

// name: passages_done(rows, scopes) write many
// The passages of pages are those of their texts; a page that was changed meanwhile is left out. One
// whose links wait by now still waits for those.
UNWIND $rows AS row
MATCH (p:Page {id: row.id})
WHERE p.scope IN $scopes AND p.version = row.version AND p.live = row.live
SET p.chunks = row.chunks,
    p.passage_state = CASE p.passage_state WHEN 'due' THEN 'unlinked' WHEN 'unlinked' THEN 'unlinked'
                      ELSE 'done' END
RETURN p.id AS id

// name: passages_failed(id, scope) write none
// A page whose text cannot be cut; an edit makes it due again. One whose links wait as well is tried
// once more when they are settled.
MATCH (p:Page {id: $id})
WHERE p.scope = $scope
SET p.passage_state = CASE p.passage_state WHEN 'uncut' THEN 'failed' ELSE p.passage_state END

// name: waiting_tenants(spans, page) read many
// Tenants with pages in a state: those of the first so many of each span, in order, and whether the
// span has more.
// unscoped: the worker serves every tenant
UNWIND $spans AS span
CALL (span) {
  MATCH (p:Page {passage_state: span.state})
  USING INDEX SEEK p:Page(passage_state, tenant, touched_at)
  WHERE p.tenant >= span.low AND p.tenant < span.high
    AND p.touched_at > datetime('0001-01-02T00:00:00Z')
  WITH p.tenant AS key ORDER BY p.passage_state, p.tenant LIMIT $page
  RETURN collect(DISTINCT key) AS keys, count(*) AS entries
}
WITH span, keys, entries WHERE entries > 0
RETURN span, keys, entries = $page AS more

// name: due(tenant, limit) read many
// Pages of a tenant whose passages or links are not those of their text, the longest waiting first.
CALL () {
  MATCH (p:Page {tenant: $tenant, passage_state: 'due'})
  USING INDEX SEEK p:Page(passage_state, tenant, touched_at)
  WHERE p.touched_at > datetime('0001-01-02T00:00:00Z')
  WITH p ORDER BY p.passage_state, p.tenant, p.touched_at LIMIT $limit RETURN p
  UNION
  MATCH (p:Page {tenant: $tenant, passage_state: 'uncut'})
  USING INDEX SEEK p:Page(passage_state, tenant, touched_at)
  WHERE p.touched_at > datetime('0001-01-02T00:00:00Z')
  WITH p ORDER BY p.passage_state, p.tenant, p.touched_at LIMIT $limit RETURN p
  UNION
  MATCH (p:Page {tenant: $tenant, passage_state: 'unlinked'})
  USING INDEX SEEK p:Page(passage_state, tenant, touched_at)
  WHERE p.touched_at > datetime('0001-01-02T00:00:00Z')
  WITH p ORDER BY p.passage_state, p.tenant, p.touched_at LIMIT $limit RETURN p
}
RETURN p.id AS id, p.tenant AS tenant, p.passage_state AS state,
       coalesce(p.live_slug <> p.slug, false) AS doubled

// name: known(rows) read many
// Which pages are here, and whether a text is one that each has not and never had.
// unscoped: an id covers its scope
UNWIND $rows AS row
MATCH (p:Page {id: row.id})
RETURN row.line AS line,
       p.content <> row.content AND NOT EXISTS {
         MATCH (v:PageVersion)-[:VERSION_OF]->(p) WHERE v.content = row.content } AS is_new

// name: restore(rows) write many
// Pages that are new, with their former texts.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS { MATCH (:Page {id: row.id}) }
  AND NOT (row.moved AND EXISTS { // a copy of one that is here
    MATCH (o:Page)
    WHERE o.scope = row.page.scope AND o.slug STARTS WITH row.slug AND o.kind = row.page.kind AND o.updated_at = row.page.updated_at
      AND o.title = row.page.title AND o.content = row.page.content
  })
CREATE (p:Page)
SET p = row.page
SET p.live_slug = CASE WHEN row.page.live THEN row.page.slug END
FOREACH (_ IN CASE WHEN row.page.kind = 'article' THEN [1] ELSE [] END | SET p:Article)
FOREACH (former IN row.versions |
  MERGE (v:PageVersion {id: former.id}) SET v = former
  MERGE (v)-[:VERSION_OF]->(p))
RETURN row.line AS line

// name: export_pages(scopes, after, limit) read many
// Pages of one scope by id, with their former texts.
MATCH (p:Page)
WHERE p.scope IN $scopes AND p.id > $after
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*} AS page,
       COLLECT { MATCH (v:PageVersion)-[:VERSION_OF]->(p) RETURN v {.*} ORDER BY v.version } AS versions,
       COLLECT { MATCH (c:Chunk)-[:PART_OF]->(p) WHERE p.passage_state IN ['done', 'unlinked']
                 RETURN c {.id, .role, .author, .captured_at, .ingested_at, .expired_at, .importance,
                           .trust, .is_pinned, .consolidation_state, .consolidated_at, .attempts,
                           .consolidation_error}
                 ORDER BY c.number } AS passages
ORDER BY p.id
