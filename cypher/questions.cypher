// name: write(rows) write none
// Questions with their searches; a second time nothing changes.
// unscoped: each row carries the home of its caller
UNWIND $rows AS row
MERGE (q:RagQuery {id: row.query.id})
ON CREATE SET q = row.query,
  q.worded = CASE WHEN row.query.words IS NOT NULL THEN true END
WITH q, row
UNWIND row.searches AS one
MERGE (h:HybridSearchResult {id: one.id})
ON CREATE SET h = one
MERGE (h)-[:RESULT_OF]->(q)

// name: withdraw(ids, graves, authors, at) write none
// Of questions just written those that show what is erased by now, and those of a principal that
// was erased as an author after asking.
// unscoped: questions that the caller has written
CALL () {
  UNWIND $graves AS grave
  MATCH (:Tombstone {id: grave.id})
  WITH collect(grave.memory) AS gone
  UNWIND $ids AS id
  MATCH (q:RagQuery {id: id})
  WHERE any(memory IN q.shown WHERE memory IN gone)
  RETURN collect(q) AS shown
}
CALL () {
  UNWIND $authors AS author
  MATCH (r:ErasureReceipt {target: author.target})
  WITH author, max(coalesce(r.finished_at, $at)) AS until
  UNWIND $ids AS id
  MATCH (q:RagQuery {id: id})
  WHERE q.scope = author.scope AND q.principal = author.principal AND q.asked_at <= until
  RETURN collect(q) AS said
}
UNWIND shown + said AS q
OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q)
DETACH DELETE h, q

// name: erase_by(scope, principal) write one
// Questions that a principal asked from its home.
CALL () {
  MATCH (q:RagQuery {scope: $scope, principal: $principal})
  CALL (q) {
    OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q)
    DETACH DELETE h
  }
  DETACH DELETE q
  RETURN count(*) AS questions
}
RETURN questions

// name: asked_by(scope, principal) read one
// How many questions of a principal are kept.
MATCH (q:RagQuery {scope: $scope, principal: $principal})
RETURN count(q) AS questions

// name: erase_about(tenant, ids, names) write one
// Questions in words that showed what goes, or name what goes with it.
MATCH (q:RagQuery {tenant: $tenant})
WHERE q.words IS NOT NULL
  AND (any(memory IN q.shown WHERE memory IN $ids)
       OR any(name IN $names WHERE toLower(q.words) CONTAINS name))
CALL (q) {
  OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q)
  DETACH DELETE h
}
DETACH DELETE q
RETURN count(*) AS questions

// name: expire(before) batched one
// Questions that are old enough, with their searches.
// unscoped: upkeep of the whole installation
MATCH (q:RagQuery) WHERE q.asked_at < $before
CALL (q) {
  OPTIONAL MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q)
  DETACH DELETE h, q
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS removed

// name: worded() read many
// Scopes that hold questions in words.
// unscoped: upkeep of the whole installation
MATCH (q:RagQuery {worded: true})
UNWIND [q.scope] + q.scopes AS scope
RETURN DISTINCT scope

// name: unword(scope) write one
// Takes the words of questions that were asked from a scope or put to it, and what they showed.
MATCH (q:RagQuery {worded: true})
WHERE q.scope = $scope OR $scope IN q.scopes
REMOVE q.words, q.worded, q.shown
RETURN count(q) AS questions

// name: totals(tenant, scopes, since, until, base) read one
// What questions of a period came to; a mean is null where nothing has a value.
MATCH (q:RagQuery {tenant: $tenant})
WHERE q.asked_at >= $since AND q.asked_at < $until AND any(s IN q.scopes WHERE s IN $scopes)
  AND ($base IS NULL OR $base IN q.knowledge_base_ids)
RETURN count(q) AS questions,
       sum(CASE q.status WHEN 'failed' THEN 1 ELSE 0 END) AS failed,
       sum(CASE q.status WHEN 'empty' THEN 1 ELSE 0 END) AS empty,
       sum(CASE WHEN q.status = 'empty' AND q.floored > 0 THEN 1 ELSE 0 END) AS empty_by_floor,
       avg(q.quality) AS quality, avg(q.avg_score) AS avg_score, avg(q.results) AS results,
       count(DISTINCT q.fingerprint) AS different, count(DISTINCT q.principal) AS principals

// name: by_door(tenant, scopes, since, until, base) read many
// The same by what was asked for, in milliseconds of the whole question.
MATCH (q:RagQuery {tenant: $tenant})
WHERE q.asked_at >= $since AND q.asked_at < $until AND any(s IN q.scopes WHERE s IN $scopes)
  AND ($base IS NULL OR $base IN q.knowledge_base_ids)
WITH q.door AS door, q.strategy AS strategy, q
RETURN door, strategy, count(q) AS questions, avg(q.ms) AS avg_ms,
       percentileCont(q.ms, 0.95) AS p95_ms, max(q.ms) AS max_ms, avg(q.quality) AS quality
ORDER BY questions DESC, door, strategy

// name: by_mode(tenant, scopes, since, until, base) read many
// Searches by the mode that ran and its fusion, in milliseconds of the search.
MATCH (h:HybridSearchResult {tenant: $tenant})
WHERE h.asked_at >= $since AND h.asked_at < $until AND any(s IN h.scopes WHERE s IN $scopes)
  AND ($base IS NULL
       OR EXISTS { (h)-[:RESULT_OF]->(q:RagQuery) WHERE $base IN q.knowledge_base_ids })
WITH h.mode AS mode, h.fusion AS fusion, h
RETURN mode, fusion, count(h) AS searches, avg(h.ms) AS avg_ms,
       percentileCont(h.ms, 0.95) AS p95_ms, max(h.ms) AS max_ms, avg(h.results) AS results,
       sum(CASE h.results WHEN 0 THEN 1 ELSE 0 END) AS empty,
       sum(CASE WHEN h.results = 0 AND h.floored > 0 THEN 1 ELSE 0 END) AS empty_by_floor,
       sum(CASE WHEN h.without IS NULL THEN 0 ELSE 1 END) AS without_walk
ORDER BY searches DESC, mode, fusion

// name: unanswered(tenant, scopes, since, until, base, limit) read many
// Questions that found nothing, the most asked first; words where any are kept.
MATCH (q:RagQuery {tenant: $tenant})
WHERE q.asked_at >= $since AND q.asked_at < $until AND q.status = 'empty'
  AND any(s IN q.scopes WHERE s IN $scopes)
  AND ($base IS NULL OR $base IN q.knowledge_base_ids)
WITH q ORDER BY q.asked_at
WITH q.fingerprint AS fingerprint, collect(q) AS asked
WITH fingerprint, asked, [q IN asked WHERE q.words IS NOT NULL] AS worded
RETURN fingerprint, size(asked) AS times, asked[-1].asked_at AS last_at, asked[-1].door AS door,
       any(q IN asked WHERE q.floored > 0) AS floored,
       [q IN worded | {scopes: [q.scope] + q.scopes, principal: q.principal, words: q.words}][-1] AS worded
ORDER BY times DESC, fingerprint LIMIT $limit

// name: get_query(id, principal, scopes, curated) read optional
// A question with its searches, as far as it counts at scopes, of whoever asked it or curates one of
// those. Who curates the home of somebody learns nothing of what that one asks out of his sight.
MATCH (q:RagQuery {id: $id})
WHERE q.principal = $principal
   OR any(s IN q.scopes WHERE s IN $scopes) AND any(s IN [q.scope] + q.scopes WHERE s IN $curated)
RETURN q {.*} AS query,
       COLLECT { MATCH (h:HybridSearchResult)-[:RESULT_OF]->(q) RETURN h {.*} ORDER BY h.id }
         AS searches

// name: list_queries(tenant, scopes, principal, curated, since, until, status, before_at, before_id, limit) read many
// Questions that count at scopes, newest first, of whoever asked them or curates one of those.
MATCH (q:RagQuery {tenant: $tenant})
WHERE q.asked_at >= $since AND q.asked_at < $until AND q.asked_at <= $before_at
  AND (q.asked_at < $before_at OR q.id < $before_id)
  AND ($status IS NULL OR q.status = $status)
  AND any(s IN q.scopes WHERE s IN $scopes)
  AND (q.principal = $principal OR any(s IN [q.scope] + q.scopes WHERE s IN $curated))
WITH q ORDER BY q.asked_at DESC, q.id DESC LIMIT $limit
RETURN q {.*} AS query
