"""Clauses of sentences, and measures of their complexity."""
