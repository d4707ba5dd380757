"""Read rows in blocks, so that working copies stay small."""

BLOCK = 4096


def row_blocks(n_rows, size=None):
    """Generate slices that cover the rows."""
    size = size or BLOCK
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
