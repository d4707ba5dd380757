"""Run experiments, also with your own data, settings and weightings; store, freeze and verify their records."""

import argparse
import inspect
import random
import sys
from collections import Counter
from concurrent.futures import BrokenExecutor
from pathlib import Path

from robust_eac.wording import counted

from .shared import store
from .shared.runner import complete_records, experiment_modules, fail, run_here, run_task, task_records
from .shared.runs import begin_run, continue_run, described, find_task, read_parameters, run_names

FROZEN = store.PROJECT / "paper_figures" / "data"


def main(argv=None):
    """Run one command; the exit code is 0 if all cells are done, 1 if some are not, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        return arguments.function(arguments)
    except ValueError as error:
        return fail(error, 2)
    except OSError as error:
        return fail(error, 1)
    except BrokenExecutor as error:
        return fail(f"a worker died; finished cells are kept: {error}", 1)
    except KeyboardInterrupt:
        return fail("interrupted; finished cells are kept, and the same command continues", 130)


def _list(arguments):
    for name in (*experiment_modules(), *run_names()):
        task = find_task(name)
        summary = f"a run of {task.name}" if task.run else task.experiment.__doc__.partition("\n")[0]
        print(f"{name:24} {len(task.cells):5} cells  {summary}")
    return 0


def _parameters(arguments):
    experiment = find_task(arguments.name, root=arguments.records).experiment
    print(f"{arguments.name}, as --set takes it:", *described(experiment), sep="\n")
    print(inspect.getdoc(experiment.cells) or "")
    return 0


def _run(arguments):
    task = _task(arguments)
    if arguments.set or arguments.as_run:
        if task.run or arguments.smoke or arguments.as_run is None:
            raise ValueError("--set begins a run of an experiment with --name, under which its records are filed.")
        parameters = read_parameters(task.experiment, arguments.set)
        task = begin_run(arguments.as_run, task.experiment, parameters, arguments.records)
    elif task.run:
        task = continue_run(task)
    return _report(task, run_task(task, n_jobs=arguments.n_jobs, force=arguments.force, progress=True))


def _status(arguments):
    task = _task(arguments)
    return _report(task, task_records(task))


def _freeze(arguments):
    task = _task(arguments)
    output, records = arguments.output or _frozen_file(task), complete_records(task)
    if output.parent == FROZEN and (task.smoke or not all(map(store.from_commit, records))):
        raise ValueError(f"{output} holds all cells, run by committed sources: commit, run --force; or use --output.")
    store.write_whole(output, store.freeze_records(task.name, task.experiment.VERSION, records))
    print(output)
    return 0


def _verify(arguments):
    """Run some frozen cells again and store.judge: rounding on another machine may lead to another minimum."""
    task = _task(arguments)
    if task.run:
        continue_run(task)
    frozen, version = store.load_frozen(arguments.frozen or _frozen_file(task)), task.experiment.VERSION
    if frozen["version"] != version:
        raise ValueError(f"the frozen file holds version {frozen['version']}, the code is version {version}.")
    rows = random.Random(arguments.seed).sample(frozen["rows"], min(arguments.cells, len(frozen["rows"])))
    verdicts = Counter()
    for row, record in zip(rows, run_here(task.experiment, [row["config"] for row in rows]), strict=True):
        verdict = _judge(record, row, frozen["rows"])
        if not store.is_done(record):
            print(_error_of(record), file=sys.stderr)
        verdicts[verdict] += 1
        print(f"{verdict}: {store.canonical_json(row['config'])}")
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.items()))
    print(f"{arguments.name}, {counted(len(rows), 'cell')}: {counts}")
    wrong = verdicts["failed"] + verdicts["differs"]
    return 0 if 0 == wrong < len(rows) - verdicts[_ABSENT] else 1


_ABSENT = "not available here"


def _judge(record, row, rows):
    """Verdict on a cell that was run again."""
    if not store.is_done(record):
        return _ABSENT if store.missing_data(record) else "failed"
    if record["result"].get("stopped") == store.NOT_INSTALLED:
        return _ABSENT
    cell = row["config"] | {"repetition": None}
    repetitions = [other["result"] for other in rows if other["config"] | {"repetition": None} == cell]
    return store.judge(record["result"], row["result"], repetitions)


def _error_of(record):
    """The traceback of a failed cell; where its data set is not available here, the message alone."""
    return store.missing_data(record) or record["error"].rstrip()


def _task(arguments):
    return find_task(arguments.name, smoke=getattr(arguments, "smoke", False), root=arguments.records)


def _frozen_file(task):
    return task.root / "frozen.json" if task.run else FROZEN / f"{task.name}.json"


def _report(task, records):
    """Print the numbers of cells and the tracebacks of the first failures; return the exit code."""
    n_done = sum(map(store.is_done, records))
    failed = [record for record in records if record is not None and not store.is_done(record)]
    missing = len(records) - n_done - len(failed)
    print(f"{task.run or task.name}: {n_done} done, {len(failed)} failed, {missing} missing of {len(records)} cells")
    for record in failed[:5]:
        print(f"failed: {store.canonical_json(record['config'])}\n{_error_of(record)}", file=sys.stderr)
    return 0 if n_done == len(records) else 1


def _parser():
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    def add(command, function, text, *, named=True, smoke=True):
        sub = commands.add_parser(command, help=text)
        sub.set_defaults(function=function)
        if named:
            sub.add_argument("name", metavar="NAME", help="name of the experiment, or of a run")
            sub.add_argument("--records", type=Path, default=store.RECORDS, metavar="DIR", help="folder of the records")
        if smoke:
            sub.add_argument("--smoke", action="store_true", help="use the small grid, which takes seconds")
        return sub

    add("list", _list, "list experiments and named runs: number of cells, purpose", named=False, smoke=False)
    add("parameters", _parameters, "list what run --set can change in an experiment", smoke=False)
    add("status", _status, "count the cells that are done, failed or missing")
    run = add("run", _run, "run the cells that are not done yet")
    text = "begin a run with these parameters (see the command parameters)"
    run.add_argument("--set", nargs="+", action="extend", default=[], metavar="PARAMETER=VALUES", help=text)
    run.add_argument("--name", dest="as_run", metavar="RUN", help="name of the run, which all commands take")
    run.add_argument("--force", action="store_true", help="also run the cells that are done")
    text = "number of processes; -1 (default): one per core"
    run.add_argument("--n-jobs", type=int, default=-1, metavar="N", help=text)
    default = "default: paper_figures/data/NAME.json, for a run frozen.json beside its records"
    freeze = add("freeze", _freeze, "write all records to one file, from which figures are drawn")
    freeze.add_argument("--output", type=Path, metavar="FILE", help=f"file to write; {default}")
    verify = add("verify", _verify, "run some cells of the frozen file again and compare the results", smoke=False)
    verify.add_argument("--cells", type=int, default=5, metavar="N", help="number of cells, drawn at random")
    verify.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the draw (default: 0)")
    verify.add_argument("--frozen", type=Path, metavar="FILE", help=f"frozen file; {default}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
