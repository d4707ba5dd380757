"""Plots of ensembles and results. Each function draws on the given Axes and returns it.

Colours are Okabe and Ito's, which readers with common kinds of colour blindness can distinguish. Markers, dashes and
lightness carry the same information in grey print. Figures are neither shown nor closed.
"""

from .curves import plot_convergence, plot_n_clusters
from .matrices import plot_coassociation, plot_membership
from .weights import plot_losses, plot_weight_path, plot_weights

__all__ = [
    "plot_coassociation",
    "plot_convergence",
    "plot_losses",
    "plot_membership",
    "plot_n_clusters",
    "plot_weight_path",
    "plot_weights",
]
