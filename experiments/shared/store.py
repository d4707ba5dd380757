"""Cells and records: one configuration of an experiment is one cell, and one cell is one JSON file."""

import functools
import hashlib
import itertools
import json
import math
import platform
import subprocess
import time
import traceback
import warnings
import zlib
from collections import Counter
from importlib.metadata import version as installed_version
from pathlib import Path

import joblib
import numba
import numpy as np
from threadpoolctl import threadpool_info

from robust_eac import __version__
from robust_eac._whole_files import write_files

PROJECT = Path(__file__).resolve().parents[2]
RECORDS = PROJECT / "experiments" / "records"
COMPONENTS = ("data", "ensemble", "corruption", "solver")
FIELDS = {"experiment", "version", "config", "status", "result", "error", "seconds", "environment"}
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


def grid(**axes):
    """All combinations of the values of the axes as configurations; the last axis varies fastest."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def derive_seed(base, repetition, component):
    """Seed of one of COMPONENTS of a cell. Each has its own: another method sees the same ensemble."""
    if component not in COMPONENTS:
        raise ValueError(f"component must be one of {', '.join(COMPONENTS)}, got {component!r}.")
    sequence = np.random.SeedSequence([base, repetition, zlib.crc32(component.encode())])
    return int(sequence.generate_state(1)[0])


def canonical_json(value):
    """JSON text, the same for equal values; ValueError for NaN and infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def cell_key(name, version, config):
    """Hexadecimal sha256 that identifies one cell."""
    return _sha256([name, version, config])


def record_path(name, version, config, root=RECORDS):
    """File that holds the record of one cell."""
    return Path(root) / name / f"{cell_key(name, version, config)}.json"


def write_whole(path, text):
    """Write a text file, making its folders; a reader finds the old file or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_files({path: lambda handle: handle.write(text.encode())})


def save_record(record, root=RECORDS):
    """Write a record with a checksum of its content; return its path."""
    path = record_path(record["experiment"], record["version"], record["config"], root)
    write_whole(path, json.dumps(record | {"checksum": _sha256(record)}, allow_nan=False, indent=1) + "\n")
    return path


def load_record(name, version, config, root=RECORDS):
    """Record of one cell, None if there is none; a damaged record gives a warning and None."""
    path = record_path(name, version, config, root)
    try:
        record = _parse(path.read_bytes())
    except FileNotFoundError:
        return None
    # The file name is the hash of the configuration: a copied or edited file is no record of this cell.
    if record is None or cell_key(record["experiment"], record["version"], record["config"]) != path.stem:
        warnings.warn(f"{path} is not a valid record of its cell: treated as missing.", stacklevel=2)
        return None
    return record


def load_records(name, grid, version, root=RECORDS):
    """Records of a grid in its order, with None where there is none."""
    return [load_record(name, version, config, root) for config in grid]


def missing_cells(name, grid, version, root=RECORDS):
    """Configurations of a grid that are not done: never run, failed, or unreadable."""
    records = load_records(name, grid, version, root)
    return [config for config, record in zip(grid, records, strict=True) if not is_done(record)]


def without_measurements(result):
    """A result without its measurements: the entries with the word "seconds" or "bytes" in their names."""
    if isinstance(result, dict):
        kept = {key: value for key, value in result.items() if {"seconds", "bytes"}.isdisjoint(key.split("_"))}
        return {key: without_measurements(value) for key, value in kept.items()}
    return [without_measurements(value) for value in result] if isinstance(result, list) else result


def changes(result, frozen, rounding=0.0):
    """{name: largest absolute difference} of the numbers in two results, but for measurements.

    Differences up to a share `rounding` of a number, or of one if it is smaller, are none. The difference is infinite
    where results differ in another way: by a text, or by what only one of them has.
    """
    found = Counter()
    for name, difference, size in _differences(without_measurements(result), without_measurements(frozen)):
        found |= Counter({name: difference if difference > rounding * max(1.0, size) else 0.0})
    return found


def _differences(result, frozen, name=""):
    """Yield (name, absolute difference, size of the frozen number) of every number in two results."""
    if isinstance(result, dict) and isinstance(frozen, dict):
        for key in sorted(result.keys() | frozen.keys()):
            yield from _differences(result.get(key), frozen.get(key), key)
    elif isinstance(result, list) and isinstance(frozen, list) and len(result) == len(frozen):
        for values in zip(result, frozen, strict=True):
            yield from _differences(*values, name)
    elif isinstance(result, int | float) and isinstance(frozen, int | float):
        yield name, abs(result - frozen), abs(frozen)
    elif result != frozen:
        yield name, math.inf, 0.0


def is_done(record):
    """Whether a record (or None) holds a result."""
    return record is not None and record["status"] == "done"


def run_cell(name, version, run_one, config):
    """Run one cell and return its record; an exception, or a result that JSON cannot hold, has the status "error".

    The result passes through JSON, so that a fresh record equals the one read back later.
    """
    result, error = None, None
    # The cell gets a copy: if it changes its arguments, its record still holds the configuration asked for.
    arguments = _plain(config)
    start = time.perf_counter()
    try:
        found = _plain(run_one(**arguments))
        if not isinstance(found, dict):
            raise TypeError(f"run_one must return a dict, got {type(found).__name__}.")
        result = found
    except Exception:
        error = traceback.format_exc()
    return {
        "experiment": name,
        "version": version,
        "config": _plain(config),
        "status": "done" if error is None else "error",
        "result": result,
        "error": error,
        "seconds": round(time.perf_counter() - start, 6),
        "environment": environment(),
    }


def environment():
    """Where a result comes from: versions, processor, current numbers of threads, git commit."""
    return _machine_and_versions() | {"threads": _threads()}


def freeze_records(name, version, records):
    """Text of the frozen file, whatever the order of `records`: environments, and tables of rows with the same keys.

    A table names the keys once, each by its path through the nested dicts. A row has the number of its environment.
    """
    records = sorted(records, key=lambda record: canonical_json(record["config"]))
    environments = sorted({canonical_json(record["environment"]) for record in records})
    tables = {}
    for record in records:
        row = {field: record[field] for field in ("config", "result", "seconds")}
        row["environment"] = environments.index(canonical_json(record["environment"]))
        values = dict(leaves(row))
        tables.setdefault(tuple(values), []).append(canonical_json(list(values.values())))
    head = canonical_json({"experiment": name, "version": version})[:-1]
    texts = [f'{{"columns":{canonical_json(columns)},\n"rows":{_lines(rows)}}}' for columns, rows in tables.items()]
    return f'{head},\n"environments":{_lines(environments)},\n"tables":{_lines(texts)}}}\n'


def _lines(texts):
    """JSON list of values that are JSON texts, each on a line of its own."""
    return "[\n" + ",\n".join(texts) + "\n]"


def load_frozen(path):
    """Content of a frozen file: `experiment`, `version` and `rows`, each row with its environment."""
    try:
        return _thaw(json.loads(Path(path).read_bytes()))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged or not a file of frozen records: {error!r}.") from error


def _thaw(content):
    """Content of a frozen file with the rows of all its tables as nested dicts."""
    environments = content.pop("environments")
    content["rows"] = [
        _nested(zip(table["columns"], values, strict=True))
        for table in content.pop("tables")
        for values in table["rows"]
    ]
    for row in content["rows"]:
        row["environment"] = environments[row["environment"]]
    return content


def leaves(value, path=()):
    """Yield (path, value) of every value that is not a dict or is an empty one, in a fixed order."""
    if not isinstance(value, dict) or not value:
        yield path, value
        return
    for key in sorted(value):
        yield from leaves(value[key], (*path, key))


def _nested(pairs):
    """Nested dict with these (path, value) pairs."""
    root = {}
    for path, value in pairs:
        place = root
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
    return root


def _plain(value):
    """A value as JSON reads it back."""
    return json.loads(json.dumps(value, allow_nan=False))


def _parse(text):
    """The record that a text holds, None if it holds none."""
    try:
        record = json.loads(text)
        canonical_json(record)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    # The oldest records have no checksum.
    intact = "checksum" not in record or record.pop("checksum") == _sha256(record)
    valid = intact and record.keys() == FIELDS and record["status"] in ("done", "error")
    return record if valid else None


def _sha256(value):
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@functools.cache
def _machine_and_versions():
    """The part of the environment that stays the same while the process lives."""
    return {
        "python": platform.python_version(),
        **{name: installed_version(name) for name in PACKAGES},
        "robust_eac": __version__,
        "cpu": _cpu_model(),
        "cores": joblib.cpu_count(),
        "git": _git_state(),
    }


def _threads():
    """Numbers of threads that BLAS, OpenMP and numba may use now; 1 if no such library is loaded."""
    pools = threadpool_info()
    loaded = {
        api: max((pool["num_threads"] for pool in pools if pool["user_api"] == api), default=1)
        for api in ("blas", "openmp")
    }
    return loaded | {"numba": numba.get_num_threads()}


def _cpu_model():
    """Name of the processor, or of its architecture if the system does not give it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _git_state():
    """Commit of the project's repository and whether files differ from it; None outside a repository."""
    top, commit = _git("rev-parse", "--show-toplevel"), _git("rev-parse", "HEAD")
    # The sources may lie inside another repository, whose commit says nothing about them.
    if commit is None or top is None or Path(top).resolve() != PROJECT:
        return None
    beside = [f":!paper_figures/{folder}" for folder in ("data", "images")]
    return {
        "commit": commit,
        "dirty": _git("status", "--porcelain") != "",
        # Without frozen records and images, on which no result depends.
        "sources_dirty": _git("status", "--porcelain", "--", ".", *beside) != "",
    }


def from_commit(record):
    """Whether a record's sources were those of its commit; an old record tells of all files only."""
    git = record["environment"]["git"]
    return git is not None and not git.get("sources_dirty", git["dirty"])


def _git(*arguments):
    """Output of a git command in the project's folder, None if it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(PROJECT), *arguments], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
