"""Snapshots: skills, learnings, knowledge and statistics of a scope as Markdown."""
