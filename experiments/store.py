"""Cells and records: one configuration of an experiment is one cell, and one cell is one JSON file."""

import functools
import hashlib
import json
import platform
import subprocess
import time
import traceback
import warnings
import zlib
from importlib.metadata import version as installed_version
from pathlib import Path

import joblib
import numba
import numpy as np
from threadpoolctl import threadpool_info

from robust_eac import __version__
from robust_eac._whole_files import write_files

PROJECT = Path(__file__).resolve().parent.parent
RECORDS = PROJECT / "experiments" / "records"
COMPONENTS = ("data", "ensemble", "corruption", "solver")
FIELDS = {"experiment", "version", "config", "status", "result", "error", "seconds", "environment"}
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


def derive_seed(base, repetition, component):
    """Seed of one component of a cell, so that changing the method never changes the ensemble.

    Parameters
    ----------
    base, repetition : int, non-negative
    component : {"data", "ensemble", "corruption", "solver"}
    """
    if component not in COMPONENTS:
        raise ValueError(f"component must be one of {', '.join(COMPONENTS)}, got {component!r}.")
    sequence = np.random.SeedSequence([base, repetition, zlib.crc32(component.encode())])
    return int(sequence.generate_state(1)[0])


def canonical_json(value):
    """JSON text that is equal for equal values; NaN and infinity raise ValueError."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def cell_key(name, version, config):
    """Hexadecimal sha256 that identifies one cell."""
    return hashlib.sha256(canonical_json([name, version, config]).encode()).hexdigest()


def record_path(name, version, config, root=RECORDS):
    """File that holds the record of one cell."""
    return Path(root) / name / f"{cell_key(name, version, config)}.json"


def write_whole(path, text):
    """Write a text file and the folders above it; a reader sees all of it or what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_files({path: lambda handle: handle.write(text.encode())})


def save_record(record, root=RECORDS):
    """Write a record, with a checksum of its content, and return its path."""
    path = record_path(record["experiment"], record["version"], record["config"], root)
    write_whole(path, json.dumps(record | {"checksum": _checksum(record)}, allow_nan=False, indent=1) + "\n")
    return path


def load_record(name, version, config, root=RECORDS):
    """Record of one cell, or None when there is none; an unreadable one warns and counts as none."""
    path = record_path(name, version, config, root)
    try:
        record = _parse(path.read_bytes())
    except FileNotFoundError:
        return None
    # The content must hash to its file name: a file copied or edited by hand is not this cell's record.
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
    """A result without what the load of the machine changes: all that is named "...seconds" or "...bytes"."""
    if isinstance(result, dict):
        return {
            key: without_measurements(value) for key, value in result.items() if not key.endswith(("seconds", "bytes"))
        }
    return [without_measurements(value) for value in result] if isinstance(result, list) else result


def is_done(record):
    """Whether a record (or None) holds a result."""
    return record is not None and record["status"] == "done"


def run_cell(name, version, run_one, config):
    """Run one cell and return its record; an exception becomes a record with status "error".

    The result is passed through JSON, so that a fresh record equals the one read back later, and a result
    that JSON cannot hold (NaN, infinity, arrays) is an error.
    """
    result, error = None, None
    # Copies: a cell that changes its arguments must not change what it is filed under.
    arguments = _plain(config)
    start = time.perf_counter()
    try:
        result = _plain_dict(run_one(**arguments))
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
    """Provenance of a result: versions, processor, threads in force now, git commit."""
    return _machine_and_versions() | {"threads": _threads()}


def freeze_records(name, version, records):
    """Text of the frozen file: one row per line, independent of the order of `records`.

    Rows with the same keys make a table that names them once, each by its path through the nested dicts; a row gives
    its environment by the position in the list of the distinct ones.
    """
    records = sorted(records, key=lambda record: canonical_json(record["config"]))
    environments = sorted({canonical_json(record["environment"]) for record in records})
    tables = {}
    for record in records:
        row = {field: record[field] for field in ("config", "result", "seconds")}
        row["environment"] = environments.index(canonical_json(record["environment"]))
        leaves = dict(_leaves(row))
        tables.setdefault(tuple(leaves), []).append(canonical_json(list(leaves.values())))
    head = canonical_json({"experiment": name, "version": version})
    texts = [
        f'{{"columns":{canonical_json(columns)},\n"rows":[\n' + ",\n".join(rows) + "\n]}"
        for columns, rows in tables.items()
    ]
    return (
        f'{head[:-1]},\n"environments":[\n'
        + ",\n".join(environments)
        + '\n],\n"tables":[\n'
        + ",\n".join(texts)
        + "\n]}\n"
    )


def load_frozen(path):
    """Content of a frozen file: `experiment`, `version` and `rows`, each row with its environment."""
    try:
        return _thaw(json.loads(Path(path).read_bytes()))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged or no file of frozen records: {error!r}.") from error


def _thaw(content):
    """The content of a frozen file with its tables unfolded."""
    environments = content.pop("environments")
    content["rows"] = [
        _nested(zip(table["columns"], values, strict=True))
        for table in content.pop("tables")
        for values in table["rows"]
    ]
    for row in content["rows"]:
        row["environment"] = environments[row["environment"]]
    return content


def _leaves(value, path=()):
    """(path, value) of everything that is not itself a dict with entries, in a fixed order."""
    if not isinstance(value, dict) or not value:
        yield path, value
        return
    for key in sorted(value):
        yield from _leaves(value[key], (*path, key))


def _nested(leaves):
    """The dict with these (path, value) pairs."""
    root = {}
    for path, value in leaves:
        place = root
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
    return root


def _plain(value):
    """The value as it will be read back from JSON."""
    return json.loads(json.dumps(value, allow_nan=False))


def _plain_dict(result):
    """A cell's result as it will be read back."""
    if not isinstance(result, dict):
        raise TypeError(f"run_one must return a dict, got {type(result).__name__}.")
    return _plain(result)


def _parse(text):
    """Record in a text, or None when it is not one."""
    try:
        record = json.loads(text)
        canonical_json(record)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    # Records older than the checksums have none.
    intact = "checksum" not in record or record.pop("checksum") == _checksum(record)
    valid = intact and record.keys() == FIELDS and record["status"] in ("done", "error")
    return record if valid else None


def _checksum(record):
    """Hexadecimal sha256 of what a record holds."""
    return hashlib.sha256(canonical_json(record).encode()).hexdigest()


@functools.cache
def _machine_and_versions():
    """What does not change while a process lives."""
    return {
        "python": platform.python_version(),
        **{name: installed_version(name) for name in PACKAGES},
        "robust_eac": __version__,
        "cpu": _cpu_model(),
        "cores": joblib.cpu_count(),
        "git": _git_state(),
    }


def _threads():
    """Threads that BLAS, OpenMP and numba may use now; 1 where no such library is loaded."""
    pools = threadpool_info()
    loaded = {
        api: max((pool["num_threads"] for pool in pools if pool["user_api"] == api), default=1)
        for api in ("blas", "openmp")
    }
    return loaded | {"numba": numba.get_num_threads()}


def _cpu_model():
    """Name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _git_state():
    """Commit and dirty flag of the project's own repository, or None without one."""
    top, commit = _git("rev-parse", "--show-toplevel"), _git("rev-parse", "HEAD")
    # Sources unpacked inside some other repository must not carry that one's commit.
    if commit is None or top is None or Path(top).resolve() != PROJECT:
        return None
    return {"commit": commit, "dirty": _git("status", "--porcelain") != ""}


def _git(*arguments):
    """Output of a git command in the project's folder, or None when it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(PROJECT), *arguments], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
