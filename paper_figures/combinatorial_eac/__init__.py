"""Paper 000: evidence accumulation clustering using combinations of features."""

from ..claim import judge
from ..drawing import OPEN, Paper, drawing, read_settings
from . import figures, readings, samples, tables

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
    drawing("table_combinatorial_signals", readings.EXPERIMENTS, readings.signals, OPEN),
)

PAPER = Paper(
    name="combinatorial_eac",
    label="Paper 000",
    title="Evidence accumulation clustering using combinations of features",
    citation="W. Wong, N. Tsuchiya. MethodsX 7, 2020.",
    drawings=DRAWINGS,
    settings=read_settings(__file__),
    experiments=(*readings.EXPERIMENTS, "combinatorial_speed"),
    claims=lambda records: judge(readings.RULES, samples.judged_rows(records)),
)
