"""Paper 003: data clustering using evidence accumulation."""
