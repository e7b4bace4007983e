// What is kept of an erasure, and what other nodes are found by when something is erased.
CREATE CONSTRAINT erasure_receipt_id IF NOT EXISTS FOR (n:ErasureReceipt) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (n:Tombstone) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT learning_entry_id IF NOT EXISTS FOR (n:LearningEntry) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT promotion_id IF NOT EXISTS FOR (n:Promotion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT attestation_id IF NOT EXISTS FOR (n:Attestation) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT feedback_id IF NOT EXISTS FOR (n:Feedback) REQUIRE n.id IS UNIQUE;
CREATE INDEX erasure_receipt_state IF NOT EXISTS FOR (n:ErasureReceipt) ON (n.state);
CREATE INDEX erasure_receipt_target IF NOT EXISTS FOR (n:ErasureReceipt) ON (n.target);
CREATE INDEX idempotency_tenant IF NOT EXISTS FOR (n:IdempotencyRecord) ON (n.tenant);
CREATE INDEX job_tenant IF NOT EXISTS FOR (n:Job) ON (n.tenant);
CREATE INDEX learning_entry_scope IF NOT EXISTS FOR (n:LearningEntry) ON (n.scope, n.place);
CREATE INDEX promotion_scope IF NOT EXISTS FOR (n:Promotion) ON (n.scope, n.id);
CREATE INDEX attestation_fact IF NOT EXISTS FOR (n:Attestation) ON (n.fact);
CREATE INDEX feedback_memory IF NOT EXISTS FOR (n:Feedback) ON (n.memory);
CREATE INDEX episode_scope_author IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.author);
CREATE INDEX episode_scope_speaker IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.speaker);
CREATE INDEX fact_due IF NOT EXISTS FOR (n:Fact) ON (n.status, n.valid_to);
