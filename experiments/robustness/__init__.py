"""How much noise the weightings stand, and what they cost."""
