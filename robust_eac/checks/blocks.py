"""Rows are read in blocks: working copies stay small, however many rows there are."""

BLOCK = 4096


def row_blocks(n_rows, size=None):
    """Generate slices that cover the rows, a block each."""
    size = size or BLOCK
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
