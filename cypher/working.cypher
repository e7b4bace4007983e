// name: hold_tenant(tenant, at) write one
// Whoever writes copies of a tenant's working memory queues here.
MATCH (s:Scope {path: $tenant})
SET s.touched_at = $at
RETURN coalesce(s.working_mark, '') AS mark

// name: mark(tenant) read one
// What each erasure changes that takes copies of a tenant's working memory out.
MATCH (s:Scope {path: $tenant})
RETURN coalesce(s.working_mark, '') AS mark

// name: renew_mark(tenant, mark, at) write none
// Locks the copies of a tenant for an erasure, and lets none be written of what was read before.
MATCH (s:Scope {path: $tenant})
SET s.touched_at = $at, s.working_mark = $mark

// name: copied(tenant, agent, scope, task, at) read one
// Bytes of the copies that are kept, without those of one task, which are about to be replaced.
// unscoped: the bound holds over all scopes of the tenant
MATCH (c:WorkingCopy {tenant: $tenant})
WHERE c.author > '' AND c.expires_at > $at
  AND NOT (c.author = $agent AND c.scope = $scope AND c.task = $task)
RETURN coalesce(sum(c.size), 0) AS of_tenant,
       coalesce(sum(CASE c.author WHEN $agent THEN c.size END), 0) AS of_agent

// name: replace(tenant, agent, scope, task, rows, audit) write one
// The copy of one task; what was copied of it before goes.
CALL () {
  MATCH (c:WorkingCopy {tenant: $tenant, author: $agent})
  WHERE c.scope = $scope AND c.task = $task
  DETACH DELETE c
}
CALL () {
  UNWIND $rows AS row
  CREATE (c:WorkingCopy)
  SET c = row
  RETURN count(*) AS copied
}
MERGE (a:AuditEvent {id: $audit.id})
SET a = $audit
RETURN copied

// name: copy_of(tenant, agent, scope, task, at) read many
// The copy of one task.
MATCH (c:WorkingCopy {tenant: $tenant, author: $agent})
WHERE c.scope = $scope AND c.task = $task AND c.expires_at > $at
RETURN c.key AS key, c.content AS content, c.size AS size, c.expires_at AS expires_at ORDER BY key

// name: drop_copy(tenant, agent, scope, task, audit) write one
// Takes the copy of one task out.
CALL () {
  MATCH (c:WorkingCopy {tenant: $tenant, author: $agent})
  WHERE c.scope = $scope AND c.task = $task
  DETACH DELETE c
  RETURN count(*) AS dropped
}
CALL (dropped) {
  WITH dropped WHERE dropped > 0
  MERGE (a:AuditEvent {id: $audit.id})
  SET a = $audit
}
RETURN dropped

// name: expire(at) batched one
// unscoped: upkeep of the whole installation
MATCH (c:WorkingCopy) WHERE c.expires_at <= $at
CALL (c) { DETACH DELETE c } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed

// name: expired(at) read one
// How many copies that is.
// unscoped: upkeep of the whole installation
MATCH (c:WorkingCopy) WHERE c.expires_at <= $at
RETURN count(c) AS removed

// name: drop_of(tenant, agents) write one
// The copies of some agents in every scope.
MATCH (c:WorkingCopy {tenant: $tenant})
WHERE c.author IN $agents
DETACH DELETE c
RETURN count(*) AS copies

// name: texts(scopes, whole) read many
// What is copied in some scopes; the values where they are asked for.
MATCH (c:WorkingCopy)
WHERE c.scope IN $scopes AND c.id > ''
RETURN c.id AS id, c.tenant AS tenant, c.scope AS scope, c.author AS author, c.task AS task,
       c.key AS key, c.content_hash AS content_hash,
       CASE WHEN $whole THEN c.content END AS content ORDER BY id

// name: drop_copies(rows, scopes) write many
// Some copies, each unless another value was copied in its place; the ids of those that went.
UNWIND $rows AS row
MATCH (c:WorkingCopy {id: row.id})
WHERE c.scope IN $scopes AND c.content_hash = row.content_hash
DETACH DELETE c
RETURN row.id AS id

// name: principal(id, tenant) read optional
// Whether an agent or user of a tenant is there.
MATCH (p:Principal {id: $id, tenant: $tenant})
WHERE p.retired_at IS NULL
RETURN p.id AS id

// name: wrote(event) write none
// An audit event, unless it is there already.
// unscoped: the service has checked the scope of $event
MERGE (a:AuditEvent {id: $event.id})
ON CREATE SET a = $event
