// name: hold_cursors(rows, run, until) write many
// Scopes whose derived graph a run restores: those without a cursor. The run holds it, so that
// nobody consolidates there meanwhile; a scope with a graph of its own keeps that.
// unscoped: the run has checked each path
UNWIND $rows AS row
MERGE (c:ConsolidationCursor {scope: row.scope})
ON CREATE SET c = row.properties, c.holder = $run
WITH c, row, coalesce(c.holder, '') = $run AS mine
FOREACH (_ IN CASE WHEN mine THEN [1] ELSE [] END |
  SET c.lease_until = $until, c.restored_by = $run)
RETURN row.line AS line, mine

// name: held_by(scopes, run) read many
// Which of some scopes a run restores.
// unscoped: the run has checked each path
UNWIND $scopes AS scope
MATCH (c:ConsolidationCursor {scope: scope})
WHERE c.holder = $run
RETURN c.scope AS scope

// name: all_held(run) read many
// Every scope that a run restores.
// unscoped: asked by the run itself
MATCH (c:ConsolidationCursor)
WHERE c.scope > '' AND c.holder = $run
RETURN c.scope AS scope ORDER BY scope

// name: release(scope, run) write none
// The scope is whole: whoever consolidates goes on from here.
MATCH (c:ConsolidationCursor {scope: $scope})
WHERE c.holder = $run
SET c.holder = '', c.lease_until = datetime('0001-01-02T00:00:00Z')
REMOVE c.restored_by

// name: restored_by(scope) read optional
// The run that restores a scope, and until when it holds it; none where nothing does.
MATCH (c:ConsolidationCursor {scope: $scope})
WHERE c.holder = c.restored_by AND c.lease_until > datetime.realtime()
RETURN c.restored_by AS run, c.lease_until AS until

// name: tie_events(rows) write none
// Audit events about a batch, tied to its scope.
// unscoped: $rows carry tenant and scope
UNWIND $rows AS row
MATCH (s:Scope {path: row.scope})
MERGE (a:AuditEvent {id: row.id})
ON CREATE SET a = row
MERGE (a)-[:AUDIT]->(s)

// name: entities(rows) write many
// Entities that are new, with their names.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:Entity {id: row.id}) }
CREATE (e:Entity:Memory)
SET e = row.properties
FOREACH (_ IN CASE WHEN 'Concept' IN row.labels THEN [1] ELSE [] END | SET e:Concept)
FOREACH (_ IN CASE WHEN 'Decision' IN row.labels THEN [1] ELSE [] END | SET e:Decision)
FOREACH (_ IN CASE WHEN 'Incident' IN row.labels THEN [1] ELSE [] END | SET e:Incident)
FOREACH (_ IN CASE WHEN 'Lesson' IN row.labels THEN [1] ELSE [] END | SET e:Lesson)
FOREACH (_ IN CASE WHEN 'Source' IN row.labels THEN [1] ELSE [] END | SET e:Source)
WITH e, row
CALL (e, row) {
  UNWIND row.names AS name
  MERGE (a:Alias {id: name.id})
  ON CREATE SET a.scope = row.scope, a.key = name.key
  MERGE (a)-[:NAMES]->(e)
}
RETURN row.line AS line

// name: merges(rows) write many
// The ledger of merges with the edges that roots follow.
// unscoped: both ends lie in the row's scope
UNWIND $rows AS row
MATCH (a:Entity {id: row.left})
MATCH (b:Entity {id: row.right})
WHERE a.scope = row.scope AND b.scope = row.scope
  AND NOT EXISTS { MATCH (:MergeRecord {id: row.id}) }
CREATE (m:MergeRecord)
SET m = row.properties
CREATE (m)-[:MERGES]->(a)
CREATE (m)-[:MERGES]->(b)
CREATE (a)-[s:SAME_AS]->(b)
SET s = row.edge
RETURN row.line AS line

// name: facts(rows) write many
// Facts that are new, with every interval that was ever held, what was decided on them, and the
// edge that stands for them.
// unscoped: subject and object lie in the row's scope
UNWIND $rows AS row
MATCH (s:Entity {id: row.properties.subject})
WHERE s.scope = row.scope AND NOT EXISTS { MATCH (:Fact {id: row.id}) }
CREATE (f:Fact:Memory:Searchable)
SET f = row.properties
WITH f, s, row
CALL (f, s, row) {
  UNWIND row.intervals AS interval
  CREATE (f)-[a:ABOUT]->(s)
  SET a = interval
}
CALL (f, row) {
  UNWIND row.reviews AS review
  CREATE (v:Review)-[:REVIEWS]->(f)
  SET v = review
}
CALL (s, row) {
  UNWIND row.relations AS relation
  MATCH (o:Entity {id: row.properties.object_id})
  WHERE o.scope = row.scope
  CREATE (s)-[r:RELATES_TO]->(o)
  SET r = relation
}
RETURN row.line AS line

// name: readings(rows) write many
// What was read in episodes that nothing was read in yet; a claim that was erased stays away.
// unscoped: episode, entities and facts lie in the row's scope
UNWIND $rows AS row
MATCH (e:Passage {id: row.episode})
WHERE e.scope = row.scope
WITH e, row, e.lone IS NULL AND NOT EXISTS { (e)-[:SUPPORTS|MENTIONS]->() } AS fresh
FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
  SET e.lone = row.lone.lone, e.lone_tokens = row.lone.tokens)
WITH e, row, fresh
CALL (e, row, fresh) {
  UNWIND CASE WHEN fresh THEN row.mentions ELSE [] END AS mention
  MATCH (n:Entity {id: mention.entity})
  WHERE n.scope = row.scope
  CREATE (e)-[m:MENTIONS]->(n)
  SET m.start = mention.start, m.end = mention.end, m.name = mention.name
}
CALL (e, row, fresh) {
  UNWIND CASE WHEN fresh THEN row.claims ELSE [] END AS claim
  MATCH (f:Fact {id: claim.fact})
  WHERE f.scope = row.scope AND NOT EXISTS { (:Tombstone {id: claim.id}) }
  CREATE (e)-[u:SUPPORTS]->(f)
  SET u = claim.properties
  SET f.privacy = CASE WHEN coalesce(e.privacy, 0) > coalesce(f.privacy, 0) THEN e.privacy ELSE f.privacy END
}
RETURN row.line AS line, fresh

// name: links(rows) write many
// Which fact took the place of another, or stands against it.
// unscoped: both facts lie in the row's scope
UNWIND $rows AS row
MATCH (f:Fact {id: row.fact})
MATCH (n:Fact {id: row.other})
WHERE f.scope = row.scope AND n.scope = row.scope
  AND NOT EXISTS { MATCH (f)-[x:SUPERSEDED_BY|CONTRADICTS|MAY_CHANGE]->(n) WHERE x.id = row.id }
FOREACH (_ IN CASE row.type WHEN 'SUPERSEDED_BY' THEN [1] ELSE [] END |
  CREATE (f)-[x:SUPERSEDED_BY]->(n) SET x = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CONTRADICTS' THEN [1] ELSE [] END |
  CREATE (f)-[x:CONTRADICTS]->(n) SET x = row.properties)
FOREACH (_ IN CASE row.type WHEN 'MAY_CHANGE' THEN [1] ELSE [] END |
  CREATE (f)-[x:MAY_CHANGE]->(n) SET x = row.properties)
RETURN row.line AS line

// name: check_facts(scope, after, limit) write many
// The next restored facts by id. One that came with fewer claims than it had is settled anew: what
// supports its belief key is read again, and a fact without support leaves.
MATCH (f:Fact)
WHERE f.scope = $scope AND f.id > $after
WITH f ORDER BY f.scope, f.id LIMIT $limit
WITH f, f.id AS id, f.key AS key, f.claims_due AS due, COUNT { (:Passage)-[:SUPPORTS]->(f) } AS claims
REMOVE f.claims_due
WITH f, id, key, due, claims
CALL (key) { // what is settled from here on reads what was restored
  MATCH (k:KeyState {id: key})
  DELETE k
}
CALL (key, due, claims) {
  WITH key, due, claims WHERE claims < due
  MATCH (:Fact {key: key})<-[:SUPPORTS]-(e:Passage)
  SET e.consolidation_state = 'raw'
}
CALL (f, due, claims) {
  WITH f, due, claims WHERE claims = 0 AND due > 0
  OPTIONAL MATCH (:Entity {id: f.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = f.id
  DELETE r
  WITH DISTINCT f
  OPTIONAL MATCH (v:Review {fact: f.id})
  DETACH DELETE v
  WITH DISTINCT f
  DETACH DELETE f
}
RETURN id

// name: predicates(rows) write many
// Edits of the registry that are new.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:Predicate {id: row.id}) }
CREATE (p:Predicate)
SET p = row.properties
RETURN row.line AS line

// name: known_notes(rows) read many
// Which notes are here, until when each holds, since when it says what it says, whether a text is one
// that it has not and never had, whether somebody wrote it anew here, and whether it holds still. A bundle may name an id of another
// scope: `scope` tells.
// unscoped: only whether it is the scope of the row is told
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
RETURN row.line AS line, n.scope AS scope, n.valid_to AS valid_to, n.ingested_at AS ingested_at,
       n.updated_at AS updated_at,
       n.content <> row.content AND NOT EXISTS {
         MATCH (v:NoteVersion)-[:VERSION_OF]->(n) WHERE v.content = row.content } AS is_new,
       EXISTS { MATCH (a:AuditEvent)-[:AUDIT]->(n) WHERE a.kind = 'note.change' } AS is_edited,
       n.standing = 'held' AND n.expired_at > datetime() AS holds

// name: revise_notes(rows, at) write many
// Notes that hold, with the texts and the ends that a later export of their source has of them; a
// former text stays as a version, and a level of privacy is never lowered. What somebody has changed
// or forgotten until the note is locked stays.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
WHERE n.scope = row.scope
SET n.index_rev = n.index_rev
WITH n, row, n.updated_at AS since, coalesce(n.privacy, 0) AS level
WHERE n.standing = 'held' AND n.expired_at > datetime()
  AND NOT EXISTS { MATCH (a:AuditEvent)-[:AUDIT]->(n) WHERE a.kind = 'note.change' }
SET n.updated_at = coalesce(row.changed_at, $at)
WITH n, row, since, level, n.content <> row.text.content AS is_new
FOREACH (_ IN CASE WHEN is_new THEN [1] ELSE [] END |
  MERGE (v:NoteVersion {id: n.id + '~v' + toString(n.version)})
  ON CREATE SET v.note = n.id, v.scope = n.scope, v.content = n.content, v.version = n.version,
                v.recorded_at = since, v.retracted_at = n.updated_at
  MERGE (v)-[:VERSION_OF]->(n)
  SET n += row.text, n.version = n.version + 1, n.index_state = 'pending',
      n.index_rev = n.index_rev + 1,
      n.privacy = CASE WHEN level > coalesce(row.text.privacy, 0) THEN level ELSE row.text.privacy END)
FOREACH (_ IN CASE WHEN row.ends.valid_to < n.valid_to THEN [1] ELSE [] END |
  SET n += row.ends, n.live = row.live,
      n.facets = [facet IN n.facets WHERE facet <> 'live' OR row.live])
WITH n
CALL (n) {
  MATCH (w:Window)-[:WINDOW_OF]->(n)
  SET w.live = n.live, w.facets = n.facets
}
RETURN n.id AS id

// name: export_cursors(scopes) read many
UNWIND $scopes AS scope
MATCH (c:ConsolidationCursor {scope: scope})
RETURN c {.scope, .reached_at, .last_run_at, .created_at, consolidated: coalesce(c.consolidated, 0),
          facts: coalesce(c.facts, 0), failed: coalesce(c.failed, 0)} AS cursor
ORDER BY c.scope

// name: export_predicates(scopes) read many
MATCH (p:Predicate)
WHERE p.scope IN $scopes
RETURN p {.scope, .name, .definition} AS predicate
ORDER BY p.scope, p.name

// name: export_entities(scope, after, limit) read many
// Entities of one scope by id, with their names.
MATCH (e:Entity) USING INDEX e:Entity(scope, id)
WHERE e.scope = $scope AND e.id > $after
WITH e ORDER BY e.scope, e.id LIMIT $limit
RETURN e {.*, embedding: null} AS entity, labels(e) AS labels,
       COLLECT { MATCH (a:Alias)-[:NAMES]->(e) RETURN a.key ORDER BY a.key } AS names
ORDER BY e.id

// name: export_merges(scope, after, limit) read many
MATCH (m:MergeRecord) USING INDEX m:MergeRecord(scope, id)
WHERE m.scope = $scope AND m.id > $after
WITH m ORDER BY m.scope, m.id LIMIT $limit
RETURN m {.*} AS record,
       head(COLLECT { MATCH (a:Entity {id: m.left}) USING INDEX a:Entity(id)
                      MATCH (a)-[s:SAME_AS]->(b:Entity) WHERE b.id = m.right
                      RETURN s {.*} }) AS edge
ORDER BY m.id

// name: export_facts(scope, after, limit) read many
// Facts of one scope by id, with everything that was ever held of them.
MATCH (f:Fact) USING INDEX f:Fact(scope, id)
WHERE f.scope = $scope AND f.id > $after
WITH f ORDER BY f.scope, f.id LIMIT $limit
RETURN f {.*, embedding: null, embedding_b: null, embedding_c: null} AS fact, COUNT { (:Passage)-[:SUPPORTS]->(f) } AS claims,
       COLLECT { MATCH (f)-[a:ABOUT]->(:Entity) RETURN a {.*} ORDER BY a.recorded_at, a.id } AS intervals,
       COLLECT { MATCH (v:Review)-[:REVIEWS]->(f) RETURN v {.*} ORDER BY v.id } AS reviews,
       head(COLLECT { MATCH (s:Entity {id: f.subject}) USING INDEX s:Entity(id)
                      MATCH (s)-[r:RELATES_TO]->(:Entity) WHERE r.fact = f.id
                      RETURN r {.*} }) AS relation
ORDER BY f.id

// name: export_readings(scopes, ids) read many
// What was read in some episodes.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e.scope IN $scopes
RETURN e.scope AS scope, e.id AS episode, e.lone AS lone,
       COLLECT { MATCH (e)-[m:MENTIONS]->(n:Entity)
                 RETURN {entity: n.id, start: m.start, end: m.end, name: m.name}
                 ORDER BY m.start, m.end, n.id } AS mentions,
       COLLECT { MATCH (e)-[s:SUPPORTS]->(f:Fact)
                 RETURN s {.*, fact: f.id} ORDER BY s.id } AS claims

// name: export_links(scope, after, limit) read many
// The edges between facts, by the fact that they begin at, a page of facts at a time.
MATCH (f:Fact) USING INDEX f:Fact(scope, id)
WHERE f.scope = $scope AND f.id > $after
WITH f ORDER BY f.scope, f.id LIMIT $limit
RETURN f.id AS fact, f.scope AS scope,
       COLLECT { MATCH (f)-[x:SUPERSEDED_BY|CONTRADICTS|MAY_CHANGE]->(n:Fact)
                 RETURN x {.*, type: type(x), other: n.id} ORDER BY x.id } AS links
ORDER BY fact

// name: attestations(rows) write many
// Who stands for which fact.
// unscoped: the fact lies in the row's scope
UNWIND $rows AS row
MATCH (f:Fact {id: row.fact})
WHERE f.scope = row.scope AND NOT EXISTS { MATCH (:Attestation {id: row.id}) }
CREATE (t:Attestation)-[:ATTESTS]->(f)
SET t = row.properties
RETURN row.line AS line

// name: promotions(rows) write many
// Decisions to copy facts to a wider scope, with the edges between fact, copy, and the episode that
// says the copy.
// unscoped: a promotion stays within one tenant
UNWIND $rows AS row
MATCH (f:Fact {id: row.fact})
WHERE f.scope = row.scope AND NOT EXISTS { MATCH (:Promotion {id: row.id}) }
CREATE (p:Promotion)-[:DECIDES]->(f)
SET p = row.properties
WITH f, row
CALL (f, row) {
  MATCH (c:Fact {id: row.copy})
  WHERE c.tenant = f.tenant
  MERGE (f)-[:PROMOTED_TO]->(c)
  FOREACH (at IN CASE WHEN row.demoted_at IS NULL THEN [] ELSE [row.demoted_at] END |
    MERGE (c)-[d:DEMOTED_FROM]->(f) SET d.recorded_at = at)
}
CALL (f, row) {
  MATCH (e:Passage {id: row.episode})
  WHERE e.tenant = f.tenant
  MERGE (e)-[:DERIVED_FROM]->(f)
}
RETURN row.line AS line

// name: export_attestations(scopes, after, limit) read many
// Attestations by id, whichever scope they are in.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (t:Attestation) USING INDEX t:Attestation(scope, id)
  WHERE t.scope = scope AND t.id > $after
  RETURN t ORDER BY t.scope, t.id LIMIT $limit
}
WITH t ORDER BY t.id LIMIT $limit
RETURN t {.*} AS attestation
ORDER BY t.id

// name: export_promotions(scope, after, limit) read many
MATCH (p:Promotion) USING INDEX p:Promotion(scope, id)
WHERE p.scope = $scope AND p.id > $after
WITH p ORDER BY p.scope, p.id LIMIT $limit
RETURN p {.*} AS promotion
ORDER BY p.id

// name: receipts(rows) write many
// Receipts of erasures that are new.
// unscoped: a whole tenant's restore
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:ErasureReceipt {id: row.id}) }
CREATE (r:ErasureReceipt)
SET r = row.properties
RETURN row.line AS line

// name: tombstones(rows) write many
// Hashes of what must not come back that are new.
// unscoped: a whole tenant's restore
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:Tombstone {id: row.id}) }
CREATE (t:Tombstone)
SET t = row.properties
RETURN row.line AS line

// name: learning(rows) write many
// Entries of the learning log that are new.
// unscoped: a whole tenant's restore
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:LearningEntry {id: row.id}) }
CREATE (l:LearningEntry)
SET l = row.properties
RETURN row.line AS line

// name: export_receipts(tenants, after, limit) read many
// unscoped: whole tenants
MATCH (r:ErasureReceipt)
WHERE r.id > $after AND r.tenant IN $tenants
RETURN r {.id, .tenant, .scope, .kind, .target, .by, .at, .state, .counts, .ids, .hashes, .quoted,
          .survivors, .scopes, .finished_at} AS node
ORDER BY r.id LIMIT $limit

// name: export_tombstones(tenants, after, limit) read many
// unscoped: whole tenants
MATCH (t:Tombstone)
WHERE t.id > $after AND t.tenant IN $tenants
RETURN t {.id, .tenant, .receipt, .created_at} AS node
ORDER BY t.id LIMIT $limit

// name: export_learning(tenants, after, limit) read many
// unscoped: whole tenants
MATCH (l:LearningEntry)
WHERE l.id > $after AND l.tenant IN $tenants
RETURN l {.id, .place, .tenant, .scope, .kind, .payload, .recorded_at, .retracted_at} AS node
ORDER BY l.id LIMIT $limit

// name: knowledge_bases(rows) write many
// Bases that are new, by id and by name. One whose name another one has in its scope goes into that
// one, which keeps its id: documents name their base by it.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:KnowledgeBase {id: row.id}) }
MERGE (b:KnowledgeBase {key: row.properties.key})
ON CREATE SET b = row.properties
ON MATCH SET b.also = [one IN coalesce(b.also, []) WHERE one <> row.id] + row.id
WITH row, b WHERE b.id = row.id
RETURN row.line AS line

// name: bases_here(scopes, ids) read many
// The bases of some scopes that go by some ids: their own, and those of bases that went into them.
MATCH (b:KnowledgeBase)
WHERE b.scope IN $scopes AND b.id > ''
UNWIND [one IN [b.id] + coalesce(b.also, []) WHERE one IN $ids] AS given
RETURN b.scope AS scope, given, b.id AS id

// name: documents(rows) write many
// Documents that are new, in bases that are there. Of one whose name another one has it is told
// whether that says the same; then it keeps the id, which chunks name.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (b:KnowledgeBase {id: row.base}) WHERE b.scope = row.scope
WITH row, b WHERE NOT EXISTS { MATCH (:Document {id: row.id}) }
MERGE (d:Document {key: row.properties.key})
ON CREATE SET d = row.properties
WITH row, b, d, d.id = row.id AS is_new,
     coalesce(d.content_hash, '') = coalesce(row.properties.content_hash, '') AS is_same
FOREACH (_ IN CASE WHEN is_new THEN [1] ELSE [] END |
  MERGE (d)-[:IN_BASE]->(b))
FOREACH (_ IN CASE WHEN is_same AND NOT is_new THEN [1] ELSE [] END |
  SET d.also = [one IN coalesce(d.also, []) WHERE one <> row.id] + row.id)
RETURN row.line AS line, is_new, is_same

// name: documents_here(rows) read many
// Documents by their ids, with the states that tell whether their chunks are found.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (d:Document {id: row.id})
WHERE d.scope = row.scope
MATCH (b:KnowledgeBase {id: d.base})
RETURN d.scope AS scope, d.id AS id, d.base AS base, d.status AS status, b.status AS base_status

// name: documents_twice(scopes, ids) read many
// Ids of documents in the place of which one of the same name and text is here.
MATCH (d:Document)
WHERE d.scope IN $scopes AND d.id > ''
UNWIND [one IN d.also WHERE one IN $ids] AS given
RETURN d.scope AS scope, given AS id

// name: chunks(rows) write many
// Chunks that are new, of documents that have no other at that place of their text; what lies behind
// the end of a text that was written since is none of it.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (d:Document {id: row.document}) WHERE d.scope = row.scope
WITH row, d
WHERE NOT EXISTS { MATCH (:Passage {id: row.id}) }
  AND NOT EXISTS { MATCH (:Chunk {work: row.document, number: row.chunk.number}) }
  AND (row.chunk.number < d.chunks OR d.chunks = 0)
CREATE (c:Chunk:Passage:Memory:Searchable)
SET c = row.chunk
CREATE (c)-[:PART_OF]->(d)
FOREACH (tag IN row.tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (c)-[:TAGGED]->(t))
RETURN row.line AS line

// name: export_bases(scope, after, limit) read many
MATCH (b:KnowledgeBase) USING INDEX b:KnowledgeBase(scope, id)
WHERE b.scope = $scope AND b.id > $after
WITH b ORDER BY b.scope, b.id LIMIT $limit
RETURN b.id AS id, b {.*,
  embedding_model: head(COLLECT {
    MATCH (:Scope {path: b.scope})-[:WITHIN*0..2]->(s:Scope) WHERE s.space > ''
    MATCH (v:VectorSpace {name: s.space})
    RETURN v.model ORDER BY size(s.path) DESC LIMIT 1
  } + COLLECT { MATCH (v:VectorSpace {name: 'memory'}) RETURN v.model })} AS base
ORDER BY id

// name: export_documents(scope, after, limit) read many
MATCH (d:Document) USING INDEX d:Document(scope, id)
WHERE d.scope = $scope AND d.id > $after
RETURN d.id AS id, d {.*} AS document ORDER BY d.scope, d.id LIMIT $limit

// name: export_chunks(scope, after, limit) read many
// Chunks of documents; those of pages are cut anew from their page.
MATCH (c:Passage) USING INDEX c:Passage(scope, id)
WHERE c.scope = $scope AND c.id > $after AND c:Chunk AND EXISTS { (c)-[:PART_OF]->(:Document) }
WITH c ORDER BY c.scope, c.id LIMIT $limit
RETURN c.id AS id, c {.*, embedding: null, embedding_b: null, embedding_c: null} AS chunk ORDER BY id

// name: chunk_ids(scope, after, limit) read many
// Ids of the chunks of documents, and of pages whose passages come along.
MATCH (c:Passage) USING INDEX c:Passage(scope, id)
WHERE c.scope = $scope AND c.id > $after AND c:Chunk
  AND EXISTS {
    MATCH (c)-[:PART_OF]->(w)
    WHERE w:Document OR w:Page AND w.passage_state IN ['done', 'unlinked']
  }
WITH c ORDER BY c.scope, c.id LIMIT $limit
RETURN c.id AS id ORDER BY id
