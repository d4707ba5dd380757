"""Plots of ensembles and results. Each function draws on the given Axes and returns it.

Colours are Okabe and Ito's, which readers with common kinds of colour blindness can distinguish. Markers, dashes and
lightness carry the same information in grey print. Figures are neither shown nor closed. All need matplotlib.
"""

from .charts import plot_consensus_distribution, plot_n_clusters, plot_weights
from .matrices import plot_coassociation, plot_membership

__all__ = [
    "plot_coassociation", "plot_consensus_distribution", "plot_membership",
    "plot_n_clusters", "plot_weights",
]  # fmt: skip
