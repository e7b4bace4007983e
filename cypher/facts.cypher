// name: lock(ids, at) write none
// The entities that beliefs hang on: written first, so that two revisions of one subject queue.
// unscoped: the ids were resolved inside one scope
UNWIND $ids AS id
MATCH (e:Entity {id: id})
SET e.touched_at = $at

// name: put(facts, claims, at) write one
// Facts by id, then what supports each; a claim that is there already is left as it is: what one
// passage says of one fact is looked through once for all its claims, not once for each as MERGE
// would. The lock on the subject keeps others from adding the same. A fact is as private as the most
// private passage that says it. Moments that all rows share are given once. Returns claims that were
// erased before and stay away.
// unscoped: every row carries the scope of its episode
CALL () {
  UNWIND $facts AS row
  MERGE (f:Fact {id: row.id})
  ON CREATE SET f = row.properties, f.captured_at = row.said_at, f.valid_from = row.said_at,
                f.valid_to = row.said_at, f.ingested_at = $at,
                f.expired_at = datetime('9999-12-31T00:00:00Z'), f:Memory:Searchable
  SET f.key = row.key
}
CALL () {
  UNWIND $claims AS row
  WITH row.episode AS episode, row.fact AS fact, collect(row) AS rows
  MATCH (e:Passage {id: episode})
  MATCH (f:Fact {id: fact})
  OPTIONAL MATCH (e)-[had:SUPPORTS]->(f)
  WITH e, f, rows, collect(had.id) AS known
  UNWIND rows AS row
  WITH e, f, row
  WHERE NOT row.id IN known AND NOT EXISTS { (:Tombstone {id: row.id}) }
  CREATE (e)-[s:SUPPORTS]->(f)
  SET s = row.properties, s.recorded_at = $at
}
CALL () {
  UNWIND $claims AS row
  WITH row.episode AS episode, collect(DISTINCT row.fact) AS facts
  MATCH (e:Passage {id: episode})
  WHERE e.privacy > 0
  MATCH (e)-[:SUPPORTS]->(f:Fact)
  WHERE f.id IN facts
  WITH f, max(e.privacy) AS level
  WHERE level > coalesce(f.privacy, 0)
  SET f.privacy = level
}
RETURN COLLECT { UNWIND $claims AS row MATCH (t:Tombstone {id: row.id}) RETURN t.id } AS erased

// name: supported(ids) read many
// The facts that some passages say.
// unscoped: passages that the caller has checked
UNWIND $ids AS id
MATCH (:Passage {id: id})-[:SUPPORTS]->(f:Fact)
RETURN id AS passage, collect(DISTINCT f.id) AS facts ORDER BY passage

// name: follow(ids, at, key, never, never_key) write many
// A fact leaves recall with the last of its sources that is forgotten, and comes back with the first
// that is shown again; one that was forgotten by itself stays so. Written first: of two sources that
// are forgotten at once, the second sees the first.
// unscoped: facts of passages that the caller has checked
UNWIND $ids AS id
MATCH (f:Fact {id: id})
SET f.key = f.key
WITH f, EXISTS { (e:Passage)-[:SUPPORTS]->(f) WHERE e.expired_at > $at } AS said
WITH f, NOT said AND f.expired_at > $at AS goes, said AND coalesce(f.follows, false) AS comes
WHERE goes OR comes
SET f.follows = CASE WHEN goes THEN true END,
    f.expired_at = CASE WHEN goes THEN $at ELSE $never END,
    f.expired_key = CASE WHEN goes THEN $key ELSE $never_key END,
    f.live = comes AND f.status = 'active',
    f.facets = [t IN f.facets WHERE t <> 'live']
               + CASE WHEN comes AND f.status = 'active' THEN ['live'] ELSE [] END
WITH f
CALL (f) {
  MATCH (w:Window)-[:WINDOW_OF]->(f)
  SET w.live = f.live, w.facets = f.facets, w.expired_at = f.expired_at, w.expired_key = f.expired_key
}
CALL (f) {
  MATCH (:Entity {id: f.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = f.id
  SET r.live = f.live
}
RETURN f.id AS id

// name: drop_claims(episodes, kept) write many
// Claims that a second reading of an episode no longer makes; the keys that they counted for. What
// a model proposed stays where its answer did not come along, as after an import.
// unscoped: episodes that the caller leases
UNWIND $episodes AS id
MATCH (e:Passage {id: id})-[s:SUPPORTS]->(f:Fact)
WHERE NOT s.id IN $kept AND (s.model IS NULL OR EXISTS {
  MATCH (e)-[b:READ_BY]->(:ModelReading) WHERE NOT coalesce(b.beside, false) })
WITH s, f.key AS key, f.subject AS subject
DELETE s
RETURN DISTINCT key, subject

// name: claims_of(keys, kept, most) read one
// Everything that belief follows from, and what is held of it now, one row a fact. Of a fact that
// stands alone under its key and that nobody ended or reviewed, the first claim of each tier says it all:
// the rest are counted, so that a statement made a thousand times costs as little as one made twice.
// `words` are the claims of such a fact that are kept for readers (`app.facts.runs`): the $kept newest, and
// of the older ones the first and last that each speaker said, with the moments of those `between`, as far
// as they are no more than $most.
// Moments come in microseconds since 1970, which the driver reads thirty times as fast.
// unscoped: keys are digests that cover their scope
UNWIND $keys AS key
CALL (key) {
  MATCH (f:Fact {key: key})
  RETURN collect(f) AS facts
}
UNWIND facts AS f
WITH key, f, size(facts) = 1 AND NOT f.negated AND COUNT { (f)<-[:SUPPORTS]-() } > 32
             AND NOT EXISTS { (v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL } AS often
CALL (f, often) {
  WITH f, often WHERE often
  MATCH (:Passage)-[s:SUPPORTS]->(f)
  WITH s.tier AS tier, s.principal AS principal, s.voice AS voice, s.own AS own,
       s.rest IS NOT NULL AS partial, count(s) AS told,
       max(s.confidence) AS confidence, max(s.trust) AS trust, max(s.said_at) AS last,
       sum(CASE WHEN s.since IS NULL THEN 0 ELSE 1 END) AS dated,
       sum(CASE WHEN s.mode = 'assert' AND s.until IS NULL THEN 0 ELSE 1 END) AS special
  WITH sum(told) AS evidence, count(DISTINCT principal) AS principals, max(confidence) AS confidence,
       max(trust) AS trust, sum(special) AS special, sum(dated) AS dated,
       max(last.epochSeconds * 1000000 + last.microsecond) AS last,
       collect({tier: tier, principal: principal, voice: voice, own: own, trust: trust,
                partial: partial}) AS tellers
  WHERE evidence > 32 AND special = 0
  RETURN collect({evidence: evidence, principals: principals, confidence: confidence, trust: trust,
                  last: CASE WHEN dated = 0 THEN last END, tellers: tellers})[0] AS weight
  UNION
  WITH f, often WHERE NOT often
  RETURN null AS weight
}
CALL (f, weight) {
  WITH f, weight WHERE weight IS NULL
  MATCH (:Passage)-[s:SUPPORTS]->(f)
  RETURN collect(s {.id, .mode, .since_precision, .until_precision, .ongoing, .confidence, .tier, .principal,
                    .trust, .own, .voice, .voids, .voids_name, .rest,
                    said_at: s.said_at.epochSeconds * 1000000 + s.said_at.microsecond,
                    since: s.since.epochSeconds * 1000000 + s.since.microsecond,
                    until: s.until.epochSeconds * 1000000 + s.until.microsecond}) AS some
  UNION
  WITH f, weight WHERE weight IS NOT NULL
  UNWIND [0, 1, 2, 3, 4, 5] AS tier
  CALL (f, tier) {
    MATCH (:Passage)-[s:SUPPORTS {tier: tier}]->(f)
    WITH s ORDER BY coalesce(s.since, s.said_at), s.trust DESC, s.id LIMIT 1
    RETURN s {.id, .mode, .since_precision, .until_precision, .ongoing, .confidence, .tier, .principal,
              .trust, .own, .voice, .voids, .voids_name, .rest,
              said_at: s.said_at.epochSeconds * 1000000 + s.said_at.microsecond,
              since: s.since.epochSeconds * 1000000 + s.since.microsecond,
              until: s.until.epochSeconds * 1000000 + s.until.microsecond} AS first
  }
  RETURN collect(first) AS some
}
WITH key, f, weight, collect(some) AS lists
CALL (f, weight) {
  CALL (f, weight) {
    WITH f, weight WHERE weight.last IS NOT NULL
    MATCH (:Passage)-[s:SUPPORTS]->(f)
    WITH s ORDER BY s.said_at DESC, s.id DESC LIMIT $kept
    RETURN s AS word, [] AS between
    UNION
    WITH f, weight WHERE weight.last IS NOT NULL
    MATCH (:Passage)-[s:SUPPORTS]->(f)
    WITH s ORDER BY s.said_at DESC, s.id DESC SKIP $kept
    WITH s.tier AS tier, s.principal AS principal, s.voice AS voice, s.own AS own, s.trust AS trust,
         s.rest IS NOT NULL AS partial, collect(s) AS older
    UNWIND [[older[0], [s IN older[1..-1][..$most + 1] |
                        s.said_at.epochSeconds * 1000000 + s.said_at.microsecond]],
            [older[-1], []]] AS one
    RETURN one[0] AS word, one[1] AS between
  }
  RETURN collect(word {.id, .mode, .ongoing, .confidence, .tier, .principal, .trust, .own, .voice, .rest,
    between: between,
    said_at: word.said_at.epochSeconds * 1000000 + word.said_at.microsecond}) AS words
}
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN collect({
  key: key, value: coalesce('entity:' + o.root, f.object_key),
  name: coalesce('name:' + o.canonical_key, f.object_key),
  fact: f {.id, .scope, .tenant, .object_key, .negated, .predicate, .status, .confidence, .evidence, .principals,
           .trust, .live, .facets, .weighed, .settled_by, .heads, .runs, .newest, .undated, .privacy, .settle_state, .may_change, .fits,
           .about_terms, .object_text, .statement,
           valid_from: f.valid_from.epochSeconds * 1000000 + f.valid_from.microsecond,
           valid_to: f.valid_to.epochSeconds * 1000000 + f.valid_to.microsecond,
           expired_at: f.expired_at.epochSeconds * 1000000 + f.expired_at.microsecond},
  claims: reduce(found = [], list IN lists | found + list),
  weight: weight, words: words,
  newest: COLLECT {
    MATCH (e:Passage)-[s:SUPPORTS]->(f)
    WITH e, s ORDER BY s.said_at DESC, e.id DESC, s.start DESC LIMIT 16
    RETURN toString(s.said_at.epochSeconds * 1000000 + s.said_at.microsecond) + ' ' + e.id + ' '
           + toString(s.start) + ' ' + toString(s.end) },
  level: head(COLLECT { MATCH (e:Passage)-[:SUPPORTS]->(f) RETURN max(e.privacy) }),
  held: [(f)-[a:ABOUT]->(:Entity) WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z') |
         a {.id, .from_precision, .to_precision, .standing, .reason,
            valid_from: a.valid_from.epochSeconds * 1000000 + a.valid_from.microsecond,
            valid_to: a.valid_to.epochSeconds * 1000000 + a.valid_to.microsecond}],
  superseded: [(f)-[x:SUPERSEDED_BY]->(n:Fact) WHERE x.retracted_at = datetime('9999-12-31T00:00:00Z') |
               {id: x.id, other: n.id, reason: x.reason}],
  contradicts: [(f)-[c:CONTRADICTS]->(n:Fact) WHERE c.retracted_at = datetime('9999-12-31T00:00:00Z') |
                {id: c.id, other: n.id}],
  may_change: [(f)-[m:MAY_CHANGE]->(n:Fact) WHERE m.retracted_at = datetime('9999-12-31T00:00:00Z') |
               {id: m.id, other: n.id}],
  reviews: [(v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL |
            v {.id, .verdict, .valid_from, .valid_to, .at, .by, .other}]
}) AS rows

// name: open_ends(keys, most) read one
// The ends among keys that leave open what ended, and for each such end, among the keys or not, the
// keys of what it may have ended, as far as either is among them: facts of its subject (`as_value`
// false), and those of which it is the value; `in_part` tells that the subject is the first word of
// a person's whole name there. What fits exactly is for the caller to say: here a fact that is not of
// the subject and of a predicate that the end fits has to share the beginning of a word with what
// the end names. An end among the keys whose subject is the value of more than `most` such facts is
// about none of these, and has one pair without a key. `linked` are the keys of what such ends among
// the keys have ended so far, or may have.
// unscoped: keys are digests that cover their scope, and merged entities lie in one
CALL () {
  UNWIND $keys AS key
  MATCH (c:Fact {key: key})
  WHERE c.predicate <> 'ended'
  UNWIND CASE WHEN c.object_id IS NULL THEN [[c.subject, false]]
              ELSE [[c.subject, false], [c.object_id, true]] END AS side
  WITH c, side[1] AS as_value, side[0] AS thing
  MATCH (t:Entity {id: thing})
  CALL (t) {
    MATCH (m:Entity {root: t.root})
    RETURN m, false AS in_part
    UNION ALL
    WITH t WHERE t.canonical_key CONTAINS ' '
    MATCH (m:Entity {scope: t.scope, canonical_key: split(t.canonical_key, ' ')[0]})
    WHERE m.root <> t.root AND m.type = 'person' AND t.type IN ['person', 'unknown']
    RETURN m, true AS in_part
  }
  MATCH (e:Fact {subject: m.id, predicate: 'ended'})
  RETURN e, c, as_value, in_part
  UNION
  UNWIND $keys AS key
  MATCH (e:Fact {key: key, predicate: 'ended'})
  MATCH (t:Entity {id: e.subject})
  CALL (t) {
    MATCH (m:Entity {root: t.root})
    RETURN m, false AS in_part
    UNION ALL
    WITH t WHERE NOT t.canonical_key CONTAINS ' '
    MATCH (m:Entity)
    WHERE m.scope = t.scope AND m.canonical_key STARTS WITH t.canonical_key + ' '
      AND m.root <> t.root AND t.type = 'person' AND m.type IN ['person', 'unknown']
    WITH m ORDER BY m.id LIMIT $most
    RETURN m, true AS in_part
  }
  CALL (e, m) {
    UNWIND [fit IN e.fits WHERE NOT fit STARTS WITH '~' AND NOT fit ENDS WITH ':' AND fit <> '*'] AS fit
    MATCH (c:Fact {subject: m.id, predicate: fit})
    RETURN c, false AS as_value
    UNION
    WITH e, m
    WHERE any(fit IN e.fits WHERE fit = '*' OR fit ENDS WITH ':' AND NOT fit STARTS WITH '~')
    MATCH (c:Fact {subject: m.id})
    RETURN c, false AS as_value
    UNION
    WITH e, m
    WHERE any(fit IN e.fits WHERE fit STARTS WITH '~')
    MATCH (c:Fact {object_id: m.id})
    WHERE any(fit IN e.fits WHERE fit IN ['~*', '~' + c.predicate]
                               OR fit STARTS WITH '~' AND fit ENDS WITH ':' AND '~' + c.predicate STARTS WITH fit)
      AND (e.object_text = ''
           OR any(word IN split(toLower(e.object_text), ' ') WHERE toLower(c.statement) CONTAINS left(word, 4)))
    WITH c LIMIT $most + 1
    WITH collect(c) AS some
    UNWIND CASE WHEN size(some) > $most THEN [null] ELSE some END AS c
    RETURN c, true AS as_value
  }
  RETURN e, c, as_value, in_part
}
WITH e, c, as_value, in_part, [fit IN coalesce(e.fits, []) WHERE (fit STARTS WITH '~') = as_value |
                               CASE WHEN as_value THEN substring(fit, 1) ELSE fit END] AS fits
WHERE c IS NULL OR c.predicate <> 'ended'
  AND (c.predicate IN fits AND NOT in_part
       OR e.object_text = '' AND NOT in_part AND NOT as_value
          AND any(fit IN fits WHERE fit ENDS WITH ':' AND c.predicate STARTS WITH fit)
       OR e.object_text <> ''
          AND any(fit IN fits WHERE fit IN ['*', c.predicate]
                                 OR fit ENDS WITH ':' AND c.predicate STARTS WITH fit)
          AND any(word IN split(toLower(e.object_text), ' ')
                  WHERE toLower(c.statement) CONTAINS left(word, 4)))
WITH collect(DISTINCT {end: e.key, key: c.key, as_value: as_value, in_part: in_part,
                       subject: c.subject}) AS pairs
RETURN pairs, COLLECT {
  UNWIND $keys AS key
  MATCH (e:Fact {key: key, predicate: 'ended'})
  RETURN DISTINCT e.key } AS ends, COLLECT {
  UNWIND $keys AS key
  MATCH (e:Fact {key: key, predicate: 'ended'})
  MATCH (e)-[r:SUPERSEDED_BY|MAY_CHANGE]-(c:Fact)
  WHERE r.retracted_at = datetime('9999-12-31T00:00:00Z')
  RETURN DISTINCT {key: c.key, subject: c.subject} } AS linked

// name: carried(rows) read one
// For keys whose settlement can go on from where it ended, that state with the facts that it names
// and those that are claimed anew; keys that cannot are left out. `reached` and `since` are
// microseconds since 1970; `fresh` counts principals who had not said a fact before.
// unscoped: keys are digests that cover their scope
UNWIND $rows AS row
MATCH (k:KeyState {id: row.key})
WHERE k.terms = row.terms AND k.tier = row.tier AND k.reached < row.since
WITH k, row.facts + [id IN k.facts WHERE NOT id IN [new IN row.facts | new.id] |
                     {id: id, principals: [], claims: []}] AS involved
WITH k, involved, [one IN involved | one.id] AS ids
UNWIND involved AS one
MATCH (f:Fact {id: one.id})
WHERE f.key = k.id
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN collect({
  key: k.id, state: k.state, reached: k.reached, value: coalesce('entity:' + o.root, f.object_key),
  fact: f {.id, .scope, .tenant, .object_key, .negated, .predicate, .status, .confidence, .evidence, .principals,
           .trust, .weighed, .live, .facets, .settled_by, .heads, .runs, .newest, .undated, .settle_state, .may_change, .fits, .about_terms, .object_text,
           valid_from: f.valid_from.epochSeconds * 1000000 + f.valid_from.microsecond,
           valid_to: f.valid_to.epochSeconds * 1000000 + f.valid_to.microsecond,
           expired_at: f.expired_at.epochSeconds * 1000000 + f.expired_at.microsecond},
  evidence: COUNT { (f)<-[:SUPPORTS]-() },
  fresh: size([p IN one.principals WHERE NOT EXISTS {
    MATCH (f)<-[s:SUPPORTS {principal: p}]-(:Passage) WHERE NOT s.id IN one.claims }]),
  held: [(f)-[a:ABOUT]->(:Entity)
         WHERE a.retracted_at = datetime('9999-12-31T00:00:00Z')
           AND (a.standing = 'quarantined'
                OR a.valid_to.epochSeconds * 1000000 + a.valid_to.microsecond > k.reached) |
         a {.id, .from_precision, .to_precision, .standing, .reason,
            valid_from: a.valid_from.epochSeconds * 1000000 + a.valid_from.microsecond,
            valid_to: a.valid_to.epochSeconds * 1000000 + a.valid_to.microsecond}],
  superseded: [(f)-[x:SUPERSEDED_BY]->(n:Fact)
               WHERE x.retracted_at = datetime('9999-12-31T00:00:00Z') AND n.id IN ids |
               {id: x.id, other: n.id, reason: x.reason}],
  contradicts: [(f)-[c:CONTRADICTS]->(n:Fact) WHERE c.retracted_at = datetime('9999-12-31T00:00:00Z') |
                {id: c.id, other: n.id}],
  may_change: [(f)-[m:MAY_CHANGE]->(n:Fact) WHERE m.retracted_at = datetime('9999-12-31T00:00:00Z') |
               {id: m.id, other: n.id}],
  reviews: [(v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL | v.id]
}) AS rows

// name: keep_states(kept, dropped) write none
// Where the settlement of long keys goes on from; `dropped` are keys that it begins anew for.
// unscoped: keys are digests that cover their scope
CALL () {
  UNWIND $dropped AS key
  MATCH (k:KeyState {id: key})
  DELETE k
}
CALL () {
  UNWIND $kept AS row
  MERGE (k:KeyState {id: row.id})
  SET k += row
}

// name: retract(abouts, links, at) write none
// What is no longer held stays, with the moment from which it is not.
// unscoped: ids of edges that `claims_of` gave
CALL () {
  UNWIND $abouts AS row
  MATCH (:Fact {id: row.fact})-[a:ABOUT]->(:Entity)
  WHERE a.id = row.id
  SET a.retracted_at = $at
}
CALL () {
  UNWIND $links AS row
  MATCH (:Fact {id: row.fact})-[x:SUPERSEDED_BY|CONTRADICTS|MAY_CHANGE]->(:Fact)
  WHERE x.id = row.id
  SET x.retracted_at = $at
}

// name: open(abouts, superseded, contradictions, may_change, at) write none
// What is held from now on; an interval without `valid_to` has no end.
// unscoped: facts of one key lie in one scope
CALL () {
  UNWIND $abouts AS row
  MATCH (f:Fact {id: row.fact})
  MATCH (e:Entity {id: f.subject})
  CREATE (f)-[a:ABOUT]->(e)
  SET a = row.properties, a.recorded_at = $at, a.retracted_at = datetime('9999-12-31T00:00:00Z'),
      a.valid_to = coalesce(row.properties.valid_to, datetime('9999-12-31T00:00:00Z'))
}
CALL () {
  UNWIND $superseded AS row
  MATCH (f:Fact {id: row.fact})
  MATCH (n:Fact {id: row.other})
  CREATE (f)-[x:SUPERSEDED_BY]->(n)
  SET x = row.properties, x.recorded_at = $at, x.retracted_at = datetime('9999-12-31T00:00:00Z')
}
CALL () {
  UNWIND $contradictions AS row
  MATCH (f:Fact {id: row.fact})
  MATCH (n:Fact {id: row.other})
  CREATE (f)-[x:CONTRADICTS]->(n)
  SET x = row.properties, x.recorded_at = $at, x.retracted_at = datetime('9999-12-31T00:00:00Z')
}
CALL () {
  UNWIND $may_change AS row
  MATCH (n:Fact {id: row.fact})
  MATCH (f:Fact {id: row.other})
  CREATE (n)-[x:MAY_CHANGE]->(f)
  SET x = row.properties, x.recorded_at = $at, x.retracted_at = datetime('9999-12-31T00:00:00Z')
}

// name: mirror(rows) write none
// What the indexes need of a fact's edges, on the node; a fact without support keeps no entry, one
// without `valid_to` has no end.
// unscoped: facts of the keys that were settled
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
SET f += row.properties, f.captured_at = row.properties.valid_from,
    f.valid_to = coalesce(row.properties.valid_to, datetime('9999-12-31T00:00:00Z'))

// name: drop_unsupported(keys) write many
// Facts that nothing supports any more leave with all their edges; audit events that are not sealed
// yet keep their ids.
// unscoped: keys are digests that cover their scope
UNWIND $keys AS key
MATCH (f:Fact {key: key})
WHERE NOT EXISTS { (:Passage)-[:SUPPORTS]->(f) }
CALL (f) {
  MATCH (f)<-[:AUDIT]-(a:AuditEvent)
  WITH a, f WHERE a.unsealed = true AND COUNT { (a)-[:AUDIT]->() } = 1
  SET a.target = f.id
}
CALL (f) {
  MATCH (:Entity {id: f.subject})-[r:RELATES_TO]->(:Entity)
  WHERE r.fact = f.id
  DELETE r
}
CALL (f) {
  MATCH (v:Review {fact: f.id})
  DETACH DELETE v
}
CALL (f) {
  MATCH (n:Note)-[:DERIVED_FROM]->(f)
  WHERE n.namespace = 'derived'
  OPTIONAL MATCH (w:Window)-[:WINDOW_OF]->(n)
  DETACH DELETE w, n
}
WITH f, f.id AS id
DETACH DELETE f
RETURN id

// name: relate(facts, at) write none
// Typed edges between entities, one for each fact whose object is an entity and that is held, after
// `mirror` has brought the facts up to date.
// unscoped: both ends lie in the scope of the fact
UNWIND $facts AS id
MATCH (f:Fact {id: id})
MATCH (a:Entity {id: f.subject})
MATCH (b:Entity {id: f.object_id})
MERGE (a)-[r:RELATES_TO {fact: id}]->(b)
SET r.predicate = f.predicate, r.valid_from = f.valid_from, r.valid_to = f.valid_to, r.live = f.live,
    r.recorded_at = coalesce(r.recorded_at, $at)

// name: get(ids, scopes, as_of, known_at) read many
// Facts by id with their intervals at the two moments, what supports them and what they stand against.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime()
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN f {.id, .scope, .subject, .predicate, .object_kind, .object_key, .object_text, .object_id, .negated, .statement,
          .language, .confidence, .evidence, .principals, .trust, .status, .importance, .is_pinned, .last_access,
          .valid_from, .valid_to, .ingested_at, .expired_at, .index_state,
          .privacy,
          subject_name: s.canonical_name, subject_type: s.type} AS fact,
       [(f)-[a:ABOUT]->(:Entity)
         WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at |
         a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason}] AS intervals,
       [(e:Passage)-[u:SUPPORTS]->(f) WHERE e.scope IN $scopes AND u.recorded_at <= $known_at |
         u {.id, .start, .end, .mode, .said_at, .tier, .principal, .own, .confidence, .trust, .rule, .model, .recorded_at, .rest,
            episode: e.id}] AS support,
       [(f)-[c:CONTRADICTS]-(n:Fact) WHERE c.recorded_at <= $known_at < c.retracted_at | n.id] AS contradicts,
       [(f)-[x:SUPERSEDED_BY]->(n:Fact) WHERE x.recorded_at <= $known_at < x.retracted_at |
         {id: n.id, reason: x.reason}] AS superseded_by,
       COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
           AND b.recorded_at <= $known_at < b.retracted_at
           AND b.valid_from <= $as_of < b.valid_to
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from}
         ORDER BY b.valid_from DESC, n.id LIMIT 5 } AS possible_changes

// name: list_held(subjects, scopes, predicates, as_of, known_at, after, limit) read many
// Facts about entities that were held at both moments.
MATCH (f:Fact)
WHERE f.subject IN $subjects AND f.scope IN $scopes AND f.expired_at > datetime.realtime()
  AND ($predicates IS NULL OR f.predicate IN $predicates) AND f.id > $after
MATCH (f)-[a:ABOUT]->(s:Entity)
WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
  AND a.standing = 'held'
WITH f, s, a ORDER BY f.id LIMIT $limit
RETURN f {.id, .scope, .subject, .predicate, .object_kind, .object_key, .object_text, .object_id, .negated, .statement,
          .language, .confidence, .evidence, .principals, .trust, .status, .ingested_at, .is_pinned,
          .privacy,
          subject_name: s.canonical_name, subject_type: s.type} AS fact,
       a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason} AS interval,
       COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
           AND b.recorded_at <= $known_at < b.retracted_at
           AND b.valid_from <= $as_of < b.valid_to
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from}
         ORDER BY b.valid_from DESC, n.id LIMIT 5 } AS possible_changes

// name: held_in(scopes, predicates, as_of, known_at, after, limit) read many
// What was held in scopes at both moments, by id; each scope is read no further than a page needs.
UNWIND $scopes AS scope
CALL (scope) {
  MATCH (f:Fact {scope: scope})
  WHERE f.id > $after AND f.expired_at > datetime.realtime()
    AND ($predicates IS NULL OR f.predicate IN $predicates)
  MATCH (f)-[a:ABOUT]->(s:Entity)
  WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
    AND a.standing = 'held'
  RETURN f, a, s ORDER BY f.id LIMIT $limit
}
WITH f, a, s ORDER BY f.id LIMIT $limit
RETURN f {.id, .scope, .subject, .predicate, .object_kind, .object_key, .object_text, .object_id, .negated, .statement,
          .language, .confidence, .evidence, .principals, .trust, .status, .ingested_at, .is_pinned,
          .privacy,
          subject_name: s.canonical_name, subject_type: s.type} AS fact,
       a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason} AS interval,
       COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
           AND b.recorded_at <= $known_at < b.retracted_at
           AND b.valid_from <= $as_of < b.valid_to
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from}
         ORDER BY b.valid_from DESC, n.id LIMIT 5 } AS possible_changes

// name: list_scope(scopes, status, predicates, after, limit) read many
// Facts of scopes by their mirrored status, in the order of their ids.
MATCH (f:Fact)
WHERE f.scope IN $scopes AND f.status IN $status AND f.expired_at > datetime.realtime()
  AND ($predicates IS NULL OR f.predicate IN $predicates) AND f.id > $after
WITH f ORDER BY f.id LIMIT $limit
RETURN f.id AS id

// name: timeline(subjects, scopes, known_at, limit) read many
// Every interval of an entity's facts as it was known at a moment, in the order of the world.
MATCH (f:Fact)
WHERE f.subject IN $subjects AND f.scope IN $scopes AND f.expired_at > datetime.realtime()
MATCH (f)-[a:ABOUT]->(:Entity)
WHERE a.recorded_at <= $known_at < a.retracted_at
WITH f, a ORDER BY a.valid_from, f.id LIMIT $limit
RETURN f {.id, .scope, .predicate, .object_text, .object_key, .object_id, .negated, .statement, .confidence, .status} AS fact,
       a {.valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .standing, .reason} AS interval,
       COLLECT { MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)-[b:ABOUT]->(:Entity)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at AND b.standing = 'held'
           AND b.recorded_at <= $known_at < b.retracted_at
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from}
         ORDER BY b.valid_from DESC, n.id LIMIT 5 } AS possible_changes

// name: history(id, scopes) read optional
// Everything that was ever held of a fact, with the reason of each change.
MATCH (f:Fact {id: $id})
WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime()
RETURN f {.id, .scope, .statement, .status} AS fact,
       [(f)-[a:ABOUT]->(:Entity) |
         a {.id, .valid_from, .valid_to, .from_precision, .to_precision, .recorded_at, .retracted_at, .standing, .reason}] AS intervals,
       [(f)-[x:SUPERSEDED_BY]->(n:Fact) WHERE n.expired_at > datetime('9999-12-30T00:00:00Z') |
         {id: n.id, statement: n.statement, reason: x.reason, recorded_at: x.recorded_at, retracted_at: x.retracted_at}] AS superseded_by,
       [(n:Fact)-[x:SUPERSEDED_BY]->(f) WHERE n.expired_at > datetime('9999-12-30T00:00:00Z') |
         {id: n.id, statement: n.statement, reason: x.reason, recorded_at: x.recorded_at, retracted_at: x.retracted_at}] AS supersedes,
       [(v:Review)-[:REVIEWS]->(f) |
         v {.id, .verdict, .by, .note, .at, .undone_at, .undone_by}] AS reviews

// name: quarantined(scopes, after, limit) read many
// What waits for a review, with the facts that stand against it: what was rejected waits no more.
MATCH (f:Fact)
WHERE f.scope IN $scopes AND f.status = 'quarantined' AND f.id > $after
  AND f.expired_at > datetime.realtime()
  AND EXISTS { (f)-[a:ABOUT]->(:Entity) WHERE a.retracted_at > datetime.realtime()
               AND a.standing = 'quarantined' AND a.reason <> 'rejected' }
WITH f ORDER BY f.id LIMIT $limit
RETURN f.id AS id,
       [(f)-[a:ABOUT]->(:Entity) WHERE a.retracted_at > datetime.realtime() AND a.standing = 'quarantined' |
         a.reason] AS reasons,
       [(n:Fact)-[c:CONTRADICTS]-(f) WHERE c.retracted_at > datetime.realtime() | n.id] AS against

// name: to_be_changed(ids, scopes, as_of, known_at, latest, onward) read many
// Of facts that are held at both moments: what is held and may have ended them, by what was known
// then, the newest first (`newer`); and their words, since when they are held and whether a text says
// so itself, when they were last said, the first texts with which that session went on (`after`, up to
// $onward, read in the order of the index), and what was decided to be no change of them. Where nothing
// earlier was asked for ($latest), what a fact keeps of its newest sources tells of all that were wholly
// read and name no moment.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime.realtime()
MATCH (f)-[a:ABOUT]->(:Entity)
WHERE a.valid_from <= $as_of < a.valid_to AND a.recorded_at <= $known_at < a.retracted_at
  AND a.standing = 'held'
WITH f, min(a.valid_from) AS since,
     $latest AND coalesce(f.undated, false) AND f.newest IS NOT NULL AS briefly
OPTIONAL MATCH (s:Entity {id: f.subject})
CALL (f, briefly) {
  WITH f, briefly WHERE briefly
  CALL (f) {
    UNWIND f.newest AS told
    WITH split(told, ' ') AS parts
    MATCH (p:Passage {id: parts[1]})
    WITH p, toInteger(parts[0]) AS at
    RETURN max(at) AS at, collect(DISTINCT p) AS sources, head(collect(p.session)) AS session
  }
  RETURN datetime('1970-01-01T00:00:00Z') + duration({seconds: at / 1000000, microseconds: at % 1000000})
           AS confirmed, [] AS rests, session, false AS dated, sources
  UNION ALL
  WITH f, briefly WHERE NOT briefly
  CALL (f) {
    OPTIONAL MATCH (p:Passage)-[u:SUPPORTS]->(f)
    WHERE u.recorded_at <= $known_at
    WITH p, u ORDER BY u.said_at DESC, p.id DESC, u.start DESC
    RETURN max(u.said_at) AS confirmed, collect(DISTINCT u.rest)[..3] AS rests,
           head(collect(p.session)) AS session, count(u.since) > 0 AS dated,
           collect(DISTINCT p) AS sources
  }
  RETURN confirmed, rests, session, dated, sources
}
CALL (f, since, confirmed, session) {
  MATCH (p:Episode {session: session})
  WHERE p.captured_at > CASE WHEN confirmed > since THEN confirmed ELSE since END
    AND p.captured_at <= $as_of AND p.ingested_at <= $known_at AND p.live AND p.scope IN $scopes
  WITH p ORDER BY p.session, p.captured_at, p.id LIMIT $onward
  RETURN [q IN collect(p) WHERE size(coalesce(q.flags, [])) = 0 | q.id] AS after
}
RETURN f.id AS id, f.scope AS scope, f.predicate AS predicate, f.object_text AS object_text,
       f.subject AS subject, dated, f.statement AS statement, f.language AS language,
       s.canonical_name AS subject_name, since, confirmed, rests, after,
       [(v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL AND v.other IS NOT NULL | v.other] AS decided,
       COLLECT {
         UNWIND sources AS p
         WITH p ORDER BY p.captured_at DESC, p.id LIMIT 16
         MATCH (e:Episode {supersedes: p.id})
         WHERE e.scope IN $scopes AND e.expired_at > datetime.realtime()
           AND e.captured_at <= $as_of AND e.ingested_at <= $known_at
         RETURN e {.id, .content, .captured_at, .ingested_at} ORDER BY e.captured_at DESC, e.id LIMIT 3
       } AS hints,
       COLLECT {
         MATCH (f)<-[m:MAY_CHANGE]-(n:Fact)
         WHERE n.scope IN $scopes AND n.expired_at > datetime.realtime()
           AND m.recorded_at <= $known_at < m.retracted_at
         MATCH (n)-[b:ABOUT]->(:Entity)
         WHERE b.standing = 'held' AND b.valid_from <= $as_of < b.valid_to
           AND b.recorded_at <= $known_at < b.retracted_at
         RETURN {fact: n.id, statement: n.statement, since: b.valid_from, precision: b.from_precision}
         ORDER BY b.valid_from DESC, n.id LIMIT 5
       } AS newer

// name: texts_with(asked, scopes, after, upto, limit, onward, subjects, most) read one
// How many texts of a scope hold a word, up to a limit, and where they are fewer which of them were
// said between two moments; the filter is inside the index. All in one row: of many short ones each
// would cost more than what it says. With them come the first of these texts and of others that are
// given ($onward), up to $most, as `texts_said` tells them.
CALL () {
  UNWIND $asked AS one
  CALL (one) {
    CALL db.index.fulltext.queryNodes('memory_text', one.q, {limit: $limit}) YIELD node AS p
    WHERE p:Passage AND p.scope = one.scope AND p.scope IN $scopes
    RETURN collect(p) AS texts
  }
  WITH one.place AS place, texts, size(texts) AS held WHERE held > 0
  RETURN collect({place: place, held: held,
                  texts: CASE WHEN held = $limit THEN []
                         ELSE [p IN texts WHERE $after < p.captured_at <= $upto
                                            AND size(coalesce(p.flags, [])) = 0 | p.id] END}) AS found
}
RETURN found, COLLECT {
  UNWIND reduce(ids = $onward, one IN found | ids + one.texts) AS id
  WITH DISTINCT id LIMIT $most
  MATCH (p:Passage {id: id})
  WHERE p.scope IN $scopes
  RETURN p {.id, .content, .language, .captured_at, .ingested_at, .speaker,
    claims: [(p)-[u:SUPPORTS]->(f:Fact) WHERE f.scope IN $scopes AND f.subject IN $subjects |
             {subject: f.subject, predicate: f.predicate, recorded_at: u.recorded_at,
              at: coalesce(u.until, u.since),
              precision: CASE WHEN u.until IS NULL THEN u.since_precision ELSE u.until_precision END}]}
} AS texts

// name: texts_said(ids, subjects, scopes) read one
// Texts as they were said, in one row, with what they date themselves of what they state of some
// subjects.
UNWIND $ids AS id
MATCH (p:Passage {id: id})
WHERE p.scope IN $scopes
RETURN collect(p {.id, .content, .language, .captured_at, .ingested_at, .speaker,
  claims: [(p)-[u:SUPPORTS]->(f:Fact) WHERE f.scope IN $scopes AND f.subject IN $subjects |
           {subject: f.subject, predicate: f.predicate, recorded_at: u.recorded_at,
            at: coalesce(u.until, u.since),
            precision: CASE WHEN u.until IS NULL THEN u.since_precision ELSE u.until_precision END}]
}) AS texts

// name: possible_changes(scopes, after, limit) read many
// Facts that may have ended older ones and of which words were not read, with those older ones and
// these words.
MATCH (n:Fact)
WHERE n.scope IN $scopes AND n.may_change = true AND n.id > $after
  AND n.expired_at > datetime.realtime()
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id,
       [(n)-[m:MAY_CHANGE]->(f:Fact) WHERE m.retracted_at > datetime.realtime() | f.id] AS older,
       [(p:Passage)-[u:SUPPORTS]->(n) WHERE p.scope IN $scopes AND u.rest IS NOT NULL |
        u {.rest, .start, .end, .said_at, passage: p.id}] AS unread

// name: may_have_changed(newer, older, scopes) read one
// Whether two facts are, or were, a possible change.
RETURN EXISTS { MATCH (n:Fact {id: $newer})-[:MAY_CHANGE]->(f:Fact {id: $older})
                WHERE n.scope IN $scopes AND f.scope IN $scopes } AS found

// name: review(id, fact, scopes, properties) write optional
// A curator's decision on a fact; the fact is locked by it.
MATCH (f:Fact {id: $fact})
WHERE f.scope IN $scopes
SET f.touched_at = $properties.at
MERGE (v:Review {id: $id})
ON CREATE SET v = $properties
MERGE (v)-[:REVIEWS]->(f)
RETURN f.key AS key, f.subject AS subject, f.scope AS scope

// name: undo_reviews(fact, scopes, at, by, other) write many
// Takes back the decisions on a fact that still hold; those on other possible changes stay where one
// of them is decided ($other). The fact is locked by it.
MATCH (v:Review {fact: $fact})-[:REVIEWS]->(f:Fact)
WHERE f.scope IN $scopes AND v.undone_at IS NULL
  AND ($other IS NULL OR v.other IS NULL OR v.other = $other)
SET v.undone_at = $at, v.undone_by = $by, f.touched_at = $at
RETURN f.key AS key, v.id AS id, v.other AS other

// name: write_audit(rows) write none
// What happened to single facts: quarantined, released, forgotten.
// unscoped: rows about facts of the keys at hand
UNWIND $rows AS row
MATCH (f:Fact {id: row.fact})
MERGE (a:AuditEvent {id: row.properties.id})
ON CREATE SET a = row.properties
MERGE (a)-[:AUDIT]->(f)

// name: told_by(fact, scopes) read one
// Who says a fact, and what was decided on it.
MATCH (f:Fact {id: $fact})
WHERE f.scope IN $scopes
RETURN COLLECT { MATCH (:Passage)-[s:SUPPORTS]->(f) RETURN DISTINCT s.principal } AS principals,
       [(v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL | v.verdict] AS verdicts

// name: places(ids, scopes) read many
// Where facts belong: what must be locked and settled to change them.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes
OPTIONAL MATCH (s:Entity {id: f.subject})
RETURN f.id AS id, f.key AS key, f.subject AS subject, s.root AS root, f.scope AS scope,
       f.tenant AS tenant, f.predicate AS predicate

// name: keyed(entities) read many
// Facts whose key depends on these entities, with what a key is made of.
// unscoped: entities of one cluster lie in one scope
UNWIND $entities AS id
MATCH (f:Fact)
WHERE f.subject = id OR f.object_id = id
OPTIONAL MATCH (s:Entity {id: f.subject})
OPTIONAL MATCH (o:Entity {id: f.object_id})
RETURN DISTINCT f.id AS id, f.key AS key, f.scope AS scope, f.predicate AS predicate, f.object_key AS object_key,
       f.qualifier AS qualifier, coalesce(s.root, f.subject) AS subject_root, o.root AS object_root

// name: rekey(rows) write none
// unscoped: facts that `keyed` gave
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
SET f.key = row.key

// name: predicates(paths) read many
// What workspaces changed in the registry of predicates, widest first.
// unscoped: a path and its own ancestors
MATCH (p:Predicate)
WHERE p.scope IN $paths
RETURN p.scope AS scope, p.name AS name, p.definition AS definition
ORDER BY size(p.scope), p.name

// name: save_predicate(row, audit) write one
// unscoped: $row.scope, which the service has checked
MATCH (s:Scope {path: $row.scope})
MERGE (p:Predicate {id: $row.id})
SET p = $row
CREATE (a:AuditEvent)-[:AUDIT]->(s)
SET a = $audit
RETURN p.name AS name

// name: facts_of_predicate(scopes, predicate, after, limit) read many
// Facts whose belief key may change with the registry, in the order of their ids.
MATCH (f:Fact)
WHERE f.scope IN $scopes AND f.predicate = $predicate AND f.id > $after
WITH f ORDER BY f.id LIMIT $limit
RETURN f.id AS id, f.subject AS subject

// name: cluster(id, scopes) read optional
// Every entity that was merged with this one, and the root that stands for them.
MATCH (e:Entity {id: $id})
WHERE e.scope IN $scopes
MATCH (m:Entity {root: e.root})
WHERE m.scope = e.scope
RETURN e.root AS root, collect(m.id) AS ids

// name: standing(ids, scopes, as_of) read one
// How facts stand by what was settled in their scopes, forgotten ones left out; and once for all of
// them that have a subject of the same full name and type and a predicate, what is visibly told of
// that in every scope. `held` is at $as_of, by what is known now; `apart` tells that what is settled
// is not what a reader is shown, since a fact of the key is forgotten or two names stand against
// each other without order in time.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes AND f.expired_at > datetime('9999-12-30T00:00:00Z')
MATCH (s:Entity {id: f.subject})
MATCH (r:Entity {id: s.root})
OPTIONAL MATCH (o:Entity {id: f.object_id})
OPTIONAL MATCH (p:Entity {id: o.root})
WITH r.tenant AS tenant, r.canonical_key AS name, r.type AS type, f.predicate AS predicate, collect({
  fact: f {.id, .scope, .object_key, .object_text, .negated, .qualifier, .heads, .settled_by},
  value: coalesce('name:' + p.canonical_key, f.object_key),
  reviewed: EXISTS { MATCH (v:Review)-[:REVIEWS]->(f) WHERE v.undone_at IS NULL },
  held: EXISTS { MATCH (f)-[a:ABOUT]->(:Entity)
    WHERE a.valid_from <= $as_of < a.valid_to AND a.standing = 'held'
      AND a.retracted_at = datetime('9999-12-31T00:00:00Z') },
  apart: EXISTS { MATCH (g:Fact {key: f.key})
    WHERE g.expired_at <= datetime('9999-12-30T00:00:00Z') }
    OR (f.object_id IS NOT NULL AND EXISTS { MATCH (f)-[c:CONTRADICTS]-(:Fact)
    WHERE c.retracted_at = datetime('9999-12-31T00:00:00Z') })
}) AS asked
WITH *, [one IN asked | one.value] AS values
CALL (tenant, name, type, predicate, values) {
  WITH tenant, name, type, predicate
  WHERE size($scopes) > 1 AND (type <> 'person' OR name CONTAINS ' ')
  MATCH (t:Entity)
  USING INDEX t:Entity(tenant, canonical_key)
  WHERE t.tenant = tenant AND t.canonical_key = name AND t.type = type AND t.scope IN $scopes
  MATCH (m:Entity {root: t.root})
  MATCH (g:Fact {subject: m.id, predicate: predicate})
  WHERE g.scope IN $scopes AND g.expired_at > datetime('9999-12-30T00:00:00Z')
  WITH DISTINCT g
  OPTIONAL MATCH (o:Entity {id: g.object_id})
  OPTIONAL MATCH (p:Entity {id: o.root})
  WITH g, coalesce('name:' + p.canonical_key, g.object_key) AS value
  ORDER BY value IN values DESC, g.id LIMIT 1000
  RETURN collect({
    fact: g {.id, .scope, .object_key, .object_text, .negated, .qualifier, .heads},
    value: value,
    reviewed: EXISTS { MATCH (v:Review)-[:REVIEWS]->(g) WHERE v.undone_at IS NULL }
  }) AS told
}
RETURN collect({predicate: predicate, asked: asked, told: told}) AS found

// name: kept(ids, scopes) read many
// What facts keep of their claims, for those whom several scopes tell different things.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes
RETURN f.id AS id, f.runs AS runs

// name: unsettled(limit) read many
// Facts that an older version settled or a package brought, in the order of their ids.
// unscoped: a sweep over every scope
MATCH (f:Fact {settle_state: 'due'})
RETURN f.id AS id, f.scope AS scope, f.subject AS subject, f.key AS key
ORDER BY id LIMIT $limit

// name: looked_at(ids) write none
// unscoped: facts that `unsettled` gave
UNWIND $ids AS id
MATCH (f:Fact {id: id})
REMOVE f.settle_state

// name: same_subject(ids, scopes, known_at) read many
// What is claimed of a subject and predicate in every scope that is read, once for all of the facts
// that share them: of the same full name and type. A first name alone stays in its scope. Of very
// many, what is asked for and what has its value come first: what is left out is taken for not held.
// Moments come in microseconds since 1970, which the driver reads thirty times as fast.
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.scope IN $scopes
MATCH (s:Entity {id: f.subject})
MATCH (r:Entity {id: s.root})
OPTIONAL MATCH (o:Entity {id: f.object_id})
OPTIONAL MATCH (p:Entity {id: o.root})
WITH r.tenant AS tenant, r.canonical_key AS name, r.type AS type, f.predicate AS predicate,
     CASE WHEN r.type <> 'person' OR r.canonical_key CONTAINS ' ' THEN $scopes ELSE [r.scope] END
       AS within, collect(f.id) AS asked,
     collect(coalesce('name:' + p.canonical_key, f.object_key)) AS values
CALL (tenant, name, type, predicate, within, asked, values) {
  MATCH (t:Entity)
  USING INDEX t:Entity(tenant, canonical_key)
  WHERE t.tenant = tenant AND t.canonical_key = name AND t.type = type
    AND t.scope IN within AND t.scope IN $scopes
  MATCH (m:Entity {root: t.root})
  MATCH (g:Fact {subject: m.id, predicate: predicate})
  WHERE g.scope IN $scopes AND g.expired_at > datetime('9999-12-30T00:00:00Z')
  WITH DISTINCT g
  OPTIONAL MATCH (o:Entity {id: g.object_id})
  OPTIONAL MATCH (p:Entity {id: o.root})
  WITH g, coalesce('name:' + p.canonical_key, g.object_key) AS value
  ORDER BY g.id IN asked DESC, value IN values DESC, g.id LIMIT 1000
  RETURN collect({
    fact: g {.id, .scope, .object_key, .object_text, .negated, .qualifier},
    value: value,
    claims: [(e:Passage)-[u:SUPPORTS]->(g) WHERE u.recorded_at <= $known_at |
             u {.id, .mode, .since_precision, .until_precision, .ongoing, .confidence, .tier,
                .principal, .trust, .own, .voice, .voids_name, .rest,
                said_at: u.said_at.epochSeconds * 1000000 + u.said_at.microsecond,
                since: u.since.epochSeconds * 1000000 + u.since.microsecond,
                until: u.until.epochSeconds * 1000000 + u.until.microsecond}],
    ended: [(e:Passage)-[u:SUPPORTS]->(y:Fact)<-[x:SUPERSEDED_BY]-(g)
            WHERE y.predicate = 'ended' AND u.recorded_at <= $known_at
              AND x.recorded_at <= $known_at < x.retracted_at |
            u {.id, .since_precision, .ongoing, .confidence, .tier, .principal, .trust, .own, .voice,
               mode: 'end', fact: y.id,
               said_at: u.said_at.epochSeconds * 1000000 + u.said_at.microsecond,
               since: u.since.epochSeconds * 1000000 + u.since.microsecond}],
    reviews: [(v:Review)-[:REVIEWS]->(g)
              WHERE v.at <= $known_at AND (v.undone_at IS NULL OR v.undone_at > $known_at) |
              v {.id, .verdict, .valid_from, .valid_to, .at, .by, .other}]
  }) AS group
}
RETURN asked, predicate, group
