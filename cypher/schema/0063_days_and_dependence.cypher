// Pages of days that are to be made anew, by what waits. Those of which a text was forgotten since they
// were made are, since only those of the last days were until now.
CREATE INDEX day_page_due IF NOT EXISTS FOR (n:DayPage) ON (n.due, n.id);
MATCH (n:DayPage)
WHERE n.due IS NULL AND EXISTS {
  MATCH (e:Passage)
  WHERE e.scope = n.scope AND e.captured_at >= datetime(n.day)
    AND e.captured_at < datetime(n.day) + duration({days: 1})
    AND e:Episode AND n.made_at < e.expired_at AND e.expired_at <= datetime.realtime()
}
CALL (n) { SET n.due = true } IN TRANSACTIONS OF 10000 ROWS;
// What depends on something was told as integrated with it, and no end of the one ends the other:
// what was read so is read again.
MATCH (p:Passage)-[:SUPPORTS]->(f:Fact {predicate: 'integrates_with'})
WITH DISTINCT p
WHERE p.consolidation_state = 'consolidated'
  AND (toLower(p.content) CONTAINS 'depend' OR toLower(p.content) CONTAINS 'häng')
CALL (p) { SET p.consolidation_state = 'raw' } IN TRANSACTIONS OF 10000 ROWS;
