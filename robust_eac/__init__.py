"""Weighted median-partition consensus clustering that never forms an n x n matrix.

From many clusterings of the same objects, some of them bad, it finds their consensus and the weight that each of them
deserves. The names below can be imported from here, and are loaded when they are first used. The classes of results,
single methods of a registry, fuzzy clusterings and validity indices are in the submodules.

**Estimators** (`robust_eac.estimators`): `fit(labels)`, then `labels_`, `weights_`, `summary()`, `to_html()`

- `RobustEAC`: consensus and weights by one objective: the estimator to begin with
- `MergeConsensus`: a tree of the objects, which also finds the number of clusters

**The median partition** (`robust_eac.median_partition`): functions of arrays

- `solve_median_partition`: memberships and weights together
- `solve_membership`: memberships for given weights
- `consensus_lower_bound`: a loss that no consensus can go below
- `RestrictedSimplex`, `L2`, `Entropy`, `ChanceCorrected`: values of `weighting=`, with their parameters
- `WEIGHT_SOLVERS`: the functions losses -> weights behind them, by name
- `restricted_simplex_weights`, `l2_weights`, `entropy_weights`, `chance_corrected_weights`: the same
- `trusted_group_weights`: the largest group of clusterings that agree beyond chance

**Labels in a Dask array** (`robust_eac.distributed`)

- `solve_median_partition_distributed`: memberships and weights for labels that do not fit on one machine

**Hard partitions** (`robust_eac.hard`)

- `solve_hard_median_partition`: the partition of least loss, by search from several starts or from a given partition
- `credible_ball`: how sure a partition is among posterior draws
- `hard_partition_losses`, `expected_losses`, `reassignment_costs`: losses between partitions, and of moving an object

**Weights before any consensus** (`robust_eac.schemes`)

- `WEIGHTING_SCHEMES`: from the clusterings or the features, by name

**Consensus functions** (`robust_eac.consensus`)

- `CONSENSUS_FUNCTIONS`: all that take labels and a number of clusters, by name
- `merge_consensus`: the tree of the objects as a function
- `select_n_clusters`: the number of clusters that an ensemble supports
- `coassociation_matrix`: for all pairs of objects, how often they share a cluster
- `eac`, `threshold_eac`, `lifetime_eac`: objects linked by their co-associations
- `solve_peace`: probabilistic evidence accumulation on sampled pairs
- `CombinatorialEAC`: for features of which many are uninformative
- `OVIConsensus`: consensus of several algorithms on the objects that fit their clusters well

**Ensembles** (`robust_eac.ensembles`): clusterings from features

- `ClustererEnsemble`: by any clusterer, on samples of the objects and features
- `KMeansEnsemble`, `MixedEnsemble`, `FeatureSubsetEnsemble`: by k-means, by six algorithms, by subsets of the features
- `ensemble_distributed`: any of these on a Dask array
- `corrupt_ensemble`: some clusterings replaced by random ones

**Diagnostics** (`robust_eac.diagnostics`)

- `certify`: how good a consensus from any source is
- `partition_losses`, `objective_value`, `optimality_gap`: the losses and the objective, and how far from optimal
- `agreement_test`, `adjusted_agreement`: which clusterings agree with a consensus beyond chance, and by how much
- `consensus_distribution`: how often resamples put the same objects together, for each number of clusters

**Metrics** (`robust_eac.metrics`)

- `h_criterion`, `adjusted_rand_score`, `normalized_mutual_information`, `variation_of_information`: two partitions
- `ensemble_nmi`, `density`: between a partition and an ensemble

**Plots** (`robust_eac.plotting`): each takes `ax=` and returns it

- `plot_coassociation`, `plot_membership`: heat maps of the objects
- `plot_weights`: which clusterings the consensus trusts
- `plot_n_clusters`, `plot_consensus_distribution`: curves

**Comparing** (`robust_eac.comparison`)

- `compare`: weightings and consensus functions on the same clusterings, graded

**Data** (`robust_eac.datasets`)

- `load_dataset`, `DATASETS`: data sets with their classes, and their names

The version is `__version__`. For the command line see `robust-eac --help`.
"""

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

from ._version import __version__ as __version__

# Public submodule -> its names that are public here, in the order of the topics above.
_PUBLIC = {
    "estimators": "RobustEAC MergeConsensus",
    "median_partition": (
        "solve_median_partition solve_membership consensus_lower_bound RestrictedSimplex L2 Entropy ChanceCorrected "
        "WEIGHT_SOLVERS restricted_simplex_weights l2_weights entropy_weights chance_corrected_weights "
        "trusted_group_weights"
    ),
    "distributed": "solve_median_partition_distributed",
    "hard": "solve_hard_median_partition credible_ball hard_partition_losses expected_losses reassignment_costs",
    "schemes": "WEIGHTING_SCHEMES",
    "consensus": (
        "CONSENSUS_FUNCTIONS merge_consensus select_n_clusters coassociation_matrix eac threshold_eac "
        "lifetime_eac solve_peace CombinatorialEAC OVIConsensus"
    ),
    "ensembles": (
        "ClustererEnsemble KMeansEnsemble MixedEnsemble FeatureSubsetEnsemble ensemble_distributed corrupt_ensemble"
    ),
    "diagnostics": (
        "certify partition_losses objective_value optimality_gap agreement_test adjusted_agreement "
        "consensus_distribution"
    ),
    "metrics": (
        "h_criterion adjusted_rand_score normalized_mutual_information variation_of_information ensemble_nmi density"
    ),
    "plotting": "plot_coassociation plot_membership plot_weights plot_n_clusters plot_consensus_distribution",
    "comparison": "compare",
    "datasets": "load_dataset DATASETS",
}
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names.split()}
__all__ = sorted(["__version__", *_MODULE_OF])

if TYPE_CHECKING:
    from .comparison import *
    from .consensus import *
    from .datasets import *
    from .diagnostics import *
    from .distributed import *
    from .ensembles import *
    from .estimators import *
    from .hard import *
    from .median_partition import *
    from .metrics import *
    from .plotting import *
    from .schemes import *
else:
    # Two threads that import scikit-learn at once could meet it half loaded.
    _importing = RLock()

    def __getattr__(name):
        """Load a submodule, or a public name from its submodule, when it is first asked for."""
        if name not in _MODULE_OF and name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with _importing:
            module = import_module(f".{_MODULE_OF.get(name, name)}", __name__)
        if name in _PUBLIC:
            return module
        globals()[name] = value = getattr(module, name)
        return value

    def __dir__():
        return sorted({*globals(), *_PUBLIC, *_MODULE_OF})
