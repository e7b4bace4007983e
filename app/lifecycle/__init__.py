"""Forgetting, pinning, decay, erasure and promotion: how long and how far a memory reaches."""
