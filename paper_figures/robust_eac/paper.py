"""Paper 002: its record and its drawings."""

from functools import partial

from ..drawing import Paper, drawing, read_settings
from . import baselines, data_sets, noisy, sensitivity
from .claims import claims

DRAWINGS = (
    drawing("table_benchmark_data", "benchmark_data", data_sets.data_table, "Table 1"),
    drawing("fig_datasets", "benchmark_data", data_sets.shapes_figure, "Figure 1"),
    drawing(
        "fig_clean_ensembles",
        "noisy_ensembles",
        partial(noisy.accuracy_bars, fraction=0.0),
        "Figure 2",
        caption="Figure 2 of paper 002: accuracy on clean ensembles.",
    ),
    drawing("fig_coassociation", "coassociation", data_sets.coassociation_figure, "Figure 3"),
    drawing(
        "fig_noisy_ensembles",
        "noisy_ensembles",
        partial(noisy.accuracy_bars, fraction=noisy.NOISE),
        "Figure 4",
        caption="Figure 4 of paper 002: accuracy with a fifth of the partitions replaced by random ones.",
    ),
    drawing("table_noisy_ensembles", "noisy_ensembles", noisy.noisy_table, "Figure 4"),
    drawing("table_paired_wins", "noisy_ensembles", noisy.paired_table, "Section 4, paired"),
    drawing("table_noise_stability", "noisy_ensembles", noisy.stability_table, "Section 4.2"),
    drawing("fig_noise_sweep", "noisy_ensembles", noisy.sweep_figure, "not in the paper"),
    drawing("table_noise_sweep", "noisy_ensembles", noisy.sweep_table, "not in the paper"),
    drawing(
        "fig_sensitivity_rho",
        "sensitivity",
        partial(sensitivity.heat_maps, group="rho"),
        "not in the paper",
        caption=(
            "Restricted simplex: gain in H over no weighting, and weight on random partitions, by noise and by "
            "rho = 1 / (share m). Values are means over the data sets and three ensembles of each. A frame marks the "
            "paper's rho."
        ),
    ),
    drawing(
        "fig_sensitivity_lambda",
        "sensitivity",
        partial(sensitivity.heat_maps, group="lambda"),
        "not in the paper",
        caption=(
            "l2 weights: gain in H over no weighting, and weight on random partitions, by noise and by lambda. Values "
            "are means over the data sets and three ensembles of each. A frame marks the paper's lambda."
        ),
    ),
    drawing("fig_kept_partitions", "sensitivity", sensitivity.kept_figure, "not in the paper"),
    drawing("table_weighting_cost", "sensitivity", sensitivity.cost_table, "not in the paper"),
    drawing("fig_baselines", "baselines", baselines.functions_figure, "not in the paper"),
    drawing("table_baselines", "baselines", baselines.functions_table, "not in the paper"),
    drawing("fig_weighting_schemes", "baselines", baselines.weightings_figure, "not in the paper"),
    drawing("table_paired_baselines", "baselines", baselines.paired_table, "not in the paper"),
)

PAPER = Paper(
    name="robust_eac",
    label="Paper 002",
    title="Consensus Clustering with Robust Evidence Accumulation",
    citation="A. Lourenço, S. Rota Bulò, A. Fred, M. Pelillo. EMMCVPR 2013.",
    drawings=DRAWINGS,
    settings=read_settings(__file__),
    experiments=("noisy_ensembles", "coassociation", "sensitivity", "baselines"),
    claims=claims,
)
