// name: capture(rows) write many
// One episode a row with its session, provenance, tags and audit event; a row whose dedup_key is
// taken writes nothing and names the episode that holds it.
// unscoped: the service has checked $rows[].episode.scope against the caller
UNWIND $rows AS row
MERGE (e:Episode {dedup_key: row.episode.dedup_key})
ON CREATE SET e = row.episode, e:Passage:Memory:Searchable
WITH row, e, e.id = row.episode.id AS accepted
CALL (row, e, accepted) {
  WITH row, e, accepted WHERE accepted
  MERGE (s:MemSession {id: row.session.id})
  ON CREATE SET s = row.session
  MERGE (v:ProvenanceRecord {id: row.provenance.id})
  SET v = row.provenance
  MERGE (a:AuditEvent {id: row.audit.id})
  SET a = row.audit
  MERGE (e)-[:IN_SESSION]->(s)
  MERGE (e)-[:HAS_PROVENANCE]->(v)
  MERGE (a)-[:AUDIT]->(e)
  FOREACH (tag IN row.tags |
    MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
    MERGE (e)-[:TAGGED]->(t))
}
RETURN row.index AS index, e.id AS id, accepted, e.content_hash AS content_hash,
       e.captured_at AS captured_at, e.ingested_at AS ingested_at, e.privacy AS privacy

// name: get_episodes(ids, scopes) read many
// Episodes by id, as far as they are visible; what is forgotten is hidden.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e:Episode AND e.scope IN $scopes AND e.expired_at > datetime.realtime()
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
OPTIONAL MATCH (e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at, .expired_at,
          .content_hash, .importance, .trust, .last_access, .is_pinned, .consolidation_state,
          .index_state, .tags, .marker_ids, .pii, .flags, .language, .windows, .privacy, .metadata,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance

// name: list_episodes(scopes, flagged, after_at, after_id, since, until, limit) read many
// Episodes in the order of their events; the cursor is the last row's moment and id.
MATCH (e:Episode)
WHERE e.scope IN $scopes AND e.captured_at >= $since AND e.captured_at < $until
  AND e.captured_at >= $after_at
  AND (e.captured_at > $after_at OR e.id > $after_id)
  AND e.live AND ($flagged IS NULL OR coalesce(e.flags <> [], false) = $flagged)
WITH e ORDER BY e.captured_at, e.id LIMIT $limit
RETURN e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .session, .tags, .flags, .index_state, .consolidation_state, .privacy, .metadata,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode

// name: list_session_episodes(scopes, session, flagged, after_at, after_id, since, until, limit) read many
// One session's episodes in the order of their events.
MATCH (e:Episode {session: $session})
WHERE e.scope IN $scopes AND e.captured_at >= $since AND e.captured_at < $until
  AND e.captured_at >= $after_at
  AND (e.captured_at > $after_at OR e.id > $after_id)
  AND e.live AND ($flagged IS NULL OR coalesce(e.flags <> [], false) = $flagged)
WITH e ORDER BY e.captured_at, e.id LIMIT $limit
RETURN e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .session, .tags, .flags, .index_state, .consolidation_state, .privacy, .metadata,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode

// name: get_session(ids, scopes) read optional
// A session's manifest: who spoke, how much, from when to when.
MATCH (s:MemSession)
WHERE s.id IN $ids AND s.scope IN $scopes
WITH s ORDER BY s.scope DESC LIMIT 1
CALL (s) {
  OPTIONAL MATCH (e:Episode)-[:IN_SESSION]->(s) WHERE e.live
  RETURN count(e) AS episodes, min(e.captured_at) AS first_at, max(e.captured_at) AS last_at,
         sum(size(e.content)) AS characters,
         sum(CASE e.index_state WHEN 'pending' THEN 1 ELSE 0 END) AS pending,
         collect(DISTINCT e.role) AS roles, collect(DISTINCT e.speaker) AS speakers,
         collect(DISTINCT e.author) AS authors
}
RETURN s {.id, .key, .scope, .started_at, .metadata} AS session, episodes, first_at, last_at,
       characters, pending, roles, speakers, authors

// name: list_sessions(scopes, limit, after) read many
// Sessions by id.
MATCH (s:MemSession)
WHERE s.scope IN $scopes AND s.id > $after
RETURN s.id AS id, s.key AS key, s.scope AS scope, s.started_at AS started_at
ORDER BY s.id LIMIT $limit

// name: states(ids) read many
// Whether the vectors of these episodes are there yet, and whether they were read.
// unscoped: asked by the capture that has just written them
UNWIND $ids AS id
MATCH (e:Passage {id: id})
RETURN e.index_state AS indexed, e.consolidation_state AS consolidated

// name: public_key(principal) read optional
// unscoped: the caller's own principal
MATCH (p:Principal {id: $principal})
RETURN p.public_key AS public_key

// name: superseded(id, scopes) read optional
// A memory that a hint may name: live, and in one of the scopes; with whose words it is.
MATCH (m:Searchable {memory_id: $id})
WHERE m:Memory AND (m:Episode OR m:Note) AND m.scope IN $scopes AND m.live
RETURN m.id AS id, m.role AS role, m.author AS author, m.tier AS tier

// name: near_duplicates(ids, scopes) read many
// What episodes nearly repeat, as far as it is seen.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e:Episode AND e.scope IN $scopes AND e.near_duplicate IS NOT NULL
MATCH (o:Searchable {memory_id: e.near_duplicate})
WHERE o:Memory AND o.scope IN $scopes AND o.expired_at > datetime.realtime()
RETURN e.id AS id, o.memory_id AS other
