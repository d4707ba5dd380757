"""The reproduction of the papers by one command: data, records, drawings, claims, report, and what has changed."""

import functools
import operator
import os
import time
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from itertools import chain
from statistics import mean

from joblib import effective_n_jobs

from paper_figures import __main__ as figures
from paper_figures import records as sources
from paper_figures import rooms
from paper_figures.markdown import table
from paper_figures.report import paper_claims

from .shared.data import checksum_of, needed_data, without_data
from .shared.runner import (
    experiment_grid,
    experiment_name,
    experiment_records,
    freeze_experiment,
    is_serial,
    load_experiment,
    run_experiment,
)
from .shared.store import (
    canonical_json,
    changes,
    environment,
    from_commit,
    is_done,
    load_frozen,
    missing_cells,
    write_whole,
)

# Share by which the rounding of another machine may change a number.
ROUNDING = 1e-9


def reproduce(arguments):
    """Run, draw and compare; exit code 1 if cells failed, or a drawing of full grids of all data could not be made."""
    start, smoke = time.perf_counter(), arguments.smoke
    if arguments.freeze and smoke:
        raise ValueError("--freeze takes no --smoke: the frozen files hold the full grids.")
    output = arguments.output or sources.FOLDER / "out" / ("reproduced-smoke" if smoke else "reproduced")
    root = output / "records"
    papers = select_papers(arguments.paper)
    experiments = [load_experiment(name) for name in experiments_of(papers)]
    absent = _tell_data(chain.from_iterable(experiment_grid(experiment, smoke) for experiment in experiments))
    experiments = [without_data(experiment, absent) for experiment in experiments]
    if arguments.freeze:
        _check_freezing(experiments, absent, root)
    frozen = {experiment: _frozen_rows(experiment) for experiment in map(experiment_name, experiments)}
    _tell_time(experiments, frozen, smoke, root, effective_n_jobs(arguments.n_jobs))
    failed = 0
    for experiment in experiments:
        records = run_experiment(experiment, smoke=smoke, n_jobs=arguments.n_jobs, root=root, progress=True)
        failures = [record for record in records if not is_done(record)]
        failed += len(failures)
        for record in failures:
            cause = record["error"].rstrip().splitlines()[-1]
            print(f"failed: {record['experiment']} {canonical_json(record['config'])}: {cause}", flush=True)
        if not failures:
            text = freeze_experiment(experiment, smoke=smoke, root=root)
            write_whole(output / "data" / f"{experiment_name(experiment)}.json", text)
    source = {"smoke": smoke, "root": root, "without": absent}
    undrawn = _draw(papers, absent, output, source)
    rows = [_compared(experiment, frozen[experiment_name(experiment)], smoke, root) for experiment in experiments]
    head = "experiment | cells | minutes | minutes, frozen | cells that differ | largest differences"
    print(f"\n{table(head, rows)}\n\n{_verdicts(papers, absent, source)}\n")
    print(f"{output / 'report.html'}: {failed} cells failed; {_duration(time.perf_counter() - start)} in all.")
    if arguments.freeze and not failed:
        _check_freezing(experiments, absent, root)
        for name in map(experiment_name, experiments):
            write_whole(sources.frozen_file(name), (output / "data" / f"{name}.json").read_text(encoding="utf-8"))
            print(sources.frozen_file(name))
    return 1 if failed or (undrawn and not absent and not smoke) else 0


def select_papers(numbers):
    """The papers with these numbers, all if there are none; ValueError with the known ones."""
    known = {paper.label.rpartition(" ")[2]: paper for paper in rooms.PAPERS}
    for number in numbers:
        if number not in known:
            raise ValueError(f"--paper must be of {', '.join(known)}, got {number!r}.")
    return [paper for number, paper in known.items() if not numbers or number in numbers]


def experiments_of(papers):
    """Names of the experiments that the claims and drawings of papers need, sorted."""
    names = {name for paper in papers for name in paper.experiments}
    for drawing in (drawing for paper in papers for drawing in paper.drawings):
        names |= {drawing.experiments} if isinstance(drawing.experiments, str) else {*drawing.experiments}
    return sorted(names)


def _tell_data(configs):
    """Print which data there are; return the names of those that are not to be had."""
    rows, absent = [], {}
    for name in needed_data(configs):
        try:
            rows.append([name, checksum_of(name)])
        except FileNotFoundError as error:
            absent[name] = " ".join(str(error).split()).rstrip(";")
    if rows:
        print(table("data | checksum", rows))
    for name, reason in absent.items():
        print(f"{name} is left out of every experiment: {reason}.")
    return tuple(absent)


def _check_freezing(experiments, absent, root):
    """Raise ValueError unless the frozen files may be replaced."""
    if absent:
        raise ValueError(f"--freeze needs all data, {', '.join(absent)} lack.")
    if not from_commit({"environment": environment()}):
        raise ValueError("--freeze: files differ from a commit: commit, and reproduce then.")
    records = [record for experiment in experiments for record in experiment_records(experiment, root=root)]
    if changed := sum(is_done(record) and not from_commit(record) for record in records):
        raise ValueError(
            f"--freeze: {changed} of {len(records)} records are of files that differed from a commit: "
            "reproduce with another --output."
        )


def _frozen_rows(name):
    """{configuration as text: row} of the frozen file of an experiment; empty if it is of another version."""
    path = sources.frozen_file(name)
    content = load_frozen(path) if path.exists() else {"version": None}
    same = content["version"] == load_experiment(name).VERSION
    return {canonical_json(row["config"]): row for row in content["rows"]} if same else {}


def _tell_time(experiments, frozen, smoke, root, n_jobs):
    """Print how many cells are to be run, and how long that takes by the seconds of the frozen ones."""
    n_cells, total, unknown = 0, 0.0, []
    for experiment in experiments:
        name = experiment_name(experiment)
        cells = missing_cells(name, experiment_grid(experiment, smoke), experiment.VERSION, root)
        n_cells += len(cells)
        known = {config: row["seconds"] for config, row in frozen[name].items()}
        if not known:
            unknown += [name] * bool(cells)
            continue
        # Cells of other grids have no frozen seconds.
        seconds = [known.get(canonical_json(config), mean(known.values())) for config in cells]
        total += sum(seconds) if is_serial(experiment) else max([sum(seconds) / n_jobs, *seconds])
    more = f", and the time of {', '.join(unknown)}" if unknown else ""
    # What else runs here takes its share of the cores.
    load, n_cores = os.getloadavg()[0], os.cpu_count()
    total *= max(1.0, (load + min(n_jobs, n_cells)) / n_cores)
    beside = f" beside a load of {load:.1f}" if load >= 0.5 else ""
    print(f"\n{n_cells} cells to run: about {_duration(total)}{beside}{more}; workers: {n_jobs}.", flush=True)


def _duration(seconds):
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def _draw(papers, absent, output, source):
    """Draw the figures, tables and claims of the papers, and the report."""
    lacking = f"without {', '.join(absent)}" if absent else "from the small grids" if source["smoke"] else ""
    other = lacking and f"cannot be had {lacking}"
    if other:
        papers = [paper._replace(claims=_or_told(paper.claims, other)) for paper in papers]
    drawings = figures.select_drawings([], [*papers, rooms.Topic("claims", (rooms.claims_of(papers),))])
    # Tables are printed as they are drawn; here they are in the report.
    with redirect_stdout(StringIO()):
        return figures.draw_all(drawings, papers, output, other or None, **source)


def _or_told(claims, other):
    """Claims that raise only ValueError: rules are made for the full grids, and fail on others in many ways."""

    def judged(records):
        try:
            return claims(records)
        except Exception as error:
            raise ValueError(f"the claims {other}: {error!r}") from error

    return judged


def _compared(experiment, frozen, smoke, root):
    """Row of the last table: time of an experiment, and how its results differ from the frozen ones."""
    records = experiment_records(experiment, smoke, root)
    done = [record for record in records if is_done(record)]
    pairs = [(one, frozen[key]) for one in done if (key := canonical_json(one["config"])) in frozen]
    found = [changes(now["result"], before["result"], ROUNDING) for now, before in pairs]
    largest = functools.reduce(operator.or_, found, Counter())
    return [
        experiment_name(experiment),
        f"{len(records)}, {len(records) - len(done)} failed" if len(done) < len(records) else len(records),
        f"{sum(one['seconds'] for one in done) / 60:.1f}",
        f"{sum(before['seconds'] for _, before in pairs) / 60:.1f}",
        f"{sum(map(bool, found))} of {len(pairs)}",
        ", ".join(f"{name} {difference:.2g}" for name, difference in sorted(largest.items())) or None,
    ]


def _verdicts(papers, absent, source):
    """Which verdicts differ from those on the frozen records, of the data that are to be had."""
    rows, n_claims = [], 0
    for paper in papers:
        try:
            pairs = list(zip(paper_claims(paper, without=absent), paper_claims(paper, **source), strict=True))
        except Exception as error:
            rows.append([paper.label, f"not judged: {error}", None])
            continue
        n_claims += len(pairs)
        changed = [(before.verdict, now) for before, now in pairs if before.verdict != now.verdict]
        rows += [[f"{paper.label}, {now.where}", verdict, now.verdict] for verdict, now in changed]
    if not rows:
        return f"{n_claims} verdicts, all as on the frozen records."
    small = "; the small grids are no test of claims" if source["smoke"] else ""
    return f"Of {n_claims} verdicts these differ{small}:\n\n{table('verdicts that changed | frozen | now', rows)}"
