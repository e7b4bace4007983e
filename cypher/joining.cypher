// name: unjoined(scopes, after, limit) read many
// Shelves of written notes that were written to since their notes were joined, by id.
MATCH (s:NoteShelf {unjoined: true})
WHERE s.id > $after AND ($scopes IS NULL OR s.scope IN $scopes)
  AND s.namespace IN ['knowledge', 'methods', 'project-state', 'learnings']
WITH s ORDER BY s.id LIMIT $limit
RETURN s {.id, .scope, .namespace, .rev} AS shelf ORDER BY shelf.id

// name: held(scope, namespace, after, limit) read many
// The notes of a shelf that hold now, by id; what is pinned is left alone, and what was read out of
// a turn, with which it goes.
MATCH (n:Note)
WHERE n.scope = $scope AND n.id > $after AND n.namespace = $namespace AND n.standing = 'held'
  AND n.expired_at > datetime.realtime() AND n.valid_to > datetime.realtime()
  AND n.valid_from <= datetime.realtime()
  AND n.cited IS NULL AND NOT coalesce(n.is_pinned, false)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.id, .content, .language, .author, .tier, .confirmations, .valid_from} AS note
ORDER BY note.id

// name: spoke(authors, since) read many
// Those of some authors who said something in a conversation since a moment.
// unscoped: the worker serves every tenant, and learns of nothing but that
UNWIND $authors AS author
MATCH (c:Conversation)
WHERE c.agent = author AND c.changed_at > $since
RETURN DISTINCT author

// name: join(rows, scope, reason, at) write many
// Notes that another one stands for from now on: both hold as above, or nothing is done. What was
// confirmed of the one that goes counts for the one that stays, which has the higher level of both.
UNWIND $rows AS row
MATCH (gone:Note {id: row.id})
WHERE gone.scope = $scope
MATCH (kept:Note {id: row.by})
WHERE kept.scope = $scope
  AND all(n IN [kept, gone] WHERE n.standing = 'held' AND n.cited IS NULL
          AND NOT coalesce(n.is_pinned, false) AND n.valid_from <= datetime.realtime()
          AND n.valid_to > datetime.realtime() AND n.expired_at > datetime.realtime())
SET gone.standing = 'superseded', gone.live = false, gone.reason = $reason,
    gone.valid_to = CASE WHEN gone.valid_from > kept.valid_from THEN gone.valid_from ELSE $at END,
    gone.superseded_at = $at, gone.updated_at = $at,
    gone.facets = [facet IN gone.facets WHERE facet <> 'live'],
    kept.confirmations = kept.confirmations + gone.confirmations,
    kept.confidence = CASE WHEN gone.confidence > kept.confidence THEN gone.confidence
                           ELSE kept.confidence END,
    kept.privacy = CASE WHEN coalesce(gone.privacy, 0) > coalesce(kept.privacy, 0) THEN gone.privacy
                        ELSE kept.privacy END,
    kept.updated_at = $at
MERGE (gone)-[s:SUPERSEDED_BY]->(kept)
SET s.reason = $reason, s.recorded_at = $at
WITH gone
CALL (gone) {
  MATCH (w:Window)-[:WINDOW_OF]->(gone)
  SET w.live = false, w.facets = gone.facets
}
RETURN gone.id AS id

// name: tell(event) write none
// The audit event of what was joined.
// unscoped: the service names the scope in the event
MERGE (a:AuditEvent {id: $event.id})
SET a = $event

// name: mark(id, scope, done) write none
// The notes of a shelf are joined until somebody writes there, unless some are to be looked at again.
MATCH (s:NoteShelf {id: $id})
WHERE s.scope = $scope AND $done
REMOVE s.unjoined
