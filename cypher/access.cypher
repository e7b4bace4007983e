// name: resolve_key(hash) read optional
// The principal behind a key and every scope it was given, with the role in each.
// unscoped: the key is what tells the scopes
MATCH (k:ApiKey {hash: $hash})-[:KEY_OF]->(p:Principal)
USING INDEX k:ApiKey(hash)
RETURN k.id AS key, k.role AS role, k.expires_at AS expires_at, k.revoked_at AS revoked_at,
       k.rate_per_minute AS rate_per_minute, p.id AS principal, p.kind AS kind, p.name AS name,
       p.tenant AS tenant, p.retired_at AS retired_at, k.last_used_at AS last_used_at,
       COLLECT {
         MATCH (p)-[g:HOME|GRANTED|MEMBER_OF]->(s:Scope)
         WHERE s.tenant = p.tenant
         RETURN {path: s.path, role: g.role, home: type(g) = 'HOME',
                 subtree: coalesce(g.subtree, false),
                 below: CASE WHEN g.subtree
                   THEN COLLECT { MATCH (x:Scope)-[:WITHIN*1..2]->(s) RETURN x.path }
                   ELSE [] END}
       } AS grants

// name: resolve_asker(key, principal) read optional
// The same of the key by which a principal once asked for a job.
// unscoped: the key is what tells the scopes
MATCH (k:ApiKey {id: $key})-[:KEY_OF]->(p:Principal {id: $principal})
USING INDEX k:ApiKey(id)
RETURN k.id AS key, k.role AS role, k.expires_at AS expires_at, k.revoked_at AS revoked_at,
       k.rate_per_minute AS rate_per_minute, p.id AS principal, p.kind AS kind, p.name AS name,
       p.tenant AS tenant, p.retired_at AS retired_at, k.last_used_at AS last_used_at,
       COLLECT {
         MATCH (p)-[g:HOME|GRANTED|MEMBER_OF]->(s:Scope)
         WHERE s.tenant = p.tenant
         RETURN {path: s.path, role: g.role, home: type(g) = 'HOME',
                 subtree: coalesce(g.subtree, false),
                 below: CASE WHEN g.subtree
                   THEN COLLECT { MATCH (x:Scope)-[:WITHIN*1..2]->(s) RETURN x.path }
                   ELSE [] END}
       } AS grants

// name: touch_key(id, at) write none
// When a key was last seen, to the hour.
// unscoped: found by the key's own id
MATCH (k:ApiKey {id: $id})
WHERE k.last_used_at IS NULL OR k.last_used_at < $at - duration('PT1H')
SET k.last_used_at = $at

// name: save_principal(principal, home, role, subtree, scopes, trees, audit) write optional
// A principal of one tenant with its home; a second call with the same id changes only what is
// given, and only where its present home is among $scopes or below one of $trees.
// unscoped: the caller's service has checked the scope named by $home
MATCH (s:Scope {path: $home})
WHERE s.tenant = $principal.tenant
OPTIONAL MATCH (:Principal {id: $principal.id})-[:HOME]->(was:Scope)
WITH s, was
WHERE was IS NULL OR was.path IN $scopes
   OR any(tree IN $trees WHERE was.path = tree OR was.path STARTS WITH tree + '/')
WITH DISTINCT s
MERGE (p:Principal {id: $principal.id})
ON CREATE SET p.created_at = $principal.created_at
SET p += $principal
FOREACH (_ IN CASE $principal.kind WHEN 'agent' THEN [1] ELSE [] END | SET p:Agent)
FOREACH (_ IN CASE $principal.kind WHEN 'user' THEN [1] ELSE [] END | SET p:User)
WITH p, s
OPTIONAL MATCH (p)-[old:HOME]->(other:Scope) WHERE other.path <> s.path
DELETE old
WITH DISTINCT p, s
MERGE (p)-[h:HOME]->(s)
SET h.role = $role, h.subtree = $subtree
CREATE (a:AuditEvent)-[:AUDIT]->(p)
SET a = $audit
RETURN p.id AS id, p.kind AS kind, p.name AS name, s.path AS home, h.role AS role

// name: list_principals(tenant, scopes) read many
// The principals whose home the caller can see.
MATCH (p:Principal {tenant: $tenant})-[h:HOME]->(s:Scope)
WHERE s.path IN $scopes
RETURN p.id AS id, p.kind AS kind, p.name AS name, s.path AS home, h.role AS role,
       p.model_family AS model_family, p.created_at AS created_at, p.trust AS trust,
       p.trust_at AS trust_at,
       COLLECT { MATCH (p)-[g:GRANTED|MEMBER_OF]->(t:Scope)
                 WHERE t.path IN $scopes
                 RETURN {scope: t.path, role: g.role, subtree: coalesce(g.subtree, false),
                         member: type(g) = 'MEMBER_OF'} } AS grants
ORDER BY p.kind, p.name

// name: grant(principal, tenant, scope, role, subtree, audit) write optional
// Gives a principal a role in a scope of its own tenant; a team's leaf makes it a member.
MATCH (p:Principal {id: $principal, tenant: $tenant})
MATCH (s:Scope {path: $scope, tenant: $tenant})
FOREACH (_ IN CASE s.kind WHEN 'team' THEN [1] ELSE [] END |
  MERGE (p)-[g:MEMBER_OF]->(s) SET g.role = $role, g.subtree = $subtree)
FOREACH (_ IN CASE s.kind WHEN 'team' THEN [] ELSE [1] END |
  MERGE (p)-[g:GRANTED]->(s) SET g.role = $role, g.subtree = $subtree)
CREATE (a:AuditEvent)-[:AUDIT]->(p)
SET a = $audit
RETURN p.id AS principal, s.path AS scope, $role AS role

// name: withdraw(principal, tenant, scope, audit) write optional
// Takes a grant or a membership back.
MATCH (p:Principal {id: $principal, tenant: $tenant})-[g:GRANTED|MEMBER_OF]->(s:Scope {path: $scope})
DELETE g
CREATE (a:AuditEvent)-[:AUDIT]->(p)
SET a = $audit
RETURN p.id AS principal, s.path AS scope

// name: save_key(principal, tenant, scopes, trees, key, audit) write optional
// A key of a principal whose every scope is among $scopes or below one of $trees, so that a key
// opens nothing that its maker does not administer; sent again by the driver, it is one key.
MATCH (p:Principal {id: $principal, tenant: $tenant})
WHERE NOT EXISTS {
  MATCH (p)-[g:HOME|GRANTED|MEMBER_OF]->(s:Scope)
  WHERE NOT any(tree IN $trees WHERE s.path = tree OR s.path STARTS WITH tree + '/')
    AND (coalesce(g.subtree, false) OR NOT s.path IN $scopes)
}
MATCH (p)-[:HOME]->(home:Scope)
MERGE (k:ApiKey {id: $key.id})
SET k = $key
MERGE (k)-[:KEY_OF]->(p)
CREATE (a:AuditEvent)-[:AUDIT]->(p)
SET a = $audit, a.scope = home.path
RETURN k.id AS id, p.id AS principal

// name: list_keys(tenant, scopes) read many
// Keys, without hashes, of the principals whose home is among $scopes.
MATCH (k:ApiKey)-[:KEY_OF]->(p:Principal {tenant: $tenant})-[:HOME]->(s:Scope)
WHERE s.path IN $scopes
RETURN k.id AS id, k.prefix AS prefix, k.name AS name, k.role AS role, p.id AS principal,
       k.created_at AS created_at, k.expires_at AS expires_at, k.revoked_at AS revoked_at,
       k.last_used_at AS last_used_at, k.rate_per_minute AS rate_per_minute
ORDER BY k.created_at

// name: revoke_key(id, tenant, scopes, trees, at, audit) write optional
// A revoked key answers no more; revoking twice keeps the first moment.
MATCH (k:ApiKey {id: $id})-[:KEY_OF]->(p:Principal {tenant: $tenant})-[:HOME]->(s:Scope)
WHERE s.path IN $scopes
   OR any(tree IN $trees WHERE s.path = tree OR s.path STARTS WITH tree + '/')
SET k.revoked_at = coalesce(k.revoked_at, $at)
CREATE (a:AuditEvent)-[:AUDIT]->(p)
SET a = $audit, a.scope = s.path
RETURN k.id AS id, k.revoked_at AS revoked_at

// name: any_admin_key() read one
// Whether a key with the role admin was ever made: tells the first start from later ones.
// unscoped: a question about the whole installation, asked by the operator's CLI
RETURN EXISTS { MATCH (k:ApiKey {role: 'admin'}) WHERE k.revoked_at IS NULL } AS found

// name: write_audit(audit, session, actor) write none
// A refusal: tied to the session where there is one, else to the actor.
// unscoped: $audit carries tenant and scope
MATCH (p:Principal {id: $actor})
OPTIONAL MATCH (s:MemSession {id: $session})
WITH coalesce(s, p) AS target
CREATE (a:AuditEvent)-[:AUDIT]->(target)
SET a = $audit

// name: audit_history(tenant, scopes, kind, target, before_at, before_id, limit) read many
// Newest first, of the scopes given; the cursor is the last row's moment and id.
MATCH (a:AuditEvent {tenant: $tenant})
WHERE a.at <= $before_at AND a.scope IN $scopes
  AND (a.at < $before_at OR a.id < $before_id)
  AND ($kind IS NULL OR a.kind = $kind)
  AND ($target IS NULL OR EXISTS { (a)-[:AUDIT]->(x) WHERE coalesce(x.id, x.path) = $target })
WITH a ORDER BY a.at DESC, a.id DESC LIMIT $limit
WITH a, COLLECT { MATCH (a)-[:AUDIT]->(x) RETURN x LIMIT 1 }[0] AS t
RETURN a.id AS id, a.kind AS kind, a.outcome AS outcome, a.scope AS scope, a.actor AS actor,
       a.at AS at, a.request AS request, a.payload AS payload, a.seq AS seq, a.hash AS hash,
       coalesce(a.target, t.id, t.path) AS target, labels(t) AS target_labels
ORDER BY a.at DESC, a.id DESC

// name: tenants_with_unsealed(done, limit) read many
// unscoped: sealing is the operator's work over every tenant
MATCH (a:AuditEvent {unsealed: true})
WHERE NOT a.tenant IN $done
RETURN DISTINCT a.tenant AS tenant LIMIT $limit

// name: lock_audit_head(tenant, at) write one
// The first statement of a sealing: its write takes the lock of the tenant's chain.
// unscoped: one chain a tenant
MERGE (h:AuditHead {tenant: $tenant})
ON CREATE SET h.seq = 0, h.hash = ''
SET h.touched_at = $at
RETURN h.seq AS seq, h.hash AS hash

// name: unsealed_events(tenant, limit) read many
// One row an event, also where it is about many nodes at once.
// unscoped: one chain a tenant
MATCH (a:AuditEvent {unsealed: true})
WHERE a.tenant = $tenant
WITH a ORDER BY a.at, a.id LIMIT $limit
WITH a, COUNT { (a)-[:AUDIT]->() } AS targets,
     COLLECT { MATCH (a)-[:AUDIT]->(t) RETURN coalesce(t.id, t.path) LIMIT 1 } AS first
RETURN a {.id, .tenant, .scope, .kind, .outcome, .actor, .request, .at, .payload} AS event,
       CASE targets WHEN 0 THEN coalesce(a.target, '') WHEN 1 THEN first[0] ELSE toString(targets) + ' targets' END
         AS target
ORDER BY a.at, a.id

// name: seal_events(tenant, rows, seq, hash) write one
// Each event gets its place and hash; the head moves to the last.
// unscoped: one chain a tenant
UNWIND $rows AS row
MATCH (a:AuditEvent {id: row.id, tenant: $tenant})
SET a.seq = row.seq, a.hash = row.hash, a.target = row.target
REMOVE a.unsealed
WITH count(a) AS sealed
MATCH (h:AuditHead {tenant: $tenant})
SET h.seq = $seq, h.hash = $hash
RETURN sealed

// name: chain_head(tenant) read optional
// unscoped: one chain a tenant
MATCH (h:AuditHead {tenant: $tenant})
RETURN h.seq AS seq, h.hash AS hash

// name: chain_page(tenant, after, limit) read many
// unscoped: one chain a tenant
MATCH (a:AuditEvent {tenant: $tenant})
WHERE a.seq > $after
RETURN a {.id, .tenant, .scope, .kind, .outcome, .actor, .request, .at, .payload} AS event,
       coalesce(a.target, '') AS target, a.seq AS seq, a.hash AS hash
ORDER BY a.seq LIMIT $limit
