"""Find the consensus of clusterings."""

import json
import os
import time
from pathlib import Path

import numpy as np

from ...checks.words import percent
from ..console import say
from ..inputs import add_input_options, read_labels
from ..names import LEVEL, MOST_PAIRED, UNSURE
from ..options import add_labels, add_table_output
from ..solver_options import add_solver_options, check_solver_options
from ..writing import check_outputs, say_written, table_writer, write_outputs

HELP = "find the consensus of clusterings, and their weights"
EPILOG = f"""\
examples:
  robust-eac consensus labels.csv --n-clusters 3 --output consensus.csv
  robust-eac consensus labels.csv --index-column name --n-clusters auto --weighting chance-corrected \\
             --output consensus.csv --weights weights.csv --membership membership.csv --json summary.json
  robust-eac consensus labels.csv --loss vi --weighting uniform --output consensus.csv
  robust-eac consensus labels.csv --n-clusters 3 --certify --output consensus.csv

outputs:
  --output      cluster of every object (0, 1, ...), after its name if --index-column is given
  --weights     partition, weight, loss (number of ordered pairs of objects on which it differs from the consensus;
                squared differences where memberships are fractions), agreement (adjusted Rand index: 1 is the same
                partition, 0 is chance)
  --membership  share of every object in every cluster; of more than 2^28 shares only the positive ones, one per line:
                object, cluster, membership
  --json        arguments, versions, objective, gap, clusters found, weights; with --loss the radius of the credible
                ball around the consensus that holds {percent(LEVEL)} of the weight; with --certify loss and bound, both
                per ordered pair of objects, and the numbers of objects that are unsure and that a move gains

certificate, with --certify (not for --method merge, nor for a --loss but binder):
  bound         how far the weighted loss is at most from the least possible with these weights; none for --agreement
                adjusted and --threshold data, nor for more than {MOST_PAIRED:,} different objects with labels missing
  unsure        objects that cost less than {percent(UNSURE)} of the loss per object if moved to another cluster
  Takes 0.04 s for 1,000 objects, 0.1 s for 10,000, 1 s for 100,000 (50 complete clusterings into 8 clusters, one core).
  Where this bound leaves a gap or labels are missing, and for --loss, one by all pairs follows, for up to
  {MOST_PAIRED:,} different objects: seconds for 1,000, a minute or more for {MOST_PAIRED:,}. For more objects, the
  bound of a --loss is a loose one.

losses: with --loss, the consensus is the hard partition of least loss that a search finds; it has no memberships, the
losses in --weights are in the units of this one, and --n-clusters can be left out:
  binder           share of the ordered pairs of objects that one joins and the other parts
  vi               variation of information, in bits: fewer and larger clusters
  omari            one minus the adjusted Rand index
  nvi, id, nid     other measures of information

methods:
  median-partition  finds the memberships and weights of least loss together
  merge             builds a tree of the objects from the clusterings that agree with others more than by chance; small
                    and certain clusters count most; '--n-clusters auto' takes its best cut into at least two clusters

weightings, for median-partition and --loss:
  restricted-simplex  from the paper: equal weights, but none for the clusterings of largest loss, by default a fifth
                      of all, good or bad (--rho sets how many keep weight)
  l2                  from the paper: weights fall with the losses, faster for a smaller --lam
  chance-corrected    equal weights for the clusterings that agree with each other more than by chance, none for the
                      others: tells which clusterings are bad; near copies of each other count once (not with --loss)
  uniform             equal weights for all
  entropy, power      smooth functions of the losses"""


def add_arguments(parser):
    """Add the arguments of the command."""
    add_labels(parser)
    add_solver_options(parser)
    add_input_options(parser)
    parser.add_argument(
        "--certify",
        action="store_true",
        help="also say how far the consensus is from a lower bound, and how many objects are unsure; see below",
    )
    outputs = parser.add_argument_group("output (.csv, .tsv or .npy)")
    add_table_output(outputs, required=True, help="the consensus")
    add_table_output(outputs, "--weights", help="weights of the clusterings")
    add_table_output(outputs, "--membership", help="memberships of the objects")
    outputs.add_argument("--json", type=Path, metavar="FILE", help="summary for programs")


def run(arguments):
    """Write the consensus, and what else is asked for."""
    check_solver_options(arguments)
    check_outputs([arguments.output, arguments.weights, arguments.membership, arguments.json], [arguments.labels])
    from ..fitting import find_consensus

    start = time.perf_counter()
    ensemble, labels = read_labels(arguments)
    found = find_consensus(arguments, labels, ensemble.titles)
    fields = ["partition", "weight", "loss", "agreement"]
    columns = [found.weights, found.losses, found.agreements]
    tables = [
        (arguments.output, *ensemble.with_objects(["cluster"], [found.labels])),
        (arguments.weights, fields, [ensemble.titles, *columns]),
    ]
    if found.membership is not None:
        tables.append((arguments.membership, *_membership_table(ensemble, found.membership)))
    writers = {path: table_writer(path, header, columns) for path, header, columns in tables if path is not None}
    if arguments.json is not None:
        summary = _inputs(arguments, labels, found) | _results(found)
        rows = zip(ensemble.titles, *(column.tolist() for column in columns), strict=True)
        partitions = [dict(zip(fields, row, strict=True)) for row in rows]
        summary |= {"seconds": round(time.perf_counter() - start, 3), "partitions": partitions}
        # ASCII, because the name of a file may not be valid text.
        text = json.dumps(summary, indent=1, allow_nan=False, default=os.fspath) + "\n"
        writers[arguments.json] = lambda handle: handle.write(text.encode())
    write_outputs(writers)
    say(found.summary)
    say_written(writers)


def _membership_table(ensemble, membership):
    """Header and columns of the memberships: one per cluster or, of a sparse matrix, a line per entry."""
    if not hasattr(membership, "indptr"):
        return ensemble.with_objects([f"cluster_{c}" for c in range(membership.shape[1])], [membership])
    rows = np.repeat(np.arange(membership.shape[0]), np.diff(membership.indptr))
    title, names = "object", rows
    if ensemble.objects is not None:
        title, names = ensemble.objects_title, [ensemble.objects[i] for i in rows]
    return [title, "cluster", "membership"], [names, membership.indices, membership.data]


def _inputs(arguments, labels, found):
    """What the summary says of versions, arguments and labels."""
    from ...reporting.page import versions

    n_clusters = "auto" if found.parameters["n_clusters"] == "auto" else arguments.n_clusters
    return {
        "command": "consensus",
        "versions": versions(),
        "arguments": vars(arguments)
        | {"n_clusters": list(n_clusters) if isinstance(n_clusters, range) else n_clusters},
        "parameters": found.parameters,
        "n_objects": len(labels),
        "n_partitions": labels.shape[1],
        "n_missing": int(np.count_nonzero(labels == -1)),
    }


def _results(found):
    """What the summary says of the consensus."""
    sizes = np.bincount(found.labels).tolist()
    return found.results | {"n_clusters_found": len(sizes), "cluster_sizes": sizes}
