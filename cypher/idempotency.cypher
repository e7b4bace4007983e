// name: claim(id, fingerprint, tenant, at, lease, expires_at) write one
// The first statement writes, so of two equal requests one gets the work and the other waits for
// this answer; a claim whose lease ran out, or a record that is too old, is taken over.
// unscoped: the id covers the caller
MERGE (r:IdempotencyRecord {id: $id})
SET r.touched_at = $at
WITH r, r.created_at IS NULL OR r.expires_at < $at
        OR (r.status IS NULL AND r.lease < $at AND r.fingerprint = $fingerprint) AS mine
FOREACH (_ IN CASE WHEN mine THEN [1] ELSE [] END |
  SET r.created_at = $at, r.fingerprint = $fingerprint, r.tenant = $tenant, r.lease = $lease,
      r.expires_at = $expires_at
  REMOVE r.status, r.body, r.content_type, r.needs)
RETURN mine, r.fingerprint AS fingerprint, r.status AS status, r.body AS body,
       r.content_type AS content_type, coalesce(r.needs, []) AS needs

// name: complete(id, status, body, content_type, needs) write none
// unscoped: the id covers the caller
MATCH (r:IdempotencyRecord {id: $id})
SET r.status = $status, r.body = $body, r.content_type = $content_type,
    r.needs = $needs

// name: release(id) write none
// The request failed: it may be sent again.
// unscoped: the id covers the caller
MATCH (r:IdempotencyRecord {id: $id})
DELETE r

// name: expire(at) batched one
// unscoped: upkeep of the whole installation
MATCH (r:IdempotencyRecord) WHERE r.expires_at < $at
CALL (r) { DELETE r } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed
