"""The claims of paper 002, each with the rule that judges it. Means are compared by their sign and `paired_tests`."""

import numpy as np

from robust_eac import l2_weights, optimality_gap, partition_losses, solve_membership

from ..claim import NUMBER, THEOREM, by_reading, claim, finding
from ..paired import LEVEL, all_above, paired_tests
from ..records import distinct, grouped, matching, printed_table
from ..style import plain_name
from .baselines import samples as baseline_samples
from .noisy import ENSEMBLE_NAMES, NOISE, changes, fractions, movements, samples

WEIGHTED = ("restricted-simplex", "l2")
PAIRS = tuple((ensemble, weighting) for ensemble in ENSEMBLE_NAMES for weighting in WEIGHTED)
# Data sets of twelve on which the weighted approaches win, as printed for Figure 2.
PRINTED_WINS = {"kmeans": 8, "mixed": 5}
# A matrix is that of one data set and kind of ensemble.
SHOWN = ("dataset", "ensemble")


def _single_ensembles(records):
    """Samples with one ensemble of each data set."""
    repetitions = distinct(records[0], "repetition")
    return [[matching(rows, repetition=repetition) for rows in records] for repetition in repetitions]


ONE_EACH = ("one ensemble of each data set", _single_ensembles)


# A partition into four clusters of five objects.
_CUT = np.repeat(np.arange(4), 5)[:, np.newaxis]


@claim(
    "Section 2",
    "trivial distributions, putting full mass on a single partition [...] lead to an optimal solution by setting Y = X",
    THEOREM,
)
def full_mass():
    """The objective is zero at Y = X_u with all weight on u, where Y has as many clusters as X_u, as in the paper."""
    losses = {k: solve_membership(_CUT, k, tol=1e-12, random_state=0).objective for k in (2, 4)}
    return finding(
        losses[4] < 1e-9,
        f"A partition into four clusters alone: loss {losses[4]:.1g} for k = 4. With fewer clusters in Y than in the "
        f"partition, which is common in the paper's ensembles, no solution is trivial: {losses[2]:.3g} for k = 2.",
    )


@claim("Section 3.2, Proposition 1", "a solution of (8) is given by α_u = ρ 1{u <= ⌊1/ρ⌋} + r 1{u = ⌊1/ρ⌋}", THEOREM)
def proposition_1():
    """The printed weights are on the restricted simplex, for ten partitions and every ρ of a grid."""
    m, rhos = 10, np.arange(11, 100) / 100.0
    whole = np.floor(1.0 / rhos + 1e-12)
    ranks = np.arange(1, m + 1)[:, np.newaxis]
    printed = rhos * (ranks <= whole) + (1.0 - rhos * whole) * (ranks == whole)
    allowed = np.abs(printed.sum(axis=0) - 1.0) < 1e-9
    allowed &= printed.max(axis=0) <= rhos + 1e-9
    return finding(
        allowed.all(),
        f"They are for {np.count_nonzero(allowed)} of {len(rhos)} values of ρ, those with a whole 1/ρ. For the others "
        f"the formula gives a weight of up to {np.max(printed / rhos):.2f} ρ. With the index of the rest one "
        "higher the weights are right.",
    )


@claim("Section 3.3", "can be readily computed in linear time", THEOREM)
def linear_weights():
    """Judged by the literature, not measured: the problem (9) has an algorithm whose steps grow as the partitions."""
    return by_reading(
        {"any procedure for the problem (9)": True, "the procedure of Proposition 2": False},
        "The problem is a projection on the simplex, which takes linear expected time (Duchi and others 2008; Condat "
        "2016). The procedure of Proposition 2 sorts the losses first, O(m log m).",
    )


@claim("Section 3.3, Proposition 2", "A solution of (5) is given by", THEOREM)
def proposition_2():
    """The weights are on the simplex and meet the conditions of optimality, for 1,000 draws of losses and of λ."""
    rng, off = np.random.RandomState(0), 0.0
    for _ in range(1000):
        losses, lam = rng.gamma(2.0, size=rng.randint(2, 30)), 10.0 ** rng.uniform(-2.0, 2.0)
        weights = l2_weights(losses, lam=lam)
        slopes = losses + lam * weights
        held = slopes[weights > 0.0]
        off = max(off, abs(weights.sum() - 1.0), np.ptp(held), (held.max() - slopes).max())
    return finding(off <= 1e-9, f"Largest deviation {off:.1g}.")


@claim("Section 1", "an alternating optimization procedure, which guarantees to find a local solution", THEOREM)
def local_guarantee():
    """From both starts of Section 3.4, random and uniform, the end is a local minimum: nothing next to it is lower."""
    uniform, tilt = np.full((len(_CUT), 2), 0.5), np.array([1e-3, -1e-3])
    gap = optimality_gap(_CUT, uniform)
    beside = uniform + np.where(_CUT < 2, tilt, -tilt)
    fall = 1.0 - partition_losses(_CUT, beside)[0] / partition_losses(_CUT, uniform)[0]
    return finding(
        gap > 0.0 or fall <= 0.0,
        f"The uniform membership has an optimality gap of {gap:.1g}, so that no line search along an object moves; but "
        f"a membership 0.001 beside it has a loss lower by a share of {fall:.1g}. It is a saddle point.",
    )


@claim("Section 3.1", "a local solution of the optimization problem in (6) can be efficiently computed", THEOREM)
def local_solution(noisy):
    """Of the runs, 99 % end with an optimality gap of at most the tolerance, 1e-5: necessary for a local minimum."""
    gaps = np.array([one["gap"] for row in noisy for one in row["result"].values()])
    return finding(
        np.mean(gaps <= 1e-5) >= 0.99,
        f"All but {np.sum(gaps > 1e-5)} of {len(gaps):,} fits do. They are stationary points; that they are local "
        "minima is not shown, neither here nor in the paper.",
    )


@claim("Section 4, Table 1", "number of ground truth clusters k and number of samples n", NUMBER)
def sizes(benchmark_data):
    """Every data set has the numbers of objects and of classes that are printed."""
    printed = {row["dataset"]: (int(row["n"]), int(row["k"])) for row in printed_table("robust_eac_table1")}
    found = {row["config"]["dataset"]: row["result"] for row in benchmark_data}
    other = [name for name, data in found.items() if (data["n_samples"], data["n_classes"]) != printed[name]]
    drawn = [name for name, data in found.items() if "x" in data]
    sizes = f"Other sizes: {', '.join(other) or 'none'} of {len(found)}."
    return finding(not other, f"{sizes} To their sizes were drawn: {', '.join(drawn)}.")


@claim("Section 4.1, Figure 2", "perform on average better than the unweighted one", own_size=ONE_EACH)
def better_on_average(noisy):
    """Mean H is above the unweighted one's for both weightings and kinds of ensembles, clean, each by the test."""
    gains = {pair: _clean_gains(noisy, pair) for pair in PAIRS}
    text = "; ".join(f"{_named(pair)} {mean:+.4f}, p = {p:.2f}" for pair, (mean, p) in paired_tests(gains).items())
    return finding(all_above(gains), f"Mean gain in H over the data sets, and p: {text}.")


def _wins(noisy, ensemble, more):
    gains = np.array([_clean_gains(noisy, (ensemble, w)) for w in WEIGHTED])
    printed, n = PRINTED_WINS[ensemble], gains.shape[1]

    won = {"both weightings": np.all(gains > more, axis=0).sum(), "either of them": np.any(gains > more, axis=0).sum()}
    met = {reading: count >= printed * n / 12 for reading, count in won.items()}
    counts = ", ".join(f"{count} with {reading}" for reading, count in won.items())
    return by_reading(met, f"Printed {printed} of 12; here of {n}: {counts}.")


@claim("Section 4.1", "in the k-means ensemble [...] better result in 8 out of 12 datasets", NUMBER, own_size=ONE_EACH)
def wins_with_kmeans(noisy, *, more=0.005):
    """As many data sets as printed, or as large a share, have a mean H higher by more than `more`."""
    return _wins(noisy, "kmeans", more)


@claim(
    "Section 4.1", "in the mixed ensemble they obtain better result in 5 out of 12 datasets", NUMBER, own_size=ONE_EACH
)
def wins_with_mixed(noisy, *, more=0.005):
    """As many data sets as printed, or as large a share, have a mean H higher by more than `more`."""
    return _wins(noisy, "mixed", more)


@claim("Section 4.1", "weighted and unweighted formulations perform comparably")
def rest_comparable(noisy, *, close=0.05):
    """No data set loses more than `close` in mean H by a weighting, in either kind of ensembles."""
    losses = {pair: int(np.sum(_clean_gains(noisy, pair) < -close)) for pair in PAIRS}
    listed = "; ".join(f"{_named(pair)} {count}" for pair, count in losses.items())
    return finding(not any(losses.values()), f"Data sets that lose more than {close:g}: {listed}.")


@claim("Section 4.1", "there is no clear winner, the l2-regularized being slightly better on average")
def no_clear_winner(noisy):
    """The mean H of l2 is above that of the restricted simplex in both kinds of ensembles, neither by the test."""
    gains = {e: _clean_gains(noisy, (e, "l2")) - _clean_gains(noisy, (e, "restricted-simplex")) for e in ENSEMBLE_NAMES}
    found = paired_tests(gains)
    text = "; ".join(f"{ENSEMBLE_NAMES[e]} {mean:+.4f}, p = {p:.2f}" for e, (mean, p) in found.items())
    met = all(mean > 0.0 and p >= LEVEL for mean, p in found.values())
    return finding(met, f"l2 minus restricted simplex, mean H: {text}.")


@claim("Section 4.1, Figure 3", "turning the matrix into a more structured one")
def structured(structure):
    """By the weights, the mean of 4 c (1 - c) over the pairs of objects falls on more than half of the data sets."""
    changes = {}
    for (_, ensemble), runs in grouped(matching(structure, weighting="restricted-simplex"), *SHOWN).items():
        before, after = (np.mean([run["result"][key] for run in runs]) for key in ("unweighted", "weighted"))
        changes.setdefault(ENSEMBLE_NAMES[ensemble], []).append(after / before - 1.0)
    falls = {name: np.array(of) < 0.0 for name, of in changes.items()}
    medians = {name: f"{np.median(of):+.0%} in the median" for name, of in changes.items()}
    counts = "; ".join(f"{name} on {fell.sum()} of {len(fell)}, {medians[name]}" for name, fell in falls.items())
    return by_reading(
        {name: fell.mean() > 0.5 for name, fell in falls.items()},
        f"Restricted simplex; 0 if all pairs are always or never together. It falls with {counts}. The paper shows one "
        "matrix and does not say of which data set.",
    )


@claim("Section 4.1, Figure 3", "the weights [...] selectively tune the importance of each partition")
def selective(coassociation):
    """In the clean ensemble drawn for Figure 3, some partitions have weight and some have none."""
    shares = [np.mean(np.array(row["result"]["weights"]) == 0.0) for row in matching(coassociation, fraction=0.0)]
    text = f"Without weight: {max(shares):.0%}, as many as ρ = 1/(0.8 m) leaves out of any ensemble."
    return finding(all(0.0 < share < 1.0 for share in shares), text)


@claim("Section 4.2, Figure 4", "tends to be more stable than the un-weighted version", own_size=ONE_EACH)
def stable(noisy):
    """|H with a fifth of random partitions - H without| is smaller in mean than unweighted, each by the test."""
    moved = {e: movements(noisy, e) for e in ENSEMBLE_NAMES}
    less = {(e, w): moved[e]["uniform"] - moved[e][w] for e, w in PAIRS}
    text = "; ".join(
        f"{_named((e, w))} {moved[e][w].mean():.4f} beside {moved[e]['uniform'].mean():.4f} {plain_name('uniform')}, "
        f"p = {p:.2f}"
        for (e, w), (_, p) in paired_tests(less).items()
    )
    return finding(all_above(less), f"Mean change of H by the noise: {text}.")


@claim("Section 4.2", "the general trend was to conserve the previous result", own_size=ONE_EACH)
def conserved(noisy, *, close=0.01):
    """Mean H moves by at most `close` in more than half of the cases: data sets by weightings by kinds of ensembles."""
    kept, n = _kept(noisy, close), len(distinct(noisy, "dataset"))
    listed = "; ".join(f"{_named(pair)} {count}" for pair, count in kept.items())
    text = f"Data sets of {n} that move by at most {close:g}: {listed}."
    return finding(sum(kept[pair] for pair in PAIRS) > n * len(PAIRS) / 2, text)


@claim(
    "Section 4.2",
    "Δ_ρ apparently was more stable, preserving in more situations the previous result",
    own_size=ONE_EACH,
)
def simplex_most_stable(noisy, *, close=0.01):
    """Mean H moves by at most `close` in more cases, data sets by kinds of ensembles, than with l2."""
    kept = _kept(noisy, close)
    cases = {w: sum(kept[e, w] for e in ENSEMBLE_NAMES) for w in WEIGHTED}
    moved = {(e, w): movements(noisy, e)[w].mean() for e, w in PAIRS}
    means = "; ".join(f"{_named(pair)} {mean:.4f}" for pair, mean in moved.items())
    counts = ", ".join(f"{count} with {plain_name(w)}" for w, count in cases.items())
    return finding(
        cases["restricted-simplex"] > cases["l2"],
        f"Of {len(ENSEMBLE_NAMES) * len(distinct(noisy, 'dataset'))}: {counts}. Mean change of H: {means}.",
    )


@claim("Section 2.1", "noisy partitions might be excluded from the objective", own_size=ONE_EACH)
def random_left_out(noisy, *, left=0.5):
    """With 20 % random partitions, the restricted simplex leaves them at most `left` of their share of the weight, on
    more than half of the data sets."""
    heavy, met, parts = fractions(noisy)[-1], {}, []
    for ensemble, title in ENSEMBLE_NAMES.items():
        weight, most = (
            samples(noisy, "noise_weight", ensemble, share)[WEIGHTED[0]].mean(axis=1) for share in (NOISE, heavy)
        )
        out = weight <= left * NOISE
        met[title] = out.mean() > 0.5
        parts.append(f"{title} on {out.sum()} of {len(out)}, mean weight {weight.mean():.2f}")
        parts[-1] += f" (with {heavy:.0%} random, which the paper does not have, {most.mean():.2f})"
    return by_reading(
        met, f"{'; '.join(parts)}. With ρ = 1/(0.8 m), as many partitions as are random here can lose all weight."
    )


@claim("Section 5", "outperforms state-of-the-art approaches delivering more robust results")
def outperforms(baselines):
    """Mean H is above the unweighted one's, each by the test; or above that of every other consensus function."""
    shares, met, parts = fractions(baselines), {"the unweighted one": True, "21 consensus functions": True}, []
    for fraction in shares:
        plain = {name: h.mean(axis=1) for name, h in baseline_samples(baselines, "functions", "h", fraction).items()}
        weighted = baseline_samples(baselines, "robust-eac", "h", fraction)
        base = plain.pop("robust-eac")
        gains = {w: weighted[w].mean(axis=1) - base for w in WEIGHTED}
        best = max(plain, key=lambda name: plain[name].mean())
        met["the unweighted one"] &= all_above(gains)
        met["21 consensus functions"] &= all(gain.mean() >= (plain[best] - base).mean() for gain in gains.values())
        ours = ", ".join(f"{plain_name(w)} {mean:+.4f}, p = {p:.2f}" for w, (mean, p) in paired_tests(gains).items())
        parts.append(f"{fraction:.0%} random: {ours}; best other {best} {(plain[best] - base).mean():+.4f}")
    return by_reading(met, f"Mean H minus the unweighted one's: {'; '.join(parts)}.")


def _clean_gains(noisy, pair):
    """(n_datasets,) mean H of a weighting minus the unweighted one's, clean ensembles."""
    ensemble, weighting = pair
    h = samples(noisy, "h", ensemble, 0.0)
    return h[weighting].mean(axis=1) - h["uniform"].mean(axis=1)


def _kept(noisy, close):
    """{(kind of ensembles, weighting): number of data sets whose mean H the noise moves by at most `close`}."""
    moved = {e: changes(noisy, e) for e in ENSEMBLE_NAMES}
    return {(e, w): int(np.sum(np.abs(of[w]) <= close)) for e, of in moved.items() for w in ("uniform", *WEIGHTED)}


def _named(pair):
    ensemble, weighting = pair
    return f"{plain_name(weighting)}, {ENSEMBLE_NAMES[ensemble]}"


def with_public_points(rule, judged, noisy, public):
    """A claim whose robustness tells the verdict with the public points in place of the drawn ones, too."""
    names = {}
    for name in distinct(public, "dataset"):
        if matching(noisy, dataset=(drawn := name.removesuffix("-file"))):
            names[drawn] = name
    if not names:
        return judged
    kept = [row for row in noisy if row["config"]["dataset"] not in names]
    other = rule.__wrapped__([*kept, *(row for row in public if row["config"]["dataset"] in names.values())])
    same = "the same" if other.verdict == judged.verdict else other.verdict
    return judged._replace(robustness=f"{judged.robustness} With the public points of {' and '.join(names)}: {same}.")
