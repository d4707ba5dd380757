"""Checkpoints of a distributed alternation: a file of memberships per block, and a manifest that makes them valid."""

import json
import os
import time
import zlib
from functools import partial
from numbers import Number
from pathlib import Path
from reprlib import Repr
from typing import NamedTuple

import numpy as np

from .._whole_files import write_files
from ..checks.values import check_integer, check_real
from ..solve.alternation import Run
from ..weightings import Weighting
from . import block_steps
from . import tasks as dask_tasks

_MANIFEST = "checkpoint.json"
_FORMAT = 1
# Relative difference of losses that rounding on another machine explains.
_SAME = 1e-10
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 200


class Saved(NamedTuple):
    """What the client needs to go on after an alternation; see :class:`~robust_eac.solve.alternation.Run`."""

    n_iter: int
    n_sweeps: int
    history: list
    weights: np.ndarray
    losses: np.ndarray
    rng: np.random.RandomState


class Checkpoint:
    """The folder of a run: what it holds of earlier alternations, and where the next ones are written.

    The manifest is replaced when all blocks are written, and names the alternation that they belong to; files of other
    alternations are leftovers.
    """

    def __init__(self, folder, every, arguments, max_iter):
        self._folder, self._every, self._arguments = folder, every, json.loads(json.dumps(arguments))
        self._written = time.monotonic()
        self.saved = _read(folder, self._arguments, max_iter)
        folder.mkdir(parents=True, exist_ok=True)

    def resume(self, problem, encodings, tell):
        """The :class:`Run` after the alternation in the folder."""
        n_iter, n_sweeps, history, weights, losses, rng = self.saved
        rows = dask_tasks.Rows(encodings, self._load(encodings, problem.objective.n_clusters, n_iter))
        state = problem.objective.measure(rows)
        found = problem.objective.losses(state)
        if found.shape != losses.shape or not np.allclose(found, losses, rtol=_SAME, atol=0.0):
            raise ValueError(
                f"checkpoint: labels must be those that {self._folder} was written for: "
                "its memberships have other losses with these."
            )
        if tell:
            tell(f"iteration {n_iter} from {self._folder}, objective {history[-1]:.6g}")
        return Run(rows, state, found, weights, history, rng, tell, n_iter=n_iter, n_sweeps=n_sweeps)

    def keep(self, run):
        """Write an alternation if the last one was written long enough ago."""
        if time.monotonic() - self._written >= self._every:
            self.save(run)

    def save(self, run):
        """Write an alternation, unless the folder holds it. A block that is lost from now on is read from its file."""
        if self.saved is not None and self.saved.n_iter == run.n_iter:
            return
        from dask import compute

        rows, saved = run.rows, Saved(run.n_iter, run.n_sweeps, run.history, run.weights, run.losses, run.rng)
        paths = self._paths(run.n_iter, len(rows.encodings))
        tasks = rows.each(block_steps.write_rows)
        compute(*[task(rows.t, path) for task, path in zip(tasks, paths, strict=True)])
        unseen = [path for path in paths if not os.path.exists(path)]
        if unseen:
            raise OSError(f"checkpoint: {unseen[0]} was written by a worker and is not there: share the file system.")
        text = json.dumps({"format": _FORMAT, "arguments": self._arguments, **_to_plain(saved)}, allow_nan=False)
        write_files({self._folder / _MANIFEST: lambda handle: handle.write(text.encode())})
        self.saved, self._written = saved, time.monotonic()
        rows.proposals, rows.t = self._load(rows.encodings, len(run.state[1][0]), run.n_iter), 0.0
        for path in set(map(str, self._folder.glob(_name("*", "*")))) - set(paths):
            os.unlink(path)

    def _load(self, encodings, n_clusters, n_iter):
        from dask import persist

        tasks, paths = dask_tasks.on_blocks(block_steps.read_rows, encodings), self._paths(n_iter, len(encodings))
        return persist(*[task(n_clusters, path) for task, path in zip(tasks, paths, strict=True)])

    def _paths(self, n_iter, n_blocks):
        return [str(self._folder / _name(f"{n_iter:06d}", f"{number:06d}")) for number in range(n_blocks)]


def _name(n_iter, number):
    return f"memberships-{n_iter}-{number}.npy"


def check_checkpoint(folder, every, random_state):
    """The absolute path of a folder for checkpoints, or None; seconds between two of them."""
    every = check_real(every, name="checkpoint_every", low=0.0)
    if folder is None:
        return None, every
    if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str) or not os.fspath(folder):
        raise TypeError(f"checkpoint must be None or the path of a folder, got {folder!r}.")
    # Workers may run in other folders.
    folder = Path(os.path.abspath(folder))
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"checkpoint must be the path of a folder, got {str(folder)!r}, which is a file.")
    if random_state is None or isinstance(random_state, np.random.RandomState):
        kind = type(random_state).__name__
        raise ValueError(f"random_state must be an integer with checkpoint, so that a run can go on, got {kind}.")
    return folder, every


def arguments_of(labels, n_clusters, options, start):
    """What decides the bits of a result, as JSON's plain values; `start` is a name or a Dask array."""
    from dask import compute

    if not isinstance(start, str):
        sums = compute(*[dask_tasks.later(block_steps.checksum)(piece) for piece in start.to_delayed().ravel()])
        start = f"array with checksum {zlib.crc32(np.array(sums)):08x}"
    chosen = {name: _describe(getattr(options, name)) for name in ("weighting", "cluster_weights")}
    return {
        "labels.shape": labels.shape,
        "labels.chunks": labels.chunks[0],
        "n_clusters": n_clusters,
        "init": start,
        **chosen,
        "n_init": int(options.n_init),
        "tol": float(options.tol),
        "random_state": int(options.random_state),
    }


def _describe(value):
    """A plain value as it is, an array by its checksum, a function by its name and what a partial binds."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Number | np.generic):
        return float(value)
    if isinstance(value, Weighting):
        return repr(value)
    if isinstance(value, partial):
        bound = [*map(_describe, value.args), *(f"{key}={_describe(given)}" for key, given in value.keywords.items())]
        return f"{_describe(value.func)}({', '.join(map(str, bound))})"
    if callable(value):
        named = value if hasattr(value, "__qualname__") else type(value)
        return f"{named.__module__}.{named.__qualname__}"
    if isinstance(value, list | tuple) and any(np.ndim(entry) for entry in value):
        return [_describe(entry) for entry in value]
    values = np.asarray(value, dtype=np.float64)
    return f"array of shape {values.shape} with checksum {block_steps.checksum(values):08x}"


def _read(folder, arguments, max_iter):
    """The :class:`Saved` of a folder; None if it holds no checkpoint. ValueError if it is that of another run."""
    path = folder / _MANIFEST
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        manifest = json.loads(text)
        if manifest["format"] != _FORMAT:
            raise ValueError(f"its format is {manifest['format']}, not {_FORMAT}")
        theirs, saved = dict(manifest["arguments"]), _from_plain(manifest)
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"checkpoint: {path} is no manifest of a checkpoint: {error}.") from error
    for name, value in arguments.items():
        if theirs.get(name) != value:
            raise ValueError(
                f"checkpoint: {folder} was written with {name}={_SHORT.repr(theirs.get(name))}, "
                f"got {_SHORT.repr(value)}; another run needs another folder."
            )
    if max_iter < saved.n_iter:
        raise ValueError(f"max_iter must be at least {saved.n_iter}, the iteration in {folder}, got {max_iter}.")
    return saved


def _to_plain(saved):
    state = saved.rng.get_state(legacy=False)
    key = state["state"]["key"].tolist()
    state = {"key": key, "pos": state["state"]["pos"], "has_gauss": state["has_gauss"], "gauss": state["gauss"]}
    return saved._replace(weights=saved.weights.tolist(), losses=saved.losses.tolist(), rng=state)._asdict()


def _from_plain(values):
    rng = np.random.RandomState()
    own = values["rng"]
    key = np.array(own["key"], dtype=np.uint32)
    rng.set_state(("MT19937", key, int(own["pos"]), int(own["has_gauss"]), float(own["gauss"])))
    return Saved(
        check_integer(values["n_iter"], name="n_iter", low=1),
        check_integer(values["n_sweeps"], name="n_sweeps", low=0),
        [float(value) for value in values["history"]],
        np.array(values["weights"], dtype=np.float64),
        np.array(values["losses"], dtype=np.float64),
        rng,
    )
