// name: hold(properties, at) write one
// A conversation for writing, which is made where it is not there yet: whoever comes second reads
// what the first one wrote.
// unscoped: the service has checked $properties.scope
MERGE (c:Declared {id: $properties.id})
ON CREATE SET c = $properties, c:Conversation
SET c.touched_at = $at
RETURN c {.*} AS conversation

// name: find(ids, scopes) read many
// Conversations by id.
UNWIND $ids AS id
MATCH (c:Conversation {id: id})
WHERE c.scope IN $scopes
RETURN c {.*} AS conversation

// name: buffered(id, scope) read many
// The messages in the buffer of a conversation.
MATCH (m:ConversationMessage {whole: $id, state: 'buffered'})
WHERE m.scope = $scope
RETURN m {.*} AS message

// name: known(ids, scope) read many
// Messages by id.
UNWIND $ids AS id
MATCH (m:ConversationMessage {id: id})
WHERE m.scope = $scope
RETURN m {.*} AS message

// name: said_in_buffer(id, scope) read many
// What is in a buffer, in the order in which it came in; what is forgotten is hidden.
MATCH (m:ConversationMessage {whole: $id, state: 'buffered'})
WHERE m.scope = $scope
MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
RETURN m.seq AS seq, m.state AS state,
       e {.id, .content, .role, .speaker, .captured_at} AS episode ORDER BY seq

// name: said_lately(id, scope, after, limit) read many
// The last messages of a conversation behind one of them, the newest first.
MATCH (m:ConversationMessage {whole: $id})
WHERE m.seq > $after AND m.scope = $scope
MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
RETURN m.seq AS seq, m.state AS state,
       e {.id, .content, .role, .speaker, .captured_at} AS episode ORDER BY seq DESC LIMIT $limit

// name: figures(id, scope) read one
// How many messages of a conversation are where, and what became of them.
MATCH (m:ConversationMessage {whole: $id})
WHERE m.seq >= 0 AND m.scope = $scope
RETURN count(m) AS messages,
       sum(CASE m.state WHEN 'buffered' THEN 1 ELSE 0 END) AS buffered,
       sum(CASE m.state WHEN 'mid_term' THEN 1 ELSE 0 END) AS mid_term,
       sum(CASE WHEN m.waiting IS NULL THEN 0 ELSE 1 END) AS waiting,
       sum(CASE m.verdict WHEN 'keep' THEN 1 ELSE 0 END) AS kept,
       sum(CASE m.verdict WHEN 'discard' THEN 1 ELSE 0 END) AS discarded

// name: page(agent, scopes, verdict, after, limit) read many
// The messages of an agent in mid-term memory, by id.
MATCH (m:ConversationMessage)
WHERE m.agent = $agent AND m.id > $after AND m.scope IN $scopes AND m.state = 'mid_term'
  AND ($verdict IS NULL OR m.verdict = $verdict)
WITH m ORDER BY m.id LIMIT $limit
RETURN m {.*} AS message ORDER BY m.id

// name: agents(at) read many
// Agents with messages that wait for a verdict, and the scopes of these.
// unscoped: the worker serves every tenant
MATCH (m:ConversationMessage)
WHERE m.waiting <= $at
WITH m.agent AS agent, collect(DISTINCT m.scope) AS scopes
MATCH (p:Principal {id: agent})
RETURN agent, p.tenant AS tenant, scopes ORDER BY agent

// name: waiting_in(agent, scopes) read many
// Scopes in which an agent has messages that wait.
MATCH (m:ConversationMessage)
WHERE m.agent = $agent AND m.waiting > datetime('0001-01-02T00:00:00Z') AND m.scope IN $scopes
RETURN DISTINCT m.scope AS scope ORDER BY scope

// name: waiting(agent, scopes, at, limit) read many
// The messages of an agent that wait longest and that nobody has claimed, with their words
// and what somebody else had said before.
MATCH (m:ConversationMessage)
WHERE m.agent = $agent AND m.waiting <= $at AND m.scope IN $scopes
  AND coalesce(m.lease_until, datetime('0001-01-02T00:00:00Z')) <= $at
WITH m ORDER BY m.waiting, m.seq, m.id LIMIT $limit
MATCH (e:Passage {id: m.refers})
WHERE e.scope = m.scope AND e.expired_at > datetime.realtime()
CALL (m, e) {
  OPTIONAL MATCH (b:ConversationMessage)
  WHERE b.whole = m.whole AND b.seq < m.seq AND b.seq >= m.seq - 4 AND b.scope = m.scope
  OPTIONAL MATCH (said:Passage {id: b.refers})
  WHERE said.scope = m.scope AND said.role <> e.role AND said.expired_at > datetime.realtime()
  WITH b, said ORDER BY b.seq DESC
  RETURN head(collect(said.content)) AS asked
}
RETURN m {.*} AS message, asked,
       e {.id, .scope, .content, .role, .speaker, .captured_at, .ingested_at, .session, .language} AS episode
ORDER BY message.conversation, message.seq

// name: judged(scopes, limit) read many
// The messages of some scopes that were judged last, likewise: so many of each scope, and of all.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (m:ConversationMessage)
  WHERE m.scope = scope AND m.judged_at > datetime('0001-01-02T00:00:00Z')
  RETURN m ORDER BY m.judged_at DESC, m.id LIMIT $limit
}
WITH m ORDER BY m.judged_at DESC, m.id LIMIT $limit
MATCH (e:Passage {id: m.refers})
WHERE e.scope = m.scope AND e.expired_at > datetime.realtime()
CALL (m, e) {
  OPTIONAL MATCH (b:ConversationMessage)
  WHERE b.whole = m.whole AND b.seq < m.seq AND b.seq >= m.seq - 4 AND b.scope = m.scope
  OPTIONAL MATCH (said:Passage {id: b.refers})
  WHERE said.scope = m.scope AND said.role <> e.role AND said.expired_at > datetime.realtime()
  WITH b, said ORDER BY b.seq DESC
  RETURN head(collect(said.content)) AS asked
}
RETURN m {.*} AS message, asked,
       e {.id, .scope, .content, .role, .speaker, .captured_at, .ingested_at, .session, .language} AS episode
ORDER BY message.conversation, message.seq

// name: claim(agent, scopes, at, until, holder, limit) write many
// The same for one holder, until the lease runs out. Those who claim for one agent queue at it.
MATCH (p:Principal {id: $agent})
SET p.touched_at = $at
WITH p
CALL (p) {
  MATCH (m:ConversationMessage)
  WHERE m.agent = p.id AND m.waiting <= $at AND m.scope IN $scopes
    AND coalesce(m.lease_until, datetime('0001-01-02T00:00:00Z')) <= $at
  RETURN m ORDER BY m.waiting, m.seq, m.id LIMIT $limit
}
SET m.lease_until = $until, m.holder = $holder
WITH m
MATCH (e:Passage {id: m.refers})
WHERE e.scope = m.scope AND e.expired_at > datetime.realtime()
CALL (m, e) {
  OPTIONAL MATCH (b:ConversationMessage)
  WHERE b.whole = m.whole AND b.seq < m.seq AND b.seq >= m.seq - 4 AND b.scope = m.scope
  OPTIONAL MATCH (said:Passage {id: b.refers})
  WHERE said.scope = m.scope AND said.role <> e.role AND said.expired_at > datetime.realtime()
  WITH b, said ORDER BY b.seq DESC
  RETURN head(collect(said.content)) AS asked
}
RETURN m {.*} AS message, asked,
       e {.id, .scope, .content, .role, .speaker, .captured_at, .ingested_at, .session, .language} AS episode
ORDER BY message.conversation, message.seq

// name: ours(ids, scope, holder, at) write many
// Those of some messages that a holder has claimed and that still wait.
UNWIND $ids AS id
MATCH (m:ConversationMessage {id: id})
WHERE m.scope = $scope
SET m.touched_at = $at
WITH m WHERE m.holder = $holder AND m.waiting IS NOT NULL
RETURN m {.*} AS message

// name: release(ids, scope, holder) write none
// Let messages wait for the next pass.
UNWIND $ids AS id
MATCH (m:ConversationMessage {id: id})
WHERE m.scope = $scope AND m.holder = $holder
REMOVE m.lease_until, m.holder

// name: mark_days(scope, episodes, at) write none
// The pages of the days on which some messages were said that are discarded now are made anew, also
// those that are being made for the first time.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
WITH s
UNWIND $episodes AS id
MATCH (e:Passage {id: id})
WHERE e.scope = s.path
MATCH (d:DayPage)
WHERE d.scope = e.scope AND d.day = toString(date(e.captured_at))
SET d.due = true

// name: anything(scopes, reader, talk) read one
// Whether some scopes hold anything that could be recalled beside what is in a buffer or discarded.
RETURN EXISTS {
  MATCH (n:Passage)
  WHERE n.scope IN $scopes AND n.id > '' AND n.live AND NOT EXISTS {
    MATCH (m:ConversationMessage {refers: n.id})
    WHERE m.verdict = 'discard'
       OR (m.state = 'buffered' AND m.agent = $reader AND ($talk IS NULL OR m.whole = $talk))
  }
} OR EXISTS {
  MATCH (n:Note) WHERE n.scope IN $scopes AND n.id > '' AND n.live
} OR EXISTS {
  MATCH (n:Fact) WHERE n.scope IN $scopes AND n.id > '' AND n.live
} OR EXISTS {
  MATCH (n:Skill) WHERE n.scope IN $scopes AND n.id > '' AND n.live
} OR EXISTS {
  MATCH (n:CoreBlock)
  WHERE n.scope IN $scopes AND n.kind >= '' AND n.expired_at > datetime.realtime()
} OR EXISTS {
  MATCH (n:ContextEntry)
  WHERE n.scope IN $scopes AND n.memory_type >= '' AND n.id > '' AND n.status = 'active'
} OR EXISTS {
  MATCH (n:PoolText)
  WHERE n.scope IN $scopes AND n.id > '' AND EXISTS {
    (n)-[:PART_OF]->(p:MemoryPool)
    WHERE p.ends_at > datetime.realtime()
      AND (p.owner = $reader OR any(one IN p.readers WHERE one IN [$reader, '*']))
  }
} AS found

// name: tell(events) write none
// Audit events about conversations.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event

// name: unsorted_scopes(scopes) read many
// Those of some scopes, or of all, in which answers were not sorted.
MATCH (c:Conversation {unsorted: true})
WHERE c.id > '' AND ($scopes IS NULL OR c.scope IN $scopes)
RETURN DISTINCT c.scope AS scope ORDER BY scope

// name: hold_sorting(scope, holder, at, until) write optional
// A scope whose answers one pass sorts, unless another one does and its lease still runs. Who holds
// it already holds it on, and gets nothing where another one has it by now.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
WITH s WHERE s.sorted_by IS NULL OR s.sorted_by = $holder OR s.sorted_until <= $at
SET s.sorted_by = $holder, s.sorted_until = $until
RETURN s.path AS scope

// name: release_sorting(scope, holder) write none
// The pass over a scope is done.
MATCH (s:Scope {path: $scope})
WHERE s.sorted_by = $holder
REMOVE s.sorted_by, s.sorted_until

// name: unsorted(scope, after, limit) read many
// Conversations of a scope with messages whose answers were not sorted, by id.
MATCH (c:Conversation {unsorted: true})
WHERE c.id > $after AND c.scope = $scope
WITH c ORDER BY c.id LIMIT $limit
RETURN c {.*} AS conversation ORDER BY conversation.id

// name: sorted_to(id, scope, done) write none
// Keep up to which message the answers of a conversation were sorted.
MATCH (c:Conversation {id: $id})
WHERE c.scope = $scope
SET c.touched_at = datetime.realtime()
WITH c WHERE coalesce(c.extracted, 0) < $done
SET c.extracted = $done, c.unsorted = CASE WHEN c.said > $done THEN true ELSE null END

// name: said_around(id, scope, after, limit) read many
// The messages of a conversation behind one of them, in order; of what is forgotten, and of what is
// sent again, no words.
MATCH (m:ConversationMessage {whole: $id})
WHERE m.seq > $after AND m.scope = $scope
WITH m ORDER BY m.seq LIMIT $limit
OPTIONAL MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime() AND m.first = m.seq
RETURN m.seq AS seq, coalesce(m.verdict, '') = 'discard' AS discarded,
       e {.id, .role, .content, .captured_at, .marker_ids, .flags, .origin} AS episode ORDER BY seq

// name: follow(id, scope, at) write many
// A conversation by id, for writing: nothing is said in it meanwhile.
MATCH (c:Conversation {id: $id})
WHERE c.scope = $scope
SET c.touched_at = $at
WITH c WHERE c.id IS NOT NULL
RETURN c {.*} AS conversation
