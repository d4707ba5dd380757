from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import adjusted_agreement, certify

from .. import reference
from ..access import Objective, check_ensemble, corrected_objective, descend, encode_ensemble, gradient_of, sweep
from ..conftest import planted_ensemble, random_ensemble, random_membership


def on(encoding, k=3):
    return corrected_objective(encoding, k)


def read_at(encoding, weights, membership):
    return on(encoding).model(weights, on(encoding).measure(membership)).of(encoding)


def dense_losses(ensemble, membership, copies):
    """d_u / E[d_u] from n x n matrices of objects that stand `copies` times each; exact for fractions."""
    index = np.repeat(np.arange(len(membership)), copies)
    membership = membership[index]
    values = []
    for column in reference.partitions_of(ensemble):
        column = column[index]
        together, observed = reference.comembership(column)
        seen = np.flatnonzero(np.diag(observed))
        a, b = (membership @ membership.T)[np.ix_(seen, seen)], together[np.ix_(seen, seen)].astype(int)
        n = len(seen)
        own, pairs = np.trace(a) * np.trace(b) / n, (a.sum() - np.trace(a)) * (b.sum() - np.trace(b))
        mean = (a**2).sum() + (b**2).sum() - 2.0 * (own + pairs / max(n * (n - 1), 1))
        values.append(((a - b) ** 2).sum() / mean)
    return np.array(values)


@pytest.fixture(params=product((0.0, 0.2), (False, True)), ids=str)
def problem(request, rng):
    """Ensemble, copies of the objects, encoding, weights and a membership."""
    missing, weighted = request.param
    ensemble = random_ensemble(rng, 12, 5, missing=missing)
    copies = rng.randint(1, 4 if weighted else 2, size=12)
    encoding = encode_ensemble(check_ensemble(ensemble), copies.astype(float) if weighted else None)
    weights = rng.dirichlet(np.ones(encoding.partitions.n_partitions))
    return ensemble, copies, encoding, weights, random_membership(rng, 12, 3)


def test_losses_equal_the_dense_reference(problem):
    ensemble, copies, encoding, _, membership = problem
    expected = dense_losses(ensemble, membership, copies)
    assert_allclose(on(encoding).measure(membership).losses, expected, rtol=1e-10)
    agreement = adjusted_agreement(ensemble, membership, sample_weight=copies.astype(float))
    assert_allclose(1.0 - agreement, expected, rtol=1e-10)


def test_gap_counts_ordered_pairs_as_that_of_raw_losses(problem):
    """The gap by differences of d_u / E[d_u], divided by the mean of 1 / E[d_u], is that of steps and certify."""
    ensemble, copies, encoding, weights, membership = problem
    h, gradient = 1e-6, np.zeros_like(membership)
    for i, p in np.ndindex(gradient.shape):
        step = np.zeros_like(membership)
        # One copy of the object; the others go along in the losses of all.
        step[i, p] = h
        ahead, behind = (dense_losses(ensemble, membership + sign * step, copies) for sign in (1.0, -1.0))
        gradient[i, p] = weights @ (ahead - behind) / (2.0 * h)
    violations = (gradient * membership).sum(axis=1) - gradient.min(axis=1)
    shares = dense_losses(ensemble, membership, copies)
    chance = reference.losses(ensemble, membership, sample_weight=copies.astype(float)) / shares
    expected = violations.sum() / (4.0 * copies.sum() ** 2 * (weights @ (1.0 / chance)))
    of_objects = violations / (4.0 * copies.sum() * copies * (weights @ (1.0 / chance)))
    state = on(encoding).measure(membership)
    steps = on(encoding).steps(weights, membership.copy(), state, np.random.RandomState(0))
    assert steps.gap() == pytest.approx(expected, rel=1e-5)
    options = {"weights": weights, "sample_weight": copies.astype(float)}
    certificate = certify(ensemble, membership, agreement="adjusted", **options)
    assert_array_equal(certificate.move_costs, certify(ensemble, membership, **options).move_costs)
    assert certificate.gap == pytest.approx(steps.gap(), rel=1e-9)
    assert_allclose(certificate.object_gaps, of_objects, rtol=1e-5, atol=1e-9)


def test_steps_end_where_nothing_is_lower(monkeypatch, rng):
    """If no step lowers the sum, the rows stay, and the sweeps end although there is a gap."""
    encoding = encode_ensemble(check_ensemble(random_ensemble(rng, 20, 6)))
    rows = random_membership(rng, 20, 3)
    before, state = rows.copy(), on(encoding).measure(rows)
    monkeypatch.setattr(Objective, "measure", lambda *args, **options: state)
    gap, n_sweeps, found = descend(on(encoding), np.full(6, 1 / 6), rows, tol=1e-9, max_sweeps=1000, rng=rng)
    assert gap > 1e-3
    assert n_sweeps < 200
    assert found is state
    assert np.array_equal(rows, before)


def test_a_visit_minimises_the_model_exactly(problem, rng):
    ensemble, copies, encoding, weights, membership = problem

    def parts(rows):
        """d_u and E[d_u] up to factors that do not depend on the rows."""
        shares = dense_losses(ensemble, rows, copies)
        losses = reference.losses(ensemble, rows, sample_weight=copies.astype(float))
        return losses, losses / shares

    def visit(start, i):
        """Whether an exact step of object i ends before the cluster that it takes from is empty."""
        losses, means = parts(start)
        beta, gamma = weights / means, weights * losses / means**2
        rows = start.copy()
        sweep(*read_at(encoding, weights, start), rows, np.array([i]), n_steps=1)
        step = rows - start
        assert np.flatnonzero(np.abs(step).sum(axis=1)).tolist() == [i]
        longest = start[i, step[i].argmin()] / -step[i].min()
        # Along the line the model is a quartic: five values determine its minimum.
        times = np.linspace(0.0, longest, 5)
        models = [parts(start + t * step) for t in times]
        values = np.array([beta @ losses - gamma @ means for losses, means in models])
        c = np.linalg.solve(np.vander(times / longest, 5, increasing=True)[1:, 1:], values[1:] - values[0])
        assert longest * reference.minimise_polynomial(c, 1.0) == pytest.approx(1.0, abs=1e-5)
        return longest > 1.01

    n_interior = sum(visit(membership, i) for i in range(3))
    # From objects that are out of place beside soft ones.
    descend(on(encoding), weights, membership, tol=1e-4, max_sweeps=100, rng=rng)
    for i in range(12):
        start = membership.copy()
        start[i] = 0.5 * (start[i] + rng.dirichlet(np.ones(3)))
        n_interior += visit(start, i)
    assert n_interior > 0


def test_a_step_that_raises_the_objective_is_not_taken(monkeypatch, rng):
    encoding = encode_ensemble(check_ensemble(random_ensemble(rng, 20, 6)))
    weights, rows = np.full(6, 1 / 6), random_membership(rng, 20, 3)
    before = weights @ on(encoding).measure(rows).losses

    def scatter(encoding, statistics, rows, order, how, **options):
        rows[:] = rng.dirichlet(np.full(3, 0.1), size=len(rows))
        return np.inf

    monkeypatch.setattr("robust_eac.median_partition.objective.sweep", scatter)
    values = [before]
    for _ in range(5):
        descend(on(encoding), weights, rows, tol=1e-9, max_sweeps=1, rng=rng)
        values.append(weights @ on(encoding).measure(rows).losses)
    assert np.all(np.diff(values) < 0.0)


def with_uninformative_partitions(rng):
    """k-means-like partitions of planted clusters, and some that a permutation does not change."""
    truth = np.repeat([0, 1, 2], 20)
    labels = planted_ensemble(rng, truth, 12, noise=0.2)
    columns = [np.where(truth == u % 3, 0, -1) for u in range(3)]
    columns += [np.where(rng.rand(60) < 0.5, 0, -1), np.where(rng.rand(60) < 0.5, np.arange(60), -1), np.arange(60)]
    columns += [np.where(np.arange(60) < 2, np.arange(60), -1), np.zeros(60, dtype=int)]
    return labels, np.column_stack(columns), truth


def test_an_uninformative_partition_has_the_loss_of_chance_everywhere(rng):
    _, ensemble, truth = with_uninformative_partitions(rng)
    alike, weights = np.tile(rng.dirichlet(np.ones(3)), (60, 1)), rng.dirichlet(np.ones(8))
    encoding = encode_ensemble(check_ensemble(ensemble))
    near = (1.0 - 1e-6) * np.eye(3)[truth] + 1e-6 * random_membership(rng, 60, 3)
    constant = np.eye(3)[np.zeros(60, dtype=int)]
    for membership in (np.eye(3)[truth], near, constant, alike, np.eye(60), random_membership(rng, 60, 3)):
        assert np.array_equal(on(encoding).measure(membership).losses, np.ones(8))
        assert np.array_equal(adjusted_agreement(ensemble, membership), np.zeros(8))
        read, statistics = read_at(encoding, weights, membership)
        assert not gradient_of(read, membership, statistics).any()


@pytest.mark.parametrize("place", ["hard", "nearly hard", "soft"])
def test_gradient_is_that_of_the_losses_beside_uninformative_partitions(rng, place):
    labels, nothing, truth = with_uninformative_partitions(rng)
    encoding = encode_ensemble(check_ensemble(np.column_stack([labels, nothing])))
    weights, away = rng.dirichlet(np.ones(20)), random_membership(rng, 60, 3)
    share = {"hard": 0.0, "nearly hard": 1e-6, "soft": 0.3}[place]
    membership = (1.0 - share) * np.eye(3)[truth] + share * away
    read, statistics = read_at(encoding, weights, membership)
    gradient = gradient_of(read, membership, statistics)
    objective = on(encoding)
    gradient /= objective.loss.chance(weights, objective.measure(membership))
    h = 1e-5
    for _ in range(10):
        direction = random_membership(rng, 60, 3) - random_membership(rng, 60, 3)
        ahead, behind = (weights @ on(encoding).measure(membership + s * direction).losses for s in (h, -h))
        assert np.sum(gradient * direction) == pytest.approx((ahead - behind) / (2.0 * h), rel=1e-5, abs=1e-8)


def nearly_constant(rng, n, eps, place):
    constant = {"vertex": [1.0, 0.0, 0.0], "inside": [0.5, 0.3, 0.2]}[place]
    return (1.0 - eps) * np.array(constant) + eps * rng.dirichlet(np.ones(3), size=n)


@pytest.mark.parametrize("place", ["vertex", "inside"])
@pytest.mark.parametrize("eps", [1e-1, 1e-3, 1e-5])
def test_agreement_of_a_nearly_constant_membership_in_rational_numbers(rng, eps, place):
    n = 8
    X, Y = rng.permutation(np.arange(n) % 3), nearly_constant(rng, n, eps, place)
    exact = np.vectorize(Fraction, otypes=[object])(Y)
    expected = float(1 - dense_losses([X], exact, np.ones(n, dtype=int))[0])
    labels, order = X[:, np.newaxis], rng.permutation(n)
    for found in (adjusted_agreement(labels, Y)[0], adjusted_agreement(labels[order], Y[order][:, [2, 0, 1]])[0]):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)
    losses = on(encode_ensemble(check_ensemble(labels))).measure(Y).losses
    assert 1.0 - losses[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
