"""Checks of arguments: every error for bad input is raised here."""
