"""The reproduction of the papers by one command: records, drawings, report, and what has changed."""

import functools
import operator
import time
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO

from paper_figures import __main__ as figures
from paper_figures import records as sources
from paper_figures import topics
from paper_figures.markdown import table

from .shared.data import absent_data, without_data
from .shared.runner import experiment_task, load_experiment, run_task, task_records
from .shared.store import canonical_json, changes, is_done, missing_data

# Share by which rounding on another machine may change a number.
ROUNDING = 1e-9


def reproduce(arguments):
    """Run, draw and compare; exit code 1 if cells failed, or a drawing of full grids of all data could not be made."""
    start, smoke = time.perf_counter(), arguments.smoke
    output = arguments.output or sources.FOLDER / "out" / ("reproduced-smoke" if smoke else "reproduced")
    papers = select_papers(arguments.paper)
    names = experiments_of(papers)
    tasks = [experiment_task(load_experiment(name), smoke=smoke, root=output / "records") for name in names]
    absent = absent_data([config for task in tasks for config in task.cells])
    for name, reason in absent.items():
        print(f"{name} is left out of every experiment: {reason}.")
    tasks = [without_data(task, absent) for task in tasks]
    n_failed = sum(_run(task, arguments.n_jobs) for task in tasks)
    source = {"smoke": smoke, "root": output / "records", "without": tuple(absent)}
    lacking = f"without {', '.join(absent)}" if absent else "from the small grids"
    other = f"cannot be had {lacking}" if absent or smoke else None
    undrawn = _draw(papers, other, output, source)
    head = "experiment | cells | minutes | cells that differ | largest differences"
    print(f"\n{table(head, map(_compared, tasks))}\n")
    minutes = (time.perf_counter() - start) / 60
    print(f"{output / 'report.html'}: {n_failed} cells failed; {minutes:.1f} minutes in all.")
    return 1 if n_failed or (undrawn and other is None) else 0


def select_papers(numbers):
    """The papers with these numbers, all if there are none; ValueError with the known ones."""
    known = {paper.label.rpartition(" ")[2]: paper for paper in topics.PAPERS}
    for number in numbers:
        if number not in known:
            raise ValueError(f"--paper must be of {', '.join(known)}, got {number!r}.")
    return [paper for number, paper in known.items() if not numbers or number in numbers]


def experiments_of(papers):
    """Names of the experiments that the drawings of papers need, sorted."""
    names = set()
    for drawing in (drawing for paper in papers for drawing in paper.drawings):
        names |= {drawing.experiments} if isinstance(drawing.experiments, str) else {*drawing.experiments}
    return sorted(names)


def _run(task, n_jobs):
    """Run the missing cells, print which of them fail, and return their number."""
    failures = [record for record in run_task(task, n_jobs=n_jobs, progress=True) if not is_done(record)]
    for record in failures:
        cause = missing_data(record) or record["error"].rstrip().splitlines()[-1]
        print(f"failed: {task.name} {canonical_json(record['config'])}: {cause}", flush=True)
    return len(failures)


def _draw(papers, other, output, source):
    """Draw the figures and tables of the papers, and the report; return the exit code."""
    # Tables are printed as they are drawn; here they are in the report.
    with redirect_stdout(StringIO()):
        return figures.draw_all(figures.select_drawings([], papers), papers, output, other, **source)


def _compared(task):
    """Row of the last table: time of an experiment, and how its results differ from the frozen ones."""
    records = task_records(task)
    done = {canonical_json(record["config"]): record for record in records if is_done(record)}
    frozen = sources.frozen_results(task.experiment)
    found = [changes(one["result"], frozen[key], ROUNDING) for key, one in done.items() if key in frozen]
    largest = functools.reduce(operator.or_, found, Counter())
    n_failed = len(records) - len(done)
    return [
        task.name,
        f"{len(records)}, {n_failed} failed" if n_failed else len(records),
        f"{sum(record['seconds'] for record in done.values()) / 60:.1f}",
        f"{sum(map(bool, found))} of {len(found)}",
        ", ".join(f"{name} {difference:.2g}" for name, difference in sorted(largest.items())) or None,
    ]
