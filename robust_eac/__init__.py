"""Weighted median-partition consensus clustering that never forms an n x n matrix.

Many clusterings of the same objects go in, some of them bad; their consensus comes out, and the weight that each
deserves. Every public name can be imported from here, and is loaded when it is first used.

**Consensus and weights in one fit** (`robust_eac.estimators`)

- `RobustEAC`: the estimator to begin with: `fit(labels)`, then `labels_`, `weights_`, `summary()`, `to_html()`

**Solving** (`robust_eac.solvers`): functions of arrays, each with the named tuple that it returns

- `solve_median_partition`, `MedianPartitionResult`: memberships and weights together
- `solve_membership`, `MembershipResult`: memberships for given weights
- `solve_median_partition_distributed`: memberships and weights of labels in a Dask array
- `solve_hard_median_partition`, `HardMedianPartition`: the partition of least loss, by search
- `refine_labels`, `RefinementResult`: a given partition, improved object by object
- `solve_consensus_modes`, `ConsensusModes`: several consensuses, where groups of clusterings disagree
- `weight_path`, `WeightPath`: consensus and weights, from equal weights to few clusterings
- `consensus_lower_bound`, `LowerBound`: what no consensus can go below

**Weighting** (`robust_eac.weighting`)

- `WEIGHT_SOLVERS`: weights from the losses, found jointly with the consensus, by name
- `uniform_weights`, `restricted_simplex_weights`, `l2_weights`, `entropy_weights`, `power_weights`,
  `chance_corrected_weights`: the functions behind these names
- `WEIGHTING_SCHEMES`: weights from the clusterings or the features, before any consensus, by name
- `agreement_weights`, `kernel_weights`, `redundancy_weights`, `trusted_group_weights`: from how clusterings agree
- `cluster_and_select_weights`, `convex_hull_weights`, `joint_criterion_weights`: a selection that is good and diverse
- `ramped_silhouette_weights`, `validity_weights`, `wpck_weights`: from how clusters fit the features
- `silhouette_weights`, `order_weights`: for clusterings of subsets of the features
- `partition_kernel`: similarity of all pairs of clusterings
- `ensemble_driven_cluster_index`, `locally_weighted_coassociation_matrix`: how certain single clusters are

**Consensus functions** (`robust_eac.consensus`)

- `CONSENSUS_FUNCTIONS`: all that take labels and a number of clusters, by name
- `robust_consensus`, `robust_merge`: the labels of a weighted median partition, and of merging
- `merge_consensus`, `MergeResult`: a tree of the objects, which also finds the number of clusters
- `kmeans_consensus`, `bisecting_kmeans_consensus`, `sec`, `ecc`, `utility_consensus`: k-means on the labels
- `bisecting_tree`, `BisectingTree`, `cut_bisecting_tree`: the splits of bisecting k-means
- `coassociation_matrix`, `enhanced_coassociation_matrix`: for all pairs of objects, how often they are together
- `eac`, `enhanced_eac`, `locally_weighted_eac`, `lifetime_eac`, `threshold_eac`, `eac_linkage`: objects linked by their
  co-associations
- `density_search`: the partition of densest clusters, by moves of single objects
- `peace`, `solve_peace`, `PeaceResult`: probabilistic evidence accumulation on sampled pairs
- `CombinatorialEAC`, `zca_whiten`: features of which many are uninformative
- `OVIConsensus`, `ovi_lda_consensus`, `assign_to_cores`: majority of several algorithms, for the objects that fit well

**Ensembles** (`robust_eac.ensembles`): clusterings from features

- `KMeansEnsemble`, `MixedEnsemble`, `FeatureSubsetEnsemble`: by k-means, by six algorithms, by subsets of the features
- `LandmarkSpectralEnsemble`: by spectral clustering through landmarks: clusters of any shape, millions of objects
- `kmeans_ensemble_distributed`, `ensemble_distributed`: k-means, or another ensemble, on a Dask array
- `corrupt_ensemble`: some clusterings replaced by bad ones, of many kinds
- `fuzzy_c_means`, `gath_geva`: soft clusterings
- `kaufman_kmeans`, `kaufman_seeds`: k-means from deterministic centers

**Inputs** (`robust_eac.inputs`): label matrices from what other tools give

- `labels_from`, `LabelMatrix`: from communities, dicts, tables of a crowd and matched pairs, with names
- `labels_from_draws`: from posterior draws, one per row

**Diagnostics and certificates** (`robust_eac.diagnostics`)

- `certify`, `Certificate`: how good a consensus from any source is
- `agreement_test`, `AgreementTest`: which clusterings agree with a consensus beyond chance
- `adjusted_agreement`: how far every clustering agrees with a consensus, corrected for chance
- `select_n_clusters`, `ClusterNumberSelection`: the number of clusters that an ensemble supports
- `credible_ball`, `CredibleBall`: how sure a partition is among posterior draws
- `objective_value`, `partition_losses`, `membership_gradient`, `optimality_gap`: what the solvers minimise,
  and how near they come
- `hard_partition_losses`, `expected_losses`: losses between hard partitions
- `reassignment_costs`, `ReassignmentCosts`: what it costs to move an object

**Metrics** (`robust_eac.metrics`)

- `h_criterion`, `adjusted_rand_score`, `normalized_mutual_information`, `variation_of_information`,
  `consistency_index`: between two partitions
- `ensemble_nmi`, `density`, `inter_density`, `intra_density`: between a partition and an ensemble
- `VALIDITY_INDICES`: how well clusters fit the features, by name
- `silhouette`, `calinski_harabasz`, `xie_beni`, `fukuyama_sugeno`, `partition_entropy`: the functions
  behind these names
- `ovi_lda`: how much closer every object is to its own cluster than to the next

**Plots** (`robust_eac.plotting`): each takes `ax=` and returns it

- `plot_coassociation`, `plot_membership`: heat maps of the objects
- `plot_weights`, `plot_losses`: whom the consensus trusts
- `plot_weight_path`, `plot_n_clusters`, `plot_convergence`: curves

**Comparing** (`robust_eac.comparison`)

- `compare`: weightings and consensus functions on the same clusterings, graded
- `Comparison`, `ComparisonSummary`: what it returns, with its statistics

**Data** (`robust_eac.datasets`)

- `load_dataset`, `DATASETS`: data sets with their classes, and their names

The version is `__version__`. The command line tells of itself: `robust-eac --help`.
"""

from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

from ._source import literal
from ._version import __version__ as __version__

# In the order of the topics above.
_ROOMS = (
    "estimators",
    "solvers",
    "weighting",
    "consensus",
    "ensembles",
    "inputs",
    "diagnostics",
    "metrics",
    "plotting",
    "comparison",
    "datasets",
)
_ROOM_OF = {name: room for room in _ROOMS for name in literal(room, "__all__")}
__all__ = sorted(["__version__", *_ROOM_OF])

if TYPE_CHECKING:
    from .comparison import *
    from .consensus import *
    from .datasets import *
    from .diagnostics import *
    from .ensembles import *
    from .estimators import *
    from .inputs import *
    from .metrics import *
    from .plotting import *
    from .solvers import *
    from .weighting import *
else:
    # scikit-learn cannot be imported by two threads at once: one of them meets it half loaded.
    _one_at_a_time = RLock()

    def __getattr__(name):
        """Load a room, or a public name from its room, when it is first asked for."""
        if name not in _ROOM_OF and name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with _one_at_a_time:
            room = import_module(f".{_ROOM_OF.get(name, name)}", __name__)
        if name in _ROOMS:
            return room
        globals()[name] = value = getattr(room, name)
        return value

    def __dir__():
        return sorted({*globals(), *_ROOMS, *_ROOM_OF})
