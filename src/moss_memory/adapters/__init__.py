"""The ports of flow, each over one library."""
