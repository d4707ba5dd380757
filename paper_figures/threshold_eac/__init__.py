"""Paper 003: data clustering using evidence accumulation."""

from ..drawing import OPEN, Paper, drawing
from . import figures, findings, tables

BOTH = ("threshold_eac", "threshold_plain")
ENSEMBLES = ("threshold_eac", "threshold_gaussians")
DRAWINGS = (
    drawing("fig_threshold_halfrings", BOTH, figures.halfrings_figure, "Figure 1 and Table 1"),
    drawing("table_threshold_halfrings", "threshold_eac", tables.halfrings_table, "Figure 1 and Table 1"),
    drawing("fig_threshold_spiral", BOTH, figures.spiral_figure, "Figure 2 and Table 2"),
    drawing("table_threshold_spiral", "threshold_eac", tables.spiral_table, "Figure 2 and Table 2"),
    drawing("fig_threshold_random", "threshold_plain", figures.random_figure, "Figure 3 and Table 3"),
    drawing("table_threshold_random", "threshold_eac", tables.random_table, "Figure 3 and Table 3"),
    drawing("fig_threshold_gaussians", "threshold_gaussians", figures.gaussians_figure, "Figure 4"),
    drawing("table_threshold_iris", "threshold_eac", tables.iris_table, "Table 4"),
    drawing("table_threshold_consistency", "threshold_eac", tables.consistency_table, "Table 5"),
    drawing("table_threshold_plain", BOTH, tables.plain_table, "Sections 3.1, 3.2 and 3.5"),
    drawing("table_threshold_readings", "threshold_eac", tables.readings_table, OPEN),
    drawing("table_threshold_findings", ENSEMBLES, findings.findings_table, "Sections 2 and 3"),
)

PAPER = Paper(
    name="threshold_eac",
    label="Paper 003",
    title="Data Clustering Using Evidence Accumulation",
    citation="A. L. N. Fred, A. K. Jain. ICPR 2002.",
    drawings=DRAWINGS,
)
