"""Tests of working memory."""
