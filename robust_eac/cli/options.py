"""Options that several commands share, and the types of their values."""

import argparse
from contextlib import suppress
from functools import partial
from pathlib import Path

from .writing import TABLE_SUFFIXES

# The candidates of "--n-clusters auto".
AUTO_CANDIDATES = range(1, 11)


def add_labels(parser):
    """Add the file of clusterings."""
    parser.add_argument("labels", type=Path, metavar="LABELS", help="file with one column per clustering")


def add_n_clusters(parser, *, required=True, note=""):
    """Add the number of clusters of a consensus."""
    parser.add_argument(
        "--n-clusters",
        type=number_of_clusters,
        required=required,
        metavar="K",
        help="largest number of clusters; LOW-HIGH or 'auto' (1-10) chooses the number that the clusterings support"
        + note,
    )


def add_seed(parser):
    """Add the seed."""
    parser.add_argument("--seed", type=seed_number, default=0, metavar="S", help="random seed; default: 0")


def add_table_output(parser, option="--output", *, suffixes=TABLE_SUFFIXES, **options):
    """Add an option for a table to write."""
    parser.add_argument(option, type=partial(_path_ending_in, suffixes), metavar="FILE", **options)


def seed_number(text):
    """A seed of NumPy's generator."""
    try:
        seed = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, got {text!r}") from None
    if not 0 <= seed < 2**32:
        raise argparse.ArgumentTypeError(f"must be between 0 and {2**32 - 1}, got {seed}")
    return seed


def number_of_clusters(text):
    """An integer, or a range of candidates."""
    if text == "auto":
        return AUTO_CANDIDATES
    candidates = range_of_numbers(text, "an integer, LOW-HIGH or 'auto'")
    return candidates if "-" in text else candidates[0]


def range_of_numbers(text, expected="an integer or LOW-HIGH"):
    """A range of integers; a single integer is a range of one."""
    low, dash, high = text.partition("-")
    with suppress(ValueError):
        if numbers := range(int(low), int(high if dash else low) + 1):
            return numbers
    raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")


def number_or(word, text):
    """A float, or a word."""
    try:
        return text if text == word else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or {word!r}, got {text!r}") from None


def _path_ending_in(suffixes, text):
    path = Path(text)
    if path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(suffixes)}, got {text!r}")
    return path
