// name: put(rows) write none
// Events of a change, in its own transaction; one that was told stays as it is.
// unscoped: each row carries tenant and scope
UNWIND $rows AS row
MERGE (e:FeedEvent {id: row.id})
ON CREATE SET e = row

// name: waiting(tenant) read one
// Whether anything of a tenant has no place yet: nearly always there is nothing, and to look costs
// no lock and no commit.
// unscoped: one row of numbers a tenant
RETURN EXISTS { MATCH (a:AuditEvent {unsealed: true}) WHERE a.tenant = $tenant } AS unsealed,
       EXISTS { MATCH (e:FeedEvent {tenant: $tenant, unnumbered: true}) } AS unnumbered

// name: lock_head(tenant, at) write one
// The first statement of numbering: its write takes the lock of the tenant's numbers.
// unscoped: one row of numbers a tenant
MERGE (h:FeedHead {tenant: $tenant})
ON CREATE SET h.seq = 0
SET h.touched_at = $at
RETURN h.seq AS seq

// name: number(tenant, seq, limit) write one
// Number what is not numbered yet, on from a number.
// unscoped: one row of numbers a tenant
MATCH (e:FeedEvent {tenant: $tenant, unnumbered: true})
WITH e ORDER BY e.at, e.id LIMIT $limit
WITH collect(e) AS events
FOREACH (place IN range(0, size(events) - 1) |
  FOREACH (e IN [events[place]] | SET e.seq = $seq + place + 1, e.unnumbered = null))
WITH size(events) AS numbered
MATCH (h:FeedHead {tenant: $tenant})
SET h.seq = $seq + numbered
RETURN numbered

// name: heads(tenant) read one
// The last places of the audit trail and of the numbers, and the least number that is still there.
// unscoped: one row of numbers a tenant
OPTIONAL MATCH (a:AuditHead {tenant: $tenant})
OPTIONAL MATCH (h:FeedHead {tenant: $tenant})
CALL () {
  MATCH (e:FeedEvent {tenant: $tenant}) WHERE e.seq > 0
  RETURN e.seq AS least ORDER BY e.tenant, e.seq LIMIT 1
  UNION ALL
  RETURN null AS least
}
WITH a, h, min(least) AS least
RETURN coalesce(a.seq, 0) AS sealed, coalesce(h.seq, 0) AS numbered, least

// name: about(facts, scopes) read many
// The entities that some facts are about, each with the one that stands for it.
UNWIND $facts AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes
UNWIND [f.subject, f.object_id] AS end
MATCH (e:Entity {id: end})
RETURN DISTINCT e.id AS id, coalesce(e.root, e.id) AS root

// name: sealed(tenant, after, limit) read many
// Events of the audit trail after a place.
// unscoped: the service shows each to those who see its scope
MATCH (a:AuditEvent {tenant: $tenant})
WHERE a.seq > $after
WITH a ORDER BY a.tenant, a.seq LIMIT $limit
RETURN a.seq AS seq, a.kind AS kind, a.outcome AS outcome, a.scope AS scope, a.actor AS actor,
       a.at AS at, coalesce(a.target, '') AS target, a.payload AS payload
ORDER BY a.seq

// name: numbered(tenant, after, limit) read many
// The other events after a number.
// unscoped: the service shows each to those who see its scope
MATCH (e:FeedEvent {tenant: $tenant})
WHERE e.seq > $after
WITH e ORDER BY e.tenant, e.seq LIMIT $limit
RETURN e.seq AS seq, e.kind AS kind, e.scope AS scope, e.actor AS actor, e.at AS at,
       e.target AS target, e.payload AS payload, e.readers AS readers
ORDER BY e.seq

// name: expire(before) batched one
// unscoped: upkeep of the whole installation
MATCH (e:FeedEvent) WHERE e.at < $before
CALL (e) { DELETE e } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed
