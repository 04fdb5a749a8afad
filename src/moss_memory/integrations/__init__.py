"""Where users already are: the Python client, LangGraph, MCP, iCalendar."""
