// Facts that may have ended older ones and wait for a review, by scope.
CREATE INDEX fact_may_change IF NOT EXISTS FOR (n:Fact) ON (n.scope, n.may_change, n.id);
