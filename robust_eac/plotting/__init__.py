"""Plots of ensembles and results, by matplotlib. Each draws on the given Axes and returns it, and closes nothing.

Colours are Okabe and Ito's, which readers with common kinds of colour blindness can distinguish; markers, dashes and
lightness carry the same information in grey print.
"""

from .charts import plot_consensus_distribution, plot_n_clusters, plot_weights
from .matrices import plot_coassociation, plot_membership

__all__ = [
    "plot_coassociation", "plot_consensus_distribution", "plot_membership",
    "plot_n_clusters", "plot_weights",
]  # fmt: skip
