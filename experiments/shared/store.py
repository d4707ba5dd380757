"""Cells and records: one configuration of an experiment is one cell, and its record a line of the experiment's file."""

import functools
import itertools
import json
import math
import platform
import subprocess
import time
import traceback
import zlib
from collections import Counter
from contextlib import suppress
from importlib.metadata import version as installed_version
from pathlib import Path

import joblib
import numpy as np

from robust_eac import __version__
from robust_eac.common import write_files

PROJECT = Path(__file__).resolve().parents[2]
RECORDS = PROJECT / "experiments" / "records"
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
# Raise by hand where results of the solvers move, and make the records anew; those before the first number have none.
SOLVER = 3
# Names of entries that differ from run to run, or from one machine to another, contain one of these words.
MEASUREMENTS = {"seconds", "bytes", "version"}
# Value of an entry "stopped" in the result of a cell whose package is missing here.
NOT_INSTALLED = "not installed"
# Names of entries that a solver minimises, and the optimality gap that it reaches at least.
MINIMISED = {"objective", "loss", "gap"}
GAP = 1e-5
# Share of the numbers of a cell, what is minimised aside, that may lie outside their range by chance.
OUTSIDE = 0.05
# Names of entries that count the steps of a solver, which are no results.
STEPS = {"n_iter", "passes", "moves"}
# Name of an entry with the checksum of base clusterings.
ENSEMBLE = "ensemble"


def grid(**axes):
    """All combinations of the values of the axes as configurations; the last axis varies fastest."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def derive_seed(base, repetition, component):
    """Seed of "data", "ensemble", "corruption" or "solver" of a cell: another method sees the same ensemble."""
    return int(np.random.SeedSequence([base, repetition, zlib.crc32(component.encode())]).generate_state(1)[0])


def canonical_json(value):
    """JSON text, the same for equal values; ValueError for NaN and infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(labels):
    """Checksum of base clusterings, by which `verify` tells whether a cell has the same ones."""
    return zlib.crc32(np.ascontiguousarray(labels, dtype=np.int32))


# One cell


def record_file(name, root=RECORDS):
    """File of the records of an experiment."""
    return Path(root) / f"{name}.jsonl"


def write_whole(path, text):
    """Write a text file and make its folders; a reader finds either the old file or the whole new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_files({path: lambda handle: handle.write(text.encode())})


def run_cell(name, version, run_one, config):
    """Run one cell and return its record; an exception, or a result that JSON cannot hold, has the status "error"."""
    result, error = None, None
    start = time.perf_counter()
    try:
        # The cell gets a copy of its configuration, and the result is what JSON reads back.
        result = _plain(run_one(**_plain(config)))
        if not isinstance(result, dict):
            raise TypeError(f"run_one must return a dict, got {type(result).__name__}.")
    except Exception:
        result, error = None, traceback.format_exc()
    record = {"experiment": name, "version": version, "config": _plain(config)}
    record |= {"status": "done" if error is None else "error", "result": result, "error": error}
    return record | {"seconds": round(time.perf_counter() - start, 6), "environment": environment()}


def save_record(record, root=RECORDS):
    """Append a record to the file of its experiment."""
    path = record_file(record["experiment"], root)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        # The line before may be torn, if its process was killed; by one write, lines of two runs do not mix.
        file.write(f"\n{json.dumps(record, allow_nan=False)}".encode())


def load_records(name, version, root=RECORDS):
    """{configuration as text: the last record of this cell}; torn lines are left out."""
    path, found = record_file(name, root), {}
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        with suppress(ValueError):
            record = json.loads(line)
            if record["version"] == version:
                found[canonical_json(record["config"])] = record
    return found


def is_done(record):
    """Whether a record (or None) holds a result."""
    return record is not None and record["status"] == "done"


def missing_data(record):
    """The message of a failed cell whose data set is not available here; "" for any other."""
    return "".join((record["error"] or "").partition("FileNotFoundError: Data set ")[1:]).rstrip()


# Comparison of results


def changes(result, frozen):
    """{name: largest absolute difference} of the numbers that differ between two results, measurements aside.

    The difference is infinite where results differ otherwise: in a text or checksum, or in an entry that one lacks.
    """
    found, now, before = Counter(), _by_names(result), _by_names(frozen)
    for names in now.keys() | before.keys():
        for value, old in itertools.zip_longest(now.get(names, []), before.get(names, [])):
            numbers = all(isinstance(one, int | float) for one in (value, old)) and names[-1:] != (ENSEMBLE,)
            difference = abs(value - old) if numbers else math.inf
            found |= Counter({names[-1] if names else "": difference} if value != old else {})
    return found


def judge(result, frozen, repetitions):
    """Verdict on a result, given the frozen one and those of all repetitions of the cell, which draw their own seeds.

    Rounding on another processor may lead to another minimum. What is minimised may then exceed the frozen value by the
    optimality gap, and any other number may differ by its range over the repetitions; of n numbers in a list, the mean
    may differ by their range over sqrt(n). Rounding may also change base clusterings: unless entries ENSEMBLE, their
    checksums, are there and equal, twice as much is allowed. If they differ, what is minimised is judged like other
    numbers. STEPS are not judged. Few repetitions give a poor range: of 20 other numbers, one may lie outside.
    """
    gap = max([GAP, *(value for path, value in leaves(frozen, lists=True) if _names(path)[-1:] == ("gap",))])
    repeated, now, before = _by_names(*repetitions), _by_names(result), _by_names(frozen)
    same = {now[names] == before.get(names) for names in now if names[-1:] == (ENSEMBLE,)}
    other_ensemble, share = False in same, 1.0 if same == {True} else 2.0
    changed = [names for names in now.keys() | before.keys() if now.get(names) != before.get(names)]
    outside = 0
    for names in changed:
        if names[-1] in {ENSEMBLE, *STEPS}:
            continue
        values, old = now.get(names, []), before.get(names, [])
        if len(values) != len(old) or not all(isinstance(value, int | float) for value in [*values, *old]):
            return "differs"
        if names[-1] in MINIMISED and not other_ensemble:
            if any(value - least > gap * max(1.0, abs(least)) for value, least in zip(values, old, strict=True)):
                return "differs"
        else:
            allowed = share * np.ptp(np.array(repeated[names], dtype=float)) / len(old) ** 0.5
            outside += not abs(np.mean(values) - np.mean(old)) <= allowed
    if outside > OUTSIDE * sum(names[-1] not in {ENSEMBLE, *STEPS, *MINIMISED} for names in before):
        return "differs"
    if not changed:
        return "as frozen"
    return f"another {'ensemble' if other_ensemble else 'minimum'}, as good"


def _by_names(*results):
    """{names: values} of all entries of some results that are no measurements."""
    found = {}
    for one in results:
        for path, value in leaves(one, lists=True):
            names = _names(path)
            if not any(MEASUREMENTS & {*name.split("_")} for name in names):
                found.setdefault(names, []).append(value)
    return found


def _names(path):
    """The keys of a path without positions in lists."""
    return tuple(key for key in path if isinstance(key, str))


def leaves(value, path=(), *, lists=False):
    """Yield (path, value) of every value in nested dicts, in a fixed order; with `lists`, also of those in lists.

    An empty dict is a value itself.
    """
    if isinstance(value, dict) and value:
        inside = sorted(value.items())
    elif lists and isinstance(value, list) and value:
        inside = enumerate(value)
    else:
        yield path, value
        return
    for key, one in inside:
        yield from leaves(one, (*path, key), lists=lists)


# Frozen records


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
    content = json.loads(Path(path).read_bytes())
    environments, tables = content.pop("environments"), content.pop("tables")
    rows = [_nested(zip(table["columns"], row, strict=True)) for table in tables for row in table["rows"]]
    return content | {"rows": [row | {"environment": environments[row["environment"]]} for row in rows]}


def _nested(pairs):
    """Nested dict with these (path, value) pairs."""
    root = {}
    for path, value in pairs:
        place = root
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = value
    return root


# Provenance


@functools.cache
def environment():
    """Versions, processor and git commit of this process."""
    packages = {name: installed_version(name) for name in PACKAGES}
    here = {"cpu": _cpu_model(), "cores": joblib.cpu_count(), "git": _git_state()}
    return {"python": platform.python_version(), **packages, "robust_eac": __version__, "solver": SOLVER, **here}


def _cpu_model():
    """Name of the processor, or of its architecture where the system does not give it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _git_state():
    """Commit of the project's repository, and whether source files differ from it; None outside a repository."""
    # The sources may lie inside another repository, whose commit says nothing about them.
    if not (PROJECT / ".git").exists():
        return None
    # No result depends on frozen records and images.
    beside = [f":!paper_figures/{folder}" for folder in ("data", "images")]
    try:
        commit, status = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", ".", *beside)
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "sources_dirty": status != ""}


def _git(*arguments):
    """Output of a git command in the project's folder."""
    return subprocess.run(["git", "-C", PROJECT, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def from_commit(record):
    """Whether a record was made by committed sources."""
    git = record["environment"]["git"]
    return git is not None and not git["sources_dirty"]


def _plain(value):
    """A value as JSON reads it back."""
    return json.loads(json.dumps(value, allow_nan=False))
