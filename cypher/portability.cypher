// name: begin_run(job, at, fresh) write one
// An import that somebody attends to: a job that no worker takes over, since its lease has no end.
// A run that ended begins anew; one that was killed goes on from its marks.
// unscoped: $job carries tenant and scope
MERGE (j:Job {id: $job.id})
ON CREATE SET j = $job
WITH j, j.state <> 'running' OR $fresh AS again
SET j.state = 'running', j.lease_until = datetime('9999-12-31T00:00:00Z'), j.touched_at = $at,
    j.started_at = CASE WHEN again THEN $at ELSE coalesce(j.started_at, $at) END,
    j.attempts = j.attempts + 1, j.cancel_requested = false, j.finished_at = null,
    j.progress = CASE WHEN again THEN '{}' ELSE coalesce(j.progress, '{}') END
RETURN j {.*} AS job

// name: note_run(id, at, progress) write optional
// Progress of an attended run; tells whether it was asked to stop.
// unscoped: found by the job's own id
MATCH (j:Job {id: $id})
SET j.progress = $progress, j.touched_at = $at
RETURN coalesce(j.cancel_requested, false) AS cancelled

// name: mark_run(id, events) write none
// What a restore says of itself: one event a tenant, tied to the run.
// unscoped: $events carry tenant and scope
MATCH (j:Job {id: $id})
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
ON CREATE SET a = event
MERGE (a)-[:AUDIT]->(j)

// name: is_empty() read one
// Whether the graph holds no memory at all.
// unscoped: asked by the operator's command line
RETURN NOT EXISTS { MATCH (:Searchable) } AND NOT EXISTS { MATCH (:MemSession) } AS empty

// name: known_policies() read many
// Every sanitising policy.
// unscoped: what to sanitise with; no policy is shown to anybody
MATCH (s:Scope)
WHERE s.policy IS NOT NULL
RETURN s.path AS path, s.policy AS policy

// name: existing_scopes(paths) read many
// unscoped: the run has to know which paths exist before it may make one
UNWIND $paths AS path
MATCH (s:Scope {path: path})
RETURN s.path AS path

// name: paths_below(path) read many
// A scope and everything below it.
// unscoped: the operator's command line
MATCH (s:Scope)
WHERE s.path = $path OR s.path STARTS WITH $path + '/'
RETURN s.path AS path, s.tenant AS tenant
ORDER BY path

// name: every_path() read many
// unscoped: the operator's command line
MATCH (s:Scope)
RETURN s.path AS path, s.tenant AS tenant
ORDER BY path

// name: events(rows) write none
// The audit events of one batch; what they are about is tied to them as it is written.
// unscoped: $rows carry tenant and scope
UNWIND $rows AS row
MERGE (a:AuditEvent {id: row.id})
ON CREATE SET a = row

// name: refused(run, events) write none
// Events about nothing but refusals: tied to the run.
// unscoped: $events carry tenant and scope
MATCH (j:Job {id: $run})
UNWIND $events AS event
MATCH (a:AuditEvent {id: event})
MERGE (a)-[:AUDIT]->(j)

// name: save_scopes(rows) write none
// Scopes that are new, with their policies; one that is there stays as it is.
// unscoped: the run has checked each path
UNWIND $rows AS row
MERGE (s:Scope {path: row.scope.path})
ON CREATE SET s = row.scope
FOREACH (_ IN CASE WHEN row.event IS NULL THEN [] ELSE [1] END |
  MERGE (a:AuditEvent {id: row.event}) MERGE (a)-[:AUDIT]->(s))
WITH s, row
MATCH (p:Scope {path: row.parent})
MERGE (s)-[:WITHIN]->(p)

// name: fill_scopes(rows) write many
// What a restore says of scopes that are there, such as those that a part of the tenant was restored
// into: since when they are, where that is earlier, and name, policy and rules where they have none.
// unscoped: restored by the operator
UNWIND $rows AS row
MATCH (s:Scope {path: row.path})
WITH s, row, last(split(s.path, '/')) AS plain
WITH s, row, CASE WHEN coalesce(s.name, plain) = plain THEN row.name ELSE s.name END AS name
WHERE row.created_at < s.created_at OR s.name <> name
   OR (s.policy IS NULL AND row.policy IS NOT NULL) OR (s.rules IS NULL AND row.rules IS NOT NULL)
SET s.name = name, s.policy = coalesce(s.policy, row.policy), s.rules = coalesce(s.rules, row.rules),
    s.created_at = CASE WHEN row.created_at < s.created_at THEN row.created_at ELSE s.created_at END
RETURN s.path AS path

// name: known_principals(ids) read many
// unscoped: an id covers its tenant
UNWIND $ids AS id
MATCH (p:Principal {id: id})
RETURN p.id AS id

// name: save_principals(rows) write none
// Principals that are new, with home and grants.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (h:Scope {path: row.home.path})
MERGE (p:Principal {id: row.principal.id})
ON CREATE SET p = row.principal
FOREACH (_ IN CASE row.principal.kind WHEN 'agent' THEN [1] ELSE [] END | SET p:Agent)
FOREACH (_ IN CASE row.principal.kind WHEN 'user' THEN [1] ELSE [] END | SET p:User)
MERGE (p)-[g:HOME]->(h)
SET g.role = row.home.role, g.subtree = row.home.subtree
FOREACH (_ IN CASE WHEN row.event IS NULL THEN [] ELSE [1] END |
  MERGE (a:AuditEvent {id: row.event}) MERGE (a)-[:AUDIT]->(p))
WITH p, row
UNWIND row.grants AS given
MATCH (s:Scope {path: given.path})
FOREACH (_ IN CASE s.kind WHEN 'team' THEN [1] ELSE [] END |
  MERGE (p)-[g:MEMBER_OF]->(s) SET g.role = given.role, g.subtree = given.subtree)
FOREACH (_ IN CASE s.kind WHEN 'team' THEN [] ELSE [1] END |
  MERGE (p)-[g:GRANTED]->(s) SET g.role = given.role, g.subtree = given.subtree)

// name: known_sessions(ids) read many
// unscoped: an id covers its scope
UNWIND $ids AS id
MATCH (s:MemSession {id: id})
RETURN s.id AS id

// name: save_sessions(rows) write none
// Sessions that are new; one that is there stays as it is.
// unscoped: the run has checked each path
UNWIND $rows AS row
MERGE (s:MemSession {id: row.session.id})
ON CREATE SET s = row.session
FOREACH (_ IN CASE WHEN row.event IS NULL THEN [] ELSE [1] END |
  MERGE (a:AuditEvent {id: row.event}) MERGE (a)-[:AUDIT]->(s))

// name: known_episodes(rows) read many
// Which of a batch are stored already, by what makes them the same or by their id; of the latter
// what they say and when.
// unscoped: keys and ids cover their scope
UNWIND $rows AS row
OPTIONAL MATCH (p:Passage {id: row.id})
WITH row, p, EXISTS { MATCH (:Episode {dedup_key: row.key}) } AS said
WHERE said OR p IS NOT NULL
RETURN row.line AS line, said, p.id AS id, p.content_hash AS hash, p.captured_at AS captured_at

// name: succeeding(ids) read many
// What was said in the place of some episodes, of each the newest.
// unscoped: ids cover their scope
UNWIND $ids AS former
MATCH (p:Episode {supersedes: former})
WITH former, p ORDER BY p.captured_at DESC, p.id
WITH former, head(collect(p)) AS p
RETURN former, p.id AS id, p.content_hash AS hash, p.captured_at AS captured_at

// name: forgotten(ids) read many
// Which of some episodes somebody has forgotten here.
// unscoped: ids cover their scope
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.expired_at <= datetime()
  AND EXISTS { MATCH (a:AuditEvent)-[:AUDIT]->(p) WHERE a.kind = 'memory.forget' }
RETURN p.id AS id

// name: touch_sessions(rows, since) write none
// Sessions that a batch's episodes lie in; one that this run made begins with its first event,
// whichever batch comes first.
// unscoped: the run has checked each path
UNWIND $rows AS row
MERGE (s:MemSession {id: row.id})
ON CREATE SET s = row
WITH s, row
WHERE s.ingested_at >= $since AND s.started_at > row.started_at
SET s.started_at = row.started_at, s.ingested_at = row.ingested_at

// name: touch_tags(rows) write none
// unscoped: the run has checked each path
UNWIND $rows AS row
MERGE (t:Tag {id: row.id})
ON CREATE SET t = row

// name: create_episodes(rows) write none
// New episodes with their provenance, tags and audit event; that none is there was asked just
// before, and the constraints answer for what came in between.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (s:MemSession {id: row.session})
MATCH (a:AuditEvent {id: row.event})
CREATE (e:Episode:Passage:Memory:Searchable)
SET e = row.episode
CREATE (v:ProvenanceRecord)
SET v = row.provenance
CREATE (e)-[:IN_SESSION]->(s)
CREATE (e)-[:HAS_PROVENANCE]->(v)
CREATE (a)-[:AUDIT]->(e)
WITH e, row
UNWIND row.tags AS tag
MATCH (t:Tag {id: tag})
CREATE (e)-[:TAGGED]->(t)

// name: restore_episodes(rows) write none
// The same where the package brings the audit events, which are tied when they come.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (s:MemSession {id: row.session})
CREATE (e:Episode:Passage:Memory:Searchable)
SET e = row.episode
CREATE (v:ProvenanceRecord)
SET v = row.provenance
CREATE (e)-[:IN_SESSION]->(s)
CREATE (e)-[:HAS_PROVENANCE]->(v)
WITH e, row
UNWIND row.tags AS tag
MATCH (t:Tag {id: tag})
CREATE (e)-[:TAGGED]->(t)

// name: chain_states(rows) read many
// Where a tenant has a chain: whether it is the one of the row, or has grown out of it.
// unscoped: one chain a tenant, restored by the operator
UNWIND $rows AS row
MATCH (h:AuditHead {tenant: row.tenant})
RETURN h.tenant AS tenant,
       (h.seq = row.seq AND h.hash = row.hash) OR row.seq = 0 OR
       EXISTS { MATCH (a:AuditEvent {tenant: row.tenant, seq: row.seq}) WHERE a.hash = row.hash } AS same

// name: save_chains(rows) write none
// Heads of audit chains, of tenants that have none.
// unscoped: one chain a tenant, restored by the operator
UNWIND $rows AS row
MERGE (h:AuditHead {tenant: row.tenant})
ON CREATE SET h.seq = row.seq, h.hash = row.hash

// name: lock_chains(tenants, at) write none
// The first statement of a batch of events: nobody seals meanwhile where there is a chain.
// unscoped: restored by the operator
UNWIND $tenants AS tenant
MATCH (h:AuditHead {tenant: tenant})
SET h.touched_at = $at

// name: save_audit(rows) write many
// Audit events word for word. One whose place in the chain is another's, or lies beyond the head,
// is kept beside the chain, with that place as the one of its origin; one that is there beside the
// chain, or unsealed, takes its place once the chain has come.
// unscoped: restored by the operator
UNWIND $rows AS row
OPTIONAL MATCH (other:AuditEvent {tenant: row.event.tenant, seq: row.event.seq})
WITH row, other IS NOT NULL AND other.id <> row.event.id AS taken
OPTIONAL MATCH (head:AuditHead {tenant: row.event.tenant})
WITH row, row.event.seq IS NOT NULL AS placed,
     taken OR head IS NULL OR head.seq < row.event.seq AS beside
OPTIONAL MATCH (known:AuditEvent {id: row.event.id})
FOREACH (_ IN CASE WHEN placed AND NOT beside AND known IS NOT NULL AND known.seq IS NULL THEN [1] ELSE [] END |
  SET known += row.event
  REMOVE known.unsealed, known.origin_seq, known.origin_hash)
WITH row, placed AND beside AS beside, known IS NOT NULL AS there
CALL (row, beside, there) {
  WITH row, beside, there WHERE NOT there
  CREATE (a:AuditEvent)
  SET a = row.event
  FOREACH (_ IN CASE WHEN beside THEN [1] ELSE [] END |
    SET a.origin_seq = row.event.seq, a.origin_hash = row.event.hash
    REMOVE a.seq, a.hash)
}
RETURN row.line AS line, there

// name: audit_without(rows) read many
// Which of some events lost some of what they were about, which the rows name.
// unscoped: restored by the operator
UNWIND $rows AS row
MATCH (a:AuditEvent {id: row.event})
WHERE COUNT { (a)-[:AUDIT]->() } < size(row.targets)
RETURN a.id AS id

// name: tied_again(ids) write none
// What is there again is no longer kept by its id alone; a sealed event has that from its seal.
// unscoped: restored by the operator
UNWIND $ids AS id
MATCH (a:AuditEvent {id: id})-[:AUDIT]->(t)
WHERE a.unsealed = true AND coalesce(t.id, t.path) = a.target
REMOVE a.target

// name: tie_audit(label, rows) write none
// What restored events are about, by kind of target.
// unscoped: restored by the operator
UNWIND $rows AS row
MATCH (a:AuditEvent {id: row.event})
CALL (a, row) {
  WITH a, row WHERE $label = 'Episode'
  MATCH (t:Passage {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'MemSession'
  MATCH (t:MemSession {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Principal'
  MATCH (t:Principal {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Entity'
  MATCH (t:Entity {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'MergeRecord'
  MATCH (t:MergeRecord {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Fact'
  MATCH (t:Fact {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Note'
  MATCH (t:Note {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'CoreBlock'
  MATCH (t:CoreBlock {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'BadPattern'
  MATCH (t:BadPattern {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Chunk'
  MATCH (t:Passage {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Page'
  MATCH (t:Page {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Document'
  MATCH (t:Document {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'KnowledgeBase'
  MATCH (t:KnowledgeBase {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Skill'
  MATCH (t:Skill {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'SkillProposal'
  MATCH (t:SkillProposal {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'SkillConflict'
  MATCH (t:SkillConflict {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'ErasureReceipt'
  MATCH (t:ErasureReceipt {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Promotion'
  MATCH (t:Promotion {id: row.id}) MERGE (a)-[:AUDIT]->(t)
  UNION
  WITH a, row WHERE $label = 'Scope'
  MATCH (t:Scope {path: row.id}) MERGE (a)-[:AUDIT]->(t)
}

// name: export_scopes(scopes) read many
UNWIND $scopes AS path
MATCH (s:Scope {path: path})
RETURN s {.path, .name, .policy, .rules, .created_at} AS scope
ORDER BY s.path

// name: export_principals(scopes, after, limit) read many
// Principals at home in these scopes, with what they were given there.
MATCH (p:Principal)
WHERE p.id > $after
MATCH (p)-[h:HOME]->(s:Scope)
WHERE s.path IN $scopes
WITH p, h, s ORDER BY p.id LIMIT $limit
RETURN p {.*} AS principal, s.path AS home, h.role AS role, coalesce(h.subtree, false) AS subtree,
       COLLECT { MATCH (p)-[g:GRANTED|MEMBER_OF]->(t:Scope)
                 WHERE t.path IN $scopes
                 RETURN {scope: t.path, role: g.role, subtree: coalesce(g.subtree, false)}
                 ORDER BY t.path } AS grants
ORDER BY p.id

// name: export_sessions(scopes, after, limit) read many
// Sessions of one scope by key; with each the number of its episodes.
MATCH (s:MemSession)
WHERE s.scope IN $scopes AND s.key > $after
WITH s ORDER BY s.key LIMIT $limit
RETURN s {.id, .key, .scope, .started_at, .ingested_at, .expired_at, .metadata} AS session,
       COUNT { (:Episode)-[:IN_SESSION]->(s) } AS episodes
ORDER BY s.key

// name: export_episodes(scopes, sessions, after_at, after_id, limit) read many
// The episodes of some sessions in the order of the list, and of their events; the cursor counts
// within one session.
UNWIND range(0, size($sessions) - 1) AS place
CALL (place) {
  MATCH (e:Episode {session: $sessions[place]})
  WHERE e.captured_at >= $after_at AND (e.captured_at > $after_at OR e.id > $after_id)
    AND e.scope IN $scopes
  WITH e ORDER BY e.captured_at, e.id LIMIT $limit
  RETURN e
}
RETURN e {.*, embedding: null, embedding_b: null, embedding_c: null} AS episode, place,
       [(e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord) | v {.*}][0] AS provenance
ORDER BY place, e.captured_at, e.id

// name: export_vectors(scopes, ids) read many
// Vectors and index entries of episodes that have them.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e.scope IN $scopes AND e.embedding IS NOT NULL AND e.index_state = 'done'
RETURN e.id AS id, e.embedding AS vector, e.embed_hash AS embed_hash,
       e.context_terms AS context_terms,
       COLLECT { MATCH (w:Window)-[:WINDOW_OF]->(e) WHERE w.embedding IS NOT NULL
                 RETURN {place: w.place, start: w.start, end: w.end, embedding: w.embedding,
                         embed_hash: w.embed_hash} ORDER BY w.place } AS windows

// name: export_chains(tenants) read many
// unscoped: whole tenants, for the operator
UNWIND $tenants AS tenant
MATCH (h:AuditHead {tenant: tenant})
RETURN h.tenant AS tenant, h.seq AS seq, h.hash AS hash
ORDER BY tenant

// name: export_audit(tenant, tenants, scopes, after_at, after_id, limit) read many
// A tenant's events, oldest first, with everything that comes along of what each is about.
MATCH (a:AuditEvent {tenant: $tenant})
WHERE a.at >= $after_at AND a.scope IN $scopes AND (a.at > $after_at OR a.id > $after_id)
WITH a ORDER BY a.at, a.id LIMIT $limit
RETURN a {.id, .tenant, .scope, .kind, .outcome, .actor, .request, .at, .payload, .seq, .hash,
          .origin_seq, .origin_hash, .target} AS event,
       COLLECT { MATCH (a)-[:AUDIT]->(t)
                 WITH t, [l IN labels(t) WHERE l IN ['Scope', 'Principal', 'MemSession', 'Episode',
                         'Chunk', 'Entity', 'MergeRecord', 'Fact', 'Note', 'CoreBlock', 'BadPattern',
                         'Promotion', 'Page', 'Document', 'KnowledgeBase', 'Skill', 'SkillProposal',
                         'SkillConflict', 'ErasureReceipt']][0] AS label
                 WHERE label IS NOT NULL AND CASE label
                         WHEN 'ErasureReceipt' THEN t.tenant IN $tenants
                         WHEN 'Principal' THEN EXISTS { (t)-[:HOME]->(h:Scope) WHERE h.path IN $scopes }
                         WHEN 'Scope' THEN t.path IN $scopes
                         ELSE t.scope IN $scopes
                       END
                 WITH label, CASE label WHEN 'Scope' THEN t.path ELSE t.id END AS id
                 RETURN {label: label, id: id} ORDER BY label, id } AS targets
ORDER BY a.at, a.id

// name: vector_space(name) read optional
// Which model the stored vectors come from.
// unscoped: one vector space of the installation
MATCH (v:VectorSpace {name: $name})
RETURN v.model AS model, v.version AS version, v.dimension AS dimension

// name: export_short_memories(scope, after, at, limit) read many
// Entries of short-term memory of one scope that have not run out, by id.
MATCH (m:ShortMemory)
USING INDEX m:ShortMemory(scope, id)
WHERE m.scope = $scope AND m.id > $after AND m.expires_at > $at
RETURN m {.*} AS node ORDER BY m.id LIMIT $limit

// name: save_short_memories(rows) write many
// Entries of which none is there that has not run out; the lines of those. One that ran out and
// waits to be promoted steps aside.
// unscoped: the caller has checked the scope of each row
UNWIND $rows AS row
CALL (row) {
  MATCH (old:ShortMemory {id: row.subject})
  WHERE old.expires_at <= datetime() AND old.ready
  SET old.id = row.aside
}
WITH row
OPTIONAL MATCH (old:ShortMemory {id: row.subject})
WITH row, old
WHERE old IS NULL OR old.expires_at <= datetime()
MERGE (m:ShortMemory {id: row.subject})
SET m = row.properties
RETURN row.line AS line

// name: used_short_memory(tenant, agent, at) read one
// How many entries an agent has.
// unscoped: the bound holds over all scopes of the tenant
OPTIONAL MATCH (m:ShortMemory {tenant: $tenant, author: $agent})
WHERE m.expires_at > $at
RETURN count(m) AS of_agent, 0 AS of_tenant

// name: weigh_short_memories(ids, at) read many
// Which of some entries are here and have not run out; each weighs one.
// unscoped: the caller has checked the scope of each
UNWIND $ids AS id
MATCH (m:ShortMemory {id: id})
WHERE m.expires_at > $at
RETURN m.id AS id, 1 AS weight

// name: weigh_working_copies(ids, at) read many
// Which of some copied values are here and have not run out, and their bytes.
// unscoped: the caller has checked the scope of each
UNWIND $ids AS id
MATCH (c:WorkingCopy {id: id})
WHERE c.expires_at > $at
RETURN c.id AS id, c.size AS weight

// name: export_working_copies(scope, after, at, limit) read many
// Copies of working memory of one scope that have not run out, by id.
MATCH (c:WorkingCopy)
USING INDEX c:WorkingCopy(scope, id)
WHERE c.scope = $scope AND c.id > $after AND c.expires_at > $at
RETURN c {.*} AS node ORDER BY c.id LIMIT $limit

// name: hold_working_copies(tenants, at) write none
// Whoever writes copies of the working memory of some tenants queues here.
// unscoped: the caller has checked the scope of each row
MATCH (s:Scope)
WHERE s.path IN $tenants
SET s.touched_at = $at

// name: held_working_copies(places, at) read many
// When each of some tasks was copied last, where that has not run out, and the ids of its copy.
// unscoped: the caller has checked the scope of each place
UNWIND $places AS place
MATCH (c:WorkingCopy {tenant: place.tenant, author: place.agent})
WHERE c.scope = place.scope AND c.task = place.task AND c.expires_at > $at
RETURN place.id AS place, max(c.ingested_at) AS moment, collect(c.id) AS ids

// name: drop_working_copies(ids) write none
// Copied values in the place of which newer ones of their tasks come.
// unscoped: the caller has checked the scope of each
UNWIND $ids AS id
MATCH (c:WorkingCopy {id: id})
DETACH DELETE c

// name: save_working_copies(rows) write many
// Copied values of which none is there that has not run out; the lines of those.
// unscoped: the caller has checked the scope of each row
UNWIND $rows AS row
OPTIONAL MATCH (old:WorkingCopy {id: row.subject})
WITH row, old
WHERE old IS NULL OR old.expires_at <= datetime()
MERGE (c:WorkingCopy {id: row.subject})
SET c = row.properties
RETURN row.line AS line

// name: used_working_copies(tenant, agent, at) read one
// Bytes of the copies of an agent, and of its tenant.
// unscoped: the bound holds over all scopes of the tenant
OPTIONAL MATCH (c:WorkingCopy {tenant: $tenant})
WHERE c.author > '' AND c.expires_at > $at
RETURN coalesce(sum(CASE c.author WHEN $agent THEN c.size END), 0) AS of_agent,
       coalesce(sum(c.size), 0) AS of_tenant
