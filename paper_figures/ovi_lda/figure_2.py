"""The claims of paper 004 about Figure 2 and the consensus; its readings and tests are explained in `claims`."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY

from ..claim import TREND, claim
from .answers import CRISP, NAMES, PAIRS, PARTITIONS, at, below_zero, graded, judged, noises, of_all, span

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


def _curves(groups, index, kinds=("complete", "core")):
    """{(noise, partitions, consensus): {algorithm or "consensus": values of an index}}: the paper leaves these open."""
    found = {}
    for noise, group in groups.items():
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
    """At 2 dB, the low SNR of the paper, the complete consensus is closer to the symbols than the median of its
    partitions, by the test."""
    low = at(rows, [2])

    def of(groups):
        gains = {}
        for noise, group in groups.items():
            for route, words in PARTITIONS.items():
                values = _accuracies(group, route)
                gains[*noise, words] = values["consensus"] - np.median([values[name] for name in ALGORITHMS], axis=0)
        return gains

    def told(gains):
        return _listed(
            {
                reading: f"{gain.mean():+.3f} ({np.sum(gain > 0)} better, {np.sum(gain < 0)} worse)"
                for reading, gain in gains.items()
            }
        )

    gains = of(noises(low))
    return judged(
        below_zero({reading: [-gain] for reading, gain in gains.items()}),
        f"Mean gain in the adjusted Rand index (data sets): {told(gains)}."
        + of_all(low, lambda groups: told(of(groups))),
    )


def _listed(texts):
    """Text of {(noise, partitions): text}, which names the noises if there are several."""
    noises = list(dict.fromkeys(noise for noise, _ in texts))
    lines = {}
    for (_, words), text in texts.items():
        lines.setdefault(words, []).append(text)
    heads = f"with {', '.join(noises)}: " if len(noises) > 1 else ""
    return heads + "; ".join(f"{words} {', '.join(found)}" for words, found in lines.items())


@claim(
    "Section 4, Figure 2a; Section 5",
    "the XB index values of the proposed consensus clustering is the lowest [...] validated to be the best clustering "
    "by XB",
    TREND,
)
def lowest_xb(rows):
    """The XB of the consensus is lower than that of each of the five algorithms, each by the test."""
    curves = _curves(noises(rows), "XB")
    firsts = [min(ALGORITHMS, key=lambda name, of=of: np.median(of[name])) for of in curves.values()]
    most = max(ALGORITHMS, key=firsts.count)

    def told(curves):
        return span([np.mean(of["consensus"] < _extreme(np.min, of, ALGORITHMS)) for of in curves.values()])

    return judged(
        below_zero({reading: [of["consensus"] - of[n] for n in ALGORITHMS] for reading, of in curves.items()}),
        f"It is the lowest in {told(curves)} of the data sets, by reading; of {len(curves)} "
        f"readings {firsts.count(most)} have {NAMES[most]} lowest of the five."
        + of_all(rows, lambda groups: told(_curves(groups, "XB"))),
    )


@claim("Section 4, Figure 2a", "slightly lower than GG", TREND, threshold="slight")
def slightly_lower(rows, *, slight=0.1):
    """The XB of the consensus is lower than that of GG by the test, and in the median, by at most a share `slight`."""

    def met(curves):
        lower = below_zero({reading: [of["consensus"] - of["gath-geva"]] for reading, of in curves.items()})
        return {reading: lower[reading] and 1.0 - slight <= _to_gg(of) < 1.0 for reading, of in curves.items()}

    def told(curves):
        return span([_to_gg(of) for of in curves.values()], ".2f")

    curves = _curves(noises(rows), "XB")
    cut = met(_curves(noises(rows), "XB", ["core, both on its objects"]))
    return judged(
        met(curves),
        f"Median of its XB divided by that of GG: {told(curves)}, by reading. "
        f"With the partitions of the algorithms cut to the objects of the core, which is not what Figure 2 is said to "
        f"show, {sum(cut.values())} of {len(cut)} readings meet the rule."
        + of_all(rows, lambda groups: told(_curves(groups, "XB"))),
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
    curves = _curves(noises(rows), "FS")
    signs = {name: 1.0 if name == "fcm" else -1.0 for name in ALGORITHMS}
    met = below_zero(
        {
            reading: [sign * (of["consensus"] - of[name]) for name, sign in signs.items()]
            for reading, of in curves.items()
        }
    )

    def told(curves):
        below = {name: [np.mean(of["consensus"] < of[name]) for of in curves.values()] for name in ALGORITHMS}
        return ", ".join(f"{NAMES[name]} {span(of)}" for name, of in below.items())

    return judged(
        met,
        f"Data sets in which it is lower, by reading: {told(curves)}."
        + of_all(rows, lambda groups: told(_curves(groups, "FS"))),
    )


@claim("Section 4", "two validity indices do not show consistency", TREND, threshold="share")
def inconsistent(rows, *, share=0.5):
    """XB and FS are lowest for different ones of the six in at least a `share` of the data sets."""

    def of(groups):
        xb, fs = _curves(groups, "XB"), _curves(groups, "FS")
        return {reading: np.mean(_first(xb[reading]) != _first(fs[reading])) for reading in xb}

    shares = of(noises(rows))
    return judged(
        {reading: of_reading >= share for reading, of_reading in shares.items()},
        f"Different in {span(shares.values())} of the data sets, by reading."
        + of_all(rows, lambda groups: span(of(groups).values())),
    )


def _first(curves):
    return np.argmin([curves[name] for name in OF_ALL], axis=0)


@claim(
    "Section 4",
    "the FS index values of the crisp algorithms are always lower than fuzzy ones",
    TREND,
    threshold="misses",
)
def crisp_fs(rows, *, misses=0.1):
    """The FS of every crisp algorithm is lower than that of every fuzzy one, in all but `misses` of the data sets."""

    def of(groups, fuzzy):
        # Without a consensus among them, what is drawn is one of four.
        return {
            reading[:2]: np.mean(_extreme(np.max, of, CRISP) < _extreme(np.min, of, fuzzy))
            for reading, of in _curves(groups, "FS", ["complete"]).items()
        }

    def told(groups):
        alone = " and ".join(f"{NAMES[name]} in {span(of(groups, [name]).values())}" for name in FUZZY)
        return f"{span(of(groups, FUZZY).values())} (below {alone})"

    groups = noises(rows)
    return judged(
        {reading: share >= 1.0 - misses for reading, share in of(groups, FUZZY).items()},
        f"All crisp ones are below both in {told(groups)} of the data sets, by reading." + of_all(rows, told),
    )


def _extreme(limit, curves, names):
    return limit([curves[name] for name in names], axis=0)


@claim("Section 4", "FS validity index is sensitive to the fuzziness and issue low value to crisp", TREND)
def fuzziness(rows):
    """Made crisp, the partition of four clusters has a lower FS, for both fuzzy algorithms, each by the test."""

    def change(group, name):
        entries = [row["result"]["routes"]["four"]["algorithms"][name] for row in group]
        return np.array([entry["hard"] - entry["FS"] for entry in entries])

    def told(groups):
        shares = {name: [np.mean(change(group, name) < 0.0) for group in groups.values()] for name in FUZZY}
        return ", ".join(f"{NAMES[name]} {span(of)}" for name, of in shares.items())

    groups = noises(rows)
    return judged(
        below_zero({noise: [change(group, name) for name in FUZZY] for noise, group in groups.items()}),
        f"Data sets in which it is lower, by definition of the noise: {told(groups)}." + of_all(rows, told),
    )


@claim("Section 4", "the proposed consensus clustering has the best performance", TREND)
def best(rows):
    """By the symbols: the adjusted Rand index of the consensus is above that of each algorithm, each by the test."""

    def of(groups):
        return {
            (*noise, words): _accuracies(group, route)
            for noise, group in groups.items()
            for route, words in PARTITIONS.items()
        }

    def told(groups):
        texts = {}
        for reading, values in of(groups).items():
            means = {name: accuracies.mean() for name, accuracies in values.items()}
            first = max(ALGORITHMS, key=means.get)
            texts[reading] = f"{means['consensus']:.3f} ({NAMES[first]} {means[first]:.3f})"
        return _listed(texts)

    groups = noises(rows)
    return judged(
        below_zero({r: [v[name] - v["consensus"] for name in ALGORITHMS] for r, v in of(groups).items()}),
        f"Mean adjusted Rand index (of the best algorithm): {told(groups)}. Whether XB endorses it is judged with "
        "Figure 2a." + of_all(rows, told),
    )
