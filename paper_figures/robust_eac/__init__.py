"""Paper 002: consensus clustering with robust evidence accumulation."""

from ..drawing import Paper, drawing
from . import baselines, data_sets, findings, noisy, readings, sensitivity

FOUND = ("noisy_ensembles", "public_points", "baselines")

DRAWINGS = (
    drawing("table_benchmark_data", "benchmark_data", data_sets.data_table, "Table 1"),
    drawing("fig_datasets", "benchmark_data", data_sets.shapes_figure, "Figure 1"),
    drawing("fig_clean_ensembles", "noisy_ensembles", noisy.clean_figure, "Figure 2"),
    drawing("fig_coassociation", "coassociation", data_sets.coassociation_figure, "Figure 3"),
    drawing("table_structure", "structure", data_sets.structure_table, "Section 4.1"),
    drawing("fig_noisy_ensembles", "noisy_ensembles", noisy.noisy_figure, "Figure 4"),
    drawing("table_noisy_ensembles", "noisy_ensembles", noisy.noisy_table, "Figure 4"),
    drawing("table_paired_wins", "noisy_ensembles", noisy.paired_table, "Section 4, paired"),
    drawing("table_robust_eac_findings", FOUND, findings.findings_table, "Section 4"),
    drawing("table_noisy_readings", "noisy_readings", readings.readings_table, "Section 4, read in other ways"),
    drawing("fig_canonical_labels", "canonical_labels", readings.labels_figure, "Sections 3 and 4, labels"),
    drawing("table_canonical_labels", "canonical_labels", readings.labels_table, "Sections 3 and 4, labels"),
    drawing("table_noise_stability", "noisy_ensembles", noisy.stability_table, "Section 4.2"),
    drawing("fig_noise_sweep", "noisy_ensembles", noisy.sweep_figure, "not in the paper"),
    drawing("table_noise_sweep", "noisy_ensembles", noisy.sweep_table, "not in the paper"),
    drawing("fig_sensitivity_rho", "sensitivity", sensitivity.rho_figure, "not in the paper"),
    drawing("fig_sensitivity_lambda", "sensitivity", sensitivity.lambda_figure, "not in the paper"),
    drawing("fig_kept_partitions", "sensitivity", sensitivity.kept_figure, "not in the paper"),
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
)
