// What pages link to stands on their passages from now on: those of pages with links are looked at
// again by the worker.
MATCH (p:Page)
WHERE p.id > '' AND p.live AND p.links <> '[]' AND p.passage_state = 'done'
SET p.passage_state = 'due';
