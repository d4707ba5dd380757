"""Paper 002: consensus clustering with robust evidence accumulation."""
