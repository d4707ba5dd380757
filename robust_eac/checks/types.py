"""Types of arguments that many public functions share; the docstrings say which shapes and values they take."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

#: An ensemble: a matrix with one clustering per column, or a list with a vector or a matrix per clustering.
Labels = ArrayLike | Sequence[ArrayLike]
#: Features of every clustering: index arrays, or one 0/1 matrix.
Subsets = ArrayLike | Sequence[ArrayLike]
#: A name in `WEIGHT_SOLVERS`, a function losses -> weights, or weights to keep.
WeightSolver = str | Callable[..., np.ndarray] | ArrayLike
#: Weights of base clusters: a name, or one array per clustering.
ClusterWeights = str | Sequence[ArrayLike] | None
RandomState = int | np.random.RandomState | None
