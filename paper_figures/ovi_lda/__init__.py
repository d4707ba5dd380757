"""Paper 004: object-based validation by discriminant analysis, and the consensus it guides."""

from ..drawing import OPEN, Paper, drawing
from . import figures, findings, readings, tables

OF_ALL = ("ovi_qpsk", "ovi_crisp", "ovi_final")
DRAWINGS = (
    drawing("table_ovi_numbers", "ovi_qpsk", tables.numbers_table, "Table 3"),
    drawing("fig_ovi_surface", "ovi_surface", figures.surface_figure, "Figure 1"),
    drawing("fig_ovi_indices", ("ovi_qpsk", "ovi_final"), figures.indices_figure, "Figure 2"),
    drawing("table_ovi_consensus", ("ovi_qpsk", "ovi_final"), tables.consensus_table, "Figure 2, counted"),
    drawing("table_ovi_runs", "ovi_qpsk", tables.runs_table, "not in the paper"),
    drawing("table_ovi_readings", OF_ALL, readings.readings_table, "not in the paper"),
    drawing("table_ovi_findings", OF_ALL, findings.findings_table, OPEN),
)

PAPER = Paper(
    name="ovi_lda",
    label="Paper 004",
    title="Object based validation algorithm and its application to consensus clustering",
    citation="R. Fa, B. Abu-Jamous, A. K. Nandi. Brunel University, Uxbridge, and University of Jyväskylä.",
    drawings=DRAWINGS,
)
