"""Names and defaults that the options show, read from the source of what owns them: to import it takes a second."""

from .._source import defaults, keys, literal

METHODS = literal("fitting", "METHODS")
DEFAULTS = defaults("estimators", "RobustEAC")
AGREEMENTS = literal("core.distance", "AGREEMENTS")
CLUSTER_WEIGHTS = literal("weighting.clusters", "CLUSTER_WEIGHTS")
LOSSES = keys("core.hard", "LOSSES")
WEIGHT_SOLVERS = keys("weighting.joint", "RECORDS")
WEIGHTING_SCHEMES = keys("weighting.schemes", "WEIGHTING_SCHEMES")
FEATURE_SCHEMES = literal("weighting.schemes", "FEATURE_SCHEMES")
CONSENSUS_FUNCTIONS = keys("consensus.registry", "CONSENSUS_FUNCTIONS")
DATASETS = keys("datasets.loading", "DATASETS")
# Levels that help texts state.
LEVEL = literal("diagnostics.credible_ball", "LEVEL")
MOST_PAIRED = literal("diagnostics.assurance", "MOST_PAIRED")
UNSURE = literal("diagnostics.assurance", "UNSURE")
