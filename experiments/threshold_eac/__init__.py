"""Experiments of paper 003, evidence accumulation with a threshold."""
