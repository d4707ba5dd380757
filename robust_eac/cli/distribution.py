"""The command that compares numbers of clusters by the consensus values of resamples."""

import warnings
from pathlib import Path

import numpy as np

from ..wording import counted, listed
from .options import TEXT_TABLE, add_input_options, add_options, add_seed
from .output import NO_NUMBER, print_problem, say, write_outputs


def add_distribution(parser):
    add_input_options(parser)
    text = "clusterings of data without clusters, made in the same way, in files of the same kind as LABELS"
    add_options(parser, ("--reference", Path, "FILE", text), dest="references", nargs="+", default=[])
    curves = ("--output", Path, "FIGURE", "the curves, .png, .pdf, .svg, ...; needs matplotlib")
    add_options(parser, curves, dest="figure")
    text = "consensus of every object with its cluster, as .csv or .tsv; takes 4 n^2 bytes of memory for n objects"
    add_options(
        parser,
        ("--n-jobs", int, "N", "threads, -1 for all cores; changes no result"),
        ("--table", TEXT_TABLE, "FILE", "the table, as .csv or .tsv"),
        ("--items", TEXT_TABLE, "FILE", text),
    )
    add_seed(parser)


def run_distribution(arguments):
    """Print the table and the number of clusters; write the outputs asked for; the exit code."""
    import pandas as pd

    from ..diagnostics.resampling import ENOUGH, LEAST_PAC

    files = [arguments.labels, *arguments.references]
    results = [_distribution(arguments, path) for path in files]
    distributions = [distribution for distribution, *_ in results]
    distribution, *references = distributions
    _, *labelled = results[0]
    if distribution.n_clusters[-1] < 2:
        raise ValueError("LABELS must hold clusterings with at least two clusters of three objects.")
    for path, reference in zip(files[1:], references, strict=True):
        if not np.array_equal(distribution.n_clusters, reference.n_clusters):
            rule = "must have clusterings with the numbers of clusters of LABELS"
            raise ValueError(f"{path}: {rule}, {listed(distribution.n_clusters)}; got {listed(reference.n_clusters)}.")
    columns = {
        "clusters": distribution.n_clusters,
        "area": distribution.area,
        "change": distribution.delta,
        "pac": distribution.pac,
    }
    ratios = None
    if references:
        pacs = np.array([each.pac for each in distributions])
        others = np.array([np.delete(pacs, row, axis=0).mean(axis=0) for row in range(len(pacs))])
        ratios = np.log(np.maximum(others, LEAST_PAC) / np.maximum(pacs, LEAST_PAC))
        columns |= {"reference pac": others[0], "log ratio": ratios[0]}
    few = [path for path, each in zip(files, distributions, strict=True) if each.n_different.min() < ENOUGH]
    if few:
        chosen = None
        why = f"because too few clusterings differ in {few[0]}"
    else:
        chosen, why = _choice(distribution, ratios)
        stable = _by_stability(arguments, labelled[1])
        why += f"; --n-clusters auto finds {stable} in {ENOUGH} clusterings of every number"
    table = pd.DataFrame(columns)
    say(table.to_string(index=False, float_format="{:.4f}".format))
    contents = {arguments.table: table}
    if arguments.items is not None:
        contents[arguments.items] = _items(arguments, *labelled)
    if arguments.figure is not None:
        contents[arguments.figure] = _figure(distribution, references, chosen)
    write_outputs(contents, f"number of clusters: {chosen or 'none'}, {why}")
    return NO_NUMBER if few else 0


def _distribution(arguments, path):
    """(the distribution of the consensus values, the InputTable, the label matrix) of a file."""
    from ..diagnostics.resampling import by_large_clusters, consensus_distribution
    from .tables import read_labels

    arguments.labels = path
    ensemble, labels = read_labels(arguments)
    resamples = None if arguments.references else by_large_clusters(labels)
    given = resamples or [labels]
    distribution = consensus_distribution(*given, n_jobs=arguments.n_jobs, random_state=arguments.seed)
    for k in distribution.n_clusters[np.isnan(distribution.pac)]:
        raise ValueError(f"{path}: no two objects are together in a clustering with {counted(k, 'cluster')}.")
    return distribution, ensemble, labels


def _by_stability(arguments, labels):
    """The number that `--n-clusters auto` finds for the first clusterings of every number; prints its doubts."""
    from ..consensus.n_clusters import select_n_clusters
    from ..diagnostics.resampling import ENOUGH, check_groups

    groups = check_groups(None, labels)
    labels = labels[:, np.concatenate([np.flatnonzero(groups == k)[:ENOUGH] for k in np.unique(groups)])]
    labels = labels[(labels >= 0).any(axis=1)]
    with warnings.catch_warnings(record=True) as doubts:
        selection = select_n_clusters(labels, n_jobs=arguments.n_jobs, random_state=arguments.seed)
    for doubt in doubts:
        print_problem("note", f"--n-clusters auto: {doubt.message}")
    return selection.n_clusters


def _items(arguments, ensemble, labels):
    """The consensus of every object with its own cluster, for each number of clusters."""
    import pandas as pd

    from ..consensus import eac
    from ..diagnostics.resampling import check_groups, cluster_consensus, item_consensus

    objects = pd.RangeIndex(1, len(labels) + 1, name="object") if ensemble.objects is None else ensemble.objects
    groups = check_groups(None, labels)
    parts = []
    for k in np.unique(groups):
        resamples = labels[:, groups == k]
        if (unseen := (resamples == -1).all(axis=1)).any():
            raise ValueError(
                f"{ensemble.file}: object {objects[unseen.argmax()]} is in no clustering with {k} clusters."
            )
        clusters = eac(resamples, k, random_state=arguments.seed)
        of_object = item_consensus(resamples, clusters)[np.arange(len(clusters)), clusters]
        of_cluster = cluster_consensus(resamples, clusters)[clusters]
        columns = {"clusters": k, "cluster": clusters, "item consensus": of_object, "cluster consensus": of_cluster}
        parts.append(pd.DataFrame(columns, objects))
    return pd.concat(parts)


def _choice(distribution, ratios):
    """(the number of clusters that the table supports, at least two, or None; why); `ratios` of the references, too."""
    from ..diagnostics.resampling import least_ambiguous

    if ratios is None:
        why = "with the smallest pac; this does not show that there are clusters: compare with --reference"
        return least_ambiguous(distribution), why
    several = distribution.n_clusters > 1
    best, *of_references = ratios[:, several].max(axis=1)
    chosen = distribution.n_clusters[several & (ratios[0] == best)][-1]
    as_good = np.count_nonzero(of_references >= best)
    others = counted(len(ratios) - 1, "reference")
    if as_good:
        return None, f"because {as_good} of {others} stand out as much: the data look like these"
    chance = f"without clusters, this happens in 1 of {len(ratios)} cases"
    return chosen, f"with the largest log ratio, larger than that of {others}; {chance}"


def _figure(distribution, references, chosen):
    """The curves, and next to them the change of the area and the pac; dashed for the references."""
    from matplotlib.figure import Figure

    from ..plotting import plot_consensus_distribution
    from ..plotting.charts import BLUE, GREY, VERMILLION, count_along

    figure = Figure(figsize=(11.0, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot_consensus_distribution(distribution, reference=references, n_clusters=chosen, ax=left)
    thin = {"linestyle": "--", "linewidth": 0.6, "markersize": 3.0}
    for each, look in [*((reference, thin) for reference in references), (distribution, {})]:
        right.plot(each.n_clusters, each.delta, color=BLUE, marker="o", label="change of the area", **look)
        look = {"color": VERMILLION, "marker": "s", "markerfacecolor": "white", **look}
        right.plot(each.n_clusters, each.pac, label="ambiguous pairs", **look)
    if chosen is not None:
        right.axvline(chosen, color=GREY, linewidth=4.0, alpha=0.5, zorder=0, label=f"chosen: {chosen}")
    right.set(title="Change of the area, and ambiguous pairs", xlabel="number of clusters", ylabel="share")
    count_along(right.xaxis)
    right.legend(handles=right.lines[2 * len(references) :])
    return figure
