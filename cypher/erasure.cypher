// name: skills_of(ids) read many
// Skills, proposals, patterns of failure and core blocks by id, each with what holds its words too:
// copies of a skill, what was proposed in its place or became it, parts of a proposal, and the
// patterns that no other skill has.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
CALL (id) {
  MATCH (s:Skill {id: id})
  RETURN s {.id, .scope, .tenant, hash: s.content_hash} AS skill, 'skill' AS kind,
         [(s)-[:TAGGED]->(t:Tag) | t.id] AS tags,
         [(c:Skill)-[:CLONED_FROM]->(s) | c.id]
         + [(p:SkillProposal)-[:PROPOSES]->(s) | p.id]
         + COLLECT { MATCH (p:SkillProposal {scope: s.scope})
                     WHERE p.id > '' AND p.origin = 'evolution' AND s.id IN p.sources
                     RETURN p.id }
         + COLLECT { MATCH (s)-[:HAS_FAILURE]->(b:BadPattern)
                     WHERE COUNT { (b)<-[:HAS_FAILURE]-(:Skill) } = 1
                     RETURN b.id } AS derived
  UNION ALL
  MATCH (p:SkillProposal {id: id})
  RETURN p {.id, .scope, .tenant, hash: p.body_hash} AS skill, 'proposal' AS kind, [] AS tags,
         [(p)-[:PROPOSES]->(s:Skill) | s.id] + [(c:SkillProposal)-[:PART_OF]->(p) | c.id] AS derived
  UNION ALL
  MATCH (b:BadPattern {id: id})
  RETURN b {.id, .scope, .tenant, hash: b.content_hash} AS skill, 'pattern' AS kind, [] AS tags,
         [] AS derived
  UNION ALL
  MATCH (b:CoreBlock {id: id})
  RETURN b {.id, .scope, .tenant, hash: b.content_hash} AS skill, 'block' AS kind, [] AS tags,
         [] AS derived
}
RETURN skill, kind, tags, derived

// name: lock_skills(ids, at) write none
// Skills and proposals that go are written first: whoever uses one meanwhile waits, then finds it
// gone.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (s:Skill {id: id})
  SET s.touched_at = $at
}
CALL () {
  UNWIND $ids AS id
  MATCH (p:SkillProposal {id: id})
  SET p.touched_at = $at
}

// name: name_skills(ids) write none
// Audit events that are not sealed yet keep the id of the skill, block or pattern that they are
// about.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (n:Skill {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $ids AS id
  MATCH (n:SkillProposal {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $ids AS id
  MATCH (:Skill {id: id})<-[:INVOLVES]-(n:SkillConflict)<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $ids AS id
  MATCH (n:BadPattern {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
  UNION
  UNWIND $ids AS id
  MATCH (n:CoreBlock {id: id})<-[:AUDIT]-(a:AuditEvent)
  RETURN a, n
}
WITH a, n WHERE a.unsealed = true AND COUNT { (a)-[:AUDIT]->() } = 1
SET a.target = n.id

// name: pages_naming(ids) read many
// Pages that link to skills.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (:Skill {id: id})<-[:REFERENCES]-(p:Page)
RETURN DISTINCT p.id AS id, p.tenant AS tenant ORDER BY id

// name: citing(ids, scopes) read many
// Proposals that name one of some memories as a source or a finding.
MATCH (p:SkillProposal)
WHERE p.scope IN $scopes AND p.id > ''
  AND (any(s IN p.sources WHERE s IN $ids) OR any(i IN $ids WHERE p.findings CONTAINS i))
RETURN p {.id, .origin, .status, .sources, .findings} AS proposal ORDER BY p.id

// name: cite(rows) write none
// What proposals still name.
// unscoped: proposals in the scopes of a closure
UNWIND $rows AS row
MATCH (p:SkillProposal {id: row.id})
SET p.sources = row.sources, p.findings = row.findings

// name: drop_skills(ids) write one
// Skills with versions, uses, conflicts and windows; proposals; patterns of failure; core blocks.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (:Skill {id: id})<-[:VERSION_OF]-(v:SkillVersion)
  DETACH DELETE v
  RETURN count(*) AS skill_versions
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Skill {id: id})<-[:USED]-(u:SkillUsageRecord)
  DETACH DELETE u
  RETURN count(*) AS skill_uses
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Skill {id: id})<-[:INVOLVES]-(c:SkillConflict)
  WITH DISTINCT c
  DETACH DELETE c
  RETURN count(*) AS skill_conflicts
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Skill {id: id})<-[:WINDOW_OF]-(w:Window)
  DETACH DELETE w
  RETURN count(*) AS windows
}
CALL () {
  UNWIND $ids AS id
  MATCH (p:SkillProposal {id: id})
  DETACH DELETE p
  RETURN count(*) AS skill_proposals
}
CALL () {
  UNWIND $ids AS id
  MATCH (b:BadPattern {id: id})
  DETACH DELETE b
  RETURN count(*) AS patterns
}
CALL () {
  UNWIND $ids AS id
  MATCH (b:CoreBlock {id: id})
  DETACH DELETE b
  RETURN count(*) AS core_blocks
}
CALL () {
  UNWIND $ids AS id
  MATCH (s:Skill {id: id})
  DETACH DELETE s
  RETURN count(*) AS skills
}
RETURN skills, skill_versions, skill_uses, skill_conflicts, skill_proposals, patterns, core_blocks,
       windows

// name: versions_by(scope, author) read many
// Versions that somebody wrote of skills that are not his alone.
MATCH (s:Skill) USING INDEX s:Skill(scope, id)
WHERE s.scope = $scope AND s.id > '' AND s.author <> $author
WITH s
MATCH (v:SkillVersion)-[:VERSION_OF]->(s)
WHERE v.author = $author
  AND EXISTS { (o:SkillVersion)-[:VERSION_OF]->(s) WHERE o.author <> $author }
RETURN v.id AS id, v.body_hash AS hash, v.is_active AS in_use, s.id AS skill, s.scope AS scope
ORDER BY id

// name: drop_versions(ids, skills) write one
// Versions; skills of which one was in use lose the vectors and windows that were made of it.
// unscoped: versions and skills of one scope, which the service checks
CALL () {
  UNWIND $skills AS id
  MATCH (:Skill {id: id})<-[:WINDOW_OF]-(w:Window)
  DETACH DELETE w
  RETURN count(*) AS windows
}
CALL () {
  UNWIND $skills AS id
  MATCH (s:Skill {id: id})
  SET s.windows = 1, s.index_state = 'pending', s.index_rev = s.index_rev + 1
  REMOVE s.embedding, s.embed_hash, s.embedding_b, s.embed_hash_b, s.embedding_c, s.embed_hash_c
}
CALL () {
  UNWIND $ids AS id
  MATCH (v:SkillVersion {id: id})
  DETACH DELETE v
  RETURN count(*) AS skill_versions
}
RETURN skill_versions, windows

// name: page_versions_by(scope, author, texts, limit) read many
// Former texts that somebody wrote of pages, the texts themselves where $texts is true. Of a page
// that goes whole they go with it.
MATCH (v:PageVersion)-[:VERSION_OF]->(p:Page)
WHERE v.scope = $scope AND v.id > '' AND v.author = $author
WITH v, p ORDER BY v.id LIMIT $limit
RETURN v.id AS id, p.id AS page, CASE WHEN $texts THEN v.content END AS content ORDER BY id

// name: drop_page_versions(ids) write one
// unscoped: versions of one scope, which the service checks
UNWIND $ids AS id
MATCH (v:PageVersion {id: id})
DETACH DELETE v
RETURN count(*) AS page_versions

// name: stray_parts(tenant, below, limit) read many
// Versions, uses and conflicts without their skill.
CALL () {
  MATCH (v:SkillVersion)
  WHERE NOT EXISTS { (v)-[:VERSION_OF]->(:Skill {id: v.skill}) }
  RETURN v AS n
  UNION ALL
  MATCH (u:SkillUsageRecord)
  WHERE NOT EXISTS { (u)-[:USED]->(:Skill {id: u.skill}) }
  RETURN u AS n
  UNION ALL
  MATCH (c:SkillConflict)
  WHERE COUNT { (c)-[:INVOLVES]->(:Skill) } <> size(c.skills)
  RETURN c AS n
}
WITH n
WHERE $tenant IS NULL OR n.scope = $tenant OR n.scope STARTS WITH $below
RETURN n.id AS id LIMIT $limit

// name: unled_skills(tenant, below, limit) read many
// Skills with no version in use, or several, or another than they say.
MATCH (s:Skill)
WHERE ($tenant IS NULL OR s.scope = $tenant OR s.scope STARTS WITH $below)
  AND (COUNT { (v:SkillVersion)-[:VERSION_OF]->(s) WHERE v.is_active } <> 1
       OR NOT EXISTS { (v:SkillVersion)-[:VERSION_OF]->(s)
                       WHERE v.is_active AND v.version = s.version AND v.body_hash = s.body_hash })
RETURN s.id AS id LIMIT $limit

// name: person(id, scopes) read optional
// An entity of a person with all of its cluster: ids, and the names that nobody else goes by.
MATCH (e:Entity {id: $id})
WHERE e.scope IN $scopes
MATCH (m:Entity {root: e.root})
WHERE m.scope = e.scope
WITH e.scope AS scope, collect(m) AS members
RETURN scope, [m IN members | m.id] AS entities, [m IN members | m.type] AS types,
       COLLECT {
         UNWIND members AS m
         UNWIND [m.canonical_name] + m.aliases AS name
         RETURN DISTINCT name ORDER BY name
       } AS names

// name: namesakes(rows) read many
// Which of some names another cluster of the same scope goes by as well.
// unscoped: aliases of scopes that the caller administers
UNWIND $rows AS row
MATCH (a:Alias {id: row.alias})-[:NAMES]->(o:Entity)
RETURN DISTINCT row.name AS name, row.scope AS scope, o.id AS id, o.root AS root, o.type AS type,
       o.canonical_key AS key
ORDER BY scope, name, id

// name: about(entities, scopes, names, principal, limit) read many
// What is about a person: passages that mention him or say something of him, what he said, the texts
// that may name him, former ones too, which the caller reads once more, and pages and documents that
// he made. What else his principal wrote is what an author's erasure finds.
CALL () {
  UNWIND $entities AS id
  MATCH (e:Passage)-[:MENTIONS]->(:Entity {id: id})
  WHERE e.scope IN $scopes
  RETURN e.id AS id, null AS text
  UNION
  UNWIND $entities AS id
  MATCH (e:Passage)-[:SUPPORTS]->(:Fact {subject: id})
  WHERE e.scope IN $scopes
  RETURN e.id AS id, null AS text
  UNION
  UNWIND $entities AS id
  MATCH (e:Passage)-[:SUPPORTS]->(:Fact {object_id: id})
  WHERE e.scope IN $scopes
  RETURN e.id AS id, null AS text
  UNION
  UNWIND $scopes AS scope
  UNWIND $names AS name
  MATCH (e:Episode {scope: scope, speaker: name})
  RETURN e.id AS id, null AS text
  UNION
  UNWIND $scopes AS scope
  MATCH (e:Passage {scope: scope})
  WHERE e.author > '' AND any(n IN $names WHERE toLower(coalesce(e.title, '') + ' ' + coalesce(e.speaker, '')
        + ' ' + e.content + ' ' + coalesce(e.metadata, '')) CONTAINS toLower(n))
  RETURN e.id AS id, coalesce(e.title, '') + ' ' + coalesce(e.speaker, '') + ' ' + e.content
         + ' ' + replace(coalesce(e.metadata, ''), '\\n', ' ') AS text
  UNION
  UNWIND $scopes AS scope
  MATCH (n:Note {scope: scope})
  WHERE n.id > ''
  WITH n, coalesce(n.title, '') + ' ' + n.content + ' ' + coalesce(n.reason, '')
       + ' ' + replace(coalesce(n.metadata, ''), '\\n', ' ')
       + reduce(s = '', t IN coalesce(n.tags, []) | s + ' ' + replace(replace(t, '-', ' '), '_', ' ')) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN n.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (v:NoteVersion {scope: scope})-[:VERSION_OF]->(n:Note)
  WHERE v.id > '' AND any(x IN $names WHERE toLower(v.content) CONTAINS toLower(x))
  RETURN n.id AS id, v.content AS text
  UNION
  UNWIND $scopes AS scope
  MATCH (p:Page {scope: scope})
  WHERE p.id > ''
  WITH p, p.title + ' ' + p.content
       + reduce(s = '', t IN p.aliases + p.formers + p.tags + coalesce(p.path, '') |
                s + ' ' + replace(replace(t, '-', ' '), '_', ' ')) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN p.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (v:PageVersion {scope: scope})-[:VERSION_OF]->(p:Page)
  WHERE v.id > ''
  WITH v, p, v.title + ' ' + v.content
       + reduce(s = '', t IN v.aliases + v.tags | s + ' ' + replace(replace(t, '-', ' '), '_', ' ')) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN p.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (d:Document {scope: scope})
  WHERE d.id > '' AND any(x IN $names WHERE toLower(coalesce(d.title, '') + ' ' + d.name) CONTAINS toLower(x))
  RETURN d.id AS id, coalesce(d.title, '') + ' ' + d.name AS text
  UNION
  UNWIND $scopes AS scope
  MATCH (s:Skill {scope: scope})
  WHERE s.id > ''
  WITH s, s.name + ' ' + coalesce(s.description, '')
       + reduce(x = '', t IN coalesce(s.tags, []) | x + ' ' + replace(replace(t, '-', ' '), '_', ' ')) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN s.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (v:SkillVersion)-[:VERSION_OF]->(s:Skill {scope: scope})
  WHERE s.id > ''
  WITH s, reduce(x = coalesce(v.body, '') + ' ' + coalesce(v.reason, '')
                     + ' ' + replace(coalesce(v.params, ''), '\\n', ' '),
                 t IN coalesce(v.preconditions, []) + coalesce(v.postconditions, []) | x + ' ' + t) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN s.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (p:SkillProposal {scope: scope})
  WHERE p.id > ''
  WITH p, reduce(x = p.name + ' ' + coalesce(p.description, '') + ' ' + coalesce(p.body, '')
                     + ' ' + coalesce(p.note, '') + ' ' + replace(coalesce(p.params, ''), '\\n', ' '),
                 t IN coalesce(p.preconditions, []) + coalesce(p.postconditions, [])
                      + [t IN coalesce(p.tags, []) | replace(replace(t, '-', ' '), '_', ' ')] | x + ' ' + t) AS text
  WHERE any(x IN $names WHERE toLower(text) CONTAINS toLower(x))
  RETURN p.id AS id, text
  UNION
  UNWIND $scopes AS scope
  MATCH (b:BadPattern {scope: scope})
  WHERE b.id > '' AND any(x IN $names WHERE toLower(b.content + ' ' + coalesce(b.reason, '')) CONTAINS toLower(x))
  RETURN b.id AS id, b.content + ' ' + coalesce(b.reason, '') AS text
  UNION
  UNWIND $scopes AS scope
  MATCH (c:CoreBlock {scope: scope})
  WHERE c.kind > '' AND any(x IN $names WHERE toLower(c.content) CONTAINS toLower(x))
  RETURN c.id AS id, c.content AS text
  UNION
  UNWIND $scopes AS scope
  CALL (scope) {
    MATCH (p:Page {scope: scope}) WHERE p.id > '' AND p.author = $principal RETURN p.id AS id
    UNION
    MATCH (d:Document {scope: scope}) WHERE d.id > '' AND d.author = $principal RETURN d.id AS id
  }
  RETURN id, null AS text
}
RETURN DISTINCT id, text ORDER BY id LIMIT $limit
