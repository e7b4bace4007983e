// name: hold_agent(agent, tenant, at) write one
// Writers of new entries of one agent queue here.
MATCH (p:Principal {id: $agent, tenant: $tenant})
SET p.touched_at = $at
RETURN COUNT { MATCH (m:ShortMemory {tenant: $tenant, author: $agent}) WHERE m.expires_at > $at }
       AS held

// name: create_entry(entry, aside, at) write one
// An entry, in the place of one of the same key that has run out; `made` is false, and nothing
// changes, where there is one that has not. One that ran out and waits to be promoted steps aside.
// unscoped: the service has checked the scope of $entry
CALL () {
  MATCH (old:ShortMemory {id: $entry.id})
  WHERE old.expires_at <= $at AND old.ready
  SET old.id = $aside
}
MERGE (m:ShortMemory {id: $entry.id})
ON CREATE SET m.expires_at = datetime('0001-01-02T00:00:00Z')
WITH m, m.expires_at <= $at AS made, m.processed_at AS processed
FOREACH (_ IN CASE WHEN made THEN [1] ELSE [] END | SET m = $entry, m.processed_at = processed)
RETURN made

// name: get(id, scopes, agent, at) read optional
// One entry that has not run out.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope IN $scopes AND m.author = $agent AND m.expires_at > $at
RETURN m {.*} AS entry

// name: read(id, scopes, agent, at, first, more) write optional
// The same, counted as an access. The first one in a day makes it more important.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope IN $scopes AND m.author = $agent AND m.expires_at > $at
SET m.count = m.count + 1, m.last_access = $at
WITH m, m.gained_at IS NULL OR m.gained_at <= $at - duration({days: 1}) AS gains
FOREACH (_ IN CASE WHEN gains THEN [1] ELSE [] END |
  SET m.gained_at = $at,
      m.importance = CASE WHEN coalesce(m.importance, $first) + $more >= 1 THEN 1.0
                          ELSE round(coalesce(m.importance, $first) + $more, 4) END)
RETURN m {.*} AS entry

// name: ready(id, scope) write none
// One that was read often is ready to be promoted.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope = $scope
SET m.ready = true

// name: change(id, scopes, agent, at, properties) write optional
// Sets parts of an entry that has not run out.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope IN $scopes AND m.author = $agent AND m.expires_at > $at
SET m += $properties
RETURN m {.*} AS entry

// name: hold(id, scopes, agent, at) write optional
// An entry that has not run out, for writing: nobody else changes it meanwhile.
MATCH (m:ShortMemory {id: $id})
WHERE m.scope IN $scopes AND m.author = $agent AND m.expires_at > $at
SET m.touched_at = $at
RETURN m {.*} AS entry

// name: remove(id, scopes, agent, at) write one
// Takes an entry out; one that has run out is not there.
OPTIONAL MATCH (m:ShortMemory {id: $id})
WHERE m.scope IN $scopes AND m.author = $agent AND m.expires_at > $at
WITH m, m IS NOT NULL AS removed
DETACH DELETE m
RETURN removed

// name: page(tenant, agent, scopes, session, key, kind, at, after, limit) read many
// Entries of one agent that have not run out, by id.
MATCH (m:ShortMemory {tenant: $tenant, author: $agent})
WHERE m.scope IN $scopes AND m.expires_at > $at AND m.id > $after
  AND ($session IS NULL OR m.session = $session)
  AND ($key IS NULL OR m.key = $key) AND ($kind IS NULL OR m.kind = $kind)
RETURN m {.*} AS entry ORDER BY m.id LIMIT $limit

// name: newest(tenant, agent, scopes, session, at, limit) read many
// Entries of one agent that have not run out, those that were written last.
MATCH (m:ShortMemory {tenant: $tenant, author: $agent})
WHERE m.scope IN $scopes AND m.expires_at > $at AND ($session IS NULL OR m.session = $session)
WITH m ORDER BY m.updated_at DESC, m.id LIMIT $limit
RETURN m {.*} AS entry ORDER BY m.updated_at DESC, m.id

// name: expire(at, given_up) batched one
// Entries that ran out go; one that was read often only once it was looked at since, or when nobody
// could for long.
// unscoped: upkeep of the whole installation
MATCH (m:ShortMemory)
WHERE m.expires_at <= $at
  AND (m.ready IS NULL OR m.processed_at >= m.expires_at OR m.expires_at <= $given_up)
CALL (m) { DETACH DELETE m } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed

// name: expired(at, given_up) read one
// How many entries would go without being looked at before.
// unscoped: upkeep of the whole installation
MATCH (m:ShortMemory)
WHERE m.expires_at <= $at
  AND (m.ready IS NULL OR m.processed_at >= m.expires_at OR m.expires_at <= $given_up)
RETURN count(m) AS removed

// name: texts(scopes, author, whole) read many
// What is kept in some scopes, of one author or of all; the values where they are asked for.
MATCH (m:ShortMemory)
WHERE m.scope IN $scopes AND m.id > '' AND ($author IS NULL OR m.author = $author)
RETURN m.id AS id, m.scope AS scope, m.author AS author, m.session AS session, m.key AS key,
       m.content_hash AS content_hash, CASE WHEN $whole THEN m.content END AS content ORDER BY id

// name: drop_entries(ids, scopes) write one
// Some entries.
MATCH (m:ShortMemory)
WHERE m.id IN $ids AND m.scope IN $scopes
DETACH DELETE m
RETURN count(*) AS entries

// name: tell(events) write none
// Audit events about entries.
// unscoped: the service has checked the scope of each
UNWIND $events AS event
MERGE (a:AuditEvent {id: event.id})
SET a = event
