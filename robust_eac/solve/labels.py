"""Labels of memberships, which are dense or in compressed rows."""

import numpy as np
from scipy import sparse


def labels_of(membership):
    """(n,) the first cluster of largest membership, of a dense matrix or of one in compressed rows."""
    if not sparse.issparse(membership):
        return membership.argmax(axis=1)
    membership.sort_indices()
    rows = np.repeat(np.arange(membership.shape[0]), np.diff(membership.indptr))
    largest = np.maximum.reduceat(membership.data, membership.indptr[:-1])
    at = np.flatnonzero(membership.data == largest[rows])
    return membership.indices[at[np.unique(rows[at], return_index=True)[1]]].astype(np.intp)


def largest_of(membership):
    """(n,) the largest membership of every row."""
    largest = membership.max(axis=1)
    return largest.toarray().ravel() if sparse.issparse(largest) else largest


def empty_last(membership):
    """The membership with the clusters that win no object last, so that the labels are 0, 1, ... without holes."""
    won = np.bincount(labels_of(membership), minlength=membership.shape[1])
    if won.all():
        return membership
    ordered = membership[:, empty_last_order(won)]
    return ordered if sparse.issparse(ordered) else np.ascontiguousarray(ordered)


def empty_last_order(won):
    """Order of the clusters, those that win no object last, from the number of objects that each wins."""
    return np.argsort(won == 0, kind="stable")
