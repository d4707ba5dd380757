"""What a user would pick instead: time over the number of objects on the same ensembles, where each way stops and why;
the adjusted Rand index beside it, a mark per size, the larger the paler."""

from .peers import OURS, WHY, by_task, median, seconds, stopped
from .style import BLACK, BLUE, BROWN, GREEN, GREY, ORANGE, PAGE, PURPLE, SKY, VERMILLION

EXPERIMENT = "peers"

# Colour tells packages apart, marker and line the ways of one.
_STYLES = {
    OURS: (BLUE, "o", "-"),
    "robust_eac, ten starts": (BLUE, "s", "--"),
    "robust_eac, merging": (BLUE, "D", "-."),
    "robust_eac, LWGP": (BLUE, "v", (0, (1, 1))),
    "robust_eac, k-means": (BLUE, "^", ":"),
    "scikit-learn KMeans, one start": (ORANGE, "o", "-"),
    "scikit-learn KMeans, ten starts": (ORANGE, "s", "--"),
    "ccHBGF": (GREEN, "D", "-"),
    "iterative voting": (SKY, "o", "-"),
    "iterative probabilistic voting": (SKY, "s", "--"),
    "ensembleclustering, HGPA": (PURPLE, "o", "-"),
    "ensembleclustering, NMF": (PURPLE, "s", "--"),
    "OpenEnsembles, mixture model": (GREY, "v", "-"),
    "average linkage, SciPy": (VERMILLION, "o", "-"),
    "average linkage, fastcluster": (VERMILLION, "s", "--"),
    "clue, SE": (BROWN, "o", "-"),
    "clue, GV3": (BLACK, "P", "-"),
}


def main(records):
    import matplotlib.pyplot as plt

    tasks = by_task(records)
    shown = [way for way in _STYLES if any(_ran(ways.get(way)) for ways in tasks.values())]
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.6 * PAGE), width_ratios=(1.25, 1.0))
    for way in shown:
        color, marker, line = _STYLES[way]
        times = {n: median(ways[way], seconds) for (n, _), ways in tasks.items() if _ran(ways.get(way))}
        left.plot(list(times), list(times.values()), color=color, marker=marker, linestyle=line, markeredgewidth=0.5)
    ends = _ends(tasks, shown)
    for number, (way, n, last, why) in enumerate(ends):
        # Apart from one another, where several stop at the same size.
        x = n * 1.06 ** (number - 0.5 * (len(ends) - 1))
        left.plot([last[0], x], [last[1], _ceiling(tasks)], color=_STYLES[way][0], linestyle=":", linewidth=0.7)
        left.plot(x, _ceiling(tasks), color=_STYLES[way][0], marker=_MARKS[why], linestyle="none", markersize=6)
    for why in dict.fromkeys(end[3] for end in ends):
        left.plot([], [], color=BLACK, marker=_MARKS[why], linestyle="none", markersize=6, label=WHY[why])
    left.set(xscale="log", yscale="log", xlabel="objects n", ylabel="seconds from labels to consensus")
    left.grid(linewidth=0.3, color="0.8")
    if ends:
        left.legend(loc="lower right", title="stopped:")
    sizes = [n for n, _ in tasks]
    for row, way in enumerate(shown):
        color, marker, _ = _STYLES[way]
        for (n, _), ways in tasks.items():
            if _ran(ways.get(way)):
                paleness = 0.75 * sizes.index(n) / max(len(sizes) - 1, 1)
                value = median(ways[way], lambda result: result["ari"])
                right.plot(
                    value, row, color=color, marker=marker, alpha=1.0 - paleness, linestyle="none", clip_on=False
                )
    right.set(xlabel="adjusted Rand index", ylim=(len(shown) - 0.5, -0.5))
    right.set_yticks(range(len(shown)), shown)
    right.yaxis.tick_right()
    right.spines[["left"]].set_visible(False)
    right.grid(linewidth=0.3, color="0.8")
    right.tick_params(axis="y", length=0)
    for text, way in zip(right.get_yticklabels(), shown, strict=True):
        text.set_color(_STYLES[way][0])
    return figure


# How a way stopped.
_MARKS = {"time": "x", "memory": (8, 2, 0), "error": "1", "not installed": "2"}


def _ran(results):
    return results is not None and stopped(results) is None


def _ceiling(tasks):
    """Where the marks of those that stopped stand: above all times."""
    return 2.5 * max(median(results, seconds) for ways in tasks.values() for results in ways.values() if _ran(results))


def _ends(tasks, shown):
    """(way, size where it stopped, (size, seconds) before, why) of the ways that ran once."""
    ends = []
    for way in shown:
        last = None
        for (n, _), ways in tasks.items():
            if _ran(ways.get(way)):
                last = (n, median(ways[way], seconds))
            elif way in ways and last is not None:
                ends.append((way, n, last, stopped(ways[way])))
                break
    return ends
