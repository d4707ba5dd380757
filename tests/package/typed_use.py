"""A program as users write it, for mypy: what is right passes, and what is wrong needs its "ignore"."""

from typing import assert_type

import numpy as np

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHTING_SCHEMES,
    ClustererEnsemble,
    RestrictedSimplex,
    RobustEAC,
    certify,
    compare,
    corrupt_ensemble,
    h_criterion,
    l2_weights,
    load_dataset,
    plot_weights,
    solve_hard_median_partition,
    solve_median_partition,
    solve_median_partition_distributed,
)
from robust_eac.median_partition import MedianPartitionResult


def right() -> None:
    X, y = load_dataset("iris")
    assert_type(y, np.ndarray)
    labels, _ = corrupt_ensemble([[0, 1], [0, 0], [1, 1]], fraction=0.5, random_state=np.random.RandomState(0))
    result = solve_median_partition(labels, 2, weighting=lambda losses: l2_weights(losses, lam=1.0))
    assert_type(result, MedianPartitionResult)
    assert_type(result.gap, float)
    solve_median_partition([np.array([0, 1, 1]), np.eye(3)], 2, random_state=0)
    model = RobustEAC(2, weighting=RestrictedSimplex(rho="auto"), random_state=0).fit(labels)
    assert_type(model, RobustEAC)
    assert_type(model.labels_, np.ndarray)
    assert_type(h_criterion(y, CONSENSUS_FUNCTIONS["sec"](labels, 2)), float)
    assert_type(ClustererEnsemble(n_per_k=2, max_samples=0.5, max_features=1).fit(X).transform(X), np.ndarray)
    compare(labels, 2, consensus={"mine": lambda labels, k: labels[:, 0]}).summary().table.keys()
    assert_type(solve_hard_median_partition(labels, 2).labels, np.ndarray)
    certify(labels, y, weights=WEIGHTING_SCHEMES["weac"](labels))
    plot_weights(model.weights_)


def wrong() -> None:
    solve_median_partition([[0], [1]], "2")  # type: ignore[arg-type]
    solve_median_partition([[0], [1]], 2, n_inti=3)  # type: ignore[call-arg]
    print(solve_median_partition([[0], [1]], 2).weight)  # type: ignore[attr-defined]
    solve_median_partition_distributed([[0], [1]], 2)  # type: ignore[arg-type]
    RobustEAC(2, n_init=None)  # type: ignore[arg-type]
