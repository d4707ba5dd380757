"""From a fitted model to a page, or a file with it."""

import os

from .._whole_files import write_files
from ..checks.forms import objects_of
from ..checks.values import check_integer, check_names, is_dask_array
from .findings import find_out
from .page import make_page


def report(model, X, path, *, sample_weight, names, object_names, texts, max_rows):
    """What :meth:`~robust_eac.RobustEAC.to_html` returns; all but the names of the partitions is checked here.

    texts : {"title", "note", "call"}, each a text or None.
    """
    if not (path is None or isinstance(path, str | os.PathLike)):
        raise TypeError(f"path must be a text, a path or None, got {path!r}.")
    for name, text in texts.items():
        if not (text is None or isinstance(text, str)):
            raise TypeError(f"{name} must be a text or None, got {text!r}.")
    max_rows = check_integer(max_rows, name="max_rows", low=0)
    if is_dask_array(model.labels_):
        raise ValueError("X must be an array in memory, and so must have been that of the fit, which was a Dask array.")
    n_samples = len(model.labels_)
    if object_names is not None:
        object_names = check_names(object_names, n_samples, name="object_names", each="object")
    elif (object_names := objects_of(X)) is None:
        object_names = range(n_samples)

    settings, weighted = model._settings, sample_weight is not None
    findings = find_out(model, X, sample_weight, settings)
    options = {"names": names, "object_names": object_names, "max_rows": max_rows, "weighted": weighted}
    page = make_page(findings, settings, model, **options, **texts)
    if path is None:
        return page
    write_files({path: lambda handle: handle.write(page.encode())})
    return None
