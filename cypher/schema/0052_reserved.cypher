// Nothing new: the number is kept for what is being made beside this.
CREATE INDEX feed_event_time IF NOT EXISTS FOR (n:FeedEvent) ON (n.at);
