"""Run experiments, also with your own data, settings and weightings; store, freeze and verify their records."""

import argparse
import inspect
import math
import random
import sys
from collections import Counter
from concurrent.futures import BrokenExecutor
from pathlib import Path

from .shared.named import begin_run, check_files, find_experiment, run_names
from .shared.parameters import described, read_parameters
from .shared.runner import (
    experiment_grid,
    experiment_modules,
    experiment_name,
    experiment_records,
    freeze_experiment,
    load_experiment,
    run_cells_here,
    run_experiment,
)
from .shared.store import PROJECT, RECORDS, canonical_json, changes, from_commit, is_done, load_frozen, write_whole

FROZEN = PROJECT / "paper_figures" / "data"


def main(argv=None):
    """Run one command; the exit code is 0 if all cells are done, 1 if some are not, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        if "name" not in arguments:
            return arguments.function(arguments)
        # The folder of the records of a run has its name.
        experiment, arguments.records = find_experiment(arguments.name, arguments.records)
        if hasattr(experiment, "run_name") and getattr(arguments, "smoke", False):
            raise ValueError(f"{arguments.name} is a run with cells of its own: no --smoke.")
        return arguments.function(experiment, arguments)
    except ValueError as error:
        return _fail(error, 2)
    except OSError as error:
        return _fail(error, 1)
    except BrokenExecutor as error:
        return _fail(f"a worker died; finished cells are kept: {error}", 1)
    except KeyboardInterrupt:
        return _fail("interrupted; finished cells are kept, and the same command continues", 130)


def _reproduce(arguments):
    # It draws too; the other commands need none of what that takes.
    from .reproduce import reproduce

    return reproduce(arguments)


def _list(arguments):
    for name in experiment_modules():
        experiment = load_experiment(name)
        summary = (experiment.__doc__ or "").strip().partition("\n")[0]
        print(f"{name:24} {len(experiment_grid(experiment)):5} cells  {summary}")
    for name in run_names():
        experiment, _ = find_experiment(name)
        print(f"{name:24} {len(experiment.GRID):5} cells  a run of {experiment_name(experiment)}")
    return 0


def _parameters(experiment, arguments):
    about = inspect.getdoc(experiment.cells)
    print("\n".join([f"{arguments.name}, as --set takes it:", *described(experiment), *([about] if about else [])]))
    return 0


def _run(experiment, arguments):
    if arguments.set or arguments.as_run:
        if arguments.smoke or hasattr(experiment, "run_name"):
            raise ValueError("--set and --name begin a run of an experiment: give the name of one, and no --smoke.")
        if arguments.as_run is None:
            raise ValueError("--set needs --name: records of other cells are filed under a name of their own.")
        parameters = read_parameters(experiment, arguments.set)
        arguments.name = arguments.as_run
        experiment, arguments.records = begin_run(arguments.name, experiment, parameters, arguments.records)
    elif hasattr(experiment, "run_name"):
        check_files(arguments.records)
    records = run_experiment(
        experiment,
        smoke=arguments.smoke,
        n_jobs=arguments.n_jobs,
        dask=arguments.dask,
        force=arguments.force,
        root=arguments.records,
        progress=True,
    )
    return _report(arguments.name, experiment_grid(experiment, arguments.smoke), records)


def _status(experiment, arguments):
    grid = experiment_grid(experiment, arguments.smoke)
    return _report(arguments.name, grid, experiment_records(experiment, arguments.smoke, arguments.records))


def _freeze(experiment, arguments):
    if arguments.smoke and arguments.output is None:
        return _fail("freeze --smoke needs --output: the default file holds the full grid", 2)
    output = arguments.output or _frozen_file(experiment, arguments)
    try:
        text = freeze_experiment(experiment, smoke=arguments.smoke, root=arguments.records)
        if arguments.output is None and not hasattr(experiment, "run_name"):
            records = experiment_records(experiment, arguments.smoke, arguments.records)
            if changed := sum(not from_commit(record) for record in records):
                raise ValueError(
                    f"{changed} of {len(records)} records are of files that differed from a commit: commit, run with "
                    "--force, and freeze; or freeze to another file with --output."
                )
    except ValueError as error:
        return _fail(error, 1)
    write_whole(output, text)
    print(output)
    return 0


def _frozen_file(experiment, arguments):
    """Where the frozen records of an experiment are, and those of a run."""
    return arguments.records / "frozen.json" if hasattr(experiment, "run_name") else FROZEN / f"{arguments.name}.json"


def _verify(experiment, arguments):
    """Run some frozen cells again and compare; another machine or version may round differently."""
    path = arguments.frozen or _frozen_file(experiment, arguments)
    if not path.is_file():
        return _fail(f"there is no frozen file {path}; run first: python -m experiments freeze {arguments.name}", 1)
    if hasattr(experiment, "run_name"):
        check_files(arguments.records)
    frozen = load_frozen(path)
    if frozen["version"] != experiment.VERSION:
        return _fail(f"the frozen file holds version {frozen['version']}, the code is version {experiment.VERSION}", 1)
    rows = random.Random(arguments.seed).sample(frozen["rows"], min(arguments.cells, len(frozen["rows"])))
    different, largest = 0, Counter()
    for row in rows:
        record = run_cells_here(experiment, [row["config"]])[0]
        found = changes(record["result"], row["result"]) if is_done(record) else Counter()
        verdict = "FAILED" if not is_done(record) else "DIFFERENT" if found else "same"
        different += verdict != "same"
        largest |= found
        print(f"{verdict}: {canonical_json(row['config'])}")
        if not is_done(record):
            print(record["error"].rstrip(), file=sys.stderr)
    if different:
        numbers = ", ".join(f"{name} {value:.2g}" for name, value in sorted(largest.items()) if value < math.inf)
        print(f"largest differences of numbers: {numbers or 'none'}")
    print(f"{arguments.name}: {len(rows) - different} of {len(rows)} cells as frozen")
    return 0 if different == 0 else 1


def _report(name, grid, records):
    """Print the numbers of cells and the tracebacks of the first failures; return the exit code."""
    done = sum(is_done(record) for record in records)
    failed = [record for record in records if record is not None and not is_done(record)]
    missing = len(grid) - done - len(failed)
    print(f"{name}: {done} done, {len(failed)} failed, {missing} missing of {len(grid)} cells")
    for record in failed[:5]:
        print(f"failed: {canonical_json(record['config'])}\n{record['error'].rstrip()}", file=sys.stderr)
    if len(failed) > 5:
        print(f"... and {len(failed) - 5} more failed", file=sys.stderr)
    return 0 if done == len(grid) else 1


def _fail(message, code):
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    return code


def _parser():
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    named, smoke, jobs = (argparse.ArgumentParser(add_help=False) for _ in range(3))
    named.add_argument("name", metavar="NAME", help="name of the experiment, or of a run")
    named.add_argument("--records", type=Path, default=RECORDS, metavar="DIR", help="folder of the records")
    smoke.add_argument("--smoke", action="store_true", help="use the small grid, which takes seconds")
    jobs.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="processes; -1 (default): one per core")
    default = "default: paper_figures/data/NAME.json, of a run frozen.json beside its records"

    def add(command, function, text, *parents):
        sub = commands.add_parser(command, help=text, parents=parents)
        sub.set_defaults(function=function)
        return sub.add_argument

    add("list", _list, "list the experiments and the runs with a name: number of cells, purpose")
    option = add(
        "reproduce",
        _reproduce,
        "run all experiments of the papers, draw everything from their records, and compare with the frozen ones",
        *(smoke, jobs),
    )
    option("--paper", action="append", default=[], metavar="NUMBER", help="000 to 004, may be repeated; default: all")
    where = "folder to write to; default: reproduced, or reproduced-smoke, in paper_figures/out"
    option("--output", type=Path, metavar="DIR", help=where)
    option("--freeze", action="store_true", help="also replace the frozen files of the project")
    add("parameters", _parameters, "tell what an experiment can be asked for with run --set", named)
    option = add("run", _run, "run the cells that are not done yet", named, smoke, jobs)
    other = "other cells than the default ones, with --name: see the command parameters"
    option("--set", nargs="+", action="extend", default=[], metavar="PARAMETER=VALUES", help=other)
    filed = "file the records under this name, which all commands take"
    option("--name", dest="as_run", metavar="RUN", help=filed)
    option("--dask", metavar="ADDRESS", help="run on the workers of this Dask scheduler")
    option("--force", action="store_true", help="also run the cells that are done")
    add("status", _status, "count the cells that are done, failed or missing", named, smoke)
    option = add("freeze", _freeze, "write all records to one file, which the figures read", named, smoke)
    option("--output", type=Path, metavar="FILE", help=f"file to write; {default}")
    option = add("verify", _verify, "run some cells of the frozen file again and compare the results", named)
    option("--cells", type=_positive, default=5, metavar="N", help="how many, drawn at random (default: 5)")
    option("--seed", type=int, default=0, metavar="S", help="seed of the draw (default: 0)")
    option("--frozen", type=Path, metavar="FILE", help=f"frozen file; {default}")
    return parser


def _positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("must be positive")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
