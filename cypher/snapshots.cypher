// name: statistics(scope, at) read one
// How much of each kind a scope holds that is not hidden.
RETURN
  COUNT { MATCH (n:Passage) WHERE n.scope = $scope AND n.id > '' AND n:Episode
            AND n.expired_at > $at } AS episodes,
  COUNT { MATCH (n:Document) WHERE n.scope = $scope AND n.id > '' } AS documents,
  COUNT { MATCH (n:Page) WHERE n.scope = $scope AND n.id > '' AND n.live } AS pages,
  COUNT { MATCH (n:Entity) WHERE n.scope = $scope AND n.id > '' AND n.root = n.id
            AND n.expired_at > $at } AS entities,
  COUNT { MATCH (n:Fact) WHERE n.scope = $scope AND n.status = 'active'
            AND n.expired_at > $at } AS facts,
  COUNT { MATCH (n:Fact) WHERE n.scope = $scope AND n.status = 'quarantined'
            AND n.expired_at > $at } AS quarantined,
  COUNT { MATCH (n:Note) WHERE n.scope = $scope AND n.standing = 'held'
            AND n.expired_at > $at } AS notes,
  COUNT { MATCH (n:Skill) WHERE n.scope = $scope AND n.id > '' AND n.status = 'active'
            AND n.expired_at > $at } AS skills

// name: skills(scope, at, limit) read many
// The active skills of a scope, by name.
MATCH (n:Skill)
WHERE n.scope = $scope AND n.id > '' AND n.status = 'active' AND n.expired_at > $at
RETURN n.name AS name, n.category AS category, n.version AS version,
       n.description AS description
ORDER BY name, category, version, description LIMIT $limit

// name: notes(scope, namespace, at, limit) read many
// What the notes of a namespace say that are held, by their words.
MATCH (n:Note)
WHERE n.scope = $scope AND n.standing = 'held' AND n.namespace = $namespace
  AND n.expired_at > $at AND n.valid_from <= $at AND n.valid_to > $at
  AND (n.cited IS NULL
       OR n.cited = COUNT { (n)-[:DERIVED_FROM]->(f:Fact|Passage) WHERE f.expired_at > datetime.realtime() })
RETURN n.title AS title, n.content AS content
ORDER BY content, title LIMIT $limit

// name: facts(scope, at, limit) read many
// What is believed in a scope, by its words.
MATCH (n:Fact)
WHERE n.scope = $scope AND n.status = 'active' AND n.expired_at > $at
  AND EXISTS { (n)-[a:ABOUT]->(:Entity) WHERE a.standing = 'held'
               AND a.valid_from <= $at AND a.valid_to > $at AND a.retracted_at > $at }
RETURN n.statement AS content ORDER BY content LIMIT $limit

// name: stored(scope) read many
// The snapshot that was taken of a scope.
MATCH (n:Snapshot)
WHERE n.scope = $scope
RETURN n {.*} AS snapshot

// name: drop_all(scopes, at, no_text) write one
// Snapshots of some scopes go, and pages of days lose their text and are made again, since they
// quote what is erased. The scopes are locked first, so that none is taken meanwhile of what was
// there before.
CALL () {
  MATCH (s:Scope)
  WHERE s.path IN $scopes
  SET s.touched_at = $at
}
CALL () {
  MATCH (n:Snapshot)
  WHERE n.scope IN $scopes
  DETACH DELETE n
  RETURN count(n) AS snapshots
}
CALL () {
  MATCH (n:DayPage)
  WHERE n.scope IN $scopes AND n.day >= ''
  SET n.text = '', n.sha256 = $no_text, n.due = true,
      n.words = NULL, n.words_key = NULL, n.worded_by = NULL
  RETURN count(n) AS pages
}
RETURN snapshots + pages AS snapshots

// name: held_day(scope, day) read many
// The page of a day, also one that is to be made anew.
MATCH (n:DayPage)
WHERE n.scope = $scope AND n.day = $day
RETURN n {.*} AS page

// name: begin_day(scope, day) write none
// The page of a day is made anew: whoever forgets a text of that day waits, and marks it again. What
// a model said of the texts that were there before goes.
MATCH (n:DayPage)
WHERE n.scope = $scope AND n.day = $day
FOREACH (_ IN CASE WHEN n.due THEN [1] ELSE [] END |
  SET n.words = NULL, n.words_key = NULL, n.worded_by = NULL)
SET n.due = NULL

// name: due_days(after, limit) read many
// Pages of days that are to be made anew, by id.
// unscoped: upkeep of the whole installation
MATCH (n:DayPage)
USING INDEX n:DayPage(due, id)
WHERE n.due = true AND n.id > $after
RETURN n.id AS id, n.scope AS scope, n.day AS day ORDER BY id LIMIT $limit

// name: days(scope, day, before, limit) read many
// The pages of days of a scope, the newest first, or that of one day, without those that are to be
// made anew.
MATCH (n:DayPage)
WHERE n.scope = $scope AND n.day < $before AND ($day IS NULL OR n.day = $day) AND n.due IS NULL
WITH n ORDER BY n.day DESC LIMIT $limit
RETURN n {.*} AS page ORDER BY page.day DESC

// name: spoken(scope, rows) read many
// Those of some days on which something was said in a scope that is not hidden, or that have a page.
UNWIND $rows AS row
CALL (row) {
  MATCH (e:DayPage)
  WHERE e.scope = $scope AND e.day = row.day
  RETURN e
  UNION
  MATCH (e:Passage)
  WHERE e.scope = $scope AND e.captured_at >= row.since AND e.captured_at < row.until
    AND e:Episode AND e.live AND e.expired_at > datetime.realtime()
  RETURN e LIMIT 1
}
RETURN DISTINCT row.day AS day

// name: said_on(scope, since, until, limit) read many
// What was said in a scope within some time, in order, without what was discarded, what is not
// trusted and what few may read.
MATCH (e:Passage)
WHERE e.scope = $scope AND e.captured_at >= $since AND e.captured_at < $until
  AND e:Episode AND e.live AND e.expired_at > datetime.realtime()
  AND coalesce(e.privacy, 0) = 0 AND size(coalesce(e.flags, [])) = 0 AND size(e.marker_ids) = 0
  AND NOT EXISTS { MATCH (m:ConversationMessage {refers: e.id}) WHERE m.verdict = 'discard' }
WITH e ORDER BY e.captured_at, e.id LIMIT $limit
RETURN e.captured_at AS at, e.speaker AS speaker, e.session AS session,
       substring(e.content, 0, 2000) AS content,
       e.language AS language, e.id AS id ORDER BY at, id

// name: drop_day(id, scope) write none
// The page of a day of which nothing is left.
MATCH (n:DayPage {id: $id})
WHERE n.scope = $scope
DETACH DELETE n
