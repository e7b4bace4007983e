// name: claim(id, fingerprint, tenant, at, lease, expires_at) write one
// The first statement writes, so of two equal requests one gets the work and the other waits for
// this answer; a claim whose lease ran out, or a record that is too old, is taken over. What is
// taken over has been begun: whoever goes on makes the same as who began.
// unscoped: the id covers the caller
MERGE (r:IdempotencyRecord {id: $id})
SET r.touched_at = $at
WITH r, r.created_at IS NULL OR r.expires_at < $at AS new,
        r.status IS NULL AND r.lease < $at AND r.fingerprint = $fingerprint AS left
WITH r, new OR left AS mine, CASE WHEN new THEN $at ELSE r.created_at END AS came
FOREACH (_ IN CASE WHEN mine THEN [1] ELSE [] END |
  SET r.created_at = came, r.fingerprint = $fingerprint, r.tenant = $tenant, r.lease = $lease,
      r.expires_at = $expires_at
  REMOVE r.status, r.body, r.content_type, r.needs)
RETURN mine, r.created_at AS came, r.fingerprint AS fingerprint, r.status AS status, r.body AS body,
       r.content_type AS content_type, coalesce(r.needs, []) AS needs

// name: complete(id, status, body, content_type, needs) write none
// unscoped: the id covers the caller
MATCH (r:IdempotencyRecord {id: $id})
SET r.status = $status, r.body = $body, r.content_type = $content_type,
    r.needs = $needs

// name: renew(id, lease) write none
// The request is still being worked on, or nobody works on it any more.
// unscoped: the id covers the caller
MATCH (r:IdempotencyRecord {id: $id})
WHERE r.status IS NULL
SET r.lease = $lease

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
