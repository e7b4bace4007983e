// Names inside longer names and headings as names were not looked for before, and every part of a
// text had the names of an opening: all passages are linked anew.
MATCH (p:Passage) WHERE p.link_state IN ['titled', 'linked'] CALL (p) { SET p.link_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;
