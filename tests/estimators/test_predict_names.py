"""New objects whose labels are names: they are matched by name, not by the integers that encode the names."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from robust_eac import RobustEAC

from ..conftest import planted_ensemble

COLUMNS = ["km", "ward", "louvain", "leiden"]
# The clusters 0 to 3 of every column, in sorted order with the numbers first, and two that no fit sees: among the
# others they have other places.
NAMES = np.array([["a", "b", "c", "d"], ["2", "10", "x", "y"], ["s", "t", "u", "v"], ["A", "B cell", " b", "ß"]])
UNKNOWN = ["A0", "zz"]
START = np.repeat([0, 1, 2, 3], 15)
MODELS = [
    RobustEAC(4, init=START, random_state=0),
    RobustEAC(4, init=START, agreement="adjusted", random_state=0),
]


def named(codes, n_unknown=0):
    """Names of codes, None for -1; the codes from 4 on are unknown names."""
    names = np.column_stack([NAMES, np.tile(UNKNOWN, (4, 1))]).astype(object)
    found = np.array([row[column] for row, column in zip(names, codes.T, strict=True)]).T
    return np.where(codes == -1, None, found)


# Each makes, of names with None among them, labels of a form.
FORMS = {
    "DataFrame of texts with NA": lambda texts: pd.DataFrame(texts, columns=COLUMNS).astype("string"),
    "DataFrame of categories": lambda texts: pd.DataFrame(texts, columns=COLUMNS).astype("category"),
    "polars": lambda texts: pl.DataFrame({name: texts[:, u].tolist() for u, name in enumerate(COLUMNS)}),
    "list of Series": lambda texts: [pd.Series(texts[:, u], name=name) for u, name in enumerate(COLUMNS)],
    "list of categories": lambda texts: [pd.Categorical(column) for column in texts.T],
}  # fmt: skip


@pytest.fixture
def labels(rng):
    """Clusters 0 to 3 of sixty objects, some of them missing."""
    return planted_ensemble(rng, START, 4, noise=0.2, missing=0.1)


# New objects that show few of the names, an unknown name that comes first or last in order, or a single object.
NEW = [
    np.array([[3, 3, 3, 3], [3, 2, 3, -1], [1, 3, 1, 3]]),
    np.array([[4, 0, 4, 1], [0, 5, 0, 4], [1, 4, 2, -1], [2, 2, 5, 3], [2, 0, 2, 1], [0, 5, 0, 3]]),
    np.array([[2, 1, 0, 2]]),
]


@pytest.mark.parametrize("form", FORMS)
def test_names_are_those_of_the_fit(labels, form):
    read = FORMS[form]
    for estimator in MODELS:
        model, expected = (clone(estimator).fit(x) for x in (read(named(labels)), labels))
        for new in (*NEW, labels):
            found = model.predict_membership(read(named(new)))
            assert_array_equal(found, expected.predict_membership(new))
            assert_array_equal(model.predict(read(named(new))), expected.predict(new))
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(read(named(NEW[0]))), model.predict(read(named(NEW[0]))))


def test_numbers_among_names_and_names_among_numbers(labels):
    labels, new = np.maximum(labels, 0), np.array([[0, 1, 1, 3], [3, 3, 0, 0]])
    numbers = np.array([[7, 3, 0, 5]] * 4, dtype=object)

    def placed(values, new):
        """Memberships of new objects where the clusters are called by these values in the fit."""
        fitted = np.array([row[column] for row, column in zip(values, labels.T, strict=True)], dtype=object).T
        return RobustEAC(4, init=labels[:, 0], random_state=0).fit(fitted).predict_membership(new)

    codes = np.tile(np.arange(4), (4, 1))
    with_names = numbers.copy()
    with_names[:, 2] = "name"
    # New objects show numbers alone, where the fit saw a name, too; and the other way round.
    found = placed(with_names, numbers[0][new].astype(int))
    assert_allclose(found, placed(codes, new), atol=1e-9)
    found = placed(numbers, np.where(new == 1, "name", numbers[0][new]))
    assert_allclose(found, placed(codes, np.where(new == 1, 9, new)), atol=1e-9)


def test_columns_in_another_order_or_of_another_name(labels):
    frame = pd.DataFrame(named(labels), columns=COLUMNS)
    model = RobustEAC(4, random_state=0).fit(frame)
    turned = frame[COLUMNS[::-1]]
    for bad in (turned, pl.from_pandas(turned), [turned[name] for name in turned]):
        with pytest.raises(ValueError, match="same order"):
            model.predict(bad)
    # What would be refused as an ensemble, an object of its own name in every column, may be a few objects of one.
    four = pd.DataFrame(NAMES.T, columns=COLUMNS)
    assert_array_equal(model.predict(four), [model.predict(four[i : i + 1])[0] for i in range(4)])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(frame.to_numpy())
