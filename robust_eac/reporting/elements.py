"""HTML elements. Text is escaped where an element takes it, so that nothing else has to."""

from html import escape
from typing import NamedTuple

# Characters that a page must not have: controls but tab and ends of lines, and halves of surrogate pairs.
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)], "\ufffd")


class Html(str):
    """Markup, which is not escaped again."""

    __slots__ = ()


class Column(NamedTuple):
    """A column of a table.

    text : whether it holds texts, which are aligned to the left.
    order : "ascending" or "descending" if the rows are sorted by it.
    """

    title: str
    text: bool = False
    order: str | None = None


def element(name, *children, **attributes):
    """An element: children are texts, numbers or :class:`Html`; a trailing underscore of an attribute is dropped."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    opening = "".join(f' {key}="{_escaped(value)}"' for key, value in given.items())
    return Html(f"<{name}{opening}>{join(children)}</{name}>")


def join(children, separator=""):
    """Elements and texts one after the other."""
    return Html(separator.join(child if isinstance(child, Html) else _escaped(child) for child in children))


def _escaped(value):
    return escape(str(value)).translate(_FORBIDDEN)


def table(name, caption, columns, rows, *, sortable=True):
    """A table in a frame that scrolls sideways. Its first column are the headings of the rows.

    name : the beginning of the id of its caption. rows : lists of as many texts, numbers or :class:`Html` as there are
        columns.
    """
    kinds = ["t" if column.text else None for column in columns]
    heads = [
        element("th", column.title, scope="col", class_=kind, aria_sort=column.order)
        for column, kind in zip(columns, kinds, strict=True)
    ]
    body = []
    for first, *others in rows:
        cells = [element("td", cell, class_=kind) for cell, kind in zip(others, kinds[1:], strict=True)]
        body.append(element("tr", element("th", first, scope="row"), *cells))
    content = join(
        [
            element("caption", caption, id=f"{name}-caption"),
            element("thead", element("tr", *heads)),
            element("tbody", "\n", join(body, "\n")),
        ]
    )
    # Who has no mouse scrolls what has the focus.
    whole = element("table", content, class_="sortable" if sortable and len(body) > 1 else None)
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_labelledby=f"{name}-caption")


def definitions(pairs):
    """A list of subjects and what is said of each: [(subject, text, explanation or "")]."""
    return element(
        "dl",
        *(
            element("div", element("dt", subject), element("dd", text, *([element("small", why)] if why else [])))
            for subject, text, why in pairs
        ),
    )
