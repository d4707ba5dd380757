"""Progress says when kernels are compiled."""

import sys

import numba
import numpy as np
import pytest

from robust_eac import solve_median_partition

from ..access import _kernels, _threads

LINE = "Compiling, once per installation."

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="numba is disabled (NUMBA_DISABLE_JIT)")


def test_compiling_is_announced_once():
    one, other, lines = numba.njit(lambda x: x + 1), numba.njit(lambda x: x + 2), []
    with _threads.lines_to(lines.append), _kernels.announce_compiling():
        one(1)
        other(1)
        one(1)
    assert lines == [LINE]


def test_a_terminal_is_told_without_verbose(capsys, monkeypatch):
    for is_terminal in (False, True):
        with monkeypatch.context() as patch, _kernels.announce_compiling():
            patch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
            numba.njit(lambda x: x + 3)(1)
        assert capsys.readouterr().err.count(LINE) == is_terminal


@pytest.mark.parametrize("verbose", [0, 1])
def test_the_solver_announces_compiling_where_it_shows_progress(verbose, capsys):
    labels = np.arange(30)[:, np.newaxis] % [2, 2, 3]
    # Kernels may be in the cache; this function is not.
    new = numba.njit(lambda x: x)
    solve_median_partition(labels, 2, weighting=lambda losses: losses + new(1), random_state=0, verbose=verbose)
    assert capsys.readouterr().out.count(LINE) == verbose
