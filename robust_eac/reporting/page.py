"""The report on a fitted consensus as one HTML page: words and markup around the findings."""

import base64
import hashlib
import inspect
import os
import platform
import reprlib
from importlib.metadata import version
from importlib.resources import files
from numbers import Number
from string import Template

import numpy as np

from .._version import __version__
from .._whole_files import write_files
from ..checks.labels import check_ensemble, check_index
from ..checks.values import check_integer, check_names
from ..consensus.n_clusters import STABLE, remarks
from ..diagnostics.certificates import UNSURE
from ..weightings.joint import Weighting, name_of
from ..wording import counted, headline, percent, weightless
from .findings import find_out
from .markup import Column, bar, breakable, definitions, draw_heat_map, element, join, table

# Largest number of partitions listed.
_PARTITIONS = 500
# Largest number of clusters of the nearest partition in columns of their own.
_COLUMNS = 12
_NONE = "–"
# Explanations of the weightings.
_WEIGHTINGS = {
    "uniform": "All partitions have equal weights.",
    "restricted-simplex": "The partitions of smallest loss have equal weights, the others none. The largest weight rho "
    "determines how many have weight, good or bad: by default four fifths.",
    "l2": "Weights fall linearly with the loss of the partition, to zero for large losses.",
    "entropy": "Weights fall smoothly with the loss of the partition.",
    "chance-corrected": "The partitions that agree with the consensus beyond chance have equal weights, the others "
    "none. Near copies of a partition share the weight of one.",
    "trust": "The partitions of the largest group that agrees beyond chance have equal weights, the others none.",
    "given": "The weights were chosen beforehand.",
}
# Explanations of the rows of the summary.
_MEANINGS = {
    "objective": "The fit minimises this distance of the partitions from the consensus, a sum over pairs of objects.",
    "convergence": "The gap is zero where no small change of the memberships lowers the objective. That is necessary "
    "for an optimum, not sufficient.",
    "bound": "A certificate: no memberships have a loss below the bound.",
    "labels": "Losses depend only on which objects are together, so that memberships with other labels can have the "
    "same losses.",
    "unsure": "Objects that could as well be in another cluster, by a move of the object alone, or in another "
    "membership with the same losses.",
    "agreement": "Adjusted Rand index, which is corrected for chance, so that fine and coarse partitions compare.",
    "confidence": "Memberships show how the partitions divide an object between clusters. With partitions finer than "
    "the consensus they are small for all objects; then compare objects with each other.",
}


def report(model, X, path, *, sample_weight, names, object_names, texts, max_rows, selection):
    """The result of :meth:`~robust_eac.RobustEAC.to_html`; checks all arguments except `names`."""
    if not (path is None or isinstance(path, str | os.PathLike)):
        raise TypeError(f"path must be a text, a path or None, got {path!r}.")
    for name, text in texts.items():
        if not (text is None or isinstance(text, str)):
            raise TypeError(f"{name} must be a text or None, got {text!r}.")
    max_rows = check_integer(max_rows, name="max_rows", low=0)
    if model._book is None:
        raise ValueError("X must be an array in memory, and so must have been that of the fit, which was a Dask array.")
    ensemble, n_samples = check_ensemble(X, name="X"), len(model.labels_)
    check_index(ensemble, name="X", sample_weight=sample_weight, object_names=object_names)
    if object_names is not None:
        object_names = check_names(object_names, n_samples, name="object_names", each="object")
    else:
        object_names = range(n_samples) if ensemble.objects is None else ensemble.objects

    settings, weighted = model._settings, sample_weight is not None
    findings = find_out(model, ensemble, sample_weight, settings)
    title = texts["title"] or headline(n_samples, len(findings.weights))
    call = texts["call"] or call_of(model, settings.parameters, weighted=weighted)
    sections = [
        ("short", "In short", _short(findings, names)),
        *([] if selection is None else [("number", "How many clusters?", _number_of_clusters(selection))]),
        ("clusters", "Clusters", _clusters(findings, names)),
        ("partitions", "Weights of the partitions", _partitions(findings, settings, names)),
        ("certificates", "Quality of the consensus", _certificates(findings)),
        ("map", "Co-association", _map(findings)),
        ("objects", "Unsure objects", _objects(findings, object_names, max_rows)),
        ("alternatives", "Other ways to a consensus", _alternatives(findings)),
        ("asked", "Ensemble and parameters", _asked(findings, settings, call, weighted)),
    ]
    page = _page(title, texts["note"], sections)
    if path is None:
        return page
    write_files({path: lambda handle: handle.write(page.encode())})
    return None


def versions():
    """Versions of this package, of Python, and of the libraries that compute."""
    own = {"robust_eac": __version__, "python": platform.python_version()}
    return own | {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")}


def shown(value):
    """A parameter in one line, without addresses of objects, which differ between processes."""
    if value is None or isinstance(value, str | bool | Number):
        return reprlib.repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, Weighting):
        return repr(value)
    if hasattr(value, "shape"):
        return f"<array of shape {tuple(value.shape)}>"
    if isinstance(value, list | tuple):
        return f"<{type(value).__name__} of {len(value)}>"
    return getattr(value, "__name__", f"<{type(value).__name__}>")


def call_of(model, parameters, *, weighted):
    """The call that fits a model with these parameters, except those at their defaults, to an ensemble X."""
    kind = type(model)
    given = [
        f"{name}={shown(parameters[name])}"
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameters[name] is not parameter.default and not np.array_equal(parameters[name], parameter.default)
    ]
    fitted_to = "X, sample_weight=sample_weight" if weighted else "X"
    return f"{kind.__name__}({', '.join(given)}).fit({fitted_to})"


def _page(title, note, sections):
    """The page as text; sections : [(id, heading, elements)]."""
    main = [element("h1", title)]
    if note:
        main.append(element("p", note, class_="note"))
    links = (element("li", element("a", heading, href=f"#{name}")) for name, heading, _ in sections)
    main.append(element("nav", element("ul", *links), aria_label="Contents"))
    for name, heading, content in sections:
        label = f"{name}-title"
        main.append(element("section", element("h2", heading, id=label), *content, id=name, aria_labelledby=label))
    page, style, script = (
        files(__package__).joinpath(f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    # The page loads nothing and allows no other script or style, whatever a name contains.
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}"
    parts = {"title": join([title]), "policy": policy, "style": style, "script": script, "main": join(main, "\n")}
    return Template(page).substitute(parts)


def _hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _short(findings, names):
    weights, agreements = findings.weights, findings.agreements
    n, m = len(findings.labels), len(weights)
    sizes = np.bincount(findings.labels)
    spread = f"the largest has {sizes.max():,} of {n:,} objects, the smallest {sizes.min():,}"
    points = [f"{counted(len(sizes), 'cluster')}: {spread}."]
    if len(sizes) == 1:
        points.append("One cluster agrees with no partition: neither partitions nor objects are judged.")
        return [element("ul", *(element("li", point) for point in points), class_="lead")]
    having = weights > 0.0
    text = f"{having.sum():,} of {counted(m, 'partition')} have weight; they agree with the consensus by "
    text += f"{_decimal(agreements[having].mean())} in the mean (1: same, 0: chance)"
    points.append(text + (f", the others by {_decimal(agreements[~having].mean())}." if not having.all() else "."))
    nearest = findings.nearest.partition
    with_agreement = f", with an agreement of {_decimal(agreements[nearest])}."
    points.append(join(["The nearest partition is ", breakable(names[nearest]), with_agreement]))
    out = weightless(weights, agreements, names)
    if out:
        points.append(f"Without weight: {out}.")
    if findings.families.any():
        points.append(
            f"{np.sum(findings.families > 0):,} partitions are near copies of others, in "
            f"{counted(findings.families.max(), 'family', 'families')}."
        )
    unsure = int(findings.moves.unsure.sum())
    points.append(
        f"{counted(unsure, 'object')} of {n:,} could as well be in another cluster."
        if unsure
        else "No object is unsure."
    )
    unbounded = findings.assessment.unbounded
    points.append(
        f"The distance from the best possible consensus is not known: {unbounded}."
        if unbounded
        else f"Compared with the best possible consensus: {findings.rows['bound']}."
    )
    return [element("ul", *(element("li", point) for point in points), class_="lead")]


def _number_of_clusters(selection):
    text = (
        "Halves of the partitions that agree beyond chance were merged separately, each on a part of the objects, and "
        "cut into every number of clusters. The prediction strength of a number is the share of the pairs of objects "
        f"in the worst cluster of one half that the other half keeps together. A number is stable from {STABLE} on. "
    )
    strength = selection.prediction_strength
    columns = [
        Column("clusters", selection.candidates),
        Column("prediction strength", [join([_decimal(each, 2), bar(max(each, 0.0))]) for each in strength]),
        Column("stable", ["yes" if each else _NONE for each in selection.stable], text=True),
        Column("adjusted Rand index of halves", [_decimal(each, 2) for each in selection.split_stability]),
        Column("held-out agreement", [_decimal(each, 2) for each in selection.held_out_agreement]),
        Column("empty", selection.candidates - selection.n_nonempty),
    ]
    caption = "Held-out agreement: of the consensus of one half with the partitions of the other."
    return [element("p", text + " ".join(remarks(selection))), table("number", caption, columns)]


def _clusters(findings, names):
    labels, n = findings.labels, len(findings.labels)
    sizes = np.bincount(labels)
    columns = [
        Column("cluster", range(len(sizes))),
        Column("objects", [f"{size:,}" for size in sizes]),
        Column("share", map(_percent, sizes / n)),
        Column("mean membership", map(_decimal, np.bincount(labels, weights=findings.certainty) / sizes)),
        Column("unsure objects", [f"{int(count):,}" for count in np.bincount(labels, weights=findings.moves.unsure)]),
    ]
    caption = "The consensus, and the mean of the largest memberships in each cluster."
    found = [table("clusters", caption, columns)]
    return found if len(sizes) == 1 else [*found, _beside_nearest(findings.nearest, names)]


def _beside_nearest(nearest, names):
    """A table of the objects in each cluster of the consensus and of the nearest partition."""
    overlap = nearest.overlap
    # The clusters of the partition in the order of those of the consensus, so that the table is full on its diagonal.
    order = np.lexsort((-overlap.max(axis=0), overlap.argmax(axis=0)))
    if len(order) > _COLUMNS:
        largest = np.argsort(-overlap.sum(axis=0), kind="stable")[: _COLUMNS - 1]
        order = order[np.isin(order, largest)]
    columns = [Column("cluster", range(len(overlap)))]
    columns += [Column(nearest.clusters[c], [f"{each:,.10g}" for each in overlap[:, c]]) for c in order]
    rest = np.delete(overlap, order, axis=1)
    if rest.shape[1]:
        columns.append(Column(f"{rest.shape[1]:,} others", [f"{each:,.10g}" for each in rest.sum(axis=1)]))
    caption = "Objects in each cluster of the consensus (rows) and of the nearest partition (columns), "
    return table("nearest", join([caption, breakable(names[nearest.partition]), "."]), columns, sortable=False)


def _partitions(findings, settings, names):
    weights, agreements = findings.weights, findings.agreements
    test = findings.test
    weighting = name_of("trust" if settings.merged else settings.parameters["weighting"])
    how = _WEIGHTINGS.get(weighting, "The weights come from a function of the losses that was given.")
    unit = "as a share of the loss by chance" if settings.adjusted else "per ordered pair of objects"
    text = [
        f"Weighting {weighting}: {how} The loss is the distance of a partition from the consensus, {unit}. Agreement "
        "is the adjusted Rand index with the consensus: 1 is the same partition, 0 is chance. Fine partitions have "
        "smaller losses than equally good coarse ones, but no larger agreement."
    ]
    if test is not None:
        text.append(
            "The p-value is the probability of at least this agreement if the objects of the partition were relabelled "
            "at random. It is valid for partitions without weight; one with weight influenced the consensus and agrees "
            "with it a little more than by chance even if it is random."
        )
    if findings.families.any():
        text.append(
            "Partitions of one family are near copies: they agree more with each other than with the consensus."
        )
    order = np.lexsort((-agreements, -weights))[:_PARTITIONS]
    shares = [join([f"{weight:#.3g}" if weight else "0", bar(weight / weights.max())]) for weight in weights[order]]
    columns = [
        Column("partition", [breakable(names[u]) for u in order], text=True),
        Column("weight", shares, order="descending"),
        Column("agreement", map(_decimal, agreements[order])),
        Column("loss", [f"{loss:#.3g}" for loss in findings.losses[order]]),
    ]
    if test is not None:
        columns.append(Column("p-value", map(_probability, test.pvalue[order])))
    columns.append(Column("clusters", [f"{count:,}" for count in findings.n_clusters[order]]))
    if findings.n_missing:
        columns.append(Column("objects", [f"{count:,.10g}" for count in findings.n_observed[order]]))
    if findings.families.any():
        columns.append(Column("family", [family or _NONE for family in findings.families[order]]))
    m = len(weights)
    listed = "All partitions" if len(order) == m else f"The {len(order):,} of {m:,} partitions with the largest weights"
    return [
        *(element("p", line) for line in text),
        table("partitions", f"{listed}, by weight, then agreement.", columns),
    ]


def _certificates(findings):
    rows = ((subject, text, _MEANINGS.get(subject, "")) for subject, text in findings.rows.items())
    return [definitions(rows)]


def _map(findings):
    together, clusters = findings.heat_map
    same = clusters[:, np.newaxis] == clusters
    apart, own = ~same, same & ~np.eye(len(clusters), dtype=bool)
    means = [
        f"{together[mask].mean():.2f} {where}" for mask, where in ((own, "within"), (apart, "between")) if mask.any()
    ]
    n, drawn = len(findings.labels), len(clusters)
    which = f"{drawn:,} objects, drawn from {n:,} at random" if drawn < n else f"All {n:,} objects"
    caption = (
        f"{which}, in the order of their cluster (framed), within it by similarity. The darker a point, the larger the "
        f"weight of the partitions that put both objects together"
        + (f": {' and '.join(means)} clusters in the mean. " if means else ". ")
        + "Dark squares within one frame are clusters that the consensus joins, dark rectangles outside the frames "
        "clusters that it separates."
    )
    label = f"Heat map of the co-association of {drawn:,} objects in {counted(len(np.unique(clusters)), 'cluster')}"
    label += f"; mean share of the weight that puts two objects together: {', '.join(means)} clusters" if means else ""
    picture = draw_heat_map(together, clusters, label)
    return [element("figure", picture, element("figcaption", caption))]


def _objects(findings, object_names, max_rows):
    moves, n = findings.moves, len(findings.labels)
    unsure = np.flatnonzero(moves.unsure)
    listed = unsure[np.argsort(moves.rises[unsure], kind="stable")][:max_rows]
    text = (
        f"An object is unsure if moving it to the best other cluster raises the loss by less than {percent(UNSURE)} of "
        "the loss per object. A negative cost means that the move would lower the loss of the clusters. It is not made "
        "since the fit minimises the loss of the memberships, which may divide an object between clusters; the object "
        "is then put into its cluster of largest membership. An object is also unsure if a membership with the same "
        "losses puts it into another cluster."
    )
    n_clusters = findings.labels.max() + 1
    second = ["a new one" if cluster == n_clusters else cluster for cluster in moves.clusters[listed]]
    costs = [_decimal(100.0 * rise / moves.loss, 1) for rise in moves.rises[listed]]
    columns = [
        Column("object", [breakable(object_names[i]) for i in listed], text=True),
        Column("cluster", findings.labels[listed]),
        Column("membership", map(_decimal, findings.certainty[listed])),
        Column("second cluster", second),
        Column("cost of the move, % of the loss per object", costs, order="ascending"),
    ]
    if not len(listed):
        whole = "None is." if len(unsure) == 0 else f"{counted(len(unsure), 'object')} of {n:,}; none is listed."
        return [element("p", f"{text} {whole}")]
    caption = f"{counted(len(unsure), 'unsure object')}, by the cost of the move."
    if len(listed) < len(unsure):
        caption = (
            f"The {len(listed):,} least sure of {caption} All with max_rows={len(unsure)} or --max-rows {len(unsure)}."
        )
    return [element("p", text), table("objects", caption, columns)]


def _alternatives(findings):
    others = findings.alternatives
    agreements = [_NONE if other.agreement is None else _decimal(other.agreement) for other in others]
    columns = [
        Column("consensus", [other.name for other in others], text=True),
        Column("clusters", [other.n_clusters for other in others]),
        Column("partitions", [other.n_with_weight for other in others]),
        Column("agreement", agreements),
        Column("loss, equal weights", [f"{other.losses[0]:#.4g}" for other in others]),
        Column("loss, these weights", [f"{other.losses[1]:#.4g}" for other in others]),
        Column("mean agreement", [_decimal(other.mean_agreement) for other in others]),
    ]
    text = (
        "Consensuses of the same ensemble by other weightings and another method, each with its defaults and few "
        "starts. If they agree with this consensus, little depends on the choice; if not, the table cannot show which "
        "is right: that takes knowledge of the objects. Every method is best by its own objective."
    )
    caption = (
        "Partitions: number with weight. Agreement: adjusted Rand index with this consensus. Losses: of the hard "
        "labels, per ordered pair of objects. Mean agreement: of all partitions with the labels."
    )
    return [element("p", text), table("alternatives", caption, columns)]


def _asked(findings, settings, call, weighted):
    n, m = len(findings.labels), len(findings.weights)
    sizes = f"{counted(m, 'partition')} of {counted(n, 'object')}"
    missing = f"{findings.n_missing:,} of {n * m:,} ({_percent(findings.n_missing / (n * m))})"
    facts = [("ensemble", sizes, ""), ("labels missing", missing if findings.n_missing else "none", "")]
    if weighted:
        facts.append(("weight of all objects", f"{settings.total:.6g}", ""))
    how = "robust_eac.reassignment_costs(X, model.labels_, weights=model.weights_)"
    facts.append(("cost of every object, in Python", element("code", how), ""))
    facts.append(("versions", ", ".join(f"{name} {number}" for name, number in versions().items()), ""))
    columns = [
        Column("parameter", settings.parameters, text=True),
        Column("value", [element("code", shown(value)) for value in settings.parameters.values()], text=True),
    ]
    return [
        element("p", "This call repeats the fit on the same ensemble:"),
        element("pre", element("code", call)),
        definitions(facts),
        table("asked", "Parameters of the fit.", columns, sortable=False),
    ]


def _decimal(value, digits=3):
    """A number with these digits after the point; zero has no sign."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def _percent(share):
    return f"{100.0 * share:.1f} %"


def _probability(value):
    """A p-value; below 1e-99 only that."""
    if value < 1e-99:
        return "< 1e-99"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"
