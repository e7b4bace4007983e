// name: step(ids, scopes) read optional
// A step of a trace by id, and the number that tool calls name it by.
UNWIND $ids AS id
MATCH (s:Declared {id: id})
WHERE s.kind = 'trace_step' AND s.scope IN $scopes
RETURN s {.*} AS step LIMIT 1

// name: parts(ids, scopes) read one
// The steps and tool calls of several traces in their order.
CALL () {
  UNWIND $ids AS id
  MATCH (s:ReasoningStep)
  WHERE s.whole = id AND s.number > 0 AND s.scope IN $scopes
  WITH s ORDER BY s.whole, s.number
  RETURN collect(s {.*}) AS steps
}
CALL () {
  UNWIND $ids AS id
  MATCH (c:ToolCall)
  WHERE c.whole = id AND c.number > 0 AND c.scope IN $scopes
  WITH c ORDER BY c.whole, c.number
  RETURN collect(c {.*}) AS calls
}
RETURN steps, calls

// name: entities(ids, scopes) read many
// Those of some ids that are entities.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
RETURN e.id AS id

// name: spoken_of(roots, scopes) read many
// Those of some clusters that anything says something of, or mentions, that is not forgotten.
UNWIND $roots AS id
MATCH (m:Entity {root: id})
WHERE m.scope IN $scopes AND (
  EXISTS { MATCH (m)<-[:MENTIONS]-(p:Passage) WHERE p.expired_at > datetime.realtime() }
  OR EXISTS { MATCH (f:Fact {subject: m.id}) WHERE f.expired_at > datetime.realtime() }
  OR EXISTS { MATCH (f:Fact {object_id: m.id}) WHERE f.expired_at > datetime.realtime() })
RETURN DISTINCT id

// name: stated_by(entities, author, scopes) read many
// The statements about some entities that one author made himself.
UNWIND $entities AS id
CALL (id) {
  MATCH (f:Fact {subject: id}) RETURN f
  UNION
  MATCH (f:Fact {object_id: id}) RETURN f
}
MATCH (e:Passage)-[:SUPPORTS]->(f)
WHERE e.scope IN $scopes AND e.author = $author AND e.assertion IS NOT NULL
RETURN DISTINCT e.id AS id, e.scope AS scope

// name: dropped_passages(scope, at) write none
// Tells every process that has read the passage graph of a scope that passages of it are gone.
MATCH (g:PassageGraph {scope: $scope})
SET g.revision = g.revision + 1, g.dropped = g.revision + 1, g.touched_at = $at
