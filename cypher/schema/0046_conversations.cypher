// Conversations, and their messages: in order, in the buffer, by episode, and as they wait.
CREATE CONSTRAINT conversation_id IF NOT EXISTS FOR (n:Conversation) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT conversation_message_id IF NOT EXISTS FOR (n:ConversationMessage) REQUIRE n.id IS UNIQUE;
CREATE INDEX conversation_message_seq IF NOT EXISTS FOR (n:ConversationMessage) ON (n.whole, n.seq);
CREATE INDEX conversation_message_state IF NOT EXISTS FOR (n:ConversationMessage) ON (n.whole, n.state);
CREATE INDEX conversation_message_refers IF NOT EXISTS FOR (n:ConversationMessage) ON (n.refers);
CREATE INDEX conversation_message_waiting IF NOT EXISTS FOR (n:ConversationMessage) ON (n.agent, n.waiting);
CREATE INDEX conversation_message_due IF NOT EXISTS FOR (n:ConversationMessage) ON (n.waiting);
CREATE INDEX conversation_message_agent IF NOT EXISTS FOR (n:ConversationMessage) ON (n.agent, n.id);
