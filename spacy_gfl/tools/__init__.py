"""Tools that use the parser as any program could; none is loaded by a pipeline."""
