// name: hold(properties, at) write one
// A transcript for writing, which is made where it is not there yet: whoever comes second reads what
// the first one wrote.
// unscoped: the service has checked $properties.scope
MERGE (t:Declared {id: $properties.id})
ON CREATE SET t = $properties, t:Transcript
SET t.touched_at = $at
RETURN t {.*} AS transcript

// name: find(ids, agent, scopes) read many
// Transcripts of an agent by id.
UNWIND $ids AS id
MATCH (t:Transcript {id: id})
WHERE t.agent = $agent AND t.scope IN $scopes
RETURN t {.*} AS transcript

// name: page(agent, scopes, user, before_at, before_id, limit) read many
// Transcripts of an agent with how many messages each has, those that began last first.
MATCH (t:Transcript)
WHERE t.agent = $agent AND t.began_at <= $before_at AND t.scope IN $scopes
  AND (t.began_at < $before_at OR t.id < $before_id) AND ($user IS NULL OR t.user = $user)
WITH t ORDER BY t.began_at DESC, t.id DESC LIMIT $limit
RETURN t {.*} AS transcript, COUNT { MATCH (m:TranscriptMessage {whole: t.id}) WHERE m.number > 0 } AS messages
ORDER BY transcript.began_at DESC, transcript.id DESC

// name: messages(id, scope, limit) read many
// The last messages of a transcript with their words, the newest first; what is forgotten is hidden.
MATCH (m:TranscriptMessage)
WHERE m.whole = $id AND m.number > 0 AND m.scope = $scope
OPTIONAL MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
WITH m, e WHERE m.refers IS NULL OR e IS NOT NULL
RETURN m {.*} AS message, coalesce(e.content, m.words, '') AS text
ORDER BY m.number DESC LIMIT $limit

// name: every_message(id, scope) read many
// All messages of a transcript, those whose episode is forgotten too.
MATCH (m:TranscriptMessage)
WHERE m.whole = $id AND m.number > 0 AND m.scope = $scope
RETURN m {.*} AS message ORDER BY m.number

// name: readings(id, scope) read many
// How far the messages of a transcript have been read.
MATCH (m:TranscriptMessage)
WHERE m.whole = $id AND m.number > 0 AND m.scope = $scope
MATCH (e:Passage {id: m.refers})
WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
RETURN m.id AS id, e.consolidation_state AS state ORDER BY m.number

// name: of_episodes(ids, agent, scopes) read many
// The messages whose words some episodes hold.
UNWIND $ids AS id
MATCH (m:TranscriptMessage {refers: id})
WHERE m.agent = $agent AND m.scope IN $scopes
MATCH (e:Passage {id: id})
WHERE e.scope = m.scope AND e.expired_at > datetime.realtime()
RETURN m {.*} AS message, e.content AS text

// name: by_id(ids, agent, scopes) read many
// Messages by id.
UNWIND $ids AS id
MATCH (m:TranscriptMessage {id: id})
WHERE m.agent = $agent AND m.scope IN $scopes
RETURN m {.*} AS message

// name: mentioning(entities, agent, scopes, limit) read many
// The messages of an agent that mention one of some entities, the latest first.
UNWIND $entities AS id
MATCH (e:Entity {id: id})<-[:MENTIONS]-(p:Passage)
WHERE e.scope IN $scopes AND p.scope = e.scope AND p.expired_at > datetime.realtime()
WITH DISTINCT p
MATCH (m:TranscriptMessage {refers: p.id})
WHERE m.agent = $agent AND m.scope = p.scope
RETURN m {.*} AS message, p.content AS text ORDER BY m.said_at DESC, m.id LIMIT $limit

// name: stated(id, scope, limit) read many
// What the messages of a transcript say of the world as far as it is held, the latest first, with the
// moments of the first and the last message that says it.
MATCH (m:TranscriptMessage)
WHERE m.whole = $id AND m.number > 0 AND m.scope = $scope
MATCH (e:Passage {id: m.refers})-[:SUPPORTS]->(f:Fact)
WHERE e.scope = $scope AND e.expired_at > datetime.realtime()
  AND f.scope = $scope AND f.expired_at > datetime.realtime() AND f.status = 'active'
WITH f, min(m.said_at) AS first, max(m.said_at) AS last ORDER BY last DESC, f.id LIMIT $limit
RETURN f.id AS id, f.statement AS text, first, last, f.ingested_at AS at

// name: derived(id, scope, limit) read many
// Notes that Loci made of the messages of a transcript, the latest first.
MATCH (m:TranscriptMessage)
WHERE m.whole = $id AND m.number > 0 AND m.scope = $scope
MATCH (e:Passage {id: m.refers})<-[:DERIVED_FROM]-(n:Note)
WHERE e.scope = $scope AND n.scope = $scope AND n.live
WITH DISTINCT n ORDER BY n.ingested_at DESC, n.id LIMIT $limit
RETURN n.id AS id, n.content AS text, n.ingested_at AS at

// name: preferences(notes, scopes) read many
// What some notes say somebody prefers.
UNWIND $notes AS id
MATCH (p:Preference {refers: id})
WHERE p.scope IN $scopes
RETURN p {.*} AS preference

// name: tell(events) write none
// Audit events about transcripts.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
