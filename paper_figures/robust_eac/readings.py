"""What paper 002 leaves open about its ensembles, and what other readings of it do to its claims."""

from experiments.robust_eac.noisy_readings import READINGS

from ..markdown import table
from ..style import plain_name
from . import claims
from .noisy import ENSEMBLE_NAMES, NOISE, samples

# The claims on accuracy, stability and the weight on noise.
RULES = (
    claims.better_on_average,
    claims.wins_with_kmeans,
    claims.wins_with_mixed,
    claims.no_clear_winner,
    claims.stable,
    claims.conserved,
    claims.simplex_most_stable,
    claims.random_left_out,
)


def readings_table(records):
    """Ensembles of paper 002 under other readings of what it leaves open, one changed at a time.

    Mean H of the restricted simplex and of l2 minus the unweighted one's, clean and with a fifth of the partitions
    random; mean weight of the restricted simplex on these; and the claims whose verdicts differ from those on the same
    ensembles as chosen. Five ensembles of each data set."""
    chosen, rows = _judged(_rows(records, "as chosen")), []
    for reading in READINGS:
        read = _rows(records, reading)
        row = [reading, READINGS[reading]]
        for ensemble in ENSEMBLE_NAMES:
            for fraction in (0.0, NOISE):
                h = samples(read, "h", ensemble, fraction)
                row.append(", ".join(f"{(h[w] - h['uniform']).mean():+.3f}" for w in claims.WEIGHTED))
            row.append(f"{samples(read, 'noise_weight', ensemble, NOISE)[claims.WEIGHTED[0]].mean():.3f}")
        judged = _judged(read)
        row.append("; ".join(f"{name}: {verdict}" for name, verdict in judged.items() if verdict != chosen[name]))
        rows.append(row)
    names = ", ".join(plain_name(weighting) for weighting in claims.WEIGHTED)
    measures = f"gains clean ({names})", "gains with a fifth random", "weight on the fifth"
    heads = [f"{title}: {measure}" for title in ENSEMBLE_NAMES.values() for measure in measures]
    return table(["reading", "what differs", *heads, "verdicts that differ"], rows)


def _rows(records, reading):
    """All ensembles under a reading; those that it leaves alone are as chosen."""
    cells = {}
    for row in records:
        config = dict(row["config"])
        if config.pop("reading") in ("as chosen", reading):
            cells[tuple(config.values())] = {"config": config, "result": row["result"]}
    return list(cells.values())


def _judged(rows):
    return {rule.__name__.replace("_", " "): rule.__wrapped__(rows).verdict for rule in RULES}
