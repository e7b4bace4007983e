// name: find(ids, scopes) read many
// Tables by id.
UNWIND $ids AS id
MATCH (n:DataTable {id: id})
WHERE n.scope IN $scopes
RETURN n {.*} AS item

// name: lock(ids, scopes, at) write many
// Tables for writing: whoever comes second reads what the first one wrote.
UNWIND $ids AS id
MATCH (n:DataTable {id: id})
WHERE n.scope IN $scopes
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n {.*} AS item

// name: page(scopes, after, limit) read many
// Tables of some scopes, by id, each with its rows.
MATCH (n:DataTable)
WHERE n.scope IN $scopes AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.*} AS item,
       COUNT { MATCH (r:DataRow) WHERE r.whole = n.id AND r.live = true AND r.scope = n.scope } AS rows
ORDER BY n.id

// name: lock_scope(scope, at) write optional
// A scope for a new table in it: it is not deleted meanwhile, and two count its tables in turn.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN COUNT { MATCH (n:DataTable) WHERE n.scope = $scope AND n.id > '' } AS tables

// name: rows_now(id, scope) read many
// The present rows of a table.
MATCH (r:DataRow)
WHERE r.whole = $id AND r.live = true AND r.scope = $scope
RETURN r.id AS id, r.row_id AS row, r.cells AS cells, r.recorded_at AS recorded_at,
       r.recorded_by AS recorded_by

// name: rows_at(id, scope, at) read many
// The rows of a table as they were known at a moment.
MATCH (r:DataRow)
WHERE r.whole = $id AND r.recorded_at <= $at AND r.scope = $scope
  AND (r.retracted_at IS NULL OR r.retracted_at > $at)
RETURN r.id AS id, r.row_id AS row, r.cells AS cells, r.recorded_at AS recorded_at,
       r.recorded_by AS recorded_by

// name: versions(id, scope, row, limit) read many
// The versions of a row that are kept, newest first.
MATCH (r:DataRow)
WHERE r.whole = $id AND r.row_id = $row AND r.scope = $scope
WITH r ORDER BY r.recorded_at DESC LIMIT $limit
RETURN r {.*} AS item ORDER BY r.recorded_at DESC

// name: lock_rows(id, scope, rows, at) write many
// Present rows of a table for writing: an erasure that changes one of them waits, or was before.
UNWIND $rows AS row
MATCH (r:DataRow)
WHERE r.whole = $id AND r.row_id = row AND r.scope = $scope AND r.live = true
SET r.touched_at = $at
WITH r WHERE r.id IS NOT NULL
RETURN r {.*} AS item

// name: size(id, scope) read one
// How many present rows a table has, and their bytes.
OPTIONAL MATCH (r:DataRow)
WHERE r.whole = $id AND r.live = true AND r.scope = $scope
RETURN count(r) AS rows, coalesce(sum(r.size), 0) AS bytes

// name: prune(id, scope, keep) write one
// Take the oldest former versions of a table's rows out, beyond those that are kept.
MATCH (r:DataRow)
WHERE r.whole = $id AND r.retracted_at > datetime('0001-01-01T00:00:00Z') AND r.scope = $scope
WITH r ORDER BY r.retracted_at DESC, r.id SKIP $keep
DETACH DELETE r
RETURN count(*) AS removed

// name: parts(id, scope) read many
// Ids of all versions of a table's rows.
MATCH (r:DataRow)
WHERE r.whole = $id AND r.recorded_at > datetime('0001-01-01T00:00:00Z') AND r.scope = $scope
RETURN r.id AS id

// name: bearers(aliases, scope) read many
// Whom some names mean in a scope; a table is no such thing.
UNWIND $aliases AS alias
MATCH (a:Alias {id: alias})-[:NAMES]->(e:Entity)
WHERE e.scope = $scope AND e.expired_at > datetime.realtime() AND e.type <> 'collection'
RETURN alias, collect(DISTINCT e.root) AS roots, min(e.id) AS entity

// name: link(rows) write none
// What has data in present rows, and in nothing else of them any more.
// unscoped: the caller holds the rows; no edge leaves their scope
UNWIND $rows AS row
MATCH (r:DataRow {id: row.id})
REMOVE r.unlinked
WITH r, row
CALL (r, row) {
  MATCH (e:Entity)-[d:HAS_DATA_IN]->(r)
  WHERE NOT e.id IN row.entities
  DELETE d
}
CALL (r, row) {
  UNWIND row.entities AS id
  MATCH (e:Entity {id: id})
  WHERE e.scope = r.scope AND r.live = true
  MERGE (e)-[:HAS_DATA_IN]->(r)
}

// name: link_table(id, entity) write none
// The entity that stands for a table, with its edge.
// unscoped: the caller holds the table; no edge leaves its scope
MATCH (t:DataTable {id: $id})
REMOVE t.unlinked
WITH t
MATCH (e:Entity {id: $entity})
WHERE e.scope = t.scope
MERGE (e)-[:HAS_DATA_IN]->(t)

// name: unlink(ids) write none
// Former versions of rows are data of nobody.
// unscoped: the caller holds the lock of each
UNWIND $ids AS id
MATCH (r:DataRow {id: id})<-[d:HAS_DATA_IN]-(:Entity)
DELETE d

// name: unlinked(after, limit) read many
// Tables and rows that are to be linked, as after an import.
// unscoped: asked by a schedule for every tenant
MATCH (n:Declared)
USING INDEX SEEK n:Declared(unlinked, id)
WHERE n.unlinked = true AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, n.kind AS kind, n {.*} AS item ORDER BY n.id

// name: relink_scopes(after, limit) read many
// Scopes with tables, by path, whose rows are linked anew.
// unscoped: asked by a schedule for every tenant
MATCH (t:DataTable)
USING INDEX SEEK t:DataTable(scope, id)
WHERE t.scope > $after AND t.id IS NOT NULL
WITH DISTINCT t.scope AS scope ORDER BY scope LIMIT $limit
RETURN scope ORDER BY scope

// name: rows_after(scope, after, limit) read many
// Present rows of a scope, by id.
MATCH (r:DataRow)
WHERE r.scope = $scope AND r.id > $after AND r.live = true
WITH r ORDER BY r.id LIMIT $limit
RETURN r {.*} AS item ORDER BY r.id

// name: lock_linked(ids, at) write many
// Tables and rows that are being linked.
// unscoped: asked by a schedule for every tenant
UNWIND $ids AS id
MATCH (n:Declared {id: id})
SET n.touched_at = $at
WITH n WHERE n.id IS NOT NULL
RETURN n.kind AS kind, n {.*} AS item ORDER BY n.id

// name: hints(roots, scopes, fan) read many
// The newest rows that entities have data in, each with its table; a table that stands for itself
// has no row.
UNWIND $roots AS root
MATCH (e:Entity {root: root})
WHERE e.scope IN $scopes
CALL (e) {
  MATCH (e)-[:HAS_DATA_IN]->(r:DataRow)
  WHERE r.scope = e.scope AND r.live = true
  WITH r ORDER BY r.recorded_at DESC, r.id LIMIT $fan
  MATCH (r)-[:PART_OF]->(t:DataTable)
  WHERE t.scope = r.scope
  RETURN t, r.id AS row, r.cells AS cells, r.recorded_at AS at
  UNION ALL
  MATCH (e)-[:HAS_DATA_IN]->(t:DataTable)
  WHERE t.scope = e.scope
  RETURN t, null AS row, null AS cells, null AS at
}
RETURN root, e.scope AS scope, t {.id, .name, .columns} AS item, row, cells, at
ORDER BY root, at DESC, row

// name: recent(scope, limit) read many
// The newest episodes of a scope.
MATCH (p:Passage)
WHERE p.scope = $scope AND p.captured_at > datetime('0001-01-01T00:00:00Z') AND p:Episode AND p.live
WITH p ORDER BY p.captured_at DESC, p.id LIMIT $limit
RETURN p.id AS id, p.content AS content, p.captured_at AS captured_at
ORDER BY p.captured_at DESC, p.id

// name: columns_of(scope) read many
// The tables of a scope, by name and columns.
MATCH (n:DataTable)
WHERE n.scope = $scope AND n.id > ''
RETURN n {.*} AS item ORDER BY n.id

// name: tell(events) write none
// Audit events about tables.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
