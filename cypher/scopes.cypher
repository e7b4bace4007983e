// name: save_scopes(rows, creator, role, audit) write many
// Scopes with their parents, widest first; one that exists keeps its policy and name, in one that
// is new the principal that made it has $role.
// unscoped: the service has checked each path against the caller
UNWIND $rows AS row
MERGE (s:Scope {path: row.path})
ON CREATE SET s.tenant = row.tenant, s.kind = row.kind, s.name = row.name,
              s.policy = row.policy, s.created_at = row.created_at, s.created_with = $audit.id
WITH s, row
CALL (s, row) {
  MATCH (p:Scope {path: row.parent})
  MERGE (s)-[:WITHIN]->(p)
}
WITH s WHERE s.created_with = $audit.id
CALL (s) {
  MATCH (p:Principal {id: $creator})
  MERGE (p)-[g:GRANTED]->(s)
  SET g.role = $role, g.subtree = false
}
WITH collect(s) AS made
FOREACH (_ IN CASE size(made) WHEN 0 THEN [] ELSE [1] END |
  CREATE (a:AuditEvent) SET a = $audit
  FOREACH (s IN made | CREATE (a)-[:AUDIT]->(s)))
WITH made UNWIND made AS s
RETURN s.path AS path

// name: granted(path, principal) read optional
// The role that a principal was given in a scope.
// unscoped: a principal's own leaf
MATCH (:Principal {id: $principal})-[g:GRANTED]->(s:Scope {path: $path})
RETURN g.role AS role

// name: is_principal(id) read one
// Whether somebody in the tenant has this name.
// unscoped: a name below a scope that the caller writes to
RETURN EXISTS { MATCH (:Principal {id: $id}) } AS known

// name: get_scope(path) read optional
// unscoped: $path itself, which the service has checked
MATCH (s:Scope {path: $path})
RETURN s.path AS path, s.tenant AS tenant, s.kind AS kind, s.name AS name, s.policy AS policy,
       s.created_at AS created_at

// name: list_scopes(scopes) read many
UNWIND $scopes AS path
MATCH (s:Scope {path: path})
RETURN s.path AS path, s.tenant AS tenant, s.kind AS kind, s.name AS name, s.policy AS policy,
       s.created_at AS created_at
ORDER BY s.path

// name: lock_scope(path, at) write optional
// One scope for writing: whoever changes it first is done before the next one reads it.
// unscoped: $path itself, which the service has checked
MATCH (s:Scope {path: $path})
SET s.touched_at = $at
RETURN s.path AS path

// name: policies(paths) read many
// The sanitising policies along one path, widest first.
// unscoped: a path and its own ancestors
MATCH (s:Scope)
WHERE s.path IN $paths AND s.policy IS NOT NULL
RETURN s.path AS path, s.policy AS policy
ORDER BY size(s.path)

// name: set_policy(path, policy, audit) write optional
// unscoped: $path itself, which the service has checked
MATCH (s:Scope {path: $path})
SET s.policy = $policy
CREATE (a:AuditEvent)-[:AUDIT]->(s)
SET a = $audit
RETURN s.path AS path, s.policy AS policy

// name: rules(paths) read many
// The rules along one path, widest first.
// unscoped: a path and its own ancestors
MATCH (s:Scope)
WHERE s.path IN $paths AND s.rules IS NOT NULL
RETURN s.path AS path, s.rules AS rules
ORDER BY size(s.path)

// name: set_rules(path, rules, audit) write optional
// unscoped: $path itself, which the service has checked
MATCH (s:Scope {path: $path})
SET s.rules = $rules
CREATE (a:AuditEvent)-[:AUDIT]->(s)
SET a = $audit
RETURN s.path AS path, s.rules AS rules

// name: every(after, limit) read many
// Scopes by path.
// unscoped: upkeep of the whole installation
MATCH (s:Scope)
WHERE s.path > $after
RETURN s.path AS path ORDER BY s.path LIMIT $limit

// name: of_tenant(tenant) read many
// Every scope of one tenant: for the operator's command line.
// unscoped: a whole tenant
MATCH (s:Scope {tenant: $tenant})
RETURN s.path AS path
ORDER BY path

// name: paths(tenant) read one
// Every scope of one tenant in one row.
// unscoped: a whole tenant; what a reader does not see is kept out by his own list
MATCH (s:Scope {tenant: $tenant})
RETURN collect(s.path) AS paths

// name: settings_of(scopes) read many
// What scopes set of the agent's memory, with the versions before.
UNWIND $scopes AS scope
MATCH (n:WorkspaceSettings {scope: scope})
RETURN n {.*} AS settings

// name: settings_values(scopes) read many
// What scopes set of the agent's memory, without the versions before.
UNWIND $scopes AS scope
MATCH (n:WorkspaceSettings {scope: scope})
RETURN n.scope AS scope, n.values AS values

// name: tell(events) write none
// Audit events about settings.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
