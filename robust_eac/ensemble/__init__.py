"""The ensemble: objects in memory and in chunks."""
