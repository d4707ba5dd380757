"""A consensus in words: the text of its report, counts with their nouns, shares, and lists of names."""

import numpy as np

# A table lists up to this many partitions; of more, the first and last _LISTED.
_ALL_LISTED = 15
_LISTED = 3
# The report warns only of mean agreements below these: with at most as many partitions as objects, and with more.
_LITTLE = 0.3
_LITTLE_OF_MANY = 0.5
# Why partitions may hardly agree.
TWO_REASONS = "are rows clusterings (transpose), or is there no structure?"
# With at least _MANY partitions, the report names one that has more weight than _HALF: half, up to rounding.
_HALF = 0.5 + 1e-9
_MANY = 5
# Number of clusters whose sizes are listed.
_SIZES = 8
# Characters of a name.
_NAME = 24


def percent(share):
    """A share in percent, without decimals."""
    return f"{100.0 * share:.0f} %"


def report_text(found, sure, n_samples, weights, agreements, names):
    """The text of a report: what was found and how sure it is, rows {title: text}, then a table of the partitions."""
    rows, doubts = ([f"{title:<13}{text}" for title, text in block.items()] for block in (found, sure))
    parts = [headline(n_samples, len(agreements))], rows, ["How sure", *doubts], _lines(weights, agreements, names)
    return "\n\n".join(map("\n".join, parts))


def headline(n_samples, n_partitions):
    """The first line of a report."""
    return f"Consensus of {counted(n_partitions, 'partition')} of {counted(n_samples, 'object')}"


def counted(number, noun, plural=None):
    """A number and its noun: 1 object, 1,000 objects."""
    word = noun if number == 1 else plural or f"{noun}s"
    return f"{number:,} {word}"


def rows_found(labels, n_clusters, weights, weighting, agreements, names):
    """The rows of a report on what was found, {title: text}."""
    rows = {
        "clusters": clusters_found(labels, n_clusters),
        "weights": with_weight(weights, weighting),
        "most weight": "" if weighting == "given" else near_copy(labels, weights, names),
        "agreement": agreement_of(weights, agreements, len(labels)),
        "no weight": weightless(weights, agreements, names),
    }
    return {title: text for title, text in rows.items() if text}


def near_copy(labels, weights, names):
    """Which of five or more partitions has more than half of the weight; empty if none, or for one cluster."""
    most = int(weights.argmax())
    if len(weights) < _MANY or weights[most] <= _HALF or int(labels.max()) == 0:
        return ""
    name = shortened(names[most])
    return f"nearly a copy of partition {name} (or joins its clusters), which has {weights[most]:.2f} of the weight"


def clusters_found(labels, n_clusters):
    """The number of clusters found, the number asked for, and the sizes of the clusters."""
    n_found = int(labels.max()) + 1
    sizes = [f"{size:,}" for size in np.asarray(np.bincount(labels, minlength=n_found))]
    if n_found > _SIZES:
        sizes[_SIZES:] = ["..."]
    wanted = {"auto": "by stability", None: "without a limit"}.get(n_clusters)
    wanted = wanted or f"of {n_clusters:,} asked for"
    return f"{n_found:,} found {wanted}; objects in each: {', '.join(sizes)}"


def with_weight(weights, weighting):
    """How many partitions have weight, and the name of the weighting."""
    text = f"{having_weight(weights)} have weight ({weighting})"
    copies = np.count_nonzero((weights > 0.0) & (weights < (1.0 - 1e-9) * weights.max()))
    # Only chance-corrected weights give near-duplicates the weight of one partition together.
    if weighting == "chance-corrected" and copies:
        text += f"; {copies:,} share it with near-duplicates"
    return text


def having_weight(weights):
    """How many of the partitions have weight."""
    return f"{np.count_nonzero(weights):,} of {counted(len(weights), 'partition')}"


def agreement_of(weights, agreements, n_samples):
    """Mean agreement of the partitions with the consensus, plain and weighted, and advice if it is low."""
    mean = rounded(agreements.mean())
    by_weight = rounded(weights @ agreements)
    text = f"of the partitions with the consensus: mean {mean}, by weight {by_weight} (1: same, 0: chance)"
    return "; ".join(filter(None, (text, little_agreement(agreements, n_samples))))


def little_agreement(agreements, n_samples):
    """Advice if partitions agree with the consensus as little as random ones; empty if it has one cluster, too."""
    n_partitions = len(agreements)
    # A consensus fits random partitions, too: the mean squared correlation of m independent variables with the one that
    # fits them best is (1 / sqrt(m) + 1 / sqrt(n))^2, by the largest singular value of a random matrix.
    least = _LITTLE_OF_MANY
    if n_partitions <= n_samples:
        least = min(_LITTLE, (n_partitions**-0.5 + n_samples**-0.5) ** 2)
    if agreements.mean() >= least or not agreements.any():
        return ""
    return f"partitions hardly agree with the consensus: {TWO_REASONS}"


def _lines(weights, agreements, names):
    """Lines of a table of the partitions of largest and smallest weight; equal weights are sorted by agreement."""
    order = np.lexsort((-agreements, -weights))
    rows = [(shortened(names[u]), f"{weights[u]:.3g}", rounded(agreements[u])) for u in order]
    if len(rows) > _ALL_LISTED:
        rows[_LISTED:-_LISTED] = [("...", "", "")]
    rows.insert(0, ("partition", "weight", "agreement"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.rjust, row, widths)).rstrip() for row in rows]


def weightless(weights, agreements, names):
    """The partitions without weight, those of least agreement first; empty if all have weight."""
    without = np.flatnonzero(weights == 0.0)
    without = without[np.argsort(agreements[without], kind="stable")]
    return listed([shortened(names[u]) for u in without])


def listed(names):
    """The first few names, and how many more there are."""
    text = ", ".join(map(str, names[:_LISTED]))
    if len(names) > _LISTED:
        text += f" and {len(names) - _LISTED:,} more"
    return text


def shortened(name):
    """A name on one line, shortened in the middle, since names often differ at the end."""
    text = " ".join(str(name).split())
    if len(text) > _NAME:
        half = _NAME // 2
        text = f"{text[: half - 3]}...{text[-half:]}"
    return text


def rounded(value, digits=3):
    """A number with this many decimals; zero has no sign."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"
