"""Tables as text."""


def aligned(rows, *, n_names):
    """Lines of rows of cells in columns; the first `n_names` columns hold names, the others stand right.

    Floats have four digits after the point, unless they are texts already.
    """
    texts = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for row in texts:
        padded = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        padded[:n_names] = [text.ljust(width) for text, width in zip(row[:n_names], widths, strict=False)]
        lines.append("  ".join(padded).rstrip())
    return lines
