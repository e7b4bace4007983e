// The messages of a scope that were judged last, on which a change of settings is tried.
CREATE INDEX conversation_message_judged IF NOT EXISTS FOR (n:ConversationMessage) ON (n.scope, n.judged_at);
