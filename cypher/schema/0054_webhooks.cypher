// Webhooks: by scope, and by when the worker looks at each; their deliveries in order, those that
// wait, and by when they ended.
CREATE CONSTRAINT webhook_id IF NOT EXISTS FOR (n:Webhook) REQUIRE n.id IS UNIQUE;
CREATE INDEX webhook_scope IF NOT EXISTS FOR (n:Webhook) ON (n.scope, n.id);
CREATE INDEX webhook_due IF NOT EXISTS FOR (n:Webhook) ON (n.state, n.due_at);
CREATE CONSTRAINT webhook_delivery_id IF NOT EXISTS FOR (n:WebhookDelivery) REQUIRE n.id IS UNIQUE;
CREATE INDEX webhook_delivery_number IF NOT EXISTS FOR (n:WebhookDelivery) ON (n.whole, n.number);
CREATE INDEX webhook_delivery_state IF NOT EXISTS FOR (n:WebhookDelivery) ON (n.whole, n.state, n.number);
CREATE INDEX webhook_delivery_ended IF NOT EXISTS FOR (n:WebhookDelivery) ON (n.state, n.ended_at);
