"""Checks of arguments: whatever raises for bad input."""
