"""An ensemble: read, encoded, in memory or in chunks."""
