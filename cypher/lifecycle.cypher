// name: find_memory(id, scopes) read optional
// A passage, fact, note, page, document, skill, proposal, pattern of failure or core block by id, as
// far as it is visible.
CALL () {
  MATCH (n:Passage {id: $id}) RETURN n, n.kind AS kind
  UNION
  MATCH (n:Fact {id: $id}) RETURN n, 'fact' AS kind
  UNION
  MATCH (n:Note {id: $id}) RETURN n, 'note' AS kind
  UNION
  MATCH (n:Page {id: $id}) RETURN n, n.kind AS kind
  UNION
  MATCH (n:Document {id: $id}) RETURN n, 'document' AS kind
  UNION
  MATCH (n:Skill {id: $id}) RETURN n, 'skill' AS kind
  UNION
  MATCH (n:SkillProposal {id: $id}) RETURN n, 'skill_proposal' AS kind
  UNION
  MATCH (n:BadPattern {id: $id}) RETURN n, 'bad_pattern' AS kind
  UNION
  MATCH (n:CoreBlock {id: $id}) RETURN n, 'core_block' AS kind
}
WITH n, kind
WHERE n.scope IN $scopes
RETURN n.id AS id, kind, n.scope AS scope, n.tenant AS tenant, n.author AS author,
       n.expired_at AS expired_at, n.is_pinned AS is_pinned

// name: memories_by(scope, session, author, speaker, limit) read many
// The next episodes of a session or of a speaker, or what an author said, handed in and wrote:
// passages, documents that hold no text, pages whose passages do not tell whose words they hold and
// of which he wrote a text, notes, skills with nobody else's version, copies of skills that were
// taken from a version of his, proposals, patterns of failure and core blocks. They leave as they
// are erased.
CALL () {
  MATCH (e:Episode {session: $session})
  WHERE e.scope = $scope AND e.captured_at IS NOT NULL  // what the index on sessions holds
  RETURN e
  UNION
  MATCH (e:Passage {scope: $scope, author: $author}) RETURN e
  UNION
  MATCH (e:Episode {scope: $scope, speaker: $speaker}) RETURN e
  UNION
  MATCH (e:Document {scope: $scope})
  WHERE e.id > '' AND e.author = $author AND NOT EXISTS { (:Chunk)-[:PART_OF]->(e) }
  RETURN e
  UNION
  MATCH (e:Page {scope: $scope}) // one that was deleted has no passages, one that waits has others
  WHERE e.id > '' AND $author <> ''
    AND (NOT e.passage_state IN ['done', 'unlinked'] OR NOT EXISTS { (:Chunk)-[:PART_OF]->(e) })
    AND (e.author = $author OR e.updated_by = $author
         OR EXISTS { (v:PageVersion)-[:VERSION_OF]->(e) WHERE v.author = $author })
  RETURN e
  UNION
  MATCH (e:Note {scope: $scope, author: $author}) RETURN e
  UNION
  MATCH (e:Skill {scope: $scope})
  WHERE e.id > '' AND $author <> '' AND (e.author = $author OR NOT EXISTS {
    (v:SkillVersion)-[:VERSION_OF]->(e) WHERE v.author <> $author
  })
  RETURN e
  UNION
  MATCH (s:Skill {scope: $scope})
  WHERE s.id > '' AND $author <> ''
  MATCH (e:Skill)-[c:CLONED_FROM]->(s)
  WHERE EXISTS {
    (v:SkillVersion)-[:VERSION_OF]->(s) WHERE v.author = $author AND v.version = c.version
  }
  RETURN e
  UNION
  MATCH (e:SkillProposal {scope: $scope}) WHERE e.id > '' AND e.author = $author RETURN e
  UNION
  MATCH (e:BadPattern {scope: $scope}) WHERE e.id > '' AND e.author = $author RETURN e
  UNION
  MATCH (e:CoreBlock {scope: $scope}) WHERE e.kind > '' AND e.author = $author RETURN e
}
WITH e ORDER BY e.id LIMIT $limit
RETURN e.id AS id

// name: closure_episodes(ids) read many
// What hangs on episodes: the claims that they make, what they mention, and what was made from them.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (e:Passage {id: id})
RETURN e {.id, .scope, .tenant, .content_hash, .dedup_key, .session, .speaker, .lone} AS episode,
       [(e)-[s:SUPPORTS]->(f:Fact) | {fact: f.id, claim: s.id}] AS claims,
       [(e)-[m:MENTIONS]->(n:Entity) | {entity: n.id, name: m.name}] AS mentions,
       [(e)-[:TAGGED]->(t:Tag) | t.id] AS tags,
       [(x)-[:DERIVED_FROM]->(e) | x.id] AS derived

// name: closure_facts(ids, episodes) read many
// Facts with the support that is left to them once some episodes are gone.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (f:Fact {id: id})
RETURN f {.id, .scope, .tenant, .key, .statement, .subject, .object_id, .predicate} AS fact,
       COUNT { (e:Passage)-[:SUPPORTS]->(f) WHERE NOT e.id IN $episodes } AS left,
       [(e:Passage)-[s:SUPPORTS]->(f) WHERE NOT e.id IN $episodes | {claim: s.id, episode: e.id}] AS claims,
       [(x)-[:DERIVED_FROM]->(f) | x.id] AS derived

// name: lock_passages(ids, at) write none
// What goes is written first: a pass that reads or derives from it waits, and then finds nothing.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (e:Passage {id: id})
SET e.touched_at = $at

// name: name_targets(episodes, facts, notes) write none
// Audit events that are not sealed yet keep the id of what they are about.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $episodes AS id
  MATCH (n:Passage {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $facts AS id
  MATCH (n:Fact {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $notes AS id
  MATCH (n:Note {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
}
WITH a, n WHERE a.unsealed = true AND COUNT { (a)-[:AUDIT]->() } = 1
SET a.target = n.id

// name: around(ids, reach) read many
// The episodes of a session on either side, forgotten ones too: they borrow words from each other.
// unscoped: a session lies in one scope
UNWIND $ids AS id
MATCH (e:Passage {id: id})
CALL (e) {
  MATCH (p:Episode {session: e.session})
  WHERE p.captured_at <= e.captured_at AND p.id <> e.id
  WITH p ORDER BY p.captured_at DESC LIMIT $reach
  RETURN collect(p.id) AS before
}
CALL (e) {
  MATCH (p:Episode {session: e.session})
  WHERE p.captured_at >= e.captured_at AND p.id <> e.id
  WITH p ORDER BY p.captured_at, p.ingested_at LIMIT $reach
  RETURN collect(p.id) AS after
}
RETURN before, after

// name: unborrow(ids, vectors) write none
// Neighbours give back the words that they borrowed, at once, and are indexed anew; those whose
// vector took in the text lose it.
// unscoped: neighbours of a closure, in its sessions
UNWIND $ids AS id
MATCH (e:Passage {id: id})
SET e.context_terms = '', e.index_state = 'pending', e.index_rev = e.index_rev + 1
FOREACH (_ IN CASE WHEN id IN $vectors THEN [1] ELSE [] END |
  REMOVE e.embedding, e.embed_hash, e.embedding_b, e.embed_hash_b, e.embedding_c, e.embed_hash_c)

// name: pages_of(ids) read many
// Pages and documents by their own id or by that of a passage, with all their passages.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
CALL (id) {
  MATCH (p:Page {id: id}) RETURN p
  UNION
  MATCH (:Passage {id: id})-[:PART_OF]->(p:Page) RETURN p
  UNION
  MATCH (p:Document {id: id}) RETURN p
  UNION
  MATCH (:Passage {id: id})-[:PART_OF]->(p:Document) RETURN p
}
WITH DISTINCT p
RETURN p.id AS id, p.scope AS scope,
       COLLECT { MATCH (c:Chunk)-[:PART_OF]->(p) RETURN c.id ORDER BY c.id } AS chunks
ORDER BY id

// name: linking_pages(ids) read many
// Pages that link to others that go.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (p:Page {id: id})<-[:REFERENCES]-(s:Page)
WHERE NOT s.id IN $ids
RETURN DISTINCT s.id AS id ORDER BY id

// name: drop_pages(ids, at) write one
// Pages with their versions, and documents. The names that they used are touched, so that upkeep
// finds those that nobody uses any more; audit events that are not sealed yet keep their ids.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  CALL (id) {
    MATCH (:Page {id: id})<-[:AUDIT]-(a:AuditEvent) RETURN a
    UNION
    MATCH (:Document {id: id})<-[:AUDIT]-(a:AuditEvent) RETURN a
  }
  WITH a, id WHERE a.unsealed = true AND COUNT { (a)-[:AUDIT]->() } = 1
  SET a.target = id
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Page {id: id})-[:BEARS|LINKS]->(n:LinkName)
  WITH DISTINCT n ORDER BY n.id
  SET n.touched_at = $at
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Page {id: id})<-[:VERSION_OF]-(v:PageVersion)
  DETACH DELETE v
  RETURN count(*) AS page_versions
}
CALL () {
  UNWIND $ids AS id
  MATCH (p:Page {id: id})
  DETACH DELETE p
  RETURN count(*) AS pages
}
CALL () {
  UNWIND $ids AS id
  MATCH (d:Document {id: id})
  DETACH DELETE d
  RETURN count(*) AS documents
}
RETURN pages, page_versions, documents

// name: drop_episodes(ids) write one
// Episodes with windows and provenance; claims and mentions go with their edges.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (:Passage {id: id})<-[:WINDOW_OF]-(w:Window)
  DETACH DELETE w
  RETURN count(*) AS windows
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Passage {id: id})-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
  DETACH DELETE v
  RETURN count(*) AS provenance
}
CALL () {
  UNWIND $ids AS id
  MATCH (e:Passage {id: id})
  DETACH DELETE e
  RETURN count(*) AS episodes
}
RETURN episodes, windows, provenance

// name: drop_facts(ids) write one
// Facts with their reviews, windows, and the edges between entities that stand for them.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (f:Fact {id: id})
  MATCH (:Entity {id: f.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = f.id
  DELETE r
  RETURN count(*) AS relations
}
CALL () {
  UNWIND $ids AS id
  MATCH (v:Review {fact: id})
  DETACH DELETE v
  RETURN count(*) AS reviews
}
CALL () {
  UNWIND $ids AS id
  MATCH (t:Attestation {fact: id})
  DETACH DELETE t
  RETURN count(*) AS attestations
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Fact {id: id})<-[:WINDOW_OF]-(w:Window)
  DETACH DELETE w
  RETURN count(*) AS windows
}
CALL () {
  UNWIND $ids AS id
  MATCH (f:Fact {id: id})
  DETACH DELETE f
  RETURN count(*) AS facts
}
RETURN facts, relations, reviews, attestations, windows

// name: drop_hints(ids) write none
// What was said in the place of a memory that goes, or nearly repeats it, names it no more.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
CALL (id) {
  MATCH (e:Episode {supersedes: id})
  REMOVE e.supersedes
}
CALL (id) {
  MATCH (e:Episode {near_duplicate: id})
  REMOVE e.near_duplicate
}

// name: drop_shared(sessions, tags) write one
// Sessions without episodes, and tags that nothing has any more.
// unscoped: a session and a tag lie in one scope, which the service has checked
CALL () {
  UNWIND $sessions AS id
  MATCH (s:MemSession {id: id})
  SET s.touched_at = datetime.realtime()
  WITH s
  WHERE NOT EXISTS { (:Episode)-[:IN_SESSION]->(s) }
  DETACH DELETE s
  RETURN count(*) AS sessions
}
CALL () {
  UNWIND $tags AS id
  MATCH (t:Tag {id: id})
  WHERE NOT EXISTS { ()-[:TAGGED]->(t) }
  DETACH DELETE t
  RETURN count(*) AS tags
}
RETURN sessions, tags

// name: keys_of(facts) read many
// Belief keys of facts and the entities that they hang on; of an end that leaves open what ended, the
// keys of what it may have ended as well.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $facts AS id
MATCH (f:Fact {id: id})
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN f.id AS id, f.key AS key, f.scope AS scope, f.subject AS subject, s.root AS root,
       f.object_id AS object_id,
       COLLECT { WITH f, s WHERE f.predicate = 'ended'
                 MATCH (m:Entity {root: s.root})
                 UNWIND f.fits AS predicate
                 MATCH (c:Fact {subject: m.id, predicate: predicate})
                 RETURN DISTINCT c.key } AS fitted

// name: forget_history(facts, at) write none
// What the erased claims had made us hold is taken out, not only retracted; what is held instead
// counts from when that was, and goes on with what was held before if it is the same.
// unscoped: facts of the keys that were settled
UNWIND $facts AS id
MATCH (f:Fact {id: id})
CALL (f) {
  MATCH (f)-[a:ABOUT]->(:Entity)
  WHERE a.retracted_at >= $at AND a.recorded_at < $at
    AND a.retracted_at < datetime('9999-12-31T00:00:00Z')
  WITH collect(a) AS gone, min(a.recorded_at) AS since
  FOREACH (a IN gone | DELETE a)
  RETURN since
}
CALL (f, since) {
  WITH f, since WHERE since IS NOT NULL
  MATCH (f)-[a:ABOUT]->(:Entity)
  WHERE a.recorded_at >= $at
  SET a.recorded_at = since
  RETURN collect(a) AS again
}
CALL (f, since, again) {
  UNWIND again AS a
  MATCH (f)-[p:ABOUT]->(:Entity)
  WHERE p.retracted_at = since AND p.valid_from = a.valid_from AND p.valid_to = a.valid_to
    AND p.standing = a.standing AND p.reason = a.reason
    AND p.from_precision = a.from_precision AND p.to_precision = a.to_precision
  SET p.retracted_at = a.retracted_at
  DELETE a
}

// name: reword(rows) write none
// Facts that live on in the words of what still supports them.
// unscoped: facts of the closure, in its scopes
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
SET f += row.properties, f.index_rev = f.index_rev + 1, f.index_state = 'pending'
REMOVE f.embedding, f.embed_hash, f.embedding_b, f.embed_hash_b, f.embedding_c, f.embed_hash_c

// name: unworded(limit) read many
// Facts that are still told in the words of an older version, in the order of their ids.
// unscoped: a sweep over every scope
MATCH (f:Fact {wording_state: 'pending'})
RETURN f.id AS id, f.scope AS scope
ORDER BY id LIMIT $limit

// name: worded(ids) write none
// unscoped: facts that `unworded` gave
UNWIND $ids AS id
MATCH (f:Fact {id: id})
REMOVE f.wording_state

// name: best_support(facts) read many
// For each fact its earliest claim, with the text that makes it and what that mentions.
// unscoped: facts of the closure, in its scopes
UNWIND $facts AS id
MATCH (f:Fact {id: id})
CALL (f) {
  MATCH (e:Passage)-[s:SUPPORTS]->(f)
  RETURN e, s ORDER BY s.said_at, s.id LIMIT 1
}
OPTIONAL MATCH (a:Entity {id: f.subject})
OPTIONAL MATCH (b:Entity {id: f.object_id})
RETURN f {.id, .scope, .predicate, .object_key, .object_id, .object_kind, .object_text, .subject_text, .negated,
          .qualifier, .statement, .valid_from} AS fact,
       e {.id, .scope, .tenant, .content, .captured_at, .ingested_at, .speaker, .role, .language, .author, .origin,
          .trust, .session, .expired_at, .assertion,
          proposals: [(e)-[x:READ_BY]->(r:ModelReading) WHERE NOT coalesce(x.beside, false) |
                      r {.model, .answer, turn: x.turn}]} AS episode,
       s {.id, .start, .end, .language, .mode} AS claim,
       a.canonical_name AS subject_name, b.canonical_name AS object_name

// name: entity_rest(ids) read many
// Entities that an erasure concerned, with what is left of them.
// unscoped: entities of the closure, in its scopes
UNWIND $ids AS id
MATCH (e:Entity {id: id})
RETURN e {.id, .scope, .tenant, .root, .type, .canonical_name, .canonical_key, .aliases, .keys, .marks} AS entity,
       EXISTS { (:Passage)-[:MENTIONS]->(e) } OR EXISTS { MATCH (:Fact {subject: e.id}) }
         OR EXISTS { MATCH (:Fact {object_id: e.id}) } AS needed,
       COLLECT { MATCH (p:Passage)-[m:MENTIONS]->(e) RETURN DISTINCT m.name } AS names,
       COLLECT { MATCH (p:Passage)-[:MENTIONS]->(e) WHERE p.speaker IS NOT NULL
                 RETURN DISTINCT p.speaker } AS speakers

// name: drop_entities(ids) write one
// Entities that nothing mentions and no fact is about, with the records of their merges; audit
// events that are not sealed yet keep the ids of both.
// unscoped: entities of the closure, in its scopes
CALL () {
  UNWIND $ids AS id
  CALL (id) {
    MATCH (n:Entity {id: id})<-[:AUDIT]-(a:AuditEvent) RETURN a, n
    UNION
    MATCH (:Entity {id: id})<-[:MERGES]-(n:MergeRecord)<-[:AUDIT]-(a:AuditEvent) RETURN a, n
  }
  WITH a, n WHERE a.unsealed = true AND COUNT { (a)-[:AUDIT]->() } = 1
  SET a.target = n.id
}
CALL () {
  UNWIND $ids AS id
  MATCH (m:MergeRecord)-[:MERGES]->(:Entity {id: id})
  WITH DISTINCT m
  DETACH DELETE m
  RETURN count(*) AS merges
}
CALL () {
  UNWIND $ids AS id
  MATCH (a:Alias)-[:NAMES]->(:Entity {id: id})
  WHERE NOT EXISTS { MATCH (a)-[:NAMES]->(o:Entity) WHERE NOT o.id IN $ids }
  WITH DISTINCT a
  DETACH DELETE a
  RETURN count(*) AS aliases
}
CALL () {
  UNWIND $ids AS id
  MATCH (e:Entity {id: id})
  DETACH DELETE e
  RETURN count(*) AS entities
}
RETURN entities, aliases, merges

// name: rename(rows) write one
// Names that only the erased texts used go from what lives on, and out of the evidence of merges.
// unscoped: entities of the closure, in its scopes
CALL () {
  UNWIND $rows AS row
  MATCH (e:Entity {id: row.id})
  SET e += row.properties
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.gone AS alias
  MATCH (a:Alias {id: alias})-[n:NAMES]->(:Entity {id: row.id})
  DELETE n
  WITH DISTINCT a
  WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) }
  DETACH DELETE a
  RETURN count(*) AS aliases
}
CALL () {
  UNWIND $rows AS row
  MATCH (m:MergeRecord)-[:MERGES]->(e:Entity {id: row.id})
  SET m.evidence = '{}'
  WITH e
  MATCH (e)-[s:SAME_AS]-(:Entity)
  SET s.evidence = '{}'
}
RETURN aliases

// name: set_roots(rows) write none
// The roots of clusters that lost a member.
// unscoped: entities of one cluster lie in one scope
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.root = row.root

// name: bury(rows) write none
// Tombstones: hashes that an import asks before it brings something back.
// unscoped: each id is a digest over what was erased
UNWIND $rows AS row
MERGE (t:Tombstone {id: row.id})
SET t = row

// name: buried(ids) read many
// Which of these were erased, where, and when.
// unscoped: each id is a digest over what was erased
UNWIND $ids AS id
MATCH (t:Tombstone {id: id})
RETURN t.id AS id, t.tenant AS tenant, t.created_at AS created_at

// name: lock_receipt(id, row, at) write one
// The receipt of an erasure, locked: what several batches remove adds up in it.
// unscoped: $row carries tenant and scope
MERGE (r:ErasureReceipt {id: $id})
ON CREATE SET r = $row
SET r.touched_at = $at
RETURN r {.*} AS receipt

// name: touch_receipt(id, at) write optional
// A receipt for the process that finishes it.
// unscoped: found by the receipt's own id
MATCH (r:ErasureReceipt {id: $id})
SET r.touched_at = $at
RETURN r {.*} AS receipt

// name: add_to_receipt(id, properties, audit) write none
// What one batch removed, with its audit event.
// unscoped: found by the receipt's own id
MATCH (r:ErasureReceipt {id: $id})
SET r += $properties
MERGE (a:AuditEvent {id: $audit.id})
ON CREATE SET a = $audit
MERGE (a)-[:AUDIT]->(r)

// name: close_receipt(id, counts, at) write none
// Nothing is left to remove.
// unscoped: found by the receipt's own id
MATCH (r:ErasureReceipt {id: $id})
SET r.counts = $counts, r.state = 'done', r.finished_at = $at

// name: get_receipt(id, scopes) read optional
MATCH (r:ErasureReceipt {id: $id})
WHERE r.scope IN $scopes
RETURN r {.*} AS receipt

// name: receipt_of(target, scopes) read optional
// The latest receipt of something that was erased before; what was only deleted may come again.
MATCH (r:ErasureReceipt {target: $target})
WHERE r.scope IN $scopes AND NOT r.kind IN ['document', 'knowledge_base']
RETURN r {.*} AS receipt ORDER BY r.at DESC LIMIT 1

// name: list_receipts(scopes, after, limit) read many
// Receipts, newest first.
MATCH (r:ErasureReceipt)
WHERE r.scope IN $scopes AND r.id < $after
WITH r ORDER BY r.id DESC LIMIT $limit
RETURN r {.*} AS receipt

// name: open_receipts(limit) read many
// Erasures that were cut short after the graph was cleared; of a scope, its own job goes on.
// unscoped: upkeep of the whole installation
MATCH (r:ErasureReceipt {state: 'removing'})
WHERE r.touched_at < datetime.realtime() - duration('PT60S') AND r.kind <> 'scope'
RETURN r {.*} AS receipt LIMIT $limit

// name: drop_answers(tenant, needles) write one
// Kept answers that show something that is gone: by its id or hash; all of them without needles.
MATCH (r:IdempotencyRecord {tenant: $tenant})
WHERE r.body IS NOT NULL
  AND ($needles IS NULL OR any(needle IN $needles WHERE r.body CONTAINS needle))
DELETE r
RETURN count(*) AS answers

// name: clear_jobs(tenant, needles, paths, keep) write one
// Jobs that ended, dead letters too, lose what they say of something that is gone: by ids and hashes,
// and by paths, each held as a whole as `holders` has it, so that `a/b` is not in `a/bc`.
MATCH (j:Job {tenant: $tenant})
WHERE j.state IN ['done', 'dead', 'cancelled'] AND NOT j.task IN $keep
WITH j, [j.args, coalesce(j.items, ''), coalesce(j.result, ''), coalesce(j.error, ''),
         coalesce(j.progress, '')] AS told
WHERE any(text IN told WHERE any(needle IN $needles WHERE text CONTAINS needle)
      OR any(x IN $paths WHERE text CONTAINS x
             AND text =~ '(?s)(.*[^a-z0-9._-])?\\Q' + x + '\\E(?![a-z0-9_-]|[.][a-z0-9]).*'))
WITH j, any(needle IN $needles WHERE j.stops CONTAINS needle)
        OR any(x IN $paths WHERE j.stops CONTAINS x
               AND j.stops =~ '(?s)(.*[^a-z0-9._-])?\\Q' + x + '\\E(?![a-z0-9_-]|[.][a-z0-9]).*') AS hides
SET j.args = '{}', j.progress = '{}', j.items = '[]', j.result = '{}', j.error = null,
    j.marks = CASE WHEN hides THEN ['erased'] ELSE j.marks END,
    j.stops = CASE WHEN hides THEN 'erased' ELSE j.stops END
RETURN count(*) AS jobs

// name: spooled(tenant, tasks, at) write many
// Jobs of a tenant whose files may hold what is gone; one that runs is asked to stop.
MATCH (j:Job {tenant: $tenant})
WHERE j.task IN $tasks AND j.state IN ['running', 'done', 'dead', 'cancelled']
SET j.touched_at = $at,
    j.cancel_requested = CASE WHEN j.state = 'running' THEN true ELSE j.cancel_requested END
RETURN j.id AS id, j.task AS task, j.scope AS scope, j.state AS state, j.args AS args

// name: tenant_page(place, after, above, end, page) read many
// A page of one label's nodes in the order of place and key: those of one place behind a key, then
// those of the places between `above` and `end`. `kernel.cypher.over` names label, place and key.
// unscoped: all three are of one tenant, whose own place comes first
CALL () {
  MATCH (n:Passage) WHERE n.scope = $place AND n.id > $after
  RETURN n ORDER BY n.id LIMIT $page
  UNION ALL
  MATCH (n:Passage) WHERE n.scope > $above AND n.scope < $end AND n.id > ''
  RETURN n ORDER BY n.scope, n.id LIMIT $page
}
RETURN elementId(n) AS node, n.scope AS place, n.id AS key ORDER BY place, key LIMIT $page

// name: holders(nodes, tenant, below, needles, paths, least, hashes, scopes) read one
// Those of some nodes that hold one of some texts in a property, a list or a relationship that
// starts there, and memories of the same content. A path is held as a whole: `a/b` is not in
// `a/bc`.
CYPHER 25
MATCH (n)
WHERE elementId(n) IN $nodes
  AND (n.tenant = $tenant OR n.scope = $tenant OR n.scope STARTS WITH $below)
WITH n, [(n)-[r]->() WHERE any(k IN keys(r) WHERE any(v IN
         CASE WHEN r[k] IS :: STRING NOT NULL THEN [toLower(r[k])]
              WHEN r[k] IS :: LIST<STRING NOT NULL> NOT NULL THEN [v IN r[k] | toLower(v)]
              ELSE [] END
         WHERE size(v) >= $least AND (any(x IN $needles WHERE v CONTAINS x)
           OR any(x IN $paths WHERE v CONTAINS x
                  AND v =~ '(?s)(.*[^a-z0-9._-])?\\Q' + x + '\\E(?![a-z0-9_-]|[.][a-z0-9]).*')))) | type(r)] AS types,
  any(k IN keys(n) WHERE NOT k STARTS WITH 'embedding' AND any(v IN
         CASE WHEN n[k] IS :: STRING NOT NULL THEN [toLower(n[k])]
              WHEN n[k] IS :: LIST<STRING NOT NULL> NOT NULL THEN [v IN n[k] | toLower(v)]
              ELSE [] END
         WHERE size(v) >= $least AND (any(x IN $needles WHERE v CONTAINS x)
           OR any(x IN $paths WHERE v CONTAINS x
                  AND v =~ '(?s)(.*[^a-z0-9._-])?\\Q' + x + '\\E(?![a-z0-9_-]|[.][a-z0-9]).*')))) AS held,
  n:Memory AND n.content_hash IN $hashes AND n.scope IN $scopes AS same,
  COUNT { (n)-->() } AS edges
RETURN count(n) AS nodes, coalesce(sum(edges), 0) AS edges,
       collect(CASE WHEN held OR same OR size(types) > 0
                    THEN {id: coalesce(n.id, n.path, n.scope, n.tenant), scope: n.scope, labels: labels(n), held: held,
                          same: same, types: types}
               END) AS found

// name: facts_of_keys(keys) read many
// unscoped: keys are digests that cover their scope
UNWIND $keys AS key
MATCH (f:Fact {key: key})
RETURN f.id AS id

// name: blank_job(id) write none
// The order of an erasure named somebody: it is not kept once it is carried out.
// unscoped: the job's own id
MATCH (j:Job {id: $id})
SET j.args = '{}'

// name: cluster_members(roots, scope, at) write many
// The members of clusters that lose one, locked, with the merges that join them.
MATCH (e:Entity)
WHERE e.root IN $roots AND e.scope = $scope
WITH e ORDER BY e.id LIMIT 1000
SET e.touched_at = $at
WITH e
RETURN e.id AS id, e.root AS root,
       [(e)-[s:SAME_AS]->(o:Entity) WHERE s.status = 'accepted' |
         {right: o.id, left_count: s.left_count, right_count: s.right_count}] AS edges
ORDER BY id

// name: forget(rows, scopes, at, key) write many
// Hides memories at every moment, in the indexes too; each that was not hidden gets its audit
// event. What is hidden already stays as it is.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Passage {id: row.id}) RETURN n
  UNION
  MATCH (n:Fact {id: row.id}) RETURN n
  UNION
  MATCH (n:Note {id: row.id}) RETURN n
}
WITH row, n
WHERE n.scope IN $scopes
SET n.is_pinned = coalesce(n.is_pinned, false), n.follows = null
WITH row, n, n.expired_at > $at AS changes
FOREACH (_ IN CASE WHEN changes THEN [1] ELSE [] END |
  SET n.expired_at = $at, n.expired_key = $key, n.live = false,
      n.facets = [t IN n.facets WHERE t <> 'live'],
      n.link_state = CASE WHEN n.link_state IS NULL THEN NULL ELSE 'titled' END
  MERGE (a:AuditEvent {id: row.audit.id})
  ON CREATE SET a = row.audit
  MERGE (a)-[:AUDIT]->(n))
WITH n, changes
CALL (n) {
  MATCH (w:Window)-[:WINDOW_OF]->(n)
  SET w.live = n.live, w.facets = n.facets, w.expired_at = n.expired_at, w.expired_key = n.expired_key
}
CALL (n) {
  WITH n WHERE n:Fact
  MATCH (:Entity {id: n.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = n.id
  SET r.live = false
}
CALL (n, changes) { // the page of its day is made anew, also one that is being made for the first time
  WITH n, changes WHERE changes AND n:Episode
  MATCH (s:Scope {path: n.scope})
  SET s.touched_at = $at
  WITH n
  MATCH (d:DayPage)
  WHERE d.scope = n.scope AND d.day = toString(date(n.captured_at))
  SET d.due = true
}
RETURN n.id AS id, changes, n:Episode AS episode, n:Passage AS passage

// name: hold_documents(ids, scopes, at) write many
// The documents that passages are part of, locked with their bases in the order in which others lock
// them, each with its state, that of its base, and those of the passages that are in it.
UNWIND $ids AS id
MATCH (c:Passage {id: id})-[:PART_OF]->(d:Document)
WHERE d.scope IN $scopes
WITH d, collect(id) AS passages ORDER BY d.id
SET d.touched_at = $at
WITH collect({document: d, passages: passages}) AS held
UNWIND held AS one
WITH one.document AS d, one.passages AS passages
MATCH (d)-[:IN_BASE]->(b:KnowledgeBase)
WITH b, collect({document: d, passages: passages}) AS held ORDER BY b.id
SET b.touched_at = $at
WITH b, held
UNWIND held AS one
WITH b, one.document AS d, one.passages AS passages
RETURN d.status AS document, b.status AS base, passages

// name: unforget(rows, scopes, at, never, key) write many
// Shows memories again that were forgotten: live as far as they are believed, and a passage unless
// its row says that it is put away with its document.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Passage {id: row.id}) RETURN n, NOT row.away AS lives
  UNION
  MATCH (n:Fact {id: row.id}) RETURN n, n.status = 'active' AS lives
  UNION
  MATCH (n:Note {id: row.id}) RETURN n, n.standing = 'held' AS lives
}
WITH row, n, lives
WHERE n.scope IN $scopes
SET n.is_pinned = coalesce(n.is_pinned, false), n.follows = null
WITH row, n, lives, n.expired_at <= $at AS changes
FOREACH (_ IN CASE WHEN changes THEN [1] ELSE [] END |
  SET n.expired_at = $never, n.expired_key = $key, n.live = lives,
      n.facets = [t IN n.facets WHERE t <> 'live'] + CASE WHEN lives THEN ['live'] ELSE [] END,
      n.link_state = CASE WHEN n.link_state IS NULL THEN NULL ELSE 'titled' END
  MERGE (a:AuditEvent {id: row.audit.id})
  ON CREATE SET a = row.audit
  MERGE (a)-[:AUDIT]->(n))
WITH n, changes
CALL (n) {
  MATCH (w:Window)-[:WINDOW_OF]->(n)
  SET w.live = n.live, w.facets = n.facets, w.expired_at = n.expired_at, w.expired_key = n.expired_key
}
CALL (n) {
  WITH n WHERE n:Fact
  MATCH (:Entity {id: n.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = n.id
  SET r.live = n.live
}
CALL (n, changes) { // the page of its day is made anew, also one that is being made for the first time
  WITH n, changes WHERE changes AND n:Episode
  MATCH (s:Scope {path: n.scope})
  SET s.touched_at = $at
  WITH n
  MATCH (d:DayPage)
  WHERE d.scope = n.scope AND d.day = toString(date(n.captured_at))
  SET d.due = true
}
RETURN n.id AS id, changes, n:Episode AS episode, n:Passage AS passage

// name: tell_followers(rows) write none
// The events of what was forgotten are about the facts that went with it as well.
// unscoped: facts of memories whose scopes were checked
UNWIND $rows AS row
MATCH (a:AuditEvent {id: row.audit})
MATCH (f:Fact {id: row.fact})
MERGE (a)-[:AUDIT]->(f)

// name: set_pin(rows, scopes, pinned) write many
// Pins memories, or unpins them; one that was forgotten stays hidden.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Passage {id: row.id}) RETURN n
  UNION
  MATCH (n:Fact {id: row.id}) RETURN n
  UNION
  MATCH (n:Note {id: row.id}) RETURN n
}
WITH row, n
WHERE n.scope IN $scopes
SET n.importance = n.importance
WITH row, n, coalesce(n.is_pinned, false) <> $pinned AS changes
SET n.is_pinned = $pinned
FOREACH (_ IN CASE WHEN changes THEN [1] ELSE [] END |
  MERGE (a:AuditEvent {id: row.audit.id})
  ON CREATE SET a = row.audit
  MERGE (a)-[:AUDIT]->(n))
RETURN n.id AS id, changes

// name: owners(ids, scopes) read many
// Who said a memory: its author, or all who support a fact.
UNWIND $ids AS id
CALL (id) {
  MATCH (n:Passage {id: id}) RETURN n, n.kind AS kind, [n.author] AS principals
  UNION
  MATCH (n:Fact {id: id})
  RETURN n, 'fact' AS kind,
         COLLECT { MATCH (:Passage)-[s:SUPPORTS]->(n) RETURN DISTINCT s.principal } AS principals
  UNION
  MATCH (n:Note {id: id}) RETURN n, 'note' AS kind, [n.author] AS principals
}
WITH n, kind, principals
WHERE n.scope IN $scopes
RETURN n.id AS id, kind, n.scope AS scope, n.tenant AS tenant, principals, n.expired_at AS expired_at,
       coalesce(n.is_pinned, false) AS is_pinned

// name: live_of(scopes, limit) read many
// Memories of scopes that are not forgotten: what was said, passages of documents and pages, those
// put away included, facts and notes.
CALL () {
  MATCH (n:Passage) WHERE n.scope IN $scopes AND n.id > ''
    AND n.expired_at > datetime('9999-12-30T00:00:00Z')
  RETURN n LIMIT $limit
  UNION
  MATCH (n:Fact) WHERE n.scope IN $scopes AND n.status IN ['active', 'superseded', 'quarantined']
    AND n.expired_at > datetime('9999-12-30T00:00:00Z')
  RETURN n LIMIT $limit
  UNION
  MATCH (n:Note) WHERE n.scope IN $scopes AND n.id > ''
    AND n.expired_at > datetime('9999-12-30T00:00:00Z')
  RETURN n LIMIT $limit
}
RETURN n.id AS id LIMIT $limit

// name: facts_named(aliases, scopes, after, limit) read many
// Facts about the entities that bear one of some names, forgotten ones aside, in the order of their
// ids.
UNWIND $aliases AS alias
MATCH (:Alias {id: alias})-[:NAMES]->(e:Entity)
MATCH (m:Entity {root: e.root})
MATCH (f:Fact {subject: m.id})
WITH DISTINCT f  // before the id is looked at, so that no plan goes through all facts of a scope
WHERE f.scope IN $scopes AND f.id > $after
  AND f.expired_at > datetime('9999-12-30T00:00:00Z')
RETURN f.id AS id ORDER BY id LIMIT $limit

// name: sweepable_episodes(scope, after, before, trust, limit) read many
// Old episodes of little trust, with whether anything rests on them.
MATCH (n:Episode {scope: $scope})
WHERE n.id > $after AND n.live AND n.ingested_at <= $before AND coalesce(n.trust, 0.0) < $trust
  AND NOT coalesce(n.is_pinned, false)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.id, .kind, .importance, .trust, .is_pinned, .ingested_at, .captured_at, .last_access} AS memory,
       n.lone IS NOT NULL OR EXISTS { (n)-[:SUPPORTS]->() } OR EXISTS { (n)-[:MENTIONS]->() }
         OR EXISTS { ()-[:DERIVED_FROM]->(n) } AS referenced

// name: sweepable_facts(scope, after, before, trust, limit) read many
// Old facts of little trust, with whether anything rests on them; what is attested or was copied
// to a wider scope is spared.
MATCH (n:Fact {scope: $scope})
WHERE n.status IN ['active', 'superseded', 'quarantined'] AND n.id > $after
  AND n.expired_at > datetime('9999-12-30T00:00:00Z') AND n.ingested_at <= $before
  AND coalesce(n.trust, 0.0) < $trust AND NOT coalesce(n.is_pinned, false)
WITH n ORDER BY n.scope, n.id LIMIT $limit
RETURN n {.id, .kind, .predicate, .importance, .trust, .is_pinned, .ingested_at, .captured_at, .last_access} AS memory,
       EXISTS { (n)-[:SUPPORTS]->() } OR EXISTS { ()-[:DERIVED_FROM]->(n) }
         OR EXISTS { (n)-[:PROMOTED_TO]-() }
         OR EXISTS { MATCH (t:Attestation {fact: n.id}) WHERE t.revoked_at IS NULL } AS referenced

// name: sweepable_notes(scope, after, before, trust, limit) read many
// Old notes of little trust, with whether anything rests on them.
MATCH (n:Note {scope: $scope})
WHERE n.id > $after AND n.expired_at > datetime('9999-12-30T00:00:00Z')
  AND n.ingested_at <= $before AND coalesce(n.trust, 0.0) < $trust
  AND NOT coalesce(n.is_pinned, false)
WITH n ORDER BY n.scope, n.id LIMIT $limit
RETURN n {.id, .kind, .namespace, .importance, .trust, .is_pinned, .ingested_at, .captured_at, .last_access} AS memory,
       EXISTS { ()-[:DERIVED_FROM]->(n) } AS referenced

// name: notes_at_rest(scope, after, limit) read many
// Notes that hold, with what tells how stale they are.
MATCH (n:Note {scope: $scope})
WHERE n.id > $after AND n.standing = 'held' AND n.expired_at > datetime('9999-12-30T00:00:00Z')
WITH n ORDER BY n.scope, n.id LIMIT $limit
RETURN n.id AS id,
       n {.namespace, .importance, .is_pinned, .ingested_at, .updated_at, .last_access} AS note

// name: agents_at_home(scope) read many
// Agents of a scope with their record as attesters and when they last did something.
MATCH (p:Agent)-[:HOME]->(s:Scope {path: $scope})
WHERE p.retired_at IS NULL
RETURN p.id AS id, p.created_at AS created_at,
       reduce(last = null, k IN [(k:ApiKey)-[:KEY_OF]->(p) WHERE k.last_used_at IS NOT NULL | k.last_used_at] |
         CASE WHEN last IS NULL OR k > last THEN k ELSE last END) AS last_used_at,
       COUNT { MATCH (q:Attestation {principal: p.id})-[:ATTESTS]->(g:Fact)
               WHERE q.revoked_at IS NULL AND g.principals > 1 AND g.status = 'active' } AS agreements,
       COUNT { MATCH (q:Attestation {principal: p.id})-[:ATTESTS]->(g:Fact)
               WHERE EXISTS { MATCH (v:Review {fact: g.id, verdict: 'reject'})
                              WHERE v.undone_at IS NULL } } AS contradictions
ORDER BY id

// name: set_agent_trust(rows) write none
// unscoped: agents of a scope whose rules say so
UNWIND $rows AS row
MATCH (p:Principal {id: row.id})
SET p.trust = row.trust, p.trust_at = row.at

// name: doubled_beliefs(tenant, below, limit) read many
// Two facts of one key that are both held at one moment, neither a denial: only a key of a predicate
// that takes many values may say two things, and such a key holds one value. What was not wholly read
// stands beside another; whether two values may both be so, their names tell.
MATCH (f:Fact)
WHERE $tenant IS NULL OR f.scope = $tenant OR f.scope STARTS WITH $below
MATCH (f)-[a:ABOUT]->(:Entity)
WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held' AND NOT f.negated
  AND NOT a.reason = 'reviewed'
MATCH (g:Fact {key: f.key})
WHERE g.id > f.id AND NOT g.negated
MATCH (o:Entity)<-[b:ABOUT]-(g)
WHERE b.retracted_at = datetime('9999-12-31T00:00:00Z') AND b.standing = 'held'
  AND NOT b.reason = 'reviewed' AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to
OPTIONAL MATCH (x:Entity {id: f.object_id})
OPTIONAL MATCH (y:Entity {id: g.object_id})
WITH f, g WHERE coalesce(x.root, f.object_key) <> coalesce(y.root, g.object_key)
  AND EXISTS { (:Passage)-[s:SUPPORTS]->(f) WHERE s.rest IS NULL }
  AND EXISTS { (:Passage)-[s:SUPPORTS]->(g) WHERE s.rest IS NULL }
RETURN DISTINCT f.id AS id, f.predicate AS predicate, f.object_text AS one, g.object_text AS other,
                f.object_key AS one_key, g.object_key AS other_key LIMIT $limit

// name: overlapping_intervals(tenant, below, limit) read many
MATCH (f:Fact)
WHERE $tenant IS NULL OR f.scope = $tenant OR f.scope STARTS WITH $below
MATCH (f)-[a:ABOUT]->(:Entity)
WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held'
MATCH (f)-[b:ABOUT]->(:Entity)
WHERE b.retracted_at = a.retracted_at AND b.standing = 'held' AND b.id > a.id
  AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to
RETURN DISTINCT f.id AS id LIMIT $limit

// name: unsupported_facts(tenant, below, limit) read many
// What was read together with the word that ends it was never held and has no interval.
MATCH (f:Fact)
WHERE ($tenant IS NULL OR f.scope = $tenant OR f.scope STARTS WITH $below)
  AND (NOT EXISTS { (:Passage)-[:SUPPORTS]->(f) }
       OR f.status <> 'superseded' AND NOT EXISTS { (f)-[:ABOUT]->(:Entity) })
RETURN f.id AS id LIMIT $limit

// name: crossing_edges(tenant, below, limit) read many
// Copies in a wider scope and what they were made from are tied across scopes; nothing else is.
MATCH (n)-[r:SUPPORTS|ABOUT|MENTIONS|RELATES_TO|NAMES|SAME_AS|SUPERSEDED_BY|CONTRADICTS|MAY_CHANGE|REVIEWS|IN_SESSION|TAGGED|WINDOW_OF]->(m)
WHERE ($tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below) AND n.scope <> m.scope
RETURN DISTINCT n.id AS id LIMIT $limit

// name: stale_mirrors(tenant, below, limit) read many
// Status and liveness of a fact against its open intervals, and its level against what says it; a
// fact whose time has run out a moment ago waits for the refresh.
MATCH (f:Fact)
WHERE $tenant IS NULL OR f.scope = $tenant OR f.scope STARTS WITH $below
WITH f,
     EXISTS { MATCH (f)-[a:ABOUT]->(:Entity)
              WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') AND a.standing = 'held' } AS held,
     f.expired_at > datetime('9999-12-30T00:00:00Z') AS shown
WHERE (f.status = 'active' AND NOT held) OR (f.status = 'quarantined' AND held)
   OR f.live <> (f.status = 'active' AND shown)
   OR ('live' IN f.facets) <> f.live
   OR coalesce(f.privacy, 0) <> head(COLLECT {
     MATCH (x:Passage)-[:SUPPORTS]->(f) RETURN coalesce(max(x.privacy), 0) })
RETURN f.id AS id LIMIT $limit

// name: orphan_relations(tenant, below, limit) read many
MATCH (n:Entity)-[r:RELATES_TO]->(:Entity)
WHERE ($tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below)
  AND NOT EXISTS { (:Fact {id: r.fact}) }
RETURN DISTINCT n.id AS id LIMIT $limit

// name: miscounted_mentions(tenant, below, limit) read many
MATCH (e:Entity)
WHERE ($tenant IS NULL OR e.scope = $tenant OR e.scope STARTS WITH $below)
  AND e.mention_count <> COUNT { (e)<-[:MENTIONS]-() }
RETURN e.id AS id LIMIT $limit

// name: stray_entities(tenant, below, limit) read many
MATCH (e:Entity)
WHERE ($tenant IS NULL OR e.scope = $tenant OR e.scope STARTS WITH $below)
  AND NOT EXISTS { (:Passage)-[:MENTIONS]->(e) } AND NOT EXISTS { (e)-[:SAME_AS]-() }
  AND NOT EXISTS { MATCH (:Fact {subject: e.id}) } AND NOT EXISTS { MATCH (:Fact {object_id: e.id}) }
  AND NOT EXISTS { MATCH (:DataTable {entity: e.id}) }
RETURN e.id AS id LIMIT $limit

// name: empty_aliases(tenant, below, limit) read many
MATCH (a:Alias)
WHERE ($tenant IS NULL OR a.scope = $tenant OR a.scope STARTS WITH $below)
  AND NOT EXISTS { (a)-[:NAMES]->(:Entity) }
RETURN a.id AS id LIMIT $limit

// name: stray_windows(tenant, below, limit) read many
MATCH (w:Window)
WHERE ($tenant IS NULL OR w.scope = $tenant OR w.scope STARTS WITH $below)
  AND NOT EXISTS { (w)-[:WINDOW_OF]->() }
RETURN w.id AS id LIMIT $limit

// name: stray_provenance(tenant, below, limit) read many
MATCH (v:ProvenanceRecord)
WHERE ($tenant IS NULL OR v.scope = $tenant OR v.scope STARTS WITH $below)
  AND NOT EXISTS { ()-[:HAS_PROVENANCE]->(v) }
RETURN v.id AS id LIMIT $limit

// name: broken_roots(tenant, below, limit) read many
MATCH (e:Entity)
WHERE ($tenant IS NULL OR e.scope = $tenant OR e.scope STARTS WITH $below)
  AND NOT EXISTS { MATCH (r:Entity {id: e.root}) WHERE r.root = r.id AND r.scope = e.scope }
RETURN e.id AS id LIMIT $limit

// name: attest(id, fact, scope, tenant, principal, at, audit) write many
// A principal stands for a fact, once; one that took it back may do so again.
MATCH (f:Fact {id: $fact})
WHERE f.scope = $scope
MERGE (t:Attestation {id: $id})
ON CREATE SET t.fact = $fact, t.scope = $scope, t.tenant = $tenant, t.principal = $principal
MERGE (t)-[:ATTESTS]->(f)
WITH f, t, t.at IS NULL OR t.revoked_at IS NOT NULL AS changed
FOREACH (_ IN CASE WHEN changed THEN [1] ELSE [] END |
  SET t.at = $at
  REMOVE t.revoked_at
  MERGE (a:AuditEvent {id: $audit.id}) ON CREATE SET a = $audit
  MERGE (a)-[:AUDIT]->(f))
RETURN changed

// name: revoke_attestation(id, scope, at, audit) write many
// Takes an attestation back.
MATCH (t:Attestation {id: $id})-[:ATTESTS]->(f:Fact)
WHERE t.scope = $scope
SET t.touched_at = $at
WITH f, t, t.revoked_at IS NULL AS changed
FOREACH (_ IN CASE WHEN changed THEN [1] ELSE [] END |
  SET t.revoked_at = $at
  MERGE (a:AuditEvent {id: $audit.id}) ON CREATE SET a = $audit
  MERGE (a)-[:AUDIT]->(f))
RETURN changed

// name: attesters(fact, scopes) read one
// Who stands for a fact.
OPTIONAL MATCH (t:Attestation {fact: $fact})
WHERE t.scope IN $scopes AND t.revoked_at IS NULL
RETURN $fact AS fact, collect(t.principal) AS attesters

// name: attested(scope, quorum, after, limit) read many
// Held facts of a scope that enough distinct principals stand for, with the record of each: what it
// supports that others support as well, and what a curator rejected. Copies are not copied again.
MATCH (f:Fact {scope: $scope, status: 'active'})
WHERE f.id > $after AND f.expired_at > datetime('9999-12-30T00:00:00Z')
  AND COUNT { MATCH (t:Attestation {fact: f.id}) WHERE t.revoked_at IS NULL } >= $quorum
  AND NOT EXISTS { ()-[:PROMOTED_TO]->(f) }
WITH f ORDER BY f.id LIMIT $limit
MATCH (s:Entity {id: f.subject})
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN f {.id, .scope, .tenant, .predicate, .object_text, .object_id, .negated, .valid_from, .valid_to, .ingested_at, .privacy} AS fact,
       s.canonical_name AS subject_name, s.type AS subject_type,
       o.canonical_name AS object_name, o.type AS object_type,
       COLLECT {
         MATCH (t:Attestation {fact: f.id})
         WHERE t.revoked_at IS NULL
         RETURN {principal: t.principal,
           trust: COLLECT { MATCH (p:Principal {id: t.principal}) RETURN p.trust }[0],
           agreements: COUNT { MATCH (q:Attestation {principal: t.principal})-[:ATTESTS]->(g:Fact)
                               WHERE q.revoked_at IS NULL AND g.principals > 1 AND g.status = 'active' },
           contradictions: COUNT { MATCH (q:Attestation {principal: t.principal})-[:ATTESTS]->(g:Fact)
                                   WHERE EXISTS { MATCH (v:Review {fact: g.id, verdict: 'reject'})
                                                  WHERE v.undone_at IS NULL } }}
       } AS attesters

// name: promote(row, audit) write one
// A copy in a wider scope: its episode was derived from the fact, and becomes more private with it;
// what the page of its day quotes is looked at again then.
// unscoped: the service promotes within one tenant
MATCH (f:Fact {id: $row.fact})
MATCH (c:Fact {id: $row.copy})
MATCH (e:Passage {id: $row.episode})
MERGE (p:Promotion {id: $row.id})
SET p.touched_at = $row.at
WITH f, c, e, p, p.state IS NULL AS made
FOREACH (_ IN CASE WHEN made THEN [1] ELSE [] END |
  SET p = $row
  MERGE (a:AuditEvent {id: $audit.id}) ON CREATE SET a = $audit
  MERGE (a)-[:AUDIT]->(p))
MERGE (p)-[:DECIDES]->(f)
MERGE (e)-[:DERIVED_FROM]->(f)
MERGE (f)-[:PROMOTED_TO]->(c)
WITH f, e, made
CALL (f, e) {
  WITH f, e WHERE coalesce(f.privacy, 0) > coalesce(e.privacy, 0)
  SET e.privacy = f.privacy
  WITH f, e
  CALL (f, e) {
    MATCH (e)-[:SUPPORTS]->(said:Fact)
    WHERE coalesce(said.privacy, 0) < f.privacy
    SET said.privacy = f.privacy
  }
  MATCH (s:Scope {path: e.scope})
  SET s.touched_at = datetime.realtime()
  WITH e
  MATCH (d:DayPage)
  WHERE d.scope = e.scope AND d.day = toString(date(e.captured_at))
  SET d.due = true
}
RETURN made

// name: promotions_of(scopes, states) read many
// Promotions with what is left behind each.
UNWIND $scopes AS place
MATCH (p:Promotion) USING INDEX p:Promotion(scope, id)
WHERE p.scope = place AND p.id > '' AND p.state IN $states
OPTIONAL MATCH (f:Fact {id: p.fact})
RETURN p {.*} AS promotion, f.status AS status, EXISTS { (:Fact {id: p.copy}) } AS copy_there,
       COLLECT {
         MATCH (t:Attestation {fact: p.fact})
         WHERE t.revoked_at IS NULL
         RETURN {principal: t.principal,
           trust: COLLECT { MATCH (p:Principal {id: t.principal}) RETURN p.trust }[0],
           agreements: COUNT { MATCH (q:Attestation {principal: t.principal})-[:ATTESTS]->(g:Fact)
                               WHERE q.revoked_at IS NULL AND g.principals > 1 AND g.status = 'active' },
           contradictions: COUNT { MATCH (q:Attestation {principal: t.principal})-[:ATTESTS]->(g:Fact)
                                   WHERE EXISTS { MATCH (v:Review {fact: g.id, verdict: 'reject'})
                                                  WHERE v.undone_at IS NULL } }}
       } AS attesters
ORDER BY p.id

// name: demote(id, at, audit) write none
// The copy waits in quarantine; the promotion says since when.
// unscoped: found by the promotion's own id
MATCH (p:Promotion {id: $id})
SET p.state = 'demoted', p.demoted_at = $at
MERGE (a:AuditEvent {id: $audit.id})
ON CREATE SET a = $audit
MERGE (a)-[:AUDIT]->(p)
WITH p
MATCH (f:Fact {id: p.fact})
MATCH (c:Fact {id: p.copy})
MERGE (c)-[d:DEMOTED_FROM]->(f)
SET d.recorded_at = $at

// name: due_facts(at, limit) read many
// Facts that count as held and whose time in the world has run out.
// unscoped: the worker serves every tenant
MATCH (f:Fact)
WHERE f.status = 'active' AND f.valid_to <= $at
WITH f ORDER BY f.valid_to LIMIT $limit
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN f.id AS id, f.key AS key, f.scope AS scope, f.tenant AS tenant, f.subject AS subject, s.root AS root

// name: learn(rows) write many
// Entries of the learning log, each once.
// unscoped: rows carry tenant and scope
UNWIND $rows AS row
OPTIONAL MATCH (known:LearningEntry {id: row.id})
WITH row, known IS NULL AS made
MERGE (l:LearningEntry {id: row.id})
ON CREATE SET l = row
RETURN row.id AS id, made

// name: cursors(limit) read many
// How far each scope was consolidated.
// unscoped: the worker serves every tenant
MATCH (c:ConsolidationCursor)
WHERE c.last_run_at IS NOT NULL
RETURN c.scope AS scope, coalesce(c.consolidated, 0) AS consolidated, coalesce(c.facts, 0) AS facts,
       c.last_run_at AS at
ORDER BY scope LIMIT $limit

// name: learning_log(scopes, kind, after, limit) read many
// What was learnt, newest first.
MATCH (l:LearningEntry)
WHERE l.scope IN $scopes AND l.place < $after AND ($kind IS NULL OR l.kind = $kind)
WITH l ORDER BY l.place DESC LIMIT $limit
RETURN l {.*} AS entry

// name: give_feedback(row, scopes, bonus, most, audit) write optional
// One principal's word on a memory, once for each verdict; the useful ones raise trust, a little
// and for at most $most principals.
CALL () {
  MATCH (n:Passage {id: $row.memory}) RETURN n
  UNION
  MATCH (n:Fact {id: $row.memory}) RETURN n
  UNION
  MATCH (n:Note {id: $row.memory}) RETURN n
}
WITH n
WHERE n.scope IN $scopes AND n.expired_at > datetime('9999-12-30T00:00:00Z')
SET n.is_pinned = coalesce(n.is_pinned, false)
MERGE (f:Feedback {id: $row.id})
ON CREATE SET f = $row, f.scope = n.scope
WITH n, f, f.at = $row.at AND f.request = $row.request AS made
FOREACH (_ IN CASE WHEN made THEN [1] ELSE [] END |
  MERGE (a:AuditEvent {id: $audit.id}) ON CREATE SET a = $audit, a.scope = n.scope
  MERGE (a)-[:AUDIT]->(n))
FOREACH (_ IN CASE WHEN made AND $row.verdict = 'useful' THEN [1] ELSE [] END |
  SET n.useful = coalesce(n.useful, 0) + 1)
FOREACH (_ IN CASE WHEN made AND $row.verdict = 'useful' AND n.useful <= $most THEN [1] ELSE [] END |
  SET n.trust_bonus = coalesce(n.trust_bonus, 0.0) + $bonus)
RETURN n.id AS memory, n.scope AS scope, made, coalesce(n.useful, 0) AS useful,
       coalesce(n.trust, 0.0) AS trust, coalesce(n.trust_bonus, 0.0) AS trust_bonus

// name: list_feedback(scopes, verdict, after, limit) read many
// What was said of memories; what is called wrong waits here for a curator.
MATCH (f:Feedback)
WHERE f.scope IN $scopes AND f.verdict = $verdict AND f.id > $after
WITH f ORDER BY f.id LIMIT $limit
RETURN f {.*} AS feedback,
       COLLECT {
         MATCH (n:Passage {id: f.memory})
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
         RETURN {kind: n.kind, standing: null, text: n.content} AS memory
         UNION
         MATCH (n:Fact {id: f.memory})
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
         RETURN {kind: 'fact', standing: n.status, text: n.statement} AS memory
         UNION
         MATCH (n:Note {id: f.memory})
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
         RETURN {kind: 'note', standing: n.standing, text: n.content} AS memory
       }[0] AS memory,
       EXISTS { MATCH (v:Review {fact: f.memory})
                WHERE v.at > f.at AND v.verdict <> 'doubt' AND v.undone_at IS NULL } AS reviewed
ORDER BY f.id

// name: last_uses(ids, scopes) read one
// What tells how far memories have faded, in one row and with moments as text, which costs less.
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id}) USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope IN $scopes
RETURN collect(m {.id, .kind, .scope, .predicate, .namespace, .is_pinned, .captured_key, .ingested_key,
                  last_access: toString(m.last_access)}) AS memories

// name: count_uses(rows) write none
// How often memories were recalled and put into a prompt; what is gone is passed over.
// unscoped: ids that a search of the caller's scopes gave
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Passage {id: row.id}) RETURN n
  UNION
  MATCH (n:Fact {id: row.id}) RETURN n
  UNION
  MATCH (n:Note {id: row.id}) RETURN n
}
SET n.recalled = coalesce(n.recalled, 0) + row.recalled,
    n.injected = coalesce(n.injected, 0) + row.injected,
    n.last_access = CASE WHEN n.last_access IS NULL OR n.last_access < row.at THEN row.at
                         ELSE n.last_access END

// name: count_readings(rows) write none
// How often entries of contexts were shown; their own doors count likewise.
// unscoped: ids that a search of the caller's scopes gave
UNWIND $rows AS row
MATCH (e:ContextEntry {id: row.id})
SET e.access_count = e.access_count + row.recalled + row.injected,
    e.last_accessed_at = CASE WHEN e.last_accessed_at IS NULL OR e.last_accessed_at < row.at
                              THEN row.at ELSE e.last_accessed_at END

// name: erased_since(since) read many
// Erasures that ended after a moment.
// unscoped: asked by every process, which is told nothing but the moment
MATCH (r:ErasureReceipt {state: 'done'})
WHERE r.finished_at > $since
RETURN r.finished_at AS finished_at LIMIT 1000
