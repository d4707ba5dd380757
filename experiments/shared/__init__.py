"""Shared by all experiments: tasks, records, parameters, measurements and common ensembles."""
