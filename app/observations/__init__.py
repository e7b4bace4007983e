"""Observations: what sensors tell, of agents and of Loci itself, until it runs out."""
