"""Objectives of the membership: the losses of the paper, or chance-corrected ones."""

from .. import validation as check
from .chance_corrected import ChanceCorrectedObjective
from .raw import RawObjective

AGREEMENTS = ("auto", "raw", "adjusted")


def resolve_agreement(agreement, *, corrected=None):
    """ "raw" or "adjusted"; "auto" is "adjusted" if the weighting uses chance-corrected losses.

    corrected : whether it does; None if "auto" is not allowed.
    """
    check.choice(agreement, ("raw", "adjusted") if corrected is None else AGREEMENTS, name="agreement")
    if agreement == "auto":
        return "adjusted" if corrected else "raw"
    return agreement


def objective_for(encoding, n_clusters, agreement="raw"):
    """The objective of an encoding for this many clusters."""
    kind = ChanceCorrectedObjective if agreement == "adjusted" else RawObjective
    return kind(encoding, n_clusters)
