"""The objective of the membership: a loss of the partitions, on rows in memory, which are here, or in chunks."""

from functools import cached_property

import numpy as np

from ..core import permutation
from ..core.formula import accumulate, agreement_sums, partition_sums
from ..ensemble.encoding import Visit, select, take_rows
from .losses import LOSSES
from .model import MAX_PLACING, Model, gap_of, gap_unit, nearest_clusters
from .rotation import Search, rotate_rows, some_rows
from .row_sweeps import ROUNDING, sweep, visiting_order
from .starts import draw_quarter

# What an objective asks of its parts.
_OF_LOSS = "chance_corrected", "exact", "matrices", "losses", "terms"
_OF_ROWS = "measure", "steps", "rotation", "rotate"
# Memberships coincide if the cosine of their centred Y'Y is at least this.
_COINCIDENT = 0.995
# Memberships are compared on at most this many rows.
_COMPARED_ROWS = 2**10
# Maximum number of halvings of a step.
_MAX_HALVINGS = 40


class Objective:
    """Weighted losses of the partitions as a function of the memberships of rows.

    loss : a :class:`~robust_eac.median_partition.losses.Loss`.
    rows : where the rows are, with the same methods in memory and in chunks:

        measure(memberships, with_agreement, n_threads) : S, G, and the agreement_sums (see core.formula) or None.
        steps(objective, weights, memberships, matrices, rng, n_threads) : the `steps` of
        :func:`~robust_eac.median_partition.alternation.descend`.
        rotation(memberships, near) : the rotation to the canonical membership (see
        :mod:`~robust_eac.median_partition.rotation`), or None. rotate(memberships, Q) rotates them in place.
        sample(n_clusters, rng), in memory only : some of the objects, drawn at random; None if that is too few.

    Raises
    ------
    TypeError
        If the loss or the rows lack one of these, but for `sample`.
    """

    def __init__(self, loss, rows, n_clusters):
        require(loss, _OF_LOSS)
        require(rows, _OF_ROWS)
        self.loss = loss
        self.rows = rows
        self.n_clusters = n_clusters
        self.partitions = rows.partitions

    def on(self, rows):
        """The same objective of other rows."""
        return Objective(self.loss, rows, self.n_clusters)

    def measure(self, memberships, n_threads=1):
        """The matrices of these memberships, from which all else is computed."""
        corrected = self.loss.chance_corrected
        measured = self.rows.measure(memberships, with_agreement=corrected, n_threads=n_threads)
        return self.loss.matrices(self.partitions, *measured)

    def losses(self, matrices):
        """(m,) losses of the partitions."""
        return self.loss.losses(self.partitions, matrices)

    def agreements(self, memberships, n_threads=1):
        """(m,) adjusted agreements of the partitions with these memberships."""
        _, _, sums = self.rows.measure(memberships, with_agreement=True, n_threads=n_threads)
        return permutation.adjusted(*sums)

    def model(self, weights, matrices, *, every=False):
        """The :class:`Model` for the weighted losses; of `every` partition, or without some of weight zero."""
        terms = self.loss.terms(self.partitions, weights, matrices)
        if every or not self.loss.exact or weights.all():
            return Model(terms, matrices.S, matrices.G)
        active = np.flatnonzero(weights)
        masks = np.unique(self.partitions.mask_of[active])
        S = self.partitions.take_slots(matrices.S, active)
        return Model(terms.take(active), S, matrices.G[masks], active)

    def steps(self, *how):
        return self.rows.steps(self, *how)


def require(component, names):
    """Raise TypeError unless a component has the attributes of these names."""
    missing = [name for name in names if not hasattr(component, name)]
    if missing:
        raise TypeError(f"{type(component).__name__} lacks {', '.join(missing)}, which an Objective needs.")


def in_memory(encoding, n_clusters, loss=LOSSES["raw"]):
    """The :class:`Objective` of the rows of an encoding."""
    return Objective(loss, RowsInMemory(encoding), n_clusters)


class RowsInMemory:
    """The rows of an encoding."""

    _part = None

    def __init__(self, encoding):
        self.encoding = encoding
        self.partitions = encoding.partitions

    @cached_property
    def _pair_sums(self):
        return partition_sums(self.encoding)

    def measure(self, memberships, *, with_agreement, n_threads=1):
        S, G = accumulate(self.encoding, memberships, n_threads=n_threads)
        if not with_agreement:
            return S, G, None
        return S, G, agreement_sums(self.encoding, S, memberships, self._pair_sums)

    def steps(self, objective, *how):
        if objective.loss.exact:
            return ExactSteps(objective, *how)
        return ModelSteps(objective, *how)

    def rotation(self, memberships, *, near=False):
        return Search.of(memberships, self.encoding.rows.multiplicity).canonical(near=near)

    def rotate(self, memberships, Q):
        rotate_rows(memberships, Q)

    def sample(self, n_clusters, rng):
        quarter = draw_quarter(self.encoding, n_clusters, rng)
        if quarter is None:
            return None
        return RowsInMemory(quarter)

    def part(self, partitions):
        """The encoding of some partitions, None for all; the last one is kept for the next Y step."""
        # Read once: starts in other threads share the rows.
        pair = self._part
        if pair is None or not np.array_equal(pair[0], partitions):
            pair = self._part = partitions, select(self.encoding, partitions)
        return pair[1]

    def signature(self, memberships):
        """C = Y - 1/k on some rows of a membership Y, scaled so that |C'C| = 1; :func:`coincide` compares two."""
        some = some_rows(len(memberships), _COMPARED_ROWS)
        weight = np.sqrt(self.encoding.rows.multiplicity[some, np.newaxis])
        inner = weight * (memberships[some] - 1.0 / memberships.shape[1])
        norm = np.linalg.norm(inner.T @ inner)
        return inner / np.sqrt(norm) if norm > 0.0 else inner


def place(objective, encoding, weights, memberships, *, n_threads=1, **how):
    """Memberships of least loss for the rows of another encoding, with those of the objective's rows fixed."""
    model = objective.model(weights, objective.measure(memberships, n_threads), every=True)
    return model.place(encoding, n_threads=n_threads, **how)


def expand(objective, whole, weights, memberships, tol):
    """Memberships of all objects of the encoding `whole`, of which the objective's rows are those with weight."""
    membership = objective.rows.encoding.expand(memberships)
    weightless = np.flatnonzero(whole.rows.multiplicity == 0.0)
    if len(weightless) == 0:
        return membership
    full = np.empty((whole.n_rows, objective.n_clusters))
    full[whole.rows.multiplicity > 0.0] = membership
    how = {"skip": max(tol, ROUNDING) * whole.partitions.total, "max_visits": MAX_PLACING}
    full[weightless] = place(objective, take_rows(whole, weightless), weights, memberships, **how)
    return full


def coincide(one, other):
    """Whether two memberships, given by their signatures, have nearly the same C'C: they differ by a rotation."""
    product = one.T @ other
    return bool(np.vdot(product, product) >= _COINCIDENT)


class Steps:
    """Steps of memberships, which they change, down the weighted losses of an objective."""

    def __init__(self, objective, weights, memberships, matrices, rng, n_threads=1):
        self.matrices = matrices
        self._objective = objective
        self._weights = weights
        self._memberships = memberships
        self._rng = rng
        self._n_threads = n_threads

    def gap(self):
        total = self._objective.partitions.total
        visited, statistics = self._read()
        return gap_of(visited, self._memberships, statistics, total, n_threads=self._n_threads)

    def refresh(self):
        self.matrices = self._measure()

    def _measure(self):
        return self._objective.measure(self._memberships, self._n_threads)

    def _read(self):
        """What a sweep reads, and its statistics."""
        model = self._objective.model(self._weights, self.matrices)
        return model.of(self._objective.rows.part(model.partitions))

    def _sweep(self, visited, statistics, relaxation):
        """Sweep all rows in random order; returns the gap before it."""
        order = visiting_order(len(self._memberships), self._rng)
        how = Visit(relaxation=relaxation)
        gaps = sweep(visited, statistics, self._memberships, order, how, n_threads=self._n_threads)
        return gaps / gap_unit(self._objective.partitions.total)


class ExactSteps(Steps):
    """Steps down losses that a sweep minimises exactly, over one column after the other."""

    _last_read = None

    def sweep(self, relaxation):
        # Sweeps keep the statistics up to date.
        return self._sweep(*(self._last_read or self._read()), relaxation)

    def _read(self):
        self._last_read = super()._read()
        return self._last_read


class ModelSteps(Steps):
    """Steps down losses of which a sweep minimises a model.

    Every sweep minimises a new model, and its step is halved until the weighted losses decrease. If that fails, a
    Frank-Wolfe step moves mass to the best cluster of every object: a descent direction wherever the gap is not zero.
    """

    def sweep(self, relaxation):
        before = self._memberships.copy()
        gap = self._sweep(*self._read(), relaxation)
        lower = self._shorten(before)
        if lower is None:
            visited, statistics = self._read()
            self._memberships[:], _ = nearest_clusters(visited, before, statistics)
            lower = self._shorten(before)
        if lower is None:
            # The remaining gap is rounding.
            self._memberships[:] = before
            return None
        self.matrices = lower
        return gap

    def refresh(self):
        """Nothing to do: the matrices are measured after every sweep."""

    def _shorten(self, before):
        """Halve the step from `before` until the weighted losses are lower than there; the new matrices, or None."""
        value = self._weights @ self._objective.losses(self.matrices)
        for _ in range(_MAX_HALVINGS):
            matrices = self._measure()
            if self._weights @ self._objective.losses(matrices) < value:
                return matrices
            self._memberships += before
            self._memberships *= 0.5
        return None
