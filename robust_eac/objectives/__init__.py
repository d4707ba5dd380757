"""What the membership lowers: the losses of the paper, or corrected for chance."""

from scipy import sparse

from ..checks.values import check_choice
from ..solve.formula import adjusted_agreements
from ..sparse.objective import SparseRaw, agreements
from ..sparse.rows import membership_of
from .chance_corrected import ChanceCorrected
from .raw import Raw

AGREEMENTS = ("auto", "raw", "adjusted")
# With more clusters than this, the memberships of raw losses and hard contingency tables are sparse. On two cores dense
# memberships are as fast with about 230 clusters, dense tables with 290.
MANY = 256


def resolve_agreement(agreement, *, corrected=None):
    """ "raw" or "adjusted"; "auto" follows the weighting, by whether it reads chance-corrected losses.

    corrected : None where there is no "auto".
    """
    check_choice(agreement, ("raw", "adjusted") if corrected is None else AGREEMENTS, name="agreement")
    if agreement == "auto":
        return "adjusted" if corrected else "raw"
    return agreement


def objective_for(encoding, n_clusters, agreement="raw", *, dense=False):
    """The objective of an encoding for so many clusters; `dense` keeps memberships dense however many these are."""
    if agreement == "adjusted":
        return ChanceCorrected(encoding, n_clusters)
    return Raw(encoding, n_clusters) if dense or n_clusters <= MANY else SparseRaw(encoding, n_clusters)


def agreements_with(encoding, membership):
    """The adjusted agreements a_u of memberships of an encoding's rows, dense or in compressed rows."""
    if sparse.issparse(membership) or membership.shape[1] > MANY:
        return agreements(encoding, membership_of(membership))
    return adjusted_agreements(encoding, membership)
