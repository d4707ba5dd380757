"""New objects beside a fixed consensus."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from robust_eac import RobustEAC

from ..access import SOFT_LOSSES, _objective, check_ensemble, encode_ensemble, in_memory, reduce_rows
from ..conftest import planted_ensemble, random_membership

TRUTH = np.repeat([0, 1, 2], 20)
WEIGHTS = np.array([1.0, 2.0, 0.0, 1.0, 3.0, 1.0])
AGREEMENTS = pytest.mark.parametrize("options", [{}, {"agreement": "adjusted"}], ids=["raw", "adjusted"])


def with_missing(rng, labels, share):
    """The labels with some missing, but never all of an object; every object keeps one of a partition with weight."""
    hidden = rng.uniform(size=labels.shape) < share
    hidden[np.arange(len(labels)), rng.choice([0, 1, 3, 4, 5], size=len(labels))] = False
    return np.where(hidden, -1, labels)


def new_objects(rng, labels, n=12):
    """Rows with labels of the fit, unknown ones among them, and some that are missing."""
    new = np.array([rng.choice(column[column != -1], size=n) for column in labels.T]).T
    new[rng.uniform(size=new.shape) < 0.15] = 99
    return with_missing(rng, new, 0.2)


def model_of(ensemble, start, sample_weight=None, **options):
    """Any consensus will do, but objects are to be placed exactly."""
    model = RobustEAC(3, weighting=WEIGHTS, init=start, random_state=0, tol=1e-13, max_iter=3, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(ensemble, sample_weight=sample_weight)


@AGREEMENTS
def test_it_is_the_membership_of_an_object_without_weight(rng, options, missing):
    labels = with_missing(rng, planted_ensemble(rng, TRUTH, 6, noise=0.3), missing)
    new, weight = new_objects(rng, labels), rng.uniform(0.3, 3.0, size=len(labels))
    model = model_of(labels, random_membership(rng, len(labels), 3), weight, **options)
    # As fit does with everything, the new objects without weight, for the same consensus; that these find the best
    # place: test_sample_weight.py.
    weight = np.r_[weight, np.zeros(len(new))]
    whole = encode_ensemble(check_ensemble(np.concatenate([labels, new])), weight)
    consensus = np.concatenate([model.membership_, np.zeros((len(new), 3))])
    encoding, rows = reduce_rows(whole, consensus)
    objective = in_memory(encoding, 3, SOFT_LOSSES[options.get("agreement", "raw")])
    placed = _objective.expand(objective, whole, model.weights_, rows, 1e-13)[len(labels) :]
    assert_allclose(model.predict_membership(new), placed, atol=1e-5)


def test_a_label_is_what_it_was_in_the_fit(rng):
    """Codes are matched by value, also where new objects have few of them, or codes far apart."""
    labels = planted_ensemble(rng, TRUTH, 6, noise=0.2)
    names = np.array([-(2**62), -7, 0, 3, 2**62])
    start = np.eye(3)[TRUTH]
    plain, renamed = model_of(labels, start), model_of(names[labels], start)
    for rows in ([0], [59], [5, 25, 45], range(60)):
        assert_array_equal(plain.predict_membership(labels[rows]), renamed.predict_membership(names[labels[rows]]))
    unknown = np.where(labels[:3] == 1, 17, labels[:3])
    also = np.where(labels[:3] == 1, 2**40, names[labels[:3]])
    assert_array_equal(plain.predict_membership(unknown), renamed.predict_membership(also))


def test_new_objects_do_not_see_each_other(rng):
    labels = planted_ensemble(rng, TRUTH, 6, noise=0.3)
    model, new = model_of(labels, TRUTH), new_objects(rng, labels, 9000)
    found = model.predict_membership(new)
    for rows in ([0], [8999, 3], slice(4090, 4100)):
        # The partitions that observe these objects form other groups, whose sums are rounded otherwise.
        assert_allclose(model.predict_membership(new[rows]), found[rows], atol=1e-9)


def test_an_object_unlike_all_has_the_membership_of_an_empty_cluster(rng):
    labels = planted_ensemble(rng, TRUTH[:40], 6, noise=0.0)
    model = RobustEAC(3, init=TRUTH[:40], random_state=0).fit(labels)
    assert model.n_clusters_found_ == 2
    assert_array_equal(model.predict_membership(np.full((2, 6), 99)).argmax(axis=1), [2, 2])
    assert_array_equal(model.predict(np.full((2, 6), 99)), [-1, -1])


@AGREEMENTS
def test_what_is_kept_grows_with_the_clusters_alone(rng, options):
    labels = planted_ensemble(rng, TRUTH, 6, noise=0.1)
    models = [RobustEAC(3, random_state=0, **options).fit(np.tile(labels, (times, 1))) for times in (1, 20)]
    small, large = (len(pickle.dumps(model._fixed)) for model in models)
    assert abs(small - large) < 500
    again = pickle.loads(pickle.dumps(models[1]))
    assert_array_equal(again.predict_membership(labels), models[1].predict_membership(labels))


@AGREEMENTS
def test_objects_without_a_known_label_are_in_no_cluster(rng, options):
    labels = planted_ensemble(rng, TRUTH, 6, noise=0.1)
    model = model_of(labels, TRUTH, **options)
    new = labels[::20].repeat(4, axis=0)
    # One label is known; none is; none is there; the one that is there is of a partition without weight.
    new[::4], new[1::4], new[2::4], new[3::4] = [77, 78, -1, 79, 80, 81], 77, -1, -1
    new[::4, 0], new[3::4, 2] = labels[::20, 0], labels[::20, 2]
    predicted = model.predict(new).reshape(3, 4)
    assert_array_equal(predicted[:, 0], model.labels_[::20])
    assert_array_equal(predicted[:, 1:], np.full((3, 3), -1))
    assert_array_equal(model.predict_membership(new)[3::4], np.full((3, 3), 1.0 / 3.0))


def test_dask_arrays_are_refused(rng):
    da = pytest.importorskip("dask.array")
    labels = planted_ensemble(rng, TRUTH, 6)
    chunks = da.from_array(labels, chunks=(20, 6))
    with pytest.raises(TypeError, match="in memory"):
        model_of(labels, TRUTH).predict(chunks)
    with pytest.raises(ValueError, match="Dask"):
        RobustEAC(3, init=TRUTH, random_state=0).fit(chunks).predict_membership(labels)
