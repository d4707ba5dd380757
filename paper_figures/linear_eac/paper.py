"""Paper 001: its record and its drawings."""

from functools import partial

from ..drawing import Paper, drawing, read_settings
from . import drawings
from .claims import claims
from .lost_settings import settings_table

AGREEMENT = "not in the paper: printed against reproduced"
DRAWINGS = (
    drawing(
        "table_linear_eac_nonhierarchical",
        "linear_eac",
        partial(drawings.side_by_side, name="nonhierarchical"),
        "Tables of Section 6.1",
        caption="SEC, MCLA, ECC and CSPA by data set, printed beside reproduced (Section 6.1): ensemble NMI and "
        "density, mean ± sd.",
    ),
    drawing(
        "table_linear_eac_hierarchical",
        "linear_eac",
        partial(drawings.side_by_side, name="hierarchical"),
        "Tables of Section 6.2",
        caption="Agglomerative clustering of the raw (R) and enhanced (E) co-association, printed beside reproduced "
        "(Section 6.2).",
    ),
    drawing(
        "table_linear_eac_comparison",
        "linear_eac",
        partial(drawings.side_by_side, name="comparison"),
        "Tables of Section 6.3",
        caption="Base clusterings, k-means and the best of each family, printed beside reproduced (Section 6.3): mean "
        "± sd.",
    ),
    drawing("fig_linear_eac_agreement", "linear_eac", drawings.agreement_figure, AGREEMENT),
    drawing("table_linear_eac_agreement", "linear_eac", drawings.agreement_table, AGREEMENT),
    drawing("table_linear_eac_settings", "linear_eac_settings", settings_table, "not in the paper: the lost settings"),
    drawing("fig_linear_eac_clusters", "linear_eac_settings", drawings.clusters_figure, "Section 5.5, in words there"),
    drawing(
        "fig_linear_eac_cost", "linear_eac_cost", drawings.cost_figure, "Sections 3.7, 4.2 and 7.3, in words there"
    ),
)

TITLE = "Linear Time Evidence Accumulation Clustering with KMeans"
PAPER = Paper(
    name="linear_eac",
    label="Paper 001",
    title=TITLE,
    citation=f'"{TITLE}" (author, venue and year are not in the text at hand).',
    drawings=DRAWINGS,
    settings=read_settings(__file__),
    experiments=("linear_eac", "linear_eac_settings", "linear_eac_cost"),
    claims=claims,
)
