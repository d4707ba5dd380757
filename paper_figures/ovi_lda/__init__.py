"""Paper 004: object-based validation by discriminant analysis, and the consensus it guides."""
