// name: lock(id, scopes, at) write optional
// A note that is rated: an erasure of it waits, and takes the rating too.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
SET n.touched_at = $at
RETURN n.scope AS scope

// name: held(id, scope) read many
// A rating by its id.
MATCH (r:NoteRating {id: $id})
WHERE r.scope = $scope
RETURN r {.*} AS rating

// name: of_note(id, scopes, rater) read optional
// How a note is rated, and what one of its readers gave it.
MATCH (n:Note {id: $id})
WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
CALL (n) {
  MATCH (r:NoteRating)
  WHERE r.refers = n.id AND r.id > '' AND r.scope = n.scope
  RETURN count(r) AS count, avg(r.stars) AS mean,
         head([stars IN collect(CASE WHEN r.rater = $rater THEN r.stars END) | stars]) AS own
}
RETURN count, mean, own

// name: put(rating, scope, event) write none
// A rating in the place of what the same reader gave before, with its audit event.
MERGE (r:Declared {id: $rating.id})
SET r = $rating, r:NoteRating, r.scope = $scope
MERGE (a:AuditEvent {id: $event.id})
SET a = $event
