// name: ping() read one
// unscoped: touches nothing
RETURN 1 AS ok

// name: server() read one
// unscoped: the server's own version
CALL dbms.components() YIELD name, versions
WITH name, versions WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version

// name: gds() read one
// The version of the Graph Data Science library; the statement fails where it is not installed.
// unscoped: the server's own version
RETURN gds.version() AS version

// name: census(scopes, administered, few) read many
// How many nodes of each kind the scopes hold, by label. Of kinds that declare themselves the index
// counts, and one node of each tells the label; those that are told to few are counted where the
// caller administers the scope.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (n:Episode {scope: scope}) WHERE n.captured_at > datetime('0001-01-02T00:00:00Z')
  RETURN 'Episode' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:MemSession {scope: scope}) WHERE n.id > ''
  RETURN 'MemSession' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Entity {scope: scope}) WHERE n.id > ''
  RETURN 'Entity' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Fact {scope: scope}) WHERE n.id > ''
  RETURN 'Fact' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Note {scope: scope}) WHERE n.id > ''
  RETURN 'Note' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:CoreBlock {scope: scope}) WHERE n.kind > ''
  RETURN 'CoreBlock' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:BadPattern {scope: scope}) WHERE n.id > ''
  RETURN 'BadPattern' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Community {scope: scope}) WHERE n.size >= 0
  RETURN 'Community' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Document {scope: scope}) WHERE n.id > ''
  RETURN 'Document' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:KnowledgeBase {scope: scope}) WHERE n.id > ''
  RETURN 'KnowledgeBase' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Page {scope: scope}) WHERE n.id > ''
  RETURN 'Page' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:Skill {scope: scope}) WHERE n.id > ''
  RETURN 'Skill' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:SkillConflict {scope: scope}) WHERE n.id > ''
  RETURN 'SkillConflict' AS kind, count(n) AS found
  UNION ALL
  MATCH (n:SkillProposal {scope: scope}) WHERE n.id > ''
  RETURN 'SkillProposal' AS kind, count(n) AS found
  UNION ALL
  MATCH (d:Document {scope: scope}) WHERE d.id > ''
  RETURN 'Chunk' AS kind, sum(COUNT { (:Chunk)-[:PART_OF]->(d) }) AS found
  UNION ALL
  MATCH (p:Page {scope: scope}) WHERE p.id > ''
  RETURN 'Chunk' AS kind, sum(COUNT { (:Chunk)-[:PART_OF]->(p) }) AS found
  UNION ALL
  MATCH (n:Declared {scope: scope})
  WHERE n.kind > '' AND n.id > '' AND (scope IN $administered OR NOT n.kind IN $few)
  WITH n.kind AS declared, count(n) AS found, min(n.id) AS id
  MATCH (one:Declared {id: id})
  RETURN [label IN labels(one) WHERE NOT label IN ['Declared', 'Memory', 'Searchable']][0] AS kind,
         found
}
WITH kind, sum(found) AS count
WHERE count > 0
RETURN kind, count
ORDER BY kind

// name: consolidated() read one
// How many episodes were consolidated and facts written since the beginning: what a rate is made of.
// unscoped: a gauge of the whole installation
MATCH (c:ConsolidationCursor)
RETURN coalesce(sum(c.consolidated), 0) AS episodes, coalesce(sum(c.facts), 0) AS facts

// name: waiting(tenant, scopes) read one
// What waits in some scopes for its vectors, what the model refused, and what waits for its names.
CALL () {
  MATCH (n:Memory {tenant: $tenant, index_state: 'pending'})
  WHERE n.ingested_at > datetime('0001-01-02T00:00:00Z') AND n.scope IN $scopes
  RETURN count(n) AS pending
}
CALL () {
  MATCH (n:Memory {tenant: $tenant, index_state: 'failed'})
  WHERE n.ingested_at > datetime('0001-01-02T00:00:00Z') AND n.scope IN $scopes
  RETURN count(n) AS failed
}
CALL () {
  MATCH (p:Passage)
  WHERE p.link_state IN ['pending', 'titled'] AND p.scope IN $scopes
  RETURN count(p) AS unlinked
}
RETURN pending, failed, unlinked
