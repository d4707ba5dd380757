"""All figures and tables, by paper and topic; one that is not listed here is not drawn."""

from functools import partial

from . import accuracy, certificates, hard_partitions, number_of_clusters, peers, robustness, speed, trust
from .claim import claims_table
from .combinatorial_eac import PAPER as COMBINATORIAL_EAC
from .drawing import Topic, drawing
from .linear_eac import PAPER as LINEAR_EAC
from .ovi_lda import PAPER as OVI_LDA
from .robust_eac import PAPER as ROBUST_EAC
from .threshold_eac import PAPER as THRESHOLD_EAC

PAPERS = (COMBINATORIAL_EAC, LINEAR_EAC, ROBUST_EAC, THRESHOLD_EAC, OVI_LDA)


def claims_of(papers):
    """The table of the claims of these papers."""
    return drawing(
        "table_claims",
        tuple(sorted({name for paper in papers for name in paper.experiments})),
        partial(claims_table, papers),
        caption="Every empirical claim of the papers, with its verdict and the numbers behind it.",
    )


ROOMS = (
    *PAPERS,
    Topic("accuracy", accuracy.DRAWINGS),
    Topic("robustness", robustness.DRAWINGS),
    Topic("trust", trust.DRAWINGS),
    Topic("number of clusters", number_of_clusters.DRAWINGS),
    Topic("certificates", certificates.DRAWINGS),
    Topic("hard median partitions", hard_partitions.DRAWINGS),
    Topic("peers", peers.DRAWINGS),
    Topic("speed", speed.DRAWINGS),
    Topic("claims", (claims_of(PAPERS),)),
)
