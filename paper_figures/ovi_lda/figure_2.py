"""The claims of paper 004 about Figure 2 and the consensus; its readings and tests are explained in `claims`."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY

from ..claim import TREND, claim
from .answers import CRISP, NAMES, PAIRS, PARTITIONS, at, below_zero, decibels, graded, judged, noises, span

_LOWEST = "lowest value over K"
OF_ALL = (*ALGORITHMS, "consensus")


def claims(rows):
    """Those of Figure 2, in the paper's order."""
    return [
        inconsistent(rows),
        lowest_xb(rows),
        slightly_lower(rows),
        fs_rank(rows),
        crisp_fs(rows),
        fuzziness(rows),
        best(rows),
    ]


def _curves(rows, index, kinds=("complete", "core")):
    """{(noise, partitions, consensus): {algorithm or "consensus": values of an index}}: the paper leaves these open."""
    found = {}
    for noise, group in noises(rows).items():
        for route, words in PARTITIONS.items():
            values = [graded(row, route, index) for row in group]
            for kind in kinds:
                consensus, other = PAIRS[kind]
                keys = {name: other.replace("NAME", name) for name in ALGORITHMS} | {"consensus": consensus}
                found[*noise, words, kind] = {name: _array([v[key] for v in values]) for name, key in keys.items()}
        lowest = {name: _array([row["result"]["lowest"][name][index] for row in group]) for name in ALGORITHMS}
        for kind in set(kinds) & {"complete", "core"}:
            found[*noise, _LOWEST, kind] = found[*noise, PARTITIONS["chosen"], kind] | lowest
    return found


def _array(values):
    """A partition without a value is the worst."""
    values = np.array(values, dtype=float)
    return np.where(np.isnan(values), np.inf, values)


def _accuracies(rows, route):
    """{algorithm or consensus: (n_rows,) adjusted Rand index}; 0 for a consensus without a core."""
    values = [graded(row, route, "ari") for row in rows]
    keys = {name: name for name in ALGORITHMS} | {"consensus": "complete"}
    return {name: np.nan_to_num([value[key] for value in values]) for name, key in keys.items()}


@claim("Section 4", "the consensus clustering appears to be extremely useful", TREND)
def useful(rows):
    """Up to 3 dB, the complete consensus is closer to the symbols than the median of its partitions, by the test."""
    near, gains = at(rows, [d for d in decibels(rows) if d <= 3]), {}
    for noise, group in noises(near).items():
        for route, words in PARTITIONS.items():
            values = _accuracies(group, route)
            gains[*noise, words] = values["consensus"] - np.median([values[name] for name in ALGORITHMS], axis=0)
    texts = {
        reading: f"{gain.mean():+.3f} ({np.sum(gain > 0)} better, {np.sum(gain < 0)} worse)"
        for reading, gain in gains.items()
    }
    return judged(
        below_zero({reading: [-gain] for reading, gain in gains.items()}),
        f"Mean gain in the adjusted Rand index (data sets): {_listed(texts)}.",
    )


def _listed(texts):
    """Text of {(noise, partitions): text}."""
    heads = ", ".join(dict.fromkeys(noise for noise, _ in texts))
    lines = {}
    for (_, words), text in texts.items():
        lines.setdefault(words, []).append(text)
    return f"with {heads}: " + "; ".join(f"{words} {', '.join(found)}" for words, found in lines.items())


@claim("Section 4, Figure 2a", "the XB index values of the proposed consensus clustering is the lowest", TREND)
def lowest_xb(rows):
    """The XB of the consensus is lower than that of each of the five algorithms, each by the test."""
    curves = _curves(rows, "XB")
    firsts = [min(ALGORITHMS, key=lambda name, of=of: np.median(of[name])) for of in curves.values()]
    most = max(ALGORITHMS, key=firsts.count)
    shares = [np.mean(of["consensus"] < np.min([of[n] for n in ALGORITHMS], axis=0)) for of in curves.values()]
    return judged(
        below_zero({reading: [of["consensus"] - of[n] for n in ALGORITHMS] for reading, of in curves.items()}),
        f"It is the lowest in {span(shares)} of the data sets, by reading; of {len(curves)} "
        f"readings {firsts.count(most)} have {NAMES[most]} lowest of the five.",
    )


@claim("Section 4, Figure 2a", "slightly lower than GG", TREND, threshold="slight")
def slightly_lower(rows, *, slight=0.1):
    """The XB of the consensus is lower than that of GG by the test, and by at most a share `slight` in the median."""

    def met(curves):
        lower = below_zero({reading: [of["consensus"] - of["gath-geva"]] for reading, of in curves.items()})
        return {reading: lower[reading] and _to_gg(of) >= 1.0 - slight for reading, of in curves.items()}

    curves = _curves(rows, "XB")
    cut = met(_curves(rows, "XB", ["core, both on its objects"]))
    return judged(
        met(curves),
        f"Median of its XB divided by that of GG: {span([_to_gg(of) for of in curves.values()], '.2f')}, by reading. "
        f"With the partitions of the algorithms cut to the objects of the core, which is not what Figure 2 is said to "
        f"show, {sum(cut.values())} of {len(cut)} readings meet the rule.",
    )


def _to_gg(curves):
    return np.median(curves["consensus"] / curves["gath-geva"])


@claim(
    "Section 4, Figure 2b",
    "the FS index values of consensus clustering is only lower than FCM but higher than others",
    TREND,
)
def fs_rank(rows):
    """The FS of the consensus is lower than that of FCM and higher than those of the others, each by the test."""
    curves = _curves(rows, "FS")
    signs = {name: 1.0 if name == "fcm" else -1.0 for name in ALGORITHMS}
    met = below_zero(
        {
            reading: [sign * (of["consensus"] - of[name]) for name, sign in signs.items()]
            for reading, of in curves.items()
        }
    )
    below = {name: [np.mean(of["consensus"] < of[name]) for of in curves.values()] for name in ALGORITHMS}
    listed = ", ".join(f"{NAMES[name]} {span(of)}" for name, of in below.items())
    return judged(met, f"Data sets in which it is lower, by reading: {listed}.")


@claim("Section 4", "two validity indices do not show consistency", TREND, threshold="share")
def inconsistent(rows, *, share=0.5):
    """XB and FS are lowest for different ones of the six in at least a `share` of the data sets."""
    xb, fs = _curves(rows, "XB"), _curves(rows, "FS")
    shares = {reading: np.mean(_first(xb[reading]) != _first(fs[reading])) for reading in xb}
    return judged(
        {reading: of_reading >= share for reading, of_reading in shares.items()},
        f"Different in {span(shares.values())} of the data sets, by reading.",
    )


def _first(curves):
    return np.argmin([curves[name] for name in OF_ALL], axis=0)


@claim("Section 4", "the FS index values of the crisp algorithms are always lower than fuzzy ones", TREND)
def crisp_fs(rows):
    """The FS of each crisp algorithm is lower than that of each fuzzy one, each by the test."""
    # Without a consensus among them, what is drawn is one of four.
    curves = {reading: of for reading, of in _curves(rows, "FS").items() if reading[2] == "complete"}
    pairs = [(crisp, fuzzy) for crisp in CRISP for fuzzy in FUZZY]
    shares = {
        fuzzy: [np.mean(np.max([of[name] for name in CRISP], axis=0) < of[fuzzy]) for of in curves.values()]
        for fuzzy in FUZZY
    }
    listed = " and ".join(f"{NAMES[name]} in {span(of)}" for name, of in shares.items())
    return judged(
        below_zero({reading[:2]: [of[a] - of[b] for a, b in pairs] for reading, of in curves.items()}),
        f"All crisp ones below {listed} of the data sets, by reading.",
    )


@claim("Section 4", "FS validity index is sensitive to the fuzziness and issue low value to crisp", TREND)
def fuzziness(rows):
    """Made crisp, the partition of four clusters has a lower FS, for both fuzzy algorithms, each by the test."""
    differences, shares = {}, {name: [] for name in FUZZY}
    for noise, group in noises(rows).items():
        entries = {n: [row["result"]["routes"]["four"]["algorithms"][n] for row in group] for n in FUZZY}
        changes = {n: np.array([entry["hard"] - entry["FS"] for entry in of]) for n, of in entries.items()}
        differences[noise] = list(changes.values())
        for name, change in changes.items():
            shares[name].append(np.mean(change < 0.0))
    listed = ", ".join(f"{NAMES[n]} {span(of)}" for n, of in shares.items())
    return judged(below_zero(differences), f"Data sets in which it is lower, by definition of the noise: {listed}.")


@claim("Section 4", "XB endorses that the proposed consensus clustering has the best performance", TREND)
def best(rows):
    """By the symbols: the adjusted Rand index of the consensus is above that of each algorithm, each by the test."""
    differences, texts = {}, {}
    for noise, group in noises(rows).items():
        for route, words in PARTITIONS.items():
            values = _accuracies(group, route)
            differences[*noise, words] = [values[name] - values["consensus"] for name in ALGORITHMS]
            means = {name: of.mean() for name, of in values.items()}
            first = max(ALGORITHMS, key=means.get)
            texts[*noise, words] = f"{means['consensus']:.3f} ({NAMES[first]} {means[first]:.3f})"
    return judged(below_zero(differences), f"Mean adjusted Rand index (of the best algorithm): {_listed(texts)}.")
