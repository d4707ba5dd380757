"""Names and defaults that the options show, read from the source of what owns them: to import it takes a second."""

from .._source import defaults, keys, literal

METHODS = ("median-partition", "merge")
DEFAULTS = defaults("estimators", "RobustEAC")
AGREEMENTS = literal("objectives", "AGREEMENTS")
CLUSTER_WEIGHTS = literal("weightings.clusters", "CLUSTER_WEIGHTS")
LOSSES = keys("hard.search", "LOSSES")
WEIGHT_SOLVERS = keys("weightings.joint", "WEIGHTINGS")
WEIGHTING_SCHEMES = keys("schemes.registry", "WEIGHTING_SCHEMES")
FEATURE_SCHEMES = literal("schemes.registry", "FEATURE_SCHEMES")
CONSENSUS_FUNCTIONS = keys("consensus.registry", "CONSENSUS_FUNCTIONS")
DATASETS = keys("datasets.loading", "DATASETS")
# Levels that help texts state.
LEVEL = literal("hard.credible_ball", "LEVEL")
MOST_PAIRED = literal("diagnostics.assurance", "MOST_PAIRED")
UNSURE = literal("diagnostics.assurance", "UNSURE")
