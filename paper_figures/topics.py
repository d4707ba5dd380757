"""All figures and tables, by paper and topic; one that is not listed here is not drawn."""

from . import accuracy, certificates, hard_partitions, number_of_clusters, peers, robustness, speed, trust
from .combinatorial_eac import PAPER as COMBINATORIAL_EAC
from .drawing import Topic
from .linear_eac import PAPER as LINEAR_EAC
from .ovi_lda import PAPER as OVI_LDA
from .robust_eac import PAPER as ROBUST_EAC
from .threshold_eac import PAPER as THRESHOLD_EAC

PAPERS = (COMBINATORIAL_EAC, LINEAR_EAC, ROBUST_EAC, THRESHOLD_EAC, OVI_LDA)
TOPICS = (
    *PAPERS,
    Topic("accuracy", accuracy.DRAWINGS),
    Topic("robustness", robustness.DRAWINGS),
    Topic("trust", trust.DRAWINGS),
    Topic("number of clusters", number_of_clusters.DRAWINGS),
    Topic("certificates", certificates.DRAWINGS),
    Topic("hard median partitions", hard_partitions.DRAWINGS),
    Topic("peers", peers.DRAWINGS),
    Topic("speed", speed.DRAWINGS),
)
