"""Texts that stand for labels, in files and in Python: numbers, and those that mean a missing one."""

import re

# In any case. The integer -1 means missing as well.
MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
