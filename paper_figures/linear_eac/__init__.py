"""Paper 001: linear time evidence accumulation clustering with k-means."""

from ..drawing import OPEN, Paper, drawing
from . import drawings
from .findings import findings_table
from .readings import readings_table

STARTED = ("linear_eac", "linear_eac_starts")
FOUND = (*STARTED, "linear_eac_cost")
DRAWINGS = (
    drawing("table_linear_eac_data", "benchmark_data", drawings.data_table, "Table of Section 5.2"),
    drawing("table_linear_eac_nonhierarchical", "linear_eac", drawings.nonhierarchical_table, "Tables of Section 6.1"),
    drawing("table_linear_eac_hierarchical", "linear_eac", drawings.hierarchical_table, "Tables of Section 6.2"),
    drawing("table_linear_eac_comparison", "linear_eac", drawings.comparison_table, "Tables of Section 6.3"),
    drawing("table_linear_eac_readings", STARTED, readings_table, OPEN),
    drawing("table_linear_eac_findings", FOUND, findings_table, "Sections 3 to 8, in words there"),
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
)
