"""Figures and tables of runs with a name, whatever cells they hold."""

import pytest

from experiments import __main__ as experiments_cli
from paper_figures import __main__ as cli
from paper_figures import style

FEW = ["datasets=iris", "repetitions=1", "n_partitions=6"]


@pytest.fixture
def draw(tmp_path, capsys):
    """draw(parameters, names) -> (exit code, files, messages) of a run of `noisy_ensembles`."""

    def of_run(parameters, *names):
        root, out = tmp_path / "records", tmp_path / "out"
        run = ["run", "noisy_ensembles", "--set", *FEW, *parameters, "--name", "mine", "--n-jobs", "1"]
        assert experiments_cli.main([*run, "--records", str(root)]) == 0
        capsys.readouterr()
        code = cli.main([*names, "--records", str(root / "mine"), "--out", str(out)])
        return code, sorted(path.name for path in out.iterdir()), capsys.readouterr()

    return of_run


def test_everything_is_drawn_from_other_shares_and_weightings(draw):
    code, files, told = draw(["fractions=0,.5", "ensembles=kmeans", "weightings=chance-corrected,uniform,entropy"])
    assert (code, told.err) == (0, "")
    stems = {"clean_ensembles", "noisy_ensembles", "noise_sweep"}
    assert {name for name in files if name.endswith("png")} == {f"{stem}.png" for stem in stems}
    assert len([name for name in files if name.endswith("txt")]) == 4
    assert "| data set | unweighted | entropy | chance-corrected |" in told.out
    assert "H with 50% random partitions" in told.out


def test_what_cannot_be_drawn_is_told_in_one_sentence(draw):
    code, files, told = draw(["fractions=.3"])
    assert code == 1
    assert {"noisy_ensembles.png", "noise_sweep.png", "noise_sweep.txt", "paired_wins.txt"} <= set(files)
    assert [line.partition(": ")[2] for line in told.err.splitlines()] == [
        f"{name}: needs 0 as share of random partitions, the records hold 0.3."
        for name in ("fig_clean_ensembles", "table_noise_stability", "table_noisy_ensembles")
    ]


def test_an_experiment_without_records_in_the_run_is_refused(draw):
    code, _, told = draw(["fractions=0", "weightings=l2"], "noise_sweep", "weighting_cost")
    assert code == 1
    assert "needs the weighting uniform beside others, the records hold l2" in told.err
    assert "the run mine holds records of noisy_ensembles, none of sensitivity" in told.err


def test_own_weightings_get_the_looks_that_are_left():
    styles = style.method_styles(["uniform", "m:f", "m:g"])
    assert styles["uniform"] == style.METHODS["uniform"]
    assert [styles[name]["label"] for name in ("m:f", "m:g")] == ["m:f", "m:g"]
    assert len({look["color"] for look in styles.values()}) == 3
