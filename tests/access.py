"""What tests ask of the library beyond its public names; the one place to change when code moves."""
# ruff: noqa: F401

from importlib import import_module

import numpy as np

from robust_eac import summary as _summary
from robust_eac import validation
from robust_eac import wording as _wording
from robust_eac.common import write_files
from robust_eac.comparison import result as comparison_statistics
from robust_eac.consensus import _common as _consensus_common
from robust_eac.consensus import agglomeration as _agglomeration
from robust_eac.consensus import micro_clusters as _merging
from robust_eac.consensus import n_clusters
from robust_eac.consensus import peace as _peace
from robust_eac.consensus._common import check_memory, clusters_of, in_random_order, prepare
from robust_eac.consensus.graph_partitioning import _closest, partition_graph, pieces, whole_numbers
from robust_eac.consensus.kmeans import _cross_entropies as cross_entropies
from robust_eac.consensus.kmeans import degree_costs
from robust_eac.consensus.refined_eac import walk_similarities
from robust_eac.core import formula as _formula
from robust_eac.core import kernels as _kernels
from robust_eac.core import permutation as _chance
from robust_eac.core import threads as _threads
from robust_eac.core.formula import (
    accumulate,
    adjusted_agreements,
    cluster_counts,
    moments_of_test,
    pair_cells,
)
from robust_eac.datasets import loading as datasets
from robust_eac.diagnostics import certificates as _certificates
from robust_eac.diagnostics.identifiability import identifiability
from robust_eac.distributed import rows_in_chunks as _blocks
from robust_eac.distributed import solver as distributed
from robust_eac.ensemble import chunks as _chunks
from robust_eac.ensemble import encoding as _encoding
from robust_eac.ensemble import lloyd as _lloyd
from robust_eac.ensemble import objects as _objects
from robust_eac.ensemble import reading
from robust_eac.ensemble.encoding import (
    Visit,
    collapse,
    encode,
    encode_ensemble,
    first_objects,
    one_hot,
    relabel,
    select,
    take_rows,
    weigh,
)
from robust_eac.ensemble.lloyd import scaled_distances, table_costs
from robust_eac.ensemble.reading import ensemble as check_ensemble
from robust_eac.ensemble.reading import index as check_index
from robust_eac.features import base as ensemble_base
from robust_eac.features import feature_subsets
from robust_eac.features import indices as _ovi
from robust_eac.hard import contingency as _contingency
from robust_eac.hard import multistart as _multistart
from robust_eac.hard import search as _search
from robust_eac.hard.contingency import LOSSES
from robust_eac.hard.credible_ball import CREDIBLE_LEVEL
from robust_eac.hard.multistart import group_copies
from robust_eac.hard.pairs import PairTables
from robust_eac.hard.search import CountTables, tables_of
from robust_eac.hard.search import PartitionSearch as Search
from robust_eac.median_partition import alternation as _alternation
from robust_eac.median_partition import losses as _losses
from robust_eac.median_partition import model as _model
from robust_eac.median_partition import objective as _objective
from robust_eac.median_partition import partition_bound, trust
from robust_eac.median_partition import rotation as _rotation
from robust_eac.median_partition import row_sweeps as _sweep
from robust_eac.median_partition import several_starts as _several_starts
from robust_eac.median_partition import starts as _starts
from robust_eac.median_partition import weightings as joint
from robust_eac.median_partition.alternation import Problem, next_relaxation
from robust_eac.median_partition.losses import LOSSES as SOFT_LOSSES
from robust_eac.median_partition.losses import raw_losses as losses_of
from robust_eac.median_partition.lower_bound import _membership_bounds, _pair_terms, bound_memberships, spectral_bound
from robust_eac.median_partition.model import frank_wolfe_gaps, gap_of, gap_unit, gradient_of
from robust_eac.median_partition.objective import Objective, in_memory
from robust_eac.median_partition.row_sweeps import visiting_order
from robust_eac.median_partition.several_starts import empty_last
from robust_eac.median_partition.starts import draw_quarter, initial_rows, reduce_rows
from robust_eac.median_partition.trust import (
    Pairs,
    are_apart,
    compare_pairs,
    count_near_duplicates_once,
    largest_group,
    near_duplicates,
    pairs_of,
    sample_columns,
    with_untested,
)
from robust_eac.median_partition.weightings import as_weighting
from robust_eac.metrics import external as metrics
from robust_eac.plotting.charts import draw_agreements
from robust_eac.reporting import page as report_page
from robust_eac.schemes import FEATURE_SCHEMES
from robust_eac.schemes.selection import _hull_vertices, _spectral_groups

# `robust_eac.consensus.eac` is the function.
_eac_module = import_module("robust_eac.consensus.eac")


def weighted_statistics(encoding, weights, S, G):
    """Statistics of the raw losses at S and G."""
    return _model.Model(SOFT_LOSSES["raw"].terms(encoding.partitions, weights, None), S, G).of(encoding)[1]


def raw_objective(encoding, k):
    return in_memory(encoding, k)


def corrected_objective(encoding, k):
    return in_memory(encoding, k, SOFT_LOSSES["adjusted"])


def statistics_of(encoding, weights, rows):
    """Statistics of the raw losses at memberships of the encoding's rows."""
    return weighted_statistics(encoding, weights, *accumulate(encoding, rows))


def visit(visiting, statistics, rows, order, how):
    """Visit the rows of an encoding, or the arrays that a sweep reads: (sum of gaps, change of the objective)."""
    return _sweep.sweep_rows(order, *getattr(visiting, "visited", visiting), statistics, rows, how)


def losses_at(encoding, rows):
    """The losses d_u at memberships of the encoding's rows."""
    return losses_of(encoding.partitions, *accumulate(encoding, rows))


def sweep(visiting, statistics, rows, order, *, n_steps=4, skip=0.0, relaxation=1.0):
    """One sweep, which changes rows, T and Q; the sum of its gaps."""
    return _sweep.sweep(
        getattr(visiting, "visited", visiting), statistics, rows, order, Visit(n_steps, skip, relaxation)
    )


def descend(objective, weights, rows, *, rng, **limits):
    """(gap, number of sweeps, matrices) of a descent, which changes rows."""
    steps = objective.steps(weights, rows, objective.measure(rows), rng)
    return *_alternation.descend(steps, **limits), steps.matrices


def alternate(objective, start, weighting, *, seed, tol=1e-5, max_iter=100):
    """The state of one start."""
    start = reading.Start(start) if isinstance(start, str) else reading.Start(memberships=np.array(start))
    problem = Problem(objective, weighting, tol, max_iter)
    return _alternation.alternate(problem, _alternation.first_state(problem, start, np.random.RandomState(seed)))


def check_labels(labels):
    """The checked matrix of labels."""
    return check_ensemble(labels).labels
