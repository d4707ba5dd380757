"""A page as its parts: what tests ask of it."""

import xml.etree.ElementTree as ET


def main_of(page):
    """The element <main>, which is well-formed XML too."""
    start, end = page.index("<main>"), page.index("</main>") + len("</main>")
    return ET.fromstring(page[start:end])


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def section(page, name):
    (found,) = [part for part in main_of(page).iter("section") if part.get("id") == name]
    return found


def columns_of(page, name):
    """{title: texts of the cells} of the table in a section."""
    (table,) = section(page, name).iter("table")
    head, *rows = [[text_of(cell) for cell in row] for row in table.iter("tr")]
    return dict(zip(head, zip(*rows, strict=True), strict=True))
