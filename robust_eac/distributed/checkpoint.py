"""Checkpoints of a distributed alternation: a file of memberships per block, and a manifest that makes them valid."""

import json
import os
import time
import zlib
from functools import partial
from numbers import Number
from pathlib import Path
from reprlib import Repr

import numpy as np

from .._whole_files import write_files
from ..checks.values import check_real
from ..solve.alternation import Run
from ..weightings import Weighting
from . import blocks
from .blocks import Proposal

_MANIFEST = "checkpoint.json"
_FORMAT = 3
# Relative difference of losses that rounding on another machine explains.
_SAME = 1e-10
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 200


class Checkpoint:
    """The folder of a run: what it holds of earlier alternations, and where the next ones are written.

    The manifest is replaced when all blocks are written, and names the alternation that they belong to; files of other
    alternations are leftovers. It has the checksums of the blocks, and its own, so that nothing else is gone on with.
    """

    def __init__(self, folder, every, arguments, max_iter):
        self._folder, self._every, self._arguments = folder, every, json.loads(json.dumps(arguments))
        self._written = time.monotonic()
        self._manifest = _read(folder, self._arguments, max_iter)
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def begun(self):
        """Whether the folder holds an alternation."""
        return self._manifest is not None

    def resume(self, objective, encodings, tell):
        """The :class:`~robust_eac.solve.alternation.Run` after the alternation in the folder."""
        saved, rng = self._manifest, np.random.RandomState()
        rows = blocks.Rows(encodings, self._load(encodings, objective.n_clusters))
        state = objective.measure(rows)
        found = objective.losses(state)
        if not np.allclose(found, saved["losses"], rtol=_SAME, atol=0.0):
            raise ValueError(
                f"checkpoint: labels must be those that {self._folder} was written for: "
                "its memberships have other losses with these."
            )
        if tell:
            tell(f"iteration {saved['n_iter']} from {self._folder}, objective {saved['history'][-1]:.6g}")
        rng.set_state(saved["rng"])
        counts = {name: saved[name] for name in ("n_iter", "n_sweeps", "gap")}
        return Run(rows, state, found, np.array(saved["weights"]), saved["history"], rng, tell, **counts)

    def keep(self, run):
        """Write an alternation if the last one was written long enough ago."""
        if time.monotonic() - self._written >= self._every:
            self.save(run)

    def save(self, run):
        """Write an alternation, unless the folder holds it. A block that is lost from now on is read from its file."""
        if self.begun and self._manifest["n_iter"] == run.n_iter:
            return
        from dask import compute

        rows, generator = run.rows, run.rng.get_state(legacy=False)
        paths = self._paths(run.n_iter, len(rows.encodings))
        written = [task(rows.t, path) for task, path in zip(rows.each(_write), paths, strict=True)]
        checksums = compute(*written)
        unseen = [path for path in paths if not os.path.exists(path)]
        if unseen:
            raise OSError(f"checkpoint: {unseen[0]} was written by a worker and is not there: share the file system.")
        manifest = {
            "format": _FORMAT,
            "arguments": self._arguments,
            "n_iter": run.n_iter,
            "n_sweeps": run.n_sweeps,
            "gap": run.gap,
            "history": run.history,
            "weights": run.weights.tolist(),
            "losses": run.losses.tolist(),
            "rng": generator | {"state": generator["state"] | {"key": generator["state"]["key"].tolist()}},
            "blocks": checksums,
        }
        text = json.dumps(manifest | {"checksum": _checksum_of(manifest)}, allow_nan=False)
        write_files({self._folder / _MANIFEST: lambda handle: handle.write(text.encode())})
        self._manifest, self._written = manifest, time.monotonic()
        rows.proposals, rows.t = self._load(rows.encodings, run.state.G.shape[-1]), 0.0
        for path in set(map(str, self._folder.glob(_name("*", "*")))) - set(paths):
            os.unlink(path)

    def _load(self, encodings, n_clusters):
        """The proposals of the blocks, from the files of the alternation in the manifest."""
        from dask import persist

        checksums = self._manifest["blocks"]
        paths = self._paths(self._manifest["n_iter"], len(encodings))
        each = zip(blocks.on_blocks(_load, encodings), paths, checksums, strict=True)
        return persist(*[task(n_clusters, path, checksum) for task, path, checksum in each])

    def _paths(self, n_iter, n_blocks):
        return [str(self._folder / _name(f"{n_iter:06d}", f"{number:06d}")) for number in range(n_blocks)]


def _name(n_iter, number):
    return f"memberships-{n_iter}-{number}.npy"


def _write(encoding, proposal, t, path):
    """Write the memberships of a block's rows to a file: their checksum."""
    rows = proposal.at(t)
    write_files({path: partial(np.save, arr=rows, allow_pickle=False)})
    return _checksum(rows)


def _load(encoding, n_clusters, path, checksum):
    """The :class:`~robust_eac.distributed.blocks.Proposal` of the memberships in a file that was written."""
    rows, shape = np.load(path, allow_pickle=False), (len(encoding.codes), n_clusters)
    if rows.shape != shape or rows.dtype != np.float64:
        raise ValueError(f"checkpoint: {path} must hold float64 of shape {shape}, got {rows.dtype} {rows.shape}.")
    if _checksum(rows) != checksum:
        raise ValueError(f"checkpoint: {path} is not as it was written: its checksum differs.")
    rows = np.ascontiguousarray(rows)
    return Proposal(rows, rows)


def _checksum(rows):
    """Checksum of an array's values."""
    return zlib.crc32(np.ascontiguousarray(rows))


def _checksum_of(manifest):
    return zlib.crc32(json.dumps(manifest, sort_keys=True).encode())


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


def arguments_of(labels, n_clusters, weighting, options, start):
    """What decides the bits of a result, as JSON's plain values; `start` is a name or a Dask array."""
    from dask import compute

    if not isinstance(start, str):
        sums = compute(*[blocks.later(_checksum)(piece) for piece in start.to_delayed().ravel()])
        start = f"array with checksum {zlib.crc32(np.array(sums)):08x}"
    return {
        "labels.shape": labels.shape,
        "labels.chunks": labels.chunks[0],
        "n_clusters": n_clusters,
        "weighting": _describe(weighting),
        "cluster_weights": _describe(options.cluster_weights),
        "init": start,
        "n_init": int(options.n_init),
        "tol": float(options.tol),
        "random_state": int(options.random_state),
    }


def _describe(value):
    """A plain value as it is, an array by its checksum, a function by its name, what has parameters with them."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Number | np.generic):
        return float(value)
    if isinstance(value, Weighting):
        return _call(type(value).__name__, [], value.get_params(deep=False))
    if isinstance(value, partial):
        return _call(_describe(value.func), value.args, value.keywords)
    if callable(value):
        named = value if hasattr(value, "__qualname__") else type(value)
        return f"{named.__module__}.{named.__qualname__}"
    if isinstance(value, list | tuple) and any(np.ndim(entry) for entry in value):
        return [_describe(entry) for entry in value]
    values = np.asarray(value, dtype=np.float64)
    return f"array of shape {values.shape} with checksum {_checksum(values):08x}"


def _call(name, positional, keywords):
    given = [*map(_describe, positional), *(f"{key}={_describe(value)}" for key, value in keywords.items())]
    return f"{name}({', '.join(map(str, given))})"


def _read(folder, arguments, max_iter):
    """The manifest of a folder; None if it holds no checkpoint. ValueError if it is that of another run, or changed."""
    path = folder / _MANIFEST
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        manifest = json.loads(text)
        if manifest["format"] != _FORMAT:
            raise ValueError(f"its format is {manifest['format']}, not {_FORMAT}")
        if manifest.pop("checksum") != _checksum_of(manifest):
            raise ValueError("it is not as it was written, its checksum differs")
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"checkpoint: {path} is no manifest of a checkpoint: {error}.") from error
    for name, value in arguments.items():
        if manifest["arguments"].get(name) != value:
            raise ValueError(
                f"checkpoint: {folder} was written with {name}={_SHORT.repr(manifest['arguments'].get(name))}, "
                f"got {_SHORT.repr(value)}; another run needs another folder."
            )
    if max_iter < manifest["n_iter"]:
        raise ValueError(f"max_iter must be at least {manifest['n_iter']}, the iteration in {folder}, got {max_iter}.")
    return manifest
