"""Measures of partitions: against classes, against the ensemble, and validity indices in the features.

A validity index measures how well clusters fit the features: labels of shape (n_samples,), where -1 marks an object in
no cluster, or memberships of shape (n_samples, n_clusters) with rows on the simplex. Renaming clusters changes no
value.
"""

from ..features.indices import (
    calinski_harabasz,
    fukuyama_sugeno,
    ovi_lda,
    partition_entropy,
    silhouette,
    xie_beni,
)
from .external import (
    adjusted_rand_score,
    density,
    ensemble_nmi,
    h_criterion,
    match_labels,
    normalized_mutual_information,
    variation_of_information,
)

__all__ = [
    "adjusted_rand_score", "calinski_harabasz", "density", "ensemble_nmi", "fukuyama_sugeno", "h_criterion",
    "match_labels", "normalized_mutual_information", "ovi_lda", "partition_entropy", "silhouette",
    "variation_of_information", "xie_beni",
]  # fmt: skip
