// A name that waits is found by the word that it begins with as well, and the worker looks once more
// through what a rule joined to a given name.
MATCH (p:Passage) WHERE p.lone_tokens IS NOT NULL
WITH p, [part IN split(p.lone, '"key":"')[1..] | split(split(part, '"')[0], ' ')] AS keys
CALL (p, keys) {
  UNWIND keys AS words
  WITH DISTINCT p, words[0] AS word, size(words) > 1 AS goes_on
  WHERE goes_on
  WITH p, collect(p.scope + '|' + word) AS tokens
  SET p.lone_tokens = reduce(all = p.lone_tokens, token IN tokens | all + ' ' + token)
} IN TRANSACTIONS OF 10000 ROWS;
MATCH (c:ConsolidationCursor) SET c.thin = '';
