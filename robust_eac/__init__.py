"""Weighted median-partition consensus clustering that never forms an n x n matrix.

What is public, by topic; ``help(robust_eac.NAME)`` says more of each name.

Estimator
    RobustEAC
Weighted median partition
    solve_median_partition, solve_membership, weight_path, solve_consensus_modes, solve_median_partition_distributed,
    MedianPartitionResult, MembershipResult, WeightPath, ConsensusModes
Merging
    merge_consensus, robust_merge, MergeResult
Hard partitions and posterior draws
    solve_hard_median_partition, refine_labels, expected_losses, hard_partition_losses, credible_ball,
    reassignment_costs, HardMedianPartition, RefinementResult, CredibleBall, ReassignmentCosts
Weights found with the consensus
    WEIGHT_SOLVERS, uniform_weights, restricted_simplex_weights, l2_weights, entropy_weights, power_weights,
    chance_corrected_weights
Weights before any consensus
    WEIGHTING_SCHEMES, agreement_weights, trusted_group_weights, kernel_weights, partition_kernel, redundancy_weights,
    joint_criterion_weights, cluster_and_select_weights, convex_hull_weights, ramped_silhouette_weights,
    validity_weights, wpck_weights, silhouette_weights, order_weights, ensemble_driven_cluster_index
How good, how sure
    partition_losses, objective_value, membership_gradient, optimality_gap, certify, consensus_lower_bound,
    adjusted_agreement, agreement_test, Certificate, LowerBound, AgreementTest
Number of clusters
    select_n_clusters, ClusterNumberSelection
Comparing methods
    compare, CONSENSUS_FUNCTIONS, robust_consensus
Evidence accumulation
    coassociation_matrix, enhanced_coassociation_matrix, locally_weighted_coassociation_matrix, eac, eac_linkage,
    threshold_eac, lifetime_eac, enhanced_eac, locally_weighted_eac, CombinatorialEAC, zca_whiten
Other consensus functions
    kmeans_consensus, utility_consensus, ecc, sec, density_search, bisecting_kmeans_consensus, bisecting_tree,
    cut_bisecting_tree, peace, solve_peace, ovi_lda_consensus, assign_to_cores, OVIConsensus, BisectingTree, PeaceResult
Ensembles
    KMeansEnsemble, MixedEnsemble, FeatureSubsetEnsemble, kmeans_ensemble_distributed, corrupt_ensemble, fuzzy_c_means,
    gath_geva, kaufman_kmeans, kaufman_seeds
Data sets
    load_dataset, DATASETS
Measures against classes or the ensemble
    adjusted_rand_score, normalized_mutual_information, h_criterion, consistency_index, variation_of_information,
    ensemble_nmi, density, intra_density, inter_density
Validity of clusters in features
    VALIDITY_INDICES, calinski_harabasz, silhouette, xie_beni, fukuyama_sugeno, partition_entropy, ovi_lda
Plots
    plot_coassociation, plot_membership, plot_weights, plot_losses, plot_weight_path, plot_convergence, plot_n_clusters
Version
    __version__
"""

from . import consensus, datasets, diagnostics, ensembles, estimators, metrics, plotting, solvers, weighting
from ._version import __version__ as __version__
from .consensus import *
from .datasets import *
from .diagnostics import *
from .ensembles import *
from .estimators import *
from .metrics import *
from .plotting import *
from .solvers import *
from .weighting import *

_ROOMS = (consensus, datasets, diagnostics, ensembles, estimators, metrics, plotting, solvers, weighting)
__all__ = sorted(["__version__", *(name for room in _ROOMS for name in room.__all__)])
