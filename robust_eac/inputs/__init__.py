"""Labels out of what other tools return: communities, tables of crowds, matched records, posterior draws."""

from ..checks.forms import LabelMatrix
from .draws import labels_from_draws
from .reading import labels_from

__all__ = ["LabelMatrix", "labels_from", "labels_from_draws"]
