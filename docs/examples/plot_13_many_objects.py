"""
A hundred thousand objects
==========================

No matrix of all pairs: time and memory of the solvers grow about as the number of
objects does.
"""

# %%
# Labels of 100 clusterings, 20 of them random, of a thousand to a hundred thousand
# objects. Labels of one byte each, ``int8``, save seven eighths of the memory.

import time

import numpy as np

from robust_eac import merge_consensus, solve_hard_median_partition, solve_median_partition


def ensemble(n_samples, rng):
    """Ten clusters; 80 clusterings with a tenth of the labels wrong, and 20 random ones."""
    truth = rng.randint(10, size=n_samples).astype(np.int8)
    labels = np.where(rng.rand(n_samples, 100) < 0.1, rng.randint(10, size=(n_samples, 100)), truth[:, None])
    labels[:, 80:] = rng.randint(10, size=(n_samples, 20))
    return labels.astype(np.int8)


ways = {
    "solve_median_partition": lambda labels: solve_median_partition(labels, 10, n_init=1, random_state=0),
    "merge_consensus": lambda labels: merge_consensus(labels, 10, random_state=0),
    "solve_hard_median_partition": lambda labels: solve_hard_median_partition(labels, 10, n_init=1, random_state=0),
}
sizes = [1_000, 3_000, 10_000, 30_000, 100_000]
for solve in ways.values():
    solve(ensemble(500, np.random.RandomState(1)))  # loads the kernels
seconds = {name: [] for name in ways}
for n_samples in sizes:
    labels = ensemble(n_samples, np.random.RandomState(0))
    for name, solve in ways.items():
        start = time.perf_counter()
        solve(labels)
        seconds[name].append(time.perf_counter() - start)

# %%
# Seconds on the machine that built this page. The grey line would be that of a method
# whose time grows with the number of pairs.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(8, 4.4))
for (name, values), marker in zip(seconds.items(), "osv", strict=True):
    ax.loglog(sizes, values, marker=marker, label=name)
pairs = seconds["solve_median_partition"][0] * (np.array(sizes) / sizes[0]) ** 2
ax.loglog(sizes[:4], pairs[:4], color="0.6", linestyle="-", linewidth=4, zorder=0, label="time of all pairs")
ax.set_xlabel("objects")
ax.set_ylabel("seconds")
ax.legend()
plt.show()

# %%
# :doc:`/guide/large` has the numbers up to ten million objects.
