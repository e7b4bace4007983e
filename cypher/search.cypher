// name: keyword(q, scopes, limit) read one
// The text leg, as columns: a hundred rows cost more to send than to find. The scope is a required
// clause of $q, inside the index; the predicate here is a second wall.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds,
       collect(CASE WHEN coalesce(n.embed_hash, n.embed_hash_b, n.embed_hash_c) IS NULL
               THEN n.memory_id END) AS unplaced

// name: any_of(q, scopes) read one
// Whether the text index has anything that satisfies a query, which asks for no words. The scope is a
// required clause of it.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: 1}) YIELD node AS n
WHERE n.scope IN $scopes
RETURN count(n) > 0 AS found

// name: vector_live(v, scopes, kinds, limit) read one
// The vector leg over what is held now.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: vector_live_of_tenant(v, tenant, scopes, kinds, limit) read one
// The same for who reads all of a tenant: one term of the index, where a list of a thousand scopes
// takes longer than the search. A scope that is newer than what is known of the reader's, and that
// may be hidden from him, is kept out behind the index.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.tenant = $tenant AND n.live = true AND n.kind IN $kinds LIMIT $limit) SCORE AS score
WITH n, score WHERE n.scope IN $scopes
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: vector_filtered(v, scopes, live, kinds, roles, since, until, known_at, alive, limit) read one
// The vector leg with every filter: roles, event time, and what was known at a moment. What was
// forgotten by now is hidden at every moment.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live IN $live AND n.kind IN $kinds AND n.role IN $roles
    AND n.captured_at >= $since AND n.captured_at <= $until
    AND n.ingested_at <= $known_at AND n.expired_at > $alive LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: vector_filtered_of_tenant(v, tenant, scopes, live, kinds, roles, since, until, known_at, alive, limit) read one
// The same for who reads all of a tenant.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.tenant = $tenant AND n.live IN $live AND n.kind IN $kinds AND n.role IN $roles
    AND n.captured_at >= $since AND n.captured_at <= $until
    AND n.ingested_at <= $known_at AND n.expired_at > $alive LIMIT $limit) SCORE AS score
WITH n, score WHERE n.scope IN $scopes
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: vector_in_sessions(v, scopes, sessions, live, kinds, roles, since, until, known_at, alive, limit) read one
// The same inside given sessions.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope IN $scopes AND n.live IN $live AND n.session IN $sessions AND n.kind IN $kinds
    AND n.role IN $roles
    AND n.captured_at >= $since AND n.captured_at <= $until
    AND n.ingested_at <= $known_at AND n.expired_at > $alive LIMIT $limit) SCORE AS score
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: vector_tagged(v, scopes, tags, wanted, sessions, live, kinds, roles, since, until, known_at, alive, limit) read one
// The vector leg among tagged memories: a list cannot be a filter of the vector index, so their
// similarity is computed exactly, over what the tags name.
MATCH (t:Tag)
WHERE t.id IN $tags AND t.scope IN $scopes
MATCH (n:Searchable)-[:TAGGED]->(t)
WHERE n.scope IN $scopes AND n.live IN $live AND n.kind IN $kinds AND n.role IN $roles
  AND n.captured_at >= $since AND n.captured_at <= $until
  AND n.ingested_at <= $known_at AND n.expired_at > $alive
  AND ($sessions IS NULL OR n.session IN $sessions)
  AND n.embedding IS NOT NULL
WITH n, count(DISTINCT t.name) AS matched
WHERE matched = $wanted
WITH n, vector.similarity.cosine(n.embedding, $v) AS score
ORDER BY score DESC LIMIT $limit
RETURN collect(n.memory_id) AS ids, collect(score) AS scores,
       collect(coalesce(n.place, 0)) AS places, collect(n.title IS NOT NULL) AS titled,
       collect(n.scope) AS scopes, collect(n.kind) AS kinds

// name: in_mind(reader, talk, limit) read one
// Which of a reader's newest messages are in a buffer. They are asked for beside the legs: hydrate
// leaves them out, and a page of candidates that are mostly these would be read for nothing.
// unscoped: only the reader's own, and only to be left out
MATCH (m:ConversationMessage)
WHERE m.agent = $reader AND m.id > ''
WITH m ORDER BY m.id DESC LIMIT $limit
WHERE m.state = 'buffered' AND ($talk IS NULL OR m.whole = $talk)
  AND EXISTS { (m)-[:PART_OF]->(c:Conversation) WHERE c.open_until > datetime.realtime() }
RETURN collect(m.refers) AS ids

// name: hydrate(ids, scopes, blocks_of, reader, talk, discarded) read one
// What a hit shows, in one row for the same reason. Its times come as the tokens of the index: the
// driver takes a tenth of a millisecond to read one moment. A message that is in a buffer of the
// reader, who has it in mind, is left out, and so is a discarded one. `stated` are the facts that an episode
// says are so, which tells whether its words still hold. Core blocks come along, the widest scope
// first: every prompt has them, and a question of their own would cost more than they do.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
  AND NOT EXISTS {
    MATCH (m:ConversationMessage {refers: e.id})
    WHERE (m.verdict = 'discard' AND NOT $discarded)
       OR (m.state = 'buffered' AND m.agent = $reader AND ($talk IS NULL OR m.whole = $talk)
           AND EXISTS { (m)-[:PART_OF]->(c:Conversation) WHERE c.open_until > datetime.realtime() })
  }
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
WITH collect(e {.id, .kind, .scope, .content, .role, .speaker, .title, .tags, .captured_key,
                  .ingested_key, .expired_key, .author, .content_hash, .origin, .windows, .terms,
                  .about_terms, .language, .flags, .privacy,
                  hints: COLLECT { MATCH (x:Episode {supersedes: e.id}) WHERE x.scope IN $scopes
                    AND x.expired_at > datetime.realtime()
                    RETURN [x.captured_key, x.ingested_key, x.id] ORDER BY x.captured_at DESC, x.id LIMIT 5 },
                  .work, .number, .start, .own, .end, .heading_path, group: e.session,
                  kind_of_work: head([(e)-[:PART_OF]->(w) | CASE WHEN w:Page THEN w.kind ELSE 'document' END]),
                  session_id: s.id, session_key: s.key,
                  stated: [(e)-[u:SUPPORTS]->(f:Fact)
                    WHERE u.until IS NULL AND (u.ongoing OR u.since IS NOT NULL)
                      AND NOT u.mode IN ['end', 'deny'] | f.id]
                  }) AS memories
RETURN memories, COLLECT {
  MATCH (b:CoreBlock)
  WHERE b.scope IN $blocks_of AND b.kind >= '' AND b.expired_at > datetime.realtime()
  RETURN b {.id, .scope, .kind, .content, .author}
  ORDER BY size(split(b.scope, '/')), b.scope, b.kind
} AS blocks

// name: hydrate_facts(ids, scopes, as_of, known_at, latest, alive) read one
// The same of facts, with the interval that holds at both moments and the newest that supports them:
// as the fact names it where nothing earlier was asked for ($latest). How private it is it says itself.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_key > $alive
OPTIONAL CALL (f) {
  WITH f WHERE $latest AND f.newest IS NOT NULL
  UNWIND f.newest[..10] AS told
  WITH split(told, ' ') AS parts
  MATCH (e:Passage {id: parts[1]})
  WHERE e.scope IN $scopes
  RETURN [e.captured_key, e.id, toInteger(parts[2]), toInteger(parts[3]), e.author, e.origin,
          e.content_hash, coalesce(e.flags, [])] AS source
  UNION ALL
  WITH f WHERE NOT $latest OR f.newest IS NULL
  MATCH (e:Passage)-[u:SUPPORTS]->(f)
  WHERE e.scope IN $scopes AND u.recorded_at <= $known_at
  WITH e, u ORDER BY u.said_at DESC, e.id DESC, u.start DESC LIMIT 10
  RETURN [e.captured_key, e.id, u.start, u.end, e.author, e.origin, e.content_hash,
          coalesce(e.flags, [])] AS source
}
WITH f, collect(source) AS support
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN collect(f {.id, .kind, .scope, .content, .captured_key, .ingested_key, .expired_key, .subject,
    .predicate, .object_kind, .object_id, .object_text, .negated, .status, .confidence, .trust,
    .evidence, .principals, .privacy, .terms, .about_terms, .language, subject_name: s.canonical_name,
    intervals: [(f)-[a:ABOUT]->(:Entity)
      WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
        AND a.standing = 'held' |
      [toString(a.valid_from), toString(a.valid_to), a.from_precision]],
    support: support}) AS memories

// name: hydrate_notes(ids, scopes, as_of, known_at, alive, reader, talk) read one
// The same of notes, as far as they held at one moment by what was known at the other. One that is
// made of facts is hidden with each of them, and a memory while all that it rests on is in a buffer.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.expired_key > $alive AND n.ingested_at <= $known_at
  AND n.standing IN ['held', 'superseded'] AND n.valid_from <= $as_of
  AND (n.valid_to > $as_of OR n.superseded_at > $known_at)
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
  AND NOT (n.cited IS NOT NULL AND n.namespace <> 'derived' AND NOT EXISTS {
    MATCH (n)-[:DERIVED_FROM]->(e:Passage)
    WHERE NOT EXISTS {
      MATCH (m:ConversationMessage {refers: e.id})
      WHERE m.state = 'buffered' AND m.agent = $reader AND ($talk IS NULL OR m.whole = $talk)
        AND EXISTS { (m)-[:PART_OF]->(c:Conversation) WHERE c.open_until > datetime.realtime() }
    }
  })
RETURN collect(n {.id, .kind, .scope, .content, .title, .tags, .captured_key, .ingested_key,
                  .expired_key, .author, .content_hash, .windows, .namespace, .entry_type,
                  .terms, .about_terms, .language, .flags,
                  privacy: reduce(most = coalesce(n.privacy, 0), x IN
                    [(n)-[:DERIVED_FROM]->(x:Passage) | coalesce(x.privacy, 0)]
                    + [(n)-[:DERIVED_FROM]->(x:Fact) | coalesce(x.privacy, 0)] |
                    CASE WHEN x > most THEN x ELSE most END),
                  hints: COLLECT { MATCH (x:Episode {supersedes: n.id}) WHERE x.scope IN $scopes
                    AND x.expired_at > datetime.realtime()
                    RETURN [x.captured_key, x.ingested_key, x.id] ORDER BY x.captured_at DESC, x.id LIMIT 5 },
                  .confidence, .confirmations, .trust, .standing, valid_to: toString(n.valid_to),
                  speaker: head([(n)-[:DERIVED_FROM]->(e:Passage) | e.speaker]),
                  role: head([(n)-[:DERIVED_FROM]->(e:Passage) | e.role]),
                  stated: [(n)-[:DERIVED_FROM]->(e:Passage)-[u:SUPPORTS]->(f:Fact)
                    WHERE u.until IS NULL AND (u.ongoing OR u.since IS NOT NULL)
                      AND NOT u.mode IN ['end', 'deny'] | f.id],
                  sources: [(n)-[:DERIVED_FROM]->(f:Fact|Passage) | f.id]}) AS memories

// name: rests(ids, scopes, rules) read many
// The turns that memories rest on, and whether one is only what the rules left of its turn; a memory
// that is hidden with a turn of it takes no place.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.namespace = 'memories'
  AND n.cited = COUNT { (n)-[:DERIVED_FROM]->(p:Passage) WHERE p.expired_at > datetime.realtime() }
RETURN n.id AS id, coalesce(n.model = $rules, false) AS cut, COLLECT {
  MATCH (n)-[:DERIVED_FROM]->(e:Passage) RETURN e.id ORDER BY e.captured_at, e.ingested_at, e.id
} AS turns

// name: turns(ids, scopes, reader, talk, discarded) read many
// The same with what was said in them, but for what is in a buffer of the reader or discarded.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.cited IS NOT NULL AND n.namespace <> 'derived'
RETURN n.id AS id, COLLECT {
  MATCH (n)-[:DERIVED_FROM]->(e:Passage)
  WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
    AND NOT EXISTS {
      MATCH (m:ConversationMessage {refers: e.id})
      WHERE (m.verdict = 'discard' AND NOT $discarded)
         OR (m.state = 'buffered' AND m.agent = $reader AND ($talk IS NULL OR m.whole = $talk)
             AND EXISTS { (m)-[:PART_OF]->(c:Conversation) WHERE c.open_until > datetime.realtime() })
    }
  RETURN e {.id, .content, .speaker, .role, .captured_key} ORDER BY e.captured_at, e.ingested_at, e.id
} AS turns

// name: hydrate_skills(ids, scopes, as_of, known_at, alive) read one
// The same of skills, as far as they were in use at both moments: shown is what the version says
// that was in use, or of those known by then the last one that was no trial.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_key > $alive AND s.ingested_at <= $known_at
  AND s.status <> 'draft'
WITH s, coalesce(s.active_from, s.created_at) AS since,
     coalesce(s.active_to, CASE s.status WHEN 'active' THEN datetime('9999-12-31T00:00:00Z')
                           ELSE s.updated_at END) AS until
WHERE since <= $as_of < until AND since <= $known_at < until
WITH s, COLLECT {
  MATCH (v:SkillVersion)-[:VERSION_OF]->(s)
  WHERE v.created_at <= $known_at AND (v.is_active OR v.change_type <> 'experimental')
  RETURN v {.version, .body} ORDER BY v.is_active DESC, v.created_at DESC LIMIT 1
}[0] AS said
RETURN collect(s {.id, .kind, .scope, .title, .tags, .captured_key, .ingested_key, .expired_key,
                  .author, .content_hash, .windows, .slug, .category, .status, .effectiveness,
                  .usage_count, .terms, .about_terms, .language, .flags,
                  version: coalesce(said.version, s.version),
                  content: CASE WHEN said IS NULL OR said.version = s.version THEN s.content
                           ELSE trim(s.description + '\n\n' + said.body) END}) AS memories

// name: naming(ids, scopes) read many
// By what facts may be asked for: the names of their subjects, of whatever they were merged with,
// their predicates and their words.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes
MATCH (s:Entity {id: f.subject})
RETURN f.id AS id, f.predicate AS predicate, f.content AS content, f.object_text AS object_text,
       COLLECT {
         MATCH (m:Entity {root: s.root})
         WHERE m.scope IN $scopes
         WITH m ORDER BY m.id LIMIT 16
         UNWIND m.canonical_name + coalesce(m.aliases, []) AS name
         RETURN DISTINCT name
       } AS names

// name: past(ids, scopes, known_at) read many
// Facts that do not hold at the moments of a reading: what was known of them, and what took their
// place. What is forgotten is not told of.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime('9999-12-30T00:00:00Z')
RETURN f.id AS id, f.statement AS statement,
       [(f)-[a:ABOUT]->(:Entity) WHERE a.recorded_at <= $known_at < a.retracted_at |
         [a.standing, toString(a.valid_from), toString(a.valid_to)]] AS intervals,
       [(f)-[x:SUPERSEDED_BY]->(n:Fact)
         WHERE x.recorded_at <= $known_at < x.retracted_at
           AND n.expired_at > datetime('9999-12-30T00:00:00Z') |
         [n.captured_key, n.id, n.statement]] AS replaced_by,
       COLLECT {
         MATCH (g:Fact {key: f.key})
         WHERE g.scope IN $scopes AND g.id <> f.id RETURN g.id ORDER BY g.id LIMIT 200
       } AS rivals

// name: read_other(id, scopes, readers) read optional
// One fact, chunk, note, skill, page, core block, pattern of failure or declared value by id; a text
// of a pool as far as somebody may read that.
CALL () {
  MATCH (f:Fact {id: $id}) RETURN f AS m, 'fact' AS kind
  UNION ALL
  MATCH (c:Passage {id: $id}) WHERE c:Chunk RETURN c AS m, 'chunk' AS kind
  UNION ALL
  MATCH (n:Note {id: $id}) RETURN n AS m, 'note' AS kind
  UNION ALL
  MATCH (s:Skill {id: $id}) RETURN s AS m, 'skill' AS kind
  UNION ALL
  MATCH (g:Page {id: $id}) RETURN g AS m, g.kind AS kind
  UNION ALL
  MATCH (b:CoreBlock {id: $id}) RETURN b AS m, 'core_block' AS kind
  UNION ALL
  MATCH (p:BadPattern {id: $id}) RETURN p AS m, 'bad_pattern' AS kind
  UNION ALL
  MATCH (d:Declared {id: $id}) WHERE d.memory_id IS NOT NULL RETURN d AS m, d.kind AS kind
}
WITH m, kind
WHERE m.scope IN $scopes AND m.expired_at > datetime.realtime()
  AND (kind <> 'note' OR m.cited IS NULL
       OR m.cited = COUNT { (m)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
  AND (kind <> 'pool_text' OR EXISTS {
    (m)-[:PART_OF]->(p:MemoryPool)
    WHERE p.ends_at > datetime.realtime()
      AND (p.owner IN $readers OR any(reader IN p.readers WHERE reader IN $readers))
  })
RETURN m.id AS id, kind, m.scope AS scope, m.content AS content, m.tags AS tags, m.flags AS flags

// name: bases(ids, scopes) read many
// Which of these knowledge bases are seen.
UNWIND $ids AS id
MATCH (b:KnowledgeBase {id: id})
WHERE b.scope IN $scopes
RETURN b.id AS id

// name: vectors(ids, scopes) read many
// Vectors of candidates, for diversity.
UNWIND $ids AS id
MATCH (m:Searchable {memory_id: id})
USING INDEX m:Searchable(memory_id)
WHERE m:Memory AND m.scope IN $scopes AND m.embedding IS NOT NULL
RETURN m.id AS id, m.embedding AS vector

// name: closest(ids, scopes, v) read many
// How close candidates are to a question, by their best window: for those that the vector leg has
// not found.
UNWIND $ids AS id
MATCH (n:Searchable {memory_id: id})
USING INDEX n:Searchable(memory_id)
WHERE n.scope IN $scopes AND n.embedding IS NOT NULL
RETURN id, max(vector.similarity.cosine(n.embedding, $v)) AS score

// name: window_spans(ids, scopes) read many
// Where the windows of long texts lie.
UNWIND $ids AS id
MATCH (w:Window {id: id})
WHERE w.scope IN $scopes
RETURN w.id AS id, w.memory_id AS memory_id, w.start AS start, w.end AS end

// name: named_in(ids, scopes, limit) read many
// What some passages and facts name, one thing for several that were merged, the most mentioned
// first.
UNWIND $ids AS id
CALL (id) {
  MATCH (p:Passage {id: id})-[:MENTIONS]->(e:Entity)
  WHERE p.scope IN $scopes
  RETURN e.root AS root
  UNION
  MATCH (f:Fact {id: id})
  WHERE f.scope IN $scopes
  MATCH (e:Entity)
  WHERE e.id IN [f.subject, f.object_id]
  RETURN e.root AS root
}
WITH DISTINCT root
MATCH (r:Entity {id: root})
WHERE r.scope IN $scopes
WITH r, COLLECT {
  MATCH (m:Entity {root: r.id}) WHERE m.scope IN $scopes RETURN coalesce(m.mention_count, 0)
} AS counts
RETURN r.id AS root, r.canonical_name AS name, r.type AS type,
       reduce(sum = 0, count IN counts | sum + count) AS mentions
ORDER BY mentions DESC, name, root LIMIT $limit
