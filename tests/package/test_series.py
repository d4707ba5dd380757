"""Position counts: every public function refuses a Series or table whose index differs from that of the labels."""

import numpy as np
import pandas as pd
import pytest

from robust_eac import (
    WEIGHTING_SCHEMES,
    RobustEAC,
    plot_coassociation,
    plot_membership,
    plot_weights,
    solve_hard_median_partition,
)
from robust_eac.schemes import FEATURE_SCHEMES

from .hostile import CALLABLES, arguments_of, assert_same, call, label_parameter, parameters_of, small_world

WORLD = small_world()
OBJECTS, TITLES = [f"o{i}" for i in range(WORLD.n)], [str(u) for u in range(9, 9 - WORLD.m, -1)]
# Parameter -> values, one per object or per partition.
BY_OBJECT = {
    "consensus": WORLD.consensus, "partition": WORLD.consensus, "membership": WORLD.membership,
    "memberships": WORLD.consensus, "y": WORLD.consensus, "sample_weight": np.arange(1.0, WORLD.n + 1.0),
    "init": WORLD.consensus, "X": WORLD.X, "y_pred": WORLD.labels[:, 0], "labels_pred": WORLD.labels[:, 0],
    "b": WORLD.labels[:, 0], "labels": WORLD.consensus, "values": np.arange(1.0, WORLD.n * WORLD.m + 1).reshape(-1, 4),
}  # fmt: skip
BY_PARTITION = {
    "weights": np.arange(1.0, WORLD.m + 1.0), "weighting": np.arange(1.0, WORLD.m + 1.0),
    "groups": np.array([2, 3, 2, 3]), "expected": np.arange(5.0, WORLD.m + 5.0),
}  # fmt: skip
# Parameters of these names that hold something else, or that are not used.
OTHERS = {("certify", "weighting"), ("compare", "consensus"), ("fuzzy_c_means", "init")} | {
    (function.__name__, "X") for name, function in WEIGHTING_SCHEMES.items() if name not in FEATURE_SCHEMES
}


def table_of(name):
    """Parameter whose index the other arguments must have."""
    first = next(iter(parameters_of(name)))
    return label_parameter(name) or (first if first in ("X", "y_true", "labels_true", "a", "losses") else None)


def cases():
    for name in CALLABLES:
        for parameter in (BY_OBJECT | BY_PARTITION) if table_of(name) else ():
            if parameter in parameters_of(name) and parameter != table_of(name) and (name, parameter) not in OTHERS:
                yield name, parameter


def indexed(values, names, columns=None):
    return pd.Series(values, names) if values.ndim == 1 else pd.DataFrame(values, names, columns)


CASES = list(cases())


@pytest.mark.parametrize(("name", "parameter"), CASES, ids=map("-".join, CASES))
def test_values_with_another_index_are_refused(name, parameter):
    arguments, table = arguments_of(name, WORLD), table_of(name)
    if "weighting" in arguments or parameter == "weighting":
        arguments.pop("weights", None)
    given = np.asarray(arguments[table])
    names = TITLES if table == "losses" else OBJECTS
    arguments[table] = indexed(given, names, TITLES if given.shape[1:] == (WORLD.m,) else None)
    values = np.eye(2)[WORLD.consensus] if name == "gath_geva" else (BY_OBJECT | BY_PARTITION)[parameter]
    values = indexed(values, OBJECTS if parameter in BY_OBJECT else TITLES)
    by_position = call(name, arguments | {parameter: values.to_numpy()})
    assert_same(call(name, arguments | {parameter: values}), by_position)
    with pytest.raises(ValueError, match=f"{parameter}: .*reindex"):
        call(name, arguments | {parameter: values.iloc[::-1]})


def test_the_cases_are_many():
    assert len(CASES) > 100
    assert {("RobustEAC", parameter) for parameter in ("weighting", "init", "sample_weight")} <= set(CASES)


def test_plots_and_reports_refuse_another_index():
    frame, weights = pd.DataFrame(WORLD.labels, OBJECTS, TITLES), pd.Series(np.arange(1.0, WORLD.m + 1.0), TITLES)
    consensus, membership = pd.Series(WORLD.consensus, OBJECTS), pd.DataFrame(WORLD.membership, OBJECTS)
    sample_weight, names = pd.Series(np.arange(1.0, WORLD.n + 1.0), OBJECTS), pd.Series(list("abcd"), TITLES)
    model = RobustEAC(2, weighting=weights, random_state=0).fit(frame, sample_weight=sample_weight)
    hard = solve_hard_median_partition(frame, 3, random_state=0)
    for make, first, others in (
        (plot_coassociation, frame, {"consensus": consensus, "weights": weights}),
        (plot_membership, membership, {"labels": consensus}),
        (plot_weights, weights, {"corrupted": weights > 2.0}),
        (model.summary, frame, {"sample_weight": sample_weight, "names": names}),
        (model.to_html, frame, {"sample_weight": sample_weight, "names": names, "object_names": consensus}),
        (hard.summary, frame, {"names": names}),
    ):
        make(first, **others)
        for name, values in others.items():
            with pytest.raises(ValueError, match=f"{name}: .*index"):
                make(first, **others | {name: values[::-1]})


def test_titles_that_are_numbers_are_names():
    frame = pd.DataFrame(WORLD.labels, columns=[9, 8, 7, 6])
    # With a weight of its own, each partition shows whether it goes by its name.
    weights = pd.Series([0.1, 0.2, 0.3, 0.4], [9, 8, 7, 6])
    for labels in (frame, [frame[title] for title in frame]):
        model = RobustEAC(2, weighting=weights, random_state=0).fit(labels)
        rows = [line.split()[:2] for line in model.summary().splitlines()[-4:]]
        assert dict(rows) == {"9": "0.1", "8": "0.2", "7": "0.3", "6": "0.4"}
        with pytest.raises(ValueError, match="order"):
            model.predict(frame.iloc[:, ::-1])
    # Titles 0, 1, ... are positions.
    assert not hasattr(RobustEAC(2, random_state=0).fit(pd.DataFrame(WORLD.labels)), "feature_names_in_")
