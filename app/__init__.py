"""Loci: a knowledge and memory service for AI agents, in one Neo4j graph."""

__version__ = "0.1.0"
