"""Input files: delimited text, .npy, .npz and .mat, read as a table, and its columns as labels or features.

Every error is a ValueError of one line: file, row, column, counted from 1 as editors do. A header is row 1, and a
column of names counts.
"""
