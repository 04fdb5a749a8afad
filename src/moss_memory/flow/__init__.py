"""Use cases: load, decide, write, answer. Flows know ports only."""
