"""Alternation of memberships and weights: what drives objectives and weightings."""
