// name: lock_scope(scope, at) write optional
// A scope for a webhook that is new in it: it is not deleted meanwhile, and nobody else adds one.
MATCH (s:Scope {path: $scope})
SET s.touched_at = $at
RETURN s.path AS path

// name: count(scope) read one
// How many webhooks a scope has.
MATCH (w:Webhook)
WHERE w.scope = $scope AND w.id > ''
RETURN count(w) AS webhooks

// name: tell(events) write none
// Audit events about webhooks.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event

// name: find(id, scopes, administered, principal) read optional
// A webhook that is the caller's own, or of a scope that it administers.
MATCH (w:Webhook {id: $id})
WHERE w.scope IN $scopes AND (w.created_by = $principal OR w.scope IN $administered)
RETURN w {.*} AS webhook

// name: page(scopes, administered, principal, after, limit) read many
// The same by id.
MATCH (w:Webhook)
WHERE w.scope IN $scopes AND w.id > $after
  AND (w.created_by = $principal OR w.scope IN $administered)
WITH w ORDER BY w.id LIMIT $limit
RETURN w {.*} AS webhook ORDER BY w.id

// name: lock(id, scopes, at) write optional
// A webhook for writing; nothing where somebody has deleted it meanwhile.
MATCH (w:Webhook {id: $id})
WHERE w.scope IN $scopes
SET w.touched_at = $at
WITH w WHERE w.id = $id
RETURN w {.*} AS webhook

// name: set(id, properties) write one
// Set properties of a webhook; null removes one.
// unscoped: the caller holds the lock
MATCH (w:Webhook {id: $id})
SET w += $properties
RETURN w {.*} AS webhook

// name: tenants() read many
// Tenants with an active webhook, and whether any event of theirs has no place yet.
// unscoped: upkeep of the whole installation
MATCH (w:Webhook {state: 'active'})
WITH DISTINCT w.tenant AS tenant
RETURN tenant,
       EXISTS { MATCH (a:AuditEvent {unsealed: true}) WHERE a.tenant = tenant }
       OR EXISTS { MATCH (e:FeedEvent {tenant: tenant, unnumbered: true}) } AS unsettled

// name: due(at, limit) read many
// Active webhooks whose time has come, and that have something to send or to look at.
// unscoped: upkeep of the whole installation
MATCH (w:Webhook)
WHERE w.state = 'active' AND w.due_at <= $at AND w.lease_until <= $at
OPTIONAL MATCH (a:AuditHead {tenant: w.tenant})
OPTIONAL MATCH (h:FeedHead {tenant: w.tenant})
WITH w, a, h
WHERE coalesce(a.seq, 0) > w.sealed OR coalesce(h.seq, 0) > w.numbered
   OR EXISTS { MATCH (d:WebhookDelivery) WHERE d.whole = w.id AND d.state = 'waiting' }
RETURN w.id AS id, w.tenant AS tenant ORDER BY w.due_at LIMIT $limit

// name: take(id, lease, at, until) write optional
// Lease a webhook to one worker; its write takes the lock.
// unscoped: upkeep of the whole installation
MATCH (w:Webhook {id: $id})
SET w.touched_at = $at
WITH w
WHERE w.state = 'active' AND w.due_at <= $at AND w.lease_until <= $at
SET w.lease = $lease, w.lease_until = $until
RETURN w {.*} AS webhook

// name: hold(id, lease, at, until) write optional
// The same once more for who has the lease; nothing where it is another's, or where the webhook is
// no longer active.
// unscoped: the caller had the lease
MATCH (w:Webhook {id: $id})
SET w.touched_at = $at
WITH w
WHERE w.state = 'active' AND w.lease = $lease
SET w.lease_until = $until
RETURN w {.*} AS webhook

// name: release(id, lease, at) write none
// Give a lease back.
// unscoped: the caller had the lease
MATCH (w:Webhook {id: $id})
SET w.touched_at = $at
WITH w
WHERE w.lease = $lease
SET w.lease_until = $at

// name: waiting(id) read optional
// The delivery that is to be sent next.
// unscoped: the caller has the lease
MATCH (d:WebhookDelivery)
WHERE d.whole = $id AND d.state = 'waiting' AND d.number > 0
RETURN d {.*} AS delivery ORDER BY d.number LIMIT 1

// name: deliveries(id, scopes, state, before, limit) read many
// Deliveries of a webhook, newest first.
MATCH (d:WebhookDelivery)
WHERE d.whole = $id AND d.scope IN $scopes AND d.number < $before
  AND ($state IS NULL OR d.state = $state)
WITH d ORDER BY d.number DESC LIMIT $limit
RETURN d {.*} AS delivery ORDER BY d.number DESC

// name: delivery(id, webhook, scopes) read optional
// One delivery of a webhook.
MATCH (d:WebhookDelivery {id: $id})
WHERE d.whole = $webhook AND d.scope IN $scopes
RETURN d {.*} AS delivery

// name: change(id, properties) write optional
// Set properties of a delivery; null removes one.
// unscoped: the caller holds the lock of its webhook
MATCH (d:WebhookDelivery {id: $id})
SET d += $properties
RETURN d {.*} AS delivery

// name: expire(state, before) batched one
// unscoped: upkeep of the whole installation
MATCH (d:WebhookDelivery)
WHERE d.state = $state AND d.ended_at < $before
CALL (d) { DETACH DELETE d } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed
