// Shelves whose notes are to be joined, and when an agent last said something.
CREATE INDEX note_shelf_unjoined IF NOT EXISTS FOR (n:NoteShelf) ON (n.unjoined, n.id);
CREATE INDEX conversation_agent IF NOT EXISTS FOR (n:Conversation) ON (n.agent, n.changed_at);
// Pages of days, by scope and day.
CREATE CONSTRAINT day_page_id IF NOT EXISTS FOR (n:DayPage) REQUIRE n.id IS UNIQUE;
CREATE INDEX day_page_day IF NOT EXISTS FOR (n:DayPage) ON (n.scope, n.day);
// Ratings of notes, by note.
CREATE CONSTRAINT note_rating_id IF NOT EXISTS FOR (n:NoteRating) REQUIRE n.id IS UNIQUE;
CREATE INDEX note_rating_note IF NOT EXISTS FOR (n:NoteRating) ON (n.refers, n.id);
CREATE INDEX note_rating_scope IF NOT EXISTS FOR (n:NoteRating) ON (n.scope, n.id);
// Conversations with answers that were not sorted into notes yet. What was said before this version
// stays as it is.
CREATE INDEX conversation_unsorted IF NOT EXISTS FOR (n:Conversation) ON (n.unsorted, n.id);
MATCH (c:Conversation) WHERE c.extracted IS NULL
CALL (c) { SET c.extracted = c.said } IN TRANSACTIONS OF 10000 ROWS;
MATCH (s:NoteShelf) WHERE s.rev > 0 SET s.unjoined = true;
