"""Paper 001: linear time evidence accumulation clustering with k-means."""

from ..claim import judge, rules_of
from ..drawing import OPEN, Paper, drawing, read_settings
from . import claims as first_claims
from . import discussion, drawings
from .lost_settings import settings_table
from .readings import readings_table
from .values import consensus_records, of_datasets, small, with_starts

DRAWINGS = (
    drawing("table_linear_eac_data", "benchmark_data", drawings.data_table, "Table of Section 5.2"),
    drawing("table_linear_eac_nonhierarchical", "linear_eac", drawings.nonhierarchical_table, "Tables of Section 6.1"),
    drawing("table_linear_eac_hierarchical", "linear_eac", drawings.hierarchical_table, "Tables of Section 6.2"),
    drawing("table_linear_eac_comparison", "linear_eac", drawings.comparison_table, "Tables of Section 6.3"),
    drawing("table_linear_eac_settings", "linear_eac_settings", settings_table, "not in the paper: the lost settings"),
    drawing("table_linear_eac_readings", ("linear_eac", "linear_eac_starts"), readings_table, OPEN),
    drawing(
        "fig_linear_eac_cost", "linear_eac_cost", drawings.cost_figure, "Sections 3.7, 4.2 and 7.3, in words there"
    ),
)

RULES = rules_of(first_claims, discussion)


def judge_claims(records):
    """All claims, in the paper's order."""
    rows = with_starts(records["linear_eac"], records["linear_eac_starts"])
    return judge(
        RULES,
        {
            "rows": rows,
            "agglomerated": of_datasets(rows, small(rows)),
            "named": of_datasets(rows, discussion.NAMED),
            "cost": records["linear_eac_cost"],
            "consensus": consensus_records(records["linear_eac_settings"]),
        },
    )


TITLE = "Linear Time Evidence Accumulation Clustering with KMeans"
PAPER = Paper(
    name="linear_eac",
    label="Paper 001",
    title=TITLE,
    citation=f'"{TITLE}" (author, venue and year are not in the text at hand).',
    drawings=DRAWINGS,
    settings=read_settings(__file__),
    experiments=("linear_eac", "linear_eac_starts", "linear_eac_settings", "linear_eac_cost"),
    claims=judge_claims,
)
