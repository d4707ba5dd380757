"""The report as a page: words and markup around the findings."""

import base64
import hashlib
from importlib.resources import files
from string import Template

import numpy as np

from ..checks.words import percent
from ..diagnostics.assurance import UNSURE
from ..summary import counted, headline, name_of
from .asked import call_of, shown, versions
from .elements import Column, definitions, element, join, table
from .heat_map import bar, draw_heat_map

# Partitions that are listed, those of largest weight.
_PARTITIONS = 500
_NONE = "–"
# How the weights come about.
_WEIGHTINGS = {
    "uniform": "All partitions count alike, whatever they say.",
    "restricted-simplex": "The partitions of smallest loss have equal weights, the others none. The largest weight rho "
    "sets how many are kept, good or bad: by default four fifths.",
    "l2": "Weights fall linearly with the loss of the partition; a large enough loss leaves none.",
    "entropy": "Weights fall smoothly with the loss of the partition.",
    "power": "Weights fall smoothly with the loss of the partition.",
    "chance-corrected": "The partitions that agree with the consensus beyond chance count alike, the others not at "
    "all. Near copies of one partition count once together.",
    "trust": "The largest group of partitions that agree with each other beyond chance count alike, the others not at "
    "all.",
    "given": "The weights were chosen beforehand.",
}
# What the rows of the summary mean.
_MEANINGS = {
    "objective": "What the fit lowers: how far the partitions are from the consensus, summed over pairs of objects.",
    "convergence": "The gap is zero where no small change of the memberships lowers the objective. That is necessary "
    "for a best answer, not sufficient.",
    "bound": "A certificate: whatever the memberships, the loss cannot be lower than the bound.",
    "unsure": "Objects that could as well be in another cluster, judged by moving them one at a time.",
    "agreement": "Adjusted Rand index, corrected for chance, so that fine and coarse partitions compare.",
    "second mode": "These partitions follow something else together.",
    "confidence": "Memberships say how the partitions split an object between clusters. With finer partitions than the "
    "consensus they are small for all objects, and it is their order that tells.",
}


def make_page(findings, settings, model, *, names, object_names, title, note, call, max_rows, weighted):
    """The page as text. What the parameters mean, :meth:`~robust_eac.RobustEAC.to_html` says."""
    title = title or headline(len(findings.labels), len(findings.weights))
    call = call or call_of(model, settings.parameters, weighted=weighted)
    sections = [
        ("short", "In short", _short(findings)),
        ("clusters", "Clusters", _clusters(findings)),
        ("partitions", "Whom it trusts, and why", _partitions(findings, settings, names)),
        ("modes", "Is there a second truth?", _modes(findings)),
        ("certificates", "How good the answer is", _certificates(findings)),
        ("map", "What the partitions say together", _map(findings)),
        ("objects", "Unsure objects", _objects(findings, object_names, max_rows)),
        ("alternatives", "Other ways to a consensus", _alternatives(findings)),
        ("asked", "What was asked", _asked(findings, settings, call, weighted)),
    ]
    main = [element("h1", title)]
    if note:
        main.append(element("p", note, class_="note"))
    links = (element("li", element("a", heading, href=f"#{name}")) for name, heading, _ in sections)
    main.append(element("nav", element("ul", *links), aria_label="Contents"))
    for name, heading, content in sections:
        main.append(
            element(
                "section",
                element("h2", heading, id=f"{name}-title"),
                *content,
                id=name,
                aria_labelledby=f"{name}-title",
            )
        )
    style, script = (_data(name) for name in ("page.css", "page.js"))
    # Nothing is loaded, and no other script or style runs, whatever a name contains.
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}"
    parts = {"title": join([title]), "policy": policy, "style": style, "script": script, "main": join(main, "\n")}
    return Template(_data("page.html")).substitute(parts)


def _data(name):
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _short(findings):
    weights, agreements = findings.weights, findings.agreements
    n, m, sizes = len(findings.labels), len(weights), np.bincount(findings.labels)
    spread = f"the largest has {sizes.max():,} of {n:,} objects, the smallest {sizes.min():,}"
    points = [f"{counted(len(sizes), 'cluster')}: {spread}."]
    having = weights > 0.0
    text = f"{having.sum():,} of {counted(m, 'partition')} have weight; they agree with the consensus by "
    text += f"{_decimal(agreements[having].mean())} in the mean (1: same, 0: chance)"
    points.append(text + (f", the others by {_decimal(agreements[~having].mean())}." if not having.all() else "."))
    if findings.families.any():
        points.append(
            f"{np.sum(findings.families > 0):,} partitions are near copies of others, in "
            f"{counted(findings.families.max(), 'family', 'families')}."
        )
    points.append(_how_many_truths(findings))
    unsure = int(findings.moves.unsure.sum())
    points.append(
        f"{counted(unsure, 'object')} of {n:,} could as well be in another cluster."
        if unsure
        else "No object is unsure."
    )
    unbounded = findings.assurance.unbounded
    points.append(
        f"How much better another answer could be is not known: {unbounded}."
        if unbounded
        else f"Beside the best possible answer: {findings.rows['bound']}."
    )
    return [element("ul", *(element("li", point) for point in points), class_="lead")]


def _clusters(findings):
    labels, n = findings.labels, len(findings.labels)
    sizes = np.bincount(labels)
    certainty = np.bincount(labels, weights=findings.certainty) / sizes
    unsure = np.bincount(labels, weights=findings.moves.unsure)
    rows = [
        [c, f"{size:,}", _percent(size / n), _decimal(certainty[c]), f"{int(unsure[c]):,}"]
        for c, size in enumerate(sizes)
    ]
    columns = [Column(title) for title in ("cluster", "objects", "share", "mean membership", "unsure objects")]
    return [table("clusters", "The consensus, and the mean of the largest memberships in each cluster.", columns, rows)]


def _partitions(findings, settings, names):
    weights, agreements, test = findings.weights, findings.agreements, findings.test
    weighting = name_of("trust" if settings.merged else settings.parameters["weighting"])
    how = _WEIGHTINGS.get(weighting, "The weights come from a function of the losses that was given.")
    unit = "share of what chance would give" if settings.adjusted else "per ordered pair of objects"
    text = [
        f"Weighting {weighting}: {how} The loss is the distance of a partition from the consensus, {unit}. Agreement "
        "is the adjusted Rand index with the consensus: 1 is the same partition, 0 is chance. Fine partitions have "
        "smaller losses than equally good coarse ones, but no larger agreement."
    ]
    if test is not None:
        text.append(
            "The p-value is the probability of at least this agreement if the objects of the partition were relabelled "
            "at random. It holds for partitions that had no part in the consensus. One that has weight helped to make "
            "it and agrees a little more than by chance even if it is random."
        )
    if findings.families.any():
        text.append(
            "Partitions of one family are near copies: they agree more with each other than with any consensus."
        )
    order = np.lexsort((-agreements, -weights))[:_PARTITIONS]
    incomplete, families = findings.n_missing > 0, findings.families.any()
    largest = weights.max()
    rows = [
        [
            names[u],
            join([f"{weights[u]:#.3g}" if weights[u] else "0", bar(weights[u] / largest)]),
            f"{findings.losses[u]:#.3g}",
            _decimal(agreements[u]),
            *([] if test is None else [_probability(test.pvalue[u])]),
            f"{findings.n_clusters[u]:,}",
            *([f"{findings.n_observed[u]:,.10g}"] if incomplete else []),
            *([findings.families[u] or _NONE] if families else []),
            findings.modes.assignment[u] + 1 or _NONE,
        ]
        for u in order
    ]
    columns = [
        Column("partition", text=True),
        Column("weight", order="descending"),
        Column("loss"),
        Column("agreement"),
        *([] if test is None else [Column("p-value")]),
        Column("clusters"),
        *([Column("objects")] if incomplete else []),
        *([Column("family")] if families else []),
        Column("mode"),
    ]
    m = len(weights)
    listed = "All partitions" if len(order) == m else f"The {len(order):,} of {m:,} partitions with the largest weights"
    return [
        *(element("p", line) for line in text),
        table("partitions", f"{listed}, by weight, then agreement.", columns, rows),
    ]


def _how_many_truths(findings):
    modes, m = findings.modes, len(findings.weights)
    if modes.n_modes == 0:
        return "No two partitions agree with each other beyond chance: there is hardly a consensus to be had of them."
    closeness = _decimal(findings.mode_agreements.max())
    if modes.n_modes == 1:
        followers = f"{np.sum(modes.assignment == 0):,} of {counted(m, 'partition')}"
        return (
            f"No second truth: {followers} agree among themselves, and there is no other group. Their own consensus "
            f"agrees with this one by {closeness}."
        )
    return (
        f"Several truths: {modes.n_modes} groups of partitions agree among themselves, and hardly with each other. "
        f"The nearest to this consensus is that of mode {findings.mode_agreements.argmax() + 1}; the two agree by "
        f"{closeness}."
    )


def _modes(findings):
    modes, m = findings.modes, len(findings.weights)
    text = _how_many_truths(findings)
    if modes.n_modes == 0:
        return [element("p", text)]
    sizes = [int(np.sum(modes.assignment == g)) for g in range(modes.n_modes)]
    rows = [
        [
            g + 1,
            f"{size:,}",
            _percent(size / m),
            f"{findings.weights[modes.assignment == g].sum():.3f}",
            ", ".join(f"{count:,}" for count in np.unique(modes.labels[:, g], return_counts=True)[1]),
            _decimal(findings.mode_agreements[g]),
        ]
        for g, size in enumerate(sizes)
    ]
    columns = [
        Column("mode"),
        Column("partitions", order="descending" if len(rows) > 1 else None),
        Column("share"),
        Column("weight here"),
        Column("objects in its clusters", text=True),
        Column("agreement with this consensus"),
    ]
    caption = "Groups of partitions that agree among themselves, each with a consensus of its own. Weight here: what "
    caption += "its partitions have together in this consensus."
    notes = [] if modes.converged else [element("p", "The search for groups did not converge.")]
    found = element("p", "All modes and their labels: ", element("code", "solve_consensus_modes(X, n_clusters)"), ".")
    return [element("p", text), table("modes", caption, columns, rows), *notes, found]


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
        f"{which}, in the order of their cluster (framed), within it by likeness. The darker a point, the more of the "
        f"weight puts both objects together"
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
        "the loss per object. Below zero the move would lower the loss: the labels of largest membership need not be a "
        "partition of least loss."
    )
    columns = [
        Column("object", text=True),
        Column("cluster"),
        Column("membership"),
        Column("second cluster"),
        Column("cost of the move, % of the loss per object", order="ascending"),
    ]
    n_clusters = findings.labels.max() + 1
    rows = [
        [
            object_names[i],
            findings.labels[i],
            _decimal(findings.certainty[i]),
            "a new one" if moves.clusters[i] == n_clusters else moves.clusters[i],
            _decimal(100.0 * moves.rises[i] / moves.loss, 1),
        ]
        for i in listed
    ]
    code = "robust_eac.reassignment_costs(X, model.labels_, weights=model.weights_)"
    rest = element("p", "The cost of every object, in Python: ", element("code", code), ".")
    if not rows:
        whole = "None is." if len(unsure) == 0 else f"{counted(len(unsure), 'object')} of {n:,}; none is listed."
        return [element("p", f"{text} {whole}"), rest]
    caption = f"{counted(len(unsure), 'unsure object')}, by the cost of the move."
    if len(rows) < len(unsure):
        caption = (
            f"The {len(rows):,} least sure of {caption} All with max_rows={len(unsure)} or --max-rows {len(unsure)}."
        )
    return [element("p", text), table("objects", caption, columns, rows), rest]


def _alternatives(findings):
    rows = [
        [
            other.name,
            other.n_clusters,
            other.n_with_weight,
            _NONE if other.agreement is None else _decimal(other.agreement),
            *(f"{loss:#.4g}" for loss in other.losses),
            _decimal(other.mean_agreement),
        ]
        for other in findings.alternatives
    ]
    columns = [
        Column("consensus", text=True),
        Column("clusters"),
        Column("partitions"),
        Column("agreement"),
        Column("loss, equal weights"),
        Column("loss, these weights"),
        Column("mean agreement"),
    ]
    text = (
        "The same ensemble by other weightings and another method, each with its defaults and few starts. Where they "
        "agree with this consensus, little depends on the choice; where they do not, the table does not tell who is "
        "right: that takes knowledge of the objects. Every method is best by what it lowers itself."
    )
    caption = (
        "Partitions: how many have weight. Agreement: adjusted Rand index with this consensus. Losses: of the hard "
        "labels, per ordered pair of objects. Mean agreement: of all partitions with the labels."
    )
    return [element("p", text), table("alternatives", caption, columns, rows)]


def _asked(findings, settings, call, weighted):
    n, m = len(findings.labels), len(findings.weights)
    sizes = f"{counted(m, 'partition')} of {counted(n, 'object')}"
    if findings.n_soft:
        sizes += f", {findings.n_soft:,} of them soft"
    missing = f"{findings.n_missing:,} of {n * m:,} ({_percent(findings.n_missing / (n * m))})"
    facts = [("ensemble", sizes, ""), ("labels missing", missing if findings.n_missing else "none", "")]
    if weighted:
        facts.append(("weight of all objects", f"{settings.total:.6g}", ""))
    facts.append(("versions", ", ".join(f"{name} {number}" for name, number in versions().items()), ""))
    parameters = [[name, element("code", shown(value))] for name, value in settings.parameters.items()]
    columns = [Column("parameter", text=True), Column("value", text=True)]
    return [
        element("p", "This makes it again, from the same ensemble:"),
        element("pre", element("code", call)),
        definitions(facts),
        table("asked", "Parameters of the fit.", columns, parameters, sortable=False),
    ]


def _decimal(value, digits=3):
    """A number of decimals, without a sign of zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def _percent(share):
    return f"{100.0 * share:.1f} %"


def _probability(value):
    """A p-value; what is smaller than anybody can mean is not told apart."""
    if value < 1e-99:
        return "< 1e-99"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"
