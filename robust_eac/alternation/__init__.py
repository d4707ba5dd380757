"""Alternation of memberships and weights: descents of an objective and updates by a weighting, in turn."""
