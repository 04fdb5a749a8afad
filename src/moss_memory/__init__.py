"""Governed long-term memory for agents: the model proposes, the rules decide, a person confirms."""
