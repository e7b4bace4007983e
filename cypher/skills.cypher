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
RETURN s {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null} AS skill

// name: slugs(scope, prefix) read many
// Slugs of a scope that begin alike.
MATCH (s:Skill {scope: $scope})
WHERE s.id > '' AND s.slug STARTS WITH $prefix
RETURN s.slug AS slug

// name: get(id, scopes) read optional
// One skill with how many agents in sight have it and how many conflicts about it stand open.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN s {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null} AS skill,
       COUNT { MATCH (p:Principal)-[:HAS_SKILL]->(s) MATCH (p)-[:HOME]->(h:Scope)
               WHERE h.path IN $scopes } AS agents,
       COUNT { (c:SkillConflict)-[:INVOLVES]->(s)
               WHERE c.status IN ['detected', 'acknowledged'] } AS conflicts,
       [(s)-[l:CLONED_FROM]->(o:Skill) WHERE o.scope IN $scopes | o.id] AS origins

// name: any_by_id(id, scopes) read optional
// Whether there is a skill of an id, hidden or archived ones included, and whether it is in use.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
RETURN s.id AS id, s.status <> 'archived' AND s.expired_at > datetime.realtime() AS in_use

// name: page(scopes, category, status, after, limit) read many
// Skills in the order of their ids.
MATCH (s:Skill)
WHERE s.scope IN $scopes AND s.id > $after AND s.expired_at > datetime.realtime()
  AND ($category IS NULL OR s.category = $category)
  AND ($status IS NULL OR s.status = $status)
WITH s ORDER BY s.id LIMIT $limit
RETURN s {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null} AS skill,
       COUNT { MATCH (p:Principal)-[:HAS_SKILL]->(s) MATCH (p)-[:HOME]->(h:Scope)
               WHERE h.path IN $scopes } AS agents,
       COUNT { (c:SkillConflict)-[:INVOLVES]->(s)
               WHERE c.status IN ['detected', 'acknowledged'] } AS conflicts,
       [] AS origins
ORDER BY s.id

// name: read_many(ids, scopes) read many
// Skills by id, as hits and members of chains are shown.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN s {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null} AS skill,
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

// name: around(ids, scopes, statuses) read many
// The dependencies that begin or end at skills, each as it points; the skill at the other end has
// one of the statuses.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes
MATCH (s)-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]-(o:Skill)
WHERE o.scope IN $scopes AND o.expired_at > datetime.realtime() AND o.status IN $statuses
RETURN DISTINCT startNode(r).id AS source, endNode(r).id AS target, toLower(type(r)) AS type,
       r.weight AS weight, r.confidence AS confidence
ORDER BY source, target, type

// name: neighbours(ids, scopes, statuses) read many
// How many other skills lean on a skill or are leant on by it, each once.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes
RETURN s.id AS id, COUNT {
  MATCH (s)-[:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]-(o:Skill)
  WHERE o.id <> s.id AND o.scope IN $scopes AND o.expired_at > datetime.realtime()
    AND o.status IN $statuses
  RETURN DISTINCT o } AS neighbours

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
// Takes a skill from an agent whose home the caller sees.
MATCH (p:Principal {id: $agent})-[h:HAS_SKILL]->(s:Skill {id: $skill})
WHERE s.scope IN $scopes AND EXISTS { MATCH (p)-[:HOME]->(o:Scope) WHERE o.path IN $scopes }
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
         WHERE f.scope IN $scopes AND f.status = 'active' AND f.expired_at > datetime.realtime()
         WITH f ORDER BY f.evidence DESC, f.id LIMIT $limit
         RETURN f.statement } AS facts
ORDER BY name, id

// name: near(v, scopes, kinds, limit) read many
// What is held now and nearest to a vector, by kind.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, n.kind AS kind, n.language AS language, 2 * max(score) - 1 AS cosine

// name: sharing_words(q, scopes, limit) read many
// The same by words; the scope is a required clause of $q as well.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
RETURN n.memory_id AS id, n.kind AS kind, max(score) AS score

// name: kinds(ids, scopes) read many
// Which memories of any kind there are, and of which category a skill is.
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id})
USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope IN $scopes
RETURN m.id AS id, m.kind AS kind, m.category AS category

// name: usage_known(id, scope) read optional
// Whether an outcome was told before.
MATCH (u:SkillUsageRecord {id: $id})
WHERE u.scope = $scope
RETURN u {.*} AS usage

// name: record_use(id, scope, version, usage, success, audit) write optional
// One outcome, counted on the skill and on the version that was used; a version that is not in
// use has its outcomes for itself.
MATCH (v:SkillVersion {id: $version})-[:VERSION_OF]->(s:Skill {id: $id})
WHERE s.scope = $scope
MERGE (u:SkillUsageRecord {id: $usage.id})
SET u = $usage
MERGE (u)-[:USED]->(s)
SET s.usage_count = s.usage_count + 1,
    s.last_used_at = CASE WHEN s.last_used_at IS NULL OR s.last_used_at < $usage.at
                          THEN $usage.at ELSE s.last_used_at END,
    v.usage_count = v.usage_count + 1,
    v.success_count = v.success_count + CASE WHEN $success THEN 1 ELSE 0 END,
    v.failure_count = v.failure_count + CASE WHEN $success THEN 0 ELSE 1 END
WITH s, v, u
SET s.success_count = CASE WHEN v.is_active THEN v.success_count ELSE s.success_count END,
    s.failure_count = CASE WHEN v.is_active THEN v.failure_count ELSE s.failure_count END
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(s)
RETURN s {.usage_count, .success_count, .failure_count, .confidence, .effectiveness} AS skill,
       v {.version, .usage_count, .success_count, .failure_count} AS version,
       [(n:Note)-[:TEACHES]->(s) WHERE n.expired_at > datetime.realtime() |
         {injected: coalesce(n.injected, 0), useful: coalesce(n.useful, 0)}] AS learnings

// name: rate(id, scope, effectiveness) write none
// How well a skill works, as its outcomes tell.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
SET s.effectiveness = $effectiveness

// name: co_weights(id, others, scopes) read many
// How strongly a skill is tied to others by having been used with them.
UNWIND $others AS other
MATCH (o:Skill {id: other})
WHERE o.scope IN $scopes AND o.id <> $id
OPTIONAL MATCH (o)-[r:CO_USED]-(:Skill {id: $id})
RETURN o.id AS id, r.weight AS weight

// name: set_co_weights(id, rows, scopes) write none
// The weights after one more use together; one edge a pair, from the smaller id.
UNWIND $rows AS row
MATCH (a:Skill {id: CASE WHEN row.id < $id THEN row.id ELSE $id END})
MATCH (b:Skill {id: CASE WHEN row.id < $id THEN $id ELSE row.id END})
WHERE a.scope IN $scopes AND b.scope IN $scopes
MERGE (a)-[r:CO_USED]->(b)
SET r.weight = row.weight

// name: fail(id, scope, pattern) write one
// A pattern of failure of a skill; the same text counts once more.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
MERGE (p:BadPattern {id: $pattern.id})
ON CREATE SET p = $pattern, p.count = 0
SET p.count = coalesce(p.count, 0) + 1, p.touched_at = $pattern.touched_at,
    p.embedding = $pattern.embedding, p.embed_hash = $pattern.embed_hash
MERGE (s)-[:HAS_FAILURE]->(p)
RETURN p.id AS id

// name: usages(id, scopes, before, limit) read many
// The outcomes of a skill, newest first.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
MATCH (u:SkillUsageRecord {skill: s.id})
WHERE u.at <= $before
RETURN u {.*} AS usage ORDER BY u.at DESC, u.id DESC LIMIT $limit

// name: outcomes(id, scopes, since, middle) read one
// How many outcomes went well and badly in two spans next to each other.
OPTIONAL MATCH (u:SkillUsageRecord {skill: $id})
WHERE u.scope IN $scopes AND u.at >= $since
RETURN count(CASE WHEN u.at >= $middle AND u.outcome = 'success' THEN 1 END) AS good,
       count(CASE WHEN u.at >= $middle AND u.outcome = 'failure' THEN 1 END) AS bad,
       count(CASE WHEN u.at < $middle AND u.outcome = 'success' THEN 1 END) AS good_before,
       count(CASE WHEN u.at < $middle AND u.outcome = 'failure' THEN 1 END) AS bad_before

// name: teach(id, note, scopes, at, audit) write optional
// A learning that bears on a skill.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
MATCH (n:Note {id: $note})
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime() AND n.namespace = 'learnings'
MERGE (n)-[r:TEACHES]->(s)
ON CREATE SET r.at = $at
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(s)
RETURN n.id AS note

// name: learnings_of(id, scopes) read many
// The learnings that bear on a skill.
MATCH (s:Skill {id: $id})
WHERE s.scope IN $scopes
MATCH (n:Note)-[:TEACHES]->(s)
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime() AND n.standing = 'held'
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n {.id, .scope, .content, .importance, .confidence} AS note ORDER BY n.importance DESC, n.id

// name: vitals(scope, since) read one
// What the health of a scope's skill graph is made of.
MATCH (s:Skill {scope: $scope})
WHERE s.id > '' AND s.status = 'active' AND s.expired_at > datetime.realtime()
RETURN count(s) AS skills,
       count(CASE WHEN EXISTS { (:Principal)-[:HAS_SKILL]->(s) } THEN 1 END) AS covered,
       sum(COUNT { (s)-[:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CONCERNS]->() }) AS edges,
       count(CASE WHEN coalesce(s.last_used_at, s.updated_at) >= $since
                    OR s.updated_at >= $since THEN 1 END) AS fresh,
       coalesce(avg(s.effectiveness), 0.0) AS effectiveness

// name: open_conflicts(scope) read one
// How many conflicts of a scope stand open.
MATCH (c:SkillConflict {scope: $scope})
WHERE c.id > '' AND c.status IN ['detected', 'acknowledged']
RETURN count(c) AS open

// name: seen(scope, after, limit) read many
// Active skills as the detectors see them.
MATCH (s:Skill {scope: $scope})
WHERE s.id > $after AND s.status = 'active' AND s.expired_at > datetime.realtime()
WITH s ORDER BY s.scope, s.id LIMIT $limit
RETURN s {.id, .name, .category, .created_at, .last_used_at, .usage_count} AS skill,
       left(s.content, 2000) AS text,
       COUNT { (:Principal)-[:HAS_SKILL]->(s) } AS agents,
       COUNT { (s)-[:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CONCERNS]-() } AS edges
ORDER BY s.id

// name: near_pairs(ids, scope, kind, limit) read many
// Each of some memories with its nearest of the same kind and scope, by the vector index: the work
// for one does not grow with how many there are.
CYPHER 25
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id}) USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope = $scope AND m.embedding IS NOT NULL
CALL (m) {
  MATCH (n:Searchable)
  SEARCH n IN (VECTOR INDEX memory_vector FOR m.embedding
    WHERE n.scope = $scope AND n.live = true AND n.kind = $kind LIMIT $limit) SCORE AS score
  RETURN n.memory_id AS other, n.language AS language, max(score) AS score
}
WITH m, other, language, score
WHERE other <> m.id
RETURN m.id AS left, other AS right, [m.language, language] AS languages, 2 * score - 1 AS cosine

// name: needs(scope) read many
// The dependencies that can go round in circles or break, with how the needed skill stands.
MATCH (a:Skill {scope: $scope})
WHERE a.id > '' AND a.status = 'active' AND a.expired_at > datetime.realtime()
MATCH (a)-[r:REQUIRES|COMPOSES]->(b:Skill)
WHERE b.scope = $scope
RETURN a.id AS source, b.id AS target, b.status AS status, toLower(type(r)) AS type,
       r.weight * r.confidence AS strength

// name: clones(scope) read many
// Clones of a scope with the version that they were made of and the one that is in use now.
MATCH (s:Skill {scope: $scope})
WHERE s.id > '' AND s.status = 'active' AND s.expired_at > datetime.realtime()
MATCH (s)-[r:CLONED_FROM]->(o:Skill)
WHERE o.status = 'active' AND o.tenant = s.tenant AND o.scope = $scope
RETURN s.id AS clone, o.id AS origin, r.version AS taken, o.version AS current

// name: conflicts_known(ids, scope) read many
// Which conflicts are on record.
UNWIND $ids AS id
MATCH (c:SkillConflict {id: id})
WHERE c.scope = $scope
RETURN c.id AS id, c.status AS status, c.paused_until AS paused_until

// name: save_conflicts(rows, scope, at) write many
// What a scan found. One on record keeps its status, unless it was closed and its pause is over.
UNWIND $rows AS row
MERGE (c:SkillConflict {id: row.id})
ON CREATE SET c = row.properties
WITH c, row, c.status IN ['resolved', 'dismissed'] AND c.paused_until <= $at AS again
WHERE c.scope = $scope
SET c.seen_at = $at, c.similarity = row.properties.similarity,
    c.severity = row.properties.severity, c.detail = row.properties.detail,
    c.status = CASE WHEN again THEN 'detected' ELSE c.status END,
    c.detected_at = CASE WHEN again THEN $at ELSE c.detected_at END
WITH c, row, again
CALL (c, row) {
  UNWIND row.properties.skills AS skill
  MATCH (s:Skill {id: skill})
  MERGE (c)-[:INVOLVES]->(s)
}
RETURN c.id AS id, c.detected_at = $at AS fresh

// name: close_gone(scope, at, audit) write one
// Conflicts that the scan which began at $at no longer found are resolved.
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
WITH a
OPTIONAL MATCH (place:Scope {path: $scope})
FOREACH (_ IN CASE WHEN place IS NULL THEN [] ELSE [1] END | MERGE (a)-[:AUDIT]->(place))
WITH DISTINCT a
OPTIONAL MATCH (c:SkillConflict {scope: $scope})
WHERE c.id > '' AND c.status IN ['detected', 'acknowledged'] AND c.seen_at < $at
SET c.status = 'resolved', c.decided_at = $at, c.decided_by = 'scan', c.paused_until = $at,
    c.note = 'no longer found'
RETURN count(c) AS closed

// name: conflicts(scopes, status, open, alive, after, limit) read many
// Conflicts by id: of one status, or all that stand open and do not pause.
MATCH (c:SkillConflict)
WHERE c.scope IN $scopes AND c.id > $after
  AND ($status IS NULL OR c.status = $status)
  AND (NOT $open OR (c.status IN ['detected', 'acknowledged']
                     AND coalesce(c.paused_until, $alive) <= $alive))
WITH c ORDER BY c.id LIMIT $limit
RETURN c {.*} AS conflict, [(c)-[:INVOLVES]->(s:Skill) | s {.id, .name, .usage_count}] AS skills
ORDER BY c.id

// name: get_conflict(id, scopes) read optional
// One conflict with its skills.
MATCH (c:SkillConflict {id: $id})
WHERE c.scope IN $scopes
RETURN c {.*} AS conflict, [(c)-[:INVOLVES]->(s:Skill) | s {.id, .name, .usage_count}] AS skills

// name: lock_conflict(id, scopes, at) write optional
// One conflict for writing.
MATCH (c:SkillConflict {id: $id})
WHERE c.scope IN $scopes
SET c.touched_at = $at
RETURN c {.*} AS conflict

// name: set_conflict(id, scope, properties, audit) write one
// What somebody has done about a conflict.
MATCH (c:SkillConflict {id: $id})
WHERE c.scope = $scope
SET c += $properties
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(c)
RETURN c.id AS id

// name: move_holders(source, target, scope) write one
// Agents that have one skill have the other instead; none has it twice.
MATCH (a:Skill {id: $source})
MATCH (b:Skill {id: $target})
WHERE a.scope = $scope AND b.scope = $scope
OPTIONAL MATCH (p:Principal)-[h:HAS_SKILL]->(a)
WITH b, collect(p {.id, at: h.at, by: h.by, place: h.place, edge: h}) AS held
FOREACH (each IN held | DELETE each.edge)
WITH b, held
CALL (b, held) {
  UNWIND held AS each
  MATCH (p:Principal {id: each.id})
  MERGE (p)-[n:HAS_SKILL]->(b)
  ON CREATE SET n.at = each.at, n.by = each.by, n.place = each.place
  RETURN count(n) AS moved
}
RETURN moved

// name: needed_by(id, scope) read many
// The dependencies that end at a skill.
MATCH (s:Skill {id: $id})
WHERE s.scope = $scope
MATCH (o:Skill)-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]->(s)
WHERE o.scope = $scope
RETURN o.id AS source, toLower(type(r)) AS type, r.weight AS weight, r.confidence AS confidence

// name: save_proposal(proposal, audit) write one
// One proposal; made again from the same seed it stays as it is.
// unscoped: the service has checked $proposal.scope against the caller
MERGE (p:SkillProposal {id: $proposal.id})
ON CREATE SET p = $proposal
WITH p
CALL (p) {
  MATCH (parent:SkillProposal {id: $proposal.parent})
  WHERE parent.scope = p.scope
  MERGE (p)-[:PART_OF]->(parent)
}
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(p)
RETURN p.id AS id, p.created_at = $proposal.created_at AS made

// name: get_proposal(id, scopes) read optional
// One proposal with those that are parts of it, and the skill that came of it.
MATCH (p:SkillProposal {id: $id})
WHERE p.scope IN $scopes
RETURN p {.*} AS proposal, [(c:SkillProposal)-[:PART_OF]->(p) | c.id] AS parts,
       [(p)-[:PROPOSES]->(s:Skill) | s.id] AS skills

// name: proposals(scopes, status, after, limit) read many
// Proposals by id.
MATCH (p:SkillProposal)
WHERE p.scope IN $scopes AND p.id > $after AND ($status IS NULL OR p.status = $status)
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*} AS proposal, [(c:SkillProposal)-[:PART_OF]->(p) | c.id] AS parts,
       [(p)-[:PROPOSES]->(s:Skill) | s.id] AS skills
ORDER BY p.id

// name: lock_proposal(id, scopes, at) write optional
// One proposal for writing.
MATCH (p:SkillProposal {id: $id})
WHERE p.scope IN $scopes
SET p.touched_at = $at
RETURN p {.*} AS proposal

// name: set_proposal(id, scope, properties, audit) write one
// The next step of a proposal.
MATCH (p:SkillProposal {id: $id})
WHERE p.scope = $scope
SET p += $properties
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(p)
RETURN p.id AS id

// name: suggested(scope, origin) read many
// The proposals of a scope that one kind of upkeep made, the oldest first.
MATCH (p:SkillProposal {scope: $scope})
WHERE p.id > '' AND p.origin = $origin
RETURN p.id AS id, p.status AS status, p.category AS category, p.sources AS sources
ORDER BY p.created_at, p.id

// name: propose(id, skill, scope) write one
// The skill that a proposal became.
MATCH (p:SkillProposal {id: $id})
WHERE p.scope = $scope
MATCH (s:Skill {id: $skill})
WHERE s.scope = $scope
MERGE (p)-[:PROPOSES]->(s)
RETURN s.id AS id

// name: proposals_due(scope, at, limit) read many
// Proposals whose time for a review has run out.
MATCH (p:SkillProposal)
WHERE p.status IN ['submitted', 'under_review'] AND p.due_at <= $at
  AND ($scope IS NULL OR p.scope = $scope)
RETURN p.id AS id, p.scope AS scope ORDER BY p.due_at, p.id LIMIT $limit

// name: skill_scopes() read many
// Every scope that has a skill or a learning.
// unscoped: upkeep of the whole installation
MATCH (s:Scope)
WHERE EXISTS { MATCH (k:Skill {scope: s.path}) WHERE k.id > '' }
   OR EXISTS { MATCH (n:Note {scope: s.path}) WHERE n.id > '' AND n.namespace = 'learnings' }
RETURN s.path AS scope, s.tenant AS tenant ORDER BY scope

// name: idle_skills(scope, before, decayed, after, limit) read many
// Active skills that nobody used since a moment and that no run has lowered since another.
MATCH (s:Skill {scope: $scope})
WHERE s.id > $after AND s.status = 'active' AND s.expired_at > datetime.realtime()
  AND NOT s.is_pinned AND coalesce(s.last_used_at, s.created_at) <= $before
  AND coalesce(s.decayed_at, s.created_at) <= $decayed AND s.effectiveness > 0
RETURN s.id AS id, s.effectiveness AS effectiveness, s.last_used_at AS last_used_at
ORDER BY s.scope, s.id LIMIT $limit

// name: lower_skills(rows, scope, at, audit) write one
// Skills that were not used lose effect.
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
WITH a
UNWIND $rows AS row
MATCH (s:Skill {id: row.id})
WHERE s.scope = $scope
SET s.effectiveness = row.effectiveness, s.decayed_at = $at
MERGE (a)-[:AUDIT]->(s)
RETURN count(s) AS lowered

// name: to_embed(scope, after, limit) read many
// Active skills whose vectors are missing or were refused.
MATCH (s:Skill {scope: $scope})
WHERE s.id > $after AND s.status = 'active' AND s.expired_at > datetime.realtime()
  AND (s.embedding IS NULL AND s.index_state <> 'pending' OR s.index_state = 'failed')
RETURN s.id AS id ORDER BY s.scope, s.id LIMIT $limit

// name: embed_again(ids, scope, audit) write one
// Skills whose vectors are made anew by the next indexing pass; until then the old ones answer.
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
WITH a
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope = $scope
SET s.index_state = 'pending', s.embed_hash = null, s.index_rev = s.index_rev + 1
MERGE (a)-[:AUDIT]->(s)
RETURN count(s) AS found

// name: learnings(scopes, after, limit) read many
// Learnings that hold, with how often each was read, shown and useful.
MATCH (n:Note)
WHERE n.scope IN $scopes AND n.id > $after AND n.namespace = 'learnings'
  AND n.standing = 'held' AND n.expired_at > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.id, .scope, .content, .title, .tags, .importance, .confidence, .ingested_at,
          .updated_at, .last_access, .author, .index_state, .content_hash,
          recalled: coalesce(n.recalled, 0), injected: coalesce(n.injected, 0),
          useful: coalesce(n.useful, 0), checked: n.checked, checked_at: n.checked_at,
          checked_by: n.checked_by,
          shared: COLLECT { MATCH (c:Note)-[d:DERIVED_FROM]->(n)
                            WHERE c.scope IN $scopes AND c.expired_at > datetime.realtime()
                            RETURN {note: c.id, scope: c.scope, quality: d.quality, at: d.at}
                            ORDER BY c.scope, c.id }} AS note,
       EXISTS { (n)-[:TEACHES]->(:Skill) } AS taught
ORDER BY n.id

// name: learning(id, scopes) read optional
// One learning.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.namespace = 'learnings' AND n.standing = 'held'
  AND n.expired_at > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n {.id, .scope, .content, .title, .tags, .importance, .confidence, .ingested_at,
          .updated_at, .last_access, .author, .content_hash,
          recalled: coalesce(n.recalled, 0), injected: coalesce(n.injected, 0),
          useful: coalesce(n.useful, 0), checked: n.checked, checked_at: n.checked_at,
          checked_by: n.checked_by,
          shared: COLLECT { MATCH (c:Note)-[d:DERIVED_FROM]->(n)
                            WHERE c.scope IN $scopes AND c.expired_at > datetime.realtime()
                            RETURN {note: c.id, scope: c.scope, quality: d.quality, at: d.at}
                            ORDER BY c.scope, c.id }} AS note

// name: lock_learning(id, scope) write optional
// One learning for a check: what was said of it is read after others are done.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope AND n.namespace = 'learnings' AND n.standing = 'held'
  AND n.expired_at > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
SET n.tenant = n.tenant
RETURN n {.importance, .confidence, .checked, .checked_by, checks: coalesce(n.checks, [])} AS note

// name: check_learning(id, scope, properties, audit) write one
// A learning that somebody checked.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n += $properties
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(n)
RETURN n.id AS id

// name: agents(tenant, scopes) read many
// The registry of agents whose home the caller sees, with teams and skills.
MATCH (p:Principal {tenant: $tenant})
WHERE p.id > '' AND p:Agent AND p.retired_at IS NULL
MATCH (p)-[:HOME]->(home:Scope)
WHERE home.path IN $scopes
RETURN p.id AS id, p.name AS name, home.path AS home, p.model_family AS model_family,
       p.created_at AS created_at, p.trust AS trust, p.trust_at AS trust_at,
       [(p)-[:MEMBER_OF]->(t:Scope) WHERE t.path IN $scopes | t.path] AS teams,
       COLLECT { MATCH (p)-[:HAS_SKILL]->(s:Skill)
                 WHERE s.scope IN $scopes AND s.status = 'active'
                 RETURN s {.id, .name, .category} ORDER BY s.name, s.id } AS skills
ORDER BY id

// name: teams(scopes) read many
// Teams that the caller sees, with the members whose home it sees.
UNWIND $scopes AS path
MATCH (t:Scope {path: path})
WHERE t.kind = 'team'
RETURN t.path AS scope, t.name AS name,
       COLLECT { MATCH (p:Principal)-[m:MEMBER_OF]->(t)
                 MATCH (p)-[:HOME]->(h:Scope) WHERE h.path IN $scopes
                 RETURN {id: p.id, name: p.name, role: m.role} ORDER BY p.id } AS members
ORDER BY scope

// name: held_skills(agents, scopes) read many
// The active skills of agents.
UNWIND $agents AS agent
MATCH (p:Principal {id: agent})-[:HAS_SKILL]->(s:Skill)
WHERE s.scope IN $scopes AND s.status = 'active' AND s.expired_at > datetime.realtime()
RETURN p.id AS agent, s.id AS skill, s.category AS category

// name: edges_among(ids, scopes) read one
// How many dependencies there are among skills.
UNWIND $ids AS id
MATCH (s:Skill {id: id})-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]->(o:Skill)
WHERE s.scope IN $scopes AND o.id IN $ids
RETURN count(DISTINCT r) AS edges

// name: learnings_by_id(ids, scopes) read many
// The same by id.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.namespace = 'learnings' AND n.standing = 'held'
  AND n.expired_at > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n {.id, .scope, .content, .title, .tags, .importance, .confidence, .ingested_at,
          .updated_at, .last_access, .author, .content_hash,
          recalled: coalesce(n.recalled, 0), injected: coalesce(n.injected, 0),
          useful: coalesce(n.useful, 0), checked: n.checked, checked_at: n.checked_at,
          checked_by: n.checked_by,
          shared: COLLECT { MATCH (c:Note)-[d:DERIVED_FROM]->(n)
                            WHERE c.scope IN $scopes AND c.expired_at > datetime.realtime()
                            RETURN {note: c.id, scope: c.scope, quality: d.quality, at: d.at}
                            ORDER BY c.scope, c.id }} AS note
