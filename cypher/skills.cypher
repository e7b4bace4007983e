// name: create(skill, version, tags, audit) write one
// One skill with its first version; a slug that the scope has breaks a constraint.
// unscoped: the service has checked $skill.scope against the caller
MERGE (s:Skill {id: $skill.id})
SET s = $skill, s:Memory:Searchable
MERGE (v:SkillVersion {id: $version.id})
SET v = $version
MERGE (v)-[:VERSION_OF]->(s)
FOREACH (tag IN $tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (s)-[:TAGGED]->(t))
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(s)
RETURN s.id AS id

// name: by_key(key, scope) read optional
// The skill of a scope that bears a slug.
MATCH (s:Skill {skill_key: $key})
WHERE s.scope = $scope
RETURN s {.*, embedding: null, terms: null} AS skill

// name: slugs(scope, prefix) read many
// Slugs of a scope that begin alike.
MATCH (s:Skill {scope: $scope})
WHERE s.id > '' AND s.slug STARTS WITH $prefix
RETURN s.slug AS slug

// name: get(id, scopes) read optional
// One skill with how many agents have it and how many conflicts about it stand open.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN s {.*, embedding: null, terms: null} AS skill,
       COUNT { (:Principal)-[:HAS_SKILL]->(s) } AS agents,
       COUNT { (c:SkillConflict)-[:INVOLVES]->(s)
               WHERE c.status IN ['detected', 'acknowledged'] } AS conflicts,
       [(s)-[l:CLONED_FROM]->(o:Skill) WHERE o.scope IN $scopes | o.id] AS origins

// name: page(scopes, category, status, after, limit) read many
// Skills in the order of their ids.
MATCH (s:Skill)
WHERE s.scope IN $scopes AND s.id > $after AND s.expired_at > datetime.realtime()
  AND ($category IS NULL OR s.category = $category)
  AND ($status IS NULL OR s.status = $status)
WITH s ORDER BY s.id LIMIT $limit
RETURN s {.*, embedding: null, terms: null} AS skill,
       COUNT { (:Principal)-[:HAS_SKILL]->(s) } AS agents,
       COUNT { (c:SkillConflict)-[:INVOLVES]->(s)
               WHERE c.status IN ['detected', 'acknowledged'] } AS conflicts,
       [] AS origins
ORDER BY s.id

// name: read_many(ids, scopes) read many
// Skills by id, as hits and members of chains are shown.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN s {.*, embedding: null, terms: null} AS skill,
       [(s)-[:HAS_FAILURE]->(p:BadPattern) WHERE p.expired_at > datetime.realtime() |
         p {.id, .content, .reason, .count, .embedding, .embed_hash}] AS failures

// name: lock(id, scopes, at) write optional
// One skill for writing: whoever changes it first is done before the next one reads it.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
SET s.touched_at = $at
RETURN s {.*, embedding: null} AS skill

// name: change(id, scope, properties, tags, audit) write one
// Set properties of a skill; $tags is null where they stay.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
SET s += $properties
WITH s
CALL (s) {
  WITH s WHERE $tags IS NOT NULL
  OPTIONAL MATCH (s)-[r:TAGGED]->(:Tag)
  DELETE r
  WITH DISTINCT s
  FOREACH (tag IN $tags |
    MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
    MERGE (s)-[:TAGGED]->(t))
}
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(s)
WITH s
OPTIONAL MATCH (s)<-[:WINDOW_OF]-(w:Window)
SET w.live = s.live, w.facets = s.facets
RETURN DISTINCT s.id AS id

// name: versions(id, scopes) read many
// The versions of a skill, newest first.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
MATCH (v:SkillVersion)-[:VERSION_OF]->(s)
RETURN v {.*} AS version ORDER BY v.created_at DESC, v.id DESC

// name: add_version(id, scope, version) write one
// One more version, which is not in use yet.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
MERGE (v:SkillVersion {id: $version.id})
SET v = $version
MERGE (v)-[:VERSION_OF]->(s)
RETURN v.id AS id

// name: activate(id, scope, version) write one
// One version is in use, all its siblings are not.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
MATCH (v:SkillVersion)-[:VERSION_OF]->(s)
SET v.is_active = v.version = $version
RETURN count(v) AS versions

// name: set_variants(id, scope, rows) write none
// What an experiment does to versions: each row sets properties of one.
UNWIND $rows AS row
MATCH (v:SkillVersion {id: row.id})-[:VERSION_OF]->(s:Skill {id: $id})
WHERE s.scope = $scope
SET v += row.properties

// name: link(source, target, scopes, type, properties, audit) write optional
// One dependency between two skills; said again, it gets the new weight.
MATCH (a:Skill {id: $source})
WHERE a.scope IN $scopes AND a.expired_at > datetime.realtime()
MATCH (b:Skill {id: $target})
WHERE b.scope IN $scopes AND b.expired_at > datetime.realtime()
FOREACH (_ IN CASE $type WHEN 'requires' THEN [1] ELSE [] END |
  MERGE (a)-[r:REQUIRES]->(b) SET r += $properties)
FOREACH (_ IN CASE $type WHEN 'enhances' THEN [1] ELSE [] END |
  MERGE (a)-[r:ENHANCES]->(b) SET r += $properties)
FOREACH (_ IN CASE $type WHEN 'composes' THEN [1] ELSE [] END |
  MERGE (a)-[r:COMPOSES]->(b) SET r += $properties)
FOREACH (_ IN CASE $type WHEN 'succeeds' THEN [1] ELSE [] END |
  MERGE (a)-[r:SUCCEEDS]->(b) SET r += $properties)
MERGE (e:AuditEvent {id: $audit.id})
SET e = $audit
MERGE (e)-[:AUDIT]->(a)
RETURN a.id AS source, b.id AS target

// name: unlink(source, target, scopes, type, audit) write optional
// Takes a dependency away.
MATCH (a:Skill {id: $source})-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]->(b:Skill {id: $target})
WHERE a.scope IN $scopes AND b.scope IN $scopes AND toLower(type(r)) = $type
DELETE r
MERGE (e:AuditEvent {id: $audit.id})
SET e = $audit
MERGE (e)-[:AUDIT]->(a)
RETURN a.id AS source

// name: around(ids, scopes) read many
// The dependencies that begin or end at skills, each as it points.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes
MATCH (s)-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]-(o:Skill)
WHERE o.scope IN $scopes AND o.expired_at > datetime.realtime()
RETURN DISTINCT startNode(r).id AS source, endNode(r).id AS target, toLower(type(r)) AS type,
       r.weight AS weight, r.confidence AS confidence
ORDER BY source, target, type

// name: assign(skill, agent, scopes, tenant, properties, audit) write optional
// An agent has a skill from now on; said again, only the properties change.
MATCH (s:Skill {id: $skill})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
MATCH (p:Principal {id: $agent, tenant: $tenant})-[:HOME]->(home:Scope)
WHERE home.path IN $scopes AND p.retired_at IS NULL
MERGE (p)-[h:HAS_SKILL]->(s)
ON CREATE SET h.at = $properties.at
SET h.by = $properties.by, h.place = $properties.place
MERGE (e:AuditEvent {id: $audit.id})
SET e = $audit
MERGE (e)-[:AUDIT]->(s)
RETURN s.id AS skill, p.id AS agent

// name: unassign(skill, agent, scopes, audit) write optional
// Takes a skill from an agent.
MATCH (p:Principal {id: $agent})-[h:HAS_SKILL]->(s:Skill {id: $skill})
WHERE s.scope IN $scopes
DELETE h
MERGE (e:AuditEvent {id: $audit.id})
SET e = $audit
MERGE (e)-[:AUDIT]->(s)
RETURN s.id AS skill

// name: holders(id, scopes) read many
// The agents that have a skill and whose home the caller sees.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
MATCH (p:Principal)-[h:HAS_SKILL]->(s)
MATCH (p)-[:HOME]->(home:Scope)
WHERE home.path IN $scopes
RETURN p.id AS agent, p.name AS name, home.path AS home, h.at AS at, h.by AS by, h.place AS place
ORDER BY coalesce(h.place, 0), agent

// name: clone(id, origin, scopes, version, at) write one
// A skill that was made after another, as that one's version was then.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
MATCH (o:Skill {id: $origin})
WHERE o.scope IN $scopes
MERGE (s)-[r:CLONED_FROM]->(o)
SET r.version = $version, r.at = $at
RETURN s.id AS id

// name: entities_named(aliases, scope) read many
// Entities of a scope by their aliases, as the roots of their clusters.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE a.scope = $scope AND e.scope = $scope AND e.expired_at > datetime.realtime()
RETURN DISTINCT e.root AS id, a.key AS key

// name: concern(id, scopes, entities, at, audit) write one
// The entities that a skill is about, in place of those found before; said by hand, one stays.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
OPTIONAL MATCH (s)-[old:CONCERNS {by: 'text'}]->(:Entity)
DELETE old
WITH DISTINCT s
CALL (s) {
  UNWIND $entities AS entity
  MATCH (e:Entity {id: entity.id})
  WHERE e.scope IN $scopes
  MERGE (s)-[r:CONCERNS]->(e)
  ON CREATE SET r.at = $at
  SET r.by = CASE r.by WHEN 'hand' THEN 'hand' ELSE entity.by END
  RETURN count(e) AS made
}
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(s)
RETURN made

// name: concerns(id, scopes, limit) read many
// The entities that a skill is about, with what is held of each.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
MATCH (s)-[r:CONCERNS]->(e:Entity)
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN e.id AS id, e.canonical_name AS name, e.type AS type, r.by AS by,
       COLLECT {
         MATCH (f:Fact {subject: e.id})
         WHERE f.status = 'active' AND f.expired_at > datetime.realtime()
         WITH f ORDER BY f.evidence DESC, f.id LIMIT $limit
         RETURN f.statement } AS facts
ORDER BY name, id

// name: near(v, scopes, kinds, limit) read many
// What is held now and nearest to a vector, by kind; the score is (1 + cosine) / 2.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, n.kind AS kind, max(score) AS score

// name: sharing_words(q, scopes, limit) read many
// The same by words; the scope is a required clause of $q as well.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
RETURN n.memory_id AS id, n.kind AS kind, max(score) AS score

// name: titles(ids, scopes) read many
// What to call memories of any kind: their title, or how their text begins.
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id})
USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope IN $scopes
RETURN m.id AS id, m.kind AS kind, coalesce(m.title, left(m.content, 80)) AS name,
       m.category AS category
