// Lists of many parents at once, for one level of a GraphQL answer: each row names its `parent`.

// name: episodes(scopes, since, until, after_at, after_id, limit) read many
// Episodes in the order of their events.
MATCH (e:Episode)
WHERE e.scope IN $scopes AND e.captured_at >= $since AND e.captured_at < $until
  AND e.captured_at >= $after_at AND (e.captured_at > $after_at OR e.id > $after_id)
  AND e.live
WITH e ORDER BY e.captured_at, e.id LIMIT $limit
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
OPTIONAL MATCH (e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .expired_at, .content_hash, .importance, .trust, .is_pinned, .consolidation_state,
          .index_state, .session, .tags, .marker_ids, .pii, .flags, .privacy,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance
ORDER BY e.captured_at, e.id

// name: session_episodes(scopes, session, since, until, after_at, after_id, limit) read many
// One session's episodes in the order of their events.
MATCH (e:Episode {session: $session})
WHERE e.scope IN $scopes AND e.captured_at >= $since AND e.captured_at < $until
  AND e.captured_at >= $after_at AND (e.captured_at > $after_at OR e.id > $after_id)
  AND e.live
WITH e ORDER BY e.captured_at, e.id LIMIT $limit
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
OPTIONAL MATCH (e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .expired_at, .content_hash, .importance, .trust, .is_pinned, .consolidation_state,
          .index_state, .session, .tags, .marker_ids, .pii, .flags, .privacy,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance
ORDER BY e.captured_at, e.id

// name: episodes_by_id(ids, scopes) read many
// Episodes by id; what is forgotten is hidden.
UNWIND $ids AS id
MATCH (e:Passage {id: id})
WHERE e:Episode AND e.scope IN $scopes AND e.expired_at > datetime.realtime()
OPTIONAL MATCH (e)-[:IN_SESSION]->(s:MemSession)
OPTIONAL MATCH (e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN id AS parent,
       e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .expired_at, .content_hash, .importance, .trust, .is_pinned, .consolidation_state,
          .index_state, .session, .tags, .marker_ids, .pii, .flags, .privacy,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance

// name: sessions_by_id(ids, scopes, as_of, known_at) read many
// Manifests of sessions: who spoke, how much, from when to when, as far as it was said and known by
// both moments.
UNWIND $ids AS id
MATCH (s:MemSession {id: id})
WHERE s.scope IN $scopes
CALL (s) {
  OPTIONAL MATCH (e:Episode)-[:IN_SESSION]->(s)
  WHERE e.live AND e.ingested_at <= $known_at
    AND (e.captured_at <= $as_of OR $as_of >= $known_at) // dated ahead where no past is asked for
  RETURN count(e) AS episodes, min(e.captured_at) AS first_at, max(e.captured_at) AS last_at,
         sum(size(e.content)) AS characters,
         sum(CASE e.index_state WHEN 'pending' THEN 1 ELSE 0 END) AS pending,
         collect(DISTINCT e.role) AS roles, collect(DISTINCT e.speaker) AS speakers,
         collect(DISTINCT e.author) AS authors
}
RETURN id AS parent, s {.id, .key, .scope, .started_at} AS session, episodes, first_at, last_at,
       characters, pending, roles, speakers, authors

// name: sessions_episodes(ids, scopes, as_of, known_at, after_at, after_id, limit) read many
// Episodes of sessions that were said and known by both moments, in the order of their events.
UNWIND $ids AS id
MATCH (s:MemSession {id: id})
WHERE s.scope IN $scopes
CALL (s) {
  MATCH (e:Episode {session: s.id})
  WHERE e.scope IN $scopes AND e.captured_at >= $after_at
    AND (e.captured_at > $after_at OR e.id > $after_id) AND e.live AND e.ingested_at <= $known_at
    AND (e.captured_at <= $as_of OR $as_of >= $known_at) // dated ahead where no past is asked for
  RETURN e ORDER BY e.captured_at, e.id LIMIT $limit
}
OPTIONAL MATCH (e)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN id AS parent,
       e {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .expired_at, .content_hash, .importance, .trust, .is_pinned, .consolidation_state,
          .index_state, .session, .tags, .marker_ids, .pii, .flags, .privacy,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: e.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: e.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: e.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance
ORDER BY parent, e.captured_at, e.id

// name: mentions(ids, scopes, known_at, after, limit) read many
// What episodes mention, a cluster once, by id.
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (p)-[:MENTIONS]->(m:Entity)
  WITH DISTINCT m.root AS root
  MATCH (r:Entity {id: root})
  WHERE r.scope IN $scopes AND r.id > $after AND r.expired_at > datetime.realtime()
    AND r.ingested_at <= $known_at
  RETURN r ORDER BY r.id LIMIT $limit
}
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN id AS parent, r {.*, embedding: null} AS entity, labels(r) AS labels, members
ORDER BY parent, r.id

// name: supported(ids, scopes, as_of, known_at, after, limit) read many
// The facts that episodes support, by id, with their intervals at both moments.
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (p)-[u:SUPPORTS]->(f:Fact)
  WHERE u.recorded_at <= $known_at AND f.scope IN $scopes AND f.id > $after
    AND f.expired_at > datetime.realtime()
  RETURN DISTINCT f ORDER BY f.id LIMIT $limit
}
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN id AS parent,
       f {.id, .scope, .subject, .predicate, .object_kind, .object_text, .object_id, .negated,
          .statement, .confidence, .evidence, .principals, .trust, .status, .ingested_at,
          .is_pinned, .privacy, 
          subject_name: s.canonical_name} AS fact,
       [(f)-[a:ABOUT]->(:Entity)
         WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at |
         a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing,
            .reason}] AS intervals
ORDER BY parent, f.id

// name: facts_by_id(ids, scopes, as_of, known_at) read many
// Facts with their intervals at both moments, what supports them and what they stand against.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime() AND f.ingested_at <= $known_at
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN id AS parent,
       f {.id, .scope, .subject, .predicate, .object_kind, .object_text, .object_id, .negated,
          .statement, .confidence, .evidence, .principals, .trust, .status, .ingested_at,
          .is_pinned, .privacy, 
          subject_name: s.canonical_name} AS fact,
       [(f)-[a:ABOUT]->(:Entity)
         WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at |
         a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing,
            .reason}] AS intervals,
       [(p:Passage)-[u:SUPPORTS]->(f) WHERE p.scope IN $scopes AND u.recorded_at <= $known_at |
         u {.id, .start, .end, .mode, .said_at, .tier, .principal, .own, .confidence, .trust, .rule,
            .model, .recorded_at, episode: p.id}] AS support,
       [(f)-[c:CONTRADICTS]-(n:Fact) WHERE c.recorded_at <= $known_at < c.retracted_at | n.id]
         AS contradicts,
       [(f)-[x:SUPERSEDED_BY]->(n:Fact) WHERE x.recorded_at <= $known_at < x.retracted_at |
         {id: n.id, reason: x.reason}] AS superseded_by,
       COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
           AND b.recorded_at <= $known_at < b.retracted_at AND b.valid_from <= $as_of < b.valid_to
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from}
         ORDER BY b.valid_from DESC, n.id LIMIT 5 } AS possible_changes

// name: facts_about(ids, scopes, predicates, as_of, known_at, after, limit) read many
// The facts about entities, merged ones included, that were held at both moments, by id.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
CALL (e) {
  MATCH (m:Entity {root: e.root})
  WHERE m.scope = e.scope
  MATCH (f:Fact {subject: m.id})
  WHERE f.scope IN $scopes AND f.id > $after AND f.expired_at > datetime.realtime()
    AND ($predicates IS NULL OR f.predicate IN $predicates)
  MATCH (f)-[a:ABOUT]->(s:Entity)
  WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
    AND a.standing = 'held'
  RETURN f, a, s ORDER BY f.id LIMIT $limit
}
RETURN id AS parent,
       f {.id, .scope, .subject, .predicate, .object_kind, .object_text, .object_id, .negated,
          .statement, .confidence, .evidence, .principals, .trust, .status, .ingested_at,
          .is_pinned, .privacy, 
          subject_name: s.canonical_name} AS fact,
       a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason}
         AS interval
ORDER BY parent, f.id

// name: held(ids, scopes, known_at, after_at, after_id, limit) read many
// Everything that was ever held of facts by a moment, newest first, as it was known then.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime()
CALL (f) {
  MATCH (f)-[a:ABOUT]->(:Entity)
  WHERE a.recorded_at <= $known_at
    AND (a.recorded_at < $after_at OR (a.recorded_at = $after_at AND a.id > $after_id))
  RETURN a ORDER BY a.recorded_at DESC, a.id LIMIT $limit
}
RETURN id AS parent,
       a {.id, .valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason,
          retracted_at: CASE WHEN a.retracted_at <= $known_at THEN a.retracted_at END} AS held
ORDER BY parent, a.recorded_at DESC, a.id

// name: entities_by_id(ids, scopes, known_at) read many
// Clusters by the id of any of their members.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
MATCH (r:Entity {id: e.root})
WHERE r.scope IN $scopes AND r.expired_at > datetime.realtime() AND r.ingested_at <= $known_at
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN id AS parent, r {.*, embedding: null} AS entity, labels(r) AS labels, members

// name: neighbours(ids, scopes, as_of, known_at, after_rank, after_id, limit) read many
// What the newest 2,000 passages of entities that were known then mention beside them, and what facts
// held at both moments relate them to: the strongest first, then by `key`.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
CALL (e) {
  MATCH (m:Entity {root: e.root})
  WHERE m.scope = e.scope
  CALL (m) {
    MATCH (p:Passage)-[:MENTIONS]->(m)
    WHERE p.live AND p.ingested_at <= $known_at
    WITH DISTINCT m, p ORDER BY p.captured_at DESC, p.id LIMIT 2000
    MATCH (p)-[:MENTIONS]->(n:Entity)
    WHERE n.scope = m.scope AND n <> m
    RETURN n, 'COOCCURS' AS kind, count(DISTINCT p) AS count, null AS predicate, null AS fact,
           true AS outgoing
    UNION ALL
    MATCH (m)-[r:RELATES_TO]-(n:Entity)
    WHERE n.scope = m.scope AND EXISTS {
      MATCH (f:Fact {id: r.fact})-[a:ABOUT]->(:Entity)
      WHERE f.expired_at > datetime.realtime() AND a.valid_from <= $as_of < a.valid_to
        AND a.recorded_at <= $known_at < a.retracted_at AND a.standing = 'held'
    }
    RETURN n, 'RELATES_TO' AS kind, 1 AS count, r.predicate AS predicate, r.fact AS fact,
           startNode(r) = m AS outgoing
  }
  WITH e, n.root AS other, kind, predicate, fact, outgoing, sum(count) AS count
  WHERE other <> e.root
  MATCH (t:Entity {id: other})
  WHERE t.scope IN $scopes AND t.expired_at > datetime.realtime() AND t.ingested_at <= $known_at
  WITH other, kind, predicate, fact, outgoing, count,
       other + ' ' + kind + ' ' + coalesce(fact, '') + toString(outgoing) AS key
  WHERE count < $after_rank OR (count = $after_rank AND key > $after_id)
  RETURN other, kind, predicate, fact, outgoing, count, key
  ORDER BY count DESC, key LIMIT $limit
}
RETURN id AS parent, other, kind, predicate, fact, outgoing, count, key
ORDER BY parent, count DESC, key

// name: mentioning(ids, scopes, as_of, known_at, after_at, after_id, limit) read many
// Episodes that mention entities and were said and known by both moments, the newest first.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
CALL (e) {
  MATCH (m:Entity {root: e.root})
  WHERE m.scope = e.scope
  MATCH (p:Episode)-[:MENTIONS]->(m)
  WHERE p.scope IN $scopes AND p.live AND p.ingested_at <= $known_at
    AND (p.captured_at <= $as_of OR $as_of >= $known_at) // dated ahead where no past is asked for
    AND (p.captured_at < $after_at OR (p.captured_at = $after_at AND p.id > $after_id))
  RETURN DISTINCT p ORDER BY p.captured_at DESC, p.id LIMIT $limit
}
OPTIONAL MATCH (p)-[:IN_SESSION]->(s:MemSession)
OPTIONAL MATCH (p)-[:HAS_PROVENANCE]->(v:ProvenanceRecord)
RETURN id AS parent,
       p {.id, .scope, .content, .role, .speaker, .title, .origin, .captured_at, .ingested_at,
          .expired_at, .content_hash, .importance, .trust, .is_pinned, .consolidation_state,
          .index_state, .session, .tags, .marker_ids, .pii, .flags, .privacy,
          supersedes: head(COLLECT { MATCH (o:Searchable {memory_id: p.supersedes}) WHERE o:Memory AND o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.memory_id }),
          superseded_by: COLLECT { MATCH (o:Episode {supersedes: p.id}) WHERE o.scope IN $scopes
            AND o.expired_at > datetime.realtime() RETURN o.id ORDER BY o.captured_at DESC, o.id LIMIT 5 },
          near_duplicate: head(COLLECT { MATCH (o:Searchable {memory_id: p.near_duplicate}) WHERE o:Memory
            AND o.scope IN $scopes AND o.expired_at > datetime.realtime() RETURN o.memory_id })} AS episode,
       s {.id, .key} AS session, v {.*} AS provenance
ORDER BY parent, p.captured_at DESC, p.id

// name: pages(scopes, kind, tag, after, limit) read many
// Pages by id, with how many links lead to them and from them.
MATCH (p:Page)
WHERE p.scope IN $scopes AND p.id > $after AND p.live
  AND ($kind IS NULL OR p.kind = $kind) AND ($tag IS NULL OR $tag IN p.tags)
WITH p ORDER BY p.id LIMIT $limit
RETURN p {.*, links: null} AS page,
       COUNT { (p)<-[:REFERENCES]-(s:Page) WHERE s.scope IN $scopes } AS backlinks,
       COUNT { (p)-[:REFERENCES]->() } AS references
ORDER BY p.id

// name: pages_by_id(ids, scopes) read many
// Live pages by id.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes AND p.live
RETURN id AS parent, p {.*, links: null} AS page,
       COUNT { (p)<-[:REFERENCES]-(s:Page) WHERE s.scope IN $scopes } AS backlinks,
       COUNT { (p)-[:REFERENCES]->() } AS references

// name: page_backlinks(ids, scopes, after_at, after_id, limit) read many
// Pages that link to pages, the newest first.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (p)<-[r:REFERENCES]-(s:Page)
  WHERE s.scope IN $scopes AND s.live
    AND (s.updated_at < $after_at OR (s.updated_at = $after_at AND s.id > $after_id))
  RETURN s, r ORDER BY s.updated_at DESC, s.id LIMIT $limit
}
RETURN id AS parent, s {.id, .scope, .title, .slug, .kind, .content, .updated_at} AS page,
       r.texts AS texts, r.headings AS headings
ORDER BY parent, s.updated_at DESC, s.id

// name: entity_backlinks(ids, scopes, after_at, after_id, limit) read many
// Pages that link to entities, the newest first.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
CALL (e) {
  MATCH (m:Entity {root: e.root})
  WHERE m.scope = e.scope
  MATCH (m)<-[r:REFERENCES]-(s:Page)
  WHERE s.scope IN $scopes AND s.live
    AND (s.updated_at < $after_at OR (s.updated_at = $after_at AND s.id > $after_id))
  RETURN s, r ORDER BY s.updated_at DESC, s.id LIMIT $limit
}
RETURN id AS parent, s {.id, .scope, .title, .slug, .kind, .content, .updated_at} AS page,
       r.texts AS texts, r.headings AS headings
ORDER BY parent, s.updated_at DESC, s.id

// name: links(ids, scopes, after, limit) read many
// What pages link to, as far as it is visible, by id.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (p)-[r:REFERENCES]->(t)
  WHERE coalesce(t.scope IN $scopes, t:Principal) AND t.id > $after
  RETURN t, r ORDER BY t.id LIMIT $limit
}
RETURN id AS parent, t.id AS id, labels(t) AS labels,
       coalesce(t.title, t.canonical_name, t.name) AS title, t.slug AS slug, t.kind AS kind,
       r.texts AS texts, r.headings AS headings
ORDER BY parent, t.id

// name: page_versions(ids, scopes, before, limit) read many
// The texts that pages had before, newest first.
UNWIND $ids AS id
MATCH (p:Page {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (v:PageVersion)-[:VERSION_OF]->(p)
  WHERE v.version < $before
  RETURN v ORDER BY v.version DESC LIMIT $limit
}
RETURN id AS parent, v {.*} AS version
ORDER BY parent, v.version DESC

// name: skills_by_id(ids, scopes) read many
// Skills with how many agents in sight have them and how many conflicts about them stand open.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
RETURN id AS parent,
       s {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null} AS skill,
       COUNT { MATCH (p:Principal)-[:HAS_SKILL]->(s) MATCH (p)-[:HOME]->(h:Scope)
               WHERE h.path IN $scopes } AS agents,
       COUNT { (c:SkillConflict)-[:INVOLVES]->(s)
               WHERE c.status IN ['detected', 'acknowledged'] } AS conflicts,
       [(s)-[l:CLONED_FROM]->(o:Skill) WHERE o.scope IN $scopes | o.id] AS origins

// name: skill_versions(ids, scopes, after_at, after_id, limit) read many
// The versions of skills, newest first.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (v:SkillVersion)-[:VERSION_OF]->(s)
  WHERE v.created_at < $after_at OR (v.created_at = $after_at AND v.id < $after_id)
  RETURN v ORDER BY v.created_at DESC, v.id DESC LIMIT $limit
}
RETURN id AS parent, v {.*} AS version
ORDER BY parent, v.created_at DESC, v.id DESC

// name: skill_conflicts(ids, scopes, after, limit) read many
// Conflicts that skills are part of, by id.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (c:SkillConflict)-[:INVOLVES]->(s)
  WHERE c.scope IN $scopes AND c.id > $after
  RETURN c ORDER BY c.id LIMIT $limit
}
RETURN id AS parent, c {.*} AS conflict,
       [(c)-[:INVOLVES]->(o:Skill) | o {.id, .name, .usage_count}] AS skills
ORDER BY parent, c.id

// name: skill_links(ids, scopes, after, limit) read many
// Dependencies that begin or end at skills, by the other's id.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (s)-[r:REQUIRES|ENHANCES|COMPOSES|SUCCEEDS]-(o:Skill)
  WHERE o.scope IN $scopes AND o.expired_at > datetime.realtime()
  WITH r, o, o.id + ' ' + toLower(type(r)) + ' ' + toString(startNode(r) = o) AS key
  WHERE key > $after
  RETURN r, o, key ORDER BY key LIMIT $limit
}
RETURN id AS parent, o.id AS other, startNode(r).id AS source, endNode(r).id AS target,
       toLower(type(r)) AS type, r.weight AS weight, r.confidence AS confidence, key
ORDER BY parent, key

// name: skill_holders(ids, scopes, after, limit) read many
// The agents that have skills and whose home the caller sees, by id.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (p:Principal)-[h:HAS_SKILL]->(s)
  MATCH (p)-[:HOME]->(home:Scope)
  WHERE home.path IN $scopes AND p.id > $after
  RETURN p, h, home ORDER BY p.id LIMIT $limit
}
RETURN id AS parent, p.id AS agent, p.name AS name, home.path AS home, h.at AS at, h.by AS by,
       h.place AS place
ORDER BY parent, agent

// name: skill_concerns(ids, scopes, after, limit) read many
// The entities that skills are about, by id, with what is held of each.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (s)-[r:CONCERNS]->(e:Entity)
  WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime() AND e.id > $after
  RETURN r, e ORDER BY e.id LIMIT $limit
}
RETURN id AS parent, e.id AS id, e.canonical_name AS name, e.type AS type, r.by AS by,
       COLLECT {
         MATCH (f:Fact {subject: e.id})
         WHERE f.scope IN $scopes AND f.status = 'active' AND f.expired_at > datetime.realtime()
         WITH f ORDER BY f.evidence DESC, f.id LIMIT 5
         RETURN f.statement } AS facts
ORDER BY parent, id

// name: skill_outcomes(ids, scopes, after_at, after_id, limit) read many
// Outcomes of skills, newest first.
UNWIND $ids AS id
MATCH (s:Skill {id: id})
WHERE s.scope IN $scopes AND s.expired_at > datetime.realtime()
CALL (s) {
  MATCH (u:SkillUsageRecord {skill: s.id})
  WHERE u.at <= $after_at AND (u.at < $after_at OR u.id < $after_id)
  RETURN u ORDER BY u.at DESC, u.id DESC LIMIT $limit
}
RETURN id AS parent, u {.*} AS usage
ORDER BY parent, u.at DESC, u.id DESC

// name: bases_by_id(ids, scopes) read many
// Knowledge bases with the state and size of each document.
UNWIND $ids AS id
MATCH (b:KnowledgeBase {id: id})
WHERE b.scope IN $scopes
CALL (b) {
  MATCH (d:Document {base: b.id}) WHERE d.id > ''
  RETURN collect([d.status, d.chunks, d.characters, d.tokens]) AS documents
}
RETURN id AS parent, b {.*,
  embedding: head(COLLECT {
    MATCH (:Scope {path: b.scope})-[:WITHIN*0..2]->(s:Scope) WHERE s.space > ''
    MATCH (v:VectorSpace {name: s.space})
    RETURN v {.model, .version} ORDER BY size(s.path) DESC LIMIT 1
  } + COLLECT { MATCH (v:VectorSpace {name: 'memory'}) RETURN v {.model, .version} })} AS base, documents

// name: documents_in(ids, scopes, status, after, limit) read many
// The documents of bases, by id.
UNWIND $ids AS id
CALL (id) {
  MATCH (d:Document {base: id})
  WHERE d.id > $after AND d.scope IN $scopes AND ($status IS NULL OR d.status = $status)
  RETURN d ORDER BY d.id LIMIT $limit
}
RETURN id AS parent, d {.*} AS document
ORDER BY parent, d.id

// name: documents_by_id(ids, scopes) read many
// Documents with their bases, and how many of their chunks wait.
UNWIND $ids AS id
MATCH (d:Document {id: id})
WHERE d.scope IN $scopes
OPTIONAL MATCH (d)-[:IN_BASE]->(b:KnowledgeBase)
CALL (d) {
  MATCH (c:Chunk {work: d.id}) WHERE c.number >= 0
  RETURN sum(CASE c.index_state WHEN 'pending' THEN 1 ELSE 0 END) AS unindexed,
         sum(CASE c.consolidation_state WHEN 'consolidated' THEN 0 ELSE 1 END) AS unread
}
RETURN id AS parent, d {.*} AS document, b {.id, .name, .status} AS base, unindexed, unread

// name: chunks_of(ids, scopes, after, limit) read many
// The chunks of documents in the order of their texts.
UNWIND $ids AS id
CALL (id) {
  MATCH (c:Chunk {work: id})
  WHERE c.number > $after AND c.scope IN $scopes AND c.expired_at > datetime.realtime()
  RETURN c ORDER BY c.number LIMIT $limit
}
RETURN id AS parent, c {.id, .number, .start, .own, .end, .heading_path, .tokens, .content,
          .content_hash, .index_state, .consolidation_state, .captured_at} AS chunk
ORDER BY parent, c.number

// name: chunks_by_id(ids, scopes) read many
// Chunks by id.
UNWIND $ids AS id
MATCH (c:Passage {id: id})
WHERE c:Chunk AND c.scope IN $scopes AND c.expired_at > datetime.realtime()
RETURN id AS parent, c {.id, .number, .start, .own, .end, .heading_path, .tokens, .content,
          .content_hash, .index_state, .consolidation_state, .captured_at} AS chunk

// name: communities(scopes, level, parent, after_rank, after_id, limit) read many
// Communities, the largest first: the outermost ones, those of a level, or the parts of one.
MATCH (c:Community)
WHERE c.scope IN $scopes AND c.size >= 0 AND c.size <= $after_rank
  AND (c.size < $after_rank OR c.id > $after_id) AND ($level IS NULL OR c.level = $level)
  AND ($parent IS NULL OR EXISTS { (c)-[:IN_COMMUNITY]->(:Community {id: $parent}) })
  AND ($level IS NOT NULL OR $parent IS NOT NULL OR NOT EXISTS { (c)-[:IN_COMMUNITY]->(:Community) })
RETURN c.id AS id, c.size AS size ORDER BY c.size DESC, c.id LIMIT $limit

// name: parts(ids, scopes, after_rank, after_id, limit) read many
// The communities that communities consist of, the largest first.
UNWIND $ids AS id
MATCH (p:Community {id: id})
WHERE p.scope IN $scopes
CALL (p) {
  MATCH (c:Community)-[:IN_COMMUNITY]->(p)
  WHERE c.size < $after_rank OR (c.size = $after_rank AND c.id > $after_id)
  RETURN c ORDER BY c.size DESC, c.id LIMIT $limit
}
RETURN id AS parent, c.id AS id, c.size AS size
ORDER BY parent, c.size DESC, c.id

// name: members(ids, scopes, known_at, after_rank, after_id, limit) read many
// The entities in communities, however deep, the most mentioned first.
UNWIND $ids AS id
MATCH (c:Community {id: id})
WHERE c.scope IN $scopes
CALL (c) {
  MATCH (e:Entity)-[:IN_COMMUNITY*1..8]->(c)
  WHERE e.expired_at > datetime.realtime() AND e.ingested_at <= $known_at
    AND (e.mention_count < $after_rank OR (e.mention_count = $after_rank AND e.id > $after_id))
  RETURN e ORDER BY e.mention_count DESC, e.id LIMIT $limit
}
CALL (e) {
  MATCH (m:Entity {root: e.id})
  WHERE m.scope = e.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m {.id, .canonical_name, .type, .aliases, .mention_count}) AS members
}
RETURN id AS parent, e {.*, embedding: null} AS entity, labels(e) AS labels, members
ORDER BY parent, e.mention_count DESC, e.id

// name: notes_by_id(ids, scopes) read many
// Notes by id; one that is made of facts is hidden with each of them.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN id AS parent,
       n {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null,
          privacy: reduce(most = coalesce(n.privacy, 0), x IN
           [(n)-[:DERIVED_FROM]->(x:Passage) | coalesce(x.privacy, 0)]
           + [(n)-[:DERIVED_FROM]->(x:Fact) | coalesce(x.privacy, 0)] |
           CASE WHEN x > most THEN x ELSE most END)} AS note,
       [(n)-[:SUPERSEDED_BY]->(m:Note) WHERE m.scope IN $scopes | m.id] AS superseded_by,
       [(m:Note)-[:SUPERSEDED_BY]->(n) WHERE m.scope IN $scopes | m.id] AS supersedes,
       [(m:Note)-[:CONTRADICTS]-(n) WHERE m.scope IN $scopes | m.id] AS contradicts,
       COLLECT { MATCH (n)-[:DERIVED_FROM]->(f:Fact) RETURN f.id ORDER BY f.id } AS sources

// name: note_versions(ids, scopes, before, limit) read many
// The texts that notes had before, newest first.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
CALL (n) {
  MATCH (v:NoteVersion)-[:VERSION_OF]->(n)
  WHERE v.version < $before
  RETURN v ORDER BY v.version DESC LIMIT $limit
}
RETURN id AS parent, v {.*} AS version
ORDER BY parent, v.version DESC

// name: jobs_by_id(ids, scopes) read many
// Jobs by id.
UNWIND $ids AS id
MATCH (j:Job {id: id})
WHERE j.scope IN $scopes AND all(mark IN coalesce(j.marks, []) WHERE mark IN $scopes OR '*' IN $scopes)
RETURN id AS parent, j {.*} AS job

// name: receipts_by_id(ids, scopes) read many
// Receipts of erasures by id.
UNWIND $ids AS id
MATCH (r:ErasureReceipt {id: id})
WHERE r.scope IN $scopes
RETURN id AS parent, r {.*} AS receipt

// name: merges_by_id(ids, scopes) read many
// Proposals to merge, and what was decided on them, with both sides.
UNWIND $ids AS id
MATCH (m:MergeRecord {id: id})
WHERE m.scope IN $scopes
MATCH (a:Entity {id: m.left})
MATCH (b:Entity {id: m.right})
RETURN id AS parent, m {.*} AS record,
       a {.id, .canonical_name, .type, .mention_count, .root} AS left,
       b {.id, .canonical_name, .type, .mention_count, .root} AS right

// name: proposals_by_id(ids, scopes) read many
// Proposals of skills by id.
UNWIND $ids AS id
MATCH (p:SkillProposal {id: id})
WHERE p.scope IN $scopes
RETURN id AS parent, p {.*} AS proposal, [(c:SkillProposal)-[:PART_OF]->(p) | c.id] AS parts,
       [(p)-[:PROPOSES]->(s:Skill) | s.id] AS skills

// name: keys_by_id(ids, scopes) read many
// Keys, without hashes, of principals whose home is visible.
UNWIND $ids AS id
MATCH (k:ApiKey {id: id})-[:KEY_OF]->(p:Principal)-[:HOME]->(s:Scope)
WHERE s.path IN $scopes
RETURN id AS parent, k.id AS id, k.prefix AS prefix, k.name AS name, k.role AS role,
       p.id AS principal, k.created_at AS created_at, k.expires_at AS expires_at,
       k.revoked_at AS revoked_at, k.last_used_at AS last_used_at,
       k.rate_per_minute AS rate_per_minute

// name: declared(ids, kind, scopes) read many
// Nodes of one declared kind by id, as far as their scopes are some of these.
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WHERE n.scope IN $scopes AND n.kind = $kind
RETURN n {.*} AS row

// name: declared_in(scopes, kind, after, limit) read many
// Nodes of one declared kind in some scopes, by id.
MATCH (n:Declared)
WHERE n.scope IN $scopes AND n.kind = $kind AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS row ORDER BY n.id

// name: declared_parts(ids, kind, scopes, after, limit) read many
// Parts of one kind of each of some nodes, by id; of those that refer to a memory the ones whose
// memory is there and visible.
UNWIND $ids AS id
MATCH (n:Declared {id: id})
WHERE n.scope IN $scopes
CALL (n) {
  MATCH (n)<-[:PART_OF]-(p:Declared)
  WHERE p.kind = $kind AND p.scope IN $scopes AND p.id > $after
    AND (p.memory_scope IS NULL OR EXISTS {
      MATCH (m:Passage {id: p.refers}) WHERE m:Episode AND m.scope IN $scopes RETURN m.id AS found
      UNION
      MATCH (m:Note {id: p.refers}) WHERE m.scope IN $scopes RETURN m.id AS found
      UNION
      MATCH (m:Fact {id: p.refers}) WHERE m.scope IN $scopes RETURN m.id AS found
      UNION
      MATCH (m:Page {id: p.refers}) WHERE m.scope IN $scopes RETURN m.id AS found
      UNION
      MATCH (m:Entity {id: p.refers}) WHERE m.scope IN $scopes RETURN m.id AS found
      UNION
      MATCH (m:Declared {id: p.refers}) WHERE m.scope IN $scopes RETURN m.id AS found
    })
  RETURN p ORDER BY p.id LIMIT $limit
}
RETURN n.id AS parent, p {.*} AS row ORDER BY parent, p.id
