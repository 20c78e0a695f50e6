"""The parts that every decoder shares: tasks, search, codecs, constraints."""
