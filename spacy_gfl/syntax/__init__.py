"""What trees say of sentences: clauses, and measures of complexity."""
