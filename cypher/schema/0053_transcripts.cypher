// Transcripts by agent, the newest first, and their messages in order and by episode; preferences by
// note, verdicts on entities by entity.
CREATE CONSTRAINT transcript_id IF NOT EXISTS FOR (n:Transcript) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT transcript_message_id IF NOT EXISTS FOR (n:TranscriptMessage) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT preference_id IF NOT EXISTS FOR (n:Preference) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_verdict_id IF NOT EXISTS FOR (n:EntityVerdict) REQUIRE n.id IS UNIQUE;
CREATE INDEX transcript_agent IF NOT EXISTS FOR (n:Transcript) ON (n.agent, n.began_at);
CREATE INDEX transcript_message_number IF NOT EXISTS FOR (n:TranscriptMessage) ON (n.whole, n.number);
CREATE INDEX transcript_message_refers IF NOT EXISTS FOR (n:TranscriptMessage) ON (n.refers);
CREATE INDEX preference_refers IF NOT EXISTS FOR (n:Preference) ON (n.refers);
CREATE INDEX entity_verdict_refers IF NOT EXISTS FOR (n:EntityVerdict) ON (n.refers);
