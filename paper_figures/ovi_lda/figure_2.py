"""The claims of paper 004 about Figure 2 and the consensus; its readings and tests are explained in `claims`."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from ..claim import HOLDS, NUMBER, PART, claim
from . import answers

# Values that an object needs in all partitions to be in the core: the paper gives none.
T_V = {"K": "T_v = 0", "K T_v = 0.5": "T_v = 0.5", "K T_v = 1.0": "T_v = 1"}
_LOWEST = "lowest value over K"
OF_ALL = (*ALGORITHMS, "consensus")


def _curves(groups, index, kinds=answers.KINDS):
    """{(noise, partitions, consensus): {algorithm or "consensus": values of an index}}: the paper leaves these open."""
    found = {}
    for noise, group in groups.items():
        for route, words in answers.PARTITIONS.items():
            values = [answers.graded(row, route, index) for row in group]
            for kind in kinds:
                consensus, other = answers.PAIRS[kind]
                keys = {name: other.replace("NAME", name) for name in ALGORITHMS} | {"consensus": consensus}
                found[*noise, words, kind] = {name: _array([v[key] for v in values]) for name, key in keys.items()}
        lowest = {name: _array([row["result"]["lowest"][name][index] for row in group]) for name in ALGORITHMS}
        for kind in (kind for kind in kinds if kind in answers.KINDS):
            found[*noise, _LOWEST, kind] = found[*noise, answers.PARTITIONS["chosen"], kind] | lowest
    return found


def _array(values):
    """A partition without a value is the worst."""
    values = np.array(values, dtype=float)
    return np.where(np.isnan(values), np.inf, values)


def _accuracies(rows, route):
    """{algorithm or consensus: (n_rows,) adjusted Rand index}; 0 for a consensus without a core."""
    values = [answers.graded(row, route, "ari") for row in rows]
    keys = {name: name for name in ALGORITHMS} | {"consensus": "complete"}
    return {name: np.nan_to_num([value[key] for value in values]) for name, key in keys.items()}


@claim("Section 4", "the consensus clustering appears to be extremely useful")
def useful(rows):
    """At 2 dB, the low SNR of the paper, the complete consensus is closer to the symbols than the median of its
    partitions, by the test."""
    low = answers.at(rows, [2])

    def of(groups):
        gains = {}
        for noise, group in groups.items():
            # The partitions fed in have the number of clusters that the index takes.
            for route in ("chosen", "printed"):
                words, values = answers.PARTITIONS[route], _accuracies(group, route)
                gains[*noise, words] = values["consensus"] - np.median([values[name] for name in ALGORITHMS], axis=0)
        return gains

    def in_words(gains):
        text = "{:+.3f} ({} better, {} worse)".format
        return _listed({r: text(gain.mean(), np.sum(gain > 0), np.sum(gain < 0)) for r, gain in gains.items()})

    gains = of(answers.noises(low))
    return answers.judged(
        answers.below_zero({reading: [-gain] for reading, gain in gains.items()}),
        f"Mean gain in the adjusted Rand index (data sets): {in_words(gains)}.",
    )


def _listed(texts):
    """Text of {(noise, partitions): text}, which names the noises if there are several."""
    held = list(dict.fromkeys(noise for noise, _ in texts))
    lines = {}
    for (_, words), text in texts.items():
        lines.setdefault(words, []).append(text)
    heads = f"with {', '.join(held)}: " if len(held) > 1 else ""
    return heads + "; ".join(f"{words} {', '.join(found)}" for words, found in lines.items())


@claim("Section 4, Table 3", "final consensus result is four clusters", NUMBER, own_size=answers.ONE_EACH)
def four_by_consensus(rows):
    """At 2, 5 and 8 dB the consensus has four clusters: the data sets."""

    def of(groups):
        return {
            (*setting, answers.PARTITIONS[route], words): np.mean(
                answers.consensus_numbers(answers.at(group, PRINTED), route, key) == answers.TRUE_NUMBER
            )
            for setting, group in groups.items()
            for route in ("chosen", "printed")
            for key, words in T_V.items()
        }

    shares = of(answers.settings(rows))
    given = {
        setting: np.mean(answers.consensus_numbers(answers.at(group, PRINTED), "four") == answers.TRUE_NUMBER)
        for setting, group in answers.settings(rows).items()
    }
    return answers.judged(
        shares,
        f"Of the consensuses, {answers.most(shares)} have four clusters. Given partitions of four clusters, "
        f"{answers.most(given)} have four.",
    )


@claim("Section 4", "two validity indices do not show consistency")
def inconsistent(rows):
    """XB and FS are lowest for different ones of the six: the data sets."""

    def of(groups):
        xb, fs = _curves(groups, "XB"), _curves(groups, "FS")
        return {reading: np.mean(_first(xb[reading]) != _first(fs[reading])) for reading in xb}

    shares = of(answers.noises(rows))
    return answers.judged(
        shares,
        f"Different in {answers.span(shares.values())} of the data sets, by reading.",
    )


def _first(curves):
    return np.argmin([curves[name] for name in OF_ALL], axis=0)


@claim(
    "Section 4, Figure 2a; Section 5",
    "the XB index values of the proposed consensus clustering is the lowest [...] validated to be the best clustering "
    "by XB",
)
def lowest_xb(rows):
    """The XB of the consensus is lower than that of each of the five algorithms, each by the test; contradicted if that
    of one is lower."""
    curves = _curves(answers.noises(rows), "XB")
    firsts = [min(ALGORITHMS, key=lambda name, of=of: np.median(of[name])) for of in curves.values()]
    often = max(ALGORITHMS, key=firsts.count)
    shares = {reading: np.mean(of["consensus"] < _extreme(np.min, of, ALGORITHMS)) for reading, of in curves.items()}
    differences = {reading: [of["consensus"] - of[n] for n in ALGORITHMS] for reading, of in curves.items()}
    return answers.judged(
        answers.below_zero(differences, all_of_them=True),
        f"It is the lowest in {_by_kind(shares)} of the data sets, by reading; of {len(curves)} "
        f"readings {firsts.count(often)} have {answers.NAMES[often]} lowest of the five.",
    )


def _by_kind(shares):
    """Text of {(..., kind): share}: the least and the largest of the crisp consensuses, and of each P_f."""
    kinds = {"crisp": answers.CRISP_KINDS} | {kind: (kind,) for kind in answers.FINAL_KINDS}
    spans = {words: answers.span([v for (*_, k), v in shares.items() if k in of]) for words, of in kinds.items()}
    return ", ".join(f"{span} ({words})" for words, span in spans.items())


@claim("Section 4, Figure 2a", "slightly lower than GG")
def slightly_lower(rows, *, slight=0.1):
    """The XB of the consensus is lower than that of GG by the test; in part if its median is not, or is lower by more
    than a share `slight`."""

    def met(curves):
        lower = answers.below_zero({reading: [of["consensus"] - of["gath-geva"]] for reading, of in curves.items()})
        slightly = {reading: 1.0 - slight <= _to_gg(of) < 1.0 for reading, of in curves.items()}
        return {reading: PART if of == HOLDS and not slightly[reading] else of for reading, of in lower.items()}

    def in_words(curves):
        return answers.span([_to_gg(of) for of in curves.values()], ".2f")

    curves = _curves(answers.noises(rows), "XB")
    cut = met(_curves(answers.noises(rows), "XB", ["core, both on its objects"]))
    return answers.judged(
        met(curves),
        f"Median of its XB divided by that of GG: {in_words(curves)}, by reading. "
        f"With the partitions of the algorithms cut to the objects of the core, which is not what Figure 2 is said to "
        f"show, {list(cut.values()).count(HOLDS)} of {len(cut)} readings meet the rule.",
    )


def _to_gg(curves):
    return np.median(curves["consensus"] / curves["gath-geva"])


@claim(
    "Section 4, Figure 2b", "the FS index values of consensus clustering is only lower than FCM but higher than others"
)
def fs_rank(rows):
    """The FS of the consensus is lower than that of FCM and higher than those of the others, each by the test."""
    curves = _curves(answers.noises(rows), "FS")
    signs = {name: 1.0 if name == "fcm" else -1.0 for name in ALGORITHMS}
    signed = {r: [sign * (of["consensus"] - of[name]) for name, sign in signs.items()] for r, of in curves.items()}

    def in_words(curves):
        below = {name: [np.mean(of["consensus"] < of[name]) for of in curves.values()] for name in ALGORITHMS}
        return ", ".join(f"{answers.NAMES[name]} {answers.span(of)}" for name, of in below.items())

    return answers.judged(
        answers.below_zero(signed),
        f"Data sets in which it is lower, by reading: {in_words(curves)}.",
    )


@claim("Section 4", "the FS index values of the crisp algorithms are always lower than fuzzy ones")
def crisp_fs(rows):
    """The FS of every crisp algorithm is lower than that of every fuzzy one: the data sets."""

    def of(groups, fuzzy):
        # Without a consensus among them, what is drawn is one of four.
        return {
            reading[:2]: np.mean(_extreme(np.max, of, answers.CRISP) < _extreme(np.min, of, fuzzy))
            for reading, of in _curves(groups, "FS", ["complete"]).items()
        }

    def in_words(groups):
        alone = " and ".join(f"{answers.NAMES[name]} in {answers.span(of(groups, [name]).values())}" for name in FUZZY)
        return f"{answers.span(of(groups, FUZZY).values())} (below {alone})"

    groups = answers.noises(rows)
    return answers.judged(
        of(groups, FUZZY),
        f"All crisp ones are below both in {in_words(groups)} of the data sets, by reading.",
    )


def _extreme(limit, curves, names):
    return limit([curves[name] for name in names], axis=0)


@claim(
    "Section 4", "FS validity index is sensitive to the fuzziness and issue low value to crisp or near-crisp algorithms"
)
def fuzziness(rows):
    """Made crisp, FCM's partition of four clusters has a lower FS, by the test; those of GG are nearly crisp."""

    def change(group, name):
        entries = [row["result"]["routes"]["four"]["algorithms"][name] for row in group]
        return np.array([entry["hard"] - entry["FS"] for entry in entries])

    def in_words(groups):
        shares = {name: [np.mean(change(group, name) < 0.0) for group in groups.values()] for name in FUZZY}
        return ", ".join(f"{answers.NAMES[name]} {answers.span(of)}" for name, of in shares.items())

    groups = answers.noises(rows)
    return answers.judged(
        answers.below_zero({noise: [change(group, "fcm")] for noise, group in groups.items()}),
        f"Data sets in which it is lower, by definition of the noise: {in_words(groups)}.",
    )


@claim("Section 4", "XB endorses that the proposed consensus clustering has the best performance")
def best(rows):
    """The adjusted Rand index of the consensus with the symbols is above that of each algorithm, and its XB below, each
    by the test; contradicted if one of these is the other way."""

    def of(groups):
        return {
            (*noise, words): _accuracies(group, route)
            for noise, group in groups.items()
            for route, words in answers.PARTITIONS.items()
        }

    def in_words(groups):
        texts = {}
        for reading, values in of(groups).items():
            means = {name: accuracies.mean() for name, accuracies in values.items()}
            first = max(ALGORITHMS, key=means.get)
            texts[reading] = f"{means['consensus']:.3f} ({answers.NAMES[first]} {means[first]:.3f})"
        return _listed(texts)

    groups = answers.noises(rows)
    accuracies = of(groups)
    compared = {}
    for reading, curves in _curves(groups, "XB", ["complete", *answers.FINAL_KINDS]).items():
        if (values := accuracies.get(reading[:2])) is not None:
            compared[reading] = [values[name] - values["consensus"] for name in ALGORITHMS]
            compared[reading] += [curves["consensus"] - curves[name] for name in ALGORITHMS]
    return answers.judged(
        answers.below_zero(compared, all_of_them=True),
        f"Mean adjusted Rand index (of the best algorithm): {in_words(groups)}. XB alone: Figure 2a.",
    )


@claim("Section 5", "there were great discrepancies among all validity indices at low SNR levels")
def discrepancies(rows):
    """The indices give more different answers for an algorithm's partitions at 2 dB than at 5 and 8 dB, by the test."""
    counts = _counts(answers.noises(rows))
    printed = answers.printed_numbers()
    theirs = [
        np.mean([len({n for key, n in printed.items() if key[:2] == (d, name)}) for name in ALGORITHMS])
        for d in PRINTED
    ]
    return answers.judged(
        answers.below_zero({reading: [of[d] - of[2] for d in answers.EASIER] for reading, of in counts.items()}),
        "Different answers by the indices, mean over algorithms and data sets, at 2, 5 and 8 dB: "
        f"{_means(counts)}; printed {', '.join(f'{value:.1f}' for value in theirs)}.",
    )


def _counts(groups):
    """{(noise, memberships): {decibel: different answers}}: a pair has one number of objects and one repetition."""
    return {
        (*noise, words): {
            d: np.array([_different(pair, ending) for pair in _pairs(answers.at(group, [d]))]) for d in PRINTED
        }
        for noise, group in groups.items()
        for ending, words in answers.MEMBERSHIPS.items()
    }


def _means(counts):
    return "; ".join(
        f"{answers.named(reading)} {', '.join(f'{values.mean():.1f}' for values in of.values())}"
        for reading, of in counts.items()
    )


def _pairs(group):
    by_size = answers.settings(group).values()
    return [rows for of_size in by_size for _, rows in sorted(answers.repetitions(of_size).items())]


def _different(rows, ending):
    return np.mean([len(set(answers.numbers(rows, algorithms=[name], memberships=ending))) for name in ALGORITHMS])
