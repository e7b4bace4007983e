// What a principal attested, for its record where a promotion is weighed.
CREATE INDEX attestation_principal IF NOT EXISTS FOR (n:Attestation) ON (n.principal);
