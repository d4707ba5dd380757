"""The report on a fitted consensus as one self-contained HTML page."""
