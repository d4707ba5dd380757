"""Figures and tables of runs with a name, whatever cells they hold."""

import pytest
from sklearn.datasets import load_iris

from experiments import __main__ as experiments_cli
from paper_figures import __main__ as cli
from paper_figures import records as sources

FEW = {"datasets": "iris", "repetitions": "1", "n_partitions": "6"}


@pytest.fixture
def draw(tmp_path, capsys):
    """draw(parameters, names) -> (exit code, files, messages) of a run of `noisy_ensembles`."""

    def of_run(parameters, *names):
        root, out = tmp_path / "records", tmp_path / "out"
        chosen = FEW | dict(parameter.split("=", 1) for parameter in parameters)
        settings = [f"{name}={text}" for name, text in chosen.items()]
        run = ["run", "noisy_ensembles", "--set", *settings, "--name", "mine", "--n-jobs", "1"]
        assert experiments_cli.main([*run, "--records", str(root)]) == 0
        capsys.readouterr()
        code = cli.main([*names, "--records", str(root / "mine"), "--out", str(out)])
        return code, sorted(path.name for path in out.iterdir()), capsys.readouterr()

    return of_run


EVERY = {"clean_ensembles", "noisy_ensembles", "noise_sweep"}


@pytest.mark.parametrize(
    ("parameters", "drawn", "refused", "printed"),
    [
        ("fractions=0,.5 ensembles=kmeans weightings=chance-corrected,uniform,entropy", EVERY, {},
         ("| data set | unweighted | entropy | chance-corrected |", "H with 50% random partitions")),
        ("fractions=.3", EVERY - {"noisy_ensembles"}, dict.fromkeys(
            ("fig_noisy_ensembles", "table_noise_stability", "table_noisy_ensembles"),
            "needs two shares of random partitions, the records hold 0.3."), ()),
        ("fractions=.3,.6 weightings=chance-corrected,l2", EVERY,
         {"table_paired_wins": "needs the weighting uniform beside others, the records hold l2, chance-corrected."},
         ("H with 30% -> H with 60% random partitions", "mean H at 30% | mean H at 60%")),
    ],
)  # fmt: skip
def test_what_the_cells_allow_is_drawn_and_the_rest_is_told_in_a_sentence(draw, parameters, drawn, refused, printed):
    code, files, told = draw(parameters.split())
    assert code == bool(refused)
    assert {name for name in files if name.endswith("png")} == {f"{stem}.png" for stem in drawn}
    assert len([name for name in files if name.endswith("txt")]) == 4 - len(set(refused) - {"fig_noisy_ensembles"})
    sentences = [line.removeprefix("error: ") for line in told.err.splitlines()]
    assert sentences == [f"{name}: {why}" for name, why in refused.items()]
    assert all(text in told.out for text in printed)


ON_OWN_DATA = ["ensembles=kmeans", "fractions=0,.5", "weightings=uniform,l2", "repetitions=5"]


def test_one_data_set_has_no_mean_and_its_intervals_are_over_its_ensembles(draw, tmp_path):
    path = tmp_path / "a folder" / "flowers.csv"
    path.parent.mkdir()
    load_iris(as_frame=True).frame.rename(columns={"target": "label"}).to_csv(path, index=False)
    code, files, told = draw([f"datasets={path}", *ON_OWN_DATA])
    assert code == 0
    assert {f"{stem}.png" for stem in EVERY} <= set(files)
    assert "k-means ensembles, flowers, 5 ensembles\n" in told.out
    assert "| mean difference of H [95 %] | pairs won [95 %] | " in told.out
    assert "| ensembles better / equal / worse |" in told.out
    assert "| flowers | " in told.out
    assert "| mean | " not in told.out


def test_two_data_sets_have_a_mean_and_no_intervals(draw):
    _, _, told = draw(["datasets=iris,wine", *ON_OWN_DATA], "paired_wins", "table_noisy_ensembles")
    assert "k-means ensembles, 2 data sets\n" in told.out
    assert "| mean difference of H | pairs won | pairs lost | data sets better / equal / worse |" in told.out
    assert "| mean | " in told.out


def test_an_experiment_without_records_in_the_run_is_refused(draw):
    code, files, told = draw(["fractions=0", "weightings=l2"], "noise_sweep", "sensitivity_rho")
    assert code == 1
    assert "noise_sweep.png" in files
    assert "the run mine holds records of noisy_ensembles, none of sensitivity; without names, all" in told.err


def test_an_unknown_run_lists_the_known_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sources, "run_names", lambda: ["mine", "other"])
    assert cli.main(["--records", "nosuch", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "error: there is no run or folder 'nosuch'; runs: mine, other.\n"
    assert list(tmp_path.iterdir()) == []


def test_records_of_a_run_as_a_data_frame(tmp_path, draw):
    draw(["fractions=0,.5", "ensembles=kmeans", "weightings=uniform,l2"], "paired_wins")
    table = sources.records_frame("mine", tmp_path / "records")
    assert table[["dataset", "fraction", "n_partitions"]].values.tolist() == [["iris", 0.0, 6], ["iris", 0.5, 6]]
    assert table["result.l2.h"].between(0.0, 1.0, inclusive="right").all()
    assert (table["seconds"] > 0.0).all()
    assert table["result.uniform.noise_weight"].tolist() == [0.0, 0.5]
    with pytest.raises(ValueError, match="unknown experiment or run 'nosuch'; runs: mine"):
        sources.records_frame("nosuch", tmp_path / "records")
