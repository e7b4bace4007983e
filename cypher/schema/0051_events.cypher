// What is told of changes that the audit trail does not hold, for a day: numbered for each tenant in
// the order in which they are found, so that who reads on after a number misses none.
CREATE CONSTRAINT feed_event_id IF NOT EXISTS FOR (n:FeedEvent) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT feed_head_tenant IF NOT EXISTS FOR (n:FeedHead) REQUIRE n.tenant IS UNIQUE;
CREATE INDEX feed_event_seq IF NOT EXISTS FOR (n:FeedEvent) ON (n.tenant, n.seq);
CREATE INDEX feed_event_waiting IF NOT EXISTS FOR (n:FeedEvent) ON (n.tenant, n.unnumbered);
CREATE INDEX feed_event_tenant_id IF NOT EXISTS FOR (n:FeedEvent) ON (n.tenant, n.id);
CREATE INDEX feed_event_time IF NOT EXISTS FOR (n:FeedEvent) ON (n.at);
