"""Validity indices: how well crisp or fuzzy clusters fit the features, for choosing among clusterings.

Every index takes the features and either labels of shape (n_samples,), where -1 marks an object in no cluster, or
memberships of shape (n_samples, n_clusters) with rows on the simplex. Renaming the clusters changes no value.
"""

from .indices import (
    VALIDITY_INDICES,
    ValidityIndex,
    calinski_harabasz,
    fukuyama_sugeno,
    partition_entropy,
    silhouette,
    xie_beni,
)
from .ovi import OVIResult, ovi_lda

__all__ = [
    "VALIDITY_INDICES",
    "OVIResult",
    "ValidityIndex",
    "calinski_harabasz",
    "fukuyama_sugeno",
    "ovi_lda",
    "partition_entropy",
    "silhouette",
    "xie_beni",
]
