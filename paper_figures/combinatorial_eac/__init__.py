"""Paper 000: evidence accumulation clustering using combinations of features."""

from ..drawing import OPEN, Paper, drawing
from . import figures, signals, tables

OF_SIGNALS = (
    *("combinatorial_goodness", "combinatorial_eac", "combinatorial_whitening"),
    *("combinatorial_weights", "combinatorial_weights_readings"),
)
DRAWINGS = (
    drawing("fig_combinatorial_goodness", "combinatorial_goodness", figures.goodness, "Figures 1 and 2"),
    drawing("fig_combinatorial_features", "combinatorial_eac", figures.features, "Figure 4"),
    drawing(
        "table_combinatorial_speed", "combinatorial_speed", tables.speed, "Section 'Experimental results' (Table S2)"
    ),
    drawing("fig_combinatorial_zipf", "combinatorial_eac", figures.zipf, "Figure 5 and Table 2"),
    drawing("table_combinatorial_zipf", "combinatorial_eac", tables.zipf, "Figure 5 and Table 2"),
    drawing("fig_combinatorial_whitening", "combinatorial_whitening", figures.whitening, "Figures 6 and S1"),
    drawing("table_combinatorial_whitening", "combinatorial_whitening", tables.whitening, "Figures 6 and S1"),
    drawing("fig_combinatorial_weights", "combinatorial_weights", figures.weights, "Figure 7"),
    drawing("table_combinatorial_weights", "combinatorial_weights", tables.weights, "Figure 7"),
    drawing("table_combinatorial_signals", OF_SIGNALS, signals.signals_table, OPEN),
)

PAPER = Paper(
    name="combinatorial_eac",
    label="Paper 000",
    title="Evidence accumulation clustering using combinations of features",
    citation="W. Wong, N. Tsuchiya. MethodsX 7, 2020.",
    drawings=DRAWINGS,
)
