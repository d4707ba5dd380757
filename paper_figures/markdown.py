"""Markdown: the one place where tables are written."""


def table(head, rows):
    """A Markdown table.

    The head is a list of titles, or one text with bars between them. Cells are texts or numbers; one of None is blank.
    """
    titles = head.split(" | ") if isinstance(head, str) else list(head)
    return "\n".join([_line(titles), "|---" * len(titles) + "|", *map(_line, rows)])


def beside(used, printed):
    """The value that was used, with the printed one if that differs."""
    return str(used) if str(used) == printed else f"{used} (printed {printed})"


def document(*blocks):
    return "\n\n".join(blocks)


def _line(cells):
    return "|" + "|".join(" " if cell is None else f" {cell} " for cell in cells) + "|"
