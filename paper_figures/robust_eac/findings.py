"""The numbers behind what is said of paper 002: paired differences of H, over data sets and draws of the ensembles."""

import numpy as np

from ..markdown import table
from ..paired import ROUNDING, paired_tests
from ..records import distinct
from ..style import plain_name
from .baselines import samples as baseline_samples
from .noisy import CLOSE, ENSEMBLE_NAMES, NOISE, fractions, movements, samples

WEIGHTED = ("restricted-simplex", "l2")
# Where a weighting loses at most this in the mean H of a data set, the two are comparable.
COMPARABLE = 0.05


def findings_table(records):
    """Differences of H on which the findings about paper 002 rest.

    Each row: the mean over the data sets; the same with the public points of two synthetic sets in place of those drawn
    here; the draws of all ensembles in which the mean is above zero; the data sets in which the mean over the draws is
    above zero, and below -0.05; p of the signed-rank test over the data sets, alone and by Holm's correction for the
    rows of the same name; and the mean that the test would have seen with a power of 80 %."""
    own, public = (differences(rows) for rows in (records["noisy_ensembles"], _with_public(records)))
    rows = []
    for name, of_pairs in (own | against_best(records["baselines"])).items():
        tested = paired_tests({pair: values.mean(axis=1) for pair, values in of_pairs.items()})
        for (ensemble, weighting), values in of_pairs.items():
            test, means = tested[ensemble, weighting], values.mean(axis=1)
            row = [name, ENSEMBLE_NAMES[ensemble], plain_name(weighting), f"{means.mean():+.4f}"]
            row.append(f"{public[name][ensemble, weighting].mean():+.4f}" if name in public else None)
            row.append(f"{np.sum(values.mean(axis=0) > ROUNDING)} of {values.shape[1]}")
            row.append(f"{np.sum(means > ROUNDING)} / {np.sum(means < -COMPARABLE)} of {len(means)}")
            rows.append([*row, f"{test.raw:.2g}", f"{test.p:.2g}", f"{test.seen:.4f}"])
    head = "difference of H | ensembles | weighting | mean | with public points | draws above 0"
    return table(f"{head} | data sets above 0 / below -{COMPARABLE:g} | p | p, Holm | seen from", rows)


def differences(rows):
    """{what is compared: {(kind of ensembles, weighting): (n_datasets, n_repetitions) differences}}."""
    first, second = WEIGHTED
    found = {}
    for ensemble in ENSEMBLE_NAMES:
        clean, noisy = (samples(rows, "h", ensemble, fraction) for fraction in (0.0, NOISE))
        moved = movements(rows, ensemble)
        kept = {w: (moved[w] <= CLOSE).astype(float) for w in WEIGHTED}
        compared = {
            "weighted - unweighted, clean": {w: clean[w] - clean["uniform"] for w in WEIGHTED},
            "weighted - unweighted, a fifth random": {w: noisy[w] - noisy["uniform"] for w in WEIGHTED},
            "l2 - restricted simplex, clean": {second: clean[second] - clean[first]},
            "change by the fifth, unweighted - weighted": {w: moved["uniform"] - moved[w] for w in WEIGHTED},
            f"share of runs moved by at most {CLOSE:g}, restricted simplex - l2": {first: kept[first] - kept[second]},
        }
        for name, of_weightings in compared.items():
            found.setdefault(name, {}).update({(ensemble, w): values for w, values in of_weightings.items()})
    return found


def against_best(baselines):
    """The same for weightings against the consensus function of highest mean H, on the ensembles of `baselines`."""
    found = {}
    for fraction in fractions(baselines):
        others = baseline_samples(baselines, "functions", "h", fraction)
        del others["robust-eac"]
        best = max(others, key=lambda name: others[name].mean())
        weighted = baseline_samples(baselines, "robust-eac", "h", fraction)
        name = f"weighted - {best}, best of {len(others)}, {fraction:.0%} random"
        found[name] = {("kmeans", w): weighted[w] - others[best] for w in WEIGHTED}
    return found


def _with_public(records):
    """The rows of `noisy_ensembles`, those of two data sets with the public points in place of the drawn ones."""
    public = records["public_points"]
    drawn = {name.removesuffix("-file") for name in distinct(public, "dataset")}
    return [row for row in records["noisy_ensembles"] if row["config"]["dataset"] not in drawn] + public
