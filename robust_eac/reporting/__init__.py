"""The report on a fitted consensus as one self-contained HTML page: what was found (findings.py), and its markup."""
