// No two live pages of a scope have one slug. Of those that an older version let share one, the oldest
// keeps it; the others wait for the worker to give them one of their own, as for their links.
MATCH (p:Page) WHERE p.live
CALL (p) {
  SET p.live_slug = p.slug + CASE
    WHEN EXISTS {
      MATCH (o:Page {scope: p.scope, slug: p.slug})
      WHERE o.live AND (o.ingested_at < p.ingested_at
                        OR (o.ingested_at = p.ingested_at AND o.id < p.id))
    } THEN '~' + p.id ELSE '' END
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (p:Page) WHERE p.live_slug <> p.slug
CALL (p) {
  SET p.passage_state = CASE WHEN p.passage_state IN ['done', 'unlinked'] THEN 'unlinked' ELSE 'due' END
} IN TRANSACTIONS OF 10000 ROWS;
CREATE CONSTRAINT page_live_slug IF NOT EXISTS FOR (n:Page) REQUIRE (n.scope, n.live_slug) IS UNIQUE;
