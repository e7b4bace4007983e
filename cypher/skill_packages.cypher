// name: skills(rows) write many
// Skills that are new, with their versions and tags; one whose slug the scope has is none.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:Skill {id: row.id}) }
  AND NOT EXISTS { MATCH (:Skill {skill_key: row.properties.skill_key}) }
CREATE (s:Skill:Memory:Searchable)
SET s = row.properties
FOREACH (version IN row.versions |
  CREATE (v:SkillVersion) SET v = version CREATE (v)-[:VERSION_OF]->(s))
FOREACH (tag IN row.tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (s)-[:TAGGED]->(t))
RETURN row.line AS line

// name: links(rows) write many
// Edges at skills that are new and whose ends are there.
// unscoped: the run has checked each path
UNWIND $rows AS row
MATCH (s:Skill {id: row.skill})
WHERE s.scope = row.scope
CALL (row, s) {
  WITH row, s WHERE row.type IN ['REQUIRES', 'ENHANCES', 'COMPOSES', 'SUCCEEDS', 'CO_USED', 'CLONED_FROM']
  MATCH (o:Skill {id: row.other}) WHERE o.tenant = s.tenant RETURN o
  UNION
  WITH row, s WHERE row.type = 'HAS_SKILL'
  MATCH (o:Principal {id: row.other}) WHERE o.tenant = s.tenant RETURN o
  UNION
  WITH row, s WHERE row.type = 'CONCERNS'
  MATCH (o:Entity {id: row.other}) WHERE o.tenant = s.tenant RETURN o
  UNION
  WITH row, s WHERE row.type = 'TEACHES'
  MATCH (o:Note {id: row.other}) WHERE o.tenant = s.tenant RETURN o
  UNION
  WITH row, s WHERE row.type = 'HAS_FAILURE'
  MATCH (o:BadPattern {id: row.other}) WHERE o.tenant = s.tenant RETURN o
}
WITH row, s, o
WHERE NOT EXISTS {
  MATCH (s)-[r]-(o)
  WHERE type(r) = row.type AND (startNode(r) = s OR row.type IN ['HAS_SKILL', 'TEACHES'])
}
FOREACH (_ IN CASE row.type WHEN 'REQUIRES' THEN [1] ELSE [] END |
  CREATE (s)-[r:REQUIRES]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'ENHANCES' THEN [1] ELSE [] END |
  CREATE (s)-[r:ENHANCES]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'COMPOSES' THEN [1] ELSE [] END |
  CREATE (s)-[r:COMPOSES]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'SUCCEEDS' THEN [1] ELSE [] END |
  CREATE (s)-[r:SUCCEEDS]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CO_USED' THEN [1] ELSE [] END |
  CREATE (s)-[r:CO_USED]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CLONED_FROM' THEN [1] ELSE [] END |
  CREATE (s)-[r:CLONED_FROM]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'HAS_SKILL' THEN [1] ELSE [] END |
  CREATE (o)-[r:HAS_SKILL]->(s) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CONCERNS' THEN [1] ELSE [] END |
  CREATE (s)-[r:CONCERNS]->(o) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'TEACHES' THEN [1] ELSE [] END |
  CREATE (o)-[r:TEACHES]->(s) SET r = row.properties)
FOREACH (_ IN CASE row.type WHEN 'HAS_FAILURE' THEN [1] ELSE [] END |
  CREATE (s)-[r:HAS_FAILURE]->(o) SET r = row.properties)
RETURN row.line AS line

// name: usages(rows) write many
// Outcomes that are new; their counts stand on the skill already.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:SkillUsageRecord {id: row.id}) }
MATCH (s:Skill {id: row.properties.skill})
WHERE s.scope = row.scope
CREATE (u:SkillUsageRecord)
SET u = row.properties
CREATE (u)-[:USED]->(s)
RETURN row.line AS line

// name: conflicts(rows) write many
// Conflicts that are new, among skills that are all there.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row WHERE NOT EXISTS { MATCH (:SkillConflict {id: row.id}) }
  AND COUNT { UNWIND row.properties.skills AS one
              MATCH (s:Skill {id: one}) WHERE s.scope = row.scope
              RETURN s } = size(row.properties.skills)
CREATE (c:SkillConflict)
SET c = row.properties
WITH c, row
CALL (c, row) {
  UNWIND row.properties.skills AS skill
  MATCH (s:Skill {id: skill})
  WHERE s.scope = row.scope
  MERGE (c)-[:INVOLVES]->(s)
}
RETURN row.line AS line

// name: proposals(rows) write many
// Proposals that are new, with what they are parts of and what they became.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS { MATCH (:SkillProposal {id: row.id}) }
  AND NOT (row.moved AND EXISTS { // a copy of one that is here
    MATCH (o:SkillProposal {scope: row.scope})
    WHERE o.id > '' AND o.name = row.properties.name AND o.body_hash = row.properties.body_hash
      AND o.created_at = row.properties.created_at
  })
CREATE (p:SkillProposal)
SET p = row.properties
WITH p, row
CALL (p, row) {
  MATCH (s:Skill {id: row.properties.skill})
  WHERE s.scope = row.scope
  MERGE (p)-[:PROPOSES]->(s)
}
CALL (p, row) {
  MATCH (parent:SkillProposal {id: row.properties.parent})
  WHERE parent.scope = row.scope
  MERGE (p)-[:PART_OF]->(parent)
}
RETURN row.line AS line

// name: export_skills(scope, after, limit) read many
// Skills by id with their versions.
MATCH (s:Skill) USING INDEX s:Skill(scope, id)
WHERE s.scope = $scope AND s.id > $after
WITH s ORDER BY s.scope, s.id LIMIT $limit
RETURN s {.*, embedding: null, embedding_b: null, embedding_c: null} AS skill,
       COLLECT { MATCH (v:SkillVersion)-[:VERSION_OF]->(s) RETURN v {.*}
                 ORDER BY v.created_at, v.version } AS versions
ORDER BY s.id

// name: export_links(scope, among, audited, after, limit) read many
// Edges at skills of one scope, by the skill that they begin at or belong to; of each whether its
// other end comes along.
MATCH (s:Skill) USING INDEX s:Skill(scope, id)
WHERE s.scope = $scope AND s.id > $after
WITH s ORDER BY s.scope, s.id LIMIT $limit
RETURN s.id AS id, s.scope AS scope,
       COLLECT {
         MATCH (s)-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS|CO_USED|CLONED_FROM|CONCERNS|HAS_FAILURE]->(o)
         WHERE o.tenant = s.tenant
         WITH r {.*, type: type(r), other: o.id, outside: NOT o.scope IN $among,
                 other_scope: CASE WHEN o.scope <> s.scope AND o.scope IN $among THEN o.scope END}
              AS link
         RETURN link ORDER BY link.type, link.other
       } + COLLECT {
         MATCH (o)-[r:HAS_SKILL|TEACHES]->(s)
         WITH r {.*, type: type(r), other: o.id,
                 other_scope: CASE WHEN o.scope <> s.scope AND o.scope IN $among THEN o.scope END,
                 outside: CASE WHEN o:Principal
                            THEN NOT EXISTS { (o)-[:HOME]->(h:Scope) WHERE h.path IN $audited }
                            ELSE NOT o.scope IN $among END} AS link
         RETURN link ORDER BY link.type, link.other
       } AS links
ORDER BY s.id

// name: export_usages(scope, after, limit) read many
// Outcomes by id.
MATCH (u:SkillUsageRecord) USING INDEX u:SkillUsageRecord(scope, id)
WHERE u.scope = $scope AND u.id > $after
RETURN u {.*} AS item ORDER BY u.scope, u.id LIMIT $limit

// name: export_conflicts(scope, after, limit) read many
// Conflicts by id.
MATCH (c:SkillConflict) USING INDEX c:SkillConflict(scope, id)
WHERE c.scope = $scope AND c.id > $after
RETURN c {.*} AS item ORDER BY c.scope, c.id LIMIT $limit

// name: export_proposals(scope, after, limit) read many
// Proposals, parents before their parts.
MATCH (p:SkillProposal)
WHERE p.scope = $scope AND toString(p.depth) + p.id > $after
RETURN p {.*} AS item ORDER BY toString(p.depth) + p.id LIMIT $limit
