// name: find(id, scopes) read many
// A trace by id.
MATCH (n:ReasoningTrace {id: $id})
WHERE n.scope IN $scopes
RETURN n {.*} AS trace

// name: lock(id, scopes, at) write many
// A trace for writing: whoever comes second reads what the first one wrote.
MATCH (n:ReasoningTrace {id: $id})
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS trace

// name: page(scopes, session, agent, outcomes, running, tool, since, until, before, limit) read many
// Traces of some scopes, those that began last first.
MATCH (n:ReasoningTrace)
WHERE n.scope IN $scopes AND n.id < $before
  AND ($session IS NULL OR n.session_key = $session) AND ($agent IS NULL OR n.agent = $agent)
  AND ($outcomes IS NULL OR n.outcome IN $outcomes OR ($running AND n.outcome IS NULL))
  AND ($tool IS NULL OR $tool IN n.labels)
  AND ($since IS NULL OR n.started_at >= $since) AND ($until IS NULL OR n.started_at < $until)
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN n {.*} AS trace ORDER BY n.id DESC

// name: touching(memory, scopes, seen, before, limit) read many
// Traces that touched what lies in a scope that is seen, the last first.
MATCH (l:TraceLink)
WHERE l.refers = $memory AND l.id > '' AND l.scope IN $scopes AND l.memory_scope IN $seen
MATCH (n:ReasoningTrace {id: l.whole})
WHERE n.scope = l.scope AND n.id < $before
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN n {.*} AS trace ORDER BY n.id DESC

// name: steps(id, scope) read many
// The steps of a trace in order.
MATCH (n:ReasoningStep)
WHERE n.whole = $id AND n.number > 0 AND n.scope = $scope
RETURN n {.*} AS step ORDER BY n.number

// name: calls(id, scope) read many
// The tool calls of a trace in order.
MATCH (n:ToolCall)
WHERE n.whole = $id AND n.number > 0 AND n.scope = $scope
RETURN n {.*} AS call ORDER BY n.number

// name: first_steps(id, scope, limit) read many
// The first steps of a trace.
MATCH (n:ReasoningStep)
WHERE n.whole = $id AND n.number > 0 AND n.scope = $scope
RETURN n {.*} AS step ORDER BY n.number LIMIT $limit

// name: first_calls(id, scope, limit) read many
// The first tool calls of a trace, without their results.
MATCH (n:ToolCall)
WHERE n.whole = $id AND n.number > 0 AND n.scope = $scope
WITH n ORDER BY n.number LIMIT $limit
RETURN n {.*, result: null} AS call ORDER BY n.number

// name: lock_touched(id, scopes, at) write optional
// What a trace may be linked to, for a link to it: an erasure waits for the link, and takes it too.
CALL () {
  MATCH (n:Passage {id: $id}) WHERE n:Episode RETURN n, 'episode' AS kind
  UNION
  MATCH (n:Entity {id: $id}) RETURN n, 'entity' AS kind
  UNION
  MATCH (n:Note {id: $id}) RETURN n, 'note' AS kind
  UNION
  MATCH (n:Fact {id: $id}) RETURN n, 'fact' AS kind
  UNION
  MATCH (n:Page {id: $id}) RETURN n, 'page' AS kind
}
WITH n, kind
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n, kind WHERE n.id IS NOT NULL
RETURN n.id AS id, kind, n.scope AS scope

// name: links(id, scope, scopes) read many
// Links of a trace to what is there and visible.
MATCH (l:TraceLink)
WHERE l.whole = $id AND l.scope = $scope AND l.id > ''
CALL (l) {
  MATCH (n:Passage {id: l.refers}) WHERE n:Episode RETURN n.scope AS place
  UNION
  MATCH (n:Entity {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Note {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Fact {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Page {id: l.refers}) RETURN n.scope AS place
}
WITH l, place
WHERE place IN $scopes
RETURN l {.*} AS link ORDER BY l.linked_at, l.id

// name: near(v, scopes, limit) read many
// Traces whose task is nearest to a vector.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind = 'trace' LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, n.language AS language, 2 * max(score) - 1 AS cosine

// name: among(ids, scopes, outcomes, agent, tool) read many
// Those of some traces that ended in a certain way, are an agent's and used a tool.
UNWIND $ids AS id
MATCH (n:ReasoningTrace {id: id})
WHERE n.scope IN $scopes AND n.outcome IN $outcomes
  AND ($agent IS NULL OR n.agent = $agent) AND ($tool IS NULL OR $tool IN n.labels)
RETURN n {.*} AS trace

// name: statistics(scopes, since, until, agent, by_tool, by_agent, limit) read many
// Calls of all tools in a window of time, counted by the database.
MATCH (c:ToolCall)
WHERE c.scope IN $scopes AND $since <= c.at < $until AND ($agent IS NULL OR c.agent = $agent)
WITH CASE WHEN $by_tool THEN c.tool END AS tool, CASE WHEN $by_agent THEN c.agent END AS agent,
     count(*) AS calls, sum(CASE WHEN c.status = 'success' THEN 1 ELSE 0 END) AS successes,
     sum(CASE WHEN c.status IN ['failure', 'error', 'timeout'] THEN 1 ELSE 0 END) AS failures,
     count(c.duration_ms) AS timed, avg(c.duration_ms) AS mean,
     percentileCont(c.duration_ms, 0.5) AS p50, percentileCont(c.duration_ms, 0.95) AS p95,
     max(c.at) AS last
ORDER BY calls DESC, tool, agent LIMIT $limit
RETURN tool, agent, calls, successes, failures, timed, mean, p50, p95, last

// name: statistics_of(scopes, tool, since, until, agent, by_tool, by_agent, limit) read many
// The same of one tool, by the index of its calls.
MATCH (c:ToolCall)
WHERE c.scope IN $scopes AND c.tool = $tool AND $since <= c.at < $until
  AND ($agent IS NULL OR c.agent = $agent)
WITH CASE WHEN $by_tool THEN c.tool END AS tool, CASE WHEN $by_agent THEN c.agent END AS agent,
     count(*) AS calls, sum(CASE WHEN c.status = 'success' THEN 1 ELSE 0 END) AS successes,
     sum(CASE WHEN c.status IN ['failure', 'error', 'timeout'] THEN 1 ELSE 0 END) AS failures,
     count(c.duration_ms) AS timed, avg(c.duration_ms) AS mean,
     percentileCont(c.duration_ms, 0.5) AS p50, percentileCont(c.duration_ms, 0.95) AS p95,
     max(c.at) AS last
ORDER BY calls DESC, tool, agent LIMIT $limit
RETURN tool, agent, calls, successes, failures, timed, mean, p50, p95, last

// name: scope_is_there(scope, at) write optional
// A scope for a new trace in it: it is not deleted meanwhile.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN s.path AS path

// name: tell(events) write none
// Audit events about traces.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
