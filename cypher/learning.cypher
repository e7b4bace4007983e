// name: segments(scopes, state, label, agent, session, intent, before, limit) read many
// Segments of some scopes, those that began last first.
MATCH (n:TaskSegment)
WHERE n.scope IN $scopes AND n.id < $before
  AND ($state IS NULL OR n.state = $state) AND ($label IS NULL OR n.label = $label)
  AND ($agent IS NULL OR n.agent = $agent) AND ($session IS NULL OR n.session_key = $session)
  AND ($intent IS NULL OR n.intent = $intent)
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN n {.*} AS segment ORDER BY n.id DESC

// name: idle(scopes, before, after, limit) read many
// Open segments of some scopes, or of all, of which nothing was told since a moment, by id. The index
// is named, since the one of ids gives their order and has every segment that ever was.
MATCH (n:TaskSegment)
USING INDEX SEEK n:TaskSegment(idle_since, id)
WHERE n.idle_since <= $before AND n.id > $after AND ($scopes IS NULL OR n.scope IN $scopes)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS segment ORDER BY n.id

// name: trace_calls(trace, scope, limit) read many
// How the tool calls of a trace ended, in their order; those that have not do not count.
MATCH (c:ToolCall)
WHERE c.whole = $trace AND c.number > 0 AND c.scope = $scope
  AND c.status IN ['success', 'failure', 'error', 'timeout']
WITH c ORDER BY c.number DESC LIMIT $limit
RETURN c.status = 'success' AS good ORDER BY c.number

// name: said(session, scope, since, until) read many
// The last words of the user and of the agent in a conversation, within some time.
UNWIND [['user'], ['assistant', 'agent']] AS roles
MATCH (e:Episode {session: $session})
WHERE e.scope = $scope AND e.captured_at > $since AND e.captured_at <= $until AND e.live
  AND e.role IN roles
WITH roles, e ORDER BY e.captured_at DESC, e.id DESC
WITH roles, head(collect(e)) AS e
RETURN e.role AS role, e.content AS content

// name: spread(scope, other, limit) read one
// Figures of the last segments of a scope that have ended: how many told each, mean, deviation.
MATCH (n:TaskSegment)
WHERE n.scope = $scope AND n.id > '' AND n.state = 'ended' AND n.id <> $other
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN count(n.turns) AS turns, coalesce(avg(n.turns), 0.0) AS turns_mean,
       coalesce(stDevP(n.turns), 0.0) AS turns_deviation,
       count(n.cost) AS costs, coalesce(avg(n.cost), 0.0) AS cost_mean,
       coalesce(stDevP(n.cost), 0.0) AS cost_deviation,
       count(n.seconds) AS times, coalesce(avg(n.seconds), 0.0) AS seconds_mean,
       coalesce(stDevP(n.seconds), 0.0) AS seconds_deviation

// name: lock_used(id, scopes, at) write optional
// What a task may have used, for a link to it: an erasure waits for the link, and takes it too.
CALL () {
  MATCH (n:Skill {id: $id}) RETURN n, 'skill' AS kind
  UNION
  MATCH (n:Passage {id: $id}) WHERE n:Episode RETURN n, 'episode' AS kind
  UNION
  MATCH (n:Note {id: $id}) RETURN n, 'note' AS kind
  UNION
  MATCH (n:Fact {id: $id}) RETURN n, 'fact' AS kind
  UNION
  MATCH (n:Page {id: $id}) RETURN n, 'page' AS kind
  UNION
  MATCH (n:Entity {id: $id}) RETURN n, 'entity' AS kind
}
WITH n, kind
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n, kind WHERE n.id IS NOT NULL
RETURN n.id AS id, kind, n.scope AS scope

// name: uses(segment, scope, scopes) read many
// What a task used, as far as it lies in a scope that is seen.
MATCH (u:SegmentUse)
WHERE u.whole = $segment AND u.scope = $scope AND u.id > '' AND u.memory_scope IN $scopes
RETURN u {.*} AS use ORDER BY u.used_at, u.id

// name: outcomes(ids, scopes, limit) read many
// How tasks ended that used some skills or memories, and when the last one did; the newest first.
UNWIND $ids AS id
CALL (id) {
  MATCH (u:SegmentUse)
  WHERE u.refers = id AND u.id > '' AND u.scope IN $scopes
  MATCH (n:TaskSegment {id: u.whole})
  WHERE n.scope = u.scope AND n.label IS NOT NULL
  WITH u, n ORDER BY n.ended_at DESC, n.id LIMIT $limit
  RETURN collect([u.rank, n.label = 'resolved']) AS uses, max(n.ended_at) AS last
}
WITH id, uses, last WHERE size(uses) > 0
RETURN id, uses, last

// name: near(v, scopes, limit) read many
// Segments whose task is nearest to a vector.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind = 'task_segment' LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, n.language AS language, 2 * max(score) - 1 AS cosine

// name: unclassified(scope, after, limit) read many
// Segments of a scope that have ended and are of no intent, by id.
MATCH (n:TaskSegment)
WHERE n.scope = $scope AND n.id > $after AND n.state = 'ended' AND n.intent IS NULL
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS segment ORDER BY n.id

// name: count_unclassified(scope) read one
MATCH (n:TaskSegment)
WHERE n.scope = $scope AND n.id > '' AND n.state = 'ended' AND n.intent IS NULL
RETURN count(n) AS segments

// name: some_unclassified(scope, newest, skip, limit) read many
// Those that are newest, and others from a place in their order on, where a run does not take all.
CALL () {
  MATCH (n:TaskSegment)
  WHERE n.scope = $scope AND n.id > '' AND n.state = 'ended' AND n.intent IS NULL
  RETURN n ORDER BY n.id DESC LIMIT $newest
  UNION
  MATCH (n:TaskSegment)
  WHERE n.scope = $scope AND n.id > '' AND n.state = 'ended' AND n.intent IS NULL
  RETURN n ORDER BY n.id SKIP $skip LIMIT $limit
}
RETURN n {.*} AS segment ORDER BY n.id

// name: intents_of(ids, scope) read many
// Which intents some segments are of; those without one as well.
UNWIND $ids AS id
MATCH (n:TaskSegment {id: id})
WHERE n.scope = $scope AND n.state = 'ended'
RETURN n.id AS id, n.intent AS intent

// name: intents(scopes, state, after, limit) read many
// Intents of some scopes by id, each with how many segments are of it and how they ended.
MATCH (n:Intent)
WHERE n.scope IN $scopes AND n.id > $after AND ($state IS NULL OR n.state = $state)
WITH n ORDER BY n.id LIMIT $limit
CALL (n) {
  MATCH (s:TaskSegment)
  WHERE s.intent = n.id AND s.id > '' AND s.scope = n.scope
  RETURN count(s) AS segments, count(CASE WHEN s.label = 'resolved' THEN 1 END) AS resolved
}
RETURN n {.*} AS intent, segments, resolved ORDER BY n.id

// name: of_intent(intent, scope) read many
// Segments that are of an intent, by id.
MATCH (s:TaskSegment)
WHERE s.intent = $intent AND s.id > '' AND s.scope = $scope
RETURN s.id AS id ORDER BY s.id

// name: entries(scopes, type, about, batch, as_of, known_at, before, before_id, limit) read many
// The log of some scopes, what was recorded last first: what held at one moment as was known at
// another, or all of it where no moment is named.
MATCH (n:LearnedEntry)
WHERE n.scope IN $scopes AND n.recorded_at <= $before
  AND (n.recorded_at < $before OR n.id < $before_id)
  AND ($type IS NULL OR n.type = $type) AND ($about IS NULL OR n.refers = $about)
  AND ($batch IS NULL OR n.batch = $batch)
  AND ($as_of IS NULL OR (n.recorded_at <= $known_at AND n.valid_from <= $as_of
       AND (n.closed_at IS NULL OR n.closed_at > $known_at OR n.valid_to > $as_of)))
WITH n ORDER BY n.recorded_at DESC, n.id DESC LIMIT $limit
RETURN n {.*} AS entry ORDER BY n.recorded_at DESC, n.id DESC

// name: batch_scopes(batch, scopes) read many
// The scopes in which a batch wrote, as far as they are seen.
MATCH (n:LearnedEntry)
WHERE n.batch = $batch AND n.id > '' AND n.scope IN $scopes
RETURN DISTINCT n.scope AS scope ORDER BY scope

// name: of_batch(batch, scopes) read many
// The entries of a batch that are in force.
MATCH (n:LearnedEntry)
WHERE n.batch = $batch AND n.id > '' AND n.scope IN $scopes AND n.in_force
RETURN n {.*} AS entry ORDER BY n.id

// name: in_force(ids, scope) read many
// Entries in force about some nodes, in the order in which they were recorded.
UNWIND $ids AS id
MATCH (n:LearnedEntry)
WHERE n.refers = id AND n.id > '' AND n.scope = $scope AND n.in_force
RETURN n {.*} AS entry ORDER BY n.recorded_at, n.id

// name: last_version(scope) read optional
// The last version of a scope's changelog.
MATCH (n:LearnedChange)
WHERE n.scope = $scope AND n.version > 0
RETURN n.version AS version ORDER BY n.version DESC LIMIT 1

// name: changes(scope, after, limit) read many
// Rows of a scope's changelog after a version.
MATCH (n:LearnedChange)
WHERE n.scope = $scope AND n.version > $after
WITH n ORDER BY n.version LIMIT $limit
RETURN n {.*} AS change ORDER BY n.version

// name: skill_versions(scope, after, limit) read many
// Versions of a scope's skills by id.
MATCH (v:SkillVersion)
WHERE v.scope = $scope AND v.id > $after
WITH v ORDER BY v.id LIMIT $limit
RETURN v.id AS id, v.skill AS skill, v.version AS version, v.author AS author,
       v.created_at AS created_at ORDER BY v.id

// name: updates(scope, after, limit) read many
// What passes over a scope's memory have written down, in the order of their making.
MATCH (l:LearningEntry)
WHERE l.scope = $scope AND l.place > $after
WITH l ORDER BY l.place LIMIT $limit
RETURN l.id AS id, l.place AS place, l.payload AS payload, l.recorded_at AS at ORDER BY l.place

// name: unfollowed(scopes, after, limit) read many
// Conversations of some scopes, or of all, with messages that no task has followed, by id.
MATCH (c:Conversation {unfollowed: true})
WHERE c.id > $after AND ($scopes IS NULL OR c.scope IN $scopes)
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.scope AS scope ORDER BY id

// name: said_since(id, scope, after, limit) read many
// The messages of a conversation behind one of them, in order; of what is forgotten, and of what is
// sent again, no words.
MATCH (m:ConversationMessage {whole: $id})
WHERE m.seq > $after AND m.scope = $scope
WITH m ORDER BY m.seq LIMIT $limit
OPTIONAL MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime() AND m.first = m.seq
RETURN m.seq AS seq, m.refers AS episode, m.entered_at AS at, e.role AS role,
       e.content AS content ORDER BY seq

// name: open_of(scope, agent, session, at) write many
// The tasks of an agent that go on in a conversation, for writing, those that began last first.
MATCH (n:TaskSegment)
WHERE n.scope = $scope AND n.session_key = $session AND n.idle_since IS NOT NULL
  AND n.agent = $agent
SET n.touched_at = $at
WITH n WHERE n.state = 'open'
RETURN n {.*} AS segment ORDER BY n.id DESC

// name: skills_used(agent, since, until, at, limit) write many
// Skills of which an agent told an outcome within some time, each once, for links to them.
// unscoped: what the agent told itself
MATCH (u:SkillUsageRecord)
WHERE u.principal = $agent AND u.at >= $since AND u.at <= $until
MATCH (s:Skill {id: u.skill})
WITH s, max(u.at) AS used_at ORDER BY used_at, s.id LIMIT $limit
SET s.touched_at = $at
RETURN s.id AS skill, s.scope AS scope, used_at ORDER BY used_at, skill
