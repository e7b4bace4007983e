"""Tests of short-term memory."""
