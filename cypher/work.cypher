// name: find(ids, scopes) read many
// Work items by id.
UNWIND $ids AS id
MATCH (n:WorkItem {id: id})
WHERE n.scope IN $scopes
RETURN n {.*} AS item

// name: lock(ids, scopes, at) write many
// Work items for writing: whoever comes second reads what the first one wrote.
UNWIND $ids AS id
MATCH (n:WorkItem {id: id})
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS item

// name: below(ids, scope, depth, limit) read many
// Items right below some others, which lie at one depth, by id.
MATCH (n:WorkItem)
WHERE n.parent_id IN $ids AND n.id > '' AND n.scope = $scope AND n.depth = $depth
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS item ORDER BY n.id

// name: page(scopes, state, assignee, parent, roots, tag, text, after, limit) read many
// Work items of some scopes, by id.
MATCH (n:WorkItem)
WHERE n.scope IN $scopes AND n.id > $after
  AND ($state IS NULL OR n.state = $state) AND ($assignee IS NULL OR n.assignee = $assignee)
  AND ($parent IS NULL OR n.parent_id = $parent) AND (NOT $roots OR n.parent_id IS NULL)
  AND ($tag IS NULL OR $tag IN n.labels) AND ($text IS NULL OR n.lower CONTAINS $text)
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS item ORDER BY n.id

// name: lock_memory(id, scopes, at) write optional
// An episode, note, fact or page for a link to it: an erasure waits for the link, and takes it too.
CALL () {
  MATCH (n:Passage {id: $id}) WHERE n:Episode RETURN n, 'episode' AS kind
  UNION
  MATCH (n:Note {id: $id}) RETURN n, 'note' AS kind
  UNION
  MATCH (n:Fact {id: $id}) RETURN n, 'fact' AS kind
  UNION
  MATCH (n:Page {id: $id}) RETURN n, 'page' AS kind
}
WITH n, kind
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n, kind WHERE n.id IS NOT NULL
RETURN n.id AS id, kind, n.scope AS scope

// name: links(id, scope, scopes) read many
// Links of an item to memories that are there and visible.
MATCH (l:WorkLink)
WHERE l.whole = $id AND l.scope = $scope AND l.id > ''
CALL (l) {
  MATCH (n:Passage {id: l.refers}) WHERE n:Episode RETURN n.scope AS place
  UNION
  MATCH (n:Note {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Fact {id: l.refers}) RETURN n.scope AS place
  UNION
  MATCH (n:Page {id: l.refers}) RETURN n.scope AS place
}
WITH l, place
WHERE place IN $scopes
RETURN l {.*} AS link ORDER BY l.linked_at, l.id

// name: parts(ids, scope) read many
// Ids of the links of some items, and of those of goals to them, wherever the goals are.
UNWIND $ids AS id
CALL (id) {
  MATCH (l:WorkLink)
  WHERE l.whole = id AND l.id > '' AND l.scope = $scope
  RETURN l.id AS link
  UNION
  MATCH (l:Declared {refers: id})
  WHERE l:GoalLink
  RETURN l.id AS link
}
RETURN link AS id

// name: scope_is_there(scope, at) write optional
// A scope for a new item in it: it is not deleted meanwhile.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN s.path AS path

// name: tell(events) write none
// Audit events about work items.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
