"""Names of objects and partitions: what has an index is matched by it, everything else by position."""

import numpy as np


class Count(int):
    """A number of objects or partitions, with the names that an index is matched with; None if they have no names."""

    def __new__(cls, number, names=None):
        count = super().__new__(cls, number)
        count.names = names
        return count


def index_of(table):
    """The index of a pandas Series or table; None for everything else."""
    return table.index if hasattr(table, "iloc") else None


def names_of(count):
    """The names of a :class:`Count`; None for another number."""
    return getattr(count, "names", None)


def is_numbering(index):
    """Whether an index is 0, 1, ... in order, which names nothing."""
    return np.array_equal(np.asarray(index), np.arange(len(index)))


def in_order(values, names, name):
    """A pandas Series or table in the order of these names; as it is if it has no index, or names is None.

    The index must hold the same names, each once; texts are matched by what they say, so that 1 is "1". If one of the
    two is 0, 1, ... in order, position identifies the entries, unless the other holds the same numbers.
    """
    index = index_of(values)
    if names is None or index is None:
        return values
    import pandas as pd

    names, index = pd.Index(names, tupleize_cols=False).to_flat_index(), index.to_flat_index()
    if index.equals(names):
        return values
    numbered = is_numbering(names) or is_numbering(index)
    if names.inferred_type == "string":
        index = pd.Index(list(map(str, index)))
    differ = {"missing": names[~names.isin(index)], "surplus": index[~index.isin(names)]}
    found = [f"{len(some)} {kind}, such as {some[0]!r}" for kind, some in differ.items() if len(some)]
    if not found and names.is_unique and index.is_unique:
        return values.iloc[index.get_indexer(names)]
    if numbered:
        return values
    raise ValueError(
        f"{name}: an index must hold the names of what it describes, each once, in any order; got "
        f"{' and '.join(found) or 'repeated names in another order'}. Give {name}.to_numpy() for values by position."
    )
