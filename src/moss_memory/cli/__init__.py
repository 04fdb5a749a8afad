"""One module a command of moss-memory."""
