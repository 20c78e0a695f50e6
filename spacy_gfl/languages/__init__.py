"""What is known of a language and its treebanks' labels."""
