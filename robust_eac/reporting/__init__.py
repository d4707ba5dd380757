"""The report on a fitted consensus as one self-contained HTML page: findings.py, page.py and markup.py."""
