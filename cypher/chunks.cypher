// name: lock(work, at) write optional
// A document or page, locked: one writer at a time turns its chunks into others.
// unscoped: found by its own id, for a writer who has checked its scope
CALL () {
  MATCH (w:Document {id: $work}) RETURN w
  UNION
  MATCH (w:Page {id: $work}) RETURN w
}
SET w.touched_at = $at
RETURN w.id AS id, w.scope AS scope

// name: lock_pages(works, at) write many
// Pages, locked in the order given, each with whether it has passages.
// unscoped: found by their own ids, for a writer who has checked their scopes
UNWIND $works AS work
MATCH (w:Page {id: work})
SET w.touched_at = $at
RETURN w.id AS id, EXISTS { (w)<-[:PART_OF]-(:Chunk) } AS cut

// name: stored(work, scope) read many
// What the chunks of a work are now, in the order of its text.
MATCH (c:Chunk {work: $work})
WHERE c.number >= 0 AND c.scope = $scope
RETURN c {.id, .number, .start, .own, .end, .headings, .heading_path, .title, .aliases, .tags, .facets,
          .about_terms, .pii, .live, .origin, .link_targets, .expired_at} AS chunk
ORDER BY c.number

// name: texts(work, scopes) read many
// The words of a work, chunk by chunk.
MATCH (c:Chunk {work: $work})
WHERE c.number >= 0 AND c.scope IN $scopes
RETURN c {.id, .number, .start, .own, .end, .headings, .content} AS chunk
ORDER BY c.number

// name: page(work, scopes, after, limit) read many
// Chunks of a work in the order of its text.
MATCH (c:Chunk {work: $work})
WHERE c.number > $after AND c.scope IN $scopes AND c.expired_at > datetime.realtime()
RETURN c {.id, .number, .start, .own, .end, .heading_path, .tokens, .content, .content_hash,
          .index_state, .consolidation_state, .captured_at} AS chunk
ORDER BY c.number LIMIT $limit

// name: add(rows) write none
// New chunks, each a passage like an episode, and part of the work that it names.
// unscoped: $rows carry the scope of their work, which the writer has checked
UNWIND $rows AS row
CALL (row) {
  MATCH (w:Document {id: row.chunk.work}) RETURN w
  UNION
  MATCH (w:Page {id: row.chunk.work}) RETURN w
}
CREATE (c:Chunk:Passage:Memory:Searchable)
SET c = row.chunk
CREATE (c)-[:PART_OF]->(w)
FOREACH (tag IN row.tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (c)-[:TAGGED]->(t))

// name: change(rows) write none
// Chunks whose words stay: their place in the text, and what they have of their work. A new title
// is embedded with the words; a new name, and what opens a text, stand in the retrieval graph.
// unscoped: chunks of one work, which the writer has locked
UNWIND $rows AS row
MATCH (c:Passage {id: row.id})
SET c += row.properties
FOREACH (_ IN CASE WHEN row.retitled THEN [1] ELSE [] END |
  SET c.index_state = 'pending', c.index_rev = c.index_rev + 1)
FOREACH (_ IN CASE WHEN row.renamed THEN [1] ELSE [] END |
  SET c.link_state = 'pending')
WITH c, row WHERE row.tags IS NOT NULL
OPTIONAL MATCH (c)-[old:TAGGED]->(:Tag)
DELETE old
WITH DISTINCT c, row
FOREACH (tag IN row.tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (c)-[:TAGGED]->(t))

// name: mirror(rows) write none
// Windows of long chunks repeat the facets of their chunk.
// unscoped: chunks of one work, which the writer has locked
UNWIND $rows AS row
MATCH (c:Passage {id: row.id})<-[:WINDOW_OF]-(w:Window)
SET w.facets = c.facets, w.live = c.live, w.title = c.title

// name: show(work, live) write none
// Takes the chunks of a work out of every search of the present, or brings them back; what was
// forgotten on its own stays hidden.
// unscoped: chunks of one work, which the writer has locked
MATCH (c:Chunk {work: $work})
WHERE c.number >= 0
WITH c, $live AND c.expired_at > datetime('9999-12-30T00:00:00Z') AS live
WITH c, live, [t IN c.facets WHERE t <> 'live'] + CASE WHEN live THEN ['live'] ELSE [] END AS facets
SET c.live = live, c.facets = facets
WITH c, live, facets
MATCH (c)<-[:WINDOW_OF]-(w:Window)
SET w.live = live, w.facets = facets
