"""Figures and tables of runs with a name, whatever cells they hold."""

import pytest
from sklearn.datasets import load_iris

from experiments import __main__ as experiments_cli
from paper_figures import __main__ as cli
from paper_figures import records as sources

EVERY = {"clean_ensembles", "noisy_ensembles", "noise_sweep"}
ON_OWN_DATA = "ensembles=kmeans fractions=0,.5 weightings=uniform,l2 repetitions=5"


@pytest.fixture
def draw(tmp_path, capsys):
    """draw(parameters, names) -> (exit code, names of figures, messages) of a run of `noisy_ensembles`."""

    def of_run(parameters, *names):
        root, out = tmp_path / "records", tmp_path / "out"
        texts = ["datasets=iris", "repetitions=1", "n_partitions=6", *parameters.split()]
        run = ["run", "noisy_ensembles", "--set", *texts, "--name", "mine", "--n-jobs", "1"]
        assert experiments_cli.main([*run, "--records", str(root)]) == 0
        capsys.readouterr()
        code = cli.main([*names, "--records", str(root / "mine"), "--out", str(out)])
        return code, {path.stem for path in out.glob("*.png")}, capsys.readouterr()

    return of_run


@pytest.mark.parametrize(
    ("parameters", "drawn", "refused", "why"),
    [
        ("fractions=.3", EVERY - {"noisy_ensembles"},
         ["fig_noisy_ensembles", "table_noise_stability", "table_noisy_ensembles"],
         "needs two shares of random partitions, the records hold 0.3."),
        ("fractions=.3,.6 weightings=chance-corrected,weac", EVERY, ["table_paired_wins"],
         "needs the weighting uniform beside others, the records hold chance-corrected, weac."),
    ],
)  # fmt: skip
def test_what_the_cells_allow_is_drawn_and_the_rest_is_told_in_a_sentence(draw, parameters, drawn, refused, why):
    code, figures, told = draw(parameters)
    assert (code, figures) == (1, drawn)
    assert told.err.splitlines() == [f"error: {name}: {why}" for name in refused]


def test_one_data_set_has_no_mean_and_its_intervals_are_over_its_ensembles(draw, tmp_path):
    path = tmp_path / "flowers.csv"
    load_iris(as_frame=True).frame.rename(columns={"target": "label"}).to_csv(path, index=False)
    code, figures, told = draw(f"datasets={path} {ON_OWN_DATA}")
    assert (code, figures) == (0, EVERY)
    assert "k-means ensembles, flowers, 5 ensembles\n" in told.out
    assert "| mean difference of H [95 %] | pairs won [95 %] | " in told.out
    assert "| flowers | " in told.out
    assert "| mean | " not in told.out


def test_two_data_sets_have_a_mean_and_no_intervals_and_make_a_data_frame(draw, tmp_path):
    _, _, told = draw(f"datasets=iris,wine {ON_OWN_DATA}", "paired_wins", "table_noisy_ensembles", "sensitivity_rho")
    assert "| mean difference of H | pairs won | pairs lost | data sets better / equal / worse |" in told.out
    assert "| mean | " in told.out
    assert "the run mine holds records of noisy_ensembles, none of sensitivity; without names, all" in told.err
    table = sources.records_frame("mine", tmp_path / "records")
    assert table[["dataset", "fraction", "n_partitions"]].values.tolist()[:2] == [["iris", 0.0, 6], ["iris", 0.5, 6]]
    assert table["result.l2.h"].between(0.0, 1.0, inclusive="right").all()
    assert table["result.uniform.noise_weight"].tolist() == [0.0, 0.5] * 10
    with pytest.raises(ValueError, match="unknown experiment or run 'nosuch'; runs: mine"):
        sources.records_frame("nosuch", tmp_path / "records")


def test_an_unknown_run_lists_the_known_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sources, "run_names", lambda: ["mine", "other"])
    assert cli.main(["--records", "nosuch", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "error: there is no run or folder 'nosuch'; runs: mine, other.\n"
