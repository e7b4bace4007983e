"""What goals, escalations, observations and suggestions share: a ledger, texts, receipts."""
