// name: shelf(id, scope) read optional
// How often the notes of one scope and namespace have changed.
MATCH (s:NoteShelf {id: $id})
WHERE s.scope = $scope
RETURN s.rev AS rev

// name: lock_shelf(id, scope, namespace, seen, at) write one
// Takes the lock that writers of one scope and namespace queue at; counts the change where nobody
// else has written since $seen.
MERGE (s:NoteShelf {id: $id})
ON CREATE SET s.scope = $scope, s.namespace = $namespace, s.rev = 0
SET s.touched_at = $at
WITH s, s.rev = $seen AS unchanged
SET s.rev = CASE WHEN unchanged THEN s.rev + 1 ELSE s.rev END,
    s.unjoined = CASE WHEN unchanged THEN true ELSE s.unjoined END
RETURN unchanged

// name: similar(v, scope, limit) read many
// Live notes of one scope by the vector index.
CYPHER 25
MATCH (n:Searchable)
SEARCH n IN (VECTOR INDEX memory_vector FOR $v
  WHERE n.scope = $scope AND n.live = true AND n.kind = 'note' LIMIT $limit) SCORE AS score
RETURN n.memory_id AS id, 2 * max(score) - 1 AS cosine

// name: sharing_words(q, scope, limit) read many
// Live notes of one scope by the text index; the scope is a required clause of $q as well.
CALL db.index.fulltext.queryNodes('memory_text', $q, {limit: $limit}) YIELD node AS n, score
WHERE n.scope = $scope
RETURN DISTINCT n.memory_id AS id

// name: candidates(ids, hash, scope, namespace) read many
// Held notes by id, and by the same text, each with the former notes that it took the place of;
// none that is hidden with the turn that it was read out of.
CALL () {
  UNWIND $ids AS id
  MATCH (n:Note {id: id})
  RETURN n
  UNION
  MATCH (n:Note {scope: $scope, content_hash: $hash})
  RETURN n
}
WITH DISTINCT n
WHERE n.scope = $scope AND n.namespace = $namespace AND n.standing = 'held'
  AND n.expired_at > datetime()
OPTIONAL MATCH (former:Note)-[:SUPERSEDED_BY*1..20]->(n)
WHERE former.expired_at > datetime()
WITH collect(DISTINCT n) + collect(DISTINCT former) AS found
UNWIND found AS m
WITH DISTINCT m
WHERE (m.cited IS NULL
       OR m.cited = COUNT { (m)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN m {.id, .content, .language, .tier, .author, .valid_from, .valid_to, .standing,
          .confirmations, .confidence, .cited} AS note

// name: create(note, searchable, tags, audit) write one
// One note with its tags and audit event; one that waits for a curator is in no search index.
// unscoped: the service has checked $note.scope against the caller
MERGE (n:Note {id: $note.id})
SET n = $note, n:Memory
FOREACH (_ IN CASE WHEN $searchable THEN [1] ELSE [] END | SET n:Searchable)
FOREACH (tag IN $tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (n)-[:TAGGED]->(t))
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(n)
RETURN n.id AS id

// name: of_turn(id, turn, scope) read one
// Whether a turn is there, and the note by an id that was read out of it, if it was.
OPTIONAL MATCH (p:Passage {id: $turn})
WHERE p.scope = $scope AND p.expired_at > datetime.realtime()
OPTIONAL MATCH (n:Note {id: $id})
WHERE n.scope = $scope
RETURN p IS NOT NULL AS stands,
       n {.standing, .confidence, .confirmations, .valid_from, .valid_to} AS note

// name: rest_on(id, turn, scope) write none
// A note goes with the turn that it was read out of.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
MATCH (p:Passage {id: $turn})
WHERE p.scope = $scope
MERGE (n)-[:DERIVED_FROM]->(p)

// name: lock_original(id, scope, at) write optional
// A note that is held, locked before it is copied.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n.touched_at = $at
WITH n
WHERE n.standing = 'held' AND n.expired_at > datetime.realtime() AND n.valid_to > datetime.realtime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n.id AS id

// name: copy_of(id, original, scopes, quality, at) write one
// A copy in another scope, with how good its original was then; it goes with that one when that is
// erased.
MATCH (n:Note {id: $original})
WHERE n.scope IN $scopes
MATCH (c:Note {id: $id})
WHERE c.scope IN $scopes
MERGE (c)-[d:DERIVED_FROM]->(n)
SET d.quality = $quality, d.at = $at
RETURN c.id AS id

// name: end(rows, by, scope, at) write none
// Notes that the one with the id $by takes the place of, each from a moment on; they stay
// readable, and are no longer live.
UNWIND $rows AS row
MATCH (old:Note {id: row.id})
WHERE old.scope = $scope
MATCH (new:Note {id: $by})
OPTIONAL MATCH (old)-[former:SUPERSEDED_BY]->(:Note)
DELETE former
SET old.valid_to = row.valid_to, old.standing = 'superseded', old.live = false,
    old.superseded_at = CASE WHEN old.superseded_at > $at THEN $at ELSE old.superseded_at END,
    old.facets = [facet IN old.facets WHERE facet <> 'live']
MERGE (old)-[s:SUPERSEDED_BY]->(new)
SET s.reason = row.reason, s.recorded_at = $at
WITH old
MATCH (old)<-[:WINDOW_OF]-(w:Window)
SET w.live = false, w.facets = old.facets

// name: link_later(id, by, scope, reason, at) write none
// A note of the past to the one that took its place.
MATCH (old:Note {id: $id})
WHERE old.scope = $scope
MATCH (new:Note {id: $by})
MERGE (old)-[s:SUPERSEDED_BY]->(new)
SET s.reason = $reason, s.recorded_at = $at

// name: contradict(id, others, scope, reason, at) write none
// A note that waits, and those that it stands against.
UNWIND $others AS other
MATCH (new:Note {id: $id})
MATCH (old:Note {id: other})
WHERE new.scope = $scope AND old.scope = $scope
MERGE (old)-[c:CONTRADICTS]->(new)
SET c.reason = $reason, c.recorded_at = $at

// name: hold_back(ids, by, scope, reason, at) write none
// Notes that wait from now on, because an earlier one that they may not end has come to light.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope = $scope
MATCH (held:Note {id: $by})
SET n.standing = 'quarantined', n.reason = $reason, n.live = false, n.index_state = 'withheld',
    n.facets = [facet IN n.facets WHERE facet <> 'live'], n.index_rev = n.index_rev + 1
REMOVE n:Searchable
MERGE (held)-[c:CONTRADICTS]->(n)
SET c.reason = $reason, c.recorded_at = $at
WITH n
MATCH (n)<-[:WINDOW_OF]-(w:Window)
DETACH DELETE w

// name: reopen(ids, by, scope, reason, at) write none
// Notes that hold again: the one with the id $by, which had ended them, waits from now on.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.scope = $scope
MATCH (by:Note {id: $by})
OPTIONAL MATCH (n)-[ended:SUPERSEDED_BY]->(by)
DELETE ended
WITH DISTINCT n, by
SET n.standing = 'held', n.live = true, n.valid_to = datetime('9999-12-31T00:00:00Z'),
    n.superseded_at = datetime('9999-12-31T00:00:00Z'), n.updated_at = $at,
    n.facets = [facet IN n.facets WHERE facet <> 'live'] + ['live'],
    n.index_state = 'pending', n.index_rev = n.index_rev + 1
MERGE (n)-[c:CONTRADICTS]->(by)
SET c.reason = $reason, c.recorded_at = $at
WITH n
MATCH (n)<-[:WINDOW_OF]-(w:Window)
SET w.live = true, w.facets = n.facets

// name: confirm(id, scope, by, step, privacy, at, audit) write one
// The same was said again. Each principal counts once, and the author said it first. A higher level
// than the note has becomes its own; a level is never lowered.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n.last_access = $at
FOREACH (_ IN CASE WHEN $privacy > coalesce(n.privacy, 0) THEN [1] ELSE [] END |
  SET n.privacy = $privacy)
WITH n, n.author <> $by AND NOT EXISTS {
  MATCH (n)<-[:AUDIT]-(e:AuditEvent {kind: 'note.confirm', actor: $by})
} AS another
SET n.confirmations = n.confirmations + CASE WHEN another THEN 1 ELSE 0 END,
    n.confidence = CASE WHEN NOT another THEN n.confidence
                        WHEN n.confidence + $step > 1.0 THEN 1.0
                        ELSE round(n.confidence + $step, 6) END
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(n)
RETURN n.confidence AS confidence, n.confirmations AS confirmations, n.valid_from AS valid_from,
       n.valid_to AS valid_to, n.standing AS standing

// name: get(id, scopes) read optional
// One note with what took its place, what it took the place of, and what it stands against. One
// that is made of facts is hidden with each of them.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.expired_at > datetime()
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null,
          privacy: reduce(most = coalesce(n.privacy, 0), x IN
           [(n)-[:DERIVED_FROM]->(x:Passage) | coalesce(x.privacy, 0)]
           + [(n)-[:DERIVED_FROM]->(x:Fact) | coalesce(x.privacy, 0)] |
           CASE WHEN x > most THEN x ELSE most END)} AS note,
       [(n)-[:SUPERSEDED_BY]->(m:Note) WHERE m.scope IN $scopes | m.id] AS superseded_by,
       [(m:Note)-[:SUPERSEDED_BY]->(n) WHERE m.scope IN $scopes | m.id] AS supersedes,
       [(m:Note)-[:CONTRADICTS]-(n) WHERE m.scope IN $scopes | m.id] AS contradicts,
       COLLECT { MATCH (n)-[:DERIVED_FROM]->(f:Fact|Passage) RETURN f.id ORDER BY f.id } AS sources

// name: page(scopes, namespace, standing, as_of, known_at, after, limit) read many
// Notes in the order of their ids, as they held at one moment and were known at another.
MATCH (n:Note)
WHERE n.scope IN $scopes AND n.id > $after
  AND ($namespace IS NULL OR n.namespace = $namespace)
  AND n.ingested_at <= $known_at AND n.expired_at > datetime()
  AND CASE
        WHEN $standing IS NOT NULL THEN n.standing = $standing
        ELSE n.standing IN ['held', 'superseded'] AND n.valid_from <= $as_of
          AND (n.valid_to > $as_of OR n.superseded_at > $known_at)
      END
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null,
          privacy: reduce(most = coalesce(n.privacy, 0), x IN
           [(n)-[:DERIVED_FROM]->(x:Passage) | coalesce(x.privacy, 0)]
           + [(n)-[:DERIVED_FROM]->(x:Fact) | coalesce(x.privacy, 0)] |
           CASE WHEN x > most THEN x ELSE most END)} AS note,
       COLLECT { MATCH (n)-[:DERIVED_FROM]->(f:Fact|Passage) RETURN f.id ORDER BY f.id } AS sources

// name: versions(id, scopes) read many
// The texts that a note had before, newest first.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.expired_at > datetime()
MATCH (v:NoteVersion)-[:VERSION_OF]->(n)
RETURN v {.*} AS version ORDER BY v.version DESC

// name: lock_note(id, scopes, at) write optional
// One note for writing: whoever changes it first is done before the next one reads it.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.expired_at > datetime()
SET n.updated_at = $at
RETURN n {.*, embedding: null, embedding_b: null, embedding_c: null} AS note,
       [(m:Note)-[:CONTRADICTS]->(n) | m {.id, .valid_from, .valid_to, .standing}] AS against

// name: against(id, scope) read many
// What a note that waits stands against, each with all that came in its place.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
MATCH (old:Note)-[:CONTRADICTS]->(n)
WHERE old.scope = $scope
RETURN old.id AS id,
       COLLECT { MATCH (old)-[:SUPERSEDED_BY*1..20]->(later:Note)
                 WHERE later.scope = $scope AND later.id <> $id
                 RETURN DISTINCT later.id } AS later

// name: change(id, scope, properties, version, tags, audit) write one
// Set properties of a note; $version is the former text, or null where the text stays.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n += $properties
FOREACH (former IN CASE WHEN $version IS NULL THEN [] ELSE [$version] END |
  MERGE (v:NoteVersion {id: former.id}) SET v = former
  MERGE (v)-[:VERSION_OF]->(n))
WITH n
CALL (n) {
  WITH n WHERE $tags IS NOT NULL
  OPTIONAL MATCH (n)-[r:TAGGED]->(:Tag)
  DELETE r
  WITH DISTINCT n
  FOREACH (tag IN $tags |
    MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
    MERGE (n)-[:TAGGED]->(t))
}
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
MERGE (a)-[:AUDIT]->(n)
RETURN n.version AS version

// name: mirror(id, scope) write none
// What the windows of a long note repeat of it.
MATCH (n:Note {id: $id})<-[:WINDOW_OF]-(w:Window)
WHERE n.scope = $scope
SET w.live = n.live, w.facets = n.facets, w.expired_at = n.expired_at, w.expired_key = n.expired_key

// name: publish(id, scope) write none
// A note that waited is found from now on.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n:Searchable

// name: with_text(scopes, namespaces, needle, whole, after, limit) read many
// Held notes, by id, whose text holds $needle (in small letters), or is it where $whole is true.
MATCH (n:Note)
WHERE n.scope IN $scopes AND n.id > $after
  AND n.standing = 'held' AND n.expired_at > datetime() AND n.valid_to > datetime()
  AND n.namespace IN $namespaces
  AND CASE WHEN $whole THEN toLower(trim(n.content)) = $needle
           ELSE toLower(n.content) CONTAINS $needle END
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*, embedding: null, embedding_b: null, embedding_c: null, terms: null,
          privacy: reduce(most = coalesce(n.privacy, 0), x IN
           [(n)-[:DERIVED_FROM]->(x:Passage) | coalesce(x.privacy, 0)]
           + [(n)-[:DERIVED_FROM]->(x:Fact) | coalesce(x.privacy, 0)] |
           CASE WHEN x > most THEN x ELSE most END)} AS note

// name: restore(rows) write many
// Notes that are new, with their former texts, their tags, and what they were made from.
// unscoped: the run has checked each path
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS { MATCH (:Note {id: row.id}) }
  AND NOT (row.moved AND EXISTS { // a copy of one that is here
    MATCH (n:Note {scope: row.scope, content_hash: row.properties.content_hash})
    WHERE n.namespace = row.properties.namespace AND n.valid_from = row.properties.valid_from
  })
CREATE (n:Note:Memory)
SET n = row.properties
FOREACH (_ IN CASE WHEN row.searchable THEN [1] ELSE [] END | SET n:Searchable)
FOREACH (former IN row.versions | CREATE (v:NoteVersion) SET v = former CREATE (v)-[:VERSION_OF]->(n))
FOREACH (tag IN row.tags |
  MERGE (t:Tag {id: tag.id}) ON CREATE SET t = tag
  MERGE (n)-[:TAGGED]->(t))
WITH n, row
CALL (n, row) {
  UNWIND row.sources AS source
  CALL (source, row) {
    WITH source, row WHERE source.kind = 'Episode'
    MATCH (m:Passage {id: source.id}) WHERE m.scope = row.scope RETURN m
    UNION
    WITH source, row WHERE source.kind = 'Fact'
    MATCH (m:Fact {id: source.id}) WHERE m.scope = row.scope RETURN m
    UNION
    WITH source, row WHERE source.kind = 'Note'
    MATCH (m:Note {id: source.id}) WHERE m.scope = row.scope RETURN m
  }
  MERGE (n)-[:DERIVED_FROM]->(m)
}
RETURN row.line AS line

// name: restore_links(rows) write many
// What took the place of a note, or waits because of it; a note that has such an edge keeps it.
// unscoped: both notes lie in the row's scope
UNWIND $rows AS row
MATCH (n:Note {id: row.note})
MATCH (m:Note {id: row.other})
WHERE n.scope = row.scope AND m.scope = row.scope
  AND CASE row.type
        WHEN 'SUPERSEDED_BY' THEN NOT EXISTS { (n)-[:SUPERSEDED_BY]->(:Note) }
        ELSE NOT EXISTS { (n)-[:CONTRADICTS]->(m) }
      END
FOREACH (_ IN CASE row.type WHEN 'SUPERSEDED_BY' THEN [1] ELSE [] END |
  CREATE (n)-[x:SUPERSEDED_BY]->(m) SET x = row.properties)
FOREACH (_ IN CASE row.type WHEN 'CONTRADICTS' THEN [1] ELSE [] END |
  CREATE (n)-[x:CONTRADICTS]->(m) SET x = row.properties)
RETURN row.line AS line

// name: export(scopes, after, limit) read many
// Notes of one scope by id, with their former texts and what they were made from.
MATCH (n:Note)
WHERE n.scope IN $scopes AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*, embedding: null, embedding_b: null, embedding_c: null} AS node,
       COLLECT { MATCH (v:NoteVersion)-[:VERSION_OF]->(n) RETURN v {.version, .content, .recorded_at, .retracted_at}
                ORDER BY v.version } AS versions,
       COLLECT { MATCH (n)-[:DERIVED_FROM]->(m) WHERE m:Episode OR m:Fact
                 RETURN {kind: [l IN labels(m) WHERE l IN ['Episode', 'Fact']][0], id: m.id}
                 ORDER BY m.id } AS sources,
       COLLECT { MATCH (n)-[x:SUPERSEDED_BY|CONTRADICTS]->(m:Note)
                 RETURN {type: type(x), other: m.id, reason: x.reason, recorded_at: x.recorded_at}
                 ORDER BY type(x), m.id } AS links
ORDER BY n.id

// name: restore_origins(rows) write many
// What notes are copies of, where both are there.
// unscoped: the run has checked each path; without one, the origin is one of the tenant
UNWIND $rows AS row
MATCH (c:Note {id: row.note})
WHERE c.scope = row.scope
MATCH (n:Note {id: row.other})
WHERE n.tenant = c.tenant AND n.scope = coalesce(row.other_scope, n.scope)
  AND NOT EXISTS { (c)-[:DERIVED_FROM]->(n) }
CREATE (c)-[d:DERIVED_FROM]->(n)
SET d = row.properties
RETURN row.line AS line

// name: export_origins(scopes, among, after, limit) read many
// What the notes of one scope are copies of, by the copy; where the original lies, if that comes
// along.
MATCH (c:Note)
WHERE c.scope IN $scopes AND c.id > $after
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.scope AS scope,
       COLLECT { MATCH (c)-[d:DERIVED_FROM]->(n:Note)
                 WHERE n.tenant = c.tenant
                 RETURN {other: n.id, quality: d.quality, at: d.at,
                         other_scope: CASE WHEN n.scope IN $among THEN n.scope END}
                 ORDER BY n.id } AS origins
ORDER BY c.id

// name: closure(ids) read many
// Notes with their own closure.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (n:Note {id: id})
RETURN n {.id, .scope, .tenant, .namespace, .content_hash} AS node,
       [(n)-[:TAGGED]->(t:Tag) | t.id] AS tags,
       [(x)-[:DERIVED_FROM]->(n) | x.id] AS derived

// name: lock(ids, at) write none
// Notes that go are written first: a pass that derives from one waits, and then finds nothing.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (n:Note {id: id})
SET n.touched_at = $at

// name: ended_by(ids) read many
// Notes that nothing but some notes had taken the place of, with all that came later in the chain.
// unscoped: members of a closure, whose scopes the service checks
UNWIND $ids AS id
MATCH (old:Note)-[:SUPERSEDED_BY]->(:Note {id: id})
WHERE NOT old.id IN $ids AND old.standing = 'superseded' AND old.namespace <> 'derived'
  AND NOT EXISTS { MATCH (old)-[:SUPERSEDED_BY]->(other:Note) WHERE NOT other.id IN $ids }
WITH DISTINCT old
RETURN old {.id, .scope, .namespace, .content, .content_hash, .language, .tier, .author, .cited,
            .valid_from, .valid_to} AS note,
       COLLECT { MATCH (old)-[:SUPERSEDED_BY*1..20]->(later:Note)
                 WHERE NOT later.id IN $ids AND later.scope = old.scope
                 RETURN DISTINCT later.id } AS later

// name: turn_shelves(rows, at) write none
// Takes the locks that writers of some scopes and namespaces queue at, and counts a change: who has
// looked at the notes there before looks again.
// unscoped: shelves of a closure, whose scopes the service checks
UNWIND $rows AS row
MERGE (s:NoteShelf {id: row.id})
ON CREATE SET s.scope = row.scope, s.namespace = row.namespace, s.rev = 0
SET s.touched_at = $at, s.rev = s.rev + 1, s.unjoined = true

// name: hold_again(id, scope, at) write none
// A note that nothing ends any more, with its windows.
MATCH (n:Note {id: $id})
WHERE n.scope = $scope
SET n.standing = 'held', n.valid_to = datetime('9999-12-31T00:00:00Z'),
    n.superseded_at = datetime('9999-12-31T00:00:00Z'),
    n.live = n.expired_at > $at,
    n.facets = [facet IN n.facets WHERE facet <> 'live']
               + CASE WHEN n.expired_at > $at THEN ['live'] ELSE [] END
WITH n
MATCH (n)<-[:WINDOW_OF]-(w:Window)
SET w.live = n.live, w.facets = n.facets

// name: stay_ended(id, by, scope, until, reason, at) write none
// A note of the past whose end is another one from now on; it is known since both are.
MATCH (old:Note {id: $id})
WHERE old.scope = $scope
MATCH (new:Note {id: $by})
WHERE new.scope = $scope
SET old.valid_to = $until,
    old.superseded_at = CASE WHEN old.ingested_at > new.ingested_at THEN old.ingested_at
                             ELSE new.ingested_at END
MERGE (old)-[s:SUPERSEDED_BY]->(new)
SET s.reason = $reason, s.recorded_at = $at

// name: drop(ids) write one
// Notes with their former texts and windows.
// unscoped: members of a closure, whose scopes the service checks
CALL () {
  UNWIND $ids AS id
  MATCH (:Note {id: id})<-[:VERSION_OF]-(v:NoteVersion)
  DETACH DELETE v
  RETURN count(*) AS versions
}
CALL () {
  UNWIND $ids AS id
  MATCH (:Note {id: id})<-[:WINDOW_OF]-(w:Window)
  DETACH DELETE w
  RETURN count(*) AS windows
}
CALL () {
  UNWIND $ids AS id
  MATCH (n:Note {id: id})
  DETACH DELETE n
  RETURN count(*) AS notes
}
RETURN notes, versions, windows
