"""Tables as printed in the papers, to set beside the reproduced ones."""

import csv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "printed"


def printed_table(name):
    """Rows of ``printed/NAME.csv`` as dicts of strings; empty where the paper prints nothing."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
