"""A splitter of sentences by rules, and what it knows of lines and abbreviations."""
