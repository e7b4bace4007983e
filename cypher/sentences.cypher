// name: of_entities(ids, scopes, as_of, known_at, after_at, after_id, limit) read many
// The passages that mention entities, the newest first, with where, and with what facts of theirs
// have become of at both moments. Up to 5,000 mentions are read as they are; of more the scope's
// newest 20,000 passages are gone through, and all mentions only where these do not suffice. Of what
// is mentioned nowhere, the passages are read in which its names wait.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes
MATCH (r:Entity {id: e.root})
CALL (r) {
  MATCH (m:Entity {root: r.id})
  WHERE m.scope = r.scope
  WITH m ORDER BY m.id LIMIT 500
  RETURN collect(m) AS members, sum(m.mention_count) AS mentions
}
CALL (r, mentions) {
  WITH r WHERE mentions > 5000
  CALL (r) {
    MATCH (p:Passage)
    WHERE p.scope = r.scope AND p.captured_at <= $as_of AND p.captured_at <= $after_at
    RETURN p ORDER BY p.scope DESC, p.captured_at DESC LIMIT 20000
  }
  WITH r, p
  WHERE (p.captured_at < $after_at OR p.id > $after_id)
    AND p.live AND p.ingested_at <= $known_at
    AND EXISTS { MATCH (p)-[:MENTIONS]->(m:Entity) WHERE m.root = r.id }
  WITH p ORDER BY p.scope DESC, p.captured_at DESC, p.id LIMIT $limit // as the index has them
  RETURN collect(p) AS recent
}
CALL (r, members, mentions, recent) {
  WITH recent WHERE size(recent) = $limit
  UNWIND recent AS p
  RETURN p
  UNION
  WITH r, members WHERE mentions > 0 AND size(recent) < $limit
  UNWIND members AS m
  MATCH (p:Passage)-[:MENTIONS]->(m)
  WHERE p.captured_at <= $as_of
    AND (p.captured_at < $after_at OR (p.captured_at = $after_at AND p.id > $after_id))
    AND p.live AND p.ingested_at <= $known_at
  RETURN DISTINCT p ORDER BY p.captured_at DESC, p.id LIMIT $limit
  UNION
  WITH r, members WHERE mentions = 0
  UNWIND members AS m
  MATCH (a:Alias)-[:NAMES]->(m)
  WITH DISTINCT r, a ORDER BY a.id LIMIT 100
  CALL db.index.fulltext.queryNodes('passage_lone', a.id) YIELD node AS p
  WHERE p.scope = r.scope AND p.captured_at <= $as_of
    AND (p.captured_at < $after_at OR (p.captured_at = $after_at AND p.id > $after_id))
    AND p.live AND p.ingested_at <= $known_at
  RETURN DISTINCT p ORDER BY p.captured_at DESC, p.id LIMIT $limit
}
WITH id, r, members, mentions, p
RETURN id AS parent,
       p {.id, .kind, .scope, .captured_at, .ingested_at, .role, .speaker, .title, .language, .flags,
          .work, first: p.start} AS passage,
       COLLECT { MATCH (p)-[x:MENTIONS]->(m:Entity) WHERE m.root = r.id
                 WITH DISTINCT x.start AS start, x.end AS end ORDER BY start, end LIMIT 20
                 WITH start, end, CASE WHEN start < 600 THEN 0 ELSE start - 600 END AS first
                 RETURN [start, end, first, substring(p.content, first, end - first + 600)] } AS spots,
       CASE WHEN mentions = 0 THEN p.lone END AS lone,
       CASE WHEN mentions = 0 THEN p.content END AS content,
       [m IN members | m.keys] AS keys,
       COLLECT { MATCH (p)-[u:SUPPORTS]->(f:Fact)
                 WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime()
                   AND u.recorded_at <= $known_at AND u.until IS NULL
                   AND (u.ongoing OR u.since IS NOT NULL) AND NOT u.mode IN ['end', 'deny']
                 RETURN f {.id, .statement, .language, start: u.start, end: u.end,
                   held: EXISTS { MATCH (f)-[a:ABOUT]->(:Entity)
                     WHERE a.standing = 'held' AND a.valid_from <= $as_of < a.valid_to
                       AND a.recorded_at <= $known_at < a.retracted_at },
                   ended: EXISTS { MATCH (f)-[a:ABOUT]->(:Entity)
                     WHERE a.standing = 'held' AND a.valid_to <= $as_of
                       AND a.recorded_at <= $known_at < a.retracted_at },
                   newer: COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
                     WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
                       AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
                       AND b.recorded_at <= $known_at < b.retracted_at
                       AND b.valid_from <= $as_of < b.valid_to
                     RETURN {fact: n.id, statement: n.statement, since: b.valid_from,
                             precision: b.from_precision}
                     ORDER BY b.valid_from DESC, n.id LIMIT 5 }}
                 ORDER BY u.start, f.id LIMIT 50 } AS stated
ORDER BY parent, p.captured_at DESC, p.id
