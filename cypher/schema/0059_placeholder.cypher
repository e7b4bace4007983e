// Holds a number until the migrations of others are merged; does nothing.
CREATE INDEX fact_settling IF NOT EXISTS FOR (n:Fact) ON (n.settle_state);
