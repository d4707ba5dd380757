"""What the membership lowers: the losses of the paper, or corrected for chance."""

from ..checks.values import check_choice
from .chance_corrected import ChanceCorrectedObjective
from .raw import RawObjective

AGREEMENTS = ("auto", "raw", "adjusted")


def resolve_agreement(agreement, *, corrected=None):
    """ "raw" or "adjusted"; "auto" follows the weighting, by whether it reads chance-corrected losses.

    corrected : None where there is no "auto".
    """
    check_choice(agreement, ("raw", "adjusted") if corrected is None else AGREEMENTS, name="agreement")
    if agreement == "auto":
        return "adjusted" if corrected else "raw"
    return agreement


def objective_for(encoding, n_clusters, agreement="raw"):
    """The objective of an encoding for this many clusters."""
    return (ChanceCorrectedObjective if agreement == "adjusted" else RawObjective)(encoding, n_clusters)
