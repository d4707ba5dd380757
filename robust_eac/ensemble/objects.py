"""The objects of an ensemble in memory, with the methods that chunks of a Dask array have too; opening either."""

from contextlib import contextmanager, nullcontext
from copy import copy

import numpy as np

from .. import validation as check
from ..core.formula import pair_cells
from . import reading
from .encoding import collapse, first_objects, select


class Objects:
    """The objects of an encoding. Methods take functions of (encoding, *parts, *shared).

    Parts have a value per row, shared values are the same for all objects.

    is_sampled : whether the encoding has only a sample of the objects.
    """

    is_sampled = False

    def __init__(self, encoding):
        self.encoding = encoding

    def select(self, partitions):
        """These objects with some of the partitions."""
        part = copy(self)
        part.encoding = select(self.encoding, partitions)
        return part

    def collapsed(self):
        """These objects with all identical rows of the encoding merged."""
        merged = copy(self)
        merged.encoding = collapse(self.encoding, min_saving=0.0)
        return merged

    def total(self, function, *parts, shared=()):
        """(first result of a function, for all rows; sum over the rows of its second result, a tuple of arrays)."""
        return function(self.encoding, *parts, *shared)

    def arrays(self, function, *parts, shared=(), kinds=None):
        """The values of the objects that such a function returns; kinds : (type, shape of one value) of each array."""
        return function(self.encoding, *parts, *shared)

    def order(self, values, n_values):
        """The values 0, 1, ... of the rows, each of which occurs, in the order of their first objects."""
        return np.argsort(first_objects(self.encoding.expand(values), n_values))

    def pair_cells(self):
        """:func:`~robust_eac.core.formula.pair_cells` of all objects."""
        return pair_cells(self.encoding)


@contextmanager
def opened(labels, *others, name="labels"):
    """The labels and others: a checked Ensemble, or Dask arrays. Those of a single chunk are loaded into memory."""
    watched = nullcontext
    if check.is_dask_array(labels):
        from .chunks import dask_rows
        from .chunks import scheduler_watched as watched

        labels = dask_rows(labels, name=name)
    with watched():
        if not check.is_dask_array(labels) or labels.numblocks[0] == 1:
            labels, *others = (v.compute() if check.is_dask_array(v) else v for v in (labels, *others))
            labels = reading.ensemble(labels, name=name)
        yield (labels, *others)


def as_given(result, labels, *names):
    """A named tuple in which these arrays are Dask arrays if the labels are one."""
    if not check.is_dask_array(labels):
        return result
    import dask.array as da

    return result._replace(**{name: da.asarray(getattr(result, name), chunks=-1) for name in names})
