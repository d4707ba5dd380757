"""The report on a fitted consensus as one HTML page: this file computes the numbers, page.html has the words."""

import base64
import hashlib
import io
import os
import platform
import re
import textwrap
from importlib.metadata import version

import numpy as np

from .. import validation as check
from .._version import __version__
from ..common import check_texts, load_package, write_files
from ..consensus.n_clusters import STABLE_IF, ClusterNumberSelection, remarks
from ..diagnostics.agreement import trust_in
from ..diagnostics.certificates import AMBIGUOUS
from ..ensemble import reading
from ..median_partition.weightings import name_of
from ..plotting.matrices import draw_objects, plot_coassociation
from ..summary import assess, describe
from ..wording import counted, headline, percent, rounded

# Characters not allowed in HTML: controls except tab and ends of lines, and halves of surrogate pairs.
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)], "\ufffd")
# Largest number of partitions listed.
_PARTITIONS = 500
# Largest number of objects in the heat map.
_DRAWN = 400
# Size of the heat map in inches of 96 pixels; it has half as many pixels again, for paper and dense screens.
_SIZE = (5.75, 4.75)
_DENSITY = 144
# Steps of its colours: more are hardly distinguishable, and need more space.
_STEPS = 16
# Characters of a parameter.
_WIDTH = 100


def report(model, X, path=None, *, sample_weight=None, names, object_names, texts, max_rows, selection, assessed=None):
    """The result of :meth:`~robust_eac.RobustEAC.to_html`; checks all arguments except `names` and `assessed`.

    assessed : what :func:`~robust_eac.summary.assess` found; None means to call it.
    """
    if not isinstance(path, str | os.PathLike | None):
        raise TypeError(f"path must be a text, a path or None, got {path!r}.")
    check_texts(**texts)
    max_rows = check.integer(max_rows, name="max_rows", low=0)
    if not isinstance(selection, ClusterNumberSelection | None):
        raise TypeError(f"selection must be what select_n_clusters returns, or None, got {selection!r}.")
    if check.is_dask_array(model.labels_):
        raise ValueError("X must be an array in memory, and so must have been that of the fit, which was a Dask array.")
    ensemble = reading.ensemble(X, name="X", sample_weight=sample_weight, object_names=object_names)
    n_samples = len(model.labels_)
    if object_names is not None:
        object_names = check.names(object_names, n_samples, name="object_names", each="object")
    elif ensemble.objects is not None:
        object_names = ensemble.objects
    else:
        object_names = range(n_samples)
    template = load_template()

    # The parameters of the fit, which may have changed since.
    parameters = model._settings.parameters
    weighted = sample_weight is not None
    fitted_to = "X, sample_weight=sample_weight" if weighted else "X"
    page = template.render(
        find_out(model, ensemble, names, assessed or assess(model, ensemble, sample_weight)),
        title=texts["title"] or headline(n_samples, len(model.weights_)),
        note=texts["note"],
        call=texts["call"] or f"{_shown(type(model)(**parameters))}.fit({fitted_to})",
        model=model,
        settings=model._settings,
        weighted=weighted,
        weighting=name_of("trust" if model._settings.loss is None else parameters["weighting"]),
        parameters={name: textwrap.shorten(_shown(value), _WIDTH) for name, value in parameters.items()},
        names=names,
        object_names=object_names,
        max_rows=max_rows,
        selection=selection,
        remarks=remarks,
        stable_if=STABLE_IF,
        ambiguous_below=AMBIGUOUS,
        versions=versions(),
    )
    if path is None:
        return page
    write_files({path: lambda handle: handle.write(page.encode())})
    return None


def load_template():
    """The template of the page; ImportError if a package that a report needs is missing."""
    jinja2 = load_package("jinja2", "reports need")
    load_package("matplotlib", "reports need")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value.translate(_FORBIDDEN) if isinstance(value, str) else value,
    )
    environment.filters |= {"digest": _digest, "number": "{:,.10g}".format}
    environment.filters |= {"counted": counted, "percent": percent, "rounded": rounded}
    return environment.get_template("page.html")


def _digest(text):
    """The source of a style or script, for the policy of the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _shown(value):
    """A parameter or model as Python shows it, without addresses, which differ between processes."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def versions():
    packages = {"robust_eac": __version__, "python": platform.python_version()}
    return packages | {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")}


def find_out(model, X, names, assessed):
    """The numbers, by name, on a model fitted to arrays in memory."""
    labels = model.labels_
    moves = assessed.moves
    found, sure = describe(model, names, assessed.assessment)
    sizes = np.bincount(labels)
    ambiguous = np.flatnonzero(moves.ambiguous)
    return {
        "found": found,
        "sure": sure,
        "sizes": sizes,
        "certainties": np.bincount(labels, weights=model.confidence_) / sizes,
        "n_ambiguous": np.bincount(labels, weights=moves.ambiguous),
        "moves": moves,
        # The most ambiguous first.
        "ambiguous": ambiguous[np.argsort(moves.rises[ambiguous], kind="stable")],
        "listed": np.lexsort((-model.agreements_, -model.weights_))[:_PARTITIONS],
        # Per ordered pair of objects, or shares of the losses by chance.
        "losses": model.losses_ / model._settings.unit,
        "trust": trust_in(assessed.encoding, np.eye(len(sizes))[labels]),
        "partitions": assessed.encoding.partitions,
        "n_missing": np.count_nonzero(X.labels == -1),
        "map": _draw_map(X, labels, model.weights_),
    }


def _draw_map(X, labels, weights):
    """The co-association of some objects: a picture in base64, the number of objects, and means by place."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    ax = plot_coassociation(X, labels, weights=weights, max_objects=_DRAWN, random_state=0, ax=figure.add_subplot())
    ax.set_title("")
    (image,) = ax.images
    image.set(cmap=colormaps["Blues"].resampled(_STEPS), interpolation="nearest")
    content = io.BytesIO()
    figure.savefig(content, format="webp", dpi=_DENSITY, facecolor="white", pil_kwargs={"lossless": True})
    # The map draws the same objects, in the order of their clusters.
    clusters = np.sort(labels[draw_objects(labels, _DRAWN, np.random.RandomState(0))])
    same = clusters[:, np.newaxis] == clusters
    places = {"within": same & ~np.eye(len(clusters), dtype=bool), "between": ~same}
    return {
        "picture": base64.b64encode(content.getvalue()).decode(),
        "size": [round(96 * side) for side in _SIZE],
        "n_drawn": len(clusters),
        "means": {place: image.get_array()[mask].mean() for place, mask in places.items() if mask.any()},
    }
