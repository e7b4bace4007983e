// A text with a title was taken to be about whatever its first sentence opens with: what has a title
// is linked anew.
MATCH (p:Passage) WHERE p.link_state IN ['titled', 'linked'] AND p.title > '' CALL (p) { SET p.link_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;
