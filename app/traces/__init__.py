"""Reasoning traces: tasks with their steps, tool calls, outcomes, and what was touched."""
